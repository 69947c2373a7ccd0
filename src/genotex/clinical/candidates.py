"""Gathering cells by key: what could hold a feature, whatever row the values slipped into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from genotex.clinical.description import SHOWN_VALUES, SeriesDescription
from genotex.clinical.encoding import SampleField
from genotex.clinical.values import simple_key, split_cell

__all__ = ["Candidate", "characteristic_candidates"]

MOSTLY = 0.8


@dataclass(frozen=True)
class Candidate:
    """Values under one key.

    Attributes
    ----------
    key : str
        Key as in the file; empty for values without one.
    row : int or None
        The row where most of the values stand; None for other sample fields.
    values : mapping of str to str
        Raw cell -> value behind the key, in order of appearance, over all rows.
    in_row : frozenset of str
        Those raw cells that stand in `row`.
    share : float
        Share of the row's cells (of samples if known, else of unique cells) with this key.
    elsewhere : tuple of int
        Other rows that hold values of this key because cells are shifted.
    weight : mapping of str to int
        Raw cell -> number of samples; 1 where samples are not known.
    sample_field : str
        Sample field that holds the cells.
    """

    key: str
    row: int | None
    values: Mapping[str, str]
    in_row: frozenset[str]
    share: float
    elsewhere: tuple[int, ...]
    weight: Mapping[str, int]
    sample_field: SampleField = "characteristics_ch1"


def characteristic_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return one candidate for every key of the characteristics, in row order.

    A key that fills several rows on its own (a submitter may repeat "tissue") gives one candidate
    for each of them; a key that stands in mixed rows (shifted cells) gives a single one.
    """
    counts = [
        _row_counts(description, number) for number in range(len(description.characteristics))
    ]
    rows_of: dict[str, dict[int, Counter[str]]] = {}
    for number, cells in enumerate(counts):
        for cell, count in cells.items():
            key = simple_key(split_cell(cell)[0])
            rows_of.setdefault(key, {}).setdefault(number, Counter())[cell] += count
    found = [
        candidate
        for key, rows in rows_of.items()
        for candidate in _candidates_of_key(key, rows, counts)
    ]
    return sorted(found, key=lambda c: (c.row if c.row is not None else -1, c.key))


def _row_counts(description: SeriesDescription, number: int) -> Counter[str]:
    if description.cells is not None and number < len(description.cells):
        return Counter(cell for cell in description.cells[number] if cell)
    return Counter({cell: 1 for cell in description.characteristics[number] if cell})


def _candidates_of_key(
    key: str, rows: Mapping[int, Counter[str]], counts: list[Counter[str]]
) -> Iterable[Candidate]:
    pure = {n for n, cells in rows.items() if len(cells) == len(counts[n])}
    mixed = [n for n in rows if n not in pure]
    if key == "":
        return [_candidate(n, [], rows, counts) for n in rows]
    best = max(rows, key=lambda n: (_size(rows[n], counts[n]), -n))
    found = [_candidate(best, [n for n in mixed if n != best], rows, counts)]
    found.extend(_candidate(n, [], rows, counts) for n in sorted(pure) if n != best)
    return found


def _size(cells: Counter[str], row: Counter[str]) -> int:
    """Return how many values of a key a row has; in a cut list, at least as many as are shown."""
    cut = max(row.values()) == 1 and len(row) >= SHOWN_VALUES - 1
    return SHOWN_VALUES if cut and len(cells) > MOSTLY * len(row) else cells.total()


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
    )
