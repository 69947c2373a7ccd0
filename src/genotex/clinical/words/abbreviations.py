"""Whether a short code can stand for a name: "OA" for osteoarthritis, "SCZ" for schizophrenia."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from genotex.features import load_wording, simplify

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9]{1,6}")
_RUNNING = re.compile(r"(?<=[A-Za-z])[-_ ]?\d+$")
_ROMAN = re.compile(r"(?<=[A-Z]{3})(?:I{1,3}|IV)$")
_VOWELS = frozenset("aeiouy")
_SHORTEST_PREFIX = 3
_BEGINNING = 6
_FILLERS = frozenset({"of", "the", "and", "in", "with", "to", "by", "for", "a"})


def without_number(code: str) -> str:
    """Return a code without its running number: "GBC12" is "GBC"."""
    return _RUNNING.sub("", code)


def without_roman(code: str) -> str:
    """Return a code without a roman number of a type: "RCDII" is "RCD"."""
    return _ROMAN.sub("", code)


def fits_any(code: str, names: Iterable[str]) -> bool:
    """Return whether a code can be short for one of the names."""
    return any(fits_name(code, name) for name in names)


def are_initials(code: str, names: Iterable[str]) -> bool:
    """Return whether a code is the initials of a name and nothing else: "OA", "DCM", "GDM"."""
    letters = code.lower()
    return any(letters in _initials(name) for name in names)


@lru_cache(maxsize=16384)
def _initials(name: str) -> frozenset[str]:
    words = [word for word in simplify(name).split() if word not in _FILLERS]
    parts = [part for word in words for part in _parts(word)]
    found = ("".join(each[0] for each in several) for several in (words, parts))
    return frozenset(text for text in found if len(text) > 1)


@lru_cache(maxsize=16384)
def fits_name(code: str, name: str) -> bool:
    """Return whether a code can be short for a name.

    The first letters of all words, or parts of a compound word, must occur in the code in order
    ("PSS", "HTN"); for a single word its beginning will do, or its consonants ("TAK", "SCZ").
    """
    if not _CODE.fullmatch(code):
        return False
    letters = code.lower()
    words = [word for word in simplify(name).split() if word not in _FILLERS]
    if not words or letters[0] not in {word[0] for word in words[:2]}:
        return False
    parts = [part for word in words for part in _parts(word)]
    if any(len(each) > 1 and _has_initials(letters, each) for each in (words, parts)):
        return True
    if len(words) > 2 and len(letters) > 2 and _has_initials(letters, words[1:]):
        return True
    if len(words) > 1:
        return False
    word = words[0]
    if len(letters) >= _SHORTEST_PREFIX and word.startswith(letters) and letters != word:
        return True
    rest = letters[1:]
    consonants = len(rest) > 1 and not _VOWELS & set(rest)
    return consonants and _in_order(letters, word[:_BEGINNING])


@lru_cache(maxsize=4096)
def _parts(word: str) -> tuple[str, ...]:
    """Return the parts of a compound word: osteo, arthritis."""
    for prefix in load_wording()["names"]["prefixes"]:
        if word.startswith(prefix) and len(word) > len(prefix) + 3:
            return (prefix, word[len(prefix) :])
    return (word,)


def _has_initials(letters: str, parts: list[str]) -> bool:
    """Return whether a code holds the first letter of each part in order, and no foreign ones."""
    place = 0
    for part in parts:
        found = letters.find(part[0], place)
        if found < 0:
            return False
        place = found + 1
    return _in_order(letters, "".join(parts))


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)
