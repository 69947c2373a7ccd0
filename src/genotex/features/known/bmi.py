"""Body mass index in kg/m2."""

from __future__ import annotations

import re

from genotex.features.cells import parse_number
from genotex.features.feature import SampleFeature, Statement, only_statement
from genotex.features.plain_text import key_words

_NAME = re.compile(r"\b(?:bmi|body mass index|bodymassindex)\b")
# Words that leave it the person's index at sampling; any other makes it something else, such as a
# category, a percentile, a change, or the index of the mother.
_PLAIN = re.compile(
    r"\b(?:patient|donor|subject|participant|recipient|individual|baseline|at|of|the|in|kg|m2|m|2"
    r"|sampling|inclusion|enrol\w*|surgery|biopsy|time|visit|current|body|mass|index|value|sq|per"
    r"|calculated|clinical|demographics)\b"
)
_UNIT = re.compile(
    r"\s*(?:kg\s*/?\s*(?:per\s*)?m\s*\^?\s*(?:2|\u00b2|sq)|kg\s*m-2|bmi)\s*$", re.IGNORECASE
)


def _from_key(key: str, value: str) -> Statement | None:
    name = key_words(key)
    if not _NAME.search(name) or _PLAIN.sub(" ", _NAME.sub(" ", name)).strip():
        return None
    number = BMI.read_cell(value)
    return None if number is None else Statement(BMI.cell(number), value)


def _read(value: str) -> float | None:
    """Return a number with or without its unit; none of a bound."""
    text = re.sub(r"^\s*bmi\s*[:=]?\s*", "", _UNIT.sub("", value), flags=re.IGNORECASE)
    return None if re.match(r"\s*[<>\u2264\u2265~]", text) else parse_number(text)


_IN_TEXT = re.compile(r"(?<![A-Za-z])BMI\s*[:=]?\s*(?P<bmi>\d{2}(?:\.\d+)?)(?![\d-])")


def _from_text(text: str) -> Statement | None:
    hits = _IN_TEXT.finditer(text.replace("_", " "))
    return only_statement({hit["bmi"]: hit.group() for hit in hits})


BMI = SampleFeature(
    name="bmi",
    label="BMI",
    scale="number",
    find=lambda texts: texts.gather(_from_key, _from_text),
    read=_read,
    unit="kg/m2",
    bounds=(8.0, 120.0),
    other_names=("body mass index",),
)
