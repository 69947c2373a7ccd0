"""A look at what written code left: what contradicts itself, and what nothing speaks for.

Code may write its files past the toolkit, or change what the toolkit writes. What can be told from
the files and the raw series alone is told here: contradictions are refused, doubts are recorded.
Whether numbers that agree with each other were computed, nobody can tell without doing it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

from genotex.agents.task import Task
from genotex.analysis import read_result
from genotex.clinical import FeatureEncoding, apply_encoding, reading_from_json
from genotex.cohorts.geo_files import choose_file
from genotex.cohorts.quality import judge
from genotex.errors import FormatError, GenotexError, MethodFailedError
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    Series,
    read_cohort_info,
    read_evidence,
    read_json_object,
    read_linked_csv,
    read_linked_header,
    read_linked_parquet,
)
from genotex.genes import GeneTable
from genotex.layout import OutputFolder, geo_cohort_files
from genotex.runs.problem_record import ErrorClass
from genotex.runs.team.second_opinion import second_opinion

__all__ = ["look_at_answer", "look_at_cohort"]

_MOST_COLUMNS = 100
"""Of a table of all genes; it has a column for each figure."""
_JUDGED = ("is_usable", "is_available", "is_biased", "has_age", "has_gender", "sample_size")


def look_at_cohort(task: Task, written: Path, info: CohortInfo) -> tuple[str, ...]:
    """Return what makes a cohort doubtful.

    Parameters
    ----------
    task : Task
    written : Path
        Where its session wrote.
    info : CohortInfo
        What was recorded.

    Raises
    ------
    MethodFailedError
        If its files contradict each other, or the series.
    """
    output = OutputFolder(written)
    with_table = info.is_usable
    try:
        table = read_linked_csv(output.linked_csv(task.trait, task.cohort)) if with_table else None
        doubts = [] if table is None else _look_at_table(task, output, table, info)
        if not output.evidence(task.trait, task.cohort).is_file():
            return (*doubts, "there is no evidence: its files were not written by the toolkit")
        evidence = read_evidence(output.evidence(task.trait, task.cohort))
        return (*doubts, *_look_at_evidence(task, evidence, table, info))
    except FormatError as error:
        _refuse(str(error))


def _look_at_table(
    task: Task, output: OutputFolder, table: LinkedTable, info: CohortInfo
) -> list[str]:
    found = judge(table)
    for name in _JUDGED:
        said, is_so = getattr(info, name), getattr(found, name)
        if said != is_so:
            _refuse(f"{task.cohort} is recorded with {name} {said}, but its table says {is_so}")
    twin = output.linked_parquet(task.trait, task.cohort)
    if twin.is_file():
        features = 1 + len(table.covariates) + len(table.genes)
        _check_rows(twin, features, len(table.samples) + 1)
        if not _same(table, read_linked_parquet(twin)):
            _refuse(f"the linked tables of {task.cohort} as CSV and as Parquet differ")
    known = GeneTable.load()
    return _unknown([g for g in table.genes if known.official_symbol(g, task.procedure) is None])


def _check_rows(path: Path, most_rows: int, most_columns: int) -> None:
    """Refuse a Parquet file of more cells than there can be: a small file may unfold to any size.

    Only what the file says of itself is read.
    """
    try:
        frame = pl.scan_parquet(path)
        rows, columns = frame.select(pl.len()).collect().item(), len(frame.collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        _refuse(f"{path.name} cannot be read as Parquet: {error}")
    if rows > most_rows or columns > most_columns:
        _refuse(
            f"{path.name} has {rows} rows and {columns} columns; expected are at most {most_rows} "
            f"and {most_columns}"
        )


def _same(filled: LinkedTable, unfilled: LinkedTable) -> bool:
    """Tell whether two tables say the same wherever the second one has a value."""
    if (filled.samples, filled.genes) != (unfilled.samples, unfilled.genes):
        return False
    measured = ~np.isnan(unfilled.expression)
    return bool(
        np.array_equal(filled.trait_values, unfilled.trait_values)
        and np.allclose(filled.expression[measured], unfilled.expression[measured], rtol=1e-6)
    )


def _unknown(genes: Sequence[str]) -> list[str]:
    if not genes:
        return []
    return [f"{len(genes)} of its genes are not known as human genes, such as {genes[0]}"]


def _look_at_evidence(
    task: Task, evidence: Evidence, table: LinkedTable | None, info: CohortInfo
) -> tuple[str, ...]:
    if (evidence.trait, evidence.cohort) != (task.trait, task.cohort):
        _refuse(f"the evidence is that of {evidence.cohort} for {evidence.trait}")
    if evidence.info.get("is_usable") != info.is_usable:
        _refuse("cohort_info.json and the evidence tell different things of the cohort")
    if task.kind != "geo":
        return ()
    trait = reading_from_json(evidence.reading).trait
    series = choose_file(geo_cohort_files(task.trait, task.input_folder)).series
    if table is not None:
        _check_codes(task, series, table, trait)
    return second_opinion(task, series, trait)


def _check_codes(
    task: Task, series: Series, table: LinkedTable, trait: FeatureEncoding | None
) -> None:
    """Refuse a table whose trait is not what its own encoding gives for the samples there are."""
    if trait is None:
        _refuse("the evidence tells no trait, but there is a linked table")
    codes = apply_encoding(trait, series, procedure=task.procedure).codes
    told = dict(zip(series.samples, codes, strict=True))
    if strangers := [sample for sample in table.samples if sample not in told]:
        _refuse(f"{strangers[0]} of the linked table is no sample of {task.cohort}")
    meant = np.array([told[sample] for sample in table.samples])
    if other := int((~np.isclose(meant, table.trait_values)).sum()):
        _refuse(
            f"{other} of {len(meant)} samples have another trait in the linked table than the "
            "series gives by the encoding in the evidence"
        )


def look_at_answer(task: Task, written: Path, cohort: str | None) -> tuple[str, ...]:
    """Return what makes an answer doubtful.

    Parameters
    ----------
    task : Task
        A problem.
    written : Path
        Where its session wrote; the form of the answer is in order.
    cohort : str or None
        The cohort that the answer names.

    Raises
    ------
    MethodFailedError
        If the answer contradicts itself, or the cohort it names.
    """
    if cohort is None:
        return ("the answer does not name its cohort",)
    output = OutputFolder(written)
    path = output.significant_genes(task.trait, task.condition)
    listed: dict[str, list[object]] = read_json_object(path)["significant_genes"]
    columns = _check_genes(task, cohort, listed["Variable"])
    table = output.all_genes(task.trait, task.condition)
    if table.is_file():
        _check_rows(table, columns, _MOST_COLUMNS)
    try:
        result = read_result(output, task.trait, task.condition)
    except GenotexError:
        return ("the answer was not written by the toolkit: no table of all genes belongs to it",)
    found = result.significant
    for name, values in listed.items():
        if name in found.columns and found[name].to_list() != values:
            _refuse(f"{name} of the genes listed is another than in the table of all genes")
    return ()


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
            _refuse(f"the answer names {cohort}, which is no usable cohort of {task.trait}")
        known = set(read_linked_header(prepared.linked_csv(task.trait, cohort)))
    except FormatError as error:
        _refuse(str(error))
    if strangers := [gene for gene in listed if gene not in known]:
        _refuse(f"the answer lists {strangers[0]}, which is no gene of {cohort}")
    return len(known)


def _refuse(what: str) -> NoReturn:
    raise MethodFailedError(ErrorClass.BAD_OUTPUT, what)
