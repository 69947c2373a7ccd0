"""The benchmark's ``task_info.json``: what it records of each trait, and which problems follow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from genotex.errors import FormatError, UsageError
from genotex.io import atomic_write
from genotex.layout import trait_folder_name
from genotex.outside import read_json
from genotex.problems.problem import Problem, ProblemKind
from genotex.problems.trait_list import TraitList, list_names

FIELDS = ("related_genes", "conditions")
WHERE_TO_GET = (
    "'genotex fetch benchmark' prints where the published one is, 'genotex problems build' makes "
    "one"
)
"""Hint where a task list is needed and missing."""


@dataclass(frozen=True)
class TraitInfo:
    """What the benchmark records about a trait."""

    # official symbols, in the order of the file (Open Targets, direct score above 0.2)
    related_genes: tuple[str, ...]
    # conditions that make problems with this trait, `Age` and `Gender` among them
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class TaskInfo:
    """All traits of a ``task_info.json``, in the order of the file."""

    path: Path  # the file it was read from
    traits: Mapping[str, TraitInfo]  # by trait folder name

    @classmethod
    def load(cls, path: Path) -> TaskInfo:
        """Read a ``task_info.json`` (GenoTEX README, section 5)."""
        content = read_content(path)
        return cls(path, {name: _trait_info(path, name, entry) for name, entry in content.items()})

    def trait_name(self, trait: str) -> str:
        """Return the name of a trait in this file."""
        name = trait_folder_name(trait)
        if name not in self.traits:
            msg = f"{self.path} has no trait {trait!r}; {list_names(trait, self.traits)}"
            raise UsageError(msg)
        return name

    def related_genes(self, trait: str) -> tuple[str, ...]:
        """Return the related genes of a trait."""
        return self.traits[self.trait_name(trait)].related_genes

    def problems(self) -> tuple[Problem, ...]:
        """Return every problem: each trait alone, then with each of its conditions."""
        return tuple(
            Problem(trait, condition)
            for trait, info in self.traits.items()
            for condition in (None, *info.conditions)
        )


def write_task_info(path: Path, traits: Mapping[str, TraitInfo]) -> None:
    """Write a ``task_info.json`` as the benchmark does, whole or not at all.

    Reading the published file and writing it again gives the same bytes.
    """
    content = {
        trait: {"related_genes": info.related_genes, "conditions": info.conditions}
        for trait, info in traits.items()
    }
    with atomic_write(path) as part:
        part.write_text(json.dumps(content, indent=4), encoding="ascii", newline="\n")


def read_content(path: Path, kind: type[dict[str, Any]] = dict) -> dict[str, Any]:
    """Return what a ``task_info.json`` holds, unchecked."""
    try:
        again = "download the file again"
        content = read_json(path, again, words="is not JSON", pairs=kind)
    except FormatError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        hint = f"give the path of a task_info.json; {WHERE_TO_GET}"
        raise FormatError(error.message, path=path, hint=hint) from error
    if not isinstance(content, dict):
        msg = f"contains a {type(content).__name__} where an object of traits is expected"
        raise FormatError(msg, path=path)
    return content


def _trait_info(path: Path, trait: str, entry: object) -> TraitInfo:
    try:
        name = trait_folder_name(trait)
    except UsageError as error:
        raise FormatError(str(error), path=path, field=trait) from error
    if name != trait:
        msg = "is not the name of a trait folder"
        raise FormatError(msg, path=path, field=trait, hint=f"rename it to {name}")
    if not isinstance(entry, dict):
        msg = f"contains a {type(entry).__name__} where an object with {FIELDS} is expected"
        raise FormatError(msg, path=path, field=trait)
    genes, conditions = (_names(path, trait, entry, field) for field in FIELDS)
    for condition in conditions:
        try:
            Problem(trait, condition)
        except UsageError as error:
            raise FormatError(str(error), path=path, field=f"{trait}/conditions") from error
    return TraitInfo(genes, conditions)


def _names(path: Path, trait: str, entry: Mapping[str, object], field: str) -> tuple[str, ...]:
    place = f"{trait}/{field}"
    if field not in entry:
        msg = "is missing"
        raise FormatError(msg, path=path, field=place, hint="an empty list is fine")
    names = entry[field]
    if not isinstance(names, list):
        msg = f"contains a {type(names).__name__} where a list of names is expected"
        raise FormatError(msg, path=path, field=place)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            msg = f"contains {name!r}, which is not a name"
            raise FormatError(msg, path=path, field=place)
    return tuple(names)


_NO_CATEGORY = "not in the trait list"


@dataclass(frozen=True)
class GeneCount:
    """Related genes per trait."""

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
    """What a list comes to."""

    traits: int
    kinds: Mapping[ProblemKind, int]
    genes: GeneCount
    without_genes: tuple[str, ...]  # traits without a related gene
    without_conditions: tuple[str, ...]  # traits that make no conditional problem
    conditions: Mapping[str, int]  # condition -> problems with it, the most frequent first
    # in the order of the trait list; traits that it lacks come last
    categories: tuple[CategoryCount, ...]

    @property
    def conditional(self) -> int:
        """Number of problems with a condition."""
        return sum(n for kind, n in self.kinds.items() if kind is not ProblemKind.UNCONDITIONAL)


def count_problems(tasks: TaskInfo, traits: TraitList) -> ProblemCounts:
    """Count the problems of a list."""
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
                _NO_CATEGORY if category is None else traits.categories[category],
                len(members),
                asked[category],
                asked[category] - len(members),
                median(len(tasks.traits[trait].related_genes) for trait in members),
            )
