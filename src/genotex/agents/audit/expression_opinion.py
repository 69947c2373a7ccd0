"""What the direct road makes of the raw files, where written code has saved something else.

The reading of the cohort is taken from its evidence, and the way from rows to genes, too, where it
is one that the toolkit offers. Code that changes numbers between two steps leaves other numbers
than these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from genotex.agents.audit.expression_spots import NamedRows, same_at_some_genes
from genotex.agents.audit.records_agree import records_agree
from genotex.agents.audit.saved_tables import Differences, SavedTables, differences
from genotex.agents.audit.told_cohort import ToldSeries, ToldStudy
from genotex.clinical import is_biased
from genotex.cohorts import (
    Facts,
    JudgedCohort,
    PreparedCohort,
    RawSeries,
    judge_cohort,
    read_raw_series,
)
from genotex.errors import FormatError, GenotexError
from genotex.formats import Evidence
from genotex.genes import GeneTable, RowGenes, collapse_rows, genes_by_columns, genes_of_rows
from genotex.layout import Procedure

__all__ = ["expression_opinion", "put_aside_opinion"]


def expression_opinion(
    told: ToldSeries | ToldStudy,
    evidence: Evidence,
    saved: SavedTables,
    naming: Future[NamedRows] | None,
) -> tuple[str, ...]:
    """Return in what the saved tables are other than the raw files give; empty where they agree.

    Large tables are compared at some genes first (see `same_at_some_genes`).

    Parameters
    ----------
    told : ToldSeries or ToldStudy
        What the evidence tells, applied to the raw files.
    evidence : Evidence
    saved : SavedTables
        The linked tables of a usable cohort.
    naming : Future or None
        The rows of a large table (see `naming_rows`).
    """
    if naming is not None and same_at_some_genes(told, evidence, saved, naming):
        return _other_record(told, evidence, told.facts, {})
    prepared, why = None, "nothing tells the genes of its rows"
    try:
        prepared = told.prepare(with_genes=True)
        why = prepared.why_no_genes or why
    except GenotexError as error:
        why = str(error)
    own = None if prepared is None else _differences(saved, judge_cohort(prepared))
    if own is not None and prepared is not None and own.none:
        return _other_record(told, evidence, prepared.sample_facts, prepared.counts)
    found = [] if prepared is None or own is None else [own]
    for gene_column, other in _by_its_own_columns(told, evidence, saved, prepared):
        if other.none:
            return (_other_column(gene_column, own, prepared),)
        found.append(other)
    if not found:
        return (f"its expression cannot be computed from the raw files: {why}",)
    return min(found, key=lambda each: (each.values, each.absent_or_other_genes)).words()


def _differences(saved: SavedTables, expected: JudgedCohort) -> Differences | None:
    return None if expected.filled is None else differences(saved, expected)


def _other_record(
    told: ToldSeries | ToldStudy, evidence: Evidence, facts: Facts, counts: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return what the evidence says otherwise of things by which the analysis goes."""
    trait = told.features["trait"]
    pairs = {
        "roles of samples": (evidence.roles, dict(zip(told.samples, trait.roles, strict=True))),
        "other characteristics": (evidence.sample_facts, facts),
        "counts": (evidence.counts, counts),
        "controls": (evidence.options.get("control_roles"), "auto"),
    }
    wrong = [name for name, (said, is_so) in pairs.items() if not records_agree(said, is_so)]
    return tuple(
        f"the {name} in its evidence are not those that the raw files give" for name in wrong
    )


def _other_column(
    gene_column: str | None, own: Differences | None, prepared: PreparedCohort | None
) -> str:
    """Return that written code told genes in another way than the rules, which may be as good."""
    way = f"column {gene_column!r}" if gene_column else "the row ids alone"
    told = f"written code told the genes of rows by {way}, the built-in rules"
    if own is None or prepared is None or prepared.genes is None:
        return f"{told} find none"
    by = prepared.genes.gene_column
    return (
        f"{told} by {f'column {by!r}' if by else 'the row ids alone'}: "
        f"{own.absent_or_other_genes} genes are there for one of them alone, or with other values"
    )


def _by_its_own_columns(
    told: ToldSeries | ToldStudy,
    evidence: Evidence,
    saved: SavedTables,
    prepared: PreparedCohort | None,
) -> Iterator[tuple[str | None, Differences]]:
    """Yield what comes of the columns that the evidence names, platform by platform."""
    if prepared is None or prepared.counts or isinstance(told, ToldStudy):
        return
    raw = read_raw_series(told.files, lambda series: True)
    matrix, table = raw.series.expression, GeneTable.load()
    if matrix is None or not matrix.ids:
        return
    procedure = told.task.procedure
    for found in _ways(raw, matrix.ids, evidence, procedure, table):
        with suppress(GenotexError):
            genes = collapse_rows(matrix, found, procedure=procedure, table=table)
            judged = judge_cohort(replace(prepared, genes=genes))
            if (other := _differences(saved, judged)) is not None:
                yield found.gene_column, other


def _ways(
    raw: RawSeries, ids: Sequence[str], evidence: Evidence, procedure: Procedure, table: GeneTable
) -> Iterator[RowGenes]:
    """Yield the genes of rows in each way that the evidence may mean."""
    id_column, gene_column = (evidence.mapping.get(f"{name}_column") for name in ("id", "gene"))
    own, platforms = raw.series.platform, raw.platforms
    if gene_column is None:
        with suppress(FormatError):
            yield genes_of_rows(ids, (), procedure=procedure, table=table)
        return
    columns = [id_column, gene_column]
    for platform in platforms:
        if all(column in platform.table.columns for column in columns):
            with suppress(FormatError):
                yield genes_by_columns(
                    ids, platforms, platform, *columns, procedure=procedure, table=table, own=own
                )


def put_aside_opinion(told: ToldSeries | ToldStudy) -> tuple[str, ...]:
    """Return that a cohort counts as not usable, though the direct road can use it as it is told.

    Parameters
    ----------
    told : ToldSeries or ToldStudy
        A cohort without a linked table.
    """
    trait = told.features.get("trait")
    known = np.empty(0) if trait is None else trait.codes[~np.isnan(trait.codes)]
    if not known.size or is_biased(known):
        return ()
    try:
        judged = judge_cohort(told.prepare(with_genes=False))
    except GenotexError:
        # Who cannot read it either has nothing to say.
        return ()
    if not judged.info.is_usable:
        return ()
    return ("with this very trait the direct road makes a usable cohort of the raw files",)
