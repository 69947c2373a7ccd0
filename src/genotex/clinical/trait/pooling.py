"""Readings that give every sample the same code are one answer, whatever row tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genotex.clinical.trait.options import TraitOption
from genotex.clinical.trait.scoring import ScoredOption
from genotex.clinical.values import parse_number, split_cell
from genotex.clinical.words.wording import simple_key

__all__ = ["Pool", "pool_options"]

Cells = Sequence[Sequence[str | None]]


@dataclass(frozen=True)
class Pool:
    """Options that give every sample the same code.

    Attributes
    ----------
    options : tuple of TraitOption
        The likeliest first.
    probability : float
        That one of them is right: the sum of theirs.
    """

    options: tuple[TraitOption, ...]
    probability: float


def pool_options(scored: Sequence[ScoredOption], cells: Cells | None) -> list[Pool]:
    """Put together the options that agree sample by sample.

    Parameters
    ----------
    scored : sequence of ScoredOption
        The likeliest first.
    cells : sequence of sequences of str or None, optional
        The characteristics rows with one cell for each sample; without them every option stands
        alone.

    Returns
    -------
    list of Pool
        By falling probability.
    """
    groups: dict[object, list[ScoredOption]] = {}
    for number, entry in enumerate(scored):
        codes = None if cells is None else _codes(entry.option, cells)
        groups.setdefault(number if codes is None else codes, []).append(entry)
    pools = [
        Pool(tuple(s.option for s in group), sum(s.probability for s in group))
        for group in groups.values()
    ]
    return sorted(pools, key=lambda pool: -pool.probability)


def _codes(option: TraitOption, cells: Cells) -> tuple[float | None, ...] | None:
    """Return the code of each sample, None for what does not stand in the characteristics."""
    row = option.candidate.row
    if row is None or row >= len(cells):
        return None
    elsewhere = option.candidate.elsewhere if option.candidate.key else ()
    rows = [cells[n] for n in (row, *elsewhere)]
    return tuple(_code(option, [line[n] for line in rows]) for n in range(len(cells[row])))


def _code(option: TraitOption, found: Sequence[str | None]) -> float | None:
    wanted = simple_key(option.candidate.key)
    cell = next((c for c in found if c and simple_key(split_cell(c)[0]) == wanted), None)
    if cell is None or cell in option.codes:
        return None if cell is None else option.codes[cell]
    return parse_number(split_cell(cell)[1]) if option.how in ("level", "scale") else None
