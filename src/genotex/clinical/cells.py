"""Cells of characteristics gathered by key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import SampleField
from genotex.features import simple_key, split_cell

_MOSTLY = 0.8
_FEW_VALUES = 5
_LONGEST_LIST = 30
"""Most unique values that a case has of a row, the empty one included: longer lists were cut.

A limit of the cases' makers, equal to what the benchmark shows of a row.
"""


@dataclass(frozen=True)
class Candidate:
    """Values under one key."""

    key: str  # Key as in the file; empty for values without one
    row: int | None  # The row with most of the values; None for other sample fields
    # Raw cell -> value behind the key, in order of appearance, over all rows
    values: Mapping[str, str]
    in_row: frozenset[str]  # The raw cells in `row`
    # Share of the row's cells (of samples if known, else of unique cells) with this key
    share: float
    elsewhere: tuple[int, ...]  # Other rows that hold values of this key because cells are shifted
    weight: Mapping[str, int]  # Raw cell -> number of samples; 1 where samples are not known
    sample_field: SampleField = "characteristics_ch1"  # Sample field that holds the cells
    other_cells: frozenset[str] = frozenset()  # Raw cells of the row under other keys


def characteristic_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return one candidate for every key of the characteristics, in row order."""
    # A key that fills several rows on its own (a submitter may repeat "tissue") gives one candidate
    # for each of them; a key in mixed rows (shifted cells) gives a single one.
    counts = [
        _row_counts(description, number) for number in range(len(description.characteristics))
    ]
    size = _samples if description.cells is not None else _guessed_samples
    rows_of: defaultdict[str, defaultdict[int, Counter[str]]]
    rows_of = defaultdict(lambda: defaultdict(Counter))
    for number, cells in enumerate(counts):
        for cell, count in cells.items():
            rows_of[simple_key(split_cell(cell)[0])][number][cell] = count
    found = [
        candidate
        for key, rows in rows_of.items()
        for candidate in _candidates_of_key(key, rows, counts, size)
    ]
    return sorted(found, key=lambda c: (c.row if c.row is not None else -1, c.key))


def _row_counts(description: SeriesDescription, number: int) -> Counter[str]:
    if description.cells is not None and number < len(description.cells):
        return Counter(cell for cell in description.cells[number] if cell)
    return Counter({cell: 1 for cell in description.characteristics[number] if cell})


_Rows = Mapping[int, Counter[str]]
_Sizes = Mapping[int, tuple[int, ...]]


def _candidates_of_key(
    key: str,
    rows: _Rows,
    counts: list[Counter[str]],
    size: Callable[[_Rows, list[Counter[str]]], _Sizes],
) -> Iterable[Candidate]:
    pure = {n for n, cells in rows.items() if len(cells) == len(counts[n])}
    mixed = [n for n in rows if n not in pure]
    if key == "":
        return [_candidate(n, [], rows, counts) for n in rows]
    sizes = size(rows, counts)
    best = max(rows, key=lambda n: (sizes[n], -n))
    found = [_candidate(best, [n for n in mixed if n != best], rows, counts)]
    found.extend(_candidate(n, [], rows, counts) for n in sorted(pure) if n != best)
    return found


def _samples(rows: _Rows, counts: list[Counter[str]]) -> _Sizes:
    """Return how many samples of each row have the key."""
    return {number: (cells.total(),) for number, cells in rows.items()}


def _guessed_samples(rows: _Rows, counts: list[Counter[str]]) -> _Sizes:
    """Return an order of rows by how many samples a key has there, from unique values alone."""
    # Many different values (ages) mean many samples; a list that is cut holds at least as many as
    # it shows. Few different values (sexes) do not show how frequent they are: then every
    # different value of another key is a sample that lacks this one, so the row with the fewest of
    # them has most. Values that appear early belong to the first samples.
    few = max(map(len, rows.values())) <= _FEW_VALUES
    sizes = {}
    for number, cells in rows.items():
        row = counts[number]
        shown = len(cells)
        cut = len(row) >= _LONGEST_LIST - 1
        if few:
            shown = min(shown, 2)
        elif cut and shown > _MOSTLY * len(row):
            shown = _LONGEST_LIST
        others = len(row) - len(cells)
        before = list(row).index(next(iter(cells)))
        sizes[number] = (shown, -others, -before) if few else (shown, -before, -others)
    return sizes


def _candidate(
    best: int, others: list[int], rows: Mapping[int, Counter[str]], counts: list[Counter[str]]
) -> Candidate:
    weight: Counter[str] = Counter()
    for number in (best, *others):
        weight.update(rows[number])
    first = next(iter(rows[best]))
    return Candidate(
        key=split_cell(first)[0],
        row=best,
        values={cell: split_cell(cell)[1] for cell in weight},
        in_row=frozenset(rows[best]),
        share=rows[best].total() / max(counts[best].total(), 1),
        elsewhere=tuple(sorted(others)),
        weight=dict(weight),
        other_cells=frozenset(counts[best]) - frozenset(rows[best]),
    )
