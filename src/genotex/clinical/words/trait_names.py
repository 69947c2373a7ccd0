"""Names of traits: the words that a name gives, and which listed trait it means."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from genotex.clinical.words.wording import Terms
from genotex.errors import UsageError
from genotex.features import load_wording, simplify

_SHORTEST_INITIALS = 3
_LONGEST_ACRONYM = 3
_IN_BRACKETS = re.compile(r"\(([^)]*)\)")
_OF_VIRUS = re.compile(r"((?:\w+ ){1,3}virus) (?:infection|disease)")
_LAST_WORD = re.compile(r"[\W_]+\w+\W*$")


def table_of_name(name: str) -> dict[str, Any]:
    """Return the trait table that a name alone gives."""
    # Keys of a trait table, those without words left out. A name of up to three letters is an
    # acronym, so that "ALL" is not the word "all".
    levels = _levels_of_name(name)
    terms, short = _terms_of_name(name)
    terms += _species_of(terms)
    resisting = name.lower().endswith("resistance")
    table: dict[str, Any] = {
        "terms": [] if levels else [*terms, *adjectives(terms)],
        "healthy": ["parental", "sensitive", "responsive"] if resisting else [],
        "acronyms": list(dict.fromkeys([*short, *_acronyms_of_name(name)])),
        "levels": levels,
        "quantity": bool(levels),
        "cancer": _cancer_by_name(name),
    }
    return {key: value for key, value in table.items() if value}


def _terms_of_name(name: str) -> tuple[list[str], list[str]]:
    """Return the terms that a name gives, and those too short to be words."""
    lists = load_wording()["names"]
    full = _readable(name)
    inside = [part for part in _IN_BRACKETS.findall(name) if len(part.split("_")) > 1]
    found = [full, *(_readable(part) for part in inside)]
    words = simplify(full).split()
    if len(words) > 1 and words[-1] in lists["generic"]:
        core = _LAST_WORD.sub("", full)
        if core.strip() and not _is_too_wide(simplify(core)):
            found.append(core)
    found = [text for text in dict.fromkeys(found) if simplify(text)]
    short = [text for text in found if len(simplify(text)) <= _LONGEST_ACRONYM]
    terms = [text for text in found if text not in short]
    as_given = [name] if simplify(name) == simplify(full) and full in short else []
    return terms, list(dict.fromkeys([*as_given, *(text.upper() for text in short)]))


def _species_of(terms: Iterable[str]) -> list[str]:
    """Return "h pylori" for "helicobacter pylori", the name of an infection without "infection"."""
    pairs = (simplify(term).split() for term in terms)
    species = load_wording()["names"]["species"]
    return [
        f"{words[0][0]} {words[1]}"
        for words in pairs
        if len(words) == 2 and words[0].endswith(tuple(species))
    ]


def _codes_of_viruses(terms: Iterable[str]) -> list[str]:
    """Return "HCV" for "hepatitis c virus infection"."""
    hits = filter(None, (_OF_VIRUS.fullmatch(simplify(term)) for term in terms))
    found = {"".join(word[0] for word in hit[1].split()).upper() for hit in hits}
    return sorted(code for code in found if len(code) >= _SHORTEST_INITIALS)


def _is_too_wide(core: str) -> bool:
    """Return whether a name without "disease" names an organ or is an adjective of one."""
    lists = load_wording()["names"]
    words = core.split()
    if core in lists["too_wide"] or words[-1] in lists["anatomy"]:
        return True
    return len(words) == 1 and core.endswith(tuple(lists["of_organ"]))


def adjectives(phrases: Iterable[str]) -> list[str]:
    """Return "hypertensive" for "hypertension", and so for the last word of each name."""
    endings = load_wording()["adjectives"]
    nouns = tuple(endings)
    return [
        phrase[: len(phrase) - len(noun)] + adjective
        for phrase in phrases
        if phrase.endswith(nouns)
        for noun, adjectives in endings.items()
        if phrase.endswith(noun)
        for adjective in adjectives
    ]


def _readable(name: str) -> str:
    """Return a name in lower case without brackets and underscores, plural "s" and all."""
    text = " ".join(_IN_BRACKETS.sub(" ", name).replace("_", " ").split())
    lower = text.lower()
    return lower if simplify(lower) == simplify(text) else simplify(text)


def _acronyms_of_name(name: str) -> list[str]:
    found = [part for part in _IN_BRACKETS.findall(name) if len(part.split("_")) == 1]
    words = simplify(_readable(name)).split()
    if len(words) >= _SHORTEST_INITIALS:
        found.append("".join(word[0] for word in words).upper())
    return [text for text in found if simplify(text)]


def _cancer_by_name(name: str) -> bool:
    """Return whether a name is that of a cancer: "Lung cancer", "Thymoma", but not "Glaucoma"."""
    words = simplify(name).split()
    if not words:
        return False
    is_oma = words[-1].endswith("oma") and words[-1] not in load_wording()["endings"]["no_tumor"]
    return is_oma or not set(words).isdisjoint(load_wording()["names"]["cancer"])


def _levels_of_name(name: str) -> list[str]:
    text = _readable(name)
    words = simplify(text).split()
    if not words or words[-1] not in load_wording()["names"]["quantity"]:
        return []
    shorter = [_LAST_WORD.sub("", text)] if words[-1] == "level" and len(words) > 1 else []
    codes = [word for word in words if any(map(str.isdigit, word)) and any(map(str.isalpha, word))]
    stem = words[:-1] if words[-1] == "level" else words
    initials = ["".join(word[0] for word in stem)] if len(stem) >= _SHORTEST_INITIALS else []
    return [text, *shorter, *codes, *initials, *(f"hs{code}" for code in initials)]


@dataclass(frozen=True, eq=False)  # one object for each trait, so that answers can be kept by it
class TraitWords:
    """How one trait is named."""

    name: str  # The trait's name in words
    terms: Terms  # Names of the trait itself
    includes: Terms  # Narrower conditions that count as the trait
    broader: Terms  # Wider words, for rows without a more exact one
    excludes: Terms  # Phrases that look like the trait and are not, and other conditions beside it
    sites: Terms  # Organs of a cancer; empty otherwise
    cell_lines: Terms  # Cell lines that represent the disease
    genes: Terms  # Genes whose inherited mutation is the disease
    levels: Terms  # Keys of a measured level; empty when the trait is no quantity
    scales: Terms  # Keys of symptom scores that measure the trait in people
    low: Terms  # Words of low and high groups of a level
    high: Terms  # Words of low and high groups of a level
    unit: str  # Usual unit of the level; empty when unknown
    low_is_case: bool  # Whether the low end of the level is the trait, as in osteoporosis
    healthy: Terms  # Words of this trait's own controls
    is_cancer: bool  # Whether tumour against normal tissue is the trait
    # Whether the trait is one of several tumours of its organ, so that "kidney tumour" leaves open
    # whether it is meant
    is_subtype: bool
    is_level: bool  # Whether the trait is a quantity and no disease
    names: tuple[str, ...] = ()  # Names that a short code may stand for
    level_names: tuple[str, ...] = ()  # Keys of a measured level, simplified
    acronyms: frozenset[str] = frozenset()  # Abbreviations of the trait, as they are written
    is_listed: bool = True  # Whether the vocabulary lists the trait; else name and lexicon give it


def full_table(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return all words of a trait, including those of its own name."""
    # Keys of a trait table. A table with ``replace = true`` is used as it is, so that a user can
    # take out even words of the name.
    if not entry:
        return table_of_name(name)
    table = {key: value for key, value in entry.items() if key != "replace"}
    if entry.get("replace") or entry.get("quantity"):
        return table
    terms, acronyms = _terms_of_name(name)
    table["terms"] = list(dict.fromkeys([*entry.get("terms", ()), *terms]))
    if acronyms:
        table["acronyms"] = list(dict.fromkeys([*entry.get("acronyms", ()), *acronyms]))
    return table


def trait_words(
    name: str, table: Mapping[str, Any], words: Mapping[str, Sequence[str]]
) -> TraitWords:
    """Return the words of a trait as terms."""

    def terms(*kinds: str) -> Terms:
        return Terms(*(table.get(kind, ()) for kind in kinds))

    is_level = bool(table.get("quantity", False))
    return TraitWords(
        name=name.replace("_", " "),
        terms=Terms(
            table.get("terms", ()),
            [*table.get("acronyms", ()), *_codes_of_viruses(table.get("terms", ()))],
        ),
        includes=terms("includes", "include_acronyms"),
        broader=terms("broader"),
        excludes=Terms(
            [*table.get("excludes", ()), *table.get("near_misses", ())],
            table.get("near_miss_acronyms", ()),
        ),
        sites=terms("sites"),
        cell_lines=terms("cell_lines"),
        genes=Terms((), table.get("genes", ())),
        levels=terms("levels"),
        scales=terms("scales"),
        low=Terms([*table.get("low", ()), *words["low"]]),
        high=Terms([*table.get("high", ()), *words["high"]]),
        unit=str(table.get("unit", "")),
        low_is_case=str(table.get("direction")) == "low" and not is_level,
        healthy=terms("healthy", "healthy_acronyms"),
        is_cancer=bool(table.get("cancer", bool(table.get("sites")) or _cancer_by_name(name))),
        is_subtype=bool(table.get("subtype", False)),
        is_level=is_level,
        level_names=tuple(map(simplify, table.get("levels", ()))),
        acronyms=frozenset(table.get("acronyms", ())),
        names=tuple(
            dict.fromkeys(
                [name, *table.get("terms", ()), *table.get("aliases", ()), *table.get("levels", ())]
            )
        ),
    )


_MOST_SUGGESTIONS = 4
_ALIKE = 0.8
_SHORTEST_SLIP = 5  # a slip in a shorter name makes another one: ALL, ALS
_NAMING = ("terms", "acronyms", "includes", "include_acronyms")


_BY_WORDS_OF = "is read by the words of"
_BY_ITS_NAME = "is not listed; read by the words of its name alone"
_BY_LEXICON = "is recognised by the disease lexicon"


@dataclass(frozen=True)
class NamedTrait:
    """What the name of a trait was found to mean."""

    asked: str
    """The name as it was given."""
    listed: str | None
    """Name of the listed trait that it means; None for a trait that is not listed."""
    words: tuple[str, ...] = ()
    """Words that the name alone gives, by which a trait that is not listed is read."""
    perhaps: tuple[str, ...] = ()
    """Listed traits that might be meant, where it is not listed."""
    disease: str | None = None
    """Its main name in the disease lexicon, where it is not listed and the lexicon has it."""

    @property
    def name(self) -> str:
        """The listed name, else the name as it was given."""
        return self.listed or self.asked

    @property
    def note(self) -> str:
        """Which words the trait is recognised by; empty where its own name is listed."""
        if self.listed is not None:
            same = simplify(self.listed) == simplify(self.asked)
            return "" if same else f"{self.asked!r} {_BY_WORDS_OF} {self.listed}"
        if self.disease is not None:
            same = simplify(self.disease) == simplify(self.asked)
            as_what = "" if same else f" as {self.disease!r}"
            text = f"{self.asked!r} {_BY_LEXICON}{as_what}"
        else:
            text = f"{self.asked!r} {_BY_ITS_NAME}: {', '.join(self.words)}"
        return f"{text}; perhaps {', '.join(self.perhaps)}" if self.perhaps else text


def is_name_note(note: str) -> bool:
    """Return whether a note is a `NamedTrait.note`: about the trait name, not the samples."""
    quoted = note[:1] in ("'", '"')
    return quoted and any(
        f"{note[0]} {words}" in note for words in (_BY_WORDS_OF, f"{_BY_ITS_NAME}:", _BY_LEXICON)
    )


class TraitNames:
    """Finds listed traits by what people call them."""

    def __init__(self, traits: Mapping[str, Mapping[str, Any]]) -> None:
        self._traits = traits

    def listed(self, name: str) -> str | None:
        """Return the listed name of a trait, None where it is not listed."""
        found = self.meant(name)
        if len(found) > 1:
            msg = f"{name!r} is short for several traits; use one of: {', '.join(found)}"
            raise UsageError(msg)
        return found[0] if found else None

    def meant(self, name: str) -> tuple[str, ...]:
        """Return every listed trait that has this name or alias; a name comes before aliases."""
        plain = simplify(name)
        own = self._by_name.get(plain)
        return (own,) if own is not None else tuple(self._by_alias.get(plain, ()))

    def same(self, one: str, other: str) -> bool:
        """Return whether two names mean the same trait, by spelling or as a name and its alias."""
        if simplify(one) == simplify(other):
            return True
        meant = [self.meant(name) for name in (one, other)]
        return len(meant[0]) == 1 and meant[0] == meant[1]

    @cached_property
    def _by_name(self) -> Mapping[str, str]:
        return {simplify(name): name for name in self._traits}

    @cached_property
    def _by_alias(self) -> Mapping[str, Iterable[str]]:
        return _index(self._traits, ("aliases",))

    @cached_property
    def _by_term(self) -> Mapping[str, Iterable[str]]:
        return _index(self._traits, ("terms", "acronyms"))

    @cached_property
    def _by_any_word(self) -> Mapping[str, Iterable[str]]:
        return _index(self._traits, _NAMING)

    def with_term(self, word: str) -> tuple[str, ...]:
        """Return the traits that a word or acronym names, be it a narrower one ("LUAD")."""
        plain = simplify(word)
        own = self._by_name.get(plain)
        return tuple(dict.fromkeys([*([own] if own else []), *self._by_term.get(plain, ())]))

    def near(self, name: str) -> tuple[str, ...]:
        """Return listed traits that might be meant by a name that is not listed."""
        # First those that have it among their words ("LUAD"), then those whose names hold its words
        # ("diabetes"), else those that are spelt alike ("Athsma").
        plain = simplify(name)
        if not plain:
            return ()
        words = set(plain.split())
        found = [*self._by_any_word.get(plain, ()), *_holding(words, self._by_name.items())]
        if not found:
            found = _holding(words, self._aliases)
        if not found and len(plain) >= _SHORTEST_SLIP:
            called = {**dict(self._aliases), **self._by_name}
            found = [called[word] for word in difflib.get_close_matches(plain, called, 6, _ALIKE)]
        return tuple(dict.fromkeys(found))[:_MOST_SUGGESTIONS]

    @property
    def _aliases(self) -> list[tuple[str, str]]:
        return [(alias, trait) for alias, traits in self._by_alias.items() for trait in traits]


def _holding(words: set[str], called: Iterable[tuple[str, str]]) -> list[str]:
    """Return the traits that are called by all of the words."""
    return [trait for text, trait in called if words <= set(text.split())]


def _index(
    traits: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]
) -> Mapping[str, Iterable[str]]:
    """Return word, simplified -> names of the traits that have it, in file order."""
    found: dict[str, dict[str, None]] = {}
    kinds = tuple(kinds)
    for name, entry in traits.items():
        for word in (word for kind in kinds for word in entry.get(kind, ())):
            found.setdefault(simplify(word), {})[name] = None
    return found
