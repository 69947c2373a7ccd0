"""A submitter's table in the folder of a series whose matrix is empty: counts or values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.cohorts.geo.files import SUBMITTED, read_annotation
from genotex.cohorts.geo.rna_seq import CountedGenes, normalised_genes, trait_of_samples
from genotex.cohorts.own.layout import OwnValues, arrange
from genotex.cohorts.own.samples import (
    SampleMatch,
    counted,
    match_samples,
    name_keys,
    some_names,
    table_keys,
)
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import (
    ExpressionMatrix,
    Platform,
    Series,
    TableFile,
    distribution_record,
    read_table_file,
    table_format,
)
from genotex.genes import (
    GeneCounts,
    GeneMapping,
    GeneTable,
    RowGenes,
    ScaleVerdict,
    collapse_rows,
    divide_and_sum,
    gene_rows,
    genes_of_rows,
    identify_ids,
    negative_count,
    official_rows,
    recognise_scale,
)
from genotex.id_kinds import ID_KINDS, IdKind
from genotex.layout import GeoCohortFiles
from genotex.options import Scale
from genotex.procedure import Procedure

_TEXTS = ("title", "description", "source_name_ch1", "characteristics_ch1")
_FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", str.strip),
    (" after the colon", lambda cell: cell.rpartition(":")[2].strip()),
    (" in brackets", lambda cell: " ".join(re.findall(r"[(\[]([^)\]]+)[)\]]", cell)[-1:])),
    (" before brackets", lambda cell: re.split(r"\s*[(\[]", cell)[0].strip()),
    (" before the comma", lambda cell: cell.partition(",")[0].strip()),
)
_ONE_SAMPLE = re.compile(r"GSM\d+", re.IGNORECASE)
_RAW_FILES = (
    (r"\.cel(\.gz)?$", "Affymetrix CEL files: affy or oligo (rma) in R"),
    (r"\.idat(\.gz)?$", "Illumina IDAT files: limma (read.idat) or, of methylation, minfi in R"),
    (r"\.(gpr|pair|xys)(\.gz)?$", "scanner files: limma or oligo in R"),
    (r"_raw\.tar$|\.tar(\.gz)?$|\.tgz$|\.zip$", "archives: unpack them and look what they hold"),
    (r"\.(bam|sra|fastq(\.gz)?|fq(\.gz)?)$", "reads: salmon, or STAR and featureCounts"),
    (r"\.(rds|rda|rdata)(\.gz)?$", "R objects: write the table with write.csv in R"),
    (
        r"^GSM\d+.*\.(txt|tsv|csv|tab|out|results|sf|counts?)(\.gz)?$",
        "tables of single samples: join them, with readDGE of edgeR or tximport in R",
    ),
    (r"\.(h5|mtx)(\.gz)?$", "single-cell files: add up the counts of each person first"),
)
_LEAST_SHARE = 0.5
_FEWEST, _FEWEST_GENES = 2, 10


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A table whose columns are samples of the series."""

    table: TableFile
    values: OwnValues
    match: SampleMatch
    place: str  # which text of the series names its samples
    scale: ScaleVerdict
    rows: RowGenes
    official: list[tuple[str, ...]]  # the genes that each row counts for

    @property
    def genes(self) -> int:
        """Number of official genes."""
        return len({gene for genes in self.official for gene in genes})

    @property
    def rank(self) -> tuple[int, bool, int]:
        """More samples first, then counts, then more genes."""
        return len(self.match.rows), self.scale.scale == "counts", self.genes

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
    scale: Scale = "auto",
) -> CountedGenes | None:
    """Read the submitter's table of a series: the one with most samples, counts before values.

    Returns None if no table in the folder has columns that are samples of the series; otherwise the
    record of counts is empty where the table holds other values.
    """
    found: list[_Candidate] = []
    rejected: list[str] = []
    names = _series_names(series)
    for path in files.supplementary:
        if not _may_be_table(path):
            continue
        try:
            found.append(_candidate(path, names, files, series, table, scale))
        except GenotexError as error:
            why = str(error).replace(f"{path}: ", "").replace(str(path), path.name)
            rejected.append(f"{path.name} is not used: {why}")
    if not found:
        return CountedGenes(None, "; ".join(rejected), (), ()) if rejected else None
    found.sort(key=lambda each: each.rank, reverse=True)
    best, *others = found
    notes = [
        f"{SUBMITTED} {best.table.label}: {best.words}",
        *best.values.notes,
        *(f"{other.table.label} is not used: {other.words}" for other in others),
        *rejected,
    ]
    try:
        genes = _genes(best, series, trait, binary=binary, table=table)
    except FormatError as error:
        why = f"rows of {best.table.label} cannot be mapped to genes: {error.message}"
        return CountedGenes(None, why, (), tuple(notes))
    assert best.table.path is not None
    return replace(
        genes,
        used=((best.table.path, "counts" if genes.record else "expression"),),
        notes=(*notes, *genes.notes),
    )


def raw_files_hint(files: GeoCohortFiles) -> str:
    """Return what to do with raw files in the folder of a series; empty if there are none."""
    found = []
    for pattern, words in _RAW_FILES:
        there = [p.name for p in files.supplementary if re.search(pattern, p.name, re.IGNORECASE)]
        if there:
            found.append(f"{counted(there, 'file')} such as {there[0]} ({words})")
    if not found:
        return ""
    return (
        f"; the folder holds raw data: {'; '.join(found)}. Then analyse the table with: "
        "genotex de TABLE SAMPLES OUTPUT"
    )


def _may_be_table(path: Path) -> bool:
    if _ONE_SAMPLE.match(path.name):
        return False
    try:
        return not table_format(path).holds_samples
    except UsageError:
        return False


def _series_names(series: Series) -> TableFile:
    """Return every text of the series that may name its samples, a column for each."""
    columns = {"accession": list(series.samples)}
    for field, cells in _sample_texts(series):
        for form, change in _FORMS:
            changed = [change(cell or "") for cell in cells]
            filled = [cell for cell in changed if cell]
            # Names differ; groups do not.
            if len(set(filled)) == len(filled) > _LEAST_SHARE * len(cells):
                columns.setdefault(f"{field}{form}", changed)
    frame = pl.DataFrame([pl.Series(f"c{i}", cells) for i, cells in enumerate(columns.values())])
    return TableFile(series.path, series.path.name, "series matrix", tuple(columns), frame)


def _sample_texts(series: Series) -> Iterator[tuple[str, Sequence[str | None]]]:
    for field in _TEXTS:
        for number, row in enumerate(series.sample_fields.get(field, ())):
            name = field.removesuffix("_ch1").replace("_", " ")
            if field == "characteristics_ch1":
                keys = {cell.partition(":")[0].strip() for cell in row if cell and ":" in cell}
                name = f"characteristic {keys.pop()}" if len(keys) == 1 else f"{name} {number + 1}"
            elif number:
                name = f"{name} {number + 1}"
            yield name, row


def submitted_values(path: Path, series: Series, table: GeneTable) -> ExpressionMatrix:
    """Return the values of a submitter's table as they are; samples by accession."""
    _, values, match = _matched(path, _series_names(series), len(series.samples), table)
    return _of_series(values.matrix, match, series)


def _matched(
    path: Path, names: TableFile, samples: int, table: GeneTable
) -> tuple[TableFile, OwnValues, SampleMatch]:
    """Read a table whose columns are samples of a series."""
    given, keys = read_table_file(path), table_keys(names)
    values = arrange(given, keys, (), table)
    columns = values.matrix.samples
    if not any(name_keys(name) & keys for name in columns):
        msg = f"no sample of the series is called like its columns: {some_names(columns)}"
        raise given.error(msg)
    match = match_samples(columns, names)
    enough = _LEAST_SHARE * min(samples, len(columns))
    if len(match.rows) < max(_FEWEST, enough):
        msg = f"only {len(match.rows)} of its {len(columns)} samples are in the series"
        raise given.error(msg)
    return given, values, match


def _candidate(
    path: Path,
    names: TableFile,
    files: GeoCohortFiles,
    series: Series,
    table: GeneTable,
    scale: Scale,
) -> _Candidate:
    """Read a table, and match its columns to the samples of the series."""
    given, values, match = _matched(path, names, len(series.samples), table)
    probes = identify_ids(values.matrix.ids, table).kind is IdKind.PROBE
    if scale == "auto":
        verdict = recognise_scale(values.matrix.values, path.name, probes=probes)
    else:
        verdict = ScaleVerdict(scale, "as asked for")
    rows = _row_genes(given, values, files, series, table)
    official = official_rows(rows, procedure=Procedure.SOUND, table=table)
    place = names.header[match.column]
    candidate = _Candidate(given, values, match, place, verdict, rows, official)
    if candidate.genes < _FEWEST_GENES:
        msg = f"only {candidate.genes} of its rows are genes: not a table of expression"
        raise given.error(msg)
    return candidate


def _genes(
    best: _Candidate,
    series: Series,
    trait: NDArray[np.float64] | None,
    *,
    binary: bool,
    table: GeneTable,
) -> CountedGenes:
    """Bring the rows of a table to official genes, as those of a series matrix."""
    matrix = _of_series(best.values.matrix, best.match, series)
    given = distribution_record(matrix.samples, matrix.values, best.scale.scale)
    if best.scale.scale != "counts":
        genes = collapse_rows(
            matrix, best.rows, procedure=Procedure.SOUND, table=table, scale=best.scale.scale
        )
        genes = replace(genes, kind=best.scale.kind)
        return CountedGenes(genes, "", (), (), distributions=given)
    if found := negative_count(matrix.values, matrix.ids, matrix.samples):
        raise FormatError(found, path=best.table.path)
    counts = _summed(matrix, best)
    reads = counts.matrix.values.sum(axis=0)
    kept = reads > 0
    names = [sample for sample, keep in zip(matrix.samples, kept, strict=True) if keep]
    if not names:
        msg = "no sample has a single read"
        raise FormatError(msg, path=best.table.path)
    empty = [sample for sample in matrix.samples if sample not in set(names)]
    counts = replace(
        counts,
        matrix=ExpressionMatrix(counts.matrix.ids, tuple(names), counts.matrix.values[:, kept]),
    )
    done = normalised_genes(
        counts,
        trait_of_samples(series, trait, names),
        binary=binary,
        files=(best.table.label, None),
        totals=dict(zip(names, reads[kept].tolist(), strict=True)),
    )
    described = None if done.genes is None else _described(done.genes, best.rows)
    notes = [f"{sample} has no reads and is left out" for sample in empty]
    return replace(done, genes=described, notes=(*notes, *done.notes), distributions=given)


def _of_series(matrix: ExpressionMatrix, match: SampleMatch, series: Series) -> ExpressionMatrix:
    """Return the columns that are samples of the series, by accession and in its order."""
    rows = match.rows
    column = {rows[name]: j for j, name in enumerate(matrix.samples) if name in rows}
    order = sorted(column)
    samples = tuple(series.samples[i] for i in order)
    return ExpressionMatrix(matrix.ids, samples, matrix.values[:, [column[i] for i in order]])


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


def _described(genes: GeneMapping, found: RowGenes) -> GeneMapping:
    return replace(
        genes, id_kind=found.verdict.kind, id_column=found.id_column, gene_column=found.gene_column
    )
