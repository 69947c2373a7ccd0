"""Rows of people's tables to log2 expression of official genes: ids, scale and duplicates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from genotex.cohorts.own.layout import OwnValues
from genotex.cohorts.own.sample_matching import some_names
from genotex.errors import FormatError, UsageError
from genotex.formats import (
    ExpressionMatrix,
    Platform,
    read_platforms,
    read_table_file,
    table_format,
)
from genotex.genes import (
    GeneTable,
    RowGenes,
    date_symbols,
    divide_and_sum,
    gene_rows,
    genes_of_rows,
    identify_ids,
    mean_of_rows,
    official_rows,
    official_symbols,
)
from genotex.procedure import Procedure

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
    """The name of the gene of each row, None for rows that are left out.

    Attributes
    ----------
    names : list of str or None
        Official symbols; ids as they are where they cannot be mapped.
    notes, warnings : tuple of str
    record : dict
        ``id_kind``, ``mapped`` and other counts.
    """

    names: list[str | None]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    record: dict[str, Any]


def read_annotation_file(path: Path) -> list[Platform]:
    """Read the annotation of probes in any usual form: SOFT, GPL table, CSV, two columns.

    Raises
    ------
    FormatError
        If it is no table with several columns.
    UsageError
        If it does not exist.
    """
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

    Raises
    ------
    FormatError
        If a platform is given and it does not identify the genes.
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
    warning = (
        f"the row ids are not genes{what} and are kept as they are; to get genes, give their "
        "annotation: --platform FILE, a GPL table of GEO or a table of two columns"
    )
    return OwnRows(list(ids), (note,), (warning,), record)


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
    mapped = sum(map(bool, official))
    notes = [f"row ids: {found.verdict.reason}", *found.notes]
    if not by_platform:
        notes = [note.replace("were dropped", "have no symbol of their own") for note in notes]
    warnings = []
    if lost:
        warnings.append(
            f"{len(lost)} symbols were turned into dates by a spreadsheet and may be several "
            f"genes; left out: {some_names(sorted(lost))}"
        )
    if restored := [name for name in dates if name not in lost]:
        notes.append(
            f"{len(restored)} symbols had been turned into dates and were restored: "
            f"{some_names(restored)}"
        )
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
        "mapped": mapped,
        "kept_as_they_are": len(kept),
    }
    return OwnRows(names, tuple(notes), tuple(warnings), record)


def collapse(
    matrix: ExpressionMatrix, rows: OwnRows, *, counts: bool
) -> tuple[ExpressionMatrix, tuple[str, ...]]:
    """Bring the rows of one gene together: counts are added, other values averaged."""
    links = gene_rows([(name,) if name else () for name in rows.names])
    if not links.genes:
        msg = "no row is a gene"
        raise FormatError(msg, hint="check the ids, or give their annotation: --platform FILE")
    used = len(rows.names) - rows.names.count(None)
    merged = divide_and_sum(matrix.values, links) if counts else mean_of_rows(matrix.values, links)
    how = "added up" if counts else "averaged"
    extra = used - len(links.genes)
    rows_share = f"{extra:,} rows share" if extra > 1 else "1 row shares"
    notes = (f"{rows_share} a gene with another; their values were {how}",) if extra else ()
    return ExpressionMatrix(links.genes, matrix.samples, merged), notes
