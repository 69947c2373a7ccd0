"""The benchmark's ``task_info.json``: what it records of each trait, its problems, its checks."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from genotex.errors import FormatError, UsageError
from genotex.genes import GeneTable
from genotex.io import atomic_write
from genotex.layout import trait_folder_name
from genotex.outside import read_json
from genotex.problems.problem import ONE_STEP_CONDITIONS, Problem, ProblemKind
from genotex.problems.trait_list import TraitList, list_names, nearest

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


_Severity = Literal["error", "warning"]
GENES, CONDITIONS = FIELDS


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or may be."""

    # an error makes problems that are wrong or cannot be run; a warning should be looked at
    severity: _Severity
    places: tuple[str, ...]  # where: a trait, or `trait/field`
    message: str
    advice: str  # what to do


def check_task_info(path: Path, genes: GeneTable) -> tuple[Finding, ...]:
    """Check a ``task_info.json`` and report every problem, where `TaskInfo.load` would stop.

    Parameters
    ----------
    path
        The file.
    genes
        Knows the official symbols.

    Returns
    -------
    tuple of Finding
        Errors first, each kind in the order of the file.

    Raises
    ------
    FormatError
        If the file cannot be read, is not JSON, or is no object.
    """
    content = read_content(path, _Object)
    lists = {field: _lists(content, field) for field in FIELDS}
    found = [
        *_repeated_keys(content),
        *_trait_names(content),
        *_entries(content),
        *_conditions(lists[CONDITIONS], tuple(content)),
        *_repeated_genes(lists[GENES]),
        *_conditions_without_genes(lists[CONDITIONS], lists[GENES]),
        *_symbols(lists[GENES], genes),
    ]
    return tuple(sorted(found, key=lambda finding: finding.severity != "error"))


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys it had more than once."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        self.repeated = _repeated(key for key, _ in pairs)


def _repeats(entry: object) -> tuple[str, ...]:
    return entry.repeated if isinstance(entry, _Object) else ()


def _repeated(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name, count in Counter(names).items() if count > 1)


def _lists(content: Mapping[str, Any], field: str) -> dict[str, list[str]]:
    """Return a field of every trait, as far as it is a list, and of it the names."""
    return {
        trait: [name for name in entry[field] if _is_name(name)]
        for trait, entry in content.items()
        if isinstance(entry, dict) and isinstance(entry.get(field), list)
    }


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip())


def _folded(name: str) -> str:
    """Return what is left of a name without case, apostrophes, blanks and dashes."""
    return "".join(filter(str.isalnum, name.casefold()))


def _repeated_keys(content: Mapping[str, Any]) -> Iterator[Finding]:
    advice = "of two entries only the last is read: join them or remove one"
    for trait in _repeats(content):
        yield Finding("error", (trait,), "this trait is listed more than once", advice)
    for trait, entry in content.items():
        for field in _repeats(entry):
            yield Finding(
                "error", (f"{trait}/{field}",), "this field is listed more than once", advice
            )


def _trait_names(content: Mapping[str, Any]) -> Iterator[Finding]:
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for trait in content:
        alike[_folded(trait)].append(trait)
        try:
            name = trait_folder_name(trait)
        except UsageError as error:
            yield Finding("error", (trait,), str(error), "rename it")
            continue
        if name in ONE_STEP_CONDITIONS:
            yield Finding("error", (trait,), "is a covariate, not a trait", "remove it")
        elif name != trait:
            message = "is not the name of a trait folder"
            yield Finding("error", (trait,), message, f"rename it to {name}")
    for traits in alike.values():
        if len(traits) > 1:
            message = f"{' and '.join(traits)} differ in spelling only"
            yield Finding("error", tuple(traits), message, "join them")


def _entries(content: Mapping[str, Any]) -> Iterator[Finding]:
    for trait, entry in content.items():
        if not isinstance(entry, dict):
            message = f"contains a {type(entry).__name__} where an object is expected"
            yield Finding("error", (trait,), message, f"give it {' and '.join(FIELDS)}")
            continue
        for field in FIELDS:
            place, names = (f"{trait}/{field}",), entry.get(field)
            if field not in entry:
                yield Finding("error", place, "is missing", "an empty list is fine")
            elif not isinstance(names, list):
                message = f"contains a {type(names).__name__} where a list of names is expected"
                yield Finding("error", place, message, "give a list of names")
            else:
                for name in names:
                    if not _is_name(name):
                        message = f"contains {name!r}, which is not a name"
                        yield Finding("error", place, message, "remove it or correct it")


def _conditions(conditions: Mapping[str, list[str]], traits: tuple[str, ...]) -> Iterator[Finding]:
    by_spelling = {_folded(name): name for name in (*traits, *ONE_STEP_CONDITIONS)}
    for trait, names in conditions.items():
        place = (f"{trait}/{CONDITIONS}",)
        for name in _repeated(_folded(name) for name in names):
            message = f"{by_spelling.get(name, name)} is listed more than once"
            yield Finding("error", place, message, "list it once")
        for name in dict.fromkeys(names):
            if _folded(name) == _folded(trait):
                yield Finding("error", place, "the trait is its own condition", "remove it")
            elif not _is_known(name, traits):
                message = f"{name} is neither {' nor '.join(ONE_STEP_CONDITIONS)} nor a trait here"
                advice = _spelling_advice(name, by_spelling, traits)
                yield Finding("error", place, message, advice)


def _is_known(condition: str, traits: Collection[str]) -> bool:
    """Return whether a condition is known, after `Problem` has turned it into a folder name."""
    try:
        name = trait_folder_name(condition)
    except UsageError:
        return False
    return name in ONE_STEP_CONDITIONS or name in traits


def _spelling_advice(name: str, by_spelling: Mapping[str, str], traits: Iterable[str]) -> str:
    meant = by_spelling.get(_folded(name)) or next(iter(nearest(name, traits)), None)
    return f"write {meant}, if that is meant" if meant else "add the trait or remove the condition"


def _repeated_genes(genes: Mapping[str, list[str]]) -> Iterator[Finding]:
    for trait, names in genes.items():
        for name in _repeated(names):
            message = f"{name} is listed more than once"
            yield Finding("warning", (f"{trait}/{GENES}",), message, "list it once")


def _conditions_without_genes(
    conditions: Mapping[str, list[str]], genes: Mapping[str, list[str]]
) -> Iterator[Finding]:
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for trait, names in conditions.items():
        for name in names:
            if not genes.get(name, True):
                asked[name].append(f"{trait}/{CONDITIONS}")
    for name, places in asked.items():
        message = f"{name} has no related gene, by which it could be predicted as a condition"
        advice = "give it related genes, or take it out of the conditions"
        yield Finding("warning", tuple(places), message, advice)


def _symbols(genes: Mapping[str, list[str]], table: GeneTable) -> Iterator[Finding]:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for trait, names in genes.items():
        for name in dict.fromkeys(names):
            if table.official.get(name.upper()) != name:
                places[name].append(f"{trait}/{GENES}")
    for name, listed in places.items():
        yield Finding("warning", tuple(listed), *_about_symbol(name, table))


def _about_symbol(name: str, table: GeneTable) -> tuple[str, str]:
    """Return what a name that is no official symbol is instead, and what to do about it."""
    dated = f"the gene table of {table.source.date or 'unknown date'}"
    newer = "if this file is the newer one, give a newer table with --gene-table"
    genes = table.alias_genes.get(name.upper(), ())
    if (official := table.official.get(name.upper())) or len(genes) == 1:
        return f"{name} is no official symbol of {dated}", f"write {official or genes[0]}; {newer}"
    if genes:
        return f"{name} is another name of {' and '.join(genes)}", "write the one that is meant"
    return f"{name} is not in {dated}", f"mend or remove it; {newer}"
