"""Abbreviations that a text explains: "follicular thyroid adenoma (FTA)"."""

from __future__ import annotations

import re

__all__ = ["explained_abbreviations"]

# "HC (healthy controls)", "HC = healthy controls", "TD: typically developing".
_EXPLAINED = re.compile(
    r"(?<![\w-])(?P<short>[A-Za-z]?[\w/+-]{0,8}[A-Z])\s*"
    r"(?:\(\s*(?P<inside>[A-Za-z][^().;:\n]{3,80})\)|[=:]\s*(?P<behind>[A-Za-z][^().;:=,\n]{3,80}))"
)
# "centenarians (C)": a single letter stands for the one or two words before it.
_ONE_LETTER = re.compile(
    r"\b(?P<long>(?P<first>[a-z])[a-z-]{2,}(?: [a-z]{3,})?) \((?P<short>(?=(?P=first))[a-z])\)",
    re.IGNORECASE,
)
_IN_WORD = re.compile(r"[^\W_]|['\u2018\u2019]")
_IN_PARENTHESES = re.compile(r"([^().;:\n]{3,160})\(\s*([A-Za-z][\w/+-]{1,9})\s*[);,]")


def explained_abbreviations(text: str) -> dict[str, str]:
    """Return the abbreviations that a text explains, with what they stand for.

    The method of Schwartz and Hearst (Pacific Symposium on Biocomputing 8, 2003, 451-462): the
    letters of the short form, read backwards, must occur in the words before the parenthesis, its
    first letter at the beginning of a word.

    Parameters
    ----------
    text : str
        Title, summary and design of a series.

    Returns
    -------
    dict
        Short form -> long form; the first explanation of a short form counts.
    """
    found: dict[str, str] = {}
    for hit in _IN_PARENTHESES.finditer(text):
        before, short = hit[1], hit[2]
        if short in found or not any(letter.isupper() for letter in short):
            continue
        letters = sum(letter.isalnum() for letter in short)
        words = re.findall(r"\S+", before)[-min(letters + 5, 2 * letters) :]
        long = _long_form(short, " ".join(words))
        if long is not None:
            found[short] = long
    for hit in _ONE_LETTER.finditer(text):
        found.setdefault(hit["short"], hit["long"])
    for hit in _EXPLAINED.finditer(text):
        short, long = hit["short"], (hit["inside"] or hit["behind"]).strip()
        same_start = short[0].lower() == long[0].lower()
        if short not in found and same_start and _long_form(short, long) is not None:
            found[short] = long
    return found


def _long_form(short: str, before: str) -> str | None:
    place = len(before)
    letters = [letter.lower() for letter in short if letter.isalnum()]
    lower = before.lower()
    for number, letter in reversed(list(enumerate(letters))):
        place = lower.rfind(letter, 0, place)
        # The "s" behind an apostrophe begins no word.
        while number == 0 and place > 0 and _IN_WORD.match(lower[place - 1]):
            place = lower.rfind(letter, 0, place)
        if place < 0:
            return None
    long = before[place:].strip()
    return long if len(long) > len(short) else None
