"""Two analyses side by side."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from genotex.studies.loaded import LoadedAnalysis

BOTH, FIRST, SECOND, NEITHER = "both", "first only", "second only", "neither"
"""In which of the two a gene is significant."""
_PARTS = {"effect": "Coefficient", "t": "t", "p": "rank_p", "q": "rank_q",
          "significant": "Significant"}  # fmt: skip


def compared(first: LoadedAnalysis, second: LoadedAnalysis) -> pl.DataFrame:
    """Return the genes that both analyses have, side by side, by the smaller p-value."""
    one, two = (_parts(each, f" {number}") for number, each in enumerate((first, second), 1))
    genes = one.join(two, on="Variable", how="inner", maintain_order="left")
    in_one, in_two = pl.col("significant 1"), pl.col("significant 2")
    same = pl.col("effect 1").sign() == pl.col("effect 2").sign()
    return genes.with_columns(
        pl.when(in_one & in_two)
        .then(pl.lit(BOTH))
        .when(in_one)
        .then(pl.lit(FIRST))
        .when(in_two)
        .then(pl.lit(SECOND))
        .otherwise(pl.lit(NEITHER))
        .alias("significant in"),
        pl.when(same).then(pl.lit("same")).when(~same).then(pl.lit("opposite")).alias("direction"),
    ).sort(pl.min_horizontal("p 1", "p 2"), nulls_last=True, maintain_order=True)


def _parts(analysis: LoadedAnalysis, number: str) -> pl.DataFrame:
    genes = analysis.genes.unique("Variable", keep="first", maintain_order=True)
    parts = [pl.col(name).alias(part + number) for part, name in _PARTS.items()]
    return genes.select("Variable", *parts).with_columns(
        pl.col(f"significant{number}").fill_null(False)
    )


def rank_correlation(genes: pl.DataFrame, part: str) -> float | None:
    """Return Spearman's correlation of the two effects or t; None where it is not defined."""
    known = genes.select(f"{part} 1", f"{part} 2").drop_nulls()
    values = known.cast(pl.Float64).to_numpy()
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) < 3 or (np.ptp(values, axis=0) == 0).any():
        return None
    return float(spearmanr(values).statistic)
