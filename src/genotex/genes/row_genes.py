"""The genes of each row of a matrix: from the ids themselves, a platform's table, or a database."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from genotex.errors import FormatError
from genotex.formats import Platform
from genotex.genes.annotation import (
    AnnotationChoice,
    annotation_of_columns,
    choose_annotation,
    choose_id_column,
    matching_share,
    normal_ids,
)
from genotex.genes.identify import IdVerdict, identify_ids, sample_evenly, without_probe_suffix
from genotex.genes.platform_maps import packaged_platform
from genotex.genes.symbols import CellForm, scan_column, split_cell
from genotex.genes.table import AMBIGUOUS, GeneTable
from genotex.id_kinds import ID_KINDS, IdKind
from genotex.procedure import Procedure

_ENOUGH = 0.05
"""An id column that holds a smaller share of the row ids is not theirs."""
_PREFERRED = 0.5
"""From this share of the row ids on, the series' own platform is used regardless of others."""
_NUMBER = re.compile(r"[\d.:_/-]*\d|[a-p]\d{1,2}", re.IGNORECASE)
"""Numbers, positions on a grid, wells of a plate: ids that many platforms share."""
_COUNTED = re.compile(r"([a-z]+[_-]?)\d{1,5}", re.IGNORECASE)
"""A word and a count, such as ``probe_12``: shared as well when the word is always the same."""
_MOSTLY = 0.5
_CONTROL = re.compile(r"AFFX|ERCC-\d", re.IGNORECASE)
"""Probes and spike-ins that check the measurement, though some are of a human gene."""


@dataclass(frozen=True, eq=False)
class _PlatformMatch:
    """A platform that annotates the matrix."""

    platform: Platform  # the platform
    choice: AnnotationChoice  # its columns
    share: float  # share of the row ids found in the id column
    own: bool  # whether it is the series' own platform
    trusted: bool


def _best_platform(
    ids: Sequence[str],
    platforms: Sequence[Platform],
    table: GeneTable,
    procedure: Procedure,
    own: str | None = None,
) -> _PlatformMatch | None:
    """Return the platform that annotates the matrix: the series' own before any other."""
    own = own if own is not None else next((p.accession for p in platforms), "")
    specific = _are_specific(ids)
    matches = [m for p in platforms if (m := _match(ids, p, table, procedure, own, specific))]
    ours = max((m for m in matches if m.own), key=_quality, default=None)
    if ours is not None and (not specific or (ours.share >= _PREFERRED and ours.choice.sure)):
        return ours
    return max(matches, key=lambda m: m.share, default=None)


def _quality(match: _PlatformMatch) -> tuple[bool, float]:
    return match.choice.sure, match.share


def _match(
    ids: Sequence[str],
    platform: Platform,
    table: GeneTable,
    procedure: Procedure,
    own: str,
    specific: bool,
) -> _PlatformMatch | None:
    if platform.table.is_empty():
        return None
    columns = {name: platform.table[name] for name in platform.table.columns}
    choice = choose_annotation(ids, columns, table, procedure)  # type: ignore[arg-type]
    if choice is None:
        return None
    share = matching_share(ids, platform.table[choice.id_column])
    is_own = platform.accession in ("", own)
    if share < _ENOUGH:
        return None
    return _PlatformMatch(platform, choice, share, is_own, trusted=is_own or specific)


def _are_specific(ids: Sequence[str]) -> bool:
    """Return whether ids are specific to one design, as ``1007_s_at`` is and ``17`` is not."""
    some = [i.strip() for i in sample_evenly(ids, 500)]
    if sum(_NUMBER.fullmatch(i) is not None for i in some) > _MOSTLY * len(some):
        return False
    words = Counter(hit[1].casefold() for i in some if (hit := _COUNTED.fullmatch(i)))
    return not words or words.most_common(1)[0][1] <= _MOSTLY * len(some)


def _cells_of_rows(ids: Sequence[str], table: pl.DataFrame, choice: AnnotationChoice) -> pl.Series:
    """Return the gene cell of every row id, null where the table has none."""
    annotation = (
        table.select(
            normal_ids(table[choice.id_column]).alias("key"),
            _filled(table[choice.gene_column]).alias("cell"),
        )
        .drop_nulls()
        .unique("key", keep="first", maintain_order=True)
    )
    keys = pl.DataFrame({"key": normal_ids(pl.Series(ids, dtype=pl.String))})
    return keys.join(annotation, on="key", how="left", maintain_order="left")["cell"]


def _filled(cells: pl.Series) -> pl.Series:
    """Return the cells with place holders such as ``---`` made null."""
    return cells.set(cells.str.strip_chars().is_in(["", "-", "--", "---", "NA", "null"]), None)


def _direct_kind(
    ids: Sequence[str], kind: IdKind, table: GeneTable
) -> tuple[IdKind, dict[str, str]]:
    """Return the kind of database id that the row ids are, and the bare id of each."""
    mapped = [k for k, database in ID_KINDS.items() if database.in_gene_table]
    if kind in mapped:
        return kind, {i: i for i in ids}
    bare = without_probe_suffix(ids)
    if not bare or len(bare) < 0.5 * len(ids):
        return IdKind.UNKNOWN, {}
    some = sample_evenly(sorted(set(bare.values())), 500)
    shares = {k: len(table.lookup(k, some)) / len(some) for k in mapped}
    best = max(shares, key=lambda k: shares[k])
    least = 0.5 if ID_KINDS[best].is_partial else 0.8
    return (best, bare) if shares[best] >= least else (IdKind.UNKNOWN, {})


@dataclass(frozen=True)
class RowGenes:
    """The names found for every row, before they are brought to their official form.

    `id_column`, `gene_column`: Columns of the platform table that were used; None when none was
    needed.
    """

    verdict: IdVerdict
    """What the row ids are."""
    names: list[tuple[str, ...]]
    """For each row the genes that it names, none twice; empty where there are none."""
    filled: int
    """Rows whose gene cell is filled."""
    id_column: str | None = None
    gene_column: str | None = None
    platform: str | None = None
    """Accession (or file name) of that platform."""
    notes: tuple[str, ...] = ()
    """What was decided, for a reader."""
    mapped: bool = True
    """False where the row ids are the names themselves."""
    path: Path | None = None
    """The one file that could have identified the genes, for messages."""


def genes_of_rows(
    ids: Sequence[str],
    platforms: Sequence[Platform],
    *,
    procedure: Procedure | str,
    table: GeneTable,
    own: str | None = None,
) -> RowGenes:
    """Find the gene names of every row: the ids themselves, a platform's, or the gene table's.

    `ids`: Row ids of a matrix. `platforms`: Candidate annotations, the series' own platform first.
    `procedure`: which procedure. `table`: the genes. `own`: Accession of the series' own platform;
    the first of `platforms` by default.
    """
    procedure = Procedure(procedure)
    verdict = identify_ids(ids, table)
    if verdict.kind is IdKind.SYMBOL:
        return RowGenes(verdict, [(i,) for i in ids], len(ids), mapped=False)
    rows = _Rows(ids, verdict, platforms, procedure, table, own)
    database = ID_KINDS.get(verdict.kind)
    if database is not None and database.is_of_genes and (direct := rows.by_database()):
        return direct
    match = _best_platform(ids, platforms, table, procedure, own)
    usable = match if match is not None and match.trusted else None
    if usable is not None and usable.choice.sure:
        return rows.by_annotation(usable)
    if direct := rows.by_database():
        return direct
    has_own = any(p.accession in ("", own) and not p.table.is_empty() for p in platforms)
    if match is None and procedure.keeps_rows_without_map and not has_own:
        alike = packaged_platform(own, ids)
        usable = _best_platform(ids, [alike], table, procedure, own) if alike else None
    if usable is not None:
        return rows.by_annotation(usable)
    if match is not None:
        raise _foreign_numbers(match, own or platforms[0].accession)
    whose = f"the table of {own}" if own else "the platform's GPL table"
    names = ", ".join(p.accession or p.path.name for p in platforms)
    if not names:
        names = f"{own}, whose table is not there" if own else "none given"
    msg = f"the row ids cannot be mapped: {verdict.reason}; platforms: {names}"
    hint = f"put {whose} or the family SOFT file into the cohort's folder"
    raise FormatError(msg, path=rows.path, hint=hint)


def genes_by_columns(
    ids: Sequence[str],
    platforms: Sequence[Platform],
    platform: Platform,
    id_column: str,
    gene_column: str,
    *,
    procedure: Procedure | str,
    table: GeneTable,
    own: str | None = None,
) -> RowGenes:
    """Find the gene names of every row by given columns.

    `ids`, `platforms`, `procedure`, `table`, `own`: as for `genes_of_rows`. `platform`: the one of
    `platforms` whose columns are meant. `id_column`, `gene_column`: Columns of its table.
    """
    procedure = Procedure(procedure)
    share = matching_share(ids, platform.table[id_column])
    if share < _ENOUGH:
        msg = f"{_share(share)} (such as {ids[0]}) are in column {id_column!r}"
        better = choose_id_column(ids, platform.table)
        found = matching_share(ids, platform.table[better])
        hint = f"{_share(found)} are in column {better!r}" if found >= _ENOUGH else None
        raise FormatError(msg, path=platform.path, hint=hint)
    choice = annotation_of_columns(platform.table, id_column, gene_column, table, procedure)
    if choice is None:
        first = ", ".join(map(repr, platform.table[gene_column].drop_nulls().head(3)))
        msg = f"column {gene_column!r} identifies no genes: it holds {first or 'nothing'}"
        hint = f"columns: {', '.join(platform.table.columns)}"
        raise FormatError(msg, path=platform.path, hint=hint)
    is_own = own is None or platform.accession in ("", own)
    match = _PlatformMatch(platform, choice, share, is_own, trusted=is_own or _are_specific(ids))
    if not match.trusted:
        raise _foreign_numbers(match, own or "")
    verdict = identify_ids(ids, table)
    return _Rows(ids, verdict, platforms, procedure, table, own).by_annotation(match)


@dataclass(frozen=True)
class _Rows:
    """The rows to map, and everything that may identify their genes."""

    ids: Sequence[str]
    verdict: IdVerdict
    platforms: Sequence[Platform]
    procedure: Procedure
    table: GeneTable
    own: str | None

    @property
    def path(self) -> Path | None:
        return self.platforms[0].path if len(self.platforms) == 1 else None

    def by_database(self) -> RowGenes | None:
        """Map database ids (also ``10000_at`` of re-annotated arrays) by the gene table alone."""
        kind, bare = _direct_kind(self.ids, self.verdict.kind, self.table)
        found = self.table.lookup(kind, bare.values()) if kind is not IdKind.UNKNOWN else {}
        if not found:
            return None
        symbols = [found.get(bare.get(i, "")) for i in self.ids]
        names = [(symbol,) if symbol else () for symbol in symbols]
        ambiguous = symbols.count(AMBIGUOUS)
        source = self.table.source
        note = f"{kind} ids mapped by the gene table ({source.name}, {source.date})"
        if ambiguous:
            note += f"; {ambiguous} ids belong to several genes and were dropped"
        filled = sum(map(bool, names))
        return RowGenes(self.verdict, list(names), filled, notes=(note,), path=self.path)

    def by_annotation(self, match: _PlatformMatch) -> RowGenes:
        """Map ids by the columns of a platform's table."""
        choice, platform = match.choice, match.platform
        cells = _cells_of_rows(self.ids, platform.table, choice)
        unique = cells.drop_nulls().unique(maintain_order=True)
        if choice.kind is not IdKind.SYMBOL:
            genes = _genes_of_id_cells(unique.to_list(), choice, self.table)
        elif self.procedure.scans_for_symbols:
            genes = dict(zip(unique.to_list(), scan_column(unique), strict=True))
        else:
            genes = {cell: split_cell(cell, choice.form) for cell in unique.to_list()}
        names = [genes.get(cell, ()) if cell is not None else () for cell in cells.to_list()]
        controls = 0
        if not self.procedure.divides_rows_among_genes:
            for i, row in enumerate(self.ids):
                if names[i] and _CONTROL.match(row):
                    names[i], controls = (), controls + 1
        where = platform.accession or platform.path.name
        notes = [f"platform {where}: {choice.reason}; {_share(match.share)} found there"]
        notes += platform.fields.get("packaged", ())
        if self.own and not match.own:
            notes.append(self._foreign_note(where))
        if controls:
            notes.append(f"{controls} control probes of a gene were left out")
        return RowGenes(
            self.verdict,
            names,
            len(cells) - cells.null_count(),
            choice.id_column,
            choice.gene_column,
            where,
            tuple(notes),
            path=self.path,
        )

    def _foreign_note(self, where: str) -> str:
        own = self.own
        known = any(p.accession == own and not p.table.is_empty() for p in self.platforms)
        why = "maps fewer than half of the row ids" if known else "is not available"
        return f"platform {where} is not the series' own {own}: the table of {own} {why}"


def _foreign_numbers(match: _PlatformMatch, own: str) -> FormatError:
    found = match.platform.accession or match.platform.path.name
    msg = (
        f"the row ids are in platform {found}, which is not the series' own {own}; they are "
        "numbers or counts, which mean other genes on every platform"
    )
    hint = f"put the GPL table of {own} or the family SOFT file into the cohort's folder"
    return FormatError(msg, path=match.platform.path, hint=hint)


def _share(share: float) -> str:
    """Return a share of the row ids as text; "100.0%" only if it is all of them."""
    if share == 1:
        return "all row ids"
    return f"{min(share, 0.999):.1%} of the row ids"


def _genes_of_id_cells(
    cells: Sequence[str], choice: AnnotationChoice, table: GeneTable
) -> dict[str, tuple[str, ...]]:
    """Map the cells of an id column; ids of several genes or of none are left out."""
    parts = {cell: split_cell(cell, CellForm.LIST) for cell in cells}
    found = table.lookup(choice.kind, {p for some in parts.values() for p in some})
    return {
        cell: tuple(dict.fromkeys(s for p in some if (s := found.get(p))))
        for cell, some in parts.items()
    }
