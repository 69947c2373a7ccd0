"""What the built-in rules would have read, where written code has read a series otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from genotex.agents.audit.told_cohort import (
    ToldSeries,
    ToldStudy,
    encodings_by_name,
    tcga_folders,
)
from genotex.agents.task import Task
from genotex.clinical import FeatureEncoding, apply_encoding, describe_series, rule_expert
from genotex.cohorts import PreprocessOptions, choose_folder, read_tcga_features

__all__ = ["opinion_on_series", "opinion_on_study"]

Codes = NDArray[np.float64]


def opinion_on_series(told: ToldSeries) -> tuple[str, ...]:
    """Return in which way the rules would read a series otherwise; empty where they agree.

    Who is right is for a reader to say: models are asked because rules do not know everything, and
    a text in a series can mislead models alone. Age and gender are compared where both tell them.

    Parameters
    ----------
    told : ToldSeries
        How written code read it.
    """
    series, procedure = told.raw.series, told.task.procedure
    reading = rule_expert(procedure).read(describe_series(series), told.task.trait)
    if not reading.gene.available:
        # Rules that find nothing have nothing to say against somebody who does.
        return ()
    own = encodings_by_name(reading)
    codes = {n: apply_encoding(e, series, procedure=procedure).codes for n, e in own.items()}
    return _other_readings(told, own, codes)


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
    options = PreprocessOptions(procedure=task.procedure)
    features, reading = read_tcga_features(told.raw.matrix, choice.reason, options)
    own = encodings_by_name(reading)
    return _other_readings(told, own, {name: features[name].codes for name in own})


def _other_readings(
    told: ToldSeries | ToldStudy, own: Mapping[str, FeatureEncoding], codes: Mapping[str, Codes]
) -> tuple[str, ...]:
    """Return what is told otherwise than by the rules' own encodings, which give these codes."""
    read, doubts = encodings_by_name(told.reading), list[str]()
    for name, encoding in own.items():
        where = f"the built-in rules read the {name} from {encoding.key or encoding.sample_field!r}"
        if name not in read:
            doubts += [f"{where}, where written code found none"] if name == "trait" else []
        elif read[name].kind != encoding.kind:
            doubts.append(f"{where} as {encoding.kind}, written code as {read[name].kind}")
        else:
            doubts += _other_codes(where, codes[name], told.features[name].codes)
    return tuple(doubts)


def _other_codes(where: str, one: Codes, other: Codes) -> tuple[str, ...]:
    """Return how many samples have another code, of those that have one at all."""
    told = ~(np.isnan(one) & np.isnan(other))
    differ = int((told & ~np.isclose(one, other, rtol=1e-6)).sum())
    if differ == 0:
        return ()
    return (f"{where}, and code {differ} of {int(told.sum())} samples otherwise than written code",)
