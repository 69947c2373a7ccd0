"""Which cells of a table are genes, samples and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.cohorts.own.samples import name_keys, repeated_names
from genotex.errors import GenotexError
from genotex.formats import MISSING_WORDS, ExpressionMatrix, TableFile
from genotex.genes import GeneTable, identify_ids, sample_evenly
from genotex.id_kinds import ID_KINDS, IdKind
from genotex.words import some_names

_ANNOTATION = re.compile(
    r"chr(om(osome)?)?|start|end|strand|(gene|transcript|effective|eff|exon)?_?\.?length|width"
    r"|(gene|transcript)_?\.?(id|ids|name|symbol|type|biotype|version|description)"
    r"|(transcript_ids?|entrez(gene)?(_?id)?|ncbi_?id|symbol|description|biotype|gc(_?content)?"
    r"|seqnames?|location|band|locus|id_ref|idnumber|probe(_?id)?)(\(s\))?|level_\d|unnamed: 0",
    re.IGNORECASE,
)
_TEST_RESULTS = re.compile(
    r"(adj[._ ]?|raw[._ ]?|nom[._ ]?)?p[._ ]?-?val(ue)?s?|p?\.?adj(usted)?|fdr|q[._ ]?val(ue)?s?"
    r"|log2?[._ ]?(fc|fold[._ ]?change)|fold[._ ]?change|fc|lfc_?se|stat|t[._ ]?stat(istic)?"
    r"|base[._ ]?mean|ave[._ ]?expr|log[._ ]?cpm|adj\.p\.val|padj|p\.value",
    re.IGNORECASE,
)
_DETECTION = re.compile(
    r"(.*[._ -])?(detection[._ -]?p[._ -]?val(ue)?|avg_nbeads|(bead|array)_std(err|ev))([._ -].*)?",
    re.IGNORECASE,
)
_PLACE = re.compile(r"chr(om(osome)?)?|seqnames?|start|end|strand|location|band", re.IGNORECASE)
_NO_GENE = re.compile(
    r"__(no_feature|ambiguous|too_low_aqual|not_aligned|alignment_not_unique)"
    r"|N_(unmapped|multimapping|noFeature|ambiguous)"
    r"|((grand|column|row)[ _]?)?(sums?|totals?)([ _](reads|counts))?|means?|averages?|medians?",
    re.IGNORECASE,
)
"""Rows of HTSeq, STAR and spreadsheets that are no genes."""
_QUANTITIES = (
    "counts", "raw_counts", "raw_count", "read_counts", "read_count", "readcount", "expected_count",
    "count", "reads", "avg_signal", "abundance", "tpm", "cpm", "fpkm", "rpkm", "length",
)  # fmt: skip
"""What columns of several quantities are called, the best first."""
_BEFORE = re.compile(rf"({'|'.join(_QUANTITIES)})[._: -]+(.+)", re.IGNORECASE)
_AFTER = re.compile(rf"(.+?)[._: -]+({'|'.join(_QUANTITIES)})", re.IGNORECASE)
_PROTEINS = ("LFQ intensity", "Reporter intensity corrected", "iBAQ", "Intensity")
"""Columns of MaxQuant's proteinGroups.txt with a value for each sample, the best first."""
_NO_PROTEIN = ("Reverse", "Potential contaminant", "Contaminant", "Only identified by site")
"""Its columns that mark decoys and contaminants with ``+``."""
_ONE_SAMPLE = frozenset(
    {"expected_count", "tpm", "fpkm", "rpkm", "numreads", "est_counts", "effectivelength"}
)
_LIKELY = 0.7
_CONTENTS = 200


@dataclass(frozen=True, eq=False)
class OwnValues:
    """The values of a table, and what its other columns state of the genes."""

    matrix: ExpressionMatrix
    """Genes (as named in the table) x samples, as in the table."""
    described: pl.DataFrame
    """Columns of text of the genes, such as symbols; the ids are column ``ID``."""
    notes: tuple[str, ...]
    """What was recognised."""
    quantity: str
    """What columns or the file call the values, such as ``counts``; empty if they do not."""
    genes_in: str
    """``rows`` or ``columns``."""


def arrange(
    table: TableFile, keys: frozenset[str], covariates: Sequence[str], genes: GeneTable
) -> OwnValues:
    """Find the genes, samples and values of an expression table.

    `table`: The expression table. `keys`: Forms of the names of the sample table (`table_keys`);
    may be empty. `covariates`: Columns of the sample table, which are not genes where the
    expression table has them too. `genes`: The genes that are known. Raises GenotexError if it is
    not a table of expression; names genes, samples, lines and columns.
    """
    columns = _Columns(table, keys, genes)
    if columns.genes_in_rows:
        return _rows_of_genes(columns)
    return _rows_of_samples(columns, covariates)


_COMPOUND = re.compile(
    r"(?:(.+)[_|:;, /])?(ENS[A-Z]{0,3}G\d{11}(?:\.\d+)?)(?:[_|:;, /](.+))?", re.IGNORECASE
)


class _Columns:
    """Which columns hold names, values and text."""

    def __init__(self, table: TableFile, keys: frozenset[str], genes: GeneTable) -> None:
        self.table = table
        self.genes = genes
        self.header = table.header
        frame = table.columns
        number = [dtype.is_numeric() for dtype in frame.dtypes]
        self.text = [i for i in range(frame.width) if not number[i]]
        self.values = [i for i in range(frame.width) if number[i]]
        self._repair()
        self.hits = {i for i in self.values if keys and name_keys(self.header[i]) & keys}
        self.ids = self._id_column()
        self.genes_in_rows = self._genes_in_rows(keys)

    def _repair(self) -> None:
        """Take columns of text that are mostly numbers as values with mistakes."""
        for i in self.text[1:]:
            cells = self.table.columns.to_series(i).drop_nulls()
            some = cells.head(2000).str.strip_chars(' "').cast(pl.Float64, strict=False)
            if _ANNOTATION.fullmatch(self.header[i].strip()):
                continue
            if len(some) and some.null_count() < 0.5 * len(some):
                self.values.append(i)
        self.values.sort()
        self.text = [i for i in self.text if i not in self.values]

    def _id_column(self) -> int:
        """Return the column with the names of the rows: the first, unless it numbers the rows."""
        if not _running(self.names(0)):
            first = _likeness(self.names(0), self.genes)
            others = {i: _likeness(self.names(i), self.genes) for i in self.text[1:6]}
            best = max(others, key=lambda i: others[i], default=0)
            return best if first < _LIKELY <= others.get(best, 0.0) else 0
        named = [i for i in self.values if re.search("gene|entrez", self.header[i], re.IGNORECASE)]
        candidates = [i for i in self.text[1:] if self.names(i)] + named
        if not candidates:
            return 0
        return max(candidates, key=lambda i: _likeness(self.names(i), self.genes))

    def names(self, i: int) -> list[str]:
        """Return the cells of a column as names."""
        column = self.table.columns.to_series(i)
        if column.dtype.is_numeric():
            column = column.cast(pl.Int64, strict=False).cast(pl.String)
        return [(cell or "").strip().strip('"') for cell in column.to_list()]

    def _genes_in_rows(self, keys: frozenset[str]) -> bool:
        rows = self.names(self.ids)
        titles = [self.header[i].strip() for i in self.values]
        if keys:
            some = sample_evenly(rows)
            by_row = sum(bool(name_keys(name) & keys) for name in some) / max(1, len(some))
            by_column = len(self.hits) / max(1, len(titles))
            if by_row != by_column:
                return by_column > by_row
        gene_rows, gene_columns = (_likeness(names, self.genes) for names in (rows, titles))
        if abs(gene_rows - gene_columns) > 0.1:
            return gene_rows > gene_columns
        return len(rows) >= len(titles)


def _running(names: Sequence[str]) -> bool:
    """Return whether names number the rows, as pandas and R write them."""
    some = names[:_CONTENTS]
    return len(some) > 1 and some in (
        [str(i) for i in range(len(some))],
        [str(i) for i in range(1, len(some) + 1)],
    )


def _likeness(names: Sequence[str], genes: GeneTable) -> float:
    """Return how surely names are those of genes or probes, from 0 to 1."""
    if not names or len(set(names)) < 0.5 * len(names):
        return 0.0
    verdict = identify_ids(names, genes)
    if verdict.kind in (IdKind.SYMBOL, *ID_KINDS):
        return 1.0
    shaped = "form of probe ids" in verdict.reason or "not genes" in verdict.reason
    return 0.8 if shaped else 0.2


def _rows_of_genes(columns: _Columns) -> OwnValues:
    table, ids = columns.table, columns.names(columns.ids)
    values, notes, quantity = _value_columns(columns)
    samples = [columns.header[i].strip() for i in values]
    if quantity:
        samples = [_without_quantity(name, quantity) for name in samples]
    _check_names(table, samples, "column")
    marked: frozenset[int] = frozenset()
    if quantity in _PROTEINS:
        marked = _marked_rows(table, ids)
        ids = [name.partition(";")[0].strip() for name in _genes_of_proteins(columns, ids)]
        notes.append(f"{len(marked)} decoys, contaminants and the like were left out")
    ids, symbols = _ensembl_alone(ids)
    kept = [
        i for i, name in enumerate(ids) if name and i not in marked and not _NO_GENE.fullmatch(name)
    ]
    numbers = _numbers(table, values, lambda row, name: f"{ids[row]} in {name}")
    if quantity in _PROTEINS:
        numbers[numbers == 0] = np.nan
        notes.append("protein intensities: 0 is not detected, and missing")
    if len(kept) < len(ids):
        if filled := [i for i in range(len(ids)) if not ids[i] and np.isfinite(numbers[i]).any()]:
            notes.append(f"{len(filled)} rows without a name were left out")
        if others := [name for name in ids if _NO_GENE.fullmatch(name)]:
            notes.append(f"rows that are no gene were left out: {some_names(others)}")
        numbers = numbers[kept]
    text = [
        i
        for i in columns.text
        if i != columns.ids
        and not _PLACE.fullmatch(columns.header[i].strip())
        and not _running(columns.names(i))
    ]
    cells = {"ID": pl.Series([ids[i] for i in kept], dtype=pl.String)}
    if symbols:
        cells["symbol in the id"] = pl.Series([symbols[i] for i in kept], dtype=pl.String)
    for i in text:
        cells[columns.header[i].strip() or f"column {i + 1}"] = table.columns.to_series(i)[kept]
    if len(cells) > 1:
        notes.append(f"columns of text describe the genes: {some_names(list(cells)[1:])}")
    named = columns.header[columns.ids].strip()
    place = f"column {named!r}" if named else "the row names"
    notes.insert(0, f"genes in rows ({place}), samples in columns")
    matrix = ExpressionMatrix(tuple(ids[i] for i in kept), tuple(samples), numbers)
    return OwnValues(matrix, pl.DataFrame(cells), tuple(notes), quantity, "rows")


def _value_columns(columns: _Columns) -> tuple[list[int], list[str], str]:
    """Return the columns of samples in a table of genes x samples."""
    header, table = columns.header, columns.table
    values = [i for i in columns.values if i != columns.ids]
    notes = []
    detection = [i for i in values if _DETECTION.fullmatch(header[i].strip())]
    if detection:
        notes.append(f"{len(detection)} columns of detection p-values were left out")
        values = [i for i in values if i not in detection]
    other = [
        i for i in values if i not in columns.hits and _ANNOTATION.fullmatch(header[i].strip())
    ]
    tests = [
        i for i in values if i not in columns.hits and _TEST_RESULTS.fullmatch(header[i].strip())
    ]
    left = [i for i in values if i not in other and i not in tests]
    if len(tests) > 1 and len(columns.hits) < 2:
        names = some_names([header[i] for i in tests])
        msg = f"is a table of test results ({names}), not of expression"
        raise table.error(msg, hint="give the expression table that was tested")
    if len(tests) == 1 and not columns.hits:
        left, tests = [i for i in values if i not in other], []
    if {header[i].strip().casefold() for i in left} and all(
        header[i].strip().casefold() in _ONE_SAMPLE for i in left
    ):
        msg = f"holds one sample ({some_names([header[i] for i in left])})"
        hint = "join the samples into one table, as with tximport in R"
        raise table.error(msg, hint=hint)
    quantity, chosen = _quantity([header[i].strip() for i in left])
    if chosen is not None:
        notes.append(f"columns '{quantity}...' taken, those of other quantities left out")
        left = [left[i] for i in chosen]
    if other or tests:
        names = some_names([header[i] for i in (*other, *tests)])
        notes.append(f"columns that are not samples were left out: {names}")
    if not left:
        msg = f"no column holds numbers; the columns are {some_names(header)}"
        raise table.error(msg, hint="give a table of genes x samples or samples x genes")
    return left, notes, quantity


def _quantity(names: Sequence[str]) -> tuple[str, list[int] | None]:
    """Return which columns of a table of tximport or MaxQuant to take: its best quantity."""
    for quantity in _PROTEINS:
        of_proteins = [i for i, name in enumerate(names) if name.startswith(f"{quantity} ")]
        if len(of_proteins) > 1:
            return quantity, of_proteins
    words = [_quantity_of(name)[0] for name in names]
    there = [word for word in _QUANTITIES if word in words]
    if not there or any(not word for word in words):
        return "", None
    return there[0], [i for i, word in enumerate(words) if word == there[0]]


def _quantity_of(name: str) -> tuple[str, str]:
    """Return the quantity and the sample of a column such as ``counts.S1`` or ``S1_FPKM``."""
    if re.fullmatch("countsfromabundance", name.strip(), re.IGNORECASE):
        return "length", name
    if found := _BEFORE.fullmatch(name.strip()):
        return found[1].casefold(), found[2].strip()
    if found := _AFTER.fullmatch(name.strip()):
        return found[2].casefold(), found[1].strip()
    bare = name.strip().casefold()
    return (bare if bare in _QUANTITIES else ""), name


def _without_quantity(name: str, quantity: str) -> str:
    if quantity in _PROTEINS:
        return name.removeprefix(quantity).strip()
    return _quantity_of(name)[1]


def _ensembl_alone(ids: list[str]) -> tuple[list[str], list[str]]:
    """Split ids such as ``ENSG00000141510.18_TP53``: the Ensembl id, and the rest."""
    found = [_COMPOUND.fullmatch(name) for name in ids]
    rest = [(hit[1] or hit[3] or "") if hit else "" for hit in found]
    if sum(bool(text) and text != "PAR_Y" for text in rest) <= 0.5 * len(ids):
        return ids, []
    return [hit[2] if hit else name for hit, name in zip(found, ids, strict=True)], rest


def _genes_of_proteins(columns: _Columns, ids: list[str]) -> list[str]:
    """Return the cell of gene names of each protein, its id where that is empty."""
    for i in columns.text:
        if columns.header[i].strip().casefold() in ("gene names", "gene name", "genes"):
            return [genes or own for genes, own in zip(columns.names(i), ids, strict=True)]
    return ids


def _marked_rows(table: TableFile, ids: Sequence[str]) -> frozenset[int]:
    """Return the rows of proteins that are decoys, contaminants, or known by a site alone."""
    marked = {i for i, name in enumerate(ids) if name.startswith(("REV__", "CON__"))}
    for i, title in enumerate(table.header):
        if title.strip() in _NO_PROTEIN:
            cells = table.columns.to_series(i).cast(pl.String).str.strip_chars(' "')
            marked |= set((cells == "+").arg_true().to_list())
    return frozenset(marked)


def _rows_of_samples(columns: _Columns, covariates: Sequence[str]) -> OwnValues:
    table, samples = columns.table, columns.names(columns.ids)
    _check_names(table, samples, "row")
    known = {name.strip().casefold() for name in covariates}
    values = [i for i in columns.values if i != columns.ids]
    other = [i for i in values if columns.header[i].strip().casefold() in known]
    other += [i for i in values if _NO_GENE.fullmatch(columns.header[i].strip())]
    values = [i for i in values if i not in other]
    if not values:
        msg = f"no column holds numbers; the columns are {some_names(columns.header)}"
        raise table.error(msg, hint="give a table of genes x samples or samples x genes")
    ids = [columns.header[i].strip() for i in values]
    numbers = _numbers(table, values, lambda row, name: f"{name} in {samples[row]}").T
    named = columns.header[columns.ids].strip()
    place = f"column {named!r}" if named else "the row names"
    notes = [f"samples in rows ({place}), genes in columns"]
    left = [columns.header[i] for i in (*columns.text, *other) if i != columns.ids]
    if left:
        notes.append(f"columns that are not genes were left out: {some_names(left)}")
    matrix = ExpressionMatrix(tuple(ids), tuple(samples), numbers)
    described = pl.DataFrame({"ID": pl.Series(ids, dtype=pl.String)})
    return OwnValues(matrix, described, tuple(notes), "", "columns")


def _check_names(table: TableFile, samples: Sequence[str], what: str) -> None:
    """Refuse samples without a name, repeated ones, and values in place of names."""
    if empty := [i for i, name in enumerate(samples) if not name]:
        msg = f"{len(empty)} samples have no name, the first in {what} {empty[0] + 1} of the values"
        raise table.error(msg)
    numbers = sum(
        re.fullmatch(r"-?\d+\.\d+(e[-+]?\d+)?", n, re.IGNORECASE) is not None for n in samples
    )
    if numbers > 0.5 * len(samples):
        msg = f"the samples' names are numbers ({some_names(samples[:3])}): is the header missing?"
        raise table.error(msg, hint="give the names of the samples in the first line")
    if repeated := repeated_names(samples):
        msg = f"samples occur more than once: {some_names(repeated)}"
        raise table.error(msg, hint="give every sample a name of its own")


def _numbers(
    table: TableFile, columns: Sequence[int], place: Callable[[int, str], str]
) -> NDArray[np.float64]:
    """Return columns as one matrix, missing as NaN; refuses text and infinite values."""
    values = np.empty((table.columns.height, len(columns)))
    for j, i in enumerate(columns):
        column = table.columns.to_series(i)
        if not column.dtype.is_numeric():
            raise _text_error(table, columns, place)
        values[:, j] = column.to_numpy()
    infinite = np.isinf(values)
    if infinite.any():
        row, j = (int(at[0]) for at in np.nonzero(infinite))
        more = int(infinite.sum()) - 1
        msg = f"the value of {place(row, table.header[columns[j]])} is infinite"
        msg += f" (and {more} more)" if more else ""
        raise table.error(msg, row=row, hint="was the logarithm of 0 taken? leave such cells empty")
    return values


def _text_error(
    table: TableFile, columns: Sequence[int], place: Callable[[int, str], str]
) -> GenotexError:
    """Return an error that names the cells of text in columns of numbers."""
    found = []
    for i in columns:
        column = table.columns.to_series(i)
        if column.dtype.is_numeric():
            continue
        cells = column.str.strip_chars(' "')
        known = cells.is_null() | cells.is_in(list(MISSING_WORDS))
        bad = ~known & cells.cast(pl.Float64, strict=False).is_null()
        found += [(row, i, str(cells[row])) for row in bad.arg_true().to_list()]
    found.sort()
    shown = [f"{text[:40]!r} for {place(row, table.header[i])}" for row, i, text in found[:3]]
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    count = "1 cell is not a number" if len(found) == 1 else f"{len(found)} cells are not numbers"
    msg = f"{count}: {'; '.join(shown)}{more}"
    hint = "correct the cells; a missing value is an empty cell or NA"
    return table.error(msg, row=found[0][0] if found else None, hint=hint)
