"""Scores of preprocessing: how well two tables of a cohort agree (GenoTEX paper, section 3.3)."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.figures import Table
from genotex.bench.evaluation.folder_items import (
    ScoredFolder,
    cohorts_with,
    read_or_why,
    table_path,
)
from genotex.bench.evaluation.options import OURS, ScoringRules
from genotex.bench.evaluation.scores import Missing, PreprocessingScore
from genotex.formats import CsvTable, LineReader, read_csv_table
from genotex.problems.problem import ONE_STEP_CONDITIONS

_PIECE = 512
"""Columns that are computed at once: with 200 samples they fit into the cache of a processor."""


@dataclass(frozen=True)
class _TableAgreement:
    """Fractions: attribute and sample Jaccard, feature correlation, and their product."""

    aj: float
    sj: float
    correlation: float

    @property
    def csc(self) -> float:
        """Return the composite similarity correlation."""
        return self.aj * self.sj * self.correlation


def compare_tables(predicted: CsvTable, reference: CsvTable) -> _TableAgreement:
    """Compare two tables of samples x features."""
    return _TableAgreement(
        jaccard(predicted.columns, reference.columns),
        jaccard(predicted.rows, reference.rows),
        _mean_correlation(predicted, reference),
    )


def jaccard(first: Collection[str], second: Collection[str]) -> float:
    """Return the shared part of the union of two sets; 1 when both are empty."""
    a, b = set(first), set(second)
    union = len(a | b)
    return len(a & b) / union if union else 1.0


def _mean_correlation(predicted: CsvTable, reference: CsvTable) -> float:
    rows = _shared(predicted.rows, reference.rows)
    columns = _shared(predicted.columns, reference.columns)
    return feature_correlation(
        _pick(predicted.values, rows[0], columns[0]), _pick(reference.values, rows[1], columns[1])
    )


def feature_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the mean Pearson correlation of the columns that vary on both sides.

    Missing values are filled with their column's mean, or 0 in a column without values. A
    correlation that is undefined all the same, as with infinite values, counts 0. The mean is 0 if
    no column varies on both sides.
    """
    if not first.size:
        return 0.0
    # A column with infinite or overflowing values is undefined, not an error.
    with np.errstate(all="ignore"):
        pieces = [
            _correlations(first[:, start : start + _PIECE], second[:, start : start + _PIECE])
            for start in range(0, first.shape[1], _PIECE)
        ]
    found = np.concatenate(pieces)
    return float(np.nan_to_num(found, nan=0.0).mean()) if found.size else 0.0


def _correlations(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation of every column that varies on both sides."""
    varies = _varies(first) & _varies(second)
    if not varies.all():
        first, second = first[:, varies], second[:, varies]
    a, b = _centred(first), _centred(second)
    products = np.einsum("ij,ij->j", a, b)
    squares = np.einsum("ij,ij->j", a, a) * np.einsum("ij,ij->j", b, b)
    found: NDArray[np.float64] = np.clip(products / np.sqrt(squares), -1, 1)
    return found


def _varies(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns have two different values; a filled mean never adds one.

    Compared by value, as the deviation of equal values may be slightly above 0.
    """
    lowest, highest = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    varies: NDArray[np.bool_] = highest > lowest
    return varies


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return deviations from the column means, scaled to at most 1; those of missing values are 0.

    A missing value that is filled with the mean of the others deviates by nothing, so the mean
    itself, which can be rounded, is never filled in.
    """
    missing = np.isnan(values)
    known = len(values) - missing.sum(axis=0)
    centred = values - np.nansum(values, axis=0) / known
    centred[missing] = 0
    # The mean of large values is rounded; that of what is left is exact to the last digits.
    centred -= centred.sum(axis=0) / known
    centred[missing] = 0
    scaled: NDArray[np.float64] = centred / np.abs(centred).max(axis=0)
    return scaled


def _shared(
    predicted: Sequence[str], reference: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first places of the names that both have, on each side."""
    here, there = _places(predicted), _places(reference)
    names = [name for name in here if name in there]
    count = len(names)
    return (
        np.fromiter((here[name] for name in names), np.int64, count),
        np.fromiter((there[name] for name in names), np.int64, count),
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for i, name in enumerate(names):
        places.setdefault(name, i)
    return places


def _pick(
    values: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    if _is_all(rows, values.shape[0]) and _is_all(columns, values.shape[1]):
        return values
    return values[np.ix_(rows, columns)]


def _is_all(places: NDArray[np.int64], count: int) -> bool:
    return places.size == count and bool((places == np.arange(count)).all())


Shape = Literal["as it should be", "transposed", "nameless"]

_SAMPLE = re.compile(r"GSM\d+|TCGA-[\w-]+")
"""Sample ids of GEO and of TCGA."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|", re.IGNORECASE)


def shape_of(table: CsvTable, corner: str, kind: Table, trait: str) -> Shape:
    """Return the shape in which a table was written."""
    features = {trait, *ONE_STEP_CONDITIONS}
    samples, others = table.columns, table.rows
    if kind == "linked":
        samples, others = others, samples
    named = corner in features if kind == "linked" else _SAMPLE.fullmatch(corner)
    if named and all(_NUMBER.fullmatch(name) for name in table.rows):
        return "nameless"
    for_it = _mostly_samples(others) or not features.isdisjoint(samples)
    against = _mostly_samples(samples) or not features.isdisjoint(others)
    return "transposed" if for_it and not against else "as it should be"


def transpose(table: CsvTable) -> CsvTable:
    """Return a table with rows and columns exchanged; the values are a view."""
    return CsvTable(table.columns, table.rows, table.values.T)


def first_cell(path: Path) -> str:
    """Return the cell in front of the column names."""
    with LineReader(path) as reader:
        return next(csv.reader([reader.next_line() or ""]), [""])[0]


def _mostly_samples(names: Sequence[str]) -> bool:
    return 2 * sum(_SAMPLE.fullmatch(name) is not None for name in names) > len(names)


_CHUNK = 1 << 20
_NOTED = (("aj", "AJ"), ("sj", "SJ"), ("correlation", "correlation"), ("csc", "CSC"))
_NOTHING = _TableAgreement(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class WantedTable:
    """A table of the reference."""

    kind: Table
    trait: str
    cohort: str
    path: Path
    repair: bool
    rules: ScoringRules = OURS


@dataclass(frozen=True)
class TableResult:
    """The score of one table."""

    kind: Table
    score: PreprocessingScore | None
    as_it_is: PreprocessingScore
    shape: Shape | None
    missing: Missing | None


def wanted_tables(
    reference: ScoredFolder, kinds: Sequence[Table], *, repair: bool, rules: ScoringRules = OURS
) -> list[WantedTable]:
    """Return every table of the reference."""
    return [
        WantedTable(kind, trait, cohort, table_path(reference, kind, trait, cohort), repair, rules)
        for kind in kinds
        for trait, cohort in cohorts_with(reference, kind)
    ]


def score_table(predictions: Sequence[ScoredFolder], wanted: WantedTable) -> list[TableResult]:
    """Score a table in each of several output folders; cells that are text are missing values.

    The table of the reference is read once.
    """
    reference = _read(wanted.path)
    shape = None
    if wanted.repair:
        shape = shape_of(reference, first_cell(wanted.path), wanted.kind, wanted.trait)
    return [_result(folder, wanted, reference, shape) for folder in predictions]


def _result(
    folder: ScoredFolder, wanted: WantedTable, reference: CsvTable, shape: Shape | None
) -> TableResult:
    kind = wanted.kind
    path = table_path(folder, kind, wanted.trait, wanted.cohort)
    # The table need not be read if it is byte-identical to the reference's.
    found = reference if _same_bytes(path, wanted.path) else read_or_why(path, _read)
    if isinstance(found, str):
        missing = Missing(kind, f"{wanted.trait} {wanted.cohort}", found)
        score = _score(wanted, _NOTHING)
        return TableResult(kind, None if shape == "nameless" else score, score, shape, missing)
    score = as_it_is = _score(wanted, _agreement(found, reference, wanted))
    if shape == "transposed":
        score = _score(wanted, _agreement(found, transpose(reference), wanted))
    return TableResult(kind, None if shape == "nameless" else score, as_it_is, shape, None)


def _agreement(found: CsvTable, reference: CsvTable, wanted: WantedTable) -> _TableAgreement:
    if wanted.rules.tables_as_pandas:
        if any(map(_without_cells_or_repeated, (found, reference))):
            return _NOTHING
        found, reference = _with_own_names(found), _with_own_names(reference)
    return compare_tables(
        _samples_in_rows(found, wanted.kind), _samples_in_rows(reference, wanted.kind)
    )


def _without_cells_or_repeated(table: CsvTable) -> bool:
    """Return whether a table is empty, or its rows cannot be distinguished by their names."""
    return not table.values.size or len(set(table.rows)) < len(table.rows)


def _with_own_names(table: CsvTable) -> CsvTable:
    """Return a table whose repeated columns are numbered: X, X.1, X.2."""
    if len(set(table.columns)) == len(table.columns):
        return table
    seen: Counter[str] = Counter()
    names = []
    for name in table.columns:
        names.append(f"{name}.{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return CsvTable(table.rows, names, table.values)


def _read(path: Path) -> CsvTable:
    return read_csv_table(path, text="missing")


def _same_bytes(first: Path, second: Path) -> bool:
    try:
        if first.stat().st_size != second.stat().st_size:
            return False
        with first.open("rb") as a, second.open("rb") as b:
            while piece := a.read(_CHUNK):
                if piece != b.read(_CHUNK):
                    return False
    except OSError:
        return False
    return True


def _samples_in_rows(table: CsvTable, kind: Table) -> CsvTable:
    return table if kind == "linked" else transpose(table)


def _score(wanted: WantedTable, found: _TableAgreement) -> PreprocessingScore:
    return PreprocessingScore(
        wanted.trait, wanted.cohort, found.aj, found.sj, found.correlation, found.csc
    )


def repair_notes(results: Sequence[TableResult]) -> list[str]:
    """List what was repaired in the reference, and the scores of the tables as published."""
    notes = []
    for kind in dict.fromkeys(result.kind for result in results):
        these = [result for result in results if result.kind == kind]
        turned, nameless = (
            sum(result.shape == shape for result in these) for shape in ("transposed", "nameless")
        )
        if turned or nameless:
            averages = ", ".join(
                f"{label} {math.fsum(getattr(r.as_it_is, name) for r in these) / len(these):.3f}"
                for name, label in _NOTED
            )
            notes.append(
                f"{kind} tables of the reference: {turned} transposed, {nameless} without names "
                f"left out; all {len(these)} as they were published score {averages}"
            )
    return notes
