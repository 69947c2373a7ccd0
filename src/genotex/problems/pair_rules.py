"""Which trait is studied under which condition: rules first, then shared genes.

GenoTEX paper, section 3.2 and appendix D. Pairs built by the rules are compared with those of a
published list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from genotex.problems.problem import ONE_STEP_CONDITIONS, Problem, ProblemKind
from genotex.problems.related_genes import GeneOverlap
from genotex.problems.task_info import TaskInfo, TraitInfo
from genotex.problems.trait_list import ListedTrait, TraitList

DEFAULT_THRESHOLD = 0.1
_AGE, _GENDER = ONE_STEP_CONDITIONS


class PairRule(StrEnum):
    """What decides about a pair; the first that applies, in this order."""

    CONDITION_ONLY = "the trait is a condition only"
    AGE = "every trait is studied given Age"
    ONE_SEX = "only one sex has the trait"
    GENDER = "a trait of both sexes is studied given Gender"
    OTHER_SEX = "trait and condition belong to different sexes"
    UNIVERSAL = "a condition of every trait"
    CANCERS = "trait and condition are both cancers"
    JACCARD = "Jaccard similarity of the related genes"


_INCLUDING = frozenset({PairRule.AGE, PairRule.GENDER, PairRule.UNIVERSAL})


@dataclass(frozen=True)
class PairVerdict:
    """Whether a trait is studied under a condition, and why."""

    rule: PairRule
    jaccard: float | None  # similarity of the related genes; None for Age and Gender
    threshold: float  # from which similarity on undecided pairs are taken

    @property
    def included(self) -> bool:
        """Whether the pair makes a problem."""
        return self.rule in _INCLUDING or (self.rule is PairRule.JACCARD and self.is_similar)

    @property
    def is_similar(self) -> bool:
        """Whether the similarity reaches the threshold, whichever rule decided."""
        return self.jaccard is not None and self.jaccard >= self.threshold

    @property
    def why(self) -> str:
        """The reason in words."""
        if self.rule is not PairRule.JACCARD:
            return self.rule.value
        side = "at least" if self.included else "below"
        return f"Jaccard {self.jaccard:.4f}, {side} {self.threshold:g}"


def judge_pair(
    trait: ListedTrait,
    condition: ListedTrait | str,
    overlap: GeneOverlap,
    threshold: float = DEFAULT_THRESHOLD,
) -> PairVerdict:
    """Decide whether a trait is studied under a condition.

    The paper takes undecided pairs whose Jaccard similarity exceeds 0.1; its list holds the one
    pair of exactly 0.1 too, so a similarity equal to the threshold suffices here.
    """
    rule = _rule(trait, condition)
    jaccard = None if isinstance(condition, str) else overlap.jaccard(trait.name, condition.name)
    return PairVerdict(rule, jaccard, threshold)


def _rule(trait: ListedTrait, condition: ListedTrait | str) -> PairRule:
    if trait.condition_only:
        return PairRule.CONDITION_ONLY
    if condition == _AGE:
        return PairRule.AGE
    if isinstance(condition, str):
        return PairRule.GENDER if trait.sex is None else PairRule.ONE_SEX
    if trait.sex and condition.sex and trait.sex != condition.sex:
        return PairRule.OTHER_SEX
    if condition.universal:
        return PairRule.UNIVERSAL
    return PairRule.CANCERS if trait.is_cancer and condition.is_cancer else PairRule.JACCARD


def _candidate_conditions(
    trait: ListedTrait, traits: Iterable[ListedTrait]
) -> Iterator[ListedTrait | str]:
    """Yield every condition that a trait could be studied under: Age, Gender, all other traits."""
    yield from ONE_STEP_CONDITIONS
    yield from (other for other in traits if other.name != trait.name)


def build_conditions(
    traits: Sequence[ListedTrait],
    genes: Mapping[str, Sequence[str]],
    overlap: GeneOverlap,
    threshold: float = DEFAULT_THRESHOLD,
) -> dict[str, TraitInfo]:
    """Find the conditions of every trait.

    Parameters
    ----------
    traits
        All that may be trait or condition.
    genes
        Related genes; a trait that is not there has none.
    overlap
        The same genes, set against each other.
    threshold
        See `judge_pair`.

    Returns
    -------
    dict of str to TraitInfo
        In the order of `traits`. Of each trait Age and Gender come first, then other traits by
        falling Jaccard similarity, as in the published list; ties in the order of `traits`.
    """
    return {
        trait.name: TraitInfo(
            tuple(genes.get(trait.name, ())), _conditions(trait, traits, overlap, threshold)
        )
        for trait in traits
    }


def _conditions(
    trait: ListedTrait, traits: Sequence[ListedTrait], overlap: GeneOverlap, threshold: float
) -> tuple[str, ...]:
    taken: list[tuple[float, str]] = []
    for condition in _candidate_conditions(trait, traits):
        verdict = judge_pair(trait, condition, overlap, threshold)
        if verdict.included:
            name = condition if isinstance(condition, str) else condition.name
            # Age and Gender have no similarity and come before all that have one.
            taken.append((2.0 if verdict.jaccard is None else verdict.jaccard, name))
    return tuple(name for _, name in sorted(taken, key=lambda pair: -pair[0]))


@dataclass(frozen=True)
class ConditionFacts:
    """A trait under one condition."""

    condition: str  # Age, Gender or another trait
    kind: ProblemKind  # how the problem is solved
    listed: bool  # whether the list has this problem
    # genes related to both, in the order of the condition's; empty for Age and Gender
    shared: tuple[str, ...]
    # similarity of the related genes; None where the condition is no trait of the list
    jaccard: float | None
    # why the rules take or leave the pair, at the default threshold; None where the trait list
    # lacks trait or condition
    why: str | None


def describe_conditions(
    tasks: TaskInfo, trait: str, traits: TraitList
) -> tuple[ConditionFacts, ...]:
    """Describe every condition that the list gives a trait, in the order of the list."""
    trait = tasks.trait_name(trait)
    problems = (Problem(trait, name) for name in tasks.traits[trait].conditions)
    return tuple(_describe(tasks, problem, traits, listed=True) for problem in problems)


def describe_condition(
    tasks: TaskInfo, trait: str, condition: str, traits: TraitList
) -> ConditionFacts:
    """Describe a trait under one condition, whether the list has that problem or not."""
    trait = tasks.trait_name(trait)
    if condition not in ONE_STEP_CONDITIONS:
        condition = tasks.trait_name(condition)
    problem = Problem(trait, condition)
    listed = problem in {Problem(trait, name) for name in tasks.traits[trait].conditions}
    return _describe(tasks, problem, traits, listed=listed)


def _describe(
    tasks: TaskInfo, problem: Problem, traits: TraitList, *, listed: bool
) -> ConditionFacts:
    trait, condition = problem.trait, problem.condition or ""
    genes = {
        name: tasks.traits[name].related_genes
        for name in (trait, condition)
        if name in tasks.traits
    }
    overlap = GeneOverlap(genes)
    both = overlap.shared(trait, condition)
    return ConditionFacts(
        condition,
        problem.kind,
        listed,
        tuple(gene for gene in genes.get(condition, ()) if gene in both),
        overlap.jaccard(trait, condition) if condition in genes else None,
        _why(trait, condition, overlap, traits),
    )


def _why(trait: str, condition: str, overlap: GeneOverlap, traits: TraitList) -> str | None:
    of_trait = traits.traits.get(trait)
    of_condition = condition if condition in ONE_STEP_CONDITIONS else traits.traits.get(condition)
    if of_trait is None or of_condition is None:
        return None
    return judge_pair(of_trait, of_condition, overlap, DEFAULT_THRESHOLD).why


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
        for condition in _candidate_conditions(trait, traits):
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
