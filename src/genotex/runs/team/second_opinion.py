"""What the built-in rules would have read, where written code has read a series otherwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.clinical import apply_encoding, describe_series, rule_expert
from genotex.cohorts import PreprocessOptions, choose_folder
from genotex.cohorts.tcga import read_tcga_features
from genotex.runs.team.told_cohort import ToldSeries, ToldStudy, tcga_folders

__all__ = ["opinion_on_series", "opinion_on_study"]

Codes = NDArray[np.float64]


def opinion_on_series(told: ToldSeries) -> tuple[str, ...]:
    """Return in which way the rules would read the trait otherwise; empty where they agree.

    Who is right is for a reader to say: models are asked because rules do not know everything, and
    a text in a series can mislead models alone.

    Parameters
    ----------
    told : ToldSeries
        How written code read it.
    """
    series, task, trait = told.raw.series, told.task, told.reading.trait
    reading = rule_expert(task.procedure).read(describe_series(series), task.trait)
    own = reading.trait
    if own is None or not reading.gene.available:
        # Rules that find nothing have nothing to say against somebody who does.
        return ()
    where = f"the built-in rules read the trait from {own.key or own.sample_field!r}"
    if trait is None:
        return (f"{where}, where written code found none",)
    if own.kind != trait.kind:
        return (f"{where} as {own.kind}, written code as {trait.kind}",)
    codes = apply_encoding(own, series, procedure=task.procedure).codes
    return _other_codes(where, codes, told.features["trait"].codes)


def opinion_on_study(task: Task, told: ToldStudy | None) -> tuple[str, ...]:
    """Return in which way the rules would choose another study, or read the trait otherwise.

    Parameters
    ----------
    task : Task
        A cohort of TCGA.
    told : ToldStudy or None
        How written code read it; None where it took no study.
    """
    choice = choose_folder(task.trait, tcga_folders(task))
    if choice.folder is None:
        taken = () if told is None else (told.files.name,)
        return tuple(
            f"written code took {name}, the built-in rules none: {choice.reason}" for name in taken
        )
    if told is None or told.files.name != choice.folder.name:
        took = "none" if told is None else told.files.name
        return (
            f"the built-in rules take {choice.folder.name} ({choice.reason}), written code {took}",
        )
    where = "the built-in rules read the trait from the sample barcodes"
    if told.reading.trait is None:
        return (f"{where}, where written code found none",)
    options = PreprocessOptions(procedure=task.procedure)
    own = read_tcga_features(told.raw.matrix, choice.reason, options)[0]["trait"]
    return _other_codes(where, own.codes, told.features["trait"].codes)


def _other_codes(where: str, one: Codes, other: Codes) -> tuple[str, ...]:
    """Return how many samples have another code, of those that have one at all."""
    told = ~(np.isnan(one) & np.isnan(other))
    differ = int((told & ~np.isclose(one, other, rtol=1e-6)).sum())
    if differ == 0:
        return ()
    return (f"{where}, and code {differ} of {int(told.sum())} samples otherwise than written code",)
