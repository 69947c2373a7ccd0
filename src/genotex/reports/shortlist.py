"""The short list of genes on top of a page: numbers as written, and where intervals stand."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from genotex.reports.page import TopGene
from genotex.reports.words import number

__all__ = ["direction", "interval", "top_genes"]


def top_genes(genes: pl.DataFrame) -> tuple[tuple[TopGene, ...], float | None]:
    """Return the short list with the place of each interval on one shared axis.

    Parameters
    ----------
    genes : polars.DataFrame
        ``symbol``, ``estimate``, ``lower``, ``upper``, ``q``, ``significant``; as they are listed.

    Returns
    -------
    genes : tuple of TopGene
    zero : float or None
        Where "no change" stands on the axis, in percent.
    """
    ends = [v for name in ("lower", "upper", "estimate") for v in genes[name].drop_nulls()]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    width = high - low

    def place(value: float | None) -> float | None:
        return None if value is None or width <= 0 else round(100 * (value - low) / width, 1)

    top = tuple(
        TopGene(
            row["symbol"],
            number(row["estimate"], "signed"),
            interval(row),
            number(row["q"], "p"),
            direction(row["estimate"]),
            bool(row["significant"]),
            place(row["lower"]),
            place(row["estimate"]),
            place(row["upper"]),
        )
        for row in genes.iter_rows(named=True)
    )
    return top, place(0.0)


def direction(estimate: float | None) -> str:
    """Return ``up``, ``down`` or ``none``."""
    return "none" if not estimate else "up" if estimate > 0 else "down"


def interval(row: Mapping[str, float | None]) -> str:
    """Return ``lower`` to ``upper`` as written; empty when one is missing."""
    low, high = number(row["lower"], "signed"), number(row["upper"], "signed")
    return f"{low} to {high}" if low and high else ""
