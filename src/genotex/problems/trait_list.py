"""The trait list with the facts that pairing needs, and the disease ids of each trait."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast, get_args

from genotex.errors import FormatError, UsageError
from genotex.formats import decode, read_bytes
from genotex.layout import trait_folder_name
from genotex.outside import packaged, parse_json, parse_toml

_MOST_NAMED = 10
"""Of more names, only those with a similar spelling are listed."""
_NEAREST = 3


def nearest(asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to three names that are spelled like the one asked for, the most similar first."""
    lower = {name.lower(): name for name in names}
    wanted = "_".join(asked.lower().split())
    return tuple(lower[name] for name in get_close_matches(wanted, lower, n=_NEAREST))


def list_names(asked: str, names: Iterable[str]) -> str:
    """List the known names: all of a few, else how many and the nearest in spelling."""
    names = tuple(names)
    if len(names) <= _MOST_NAMED:
        return f"it has {', '.join(names) or 'none'}"
    others = f"it has {len(names)} others"
    near = nearest(asked, names)
    return f"{others}; the nearest in spelling: {', '.join(near)}" if near else others


_Sex = Literal["female", "male"]
_CANCER = "cancer"
_CONDITION_ONLY = "condition-only"
_TABLES = ("categories", "traits")
_KEYS = ("category", "sex", "role", "universal", "diseases")
_HINT = "see docs/problems.md for a trait list of your own"


@dataclass(frozen=True)
class ListedTrait:
    """A trait in the trait list."""

    name: str
    category: str  # key of one of the list's categories
    sex: _Sex | None = None  # the only sex that can have it
    condition_only: bool = False  # never the trait of a conditional problem
    universal: bool = False  # the condition of every trait
    diseases: tuple[str, ...] = ()  # ids at Open Targets; may be empty

    @property
    def is_cancer(self) -> bool:
        """Whether it belongs to the category of cancers, of which no two make a pair."""
        return self.category == _CANCER


@dataclass(frozen=True)
class TraitList:
    """Traits by name, in the order of the list, and the categories they belong to."""

    traits: Mapping[str, ListedTrait]  # by trait folder name
    categories: Mapping[str, str]  # key of a category -> its title
    source: Path | None = None  # the file it was read from; None for the packaged list

    @classmethod
    def load(cls, path: Path | None = None) -> TraitList:
        """Read a trait list."""
        if path is None:
            return _parse(packaged("genotex.problems", "data/traits.toml").decode(), None)
        return _parse(decode(read_bytes(path, "document")), path)

    def category(self, trait: str) -> str | None:
        """Return the category of a trait, None where the list does not know it."""
        listed = self.traits.get(trait)
        return None if listed is None else listed.category

    def known_category(self, asked: str) -> str:
        """Return a category by its key, in any case."""
        if (key := asked.strip().lower()) not in self.categories:
            msg = f"the trait list has no category {asked!r}; {list_names(asked, self.categories)}"
            raise UsageError(msg)
        return key

    def among(self, traits: Iterable[str]) -> tuple[ListedTrait, ...]:
        """Return some of the traits, in the order in which they are named."""
        traits = tuple(traits)
        missing = [trait for trait in traits if trait not in self.traits]
        if missing:
            near = nearest(missing[0], self.traits)
            meant = f" (near to {missing[0]}: {', '.join(near)})" if near else ""
            shown = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
            msg = (
                f"{self.source or 'the packaged trait list'} lacks {len(missing)} of "
                f"{len(traits)} traits: {shown}{meant}; give a list that has them with --traits"
            )
            raise UsageError(msg)
        return tuple(self.traits[trait] for trait in traits)


def _disease_list(value: object, path: Path | None, place: str) -> tuple[str, ...]:
    """Return one disease id, or a list of them, in the form of Open Targets (``EFO_0000270``)."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v.strip() for v in values):
        msg = f"is {str(value)[:40]!r}, neither a disease id nor a list of them"
        raise FormatError(msg, path=path, field=place, hint='write an id, as "EFO_0000270"')
    return tuple(dict.fromkeys(v.strip().replace(":", "_") for v in values))


def _parse(text: str, path: Path | None) -> TraitList:
    content = parse_toml(text, path, _HINT)
    _refuse_unknown(content, _TABLES, path, None)
    tables = [_table(content.get(name, {}), path, name) for name in _TABLES]
    categories, entries = tables
    for key, title in categories.items():
        if not isinstance(title, str) or key != key.lower():
            msg = "a category is a key in lower case and a title"
            raise FormatError(msg, path=path, field=f"categories.{key}", hint=_HINT)
    if not entries:
        msg = "lists no trait"
        raise FormatError(msg, path=path, field="traits", hint=_HINT)
    listed = [_listed(name, entry, categories, path) for name, entry in entries.items()]
    return TraitList({trait.name: trait for trait in listed}, categories, path)


def _listed(
    trait: str, entry: object, categories: Collection[str], path: Path | None
) -> ListedTrait:
    place = f"traits.{trait}"
    try:
        name = trait_folder_name(trait)
    except UsageError as error:
        raise FormatError(str(error), path=path, field=place) from error
    if name != trait:
        msg = "is not the name of a trait folder"
        raise FormatError(msg, path=path, field=place, hint=f"rename it to {name}")
    facts = _table(entry, path, place)
    _refuse_unknown(facts, _KEYS, path, place)
    category = _one_of(facts.get("category"), categories, path, f"{place}.category")
    sex, role = facts.get("sex"), facts.get("role")
    if sex is not None:
        _one_of(sex, get_args(_Sex), path, f"{place}.sex")
    if role is not None:
        _one_of(role, (_CONDITION_ONLY,), path, f"{place}.role")
    universal = facts.get("universal", False)
    if not isinstance(universal, bool):
        msg = f"is {universal!r}, not true or false"
        raise FormatError(msg, path=path, field=f"{place}.universal")
    return ListedTrait(
        name,
        category,
        cast(_Sex | None, sex),
        role == _CONDITION_ONLY,
        universal,
        _disease_list(facts.get("diseases", []), path, f"{place}.diseases"),
    )


def _table(value: object, path: Path | None, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        msg = f"is {str(value)[:40]!r}, not a table"
        raise FormatError(msg, path=path, field=place, hint=_HINT)
    return value


def _refuse_unknown(
    there: Iterable[str], known: tuple[str, ...], path: Path | None, place: str | None
) -> None:
    for key in there:
        if key not in known:
            msg = f"{key!r} is not known here; known: {', '.join(known)}"
            raise FormatError(msg, path=path, field=place, hint=_HINT)


def _one_of(value: object, known: Collection[str], path: Path | None, place: str) -> str:
    if not isinstance(value, str) or value not in known:
        found = "is missing" if value is None else f"is {str(value)[:40]!r}"
        msg = f"{found}; it must be {' or '.join(known)}"
        raise FormatError(msg, path=path, field=place, hint=_HINT)
    return value


_ID = re.compile(r"[A-Za-z]+_\w+")
_IDS_HINT = "give lines of trait, tab, id such as EFO_0000270, or a JSON or TOML table of the same"


def read_disease_ids(path: Path) -> dict[str, tuple[str, ...]]:
    """Read which disease ids belong to which trait."""
    text = decode(read_bytes(path, "document"))
    found: dict[str, tuple[str, ...]] = {}
    for place, trait, value in _id_entries(text, path):
        try:
            name = trait_folder_name(trait)
        except UsageError as error:
            raise FormatError(str(error), path=path, field=place) from error
        ids = _disease_list(value, path, place)
        for disease in ids:
            if not _ID.fullmatch(disease):
                msg = f"{disease!r} is not an Open Targets disease id"
                raise FormatError(msg, path=path, field=place, hint=_IDS_HINT)
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *ids)))
    if not found:
        msg = "contains no trait"
        raise FormatError(msg, path=path, hint=_IDS_HINT)
    return found


def _id_entries(text: str, path: Path) -> list[tuple[str, str, object]]:
    if text.lstrip().startswith(("{", "[")) and path.suffix.lower() != ".toml":
        return _of_table(_read_json(text, path))
    if path.suffix.lower() == ".toml":
        return _of_table(parse_toml(text, path, _IDS_HINT, words="is no TOML"))
    return _of_lines(text, path)


def _of_table(table: Mapping[str, Any]) -> list[tuple[str, str, object]]:
    return [(trait, trait, value) for trait, value in table.items()]


def _of_lines(text: str, path: Path) -> list[tuple[str, str, object]]:
    found: list[tuple[str, str, object]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        trait, tab, ids = line.partition("\t")
        if not line.strip() or line.startswith("#") or (number == 1 and trait.lower() == "trait"):
            continue
        if not tab:
            msg = "has no tab between trait and id"
            raise FormatError(msg, path=path, line=number, hint=_IDS_HINT)
        first_cell = ids.partition("\t")[0]
        found.append((f"line {number}", trait, re.split(r"\s*[,;|]\s*", first_cell.strip())))
    return found


def _read_json(text: str, path: Path) -> Mapping[str, Any]:
    content = parse_json(text, path, _IDS_HINT, words="is not JSON")
    if not isinstance(content, dict):
        msg = "contains a list where an object of traits is expected"
        raise FormatError(msg, path=path, hint=_IDS_HINT)
    return content
