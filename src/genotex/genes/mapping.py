"""Probe-level expression to expression of official gene symbols, by both procedures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from genotex.errors import FormatError, UsageError
from genotex.formats import ON_PROBES, ExpressionMatrix, Measures, Platform
from genotex.genes.collapse import divide_and_sum, gene_rows, mean_of_rows, weighted_mean_of_rows
from genotex.genes.control_probes import measure_controls
from genotex.genes.identify import identify_ids
from genotex.genes.row_genes import RowGenes, genes_of_rows
from genotex.genes.scale import detect_scale, to_log2, zero_offset
from genotex.genes.symbols import OfficialSymbols, official_symbols
from genotex.genes.table import GeneTable
from genotex.id_kinds import IdKind
from genotex.options import Scale, ValueKind
from genotex.procedure import Procedure
from genotex.words import some_names

ZEROS_KEPT = "zeros are kept as measurements"
"""Beginning of the note on the offset of the logarithm."""
OTHER_SPECIES = "genes of"
"""Beginning of the note on a series that is not human."""
_ENSEMBL_GENE = re.compile(r"ENS[A-Z]*G\d+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class GeneMapping:
    """Expression of genes, and how it was derived.

    `id_column`, `gene_column`: Columns of the platform table that were used; None when none was
    needed.
    """

    expression: ExpressionMatrix
    """Official symbols x samples, sorted by symbol."""
    mapped: int
    """Genes after mapping, before their symbols were brought to the official form."""
    id_kind: IdKind
    """What the row ids of the matrix are."""
    id_column: str | None
    gene_column: str | None
    scale: Literal["log2", "linear", "counts"]
    """Scale of the matrix as it came in."""
    counts: dict[str, int]
    """``rows``; ``rows_with_symbol`` (their gene cell is filled); ``rows_several_genes``;
    ``genes_mapped``; ``ambiguous_aliases`` and ``unknown_symbols`` (distinct names that were
    dropped); of `sound` also ``symbols_updated`` (old symbols and synonyms), ``dates_restored``
    and ``dates_lost`` (symbols that a spreadsheet had made dates); ``genes``."""
    notes: tuple[str, ...]
    """What was decided, for a reader."""
    offset: float = 0.0
    """What was added to linear values before the logarithm, for their zeros; 0 for most tables."""
    lost: int = 0
    """How many linear values were at or below 0 and became missing."""
    kind: ValueKind = ""
    """What the values are, where their variance depends on their level."""
    measures: Measures = field(default_factory=dict)
    """What the control probes tell of each sample (see `Evidence.measures`)."""


def map_to_genes(
    matrix: ExpressionMatrix,
    platforms: Sequence[Platform],
    *,
    procedure: Procedure | str,
    table: GeneTable,
    scale: Scale = "auto",
    own: str | None = None,
) -> GeneMapping:
    """Map a matrix to official gene symbols (spec, preprocessing, steps 4 to 7).

    `benchmark`: a row's value is divided among its symbols, a gene is the sum of its rows (missing
    counts as 0), official symbols that meet are averaged. `sound`: linear values are log2
    transformed first, with an offset where many are 0 (`scale.zero_offset`); rows of several genes
    and control probes are dropped; a gene is the mean of its rows, weighted by how far each is
    below the highest, missing values skipped.

    `matrix`: Rows by probe, gene symbol or the id of a database. `platforms`: Candidate
    annotations, the series' own platform first. Another one is used, with a note, if the own one is
    missing, identifies no genes or holds less than half of the row ids. `procedure`: which
    procedure. `table`: the genes. `scale`: Scale of `matrix`; `sound` alone acts on it. ``auto``
    judges by the rule of GEO2R. `own`: Accession of the series' own platform ("GPL96"); the first
    of `platforms` by default. Returns genes x samples with counts and notes.
    """
    _check_scale(scale)
    procedure = Procedure(procedure)
    found = genes_of_rows(matrix.ids, platforms, procedure=procedure, table=table, own=own)
    return collapse_rows(matrix, found, procedure=procedure, table=table, scale=scale)


def collapse_rows(
    matrix: ExpressionMatrix,
    found: RowGenes,
    *,
    procedure: Procedure | str,
    table: GeneTable,
    scale: Scale = "auto",
) -> GeneMapping:
    """Collapse rows with known gene names to genes: the second half of `map_to_genes`."""
    _check_scale(scale)
    procedure = Procedure(procedure)
    scaled = _on_scale(matrix, scale, procedure)
    if procedure.divides_rows_among_genes:
        collapsed = _sum_of_parts(scaled.matrix, found, table, procedure)
    else:
        collapsed = _mean_of_own_rows(scaled.matrix, found.names, table, procedure)
    expression, counts, notes = collapsed
    if not expression.ids:
        raise _no_gene(found)
    notes = (f"row ids: {found.verdict.reason}", *found.notes, *scaled.notes, *notes)
    return _of_rows(expression, scaled, found, counts, notes)


def _of_rows(
    expression: ExpressionMatrix,
    scaled: _Scaled,
    found: RowGenes,
    counts: dict[str, int],
    notes: tuple[str, ...],
) -> GeneMapping:
    rows = scaled.matrix
    return GeneMapping(
        expression,
        counts.get("genes_mapped", len(expression.ids)),
        found.verdict.kind,
        found.id_column,
        found.gene_column,
        scaled.scale,
        {"rows": len(rows.ids), "rows_with_symbol": found.filled, **counts},
        notes,
        scaled.offset,
        scaled.lost,
        measures=measure_controls(rows.ids, rows.values, rows.samples),
    )


def keep_rows(
    matrix: ExpressionMatrix, why: str, *, table: GeneTable, scale: Scale = "auto"
) -> GeneMapping:
    """Return the rows of a matrix as they are, on the scale of `sound`, where no map is at hand.

    `why`: What is missing and how it is got; it ends the note. Rows without an id are left out.
    """
    _check_scale(scale)
    scaled = _on_scale(matrix, scale, Procedure.SOUND)
    verdict = identify_ids(matrix.ids, table)
    links = gene_rows([(row,) if row else () for row in matrix.ids])
    expression = ExpressionMatrix(
        links.genes, matrix.samples, mean_of_rows(scaled.matrix.values, links)
    )
    notes = (f"row ids: {verdict.reason}", f"{ON_PROBES}: {why}", *scaled.notes)
    found = RowGenes(verdict, [], filled=0)
    return _of_rows(expression, scaled, found, {"genes": len(links.genes)}, notes)


def map_as_named(
    matrix: ExpressionMatrix,
    platforms: Sequence[Platform],
    species: str,
    *,
    table: GeneTable,
    scale: Scale = "auto",
    own: str | None = None,
) -> GeneMapping:
    """Map a matrix of another species to the genes that its platform or its rows name, as `sound`.

    `species`: For the notes. `table`: human genes, by which columns of symbols are recognised; no
    name is brought to its form. A row of several genes is dropped.
    """
    found = genes_of_rows(matrix.ids, platforms, procedure="sound", table=table, own=own)
    return collapse_as_named(matrix, found, species, scale=scale)


def named_genes_note(species: str, found: RowGenes) -> str:
    """Return by which names the genes of a species other than human are tested."""
    note = f"{OTHER_SPECIES} {species}, as they are named"
    ids = sum(_ENSEMBL_GENE.match(name) is not None for names in found.names for name in names)
    return (
        f"{note}: by Ensembl ids, since no symbols are at hand"
        if 2 * ids > len(found.names)
        else note
    )


def collapse_as_named(
    matrix: ExpressionMatrix, found: RowGenes, species: str, *, scale: Scale = "auto"
) -> GeneMapping:
    """Collapse rows with known names of genes to these: the second half of `map_as_named`."""
    _check_scale(scale)
    scaled = _on_scale(matrix, scale, Procedure.SOUND)
    links = gene_rows(named_rows(found))
    if not links.genes:
        raise _no_gene(found)
    counts = {
        "rows_several_genes": sum(len(names) > 1 for names in found.names),
        "genes_mapped": len(links.genes),
        "genes": len(links.genes),
    }
    values = weighted_mean_of_rows(scaled.matrix.values, links)
    expression = ExpressionMatrix(links.genes, matrix.samples, values)
    notes = (named_genes_note(species, found), *found.notes, *scaled.notes)
    return _of_rows(expression, scaled, found, counts, notes)


def named_rows(found: RowGenes) -> list[tuple[str, ...]]:
    """Return the gene that each row names, none for a row of several."""
    return [names if len(names) == 1 else () for names in found.names]


def check_rows(found: RowGenes, *, procedure: Procedure | str, table: GeneTable) -> None:
    """Check that some row is a gene, without collapsing the rows."""
    procedure = Procedure(procedure)
    if not any(_is_gene(row, procedure, table) for row in found.names):
        raise _no_gene(found)


def _is_gene(row: tuple[str, ...], procedure: Procedure, table: GeneTable) -> bool:
    symbols = official_symbols(row, table, procedure).symbols
    if procedure.divides_rows_among_genes:
        return any(symbols)
    return len(_one_row(row, dict(zip(row, symbols, strict=True)), table)) == 1


def _no_gene(found: RowGenes) -> FormatError:
    msg = f"no row could be mapped to a human gene ({found.verdict.reason})"
    return FormatError(msg, path=found.path, hint="give the platform table of the series")


def official_rows(
    found: RowGenes, *, procedure: Procedure | str, table: GeneTable
) -> list[tuple[str, ...]]:
    """Return the official genes that each row counts for in `collapse_rows`."""
    procedure = Procedure(procedure)
    known, _ = _official(found.names, table, procedure)
    if not procedure.divides_rows_among_genes:
        return _rows_of_one_gene(found.names, known, table)[0]
    genes = {row: tuple(s for name in row if (s := known[name])) for row in set(found.names)}
    return [genes[row] for row in found.names]


def _official(
    names: list[tuple[str, ...]], table: GeneTable, procedure: Procedure
) -> tuple[dict[str, str | None], OfficialSymbols]:
    unique = sorted({name for row in names for name in row})
    official = official_symbols(unique, table, procedure)
    return dict(zip(unique, official.symbols, strict=True)), official


def _check_scale(scale: str) -> None:
    if scale not in get_args(Scale):
        msg = f"scale {scale!r} is unknown: use auto, log2 or linear"
        raise UsageError(msg)
    if scale == "counts":
        msg = "scale 'counts' is for tables of counts; the values of a series are log2 or linear"
        raise UsageError(msg)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """A matrix on the scale of the procedure (see `GeneMapping`)."""

    matrix: ExpressionMatrix
    scale: Literal["log2", "linear", "counts"]
    notes: tuple[str, ...]
    offset: float = 0.0
    lost: int = 0


def _on_scale(matrix: ExpressionMatrix, scale: Scale, procedure: Procedure) -> _Scaled:
    if scale == "auto":
        verdict = detect_scale(matrix.values)
        found, why = verdict.scale, verdict.reason
    else:
        found, why = scale, "as asked for"
    if not procedure.logs_linear_values:
        note = f"scale {found} ({why}); {procedure} leaves values as they are"
        return _Scaled(matrix, found, (note,))
    if found == "log2":
        return _Scaled(matrix, found, (f"taken as log2 values ({why}); left as they are",))
    offset = zero_offset(matrix.values)
    values, lost = to_log2(matrix.values, offset)
    note = f"linear values ({why}), log2 transformed"
    if lost:
        note += f"; {lost} values at or below 0 became missing"
    notes = (note, _kept_zeros(matrix, offset)) if offset else (note,)
    matrix = ExpressionMatrix(matrix.ids, matrix.samples, values)
    return _Scaled(matrix, found, notes, offset, lost)


def _kept_zeros(matrix: ExpressionMatrix, offset: float) -> str:
    share = float((matrix.values == 0).mean())
    return f"{ZEROS_KEPT} ({100 * share:.1f} % of the values): log2(value + {offset:.4g})"


_Result = tuple[ExpressionMatrix, dict[str, int], tuple[str, ...]]


def _sum_of_parts(
    matrix: ExpressionMatrix, found: RowGenes, table: GeneTable, procedure: Procedure
) -> _Result:
    """Divide among symbols, sum by symbol, bring to official symbols, average what meets."""
    links = gene_rows(found.names)
    values = divide_and_sum(matrix.values, links) if found.mapped else matrix.values
    rows = links.genes if found.mapped else matrix.ids
    official = official_symbols(rows, table, procedure)
    merged = gene_rows([(s,) if s else () for s in official.symbols])
    counts = {
        "rows_several_genes": sum(len(names) > 1 for names in found.names),
        "genes_mapped": len(links.genes),
        "ambiguous_aliases": official.ambiguous,
        "unknown_symbols": official.unknown,
        "genes": len(merged.genes),
    }
    means = mean_of_rows(values, merged)
    notes = _date_notes(official.dates, official.lost_dates)
    return ExpressionMatrix(merged.genes, matrix.samples, means), counts, notes


def _mean_of_own_rows(
    matrix: ExpressionMatrix, names: list[tuple[str, ...]], table: GeneTable, procedure: Procedure
) -> _Result:
    """Bring symbols to their official form, keep the rows of one gene, average them by level."""
    known, official = _official(names, table, procedure)
    kept, genes = _rows_of_one_gene(names, known, table)
    several = sum(len(genes[row]) > 1 for row in names)
    used = {row for row in set(names) if len(genes[row]) == 1}
    links = gene_rows(kept)
    counts = {
        "rows_several_genes": several,
        "genes_mapped": len({name for row in used for name in row if known[name]}),
        "ambiguous_aliases": official.ambiguous,
        "unknown_symbols": official.unknown,
        "symbols_updated": _updated(known, official),
        "dates_restored": len(official.dates),
        "dates_lost": len(official.lost_dates),
        "genes": len(links.genes),
    }
    notes = list(_date_notes(official.dates, official.lost_dates))
    if several:
        notes.append(f"{several} rows belong to several genes and were dropped")
    if official.ambiguous:
        notes.append(f"{official.ambiguous} aliases belong to several genes and were dropped")
    means = weighted_mean_of_rows(matrix.values, links)
    return ExpressionMatrix(links.genes, matrix.samples, means), counts, tuple(notes)


def _updated(known: Mapping[str, str | None], official: OfficialSymbols) -> int:
    """Return how many names were old symbols or synonyms, spreadsheet dates aside."""
    renamed = {name for name, new in known.items() if new and name.strip().upper() != new.upper()}
    return len(renamed.difference(official.dates))


def _rows_of_one_gene(
    names: list[tuple[str, ...]], known: Mapping[str, str | None], table: GeneTable
) -> tuple[list[tuple[str, ...]], dict[tuple[str, ...], tuple[str, ...]]]:
    """Return each row's gene, none for a row of several, and the genes of each set of names."""
    genes = {row: _one_row(row, known, table) for row in set(names)}
    return [genes[row] if len(genes[row]) == 1 else () for row in names], genes


def _one_row(
    row: tuple[str, ...], known: Mapping[str, str | None], table: GeneTable
) -> tuple[str, ...]:
    """Return the genes of a row."""
    if len(row) == 1:  # Of most rows
        return (symbol,) if (symbol := known[row[0]]) else ()
    # Unknown names carry no information, nor does an ambiguous alias of a gene that the row
    # names as well; with another gene, the row may belong to several.
    genes = dict.fromkeys(s for name in row if (s := known[name]))
    if len(genes) == 1:
        (gene,) = genes
        for name in row:
            candidates = table.shared_aliases.get(name.upper(), ())
            if known[name] is None and candidates and gene not in candidates:
                return (gene, name)
    return tuple(genes)


def _date_notes(dates: Sequence[str], lost: Sequence[str]) -> tuple[str, ...]:
    notes = []
    if dates:
        names = some_names(dates, 5)
        notes.append(f"{len(dates)} symbols had been turned into dates and were restored: {names}")
    if lost:
        notes.append(
            f"{len(lost)} symbols had been turned into dates beyond recovery: {some_names(lost, 5)}"
        )
    return tuple(notes)
