"""The figures of an atlas: the map of traits with its tree, and a gene across traits."""

from __future__ import annotations

from typing import Any

import polars as pl

from genotex.atlas import TraitTree
from genotex.figures import Figure, ForestRow, TraitEffect, across_traits, trait_map
from genotex.words import counted, interval, number, readable

MOST_TRAITS = 40
"""In the figure of a gene; the table has all."""


def tree_map(tree: TraitTree) -> Figure:
    """Declare the similarity of traits in the order of the tree, and the tree."""
    return trait_map([readable(name) for name in tree.names], tree.similarity, tree.links)


def trait_forest(traits: pl.DataFrame) -> tuple[Figure | None, str]:
    """Declare the effect of a gene in each trait with its interval, by p; and say what is drawn."""
    rows = traits.filter(pl.col("effect").is_not_null() & pl.col("ci_low").is_not_null())
    if not rows.height:
        return None, "No trait has a combined effect of this gene."
    effects = [_effect(row) for row in rows.head(MOST_TRAITS).iter_rows(named=True)]
    kinds = frozenset(rows["kind"].to_list())
    label = {frozenset({"binary"}): "Hedges' g", frozenset({"continuous"}): "Fisher's z"}
    some = f"The {len(effects)} traits of {rows.height} with the smallest p"
    note = (
        f"{some if rows.height > len(effects) else 'By p'}. Filled: significant; hollow: not. "
        "Bars are 95 % intervals."
        + (" Diamonds: measured traits (Fisher's z)." if any(e.measured for e in effects) else "")
        + " A click opens the trait."
    )
    return across_traits(effects, label.get(kinds, "Hedges' g or Fisher's z")), note


def _effect(row: dict[str, Any]) -> TraitEffect:
    ends = interval(row["ci_low"], row["ci_high"])
    cohorts = counted(row["cohorts"], "cohort")
    written = f"{number(row['effect'], 'signed')} ({ends}), p {number(row['p'], 'p')}, {cohorts}"
    line = ForestRow(readable(row["trait"]), row["effect"], row["ci_low"], row["ci_high"], written)
    return TraitEffect(line, row["trait"], bool(row["significant"]), row["kind"] == "continuous")
