"""What an analysis comes to outside the sandbox, where written code saved something else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.agents.audit.records_agree import WITHIN, records_agree
from genotex.agents.task import Task
from genotex.analysis import (
    AnalysisOptions,
    AnalysisResult,
    DataChoice,
    analyze_data,
    choose_data,
    read_data,
)
from genotex.errors import GenotexError, UsageError
from genotex.layout import OutputFolder

__all__ = ["answer_opinion"]

_GENE = "Variable"


def answer_opinion(
    task: Task, found: AnalysisResult, content: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return in what an answer is other than the same analysis done again; empty where it is not.

    Model and covariates, which are for written code to choose, are those of its record; all other
    options are those of the toolkit.

    Parameters
    ----------
    task : Task
        A problem.
    found : AnalysisResult
        As written code saved it.
    content : mapping
        The JSON file that it was read from.
    """
    try:
        options = _options(task, found)
        choice, doubts = _choose(task, found, options)
        output, tasks = OutputFolder(task.input_folder), task.read_task_info()
        data = read_data(output, task.problem, choice, options, tasks)
        again = analyze_data(data, task.problem, options, threads=os.cpu_count() or 1)
    except GenotexError as error:
        return (f"the analysis cannot be done again as its record tells it: {str(error)[:300]}",)
    interactions = again.significant_interactions.to_dict(as_series=False)
    beside = {
        "quality": (found.cv_performance, again.cv_performance),
        "warnings": (found.warnings, again.warnings),
        "interactions": (
            content.get("significant_interactions"),
            interactions if "interaction" in again.method else None,
        ),
    }
    wrong = [name for name, (said, is_so) in beside.items() if not records_agree(said, is_so)]
    others = tuple(f"its {name} are not those of the analysis done again" for name in wrong)
    return (*doubts, *_other_numbers(found.genes, again.genes), *others)


def _options(task: Task, found: AnalysisResult) -> AnalysisOptions:
    """Return the options of the toolkit with those that may be chosen; ``benchmark`` has none."""
    options = AnalysisOptions(procedure=task.procedure)
    if task.procedure == "benchmark":
        return options
    try:
        told = found.method["options"]
        # Whatever stands there: names are texts.
        covariates = tuple(map(str, told["covariates"]))
        return replace(options, model=told["model"], covariates=covariates)
    except (KeyError, TypeError) as error:
        msg = f"its options lack {error}"
        raise UsageError(msg) from error


def _choose(
    task: Task, found: AnalysisResult, options: AnalysisOptions
) -> tuple[DataChoice, tuple[str, ...]]:
    """Return the cohorts of the answer, and whether the toolkit would have taken others."""
    output, tasks = OutputFolder(task.input_folder), task.read_task_info()
    choice = choose_data(output, task.problem, options, tasks)
    if choice.cohort == found.cohort:
        return choice, ()
    doubt = f"the toolkit takes {choice.cohort} for this problem, the answer is of {found.cohort}"
    meant = replace(options, cohort=found.cohort)
    return choose_data(output, task.problem, meant, tasks), (doubt,)


def _other_numbers(found: pl.DataFrame, again: pl.DataFrame) -> tuple[str, ...]:
    """Return how many genes have other figures, and in which columns."""
    if set(found[_GENE]) != set(again[_GENE]) or found.height != again.height:
        return ("its genes are not those of the analysis done again",)
    one, other = found.sort(_GENE), again.sort(_GENE)
    wrong = {name: ~_same(one[name], other[name]) for name in other.columns if name != _GENE}
    genes = int(np.any(list(wrong.values()), axis=0).sum())
    if not genes:
        return ()
    named = ", ".join(name for name, cells in wrong.items() if cells.any())
    return (f"{genes} of {one.height} genes have other figures when it is done again: {named}",)


def _same(one: pl.Series, other: pl.Series) -> NDArray[np.bool_]:
    if not (one.dtype.is_float() and other.dtype.is_float()):
        return one.eq_missing(other).to_numpy()
    # p-values may be as small as they like.
    same = np.isclose(one.to_numpy(), other.to_numpy(), rtol=WITHIN, atol=0.0, equal_nan=True)
    return np.asarray(same)
