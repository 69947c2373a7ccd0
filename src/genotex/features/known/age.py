"""Age: which key names a person's age, and the years of one cell."""

from __future__ import annotations

import re
from functools import lru_cache

from genotex.features.cells import named_part
from genotex.features.feature import SampleFeature
from genotex.features.known.people_words import (
    age_rank,
    key_unit,
    load_words,
    sex_rank,
    spelt_sexes,
    unit_words,
)
from genotex.features.plain_text import folded

_DAYS_PER_YEAR = 365.25
OLDEST_AGE = 125.0

_YEARS = {"years": 1.0, "months": 1 / 12, "weeks": 7 / _DAYS_PER_YEAR, "days": 1 / _DAYS_PER_YEAR}
_MISSING_CODES = {-1.0, -9.0, -99.0, -999.0, -9999.0, 999.0}
_SHORTEST_DAYS = 100.0
_MIDDLE_OF_DECADE = 4.5  # of 60 to 69
_LONGEST = 80
_SIGNS = str.maketrans({"\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2010": "-", "\u2011": "-",
                        "\u2264": "<", "\u2265": ">", "\u00a0": " ", "\u2009": " ", "*": " ",
                        "\u2020": " ", '"': " ", "\u00b1": " +/- "})  # fmt: skip

_NUMBER = r"\d{1,7}(?:[.,]\d+)?"


_UNIT = rf"(?:{unit_words()})(?![^\W\d_])\.?"
_UNIT_NAMES = {w: unit for unit, words in load_words()["age"]["units"].items() for w in words}
_SEX = rf"(?:{spelt_sexes()})"
_BESIDE = "|".join(sorted(map(re.escape, load_words()["age"]["beside"]), key=len, reverse=True))
# A sex or a word such as "about" in front of the number, and a sex or "old" behind it. A bare "m"
# behind is months unless a sign parts it from the number.
_FRONT = re.compile(
    r"^(?:(?:aged?|ages)\s*[=:]?\s*|(?:about|approx(?:imately|\.)?|circa|ca\.?|c\.|~)\s*"
    rf"|(?:(?:{_BESIDE})\s+)?(?:{_SEX}|f)\b\s*[,/;|-]?\s*(?:of\s+)?|m\s*[,/;|]\s*|[mf](?=\d))+"
)
_BACK = re.compile(
    rf"(?:\s*[,/;|]\s*m|[\s,/;|-]*(?:\bof age|\bold|\b(?:{_BESIDE})|\b{_SEX}|(?<![^\W\d_])\(?f\)?"
    r"|\b(?:sex|gender)\b[\s:=]*[^\W\d_]+|\(?\bapprox[a-z]*\.?\)?"
    r"|\(?\b(?:at|when) (?!onset|first|menarche|menopause)[a-z ]+\)?))+$"
)
_BOUND = (
    r"(?:[<>]\s*=?|under|over|below|above|at least|up to|(?:older|younger|less|more|greater) than)"
)
_BEYOND = r"(?:\+|plus|(?:and|or|&)\s+(?:older|over|above|more|up|younger|under|below))"
_ONE = re.compile(
    rf"(?:{_BOUND}\s*)?(?P<low>{_NUMBER})(?:[\s_-]*\(?\s*(?P<unit>{_UNIT})\s*\)?)?"
    rf"(?:\s*{_BEYOND}(?:[\s-]*(?P<late>{_UNIT}))?)?"
)
_RANGE = re.compile(
    rf"[\[(]?\s*(?P<low>{_NUMBER})[\s-]*?(?P<first>{_UNIT})?"
    rf"(?:\s*(?:-|to|until)\s*|(?<=[\d])\s*[,;]\s*(?=[\d.,\s]+[\])]$))"
    rf"(?P<high>{_NUMBER})[\s-]*\(?(?P<unit>{_UNIT})?\)?\s*[\])]?"
)
_PART = re.compile(rf"({_NUMBER})[\s-]*({_UNIT})(?:\s|,|-|and\b)*")
_PARTS = re.compile(rf"(?:{_PART.pattern})+")
_SPREAD = re.compile(
    rf"(?P<mean>{_NUMBER}(?:\s*{_UNIT})?)\s*\(?\s*\+\s*/?\s*-\s*{_NUMBER}\s*(?P<unit>{_UNIT})?\)?"
)
_NEGATIVE = re.compile(rf"-\s*(?P<days>{_NUMBER})(?:\s*d(?:ays?)?)?")
_BETWEEN = re.compile(r"between (.+) and (.+)")
_INSIDE = re.compile(rf"({_NUMBER})\s*<\s*=?\s*(?:age\s*)?<\s*=?\s*({_NUMBER})")
_DECADE = re.compile(r"(?P<tens>[1-9]0)\s*'?\s*s")
_SMALL = load_words()["numbers"]["small"]
_TENS = load_words()["numbers"]["tens"]
_NUMBER_WORDS = {word: n for n, word in enumerate(_SMALL)} | {
    word: 10 * n for n, word in enumerate(_TENS, start=2)
}
_WORDED = re.compile(
    rf"^(?:(?P<tens>{'|'.join(_TENS)})(?:[\s-]+(?P<ones>{'|'.join(_SMALL[1:10])}))?"
    rf"|(?P<small>{'|'.join(_SMALL)}))(?![^\W_])"
)


@lru_cache(maxsize=65536)
def parse_age_years(text: str, key: str = "") -> float | None:
    """Parse a person's age.

    Parameters
    ----------
    text : str
        The value alone: ``45``, ``45y``, ``18 months``, ``3 yr 2 mo``, ``45-50`` (its middle),
        ``>89`` (the bound), ``60s`` (the middle of the decade), ``45,5``, ``45.5 +/- 3`` (the
        mean), ``newborn``, ``sixty``, with a sex next to it (``M/45``, ``male, 45 years``) or other
        pairs behind it (``45 years; sex: F``), or negative days to birth as in TCGA.
    key : str
        Key of the cell: its unit ("age (months)") holds for a bare number; in a key of several
        parts ("strain, age") its place shows which part of the value is meant.

    Returns
    -------
    float or None
        Years from 0 to 125; None when the text is not one age or no human age.
    """
    part = named_part(text, key, lambda name: age_rank(name) is not None)
    years = None if part is None else _years(_plain_age(part), key)
    if years is None:
        years = _years(_plain_age(text), key)
    return years if years is not None and 0 <= years <= OLDEST_AGE else None


def is_bare_number(text: str) -> bool:
    """Return whether a value is a number and nothing else: in "age group: 2" no age."""
    return re.fullmatch(rf"\s*{_NUMBER}\s*", text) is not None


def _plain_age(text: str) -> str:
    return folded(text.translate(_SIGNS)).strip("' .")


def _years(text: str, key: str) -> float | None:
    """Return the years of a text in plain form, unchecked."""
    if text in load_words()["age"]["newborn"]:
        return 0.0
    negative = _NEGATIVE.fullmatch(text)
    if negative:
        days = _to_float(negative["days"], "days")
        known_gap = -days in _MISSING_CODES or days < _SHORTEST_DAYS
        return None if known_gap else days / _DAYS_PER_YEAR
    if len(text) > _LONGEST:
        return None
    text = _INSIDE.sub(r"\1 to \2", _BETWEEN.sub(r"\1 to \2", text))
    if sex_rank(key) is not None:
        text = re.sub(r"(?<=\d)\s*(?:m|\(m\))$", "", text)
    text = _BACK.sub("", _FRONT.sub("", text)).strip(" ,;/|")
    return _number_of_years(_WORDED.sub(_digits, text), key)


def _number_of_years(text: str, key: str) -> float | None:
    decade = _DECADE.fullmatch(text)
    if decade:
        return float(decade["tens"]) + _MIDDLE_OF_DECADE
    spread = _SPREAD.fullmatch(text)
    if spread:
        text = f"{spread['mean']} {spread['unit'] or ''}".strip()
    one = _ONE.fullmatch(text)
    if one:
        unit = one["unit"] or one["late"]
        number = _to_float(one["low"], unit or key_unit(key))
        if unit is None and number in _MISSING_CODES:
            return None
        return number * _YEARS[_unit(unit, key)]
    span = _RANGE.fullmatch(text)
    if span:
        last = _unit(span["unit"] or span["first"], key)
        first = _unit(span["first"] or span["unit"], key)
        low, high = (_to_float(span["low"], first) * _YEARS[first],
                     _to_float(span["high"], last) * _YEARS[last])  # fmt: skip
        return (low + high) / 2 if low <= high else None
    return _sum_of_parts(text)


def _sum_of_parts(text: str) -> float | None:
    """Return "3 yr 2 mo" in years: each unit smaller than the one before."""
    if not _PARTS.fullmatch(text):
        return None
    parts = [(_to_float(number, "years"), _unit(unit, "")) for number, unit in _PART.findall(text)]
    sizes = [_YEARS[unit] for _, unit in parts]
    if sizes != sorted(set(sizes), reverse=True):
        return None
    return sum(number * _YEARS[unit] for number, unit in parts)


def _unit(word: str | None, key: str) -> str:
    return _UNIT_NAMES[word.rstrip(".")] if word else key_unit(key)


def _to_float(text: str, unit: str) -> float:
    """Return a number; "21,300" days have a sign for thousands, "45,500" years a decimal comma."""
    thousands = unit.startswith("d") and re.fullmatch(r"\d{1,3},\d{3}", text)
    return float(text.replace(",", "" if thousands else "."))


def _digits(hit: re.Match[str]) -> str:
    words = [word for word in (hit["tens"], hit["ones"], hit["small"]) if word]
    return str(sum(_NUMBER_WORDS[word] for word in words))


AGE = SampleFeature(
    name="age",
    label="Age",
    scale="number",
    use="covariate",
    unit="years",
    bounds=(0.0, OLDEST_AGE),
    column="Age",
    encoded="age",
    parser="age_years",
    rank=age_rank,
    parse=parse_age_years,
)
