"""Other ways to write a name: "OA", "SCZ", "cSLE", "carcinoma, renal cell, chromophobe"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from genotex.clinical.words.lexicon import same_word
from genotex.clinical.words.trait_names import TraitWords
from genotex.features import load_wording, simplify

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9]{1,6}")
_RUNNING = re.compile(r"(?<=[A-Za-z])[-_ ]?\d+$")
_VOWELS = frozenset("aeiouy")
_SHORTEST_PREFIX = 3
_BEGINNING = 6
_FILLERS = frozenset({"of", "the", "and", "in", "with", "to", "by", "for", "a"})


def without_number(code: str) -> str:
    """Return a code without its running number: "GBC12" is "GBC"."""
    return _RUNNING.sub("", code)


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
    return consonants and in_order(letters, word[:_BEGINNING])


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
    return in_order(letters, "".join(parts))


def in_order(letters: Iterable[str], text: str) -> bool:
    """Return whether letters are in a text, in their order."""
    rest = iter(text)
    return all(letter in rest for letter in letters)


_PIECE = re.compile(r"[A-Za-z0-9-]+")
_WITH_PREFIX = re.compile(r"(?P<prefix>[a-z]{1,4})-?(?P<code>[A-Z][A-Za-z0-9]*)")
_POSSESSIVE = re.compile(r"[A-Z][a-z]{3,}['\u2019]s")
_NO_FORM = {"non", "no", "not", "pre", "post", "anti", "un", "ex", "si", "sh", "sg", "mi"}
_GLUED = re.compile(r"(?<![A-Za-z0-9])(?P<code>[A-Z]{3,})(?=[A-Z][a-z]{2,})")
_SHORTEST = 2
_FEWEST_WORDS = 2
_MOST_WORDS = 8
_SHORTEST_WORD = 4
_ORDER_FILLERS = {"of", "the", "and", "in", "cell", "type"}


def prefixed_acronym(value: str, acronyms: Collection[str]) -> str | None:
    """Return an acronym with small letters in front: "cSLE", "aGVHD", "mCRC"."""
    for piece in map(str, _PIECE.findall(value)):
        hit = _WITH_PREFIX.fullmatch(piece)
        if hit is None or hit["prefix"] in _NO_FORM or len(hit["code"]) < _SHORTEST:
            continue
        if hit["code"] in acronyms:
            return piece
    return None


def eponym(value: str, names: Iterable[str]) -> str | None:
    """Return a value that is the person alone whom a name begins with: "Barrett's"."""
    if not _POSSESSIVE.fullmatch(value):
        return None
    first = {same_word(simplify(name).partition(" ")[0]) for name in names}
    return value if same_word(simplify(value)) in first else None


def ends_with_acronym(value: str, acronyms: Collection[str]) -> bool:
    """Return whether a code ends with an acronym: "APAH" under "PAH type"."""
    code = simplify(value).upper()
    return any(
        len(acronym) > _SHORTEST and code.endswith(acronym) and code[0] != "N"
        for acronym in acronyms
    )


def without_glue(value: str, acronyms: Collection[str]) -> str:
    """Return a value with a space behind an acronym: "PTSD Dep" for "PTSDDep"."""
    return _GLUED.sub(lambda hit: f"{hit['code']} " if hit["code"] in acronyms else hit[0], value)


def holds_all_words(text: str, trait: TraitWords, most: int = _MOST_WORDS) -> bool:
    """Return whether a short text has all words of a name of the trait, in any order."""
    # Only names of two words or more, "cancer", "disease" and the like aside: "clear cell renal
    # carcinoma" is found in "carcinoma, renal (clear cell)".
    words = {same_word(word) for word in simplify(text).split()}
    if not _FEWEST_WORDS <= len(words) <= most:
        return False
    return any(name <= words for name in _names_as_words(trait.names))


@lru_cache(maxsize=256)
def _names_as_words(names: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    return tuple(found for name in names if (found := _content_words(simplify(name).split())))


def _content_words(words: Iterable[str]) -> frozenset[str]:
    """Return the words of a name; none where fewer than two of them are specific."""
    lists = load_wording()["names"]
    found = frozenset(same_word(word) for word in words if word not in _ORDER_FILLERS)
    specific = found - {same_word(word) for word in (*lists["generic"], *lists["cancer"])}
    telling = [word for word in specific if len(word) >= _SHORTEST_WORD and word.isalpha()]
    return found if len(telling) >= _FEWEST_WORDS else frozenset()
