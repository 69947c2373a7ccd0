"""Whether the saved tables are those that the pipeline computes from the raw files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.agents.audit.comparison import Differences, SavedTables, differences, records_agree
from genotex.agents.audit.recorded_cohort import RecordedSeries, RecordedStudy
from genotex.clinical import is_biased
from genotex.cohorts.geo_files import Facts, RawSeries, read_annotation, read_raw_series
from genotex.cohorts.linking import (
    JudgedCohort,
    judge_cohort,
    judge_filled,
    link_features,
    treat_missing,
)
from genotex.cohorts.prepared import PreparedCohort
from genotex.cohorts.tcga_files import NO_EXPRESSION, expression_path
from genotex.errors import FormatError, GenotexError
from genotex.formats import (
    Evidence,
    ExpressionMatrix,
    LinkedTable,
    Platform,
    TableLines,
    read_series_lines,
    read_xena_lines,
)
from genotex.formats.rows import first_repeated
from genotex.genes import (
    GeneTable,
    RowGenes,
    collapse_rows,
    genes_by_columns,
    genes_of_rows,
    identify_ids,
    official_rows,
)
from genotex.genes.scale import detect_scale
from genotex.procedure import Procedure

__all__ = [
    "LARGE",
    "NamedRows",
    "compare_expression",
    "compare_unusable",
    "naming_rows",
]

LARGE = 16_000_000
"""Bytes of a linked table that is not compared whole at once: about a million values."""
_EVENLY, _BY_TRAIT = 48, 48
"""How many genes are compared."""


@dataclass(frozen=True, eq=False)
class NamedRows:
    """The rows of a cohort, with the genes that the built-in rules find for them."""

    lines: TableLines
    ids: tuple[str, ...]
    found: RowGenes  # The names of genes of each row
    counted: list[tuple[str, ...]]  # The official genes that each row counts for


@contextmanager
def naming_rows(
    cohort: RecordedSeries | RecordedStudy | None, table: Path
) -> Iterator[Future[NamedRows] | None]:
    """Have the rows of a cohort named in a thread, while its linked table is read."""
    was_read = isinstance(cohort, RecordedSeries) and cohort.raw.series.expression is not None
    if cohort is None or was_read or not table.is_file() or table.stat().st_size < LARGE:
        yield None
        return
    with ThreadPoolExecutor(1) as executor:
        yield executor.submit(_name_rows, cohort)


def _name_rows(cohort: RecordedSeries | RecordedStudy) -> NamedRows:
    lines, platforms, own = _lines(cohort)
    ids, procedure, table = lines.ids, cohort.task.procedure, GeneTable.load()
    found = genes_of_rows(ids, platforms, procedure=procedure, table=table, own=own)
    return NamedRows(lines, ids, found, official_rows(found, procedure=procedure, table=table))


def _lines(
    cohort: RecordedSeries | RecordedStudy,
) -> tuple[TableLines, tuple[Platform, ...], str | None]:
    """Return the rows of a cohort, and what may identify their genes."""
    if isinstance(cohort, RecordedStudy):
        path = expression_path(cohort.files, cohort.task.procedure)
        if path is None:
            raise FormatError(NO_EXPRESSION, path=cohort.files.folder)
        return read_xena_lines(path), (), None
    series = cohort.raw.series
    with ThreadPoolExecutor(1) as executor:
        annotation = executor.submit(read_annotation, cohort.files, series)
        lines = read_series_lines(series.path)
        needed = bool(lines.ids) and identify_ids(lines.ids, GeneTable.load()).needs_mapping
        return lines, annotation.result()[0] if needed else (), series.platform


def _same_at_sampled_genes(
    cohort: RecordedSeries | RecordedStudy,
    evidence: Evidence,
    saved: SavedTables,
    naming: Future[NamedRows],
) -> bool:
    """Return whether a table certainly agrees with the raw files at the sampled genes.

    Also false where genes or samples were dropped for missing values: then the whole table has to
    be compared.
    """
    genes = _some_genes(saved.filled)
    try:
        rows = naming.result()
        if {gene for counted in rows.counted for gene in counted} != set(saved.filled.genes):
            return False
        expression = _expression(cohort, evidence, rows, genes)
    except GenotexError:
        # The comparison of the whole table reports it.
        return False
    return expression is not None and _same(cohort, expression, saved)


def _some_genes(table: LinkedTable) -> frozenset[str]:
    """Return genes at even distances, and those of the largest correlation with the trait."""
    number = len(table.genes)
    evenly = np.linspace(0, number - 1, min(_EVENLY, number)).round().astype(int)
    leading = np.argsort(-_correlation(table), kind="stable")[:_BY_TRAIT]
    return frozenset(table.genes[j] for j in (*evenly.tolist(), *leading.tolist()))


def _correlation(table: LinkedTable) -> NDArray[np.float64]:
    """Return a measure of each gene's correlation with the trait, 0 for constant genes."""
    trait = table.trait_values - table.trait_values.mean()
    values = table.expression
    variance = np.einsum("ij,ij->j", values, values) / len(values) - values.mean(axis=0) ** 2
    spread = np.sqrt(np.maximum(variance, 0.0))
    size: NDArray[np.float64] = np.abs(trait @ values)
    correlation: NDArray[np.float64] = np.zeros(len(size))
    np.divide(size, spread, out=correlation, where=spread > 0)
    return correlation


def _expression(
    cohort: RecordedSeries | RecordedStudy,
    evidence: Evidence,
    rows: NamedRows,
    genes: frozenset[str],
) -> ExpressionMatrix | None:
    """Return the expression of some genes; None where that takes all of them."""
    procedure, scale = cohort.task.procedure, evidence.mapping.get("scale")
    wanted = [i for i, counted in enumerate(rows.counted) if not genes.isdisjoint(counted)]
    names = {rows.ids[i]: rows.found.names[i] for i in wanted}
    matrix = rows.lines.read_rows(names.keys())
    if scale not in ("log2", "linear") or first_repeated(matrix.samples) is not None:
        return None
    if evidence.mapping.get("offset"):
        # The offset of the logarithm is chosen from all rows.
        return None
    if procedure.logs_linear_values and detect_scale(matrix.values).scale != scale:
        return None
    found = replace(rows.found, names=[names[i] for i in matrix.ids])
    table = GeneTable.load()
    all_of_them = collapse_rows(matrix, found, procedure=procedure, table=table, scale=scale)
    mapped = all_of_them.expression
    kept = [i for i, gene in enumerate(mapped.ids) if gene in genes]
    ids = tuple(mapped.ids[i] for i in kept)
    return ExpressionMatrix(ids, mapped.samples, mapped.values[kept])


def _same(
    cohort: RecordedSeries | RecordedStudy, expression: ExpressionMatrix, saved: SavedTables
) -> bool:
    codes = {name: feature.codes for name, feature in cohort.features.items()}
    trait = codes.pop("trait")
    linked = link_features(cohort.task.trait, cohort.samples, trait, codes, expression)
    # Which genes and samples are dropped for their gaps depends on all genes: where any was, the
    # names differ, and all are compared.
    return differences(saved, judge_filled(treat_missing(linked)), frozenset(expression.ids)).none


def compare_expression(
    cohort: RecordedSeries | RecordedStudy,
    evidence: Evidence,
    saved: SavedTables,
    naming: Future[NamedRows] | None,
) -> tuple[str, ...]:
    """Return in what the saved tables are other than the raw files give; empty where they agree.

    Large tables are compared at some genes first (see `_same_at_sampled_genes`).
    """
    if naming is not None and _same_at_sampled_genes(cohort, evidence, saved, naming):
        return _record_differences(cohort, evidence, cohort.facts, {})
    prepared, why = None, "nothing identifies the genes of its rows"
    try:
        prepared = cohort.prepare(with_genes=True)
        why = prepared.why_no_genes or why
    except GenotexError as error:
        why = str(error)
    own = None if prepared is None else _differences(saved, judge_cohort(prepared))
    if own is not None and prepared is not None and own.none:
        return _record_differences(cohort, evidence, prepared.sample_facts, prepared.counts)
    found = [] if prepared is None or own is None else [own]
    for gene_column, other in _by_recorded_columns(cohort, evidence, saved, prepared):
        if other.none:
            return (_column_difference(gene_column, own, prepared),)
        found.append(other)
    if not found:
        return (f"its expression cannot be computed from the raw files: {why}",)
    return min(found, key=lambda each: (each.values, each.absent_or_other_genes)).words()


def _differences(saved: SavedTables, expected: JudgedCohort) -> Differences | None:
    return None if expected.filled is None else differences(saved, expected)


def _record_differences(
    cohort: RecordedSeries | RecordedStudy,
    evidence: Evidence,
    facts: Facts,
    counts: Mapping[str, Any],
) -> tuple[str, ...]:
    """Return which records in the evidence that the analysis uses are different."""
    trait = cohort.features["trait"]
    pairs = {
        "roles of samples": (evidence.roles, dict(zip(cohort.samples, trait.roles, strict=True))),
        "other characteristics": (evidence.sample_facts, facts),
        "counts": (evidence.counts, counts),
        "controls": (evidence.options.get("control_roles"), "auto"),
    }
    wrong = [name for name, (said, is_so) in pairs.items() if not records_agree(said, is_so)]
    return tuple(
        f"the {name} in its evidence are not those that the raw files give" for name in wrong
    )


def _column_difference(
    gene_column: str | None, own: Differences | None, prepared: PreparedCohort | None
) -> str:
    """Return that generated code identified genes differently from the rules; both may be right."""
    way = f"column {gene_column!r}" if gene_column else "the row ids alone"
    start = f"generated code identified the genes of rows by {way}, the built-in rules"
    if own is None or prepared is None or prepared.genes is None:
        return f"{start} find none"
    by = prepared.genes.gene_column
    return (
        f"{start} by {f'column {by!r}' if by else 'the row ids alone'}: "
        f"{own.absent_or_other_genes} genes are in one result only, or differ in values"
    )


def _by_recorded_columns(
    cohort: RecordedSeries | RecordedStudy,
    evidence: Evidence,
    saved: SavedTables,
    prepared: PreparedCohort | None,
) -> Iterator[tuple[str | None, Differences]]:
    """Yield the differences for the columns that the evidence names, platform by platform."""
    if prepared is None or prepared.counts or isinstance(cohort, RecordedStudy):
        return
    raw = read_raw_series(cohort.files, lambda series: True)
    matrix, table = raw.series.expression, GeneTable.load()
    if matrix is None or not matrix.ids:
        return
    procedure = cohort.task.procedure
    for found in _mappings(raw, matrix.ids, evidence, procedure, table):
        with suppress(GenotexError):
            genes = collapse_rows(matrix, found, procedure=procedure, table=table)
            judged = judge_cohort(replace(prepared, genes=genes))
            if (other := _differences(saved, judged)) is not None:
                yield found.gene_column, other


def _mappings(
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


def compare_unusable(cohort: RecordedSeries | RecordedStudy) -> tuple[str, ...]:
    """Return that a cohort recorded as not usable is usable without agents, with the same trait."""
    trait = cohort.features.get("trait")
    known = np.empty(0) if trait is None else trait.codes[~np.isnan(trait.codes)]
    if not known.size or is_biased(known):
        return ()
    try:
        judged = judge_cohort(cohort.prepare(with_genes=False))
    except GenotexError:
        # If the pipeline cannot read it either, there is nothing to compare.
        return ()
    if not judged.info.is_usable:
        return ()
    return (
        "with the same trait, the pipeline without agents makes a usable cohort of the raw files",
    )
