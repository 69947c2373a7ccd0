"""Output of `genotex problems`: tables for people, JSON for machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.cli import screen
from genotex.records import as_json

if TYPE_CHECKING:
    from genotex.problems import (
        ConditionFacts,
        Finding,
        PairComparison,
        PairDifference,
        ProblemCounts,
        RelatedGenes,
        TraitInfo,
    )

MOST_GENES = 15
_MOST_CONDITIONS = 8
_MOST_DIFFERENCES = 40
_MOST_PLACES = 2


def show_trait(
    trait: str, category: str | None, genes: Sequence[str], conditions: Sequence[ConditionFacts]
) -> None:
    """Print a trait, the first of its related genes, and its conditions."""
    screen.show(f"{trait} ({category or 'not in the trait list'})")
    screen.show(f"{len(genes):,} related genes: {_first(genes, MOST_GENES)}")
    screen.show(f"{len(conditions)} conditions")
    screen.records(
        conditions,
        {
            "condition": "condition",
            "kind": "kind.value",
            "Jaccard": "jaccard",
            "shared genes": lambda facts: None if facts.jaccard is None else len(facts.shared),
            "why": "why",
        },
    )


def show_condition(
    trait: str, of_trait: int, of_condition: int | None, facts: ConditionFacts
) -> None:
    """Print what a trait and one condition share, and whether they make a problem."""
    there = "a problem of this list" if facts.listed else "no problem of this list"
    screen.show(f"{trait} given {facts.condition}: {there} ({facts.kind.value})")
    if facts.jaccard is not None:
        screen.show(
            f"related genes: {of_trait:,} of the trait, {of_condition:,} of the condition, "
            f"{len(facts.shared):,} of both; Jaccard {facts.jaccard:.4f}"
        )
        screen.show(f"shared: {_first(facts.shared, MOST_GENES)}")
    if facts.why is not None:
        screen.show(f"by the rules: {facts.why}")


def show_counts(counts: ProblemCounts) -> None:
    """Print the counts of a task list."""
    kinds = {kind.value: f"{n:,} {kind.value}" for kind, n in counts.kinds.items()}
    screen.show(f"{counts.traits:,} traits")
    screen.show(
        f"{sum(counts.kinds.values()):,} problems: {kinds['unconditional']}, "
        f"{counts.conditional:,} conditional ({kinds['one-step']}, {kinds['two-step']})"
    )
    genes = counts.genes
    screen.show(
        f"related genes per trait: {genes.least:,} to {genes.most:,}, median {genes.median:,g}; "
        f"{genes.distinct:,} different genes"
    )
    _show_listed("traits without related genes", counts.without_genes)
    _show_listed("traits without conditions", counts.without_conditions)
    frequent = [f"{name} {n}" for name, n in counts.conditions.items()]
    if frequent:
        screen.show(f"most frequent conditions: {', '.join(frequent[:_MOST_CONDITIONS])}")
    screen.show("")
    names = ("category", "traits", "problems", "conditional", "median_genes", "title")
    screen.records(counts.categories, {name.replace("_", " "): name for name in names})


def show_findings(path: Path, findings: Sequence[Finding]) -> None:
    """Print what is wrong with a task list, and what to do."""
    colours = {"error": "red", "warning": "yellow"}
    for finding in findings:
        places = ", ".join(finding.places[:_MOST_PLACES])
        more = len(finding.places) - _MOST_PLACES
        places += f" and {more} more" if more > 0 else ""
        text = f"{places}: {finding.message} ({finding.advice})"
        screen.notify(text, finding.severity, colours[finding.severity])
    errors = sum(finding.severity == "error" for finding in findings)
    screen.show(f"{path}: errors {errors}, warnings {len(findings) - errors}")


def show_built(
    built: Mapping[str, TraitInfo],
    threshold: float,
    related: RelatedGenes | None,
    compared: Sequence[PairComparison],
) -> None:
    """Print what was built, from what, and how it compares."""
    if related is not None:
        _show_related(related, built)
    pairs = sum(len(info.conditions) for info in built.values())
    screen.show(
        f"{len(built):,} traits, {pairs:,} trait-condition pairs at threshold {threshold:g}"
    )
    for comparison in compared:
        if comparison.threshold == threshold:
            _show_comparison(comparison)
    if compared:
        screen.show("")
        screen.records(compared, {name.replace("_", " "): _COMPARED[name] for name in _SHOWN})


def _show_related(related: RelatedGenes, built: Mapping[str, TraitInfo]) -> None:
    with_genes = sum(bool(info.related_genes) for info in built.values())
    screen.show(
        f"{related.associations:,} associations; {with_genes:,} of {len(built):,} traits have "
        "related genes"
    )
    _show_listed("Ensembl ids without one official symbol", related.unmapped)
    _show_listed("traits without a disease id", related.without_id)
    _show_listed("disease ids without an association", related.absent)


def _show_comparison(comparison: PairComparison) -> None:
    screen.show(
        f"of {comparison.candidates:,} possible pairs {comparison.published:,} are published; "
        f"{len(comparison.agreeing):,} agree, {len(comparison.only_built):,} are only built, "
        f"{len(comparison.only_published):,} only published"
    )
    screen.show("")
    screen.records(
        [count for count in comparison.rules if count.pairs],
        {
            "possible pairs": "pairs",
            "similar enough": "similar",
            "built": "built",
            "published": "published",
            "decided by": "rule.value",
        },
    )
    _show_differences("only built", comparison.only_built)
    _show_differences("only published", comparison.only_published)


def _show_differences(what: str, differences: Sequence[PairDifference]) -> None:
    if not differences:
        return
    screen.show("")
    columns: dict[str, screen.Column] = {
        what: "problem.trait", "given": "problem.condition", "why": "why"
    }  # fmt: skip
    screen.records(differences[:_MOST_DIFFERENCES], columns)
    if len(differences) > _MOST_DIFFERENCES:
        screen.show(f"... and {len(differences) - _MOST_DIFFERENCES:,} more; --json prints all")


def _show_listed(what: str, names: Sequence[str]) -> None:
    if names:
        screen.show(f"{what}: {len(names):,} ({_first(names, _MOST_CONDITIONS)})")


def _first(names: Iterable[str], most: int) -> str:
    names = tuple(names)
    shown = ", ".join(names[:most]) or "none"
    return f"{shown}, ..." if len(names) > most else shown


def facts_json(facts: ConditionFacts, *, genes: bool = False) -> dict[str, Any]:
    """Return the facts of a trait under a condition, with `genes` also the shared genes."""
    shared = list(facts.shared) if genes else len(facts.shared)
    return {
        **as_json(facts, "condition", "kind", "listed", "jaccard"),
        "shared_genes": None if facts.jaccard is None else shared,
        "why": facts.why,
    }


def counts_json(counts: ProblemCounts) -> dict[str, Any]:
    """Return the counts of a task list."""
    return {
        "traits": counts.traits,
        "problems": sum(counts.kinds.values()),
        **as_json(
            counts,
            unconditional="traits",
            conditional="conditional",
            by_kind="kinds",
            genes_per_trait="genes",
            traits_without_genes="without_genes",
            traits_without_conditions="without_conditions",
            conditions="conditions",
            categories="categories",
        ),
    }


_COMPARED: Mapping[str, screen.Column] = {
    "threshold": "threshold",
    "candidates": "candidates",
    "built": "built",
    "published": "published",
    "agreeing": lambda compared: len(compared.agreeing),
    "only_built": lambda compared: len(compared.only_built),
    "only_published": lambda compared: len(compared.only_published),
    "precision": "precision",
    "recall": "recall",
}
_SHOWN = tuple(name for name in _COMPARED if name not in ("candidates", "published"))


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
        facts["related_genes"] = as_json(
            related,
            "associations",
            "unmapped",
            traits_without_id="without_id",
            ids_without_association="absent",
        )
    if compared:
        facts["thresholds"] = list(screen.rows(compared, _COMPARED))
        chosen = next(item for item in compared if item.threshold == threshold)
        facts |= {
            "rules": as_json(chosen.rules),
            "only_built": [_difference(item) for item in chosen.only_built],
            "only_published": [_difference(item) for item in chosen.only_published],
        }
    return facts


def _difference(item: PairDifference) -> dict[str, Any]:
    return dict(as_json(item, trait="problem.trait", condition="problem.condition", why="why"))
