"""How many problems a list makes, of which kinds, and how many genes its traits have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from genotex.bench.problems.problem import Problem, ProblemKind
from genotex.bench.problems.task_info import TaskInfo
from genotex.bench.problems.trait_list import TraitList

__all__ = ["CategoryCount", "GeneCount", "ProblemCounts", "count_problems"]

NO_CATEGORY = "not in the trait list"


@dataclass(frozen=True)
class GeneCount:
    """Related genes per trait.

    Attributes
    ----------
    least, most : int
        Fewest and most of a trait.
    median : float
        Of all traits.
    distinct : int
        Different genes of all traits together.
    """

    least: int
    median: float
    most: int
    distinct: int


@dataclass(frozen=True)
class CategoryCount:
    """Traits and problems of one category, and the median of related genes per trait."""

    category: str
    title: str
    traits: int
    problems: int
    conditional: int
    median_genes: float


@dataclass(frozen=True)
class ProblemCounts:
    """What a list comes to.

    Attributes
    ----------
    traits : int
        Number of traits.
    kinds : mapping of ProblemKind to int
        Problems of each kind.
    genes : GeneCount
        Related genes per trait.
    without_genes : tuple of str
        Traits without a related gene.
    without_conditions : tuple of str
        Traits that make no conditional problem.
    conditions : mapping of str to int
        Condition -> problems with it, the most frequent first.
    categories : tuple of CategoryCount
        In the order of the trait list; traits that it lacks come last.
    """

    traits: int
    kinds: Mapping[ProblemKind, int]
    genes: GeneCount
    without_genes: tuple[str, ...]
    without_conditions: tuple[str, ...]
    conditions: Mapping[str, int]
    categories: tuple[CategoryCount, ...]

    @property
    def conditional(self) -> int:
        """Number of problems with a condition."""
        return sum(n for kind, n in self.kinds.items() if kind is not ProblemKind.UNCONDITIONAL)


def count_problems(tasks: TaskInfo, traits: TraitList) -> ProblemCounts:
    """Count the problems of a list.

    Parameters
    ----------
    tasks : TaskInfo
        The list.
    traits : TraitList
        Knows the categories.
    """
    problems = tasks.problems()
    kinds = Counter(problem.kind for problem in problems)
    sizes = [len(info.related_genes) for info in tasks.traits.values()] or [0]
    distinct = {gene for info in tasks.traits.values() for gene in info.related_genes}
    conditions = Counter(p.condition for p in problems if p.condition is not None)
    return ProblemCounts(
        len(tasks.traits),
        {kind: kinds[kind] for kind in ProblemKind},
        GeneCount(min(sizes), median(sizes), max(sizes), len(distinct)),
        tuple(trait for trait, info in tasks.traits.items() if not info.related_genes),
        tuple(trait for trait, info in tasks.traits.items() if not info.conditions),
        dict(conditions.most_common()),
        tuple(_by_category(tasks, traits, problems)),
    )


def _by_category(
    tasks: TaskInfo, traits: TraitList, problems: Iterable[Problem]
) -> Iterable[CategoryCount]:
    asked = Counter(traits.category(problem.trait) for problem in problems)
    for category in (*traits.categories, None):
        members = [trait for trait in tasks.traits if traits.category(trait) == category]
        if members:
            yield CategoryCount(
                category or "",
                NO_CATEGORY if category is None else traits.categories[category],
                len(members),
                asked[category],
                asked[category] - len(members),
                median(len(tasks.traits[trait].related_genes) for trait in members),
            )
