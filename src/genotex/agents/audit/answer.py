"""Checks of the answer to a problem that generated code left."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.agents.audit.comparison import WITHIN, records_agree, refuse, refuse_endless
from genotex.agents.task import Task
from genotex.analysis import (
    GENE_COLUMNS,
    AnalysisOptions,
    AnalysisResult,
    DataChoice,
    analyze_data,
    choose_data,
    read_data,
    read_result,
)
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import (
    read_cohort_info,
    read_json_object,
    read_linked_header,
)
from genotex.layout import OutputFolder

__all__ = ["answer_opinion", "look_at_answer"]

_MOST_COLUMNS = 100
"""Of a table of all genes; it has a column for each figure."""


def look_at_answer(
    task: Task, written: Path, cohort: str | None, *, by_code: bool = True
) -> tuple[str, ...]:
    """Return what makes an answer doubtful.

    Parameters
    ----------
    task : Task
        A problem.
    written : Path
        Where its session wrote; the form of the answer is in order.
    cohort : str or None
        The cohort that the answer names.
    by_code : bool
        As for `look_at_cohort`.

    Raises
    ------
    MethodFailedError
        If the answer contradicts itself, or the cohort it names.
    """
    if cohort is None:
        # An answer from knowledge alone, which no code wrote, has none.
        return ("the answer does not name its cohort",) if by_code else ()
    output = OutputFolder(written)
    path = output.significant_genes(task.trait, task.condition)
    content = read_json_object(path)
    listed: dict[str, list[object]] = content["significant_genes"]
    columns = _check_genes(task, cohort, listed["Variable"])
    table = output.all_genes(task.trait, task.condition)
    if table.is_file():
        refuse_endless(table, columns, _MOST_COLUMNS)
    try:
        result = read_result(output, task.trait, task.condition)
    except GenotexError:
        return ("the answer was not written by the toolkit: no table of all genes belongs to it",)
    if dict(result.genes.schema) != dict(GENE_COLUMNS):
        refuse("the table of all genes has other columns than the toolkit writes")
    found = result.significant
    for name, values in listed.items():
        if name in found.columns and found[name].to_list() != values:
            refuse(f"{name} of the genes listed is another than in the table of all genes")
    return answer_opinion(task, result, content) if by_code else ()


def _check_genes(task: Task, cohort: str, listed: Sequence[object]) -> int:
    """Refuse an answer about a cohort that cannot be used, or with genes that it does not have.

    Returns
    -------
    int
        How many columns the cohort's table has.
    """
    prepared = OutputFolder(task.input_folder)
    try:
        info = read_cohort_info(prepared.cohort_info(task.trait)).get(cohort)
        if info is None or not info.is_usable:
            refuse(f"the answer names {cohort}, which is no usable cohort of {task.trait}")
        known = set(read_linked_header(prepared.linked_csv(task.trait, cohort)))
    except FormatError as error:
        refuse(str(error))
    if strangers := [gene for gene in listed if gene not in known]:
        refuse(f"the answer lists {strangers[0]}, which is no gene of {cohort}")
    return len(known)


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
