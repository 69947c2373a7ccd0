"""A look at the cohort that written code left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from genotex.agents.audit.expression_opinion import expression_opinion, put_aside_opinion
from genotex.agents.audit.expression_spots import naming_rows
from genotex.agents.audit.refusing import refuse, refuse_endless
from genotex.agents.audit.saved_tables import SavedTables
from genotex.agents.audit.second_opinion import opinion_on_series, opinion_on_study
from genotex.agents.audit.told_cohort import ToldSeries, ToldStudy, tell_series, tell_study
from genotex.agents.task import Task
from genotex.cohorts import judge
from genotex.errors import FormatError
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    read_evidence,
    read_linked_csv,
    read_linked_parquet,
)
from genotex.genes import GeneTable
from genotex.layout import OutputFolder

__all__ = ["look_at_cohort"]

_JUDGED = ("is_usable", "is_available", "is_biased", "has_age", "has_gender", "sample_size")


def look_at_cohort(
    task: Task, written: Path, info: CohortInfo, *, by_code: bool = True
) -> tuple[str, ...]:
    """Return what makes a cohort doubtful.

    Parameters
    ----------
    task : Task
    written : Path
        Where its session wrote.
    info : CohortInfo
        What was recorded.
    by_code : bool
        Whether written code made it: its numbers are computed again. The direct road goes as it
        goes, whoever read the series.

    Raises
    ------
    MethodFailedError
        If its files contradict each other, or the raw files.
    """
    output = OutputFolder(written)
    path = output.evidence(task.trait, task.cohort)
    try:
        if not path.is_file():
            saved = _read_tables(task, output) if info.is_usable else None
            doubts = () if saved is None else _look_at_table(task, saved.filled, info)
            return (*doubts, "there is no evidence: its files were not written by the toolkit")
        evidence = read_evidence(path)
        _check_evidence(task, evidence, info)
        told = tell_series(task, evidence) if task.kind == "geo" else tell_study(task, evidence)
        if not info.is_usable:
            again = put_aside_opinion(told) if by_code and told is not None else ()
            return (*_opinion(task, told), *again)
        return _look_at_usable(task, output, info, evidence, told, by_code=by_code)
    except FormatError as error:
        refuse(str(error))


def _look_at_usable(
    task: Task,
    output: OutputFolder,
    info: CohortInfo,
    evidence: Evidence,
    told: ToldSeries | ToldStudy | None,
    *,
    by_code: bool,
) -> tuple[str, ...]:
    """Look at the tables of a usable cohort, and compute them again where code wrote them."""
    with naming_rows(
        told if by_code else None, output.linked_csv(task.trait, task.cohort)
    ) as named:
        saved = _read_tables(task, output)
        doubts = (*_look_at_table(task, saved.filled, info), *_opinion(task, told))
        told = _check_codes(task, told, saved.filled)
        again = expression_opinion(told, evidence, saved, named) if by_code else ()
    return (*doubts, *again)


def _opinion(task: Task, told: ToldSeries | ToldStudy | None) -> tuple[str, ...]:
    return opinion_on_series(told) if isinstance(told, ToldSeries) else opinion_on_study(task, told)


def _read_tables(task: Task, output: OutputFolder) -> SavedTables:
    """Read the linked table and its twin, and refuse two that differ."""
    table = read_linked_csv(output.linked_csv(task.trait, task.cohort))
    twin = output.linked_parquet(task.trait, task.cohort)
    if not twin.is_file():
        return SavedTables(table, None)
    features = 1 + len(table.covariates) + len(table.genes)
    refuse_endless(twin, features, len(table.samples) + 1)
    unfilled = read_linked_parquet(twin)
    if not _same(table, unfilled):
        refuse(f"the linked tables of {task.cohort} as CSV and as Parquet differ")
    return SavedTables(table, unfilled)


def _look_at_table(task: Task, table: LinkedTable, info: CohortInfo) -> tuple[str, ...]:
    found = judge(table)
    for name in _JUDGED:
        said, is_so = getattr(info, name), getattr(found, name)
        if said != is_so:
            refuse(f"{task.cohort} is recorded with {name} {said}, but its table says {is_so}")
    known = GeneTable.load()
    return _unknown([g for g in table.genes if known.official_symbol(g, task.procedure) is None])


def _same(filled: LinkedTable, unfilled: LinkedTable) -> bool:
    """Tell whether two tables say the same wherever the second one has a value."""
    if (filled.samples, filled.genes) != (unfilled.samples, unfilled.genes):
        return False
    measured = ~np.isnan(unfilled.expression)
    return bool(
        np.array_equal(filled.trait_values, unfilled.trait_values)
        and np.allclose(filled.expression[measured], unfilled.expression[measured], rtol=1e-6)
    )


def _unknown(genes: Sequence[str]) -> tuple[str, ...]:
    if not genes:
        return ()
    return (f"{len(genes)} of its genes are not known as human genes, such as {genes[0]}",)


def _check_evidence(task: Task, evidence: Evidence, info: CohortInfo) -> None:
    if (evidence.trait, evidence.cohort) != (task.trait, task.cohort):
        refuse(f"the evidence is that of {evidence.cohort} for {evidence.trait}")
    if evidence.procedure != task.procedure:
        refuse(f"the evidence tells of the procedure {evidence.procedure}")
    if evidence.info.get("is_usable") != info.is_usable:
        refuse("cohort_info.json and the evidence tell different things of the cohort")


def _check_codes(
    task: Task, told: ToldSeries | ToldStudy | None, table: LinkedTable
) -> ToldSeries | ToldStudy:
    """Refuse a table whose features are not what its own encodings give for the samples."""
    if told is None or told.reading.trait is None:
        refuse("the evidence tells no trait, but there is a linked table")
    place = {sample: i for i, sample in enumerate(told.samples)}
    if strangers := [sample for sample in table.samples if sample not in place]:
        refuse(f"{strangers[0]} of the linked table is no sample of {task.cohort}")
    rows = [place[sample] for sample in table.samples]
    for name, values in {"trait": table.trait_values, **table.covariates}.items():
        if name not in told.features:
            refuse(f"the evidence tells no {name}, but the linked table has it")
        meant = told.features[name].codes[rows]
        filled = np.isnan(meant) & (name != "trait")
        if other := int((~np.isclose(meant, values) & ~filled).sum()):
            refuse(
                f"{other} of {len(meant)} samples have another {name} in the linked table than the "
                "raw files give by the encoding in the evidence"
            )
    return told
