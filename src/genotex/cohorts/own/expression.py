"""From the rows of one's own table to log2 expression of official genes: ids, scale, duplicates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.cohorts.geo.rna_seq import normalise_counts
from genotex.cohorts.own.layout import OwnValues
from genotex.cohorts.own.samples import MatchedSamples
from genotex.errors import FormatError, UsageError
from genotex.formats import (
    ExpressionMatrix,
    Measures,
    Platform,
    TableFile,
    distribution_record,
    read_platforms,
    read_table_file,
    table_format,
)
from genotex.genes import (
    GeneTable,
    RowGenes,
    ScaleVerdict,
    date_symbols,
    divide_and_sum,
    gene_rows,
    genes_of_rows,
    identify_ids,
    measure_controls,
    negative_count,
    official_rows,
    official_symbols,
    packaged_platform,
    platforms_with,
    recognise_scale,
    to_log2,
    weighted_mean_of_rows,
    zero_offset,
)
from genotex.options import Scale
from genotex.procedure import Procedure
from genotex.words import counted, some_names

_OTHER_ORGANISM = re.compile(r"ENS(?!G|T|E|P|R)[A-Z]{3,4}G\d{11}|[A-Z][a-z][a-z0-9]*\d*[a-z0-9]*")
_PLATFORM_HINTS = (
    (re.compile(r"ILMN_\d+"), "Illumina BeadArray probes, such as GPL10558 or GPL6947"),
    (re.compile(r"\d+(_[a-z])?_at$"), "Affymetrix probe sets, such as GPL570 or GPL96"),
    (re.compile(r"A_\d+_P\d+"), "Agilent probes, such as GPL6480 or GPL17077"),
    (re.compile(r"TC\w+\.hg\.\d+"), "Affymetrix Clariom transcript clusters, such as GPL23126"),
    (re.compile(r"\d{7,8}$"), "Affymetrix Gene ST transcript clusters, such as GPL6244"),
)


@dataclass(frozen=True, eq=False)
class OwnRows:
    """The name of the gene of each row, None for rows that are left out."""

    names: list[str | None]
    """Official symbols; ids as they are where they cannot be mapped."""
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    record: dict[str, Any]
    """``id_kind``, ``mapped`` and other counts."""
    are_probes: bool | None = False
    """Whether the rows are probes of an array; None where nothing is known of them."""


def read_annotation_file(path: Path) -> list[Platform]:
    """Read the annotation of probes in any usual form: SOFT, GPL table, CSV, two columns.

    The accession of a platform whose map is packaged (``GPL570``) stands for that map. Raises
    FormatError if it is no table with several columns. Raises UsageError if it does not exist.
    """
    if not path.is_file() and (packaged := packaged_platform(path.name)):
        return [packaged]
    if not path.is_file():
        msg = f"{path}, given as platform, is not a file"
        raise UsageError(msg)
    try:
        if _may_be_tabbed(path):
            return read_platforms(path)
    except FormatError:
        # A table that is not tab-separated.
        if not re.search(r"\.(txt|tab|tsv|annot)(\.\w+)?$", path.name, re.IGNORECASE):
            raise
    table = read_table_file(path, numbers=False)
    names: dict[str, int] = {}
    for i, title in enumerate(table.header):
        names.setdefault(title or f"column {i + 1}", i)
    frame = pl.DataFrame([table.columns.to_series(i).alias(name) for name, i in names.items()])
    return [Platform(path, "", {}, frame)]


def _may_be_tabbed(path: Path) -> bool:
    """Return whether a file may be text as GEO has it: also with an ending that no table has."""
    try:
        return table_format(path).is_text and path.suffix.lower() != ".csv"
    except UsageError:
        return True


def name_rows(values: OwnValues, platforms: Sequence[Platform], table: GeneTable) -> OwnRows:
    """Name the genes of the rows: by their ids, a platform, or other columns of the table itself.

    Raises FormatError if a platform is given and it does not identify the genes.
    """
    ids = values.matrix.ids
    if why := _other_organism(ids, table):
        note = f"row ids: {why}; they are kept as they are"
        return OwnRows(list(ids), (note,), (), {"id_kind": "other", "mapped": 0})
    try:
        found = genes_of_rows(ids, platforms, procedure=Procedure.SOUND, table=table)
    except FormatError:
        if platforms:
            raise
        own = _by_own_columns(values, table)
        if own is None:
            return _as_they_are(ids, table)
        found = own
    return _official(ids, found, table)


def _other_organism(ids: Sequence[str], table: GeneTable) -> str:
    """Return why ids are those of another organism; empty where they may be human."""
    some = list(ids[:: max(1, len(ids) // 2000)])
    human = set(table.official.values())
    fit = [i for i in some if _OTHER_ORGANISM.fullmatch(i.strip()) and i not in human]
    if len(fit) <= 0.5 * len(some):
        return ""
    example = some_names(fit[:3])
    return f"genes of another organism by their form ({example})"


def _by_own_columns(values: OwnValues, table: GeneTable) -> RowGenes | None:
    """Find the genes in a column of text next to the ids."""
    if values.described.width < 2:
        return None
    own = Platform(Path("the expression table"), "", {}, values.described)
    try:
        return genes_of_rows(values.matrix.ids, [own], procedure=Procedure.SOUND, table=table)
    except FormatError:
        return None


def _as_they_are(ids: Sequence[str], table: GeneTable) -> OwnRows:
    verdict = identify_ids(ids, table)
    some = list(ids[:: max(1, len(ids) // 500)])
    kind = next(
        (
            words
            for shape, words in _PLATFORM_HINTS
            if sum(map(bool, map(shape.match, some))) > 0.5 * len(some)
        ),
        "",
    )
    what = f" (they look like {kind})" if kind else ""
    note = f"row ids: {verdict.reason}; kept as they are"
    record = {"id_kind": str(verdict.kind), "mapped": 0}
    if "not genes" in verdict.reason:
        return OwnRows(list(ids), (note,), (), record)
    probes = True if kind or "form of probe ids" in verdict.reason else None
    packaged = platforms_with(ids)
    way = "--platform FILE, a GPL table of GEO or a table of two columns"
    way = f"--platform {packaged[0]}, whose packaged map has them, or a file" if packaged else way
    warning = (
        f"the row ids are not genes{what} and are kept as they are; to get genes, give their "
        f"annotation: {way}"
    )
    return OwnRows(list(ids), (note,), (warning,), record, probes)


def _official(ids: Sequence[str], found: RowGenes, table: GeneTable) -> OwnRows:
    official = official_rows(found, procedure=Procedure.SOUND, table=table)
    by_platform = found.platform is not None
    dates = [name for name in dict.fromkeys(ids) if date_symbols(name.strip())]
    lost = set(official_symbols(dates, table, Procedure.SOUND).lost_dates)
    names: list[str | None] = []
    kept: list[str] = []
    for own, genes in zip(ids, official, strict=True):
        if genes:
            names.append(genes[0])
        elif by_platform or own in lost:
            names.append(None)
        else:
            names.append(own.strip())
            kept.append(own)
    notes = [f"row ids: {found.verdict.reason}", *found.notes]
    if not by_platform:
        notes = [note.replace("were dropped", "have no symbol of their own") for note in notes]
    restored, warnings = _dates([name for name in dates if name not in lost], sorted(lost))
    notes += restored
    if kept:
        notes.append(
            f"{len(kept):,} of {len(ids):,} ids have no official symbol and are kept as they are: "
            f"{some_names(kept)}"
        )
    if by_platform and (left := names.count(None)):
        notes.append(f"{left:,} of {len(ids):,} probes have no gene or several and are left out")
    renamed = sum(bool(g) and g[0] != i.strip() for i, g in zip(ids, official, strict=True))
    if renamed and not found.mapped:
        notes.append(f"{renamed:,} ids were brought to the official form of symbols")
    record = {
        "id_kind": str(found.verdict.kind),
        "id_column": found.id_column,
        "gene_column": found.gene_column,
        "platform": found.platform,
        "rows": len(ids),
        "mapped": sum(map(bool, official)),
        "kept_as_they_are": len(kept),
    }
    are_probes = record["id_kind"] == "probe"
    return OwnRows(names, tuple(notes), tuple(warnings), record, are_probes)


def _dates(restored: Sequence[str], lost: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a note and a warning on symbols that a spreadsheet turned into dates."""
    notes, warnings = [], []
    if restored:
        notes.append(
            f"{len(restored)} symbols had been turned into dates and were restored: "
            f"{some_names(restored)}"
        )
    if lost:
        warnings.append(
            f"{len(lost)} symbols were turned into dates by a spreadsheet and may be several "
            f"genes; left out: {some_names(lost)}"
        )
    return notes, warnings


def collapse(
    matrix: ExpressionMatrix, rows: OwnRows, *, counts: bool
) -> tuple[ExpressionMatrix, tuple[str, ...]]:
    """Bring the rows of one gene together: counts are added, other values averaged."""
    links = gene_rows([(name,) if name else () for name in rows.names])
    if not links.genes:
        msg = "no row is a gene"
        raise FormatError(msg, hint="check the ids, or give their annotation: --platform FILE")
    used = len(rows.names) - rows.names.count(None)
    bring_together = divide_and_sum if counts else weighted_mean_of_rows
    merged = bring_together(matrix.values, links)
    how = "added up" if counts else "averaged, those of a higher level with more weight"
    extra = used - len(links.genes)
    rows_share = f"{extra:,} rows share" if extra > 1 else "1 row shares"
    notes = (f"{rows_share} a gene with another; their values were {how}",) if extra else ()
    return ExpressionMatrix(links.genes, matrix.samples, merged), notes


def _unclear(scale: str) -> str:
    taken, what, other = ("intensities", "counts of reads", "counts")
    if scale == "counts":
        taken, what, other = ("counts", "intensities or normalised values", "linear")
    return (
        "nothing is known of the ids of the rows; by the values alone they are taken as "
        f"{taken}. If they are {what}: --scale {other}"
    )


_FEWEST = 2
_MANY_LOST = 0.05


class OwnExpression:
    """The steps from the values of a table to log2 expression, with what is to be reported."""

    def __init__(
        self, table: TableFile, values: OwnValues, matched: MatchedSamples, rows: OwnRows
    ) -> None:
        self.table = table
        self._values = values
        self.rows = rows
        self.matched = matched
        self.genes_in = values.genes_in
        self.matrix = values.matrix
        self.sample_table = matched.table
        self.counts: dict[str, Any] = {}
        self.raw_counts: NDArray[np.float64] | None = None
        self.scale = ScaleVerdict("log2", "")
        self.distributions: dict[str, Any] = {}
        self.measures: Measures = {}
        self.notes = [
            f"{table.label}: {table.form}",
            *table.notes,
            *values.notes,
            *matched.notes,
            *rows.notes,
        ]
        self.warnings = [*matched.warnings, *rows.warnings]

    def take_samples(self) -> None:
        """Keep the samples that both tables have, and leave out those without any value."""
        matrix, columns = self.matrix, list(self.matched.columns)
        whole = columns == list(range(len(matrix.samples)))
        values = matrix.values if whole else matrix.values[:, columns]
        names = self.sample_table["sample"].to_list()
        self.matrix = ExpressionMatrix(matrix.ids, tuple(names), values)
        self._keep_samples(np.isfinite(values).any(axis=0), "without any value")

    def _keep_samples(self, kept: NDArray[np.bool_], why: str) -> None:
        if kept.all():
            return
        matrix = self.matrix
        lost = [name for name, keep in zip(matrix.samples, kept, strict=True) if not keep]
        if kept.sum() < _FEWEST:
            msg = f"fewer than {_FEWEST} samples are left; {why}: {some_names(lost)}"
            raise self.table.error(msg)
        self.warnings.append(f"{counted(len(lost), 'sample')} {why}, left out: {some_names(lost)}")
        names = tuple(name for name in matrix.samples if name not in set(lost))
        self.matrix = ExpressionMatrix(matrix.ids, names, matrix.values[:, kept])
        self.sample_table = self.sample_table.filter(pl.Series(kept))

    def to_log2(self, scale: Scale) -> None:
        """Bring the values to log2 and to genes: counts after, other values before."""
        values = self.matrix.values
        probes = self.rows.are_probes
        if scale == "auto":
            names = f"{self.table.label} {self._values.quantity}"
            found = recognise_scale(values, names, probes=probes)
        else:
            found = ScaleVerdict(scale, "as asked for")
        if scale == "auto" and probes is None and found.scale != "log2":
            self.warnings.append(_unclear(found.scale))
        self.scale = found
        self.distributions = distribution_record(self.matrix.samples, values, found.scale)
        if found.scale == "counts":
            self._take_counts()
        elif found.scale == "linear":
            self._take_linear()
        else:
            self.notes.append(f"scale: taken as log2 values ({found.reason})")
            self._note_centred()
            self._collapse(counts=False)
        self._leave_out_empty_genes()

    def _note_centred(self) -> None:
        """Note values that are centred by gene, and warn of z-scores, whose unit is not log2."""
        some = self.matrix.values[:: max(1, len(self.matrix.ids) // 2000)]
        some = some[np.isfinite(some).all(axis=1)]
        if not len(some) or some.min() >= 0 or np.abs(some.mean(axis=1)).mean() > 0.01:
            return
        self.notes.append("the values of each gene are centred at 0")
        deviations = some.std(axis=1, ddof=1)
        if np.abs(np.median(deviations) - 1) < 0.1 and deviations.std() < 0.1:
            self.warnings.append(
                "every gene has a standard deviation of about 1 (z-scores): differences are in "
                "standard deviations, not log2 fold changes; give log2 values where you can"
            )

    def _take_linear(self) -> None:
        matrix = self.matrix
        offset = zero_offset(matrix.values)
        logged, lost = to_log2(matrix.values, offset)
        note = f"scale: linear values ({self.scale.reason}), log2 transformed"
        if offset:
            note += f" with an offset for their zeros: log2(value + {offset:.4g})"
        if lost:
            note += f"; {lost:,} values at or below 0 became missing"
        self.notes.append(note)
        if lost > _MANY_LOST * matrix.values.size:
            self.warnings.append(
                f"{lost / matrix.values.size:.0%} of the values are at or below 0 and became "
                "missing; if they are log2 values already, use --scale log2"
            )
        self.matrix = ExpressionMatrix(
            matrix.ids, matrix.samples, np.asarray(logged, dtype=np.float64)
        )
        self._collapse(counts=False)

    def _take_counts(self) -> None:
        self._refuse_negative()
        missing = np.isnan(self.matrix.values)
        if missing.any():
            rows = int(missing.any(axis=1).sum())
            self.warnings.append(
                f"{int(missing.sum()):,} counts of {rows:,} rows are missing and are taken as 0"
            )
        totals = np.nansum(self.matrix.values, axis=0)
        self._keep_samples(totals > 0, "without any read")
        self._collapse(counts=True)
        reads = self.matrix.values.sum(axis=0)
        normal = normalise_counts(self.matrix, 0)
        totals_of = dict(zip(self.matrix.samples, reads.tolist(), strict=True))
        self.counts = {
            "file": self.table.label,
            "annotation": None,
            **normal.record,
            "totals": totals_of,
        }
        place = {gene: i for i, gene in enumerate(self.matrix.ids)}
        kept = [place[gene] for gene in normal.expression.ids]
        self.raw_counts = np.ascontiguousarray(self.matrix.values[kept].T)
        self.matrix = normal.expression
        self.notes.append(
            f"scale: counts ({self.scale.reason}), {reads.min() / 1e6:.1f} to "
            f"{reads.max() / 1e6:.1f} million a sample; as log2 counts per million, TMM-normalised"
        )

    def _refuse_negative(self) -> None:
        matrix = self.matrix
        if found := negative_count(matrix.values, matrix.ids, matrix.samples):
            hint = "correct it; if the table holds other values than counts, state their scale"
            raise self.table.error(found, hint=hint)

    def _collapse(self, *, counts: bool) -> None:
        if not counts:
            matrix = self.matrix
            self.measures = measure_controls(matrix.ids, matrix.values, matrix.samples)
        self.matrix, notes = collapse(self.matrix, self.rows, counts=counts)
        self.notes.extend(notes)

    def _leave_out_empty_genes(self) -> None:
        matrix = self.matrix
        kept = np.isfinite(matrix.values).any(axis=1)
        if kept.all():
            return
        lost = [gene for gene, keep in zip(matrix.ids, kept, strict=True) if not keep]
        if not kept.any():
            msg = "no gene has a value"
            raise self.table.error(msg)
        self.warnings.append(
            f"{counted(len(lost), 'gene')} without any value left out: {some_names(lost)}"
        )
        genes = tuple(gene for gene in matrix.ids if gene not in set(lost))
        self.matrix = ExpressionMatrix(genes, matrix.samples, matrix.values[kept])
