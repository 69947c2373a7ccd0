"""A submitter's table in the folder of a series whose matrix is empty: counts or values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genotex.cohorts.geo.files import SUBMITTED, SubmittedValues, read_annotation
from genotex.cohorts.geo.rna_seq import CountedGenes, normalised_genes
from genotex.cohorts.geo.sample_names import names_inside, of_series, series_names
from genotex.cohorts.geo.source_tables import sources_on_disk, tables_of, why_not_used, with_sheets
from genotex.cohorts.own.layout import OwnValues, arrange
from genotex.cohorts.own.samples import SampleMatch, match_samples, name_keys, table_keys
from genotex.errors import FormatError, GenotexError
from genotex.formats import (
    ExpressionMatrix,
    Platform,
    Series,
    TableFile,
    ValueSource,
    distribution_record,
    titled,
)
from genotex.genes import (
    GeneCounts,
    GeneTable,
    RowGenes,
    ScaleVerdict,
    collapse_as_named,
    collapse_rows,
    divide_and_sum,
    gene_rows,
    genes_of_rows,
    identify_ids,
    named_genes_note,
    named_rows,
    negative_count,
    official_rows,
    recognise_scale,
)
from genotex.id_kinds import ID_KINDS, IdKind
from genotex.layout import GeoCohortFiles
from genotex.procedure import Procedure
from genotex.words import some_names

_THEN = "; a table that you make of them is analysed by: genotex de TABLE SAMPLES OUTPUT"
_LEAST_SHARE = 0.5
_FEWEST, _FEWEST_GENES = 2, 10
_SAME_GENES = 0.8
_TRANSCRIPT = re.compile(r"ENST\d{11}", re.IGNORECASE)
_TX2GENE = "put a table tx2gene (transcript, gene) into the folder"
_MOST_UNMAPPED = 0.2


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A table whose columns are samples of the series."""

    table: TableFile
    source: ValueSource
    values: OwnValues
    match: SampleMatch
    place: str  # which text of the series names its samples
    scale: ScaleVerdict
    rows: RowGenes
    official: list[tuple[str, ...]]  # the genes that each row counts for
    parts: tuple[TableFile, ...] = ()  # the tables that it was joined of

    @property
    def genes(self) -> int:
        """Number of official genes."""
        return len({gene for genes in self.official for gene in genes})

    @property
    def rank(self) -> tuple[int, bool, int]:
        """More samples first, then counts, then more genes."""
        return len(self.match.rows), self.scale.scale == "counts", self.genes

    @property
    def label(self) -> str:
        """What messages call it."""
        labels = [_label(each, self.source) for each in self.parts or (self.table,)]
        return " and ".join(dict.fromkeys(labels))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files on the disk that it was read from."""
        if self.source.kind in ("table", "R object"):
            tables = self.parts or (self.table,)
            return tuple(dict.fromkeys(each.path for each in tables if each.path is not None))
        stored = (each.stored.path for each in self.source.files if each.stored is not None)
        return tuple(dict.fromkeys(stored))

    @property
    def words(self) -> str:
        ways = ", ".join(f"{count} {words}" for words, count in self.match.steps)
        found, there = len(self.match.rows), len(self.values.matrix.samples)
        return (
            f"{found} of its {there} samples found by the series' {self.place} ({ways}), "
            f"{self.genes:,} genes, {self.scale.scale} ({self.scale.reason})"
        )


def submitted_genes(
    files: GeoCohortFiles,
    series: Series,
    trait: NDArray[np.float64] | None,
    *,
    binary: bool,
    table: GeneTable,
    how: SubmittedValues,
) -> CountedGenes | None:
    """Read the submitter's values of a series: those of most samples, counts before others.

    Returns None if nothing in the folder may hold them; otherwise the record of counts is empty
    where the values are not counts.
    """
    best, notes = _best_candidate(files, series, table, how)
    if best is None:
        why = f"the matrix holds no expression table; {'; '.join(notes)}{_THEN}"
        return CountedGenes(None, why, (), ()) if notes else None
    try:
        genes = _genes(best, series, trait, binary=binary, table=table, species=how.species)
    except FormatError as error:
        why = f"rows of {best.label} cannot be mapped to genes: {error.message}"
        return CountedGenes(None, why, (), tuple(notes))
    role = "counts" if genes.record else "expression"
    used = tuple((path, role) for path in best.paths)
    return replace(genes, used=used, notes=(*notes, *genes.notes))


def submitted_values(
    files: GeoCohortFiles, series: Series, table: GeneTable, how: SubmittedValues
) -> tuple[tuple[Path, ...], ExpressionMatrix] | None:
    """Return the submitter's values as they are, samples by accession, and their files."""
    best, _ = _best_candidate(files, series, table, how)
    return None if best is None else (best.paths, of_series(best.values.matrix, best.match, series))


def _best_candidate(
    files: GeoCohortFiles, series: Series, table: GeneTable, how: SubmittedValues
) -> tuple[_Candidate | None, list[str]]:
    """Return the values that are used, with notes on them and on what is not used."""
    rejected: list[str] = []
    every = sources_on_disk(files, len(series.samples), rejected, how.chosen)
    names = with_sheets(series_names(series), every)
    keys = table_keys(names)
    found: list[_Candidate] = []
    unread = [each for each in every if not each.refused]
    unread += [each for each in every if each.may_mislead]
    while unread and not _is_enough(found, series):
        source = unread.pop(0)
        if found and source.may_mislead:
            continue
        for given in tables_of(source, every, keys, rejected, how.cell_type):
            try:
                found.append(_candidate(given, source, names, files, series, table, how))
            except GenotexError as error:
                rejected.append(why_not_used(_label(given, source), error, source))
    if not found:
        raw = [f"{each.label}: {each.refused}" for each in every if each.refused]
        return None, [*rejected, *raw]
    found.sort(key=lambda each: each.rank, reverse=True)
    best, *others = found
    parts = _parts(best, others)
    if len(parts) > 1:
        given = _side_by_side(parts, series)
        best = replace(
            _candidate(given, best.source, names, files, series, table, how),
            parts=tuple(part.table for part in parts),
        )
    notes = [
        f"{SUBMITTED} {best.label}: {best.words}",
        *best.table.notes,
        *best.values.notes,
        *(f"{other.label} is not used: {other.words}" for other in others if other not in parts),
        *(f"{each.label} is not read" for each in unread if not each.may_mislead),
        *rejected,
    ]
    return best, notes


def _is_enough(found: Sequence[_Candidate], series: Series) -> bool:
    """Return whether some table has counts of all samples."""
    return any(
        each.scale.scale == "counts" and len(each.match.rows) == len(series.samples)
        for each in found
    )


def _parts(best: _Candidate, others: Sequence[_Candidate]) -> list[_Candidate]:
    """Return tables of the same values of other samples, as of cases and of controls."""
    parts, taken = [best], set(best.match.rows.values())
    for other in others:
        rows = set(other.match.rows.values())
        same = (other.scale.scale, other.scale.kind) == (best.scale.scale, best.scale.kind)
        shared = len(set(best.values.matrix.ids) & set(other.values.matrix.ids))
        alike = shared >= _SAME_GENES * max(map(len, (best.official, other.official)))
        if same and alike and taken.isdisjoint(rows):
            parts.append(other)
            taken |= rows
    return parts


def _side_by_side(parts: Sequence[_Candidate], series: Series) -> TableFile:
    """Join tables of different samples by their ids."""
    whole = None
    for part in parts:
        matrix = of_series(part.values.matrix, part.match, series)
        columns = {name: matrix.values[:, j] for j, name in enumerate(matrix.samples)}
        frame = part.values.described.with_columns(**columns)
        if frame["ID"].n_unique() < frame.height:
            msg = f"{part.label} has several rows of one id, so that it cannot be joined"
            raise FormatError(msg, path=part.table.path)
        text = [name for name in frame.columns[1:] if name not in columns]
        frame = frame if whole is None else frame.drop(text)
        whole = frame if whole is None else whole.join(frame, on="ID", maintain_order="left")
    assert whole is not None
    note = f"{len(parts)} tables of different samples joined"
    return replace(parts[0].table, **titled(whole.to_dict()), notes=(note,))


def _label(given: TableFile, source: ValueSource) -> str:
    sheet = f", {given.form.partition(', ')[2]}" if "sheet" in given.form else ""
    single = source.kind != "tables of samples" and source.holds != "cells"
    return f"{given.label}{sheet}" if single else source.label


def _matched(
    given: TableFile, names: TableFile, series: Series, table: GeneTable
) -> tuple[OwnValues, SampleMatch, TableFile]:
    """Find the values of a table whose columns are samples of a series."""
    keys = table_keys(names)
    values = arrange(given, keys, (), table)
    columns = values.matrix.samples
    enough = max(_FEWEST, _LEAST_SHARE * min(len(series.samples), len(columns)))
    match = None
    if any(name_keys(name) & keys for name in columns):
        match = match_samples(columns, names)
    if match is None or len(match.rows) < enough:
        inside = names_inside(columns, series)
        if inside is not None:
            return values, match_samples(columns, inside), inside
    if match is None:
        msg = f"no sample of the series is called like its columns: {some_names(columns)}"
        raise given.error(msg)
    if len(match.rows) < enough:
        msg = f"only {len(match.rows)} of its {len(columns)} samples are in the series"
        raise given.error(msg)
    return values, match, names


def _candidate(
    given: TableFile,
    source: ValueSource,
    names: TableFile,
    files: GeoCohortFiles,
    series: Series,
    table: GeneTable,
    how: SubmittedValues,
) -> _Candidate:
    """Read a table, and match its columns to the samples of the series."""
    values, match, names = _matched(given, names, series, table)
    found = identify_ids(values.matrix.ids, table)
    # Unknown names are probes of an array, but genes where the series was sequenced.
    probes = found.kind is IdKind.PROBE
    probes = probes and ("form of probe ids" in found.reason or not _sequenced(series))
    # Intensities of an array, whatever names its rows.
    probes = probes or values.quantity == "avg_signal"
    if how.scale == "auto":
        called = " ".join([source.files[0].name, given.label, *given.notes, values.quantity])
        verdict = recognise_scale(values.matrix.values, called, probes=probes)
    else:
        verdict = ScaleVerdict(how.scale, "as asked for")
    ids = values.matrix.ids
    transcripts = sum(_TRANSCRIPT.match(name) is not None for name in ids) > 0.5 * len(ids)
    read = _rows_as_named if how.species else _row_genes
    try:
        rows = read(given, values, files, series, table)
    except FormatError as error:
        if not transcripts:
            raise
        msg = "the genes of its transcripts are not known"
        raise given.error(msg, hint=_TX2GENE) from error
    sound = Procedure.SOUND
    official = (
        named_rows(rows) if how.species else official_rows(rows, procedure=sound, table=table)
    )
    candidate = _Candidate(
        given, source, values, match, names.header[match.column], verdict, rows, official
    )
    without = sum(not genes for genes in official) / max(1, len(official))
    if transcripts and (without > _MOST_UNMAPPED or candidate.genes < _FEWEST_GENES):
        msg = f"the genes of {without:.0%} of its transcripts are not known"
        raise given.error(msg, hint=_TX2GENE)
    if candidate.genes < _FEWEST_GENES:
        msg = f"only {candidate.genes} of its rows are genes: not a table of expression"
        raise given.error(msg)
    return candidate


def _sequenced(series: Series) -> bool:
    kinds = " ".join(series.series_fields.get("type", ())).casefold()
    return "throughput sequencing" in kinds and "array" not in kinds


def _genes(
    best: _Candidate,
    series: Series,
    trait: NDArray[np.float64] | None,
    *,
    binary: bool,
    table: GeneTable,
    species: str,
) -> CountedGenes:
    """Bring the rows of a table to official genes, as those of a series matrix."""
    matrix = of_series(best.values.matrix, best.match, series)
    given = distribution_record(matrix.samples, matrix.values, best.scale.scale)
    if best.scale.scale != "counts":
        rows, scale = best.rows, best.scale.scale
        genes = (
            collapse_as_named(matrix, rows, species, scale=scale)
            if species
            else collapse_rows(matrix, rows, procedure=Procedure.SOUND, table=table, scale=scale)
        )
        genes = replace(genes, kind=best.scale.kind)
        return CountedGenes(genes, "", (), (), distributions=given)
    if found := negative_count(matrix.values, matrix.ids, matrix.samples):
        raise FormatError(found, path=best.table.path)
    counts = _summed(matrix, best)
    if species:
        counts = replace(counts, notes=(named_genes_note(species, best.rows),))
    reads = counts.matrix.values.sum(axis=0)
    done = normalised_genes(
        counts,
        series,
        trait,
        binary=binary,
        files=(best.paths[0], None),
        totals=dict(zip(matrix.samples, reads.tolist(), strict=True)),
        label=best.label,
    )
    rows = best.rows
    described = done.genes and replace(
        done.genes,
        id_kind=rows.verdict.kind,
        id_column=rows.id_column,
        gene_column=rows.gene_column,
    )
    return replace(done, genes=described, distributions=given)


def _row_genes(
    given: TableFile, values: OwnValues, files: GeoCohortFiles, series: Series, table: GeneTable
) -> RowGenes:
    """Find the genes of the rows: by their ids, other columns of the table, or the platform."""
    ids = values.matrix.ids
    kind = identify_ids(ids, table).kind
    platforms: list[Platform] = []
    if kind is not IdKind.SYMBOL and not (kind in ID_KINDS and ID_KINDS[kind].is_of_genes):
        if values.described.width > 1:
            platforms.append(Platform(given.path or Path(given.label), "", {}, values.described))
        platforms += read_annotation(files, series)[0]
    return genes_of_rows(
        ids, platforms, procedure=Procedure.SOUND, table=table, own=series.platform
    )


def _rows_as_named(
    given: TableFile, values: OwnValues, files: GeoCohortFiles, series: Series, table: GeneTable
) -> RowGenes:
    """Find the names of genes of another species: symbols, else the ids without a version."""
    ids = values.matrix.ids
    try:
        found = _row_genes(given, values, files, series, table)
    except FormatError:
        found = None
    if found is not None and any(found.names):
        return found
    bare: list[tuple[str, ...]] = [
        (re.sub(r"(?i)^(ENS\w*G\d+)\.\d+$", r"\1", name),) for name in ids
    ]
    return RowGenes(identify_ids(ids, table), bare, len(bare))


def _summed(matrix: ExpressionMatrix, best: _Candidate) -> GeneCounts:
    """Add up the counts of each gene; rows of no gene or of several are left out."""
    official, found = best.official, best.rows
    links = gene_rows(official)
    without = sum(not genes for genes in official)
    counts = {
        "rows": len(official),
        "rows_with_symbol": found.filled,
        "rows_several_genes": sum(len(names) > 1 for names in found.names),
        "genes_mapped": len(links.genes),
        "ambiguous_aliases": 0,
        "unknown_symbols": without,
        "genes": len(links.genes),
    }
    notes = [f"row ids: {found.verdict.reason}", *found.notes]
    if without:
        notes.append(f"{without:,} of {len(official):,} rows are not of one known gene; dropped")
    if shared := len(official) - without - len(links.genes):
        notes.append(f"{shared:,} rows share a symbol with another; their counts were added")
    summed = divide_and_sum(matrix.values, links)
    return GeneCounts(ExpressionMatrix(links.genes, matrix.samples, summed), counts, tuple(notes))
