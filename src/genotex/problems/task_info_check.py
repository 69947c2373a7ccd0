"""Checks of a ``task_info.json``: every finding with its place and what to do."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from genotex.errors import UsageError
from genotex.genes import GeneTable
from genotex.layout import trait_folder_name
from genotex.problems.problem import ONE_STEP_CONDITIONS
from genotex.problems.task_info import FIELDS, read_content
from genotex.problems.trait_list import nearest

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
