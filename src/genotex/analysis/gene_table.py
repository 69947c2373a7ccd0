"""The table of all genes: what was found of each, or why it was not tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["GENE_COLUMNS", "arrange_genes"]

GENE_COLUMNS: dict[str, type[pl.DataType]] = {
    "Variable": pl.String,
    "Coefficient": pl.Float64,
    "Absolute Coefficient": pl.Float64,
    "Standard Error": pl.Float64,
    "CI Lower": pl.Float64,
    "CI Upper": pl.Float64,
    "t": pl.Float64,
    "p": pl.Float64,
    "q": pl.Float64,
    "Mean Expression": pl.Float64,
    "Standardised Effect": pl.Float64,
    "Standardised Error": pl.Float64,
    "Samples": pl.Int64,
    "F": pl.Float64,
    "Departure F": pl.Float64,
    "Departure p": pl.Float64,
    "Departure q": pl.Float64,
    "Panel Coefficient": pl.Float64,
    "Selection Frequency": pl.Float64,
    "Mixed Coefficient": pl.Float64,
    "Mixed Standard Error": pl.Float64,
    "Mixed t": pl.Float64,
    "Mixed p": pl.Float64,
    "Mixed q": pl.Float64,
    "With SV Coefficient": pl.Float64,
    "With SV p": pl.Float64,
    "With SV q": pl.Float64,
    "Without SV Coefficient": pl.Float64,
    "Without SV p": pl.Float64,
    "Without SV q": pl.Float64,
    "Interaction Coefficient": pl.Float64,
    "Interaction Standard Error": pl.Float64,
    "Interaction t": pl.Float64,
    "Interaction p": pl.Float64,
    "Interaction q": pl.Float64,
    "Status": pl.String,
    "Significant": pl.Boolean,
}
"""Columns of the table of all genes; null where a gene was not tested. A factor adds three columns
for each pair of its levels (`genotex.analysis.gene_tests.factor_columns`)."""


def arrange_genes(
    names: Sequence[str],
    status: NDArray[np.str_],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    q_cut: float,
    min_effect: float,
    test: str = "",
) -> pl.DataFrame:
    """Put the tested genes by p-value, then the others in table order.

    Parameters
    ----------
    names : sequence of str, length p
        All genes.
    status : ndarray of str, shape (p,)
        ``tested``, or why not.
    columns : mapping of str to ndarray of float64, shape (m,)
        What was found of the m tested genes; a column of `GENE_COLUMNS` that is absent stays null,
        others (pairs of levels of a factor) come last.
    q_cut, min_effect : float
        A gene is significant when its q-value is below, and its coefficient at least this large.
    test : {"", "Mixed "}
        Start of the names of the columns that rank: those of the moderated t, or the mixed model's.

    Returns
    -------
    polars.DataFrame
        With the columns of `GENE_COLUMNS`, and those of the pairs of levels of a factor.
    """
    tested = status == "tested"
    statistic = columns[f"{test}t"] if f"{test}t" in columns else columns["F"]
    order = np.lexsort((-np.abs(statistic), columns[f"{test}p"]))
    rest = np.flatnonzero(~tested)
    place = np.concatenate([np.flatnonzero(tested)[order], rest])
    significant = (columns[f"{test}q"] < q_cut) & (columns["Absolute Coefficient"] >= min_effect)
    known: dict[str, pl.Series] = {
        "Variable": pl.Series([names[i] for i in place], dtype=pl.String),
        "Status": pl.Series(status[place].tolist(), dtype=pl.String),
        "Significant": pl.Series([*significant[order].tolist(), *[False] * len(rest)]),
    }
    for name, column in columns.items():
        full = np.concatenate([column[order], np.full(len(rest), np.nan)])
        known[name] = pl.Series(full).fill_nan(None)
    nothing = pl.Series([None] * len(place))
    kinds: dict[str, type[pl.DataType]] = dict(GENE_COLUMNS)
    kinds |= {name: pl.Float64 for name in columns if name not in GENE_COLUMNS}
    return pl.DataFrame(
        [known.get(name, nothing).cast(kind).alias(name) for name, kind in kinds.items()]
    )
