"""Comparing words of submitters: plain forms of a text.

Each plain form serves one question, from the nearest to the text to the farthest:

- `simple_key`: is this the same key or cell? Case and white space gone, everything else stays.
- `folded`: does it have this form ("M/45", "45-50 yrs")? Accents gone too; signs stay.
- `split_words`: which words has this key ("AgeAtDiagnosis_(yrs)")? Letters and digits alone, in any
  script, words that are written as one taken apart.
- `simplify`: does this text hold this term? English spelling and plurals levelled too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from genotex.outside import packaged_toml


@lru_cache(maxsize=16)
def packaged_table(package: str, name: str) -> Mapping[str, Any]:
    """Return a table of the ``data`` folder of a package."""
    return packaged_toml(package, f"data/{name}.toml")


_APOSTROPHES = re.compile(r"['\u2018\u2019`\u00b4]")
# Begins with the capital, so that the search goes from one capital to the next.
_CAMEL = re.compile(r"[A-Z](?<=[a-z]{4}[A-Z])")
# In a key also "AgeYears" and "SexFemale"; in a value such short beginnings are names ("HeLa").
_KEY_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_POSSESSIVE = re.compile(r"['\u2018\u2019`\u00b4]s?(?![^\W_])", re.IGNORECASE)
_POSITIVE = re.compile(r"(?<=\w)\s*(?:\(\+\)|\+)(?=\s|$|[,;)])")
_LAST_SIGN = re.compile(r"[-\u2212]\s*(?:$|[,;)])")  # in every text with a `_NEGATIVE`
_NEGATIVE = re.compile(r"(?<=\w)\s*(?:\(-\)|\(\u2212\)|[-\u2212]\s*(?=$|[,;)]))")
# Signs of markers in a row, as in "ER+PR-" and "ER-/PR- HER2+"; not the hyphens of "MTLE-HS-2".
_MARKER = r"[A-Z][A-Z0-9]{0,5}[+\-\u2212]"
_SIGN_IN_ROW = re.compile(
    rf"(?<=[A-Z0-9])(?:(\+)(?=[\s/]*{_MARKER})|[-\u2212](?=[\s/]+{_MARKER}(?=$|[\s/,;)])))"
)
_SIGNS = re.compile(r"[-+\u2212'\u2018\u2019`\u00b4]")
_WORD = re.compile(r"[a-z0-9]+")


def load_wording() -> Mapping[str, Any]:
    """Return ``data/wording.toml``: spellings, endings of words, words in names of traits."""
    return packaged_table("genotex.features", "wording")


_SPELLING: tuple[tuple[str, str], ...] = tuple(load_wording()["spelling"].items())


@lru_cache(maxsize=4096)
def simple_key(key: str) -> str:
    """Return a key or cell without differences of case and white space, for comparison."""
    return re.sub(r"\s*:\s*", ":", " ".join(key.split()).casefold())


@lru_cache(maxsize=4096)
def plain_key(key: str) -> str:
    """Return a key in lower case, with spaces for the signs between its words."""
    return " ".join(re.sub(r"[_.]", " ", key).casefold().split())


def folded(text: str) -> str:
    """Return a text in lower case without accents, on one line with single spaces; signs stay."""
    plain = text.casefold()
    if not plain.isascii():
        plain = _without_accents(plain).casefold()
    return " ".join(plain.split())


def _without_accents(text: str) -> str:
    text = unicodedata.normalize("NFKD", text)
    for accent in filter(unicodedata.combining, set(text)):
        text = text.replace(accent, "")
    return text


def split_words(key: str) -> list[str]:
    """Return the words of a key: ``AgeAtDiagnosis_(yrs)`` gives age, at, diagnosis, yrs."""
    key = _POSSESSIVE.sub("", _KEY_CAMEL.sub(" ", key))
    return re.findall(r"[^\W_]+", folded(key))


@lru_cache(maxsize=8192)
def key_words(key: str) -> str:
    """Return the words of a key as one text: "age at diagnosis yrs"."""
    return " ".join(split_words(key))


@lru_cache(maxsize=65536)
def simplify(text: str) -> str:
    """Return a text in the form in which terms are compared."""
    # Lower case, accents, apostrophes and the "s" of possession gone, British spelling turned
    # American, ``CamelCase`` split, a trailing ``+`` or ``(-)`` and the signs of markers in a row
    # ("ER+/HER2-") spelt out, punctuation turned to single spaces, and a plural "s" taken off words
    # of five letters or more.
    # Each step is skipped where it has nothing to do, as for most of the 10,000 known terms.
    if _SIGNS.search(text):
        text = _SIGN_IN_ROW.sub(lambda sign: " positive " if sign[1] else " negative ", text)
        if "+" in text:
            text = _POSITIVE.sub(" positive ", text)
        if _LAST_SIGN.search(text):
            text = _NEGATIVE.sub(" negative ", text)
        text = _APOSTROPHES.sub("", _POSSESSIVE.sub("", text))
    if _CAMEL.search(text):
        text = _CAMEL.sub(r" \g<0>", text)
    if not text.isascii():
        text = _without_accents(text)
    text = text.lower()
    for british, american in _SPELLING:
        if british in text:
            text = text.replace(british, american)
    return " ".join([_singular(w) if w[-1] == "s" else w for w in _WORD.findall(text)])


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
