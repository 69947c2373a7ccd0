"""Other ways to write a trait's name: "cSLE", "PTSDDep", "carcinoma, renal cell, chromophobe"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from genotex.clinical.words.lexicon import same_word
from genotex.clinical.words.trait_names import TraitWords
from genotex.features import load_wording, simplify

_PIECE = re.compile(r"[A-Za-z0-9-]+")
_WITH_PREFIX = re.compile(r"(?P<prefix>[a-z]{1,4})-?(?P<code>[A-Z][A-Za-z0-9]*)")
_NO_FORM = {"non", "no", "not", "pre", "post", "anti", "un", "ex", "si", "sh", "sg", "mi"}
_GLUED = re.compile(r"(?<![A-Za-z0-9])(?P<code>[A-Z]{3,})(?=[A-Z][a-z]{2,})")
_SHORTEST = 2
_FEWEST_WORDS = 2
_MOST_WORDS = 8
_SHORTEST_WORD = 4
_FILLERS = {"of", "the", "and", "in", "cell", "type"}


def prefixed_acronym(value: str, acronyms: Collection[str]) -> str | None:
    """Return an acronym with small letters in front: "cSLE", "aGVHD", "mCRC"."""
    for piece in map(str, _PIECE.findall(value)):
        hit = _WITH_PREFIX.fullmatch(piece)
        if hit is None or hit["prefix"] in _NO_FORM or len(hit["code"]) < _SHORTEST:
            continue
        if hit["code"] in acronyms:
            return piece
    return None


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
    found = frozenset(same_word(word) for word in words if word not in _FILLERS)
    specific = found - {same_word(word) for word in (*lists["generic"], *lists["cancer"])}
    telling = [word for word in specific if len(word) >= _SHORTEST_WORD and word.isalpha()]
    return found if len(telling) >= _FEWEST_WORDS else frozenset()
