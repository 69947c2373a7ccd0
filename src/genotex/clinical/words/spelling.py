"""Slips of the pen in long words: "hepatocallular", "adenocaricnoma"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from genotex.clinical.words.wording import simplify

__all__ = ["Spelling"]

_SHORTEST = 9


class Spelling:
    """Mends words that are one slip away from a known one.

    A slip is one letter too many, too few, wrong, or two neighbours swapped (Damerau, CACM 7, 1964,
    171-176). Only words of nine letters or more are mended, where a slip hardly ever makes another
    word, and only where a single known word is that near.

    Parameters
    ----------
    texts : iterable of str
        Known words and phrases.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._known = {word for text in texts for word in simplify(text).split()}
        self._near: dict[str, set[str]] = {}
        for word in self._known:
            if len(word) >= _SHORTEST:
                for form in _with_one_letter_less(word):
                    self._near.setdefault(form, set()).add(word)

    def mended(self, text: str) -> str:
        """Return a text with its slips mended; the text itself where there are none."""
        result = text
        for word in dict.fromkeys(simplify(text).split()):
            if len(word) < _SHORTEST or word in self._known:
                continue
            meant = self._meant(word)
            if meant is not None:
                result = re.sub(re.escape(word), meant, result, count=1, flags=re.IGNORECASE)
        return result

    def _meant(self, word: str) -> str | None:
        forms = (word, *_with_one_letter_less(word))
        found = {known for form in forms for known in self._near.get(form, ())}
        found = {known for known in found if _one_slip(word, known)}
        return found.pop() if len(found) == 1 else None


def _with_one_letter_less(word: str) -> Iterator[str]:
    yield word
    for place in range(len(word)):
        yield word[:place] + word[place + 1 :]


def _one_slip(one: str, other: str) -> bool:
    """Tell whether two different words are one slip apart."""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return abs(len(one) - len(other)) == 1
    one, other = one[start:], other[start:]
    swapped = one[1:2] + one[:1] + one[2:]
    return other in (swapped,) or one[1:] == other[1:] or one[1:] == other or one == other[1:]
