"""Comparing words of submitters: one simplified form of a text, and terms found in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["Terms", "mask", "simplify"]

_APOSTROPHES = re.compile(r"['\u2018\u2019`\u00b4]")
_CAMEL = re.compile(r"(?<=[a-z]{4})(?=[A-Z])")
_POSITIVE = re.compile(r"(?<=\w)\s*(?:\(\+\)|\+)(?=\s|$|[,;)])")
_NEGATIVE = re.compile(r"(?<=\w)\s*(?:\(-\)|\(\u2212\)|[-\u2212]\s*(?=$|[,;)]))")
_NO_WORD = re.compile(r"[^a-z0-9]+")
_SPELLING = tuple(
    (re.compile(british), american)
    for british, american in (
        ("tumour", "tumor"),
        ("leukaem", "leukem"),
        ("haem", "hem"),
        ("oesoph", "esoph"),
        ("paed", "ped"),
        ("coeliac", "celiac"),
        ("anaem", "anem"),
        ("oedema", "edema"),
        ("lipidaem", "lipidem"),
        ("glycaem", "glycem"),
        ("foetal", "fetal"),
        ("ischaem", "ischem"),
    )
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
        short = sorted({a for a in acronyms if len(a) <= 3}, key=len, reverse=True)
        words = {simplify(t) for t in (*terms, *(a for a in acronyms if len(a) > 3))} - {""}
        longest_first = sorted(words, key=lambda w: (-len(w), w))
        self._words = _whole(map(re.escape, longest_first), r"[a-z0-9]")
        self._short = _whole(map(re.escape, short), r"[A-Za-z0-9]")
        self._alone = {simplify(a) for a in short}

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where terms stand in the simplified text (an acronym: the whole of it)."""
        plain = simplify(text)
        found = [hit.span() for hit in self._words.finditer(plain)] if self._words else []
        if not found and self._has_short(text, plain):
            hit = re.search(self._alone_pattern(), plain)
            found = [hit.span() if hit else (0, len(plain))]
        return found

    def _alone_pattern(self) -> str:
        inside = "|".join(re.escape(a) for a in sorted(self._alone, key=len, reverse=True))
        return rf"(?<![a-z0-9])(?:{inside})(?![a-z0-9])"

    def _has_short(self, text: str, plain: str) -> bool:
        if self._short is None:
            return False
        return plain in self._alone or self._short.search(text) is not None

    def find(self, text: str) -> str | None:
        """Return the first term found, in simplified form, or None."""
        spans = self.spans(text)
        return simplify(text)[slice(*spans[0])] if spans else None

    def __bool__(self) -> bool:
        """Tell whether there is any term at all."""
        return self._words is not None or self._short is not None

    def __contains__(self, text: str) -> bool:
        """Tell whether any term stands in the text."""
        return bool(self.spans(text))


def _whole(patterns: Iterable[str], letter: str) -> re.Pattern[str] | None:
    inside = "|".join(patterns)
    return re.compile(rf"(?<!{letter})(?:{inside})(?!{letter})") if inside else None


def mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks where the spans are."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
