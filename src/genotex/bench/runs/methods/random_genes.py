"""Genes drawn at random: what an answer scores that knows nothing."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field

import polars as pl

from genotex.bench.problems import Problem
from genotex.bench.runs.methods.answer_file import write_answer
from genotex.bench.runs.methods.method import Context
from genotex.errors import UsageError
from genotex.genes import GeneTable

__all__ = ["USUAL_NUMBER", "RandomGenes", "protein_coding_symbols"]

USUAL_NUMBER = 300


def protein_coding_symbols() -> tuple[str, ...]:
    """Return the official symbols of the packaged table's protein-coding genes, sorted."""
    genes = GeneTable.load().genes
    coding = genes.filter(pl.col("type") == "protein-coding")["symbol"]
    return tuple(sorted(set(coding.to_list())))


@dataclass(frozen=True)
class RandomGenes:
    """So many different genes, drawn anew for each problem.

    Attributes
    ----------
    number : int
    symbols : tuple of str
        What is drawn from.

    Raises
    ------
    UsageError
        If there are not so many genes.
    """

    number: int = USUAL_NUMBER
    symbols: tuple[str, ...] = field(default_factory=protein_coding_symbols, repr=False)

    def __post_init__(self) -> None:
        """Refuse more genes than there are."""
        if not 1 <= self.number <= len(self.symbols):
            msg = f"{self.number} genes cannot be drawn; use 1 to {len(self.symbols)}"
            raise UsageError(msg)

    def solve(self, problem: Problem, context: Context) -> None:
        """Write genes that depend on the seed and the problem alone."""
        # Of all that `random` offers only the plain stream is promised to stay as it is.
        stream = random.Random(f"{context.seed}/{problem.trait}/{problem.condition}")
        ranked = ((stream.random(), symbol) for symbol in self.symbols)
        drawn = heapq.nsmallest(self.number, ranked)
        write_answer(context.output, problem, [symbol for _, symbol in drawn])
