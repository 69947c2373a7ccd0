"""Two rankings of the same genes side by side: what they share, and the first genes of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from genotex.reports.sections import SectionTable
from genotex.words import counted, listed, number

_TOPS = (10, 50, 100)
_FIRST = 8


@dataclass(frozen=True)
class GeneRanking:
    """One test of the genes."""

    label: str
    estimate: str
    p: str
    q: str


@dataclass(frozen=True)
class RankingsCompared:
    """What two tests have in common."""

    significant: tuple[int, int, int]
    overlap: str
    table: SectionTable


def compare_rankings(
    genes: pl.DataFrame,
    first: GeneRanking,
    second: GeneRanking,
    *,
    change: str,
    cut: float,
    minimal_change: float,
) -> RankingsCompared:
    """Compare two tests of the same genes."""
    found = [
        (pl.col(r.q) < cut) & (pl.col(r.estimate).abs() >= minimal_change) for r in (first, second)
    ]
    counts = genes.select(
        first=found[0].sum(), second=found[1].sum(), both=(found[0] & found[1]).sum()
    ).row(0)
    orders = [
        genes.drop_nulls(r.p).sort([r.p, "Variable"])["Variable"].to_list() for r in (first, second)
    ]
    table = _comparison_table(genes, (first, second), orders, change)
    return RankingsCompared((counts[0], counts[1], counts[2]), _overlap(orders), table)


def _overlap(orders: Sequence[Sequence[str]]) -> str:
    most = min(len(order) for order in orders)
    sizes = [size for size in _TOPS if size <= most]
    if not sizes:
        return ""
    shared = [len(set(orders[0][:size]) & set(orders[1][:size])) for size in sizes]
    parts = [
        f"{same} of the first {size}" if i else f"{same} of the first {counted(size, 'gene')}"
        for i, (same, size) in enumerate(zip(shared, sizes, strict=True))
    ]
    are = "is" if shared == [1] else "are"
    return f"{listed(parts)} {are} the same in both."


def _comparison_table(
    genes: pl.DataFrame,
    rankings: tuple[GeneRanking, GeneRanking],
    orders: Sequence[Sequence[str]],
    change: str,
) -> SectionTable:
    ranks = [{symbol: i + 1 for i, symbol in enumerate(order)} for order in orders]
    last = len(ranks[0]) + 1
    chosen = sorted(
        {symbol for order in orders for symbol in order[:_FIRST]},
        key=lambda symbol: (ranks[0].get(symbol, last), symbol),
    )
    values = {
        row["Variable"]: row
        for row in genes.filter(pl.col("Variable").is_in(chosen)).iter_rows(named=True)
    }
    both_change = rankings[0].estimate != rankings[1].estimate
    head = ["Gene"] if both_change else ["Gene", change]
    rows = [
        [symbol] if both_change else [symbol, number(values[symbol]["Coefficient"], "signed")]
        for symbol in chosen
    ]
    for ranking, rank in zip(rankings, ranks, strict=True):
        head += [f"{change}, {ranking.label}"] if both_change else []
        head += [f"q, {ranking.label}", f"rank, {ranking.label}"]
        for row in rows:
            value = values[row[0]]
            row += [number(value[ranking.estimate], "signed")] if both_change else []
            place = rank.get(row[0])
            row += [number(value[ranking.q], "p"), "" if place is None else f"{place:,}"]
    title = f"The first {_FIRST} genes of either ranking"
    return SectionTable(title, tuple(head), tuple(tuple(row) for row in rows))
