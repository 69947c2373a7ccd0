"""Comparing words of submitters: one simplified form of a text, and terms found in it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from typing import Any

__all__ = ["Terms", "load_wording", "mask", "simplify"]

_APOSTROPHES = re.compile(r"['\u2018\u2019`\u00b4]")
_CAMEL = re.compile(r"(?<=[a-z]{4})(?=[A-Z])")
_POSITIVE = re.compile(r"(?<=\w)\s*(?:\(\+\)|\+)(?=\s|$|[,;)])")
_NEGATIVE = re.compile(r"(?<=\w)\s*(?:\(-\)|\(\u2212\)|[-\u2212]\s*(?=$|[,;)]))")
_NO_WORD = re.compile(r"[^a-z0-9]+")
_NO_LETTER = re.compile(r"[^A-Za-z0-9]+")
_SHORT = 3


@lru_cache(maxsize=1)
def load_wording() -> Mapping[str, Any]:
    """Return ``data/wording.toml``: spellings, endings of words, words in names of traits."""
    text = resources.files("genotex.clinical").joinpath("data/wording.toml").read_text("utf-8")
    return tomllib.loads(text)


_SPELLING = tuple(
    (re.compile(british), american) for british, american in load_wording()["spelling"].items()
)


@lru_cache(maxsize=65536)
def simplify(text: str) -> str:
    """Return a text in the form in which terms are compared.

    Lower case, accents and apostrophes gone, British spelling turned American, ``CamelCase``
    split, a trailing ``+`` or ``(-)`` spelt out, punctuation turned to single spaces, and a plural
    "s" taken off words of five letters or more.
    """
    text = _POSITIVE.sub(" positive ", text)
    text = _NEGATIVE.sub(" negative ", text)
    text = _CAMEL.sub(" ", _APOSTROPHES.sub("", text))
    text = unicodedata.normalize("NFKD", text)
    text = "".join(c for c in text if not unicodedata.combining(c)).lower()
    for british, american in _SPELLING:
        text = british.sub(american, text)
    return " ".join(_singular(word) for word in _NO_WORD.sub(" ", text).split())


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


class Terms:
    """A set of terms to be found in texts as whole words.

    Parameters
    ----------
    terms : iterable of str
        Words and phrases; compared in simplified form.
    acronyms : iterable of str
        Short names. Up to three letters they must stand in the text as they are here, or be the
        whole text; longer ones are terms.
    """

    def __init__(self, terms: Iterable[str], acronyms: Iterable[str] = ()) -> None:
        acronyms = tuple(acronyms)
        phrases = (simplify(t) for t in (*terms, *(a for a in acronyms if len(a) > _SHORT)))
        self._phrases = frozenset(phrases) - {""}
        lengths = {len(phrase.split()) for phrase in self._phrases}
        self._lengths = tuple(sorted(lengths, reverse=True))
        self._short = frozenset(a for a in acronyms if len(a) <= _SHORT)
        self._alone = frozenset(simplify(a) for a in self._short)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where terms stand in the simplified text (an acronym: the whole of it)."""
        plain = simplify(text)
        found = self._phrase_spans(plain)
        if not found and self._has_short(text, plain):
            found = self._acronym_spans(plain)
        return found

    def _phrase_spans(self, plain: str) -> list[tuple[int, int]]:
        """Return where phrases stand, from left to right, the longest at each place."""
        if not self._phrases:
            return []
        words = plain.split(" ")
        starts = list(accumulate((len(word) + 1 for word in words), initial=0))
        found, place = [], 0
        while place < len(words):
            length = self._length_at(words, place)
            if length:
                found.append((starts[place], starts[place + length] - 1))
            place += length or 1
        return found

    def _length_at(self, words: list[str], place: int) -> int:
        left = len(words) - place
        for length in self._lengths:
            if length <= left and " ".join(words[place : place + length]) in self._phrases:
                return length
        return 0

    def _acronym_spans(self, plain: str) -> list[tuple[int, int]]:
        for hit in re.finditer(r"\S+", plain):
            if hit[0] in self._alone:
                return [hit.span()]
        return [(0, len(plain))]

    def _has_short(self, text: str, plain: str) -> bool:
        if not self._short:
            return False
        return plain in self._alone or not self._short.isdisjoint(_NO_LETTER.split(text))

    def find(self, text: str) -> str | None:
        """Return the first term found, in simplified form, or None."""
        spans = self.spans(text)
        return simplify(text)[slice(*spans[0])] if spans else None

    def __bool__(self) -> bool:
        """Tell whether there is any term at all."""
        return bool(self._phrases or self._short)

    def __contains__(self, text: str) -> bool:
        """Tell whether any term stands in the text."""
        return bool(self.spans(text))


def mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks where the spans are."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
