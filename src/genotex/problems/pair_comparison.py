"""Trait-condition pairs built by the rules against those of a published list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from genotex.problems.pair_rules import (
    PairRule,
    PairVerdict,
    candidate_conditions,
    judge_pair,
)
from genotex.problems.problem import Problem
from genotex.problems.related_genes import GeneOverlap
from genotex.problems.task_info import TraitInfo
from genotex.problems.trait_list import ListedTrait

_NOT_LISTED = "trait or condition is not in the trait list"


@dataclass(frozen=True)
class PairDifference:
    """A pair on one side only, and how the rules decide about it."""

    problem: Problem
    why: str


@dataclass(frozen=True)
class RuleCount:
    """What one rule decided."""

    rule: PairRule
    pairs: int
    similar: int
    built: int
    published: int


@dataclass(frozen=True)
class PairComparison:
    """Built pairs against published ones."""

    threshold: float  # from which Jaccard similarity on undecided pairs were built
    agreeing: tuple[Problem, ...]  # pairs of both, in the order of the traits
    # pairs of one side, with the reason why they are built, or are not
    only_built: tuple[PairDifference, ...]
    only_published: tuple[PairDifference, ...]
    rules: tuple[RuleCount, ...]  # what each rule decided, in the order of the rules

    @property
    def candidates(self) -> int:
        """Number of pairs that could be built."""
        return sum(count.pairs for count in self.rules)

    @property
    def built(self) -> int:
        """Number of pairs built."""
        return len(self.agreeing) + len(self.only_built)

    @property
    def published(self) -> int:
        """Number of pairs published."""
        return len(self.agreeing) + len(self.only_published)

    @property
    def precision(self) -> float | None:
        """Part of the built pairs that is published; None where none is built."""
        return len(self.agreeing) / self.built if self.built else None

    @property
    def recall(self) -> float | None:
        """Part of the published pairs that is built; None where none is published."""
        return len(self.agreeing) / self.published if self.published else None


@dataclass(frozen=True)
class _Judged:
    """A possible pair by name, how the rules decide, and whether it is published."""

    pair: tuple[str, str]
    verdict: PairVerdict
    published: bool

    @property
    def difference(self) -> PairDifference:
        return PairDifference(Problem(*self.pair), self.verdict.why)


def compare_pairs(
    traits: Sequence[ListedTrait],
    published: Mapping[str, TraitInfo],
    overlap: GeneOverlap,
    threshold: float,
) -> PairComparison:
    """Build every pair by the rules and compare with the published ones."""
    theirs = {
        (problem.trait, problem.condition): problem
        for trait, info in published.items()
        for problem in (Problem(trait, condition) for condition in info.conditions)
    }
    judged = [
        _Judged(pair, verdict, pair in theirs)
        for pair, verdict in _judge_all(traits, overlap, threshold)
    ]
    possible = {item.pair for item in judged}
    unknown = (problem for pair, problem in theirs.items() if pair not in possible)
    return PairComparison(
        threshold,
        agreeing=tuple(
            Problem(*item.pair) for item in judged if item.published and item.verdict.included
        ),
        only_built=tuple(
            item.difference for item in judged if item.verdict.included and not item.published
        ),
        only_published=(
            *(item.difference for item in judged if item.published and not item.verdict.included),
            *(PairDifference(problem, _NOT_LISTED) for problem in unknown),
        ),
        rules=_count_rules(judged),
    )


def _judge_all(
    traits: Sequence[ListedTrait], overlap: GeneOverlap, threshold: float
) -> Iterator[tuple[tuple[str, str], PairVerdict]]:
    for trait in traits:
        for condition in candidate_conditions(trait, traits):
            name = condition if isinstance(condition, str) else condition.name
            yield (trait.name, name), judge_pair(trait, condition, overlap, threshold)


def _count_rules(judged: Sequence[_Judged]) -> tuple[RuleCount, ...]:
    pairs = Counter(item.verdict.rule for item in judged)
    similar = Counter(item.verdict.rule for item in judged if item.verdict.is_similar)
    built = Counter(item.verdict.rule for item in judged if item.verdict.included)
    published = Counter(item.verdict.rule for item in judged if item.published)
    return tuple(
        RuleCount(rule, pairs[rule], similar[rule], built[rule], published[rule])
        for rule in PairRule
    )
