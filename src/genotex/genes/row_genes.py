"""The genes of each row of a matrix: from the ids themselves, a platform's table, or a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FormatError
from genotex.formats.platform import Platform
from genotex.genes.annotation import AnnotationChoice, annotation_of_columns
from genotex.genes.id_columns import choose_id_column, matching_share
from genotex.genes.identify import IdVerdict, identify_ids
from genotex.genes.idkind import IdKind
from genotex.genes.platforms import (
    ENOUGH,
    PlatformMatch,
    are_specific,
    best_platform,
    cells_of_rows,
    direct_kind,
)
from genotex.genes.table import AMBIGUOUS, GeneTable
from genotex.genes.tokens import CellForm, scan_column, split_cell
from genotex.layout import Procedure

__all__ = ["RowGenes", "genes_by_columns", "genes_of_rows"]


@dataclass(frozen=True)
class RowGenes:
    """The names found for every row, before they are brought to their official form.

    Attributes
    ----------
    verdict : IdVerdict
        What the row ids are.
    names : list of tuple of str
        For each row the genes that it names, none twice; empty where there are none.
    filled : int
        Rows whose gene cell is filled.
    id_column, gene_column : str or None
        Columns of the platform table that were used; None when none was needed.
    platform : str or None
        Accession (or file name) of that platform.
    notes : tuple of str
        What was decided, for a reader.
    mapped : bool
        False where the row ids are the names themselves.
    path : Path or None
        The one file that could have identified the genes, for messages.
    """

    verdict: IdVerdict
    names: list[tuple[str, ...]]
    filled: int
    id_column: str | None = None
    gene_column: str | None = None
    platform: str | None = None
    notes: tuple[str, ...] = ()
    mapped: bool = True
    path: Path | None = None


def genes_of_rows(
    ids: Sequence[str],
    platforms: Sequence[Platform],
    *,
    procedure: Procedure,
    table: GeneTable,
    own: str | None = None,
) -> RowGenes:
    """Find the gene names of every row: the ids themselves, a platform's, or the gene table's.

    Parameters
    ----------
    ids : sequence of str
        Row ids of a matrix.
    platforms : sequence of Platform
        Candidate annotations, the series' own platform first.
    procedure : {"sound", "benchmark"}
        Which procedure.
    table : GeneTable
        The genes.
    own : str, optional
        Accession of the series' own platform; the first of `platforms` by default.

    Raises
    ------
    FormatError
        If nothing identifies the genes, or the ids are numbers found only in the table of a
        platform that is not the series' own.
    """
    verdict = identify_ids(ids, table)
    if verdict.kind is IdKind.SYMBOL:
        return RowGenes(verdict, [(i,) for i in ids], len(ids), mapped=False)
    rows = _Rows(ids, verdict, platforms, procedure, table, own)
    if verdict.kind is IdKind.ENSEMBL and (direct := rows.by_database()):
        return direct
    match = best_platform(ids, platforms, table, procedure, own)
    usable = match if match is not None and match.trusted else None
    if usable is not None and usable.choice.sure:
        return rows.by_annotation(usable)
    if direct := rows.by_database():
        return direct
    if usable is not None:
        return rows.by_annotation(usable)
    if match is not None:
        raise _foreign_numbers(match, own or platforms[0].accession)
    names = ", ".join(p.accession or p.path.name for p in platforms) or "none given"
    msg = f"the row ids cannot be mapped: {verdict.reason}; platforms: {names}"
    hint = "put the platform's GPL table or the family SOFT file into the cohort's folder"
    raise FormatError(msg, path=rows.path, hint=hint)


def genes_by_columns(
    ids: Sequence[str],
    platforms: Sequence[Platform],
    platform: Platform,
    id_column: str,
    gene_column: str,
    *,
    procedure: Procedure,
    table: GeneTable,
    own: str | None = None,
) -> RowGenes:
    """Find the gene names of every row by given columns.

    Parameters
    ----------
    ids, platforms, procedure, table, own
        As for `genes_of_rows`.
    platform : Platform
        The one of `platforms` whose columns are meant.
    id_column, gene_column : str
        Columns of its table.

    Raises
    ------
    FormatError
        If the id column holds next to none of the row ids, the gene column identifies no genes,
        or the ids are numbers and the platform is not the series' own.
    """
    share = matching_share(ids, platform.table[id_column])
    if share < ENOUGH:
        msg = f"{_share(share)} (such as {ids[0]}) are in column {id_column!r}"
        better = choose_id_column(ids, platform.table)
        found = matching_share(ids, platform.table[better])
        hint = f"{_share(found)} are in column {better!r}" if found >= ENOUGH else None
        raise FormatError(msg, path=platform.path, hint=hint)
    choice = annotation_of_columns(platform.table, id_column, gene_column, table, procedure)
    if choice is None:
        first = ", ".join(map(repr, platform.table[gene_column].drop_nulls().head(3)))
        msg = f"column {gene_column!r} identifies no genes: it holds {first or 'nothing'}"
        hint = f"columns: {', '.join(platform.table.columns)}"
        raise FormatError(msg, path=platform.path, hint=hint)
    is_own = own is None or platform.accession in ("", own)
    match = PlatformMatch(platform, choice, share, is_own, trusted=is_own or are_specific(ids))
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
        kind, bare = direct_kind(self.ids, self.verdict.kind, self.table)
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

    def by_annotation(self, match: PlatformMatch) -> RowGenes:
        """Map ids by the columns of a platform's table."""
        choice, platform = match.choice, match.platform
        cells = cells_of_rows(self.ids, platform.table, choice)
        unique = cells.drop_nulls().unique(maintain_order=True)
        if choice.kind is not IdKind.SYMBOL:
            genes = _genes_of_id_cells(unique.to_list(), choice, self.table)
        elif self.procedure == "benchmark":
            genes = dict(zip(unique.to_list(), scan_column(unique), strict=True))
        else:
            genes = {cell: split_cell(cell, choice.form) for cell in unique.to_list()}
        where = platform.accession or platform.path.name
        notes = [f"platform {where}: {choice.reason}; {_share(match.share)} found there"]
        if self.own and not match.own:
            notes.append(self._foreign_note(where))
        return RowGenes(
            self.verdict,
            [genes.get(cell, ()) if cell is not None else () for cell in cells.to_list()],
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


def _foreign_numbers(match: PlatformMatch, own: str) -> FormatError:
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
