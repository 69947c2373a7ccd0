"""What a list and its genes say about a trait and one condition."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.bench.problems.gene_overlap import GeneOverlap
from genotex.bench.problems.pair_rules import DEFAULT_THRESHOLD, judge_pair
from genotex.bench.problems.problem import ONE_STEP_CONDITIONS, Problem, ProblemKind
from genotex.bench.problems.task_info import TaskInfo
from genotex.bench.problems.trait_list import TraitList

__all__ = ["ConditionFacts", "describe_condition", "describe_conditions"]


@dataclass(frozen=True)
class ConditionFacts:
    """A trait under one condition.

    Attributes
    ----------
    condition : str
        Age, Gender or another trait.
    kind : ProblemKind
        How the problem is solved.
    listed : bool
        Whether the list has this problem.
    shared : tuple of str
        Genes related to both, in the order of the condition's; empty for Age and Gender.
    jaccard : float or None
        Similarity of the related genes; None where the condition is no trait of the list.
    why : str or None
        Why the rules take or leave the pair, at the default threshold; None where the trait list
        lacks trait or condition.
    """

    condition: str
    kind: ProblemKind
    listed: bool
    shared: tuple[str, ...]
    jaccard: float | None
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
    """Describe a trait under one condition, whether the list has that problem or not.

    Parameters
    ----------
    tasks : TaskInfo
        The list.
    trait : str
        A trait of it.
    condition : str
        Age, Gender or another trait of it.
    traits : TraitList
        What the rules must know of both.

    Raises
    ------
    UsageError
        If the list lacks trait or condition, or both are the same.
    """
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
