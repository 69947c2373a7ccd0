"""Checks of the answer to a problem that generated code left."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.agents.audit.comparison import WITHIN, records_agree, reject, reject_oversized
from genotex.agents.task import Task
from genotex.agents.toolkit.statistics import OWN_ANALYSIS
from genotex.analysis import (
    AnalysisResult,
    DataChoice,
    analyze_data,
    choose_data,
    read_data,
    read_result,
    stored_types,
)
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import read_cohort_info, read_json_object, read_linked_header
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions

_MOST_COLUMNS = 100
"""Of a table of all genes; it has a column for each figure."""


@dataclass(frozen=True, eq=False)
class _AnswerAudit:
    """What is to be said of an answer, and the rerun where it gives the same answer."""

    flags: tuple[str, ...]
    again: AnalysisResult | None = None


def audit_answer(
    task: Task, written: Path, cohort: str | None, *, by_code: bool = True
) -> _AnswerAudit:
    """Audit an answer; one that generated code made is computed again."""
    if cohort is None:
        # An answer from knowledge alone, which no code wrote, has none.
        return _AnswerAudit(("the answer does not name its cohort",) if by_code else ())
    output = OutputFolder(written)
    path = output.significant_genes(task.trait, task.condition)
    content = read_json_object(path)
    listed: dict[str, list[object]] = content["significant_genes"]
    columns = _check_genes(task, cohort, listed["Variable"])
    table = output.all_genes(task.trait, task.condition)
    if table.is_file():
        reject_oversized(table, columns, _MOST_COLUMNS)
    try:
        result = read_result(output, task.trait, task.condition)
    except GenotexError as error:
        why = "no table of all genes belongs to it"
        if table.is_file() and isinstance(error, FormatError) and error.field:
            why = f"{error.field}: {error.message}"[:300]
        if not table.is_file() and content.get("method") == {"analysis": OWN_ANALYSIS}:
            return _AnswerAudit(("the answer is of an analysis of its own, which is not rerun",))
        return _AnswerAudit((f"the answer was not written by the toolkit: {why}",))
    if dict(result.genes.schema) != stored_types():
        reject("the columns of the table of all genes are not those that the toolkit writes")
    found = result.significant
    for name, values in listed.items():
        if name in found.columns and found[name].to_list() != values:
            reject(f"{name} of the genes listed is another than in the table of all genes")
    return _compare_with_rerun(task, result, content) if by_code else _AnswerAudit(())


def _check_genes(task: Task, cohort: str, listed: Sequence[object]) -> int:
    """Refuse an answer about a cohort that cannot be used, or with genes that it does not have."""
    prepared = OutputFolder(task.input_folder)
    try:
        info = read_cohort_info(prepared.cohort_info(task.trait)).get(cohort)
        if info is None or not info.is_usable:
            reject(f"the answer names {cohort}, which is not a usable cohort of {task.trait}")
        known = set(read_linked_header(prepared.linked_csv(task.trait, cohort)))
    except FormatError as error:
        reject(str(error))
    if strangers := [gene for gene in listed if gene not in known]:
        reject(f"the answer lists {strangers[0]}, which is not a gene of {cohort}")
    return len(known)


_GENE = "Variable"


def _compare_with_rerun(
    task: Task, found: AnalysisResult, content: Mapping[str, Any]
) -> _AnswerAudit:
    """Return how an answer differs from a rerun of the same analysis, and the rerun if it does not.

    Model and covariates, which generated code may choose, are taken from its record; all other
    options are those of the toolkit.
    """
    try:
        options = _options(task, found)
        choice, flags = _choose(task, found, options)
        output, tasks = OutputFolder(task.input_folder), task.read_task_info()
        data = read_data(output, task.problem, choice, options.procedure, tasks)
        again = analyze_data(data, task.problem, options, threads=os.cpu_count() or 1)
    except GenotexError as error:
        return _AnswerAudit((f"the analysis cannot be rerun from its record: {str(error)[:300]}",))
    interactions = again.significant_interactions.to_dict(as_series=False)
    others = {
        "quality": (found.cv_performance, again.cv_performance),
        "warnings": (found.warnings, again.warnings),
        "interactions": (
            content.get("significant_interactions"),
            interactions if "interaction" in again.method else None,
        ),
    }
    different = tuple(
        f"its {name} are not those of the rerun analysis"
        for name, (recorded, computed) in others.items()
        if not records_agree(recorded, computed)
    )
    different = (*_number_differences(found.genes, again.genes), *different)
    return _AnswerAudit((*flags, *different), None if different else again)


def _options(task: Task, found: AnalysisResult) -> AnalysisOptions:
    """Return the options of the toolkit with those of the tests that may be chosen, if any."""
    options = AnalysisOptions(procedure=task.procedure)
    if not task.procedure.tests_genes:
        return options
    try:
        recorded = found.method["options"]
        # The record may hold anything; names are texts.
        covariates = tuple(map(str, recorded["covariates"]))
        return replace(options, model=recorded["model"], covariates=covariates)
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
    flag = f"the toolkit chooses {choice.cohort} for this problem, the answer uses {found.cohort}"
    meant = replace(options, cohort=found.cohort)
    return choose_data(output, task.problem, meant, tasks), (flag,)


def _number_differences(found: pl.DataFrame, again: pl.DataFrame) -> tuple[str, ...]:
    """Return how many genes have other figures, and in which columns."""
    if set(found[_GENE]) != set(again[_GENE]) or found.height != again.height:
        return ("its genes are not those of the rerun analysis",)
    one, other = found.sort(_GENE), again.sort(_GENE)
    wrong = {name: ~_same(one[name], other[name]) for name in other.columns if name != _GENE}
    genes = int(np.any(list(wrong.values()), axis=0).sum())
    if not genes:
        return ()
    named = ", ".join(name for name, cells in wrong.items() if cells.any())
    return (f"{genes} of {one.height} genes have different values in a rerun: {named}",)


def _same(one: pl.Series, other: pl.Series) -> NDArray[np.bool_]:
    if not (one.dtype.is_float() and other.dtype.is_float()):
        return one.eq_missing(other).to_numpy()
    # p-values may be as small as they like.
    same = np.isclose(one.to_numpy(), other.to_numpy(), rtol=WITHIN, atol=0.0, equal_nan=True)
    return np.asarray(same)
