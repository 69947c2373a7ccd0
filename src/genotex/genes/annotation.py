"""Which columns of a platform table contain the probe ids and the genes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from genotex.genes.identify import sample_evenly, without_probe_suffix
from genotex.genes.symbols import CellForm, cell_form, split_cell
from genotex.genes.table import GeneTable
from genotex.id_kinds import ID_KINDS, IdKind
from genotex.procedure import Procedure

_PREVIEW = 50


def normal_ids(column: pl.Series) -> pl.Series:
    """Return ids in the form for comparison: stripped of blanks and quotes, in upper case."""
    return column.str.strip_chars(" \t\"'").str.to_uppercase()


def matching_share(ids: Sequence[str], column: pl.Series) -> float:
    """Return the share of the ids that occur in the column, ignoring case."""
    wanted = normal_ids(pl.Series(ids, dtype=pl.String)).unique()
    if wanted.is_empty():
        return 0.0
    return int(wanted.is_in(normal_ids(column).unique().implode()).sum()) / len(wanted)


def choose_id_column(ids: Sequence[str], frame: pl.DataFrame) -> str:
    """Return the column with most of the ids; ``ID`` (else the first) if there is none."""
    # Another column must contain clearly more of them than ``ID``, and distinct values: numbers of
    # chromosomes or blocks match numeric ids by chance. In a preview, where a few matches mean
    # little, ``ID`` is kept if it has any.
    names = frame.columns
    fallback = next((name for name in names if name.strip().lower() == "id"), names[0])
    some = sample_evenly(ids, 500)
    best, share = fallback, matching_share(some, frame[fallback])
    if share >= 0.95 or (share > 0 and frame.height < _PREVIEW):
        return best
    for name in names:
        found = matching_share(some, frame[name])
        if found > max(1.5 * share, 0.02) and _mostly_different(frame[name]):
            best, share = name, found
    return best


def _mostly_different(column: pl.Series) -> bool:
    filled = column.drop_nulls()
    return filled.n_unique() >= 0.9 * len(filled)


_ROWS = 400
_GOOD = 0.5
"""Score from which a column is taken to identify genes; its name counts as well as its cells."""
_CLEAR_NAME, _VAGUE_NAME = 30.0, 3.0
"""How many cells of evidence the name of a column is worth.

A preview often shows nothing but control probes, so a name such as Symbol outweighs it.
"""


@dataclass(frozen=True)
class AnnotationChoice:
    """The columns of an annotation that map ids to genes."""

    id_column: str
    """Column whose values are the row ids of the matrix."""
    gene_column: str
    """Column that identifies the genes."""
    kind: IdKind
    """What the gene column holds: symbols, or ids that the gene table maps."""
    form: CellForm
    """How its cells are built."""
    reason: str
    """The evidence, for a reader."""
    sure: bool = True
    """False if few cells identify a gene and there was no better column."""


@dataclass(frozen=True)
class _Evidence:
    column: str
    kind: IdKind
    form: CellForm
    filled: int
    hits: int
    score: float

    @property
    def words(self) -> str:
        if not self.filled:
            return f"column '{self.column}' is chosen by its name; its cells are empty"
        if self.form is CellForm.TEXT and not self.hits:
            return f"column '{self.column}' is text, scanned because there is no symbol column"
        what = "known gene symbols" if self.kind is IdKind.SYMBOL else f"{self.kind} ids"
        share = f"{self.hits / self.filled:.0%} of the filled cells checked hold {what}"
        return f"column '{self.column}': {share}"


def choose_annotation(
    ids: Sequence[str],
    columns: Mapping[str, Sequence[str | None]],
    table: GeneTable,
    procedure: Procedure | str = Procedure.SOUND,
) -> AnnotationChoice | None:
    """Choose the id column and the gene column of an annotation.

    Columns are judged by their contents; the name of a column counts like a few cells, so it
    decides in a preview of five rows and hardly matters in a whole table.

    `ids`: Row ids of the matrix. `columns`: the annotation, or its first rows. `table`: the genes
    that are known. `procedure`: Both prefer a column of symbols. Without one, Entrez, Ensembl,
    RefSeq or GenBank ids are mapped; but `benchmark` scans a description rather than take Entrez
    numbers, as the published reference did. Returns none if no column identifies genes.
    """
    frame = pl.DataFrame({name: _texts(cells) for name, cells in columns.items()})
    if frame.width == 0:
        return None
    id_column = choose_id_column(ids, frame)
    names = [name for name in frame.columns if not _NEVER.search(_plain(name))]
    return _choice(frame, names, id_column, table, Procedure(procedure))


def annotation_of_columns(
    frame: pl.DataFrame,
    id_column: str,
    gene_column: str,
    table: GeneTable,
    procedure: Procedure | str = Procedure.SOUND,
) -> AnnotationChoice | None:
    """Judge the contents of a given gene column as `choose_annotation` would."""
    chosen = frame.select(list(dict.fromkeys((id_column, gene_column))))
    return _choice(chosen, [gene_column], id_column, table, Procedure(procedure))


def _choice(
    frame: pl.DataFrame,
    names: Sequence[str],
    id_column: str,
    table: GeneTable,
    procedure: Procedure,
) -> AnnotationChoice | None:
    best = _gene_column(_sample_rows(frame), names, id_column, table, procedure)
    if best is None:
        return None
    reason = f"{best.words}; ids from column '{id_column}'"
    sure = best.score >= _GOOD
    return AnnotationChoice(id_column, best.column, best.kind, best.form, reason, sure)


def _texts(cells: Sequence[str | None]) -> pl.Series:
    if isinstance(cells, pl.Series) and cells.dtype == pl.String:
        return cells
    return pl.Series([None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def _sample_rows(frame: pl.DataFrame) -> pl.DataFrame:
    if frame.height <= _ROWS:
        return frame
    return frame.gather_every(frame.height // _ROWS)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower().replace("_duplicated_", ""))


_NEVER = re.compile(r"synonym|alias|sequence|ontology|^go|cytoband|chromosom|omim|species|unigene")
"""Columns that are never the gene column, even if they contain synonyms or symbols."""
_HARDLY = re.compile(r"pathway|protein|swissprot|uniprot|domain|version|genome")
_SYMBOL_NAMES: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"^(gene)?symbols?$|^genesymbol"), 0.97),
    (re.compile(r"^geneassignment$"), 0.96),
    (re.compile(r"symbol$"), 0.94),
    (re.compile(r"^(ilmn|ucsc|ref)?genes?$|^hgnc"), 0.8),
    (re.compile(r"^orf$"), 0.8),
    (re.compile(r"^genename$"), 0.75),
    (re.compile(r"^spotid1$"), 0.7),
    (re.compile(r"^mrnaassignment$"), 0.65),
    (re.compile(r"gene|name|target|assay|analyte"), 0.3),
)
_TEXT_NAMES = re.compile(r"description|definition|genetitle|genename|fullname|title$")


def _prior(name: str, names: Sequence[tuple[re.Pattern[str], float]]) -> float:
    plain = _plain(name)
    if _HARDLY.search(plain):
        return 0.0
    return next((weight for pattern, weight in names if pattern.search(plain)), 0.0)


def _gene_column(
    rows: pl.DataFrame, names: Sequence[str], id_column: str, table: GeneTable, procedure: Procedure
) -> _Evidence | None:
    symbols = [_symbol_evidence(name, rows, table) for name in names if name != id_column]
    best = _best(symbols)
    if best is not None:
        return best
    found = [
        _id_evidence(name, kind, rows, id_column, table)
        for kind, ids in ID_KINDS.items()
        if ids.in_gene_table
        for name in names
    ]
    best = _best(found)
    if procedure.prefers_descriptions_to_entrez and (best is None or best.kind is IdKind.ENTREZ):
        best = _text_column(rows) or best
    return best or _named_symbols(symbols)


def _best(found: Sequence[_Evidence]) -> _Evidence | None:
    good = [e for e in found if e.score >= _GOOD]
    return max(good, key=lambda e: e.score, default=None)


def _named_symbols(found: Sequence[_Evidence]) -> _Evidence | None:
    """Return a column that is called after genes but holds few: better than none."""
    return max((e for e in found if e.hits and e.score > 0.05), key=lambda e: e.score, default=None)


def _filled(rows: pl.DataFrame, name: str) -> list[str]:
    cells = rows[name].drop_nulls().to_list()
    return [cell for cell in cells if split_cell(cell)]


def _score(prior: float, filled: int, hits: int, rows: int) -> float:
    """Combine the share of hits with the name, and prefer columns that cover more rows."""
    weight = _CLEAR_NAME if prior >= 0.6 else _VAGUE_NAME
    share = (hits + weight * prior) / (filled + weight)
    coverage = (hits + weight) / (rows + weight)
    return share + 0.1 * (coverage - 1) + 0.15 * (prior - 1) if share >= 0.5 else share * 0.5


def _symbol_evidence(name: str, rows: pl.DataFrame, table: GeneTable) -> _Evidence:
    cells = _filled(rows, name)
    prior = _prior(name, _SYMBOL_NAMES)
    known = table.symbols(Procedure.SOUND)
    form = cell_form(cells[:: max(1, len(cells) // 100)], known)
    hits = sum(any(_is_symbol(t, known) for t in split_cell(cell, form)) for cell in cells)
    if (
        sum(ID_KINDS[IdKind.ENTREZ].shape.match(cell) is not None for cell in cells)
        > len(cells) / 2
    ):
        prior = 0.0
    if len(set(cells)) < max(2, len(cells) // 50) and prior < 0.5:
        hits = 0  # a word such as "main" or "pos" that repeats is a category, not a gene
    score = _score(prior, len(cells), hits, rows.height)
    return _Evidence(name, IdKind.SYMBOL, form, len(cells), hits, score)


def _is_symbol(token: str, known: Mapping[str, str]) -> bool:
    return token.upper() in known and not ID_KINDS[IdKind.ENTREZ].shape.match(token)


def _text_column(rows: pl.DataFrame) -> _Evidence | None:
    for name in rows.columns:
        if _TEXT_NAMES.search(_plain(name)) and (cells := _filled(rows, name)):
            return _Evidence(name, IdKind.SYMBOL, CellForm.TEXT, len(cells), 0, _GOOD)
    return None


def _id_evidence(
    name: str, kind: IdKind, rows: pl.DataFrame, id_column: str, table: GeneTable
) -> _Evidence:
    cells = _filled(rows, name)
    ids = ID_KINDS[kind]
    shape = ids.shape.match
    parts = [[p for p in split_cell(cell) if shape(p)] for cell in cells]
    found = table.lookup(kind, {p for some in parts for p in some})
    hits = sum(any(p in found for p in some) for some in parts)
    prior = _prior(name, ids.column_names)
    if kind is IdKind.ENTREZ and not _may_be_entrez(name, cells, prior, rows, id_column):
        hits, prior = 0, 0.0
    score = _score(prior, len(cells), hits, rows.height) if hits else 0.0
    if ids.is_partial and hits and prior:
        score = max(score, _GOOD)
    return _Evidence(name, kind, CellForm.LIST, len(cells), hits, score + ids.preference)


def _may_be_entrez(
    name: str, cells: Sequence[str], prior: float, rows: pl.DataFrame, id_column: str
) -> bool:
    """Return whether numbers are Entrez ids, by the column's name or by the id column."""
    if name == id_column or not cells:
        return False
    if prior >= 0.9:
        return True
    bare = without_probe_suffix(rows[id_column].drop_nulls().to_list())
    ids = set(bare.values())
    same = sum(cell.removesuffix(".0") in ids for cell in cells)
    return same > 0.8 * len(cells) or (prior > 0 and _has_gaps(cells))


def _has_gaps(cells: Sequence[str]) -> bool:
    """Return whether the numbers are distinct and have gaps, unlike running numbers."""
    numbers = sorted({int(m[1]) for c in cells if (m := ID_KINDS[IdKind.ENTREZ].shape.match(c))})
    jumps = sum(after - before > 1 for before, after in pairwise(numbers))
    return len(numbers) > 0.8 * len(cells) and jumps >= 0.1 * max(1, len(numbers) - 1)
