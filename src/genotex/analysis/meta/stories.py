"""Each gene's story over the cohorts, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from genotex.analysis.meta.effects import NOMINAL
from genotex.analysis.meta.result import DIFFERING_P, MetaResult
from genotex.words import listed, number

MOST_NAMED = 3
"""Cohorts named for one thing; more are counted."""


def gene_stories(result: MetaResult) -> list[str]:
    """Return one line for each gene: where it changes which way, how surely, and where not."""
    names = [cohort.name for cohort in result.cohorts]
    up, down = ("up", "down") if result.binary else ("rises", "falls")
    rows = zip(result.genes.to_dicts(), result.effects.to_dicts(), strict=True)
    return [_story(gene, effects, names, (up, down)) for gene, effects in rows]


def _story(
    gene: Mapping[str, Any], effects: Mapping[str, Any], names: list[str], words: tuple[str, str]
) -> str:
    there = {n: effects[f"{n} Effect"] for n in names if effects[f"{n} Effect"] is not None}
    higher = gene["Combined Effect"] > 0
    against = [name for name, effect in there.items() if (effect > 0) is not higher]
    way, other = words if higher else words[::-1]
    parts = [f"{way} in {len(there) - len(against)} of {len(there)}"]
    if against:
        parts[0] += f" ({other} in {_named(against)})"
    parts[0] += f", p {number(gene['p'], 'p')}"
    alone = [n for n in there if effects[f"{n} p"] < NOMINAL and n not in against]
    if alone and len(alone) < len(there):
        parts[0] += f", p < {NOMINAL:g} alone in {_named(alone)}"
    parts.append(f"strongest in {max(there, key=lambda name: abs(there[name]))}")
    if gene["Q p"] < DIFFERING_P:
        parts.append(f"cohorts differ (I\N{SUPERSCRIPT TWO} {gene['I2']:.0f} %)")
    if missing := [name for name in names if name not in there]:
        parts.append(f"not measured in {_named(missing)}")
    if gene["Replicates"]:
        parts.append("replicates")
    return "; ".join(parts)


def _named(names: list[str]) -> str:
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} cohorts"
