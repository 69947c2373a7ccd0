"""Smoking status: never, former or current smokers, or pack-years where nothing else is stated."""

from __future__ import annotations

import re

from genotex.features.cells import legend_of, parse_number
from genotex.features.feature import MISSING, SampleFeature, Statement, only_statement
from genotex.features.plain_text import key_words

_KEY = re.compile(r"\b(?:smok\w*|cigar\w*|tobacco)\b")
# Not a status: amounts, dates, ages, the smoking of others, and answers of the body to it.
_NO_STATUS = re.compile(
    r"\b(?:age|ages|date|start\w*|stop|stopped|duration|amount|number|quantity|per|years?|yrs?|day"
    r"|days|dose|index|history years|cessation|exposure|maternal|mother|father|parental|passive"
    r"|second|secondhand|household|score|intensity|pregnancy|condensate|extract|months?|time|signature)\b"
)
_PACK_YEARS = re.compile(r"pack ?(?:years?|yrs?)\b")
# "smoker: no" says less than "ever smoked: no", and "current smoker: no" less than both.
_EVER = re.compile(r"\bever\b|\bhistory\b|\bhx\b")
_CURRENT = re.compile(r"\bcurrent(?:ly)?\b|now\b|\bactive\b")
_AMOUNT = re.compile(
    r"[,;(]?\s*\b(?:\d[\d.,]*\s*(?:pack[- ]?(?:years?|yrs?)|p/?y|cig\w*|years?|yrs?).*)$"
)
_SMOKER = r"(?:smokers?|smoking|smoked|smoke)"
_FORMS = {
    "never": rf"(?:has |have )?never(?:[- ]?{_SMOKER}.*)?|neversmoker"
    rf"|life-?(?:time|long) (?:never|non)[- ]?{_SMOKER}",
    "former": rf"(?:former(?:ly)?|ex\.?|past|previous(?:ly)?|prior|reformed|quit(?:ter)?|stopped)"
    rf"(?:[- ]?{_SMOKER})?|{_SMOKER} ?[-,(] ?(?:former|ex|quit|stopped)\)?|formersmoker"
    r"|(?:quit|stopped) (?:less|more|for|over|within|since|in|smoking)\b.*",
    "current": rf"(?:current(?:ly)?|active|present|continuing)(?:[- ]?{_SMOKER})?"
    rf"|{_SMOKER} ?[-,(] ?(?:current|active)\)?|currentsmoker",
    "ever": rf"ever(?:[- ]?{_SMOKER})?",
    "non-smoker": r"(?:non?|not)[- ]?smok(?:er|ers|ing)|no tobacco(?: use)?",
    "smoker": r"(?:(?:light|heavy|moderate|occasional|social|daily|healthy)[- ])?smok(?:er|ers|ing)"
    r"|yes ?\((?:light|moderate|heavy)\)",
}
_VALUES = tuple((status, re.compile(form)) for status, form in _FORMS.items())
_CODES = {
    **dict.fromkeys(("ns", "nsm", "nonsmk"), "non-smoker"),
    **dict.fromkeys(("fs", "es", "exs"), "former"),
    "cs": "current",
    "s": "smoker",
}
_YES, _NO = (
    frozenset({"yes", "y", "true", "1", "+"}),
    frozenset({"no", "n", "none", "false", "0", "-"}),
)
_IN_TEXT = re.compile(
    r"(?<![A-Za-z])(?P<status>(?:never|former|ex|current|non|ever)[- ]?smok(?:er|ers|ing)|smokers?)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)


def _from_key(key: str, value: str) -> Statement | None:
    name = key_words(key)
    if _PACK_YEARS.search(name):
        packs = parse_number(value)
        status = None if packs is None or packs < 0 else "ever" if packs else "never"
        return None if status is None else Statement(status, value)
    if not _KEY.search(name) or _NO_STATUS.search(name):
        return None
    text = legend_of(key).get(value.strip().casefold(), value)
    status = _status(text, name)
    return None if status is None else Statement(status, value)


def _status(text: str, name: str = "") -> str | None:
    plain = " ".join(text.casefold().replace("_", " ").split()).strip(" .")
    if plain in MISSING - {"-"}:
        return None
    plain = re.sub(
        r"^\d\s*[-=:]?\s*(?=[a-z])|\s*\((?:[a-z]{1,3}|>\d+)\)$", "", _AMOUNT.sub("", plain)
    ).strip(" ,;")
    for status, form in _VALUES:
        if form.fullmatch(plain):
            return status
    if plain in _CODES:
        return _CODES[plain]
    if plain in _NO:
        return "never" if _EVER.search(name) else "non-smoker"
    if plain in _YES:
        return "ever" if _EVER.search(name) else "current" if _CURRENT.search(name) else "smoker"
    return None


def _from_text(text: str) -> Statement | None:
    plain = text.replace("_", " ")
    return only_statement(
        {_status(hit["status"]): hit["status"] for hit in _IN_TEXT.finditer(plain)}
    )


def _rank(key: str) -> float:
    """Return how fully a key states the status: pack-years, then who smokes now, come last."""
    name = key_words(key)
    if _CURRENT.search(name):
        return -3.0
    return -2.0 if _PACK_YEARS.search(name) else 1.0 if "status" in name else 0.0


SMOKING = SampleFeature(
    name="smoking",
    label="Smoking status",
    scale="levels",
    find=lambda texts: texts.gather(_from_key, _from_text, rank=_rank),
    read=lambda text: _status(text) or text,
    other_names=("smoking status", "smoker"),
)
