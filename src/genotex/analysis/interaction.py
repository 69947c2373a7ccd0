"""Genes whose change with the trait depends on the condition."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.design import Design
from genotex.analysis.gene_tests import TestSettings, estimable_columns

__all__ = ["fit_interaction", "interaction_record", "rank_interactions"]

Floats = NDArray[np.float64]

TOP_GENES = 10


def fit_interaction(
    values: Floats, design: Design, settings: TestSettings, inflation: float = 1.0
) -> dict[str, Floats]:
    """Test trait x condition of every gene by the moderated t."""
    # A regression of its own, so that the trait's coefficient keeps its meaning in the first one.
    # Shapes: values (n, p).
    # Returns the ``Interaction ...`` columns; NaN for genes with too few values for the wider
    # design. Empty without a condition, or when its interaction cannot be tested.
    if design.interaction is None:
        return {}
    wide = np.column_stack([design.matrix, design.interaction])
    fit = settings.regress(wide, values, inflation)
    found = estimable_columns(fit, values, settings.against_none)
    if np.isnan(found["p"]).all():
        return {}
    return {f"Interaction {name}": column for name, column in found.items()}


def rank_interactions(genes: pl.DataFrame) -> pl.DataFrame:
    """Return ``Variable``, ``Coefficient`` and ``q`` of the interaction, the lowest q first."""
    ranked = genes.drop_nulls("Interaction q").sort(
        ["Interaction q", "Interaction p", "Variable"], maintain_order=True
    )
    return ranked.select(
        "Variable",
        pl.col("Interaction Coefficient").alias("Coefficient"),
        pl.col("Interaction q").alias("q"),
    )


def interaction_record(genes: pl.DataFrame, condition: str, q_cut: float) -> dict[str, Any]:
    """Return the results of the interaction with the condition."""
    # Returns ``condition``, ``q_cut``, ``tested``, ``significant`` (numbers of genes) and ``top``:
    # the first genes by q-value, each with ``Variable``, ``Coefficient`` and ``q``.
    ranked = rank_interactions(genes)
    return {
        "condition": condition,
        "q_cut": q_cut,
        "tested": ranked.height,
        "significant": ranked.filter(pl.col("q") < q_cut).height,
        "top": ranked.head(TOP_GENES).to_dicts(),
    }
