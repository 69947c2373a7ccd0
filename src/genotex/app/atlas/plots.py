"""Numbers of the figures of an atlas: the map of traits with its tree, and a gene across traits."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from genotex.app.genes.plots import rounded
from genotex.atlas import TraitTree
from genotex.words import counted, interval, number, readable

MOST_TRAITS = 40
"""In the figure of a gene; the table has all."""


def tree_map(tree: TraitTree) -> dict[str, Any]:
    """Return the similarity of traits in the order of the tree, and the lines of the tree."""
    from scipy.cluster.hierarchy import dendrogram

    drawn = dendrogram(tree.links, no_plot=True)
    across, along = (np.asarray(drawn[name], dtype=float) for name in ("icoord", "dcoord"))
    # scipy puts leaves at 5, 15, 25 ...; lines end with a gap.
    places = np.hstack([(across - 5) / 10, np.full((len(across), 1), np.nan)])
    heights = np.hstack([along, np.full((len(along), 1), np.nan)])
    return {
        "traits": list(tree.names),
        "names": [readable(name) for name in tree.names],
        "similarity": [rounded(row) for row in tree.similarity],
        "tree": {"place": rounded(places.ravel()), "height": rounded(heights.ravel())},
    }


def trait_forest(traits: pl.DataFrame) -> dict[str, Any]:
    """Return the effect of a gene in each trait with its interval, by p."""
    rows = traits.filter(pl.col("effect").is_not_null() & pl.col("ci_low").is_not_null())
    lines = [
        {
            "trait": row["trait"],
            "condition": row["condition"] or "",
            "name": readable(row["trait"]),
            "effect": row["effect"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "significant": bool(row["significant"]),
            "measured": row["kind"] == "continuous",
            "text": _written(row),
        }
        for row in rows.head(MOST_TRAITS).iter_rows(named=True)
    ]
    kinds = set(rows["kind"].to_list())
    label = {frozenset({"binary"}): "Hedges' g", frozenset({"continuous"}): "Fisher's z"}
    return {
        "rows": lines,
        "total": rows.height,
        "label": label.get(frozenset(kinds), "Hedges' g or Fisher's z"),
    }


def _written(row: dict[str, Any]) -> str:
    ends = interval(row["ci_low"], row["ci_high"])
    cohorts = counted(row["cohorts"], "cohort")
    return f"{number(row['effect'], 'signed')} ({ends}), p {number(row['p'], 'p')}, {cohorts}"
