"""Which listed trait a name means: its own name or an alias, nothing narrower and nothing wider."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from genotex.clinical.words.wording import simplify
from genotex.errors import UsageError

__all__ = ["NamedTrait", "TraitNames", "tells_name"]

_MOST_SUGGESTIONS = 4
_ALIKE = 0.8
_SHORTEST_SLIP = 5  # a slip in a shorter name makes another one: ALL, ALS
_NAMING = ("terms", "acronyms", "includes", "include_acronyms")


_BY_WORDS_OF = "is read by the words of"
_BY_ITS_NAME = "is not listed; read by the words of its name alone"


@dataclass(frozen=True)
class NamedTrait:
    """What the name of a trait was found to mean.

    Attributes
    ----------
    asked : str
        The name as it was given.
    listed : str or None
        Name of the listed trait that it means; None for a trait that is not listed.
    words : tuple of str
        Words that the name alone gives, by which a trait that is not listed is read.
    perhaps : tuple of str
        Listed traits that might be meant, where it is not listed.
    """

    asked: str
    listed: str | None
    words: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The listed name, else the name as it was given."""
        return self.listed or self.asked

    @property
    def told(self) -> str:
        """In words by what the trait is read; empty where its own name is listed."""
        if self.listed is not None:
            same = simplify(self.listed) == simplify(self.asked)
            return "" if same else f"{self.asked!r} {_BY_WORDS_OF} {self.listed}"
        words = ", ".join(self.words)
        text = f"{self.asked!r} {_BY_ITS_NAME}: {words}"
        return f"{text}; perhaps {', '.join(self.perhaps)}" if self.perhaps else text


def tells_name(note: str) -> bool:
    """Tell whether a note is `NamedTrait.told`: true of the name asked for, not of the samples."""
    quoted = note[:1] in ("'", '"')
    return quoted and any(
        f"{note[0]} {said} " in note for said in (_BY_WORDS_OF, f"{_BY_ITS_NAME}:")
    )


class TraitNames:
    """Finds listed traits by what people call them.

    Parameters
    ----------
    traits : mapping of str to mapping
        The trait tables of a vocabulary, by name.
    """

    def __init__(self, traits: Mapping[str, Mapping[str, Any]]) -> None:
        self._traits = traits

    def listed(self, name: str) -> str | None:
        """Return the listed name of a trait, None where it is not listed.

        Raises
        ------
        UsageError
            If the name is an alias of several traits.
        """
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
        """Tell whether two names mean the same trait, by spelling or as a name and its alias."""
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
        """Return listed traits that might be meant by a name that is not listed.

        First those that have it among their words ("LUAD"), then those whose names hold its words
        ("diabetes"), else those that are spelt alike ("Athsma").
        """
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
