"""The benchmark's list of traits: what is known about each, and which problems they make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from genotex.errors import FormatError, UsageError
from genotex.layout import trait_folder_name
from genotex.problems.problem import Problem

__all__ = ["TaskInfo", "TraitInfo"]

FIELDS = ("related_genes", "conditions")
MOST_NAMED = 10
"""Of more traits, only those with a similar name are named."""
NEAREST = 3


@dataclass(frozen=True)
class TraitInfo:
    """What the benchmark records about a trait.

    Attributes
    ----------
    related_genes : tuple of str
        Official symbols, in the order of the file (Open Targets, direct score above 0.2).
    conditions : tuple of str
        Conditions that make problems with this trait, ``Age`` and ``Gender`` among them.
    """

    related_genes: tuple[str, ...]
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class TaskInfo:
    """All traits of a ``task_info.json``, in the order of the file.

    Attributes
    ----------
    path : Path
        The file it was read from.
    traits : mapping of str to TraitInfo
        By trait folder name.
    """

    path: Path
    traits: Mapping[str, TraitInfo]

    @classmethod
    def load(cls, path: Path) -> TaskInfo:
        """Read a ``task_info.json`` (GenoTEX README, section 5).

        Raises
        ------
        FormatError
            If the file cannot be read or a trait lacks a field or holds something else in it.
        """
        try:
            content = json.loads(path.read_bytes())
        except OSError as error:
            msg = f"cannot be read: {error.strerror}"
            raise FormatError(msg, path=path, hint="give the path of a task_info.json") from error
        except ValueError as error:
            msg = f"is not JSON: {error}"
            raise FormatError(msg, path=path, hint="download the file again") from error
        if not isinstance(content, dict):
            msg = f"holds a {type(content).__name__} where an object of traits is expected"
            raise FormatError(msg, path=path)
        return cls(path, {name: _trait_info(path, name, entry) for name, entry in content.items()})

    def related_genes(self, trait: str) -> tuple[str, ...]:
        """Return the related genes of a trait.

        Raises
        ------
        UsageError
            If the file does not know the trait.
        """
        info = self.traits.get(trait_folder_name(trait))
        if info is None:
            msg = f"{self.path} has no trait {trait!r}; {_there(trait, tuple(self.traits))}"
            raise UsageError(msg)
        return info.related_genes

    def problems(self) -> tuple[Problem, ...]:
        """Return every problem: each trait alone, then with each of its conditions."""
        return tuple(
            Problem(trait, condition)
            for trait, info in self.traits.items()
            for condition in (None, *info.conditions)
        )


def _there(asked: str, names: tuple[str, ...]) -> str:
    """Tell which traits there are: all of a few, else how many and the nearest in spelling."""
    if len(names) <= MOST_NAMED:
        return f"it has {', '.join(names) or 'none'}"
    lower = {name.lower(): name for name in names}
    wanted = trait_folder_name(asked).lower()
    near = [lower[name] for name in get_close_matches(wanted, lower, n=NEAREST)]
    told = f"it has {len(names)} others"
    return f"{told}; the nearest in spelling: {', '.join(near)}" if near else told


def _trait_info(path: Path, trait: str, entry: object) -> TraitInfo:
    try:
        name = trait_folder_name(trait)
    except UsageError as error:
        raise FormatError(str(error), path=path, field=trait) from error
    if name != trait:
        msg = "is not the name of a trait folder"
        raise FormatError(msg, path=path, field=trait, hint=f"rename it to {name}")
    if not isinstance(entry, dict):
        msg = f"holds a {type(entry).__name__} where an object with {FIELDS} is expected"
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
        msg = f"holds a {type(names).__name__} where a list of names is expected"
        raise FormatError(msg, path=path, field=place)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            msg = f"holds {name!r}, which is no name"
            raise FormatError(msg, path=path, field=place)
    return tuple(names)
