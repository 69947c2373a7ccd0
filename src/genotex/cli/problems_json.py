"""What `genotex problems` prints for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genotex.bench.problems import (
        ConditionFacts,
        PairComparison,
        PairDifference,
        ProblemCounts,
        RelatedGenes,
        TraitInfo,
    )

__all__ = ["built_json", "counts_json", "facts_json"]


def facts_json(facts: ConditionFacts, *, genes: bool = False) -> dict[str, Any]:
    """Return what is known of a trait under a condition; with `genes` also which they share."""
    shared = list(facts.shared) if genes else len(facts.shared)
    return {
        "condition": facts.condition,
        "kind": facts.kind.value,
        "listed": facts.listed,
        "jaccard": facts.jaccard,
        "shared_genes": None if facts.jaccard is None else shared,
        "why": facts.why,
    }


def counts_json(counts: ProblemCounts) -> dict[str, Any]:
    """Return the counts of a task list."""
    return {
        "traits": counts.traits,
        "problems": sum(counts.kinds.values()),
        "unconditional": counts.traits,
        "conditional": counts.conditional,
        "by_kind": {kind.value: n for kind, n in counts.kinds.items()},
        "genes_per_trait": asdict(counts.genes),
        "traits_without_genes": list(counts.without_genes),
        "traits_without_conditions": list(counts.without_conditions),
        "conditions": dict(counts.conditions),
        "categories": [asdict(category) for category in counts.categories],
    }


def built_json(
    built: Mapping[str, TraitInfo],
    threshold: float,
    related: RelatedGenes | None,
    compared: Sequence[PairComparison],
) -> dict[str, Any]:
    """Return what was built, from what, and how it compares."""
    facts: dict[str, Any] = {
        "traits": len(built),
        "threshold": threshold,
        "conditional": sum(len(info.conditions) for info in built.values()),
    }
    if related is not None:
        facts["related_genes"] = {
            "associations": related.associations,
            "unmapped": list(related.unmapped),
            "traits_without_id": list(related.without_id),
            "ids_without_association": list(related.absent),
        }
    if compared:
        facts["thresholds"] = [_summary(comparison) for comparison in compared]
        chosen = next(item for item in compared if item.threshold == threshold)
        facts |= {
            "rules": [asdict(count) | {"rule": count.rule.value} for count in chosen.rules],
            "only_built": [_difference(item) for item in chosen.only_built],
            "only_published": [_difference(item) for item in chosen.only_published],
        }
    return facts


def _summary(comparison: PairComparison) -> dict[str, Any]:
    return {
        "threshold": comparison.threshold,
        "candidates": comparison.candidates,
        "built": comparison.built,
        "published": comparison.published,
        "agreeing": len(comparison.agreeing),
        "only_built": len(comparison.only_built),
        "only_published": len(comparison.only_published),
        "precision": comparison.precision,
        "recall": comparison.recall,
    }


def _difference(item: PairDifference) -> dict[str, Any]:
    return {
        "trait": item.problem.trait,
        "condition": item.problem.condition,
        "why": item.why,
    }
