"""The genes of a simulation, and their names on older platforms."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from genotex.errors import UsageError
from genotex.genes import GeneTable

__all__ = ["choose_aliases", "choose_symbols"]

_RENAMED_SHARE = 0.03
_PLAIN = re.compile(r"[A-Z][A-Z0-9]{2,9}")
"""The benchmark's token rule cuts longer or hyphenated symbols, which would hide planted genes."""


def choose_symbols(
    rng: np.random.Generator, genes: int, symbols: Sequence[str] | None = None
) -> list[str]:
    """Choose the genes, sorted.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    genes : int
        How many.
    symbols : sequence of str, optional
        To choose from; by default the protein-coding genes of the packaged table.

    Raises
    ------
    UsageError
        If there are too few.
    """
    symbols = _packaged_symbols() if symbols is None else symbols
    plain = sorted({s for s in symbols if _PLAIN.fullmatch(s)})
    if len(plain) < genes:
        msg = f"{genes} genes were requested, but only {len(plain)} plain symbols are available"
        raise UsageError(msg)
    return sorted(rng.choice(plain, size=genes, replace=False).tolist())


def choose_aliases(rng: np.random.Generator, symbols: Sequence[str]) -> dict[str, str]:
    """Choose an older name for some genes, one that can mean this gene only."""
    table = GeneTable.load()
    known: dict[str, list[str]] = {}
    for alias, owners in table.alias_genes.items():
        plain = _PLAIN.fullmatch(alias) and "ORF" not in alias and alias not in table.official
        if plain and len(owners) == 1 and table.symbols("benchmark").get(alias) == owners[0]:
            known.setdefault(owners[0], []).append(alias)
    renamed = [symbol for symbol in symbols if symbol in known and rng.random() < _RENAMED_SHARE]
    return {symbol: known[symbol][0] for symbol in renamed}


def _packaged_symbols() -> list[str]:
    """Return symbols of protein-coding genes that both procedures leave as they are."""
    table = GeneTable.load()
    coding = table.genes.filter(pl.col("type") == "protein-coding")["symbol"].to_list()
    official = table.symbols("benchmark")
    return [symbol for symbol in coding if official.get(symbol) == symbol]
