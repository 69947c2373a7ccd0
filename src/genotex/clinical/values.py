"""Reading single cells: ages, sexes, numbers, and the key in front of a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = [
    "parse_age_years",
    "parse_number",
    "parse_sex",
    "simple_key",
    "split_cell",
    "split_pairs",
]

DAYS_PER_YEAR = 365.25
OLDEST_AGE = 125.0

_NUMBER = r"\d+(?:[.,]\d+)?"
_UNITS = {"y": 1.0, "m": 1 / 12, "w": 7 / DAYS_PER_YEAR, "d": 1 / DAYS_PER_YEAR}
_UNIT = (
    r"(?P<unit>y(?:ea)?rs?|y\.?o\.?|yo|y|mo(?:nth)?s?|m|w(?:ee)?ks?|w|days?|d)"
    r"(?:\.|\s|-)*(?:old|of\s+age)?"
)
_AGE = re.compile(
    rf"(?:age[sd]?\s*)?(?:about|approx\.?|approximately|ca\.?|~)?\s*(?P<bound>[<>≤≥]=?)?\s*"
    rf"(?P<low>{_NUMBER})\s*(?P<plus>\+)?(?:\s*(?:-|\u2013|\u2014|to)\s*(?P<high>{_NUMBER}))?"
    rf"[\s_-]*\(?\s*(?:{_UNIT})?\s*\)?\.?"
)
_NEGATIVE = re.compile(rf"-\s*(?P<days>{_NUMBER})(?:\s*d(?:ays?)?)?")
_MISSING_CODES = {-1.0, -9.0, -99.0, -999.0, -9999.0, 999.0}
_SHORTEST_DAYS = 100.0
_KEY_UNITS = (
    (re.compile(r"\b(?:months?|mos?)\b"), "m"),
    (re.compile(r"\b(?:weeks?|wks?)\b"), "w"),
    (re.compile(r"\bdays?\b"), "d"),
)
_KEY_YEARS = re.compile(r"\b(?:years?|yrs?|y)\b")

_MALE = {"m", "male", "males", "man", "men", "boy", "boys", "xy", "masculine"}
_FEMALE = {"f", "female", "females", "woman", "women", "girl", "girls", "xx", "fem", "feminine"}
_SEX_NAMES = r"(?P<{0}>females?|males?|wom[ae]n|m[ae]n|girls?|boys?|f|m)"
_CODE = r"(?<![\w.])(?P<code>-?\d+|[a-z])"
_SIGN = r"\s*(?:=+|:|-|\bis\b)\s*"
_SEX = _SEX_NAMES.format("sex") + r"(?![a-z])"
# "1=male, 2=female"; "male (1), female: 2"; then, without a sign, "0 female 1 male".
_LEGENDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        _CODE + _SIGN + _SEX,
        r"\b" + _SEX + rf"(?:{_SIGN}\(?|\s*\(\s*)(?P<code>-?\d+)(?![\w.])",
        r"(?<![\w.])(?P<code>-?\d+)\s+" + _SEX,
    )
)
# "male/female (1/2)": as many codes as sexes, in the same order.
_PAIRED = re.compile(
    r"\b"
    + _SEX_NAMES.format("first")
    + r"\s*[/|,]\s*"
    + _SEX_NAMES.format("second")
    + r"\s*[=:]?\s*[(\[]?\s*(?P<one>-?\d+)\s*[/|,]\s*(?P<two>-?\d+)(?![\w.])",
    re.IGNORECASE,
)
_FEWEST_CODES = 2


def split_cell(cell: str) -> tuple[str, str]:
    """Split a characteristics cell at its first colon.

    Parameters
    ----------
    cell : str
        Such as ``"disease state: healthy control"``.

    Returns
    -------
    tuple of str
        Key and value, stripped; the key is empty when there is no colon.
    """
    key, colon, value = cell.partition(":")
    return (key.strip(), value.strip()) if colon else ("", cell.strip())


def split_pairs(text: str) -> list[tuple[str, str, str]]:
    """Split free text of the form ``key = value; key: value`` into its pairs.

    Parameters
    ----------
    text : str
        A sample description.

    Returns
    -------
    list of tuple of str
        Key, value and the piece as it stands, for every piece that is a pair with a short key.
    """
    pairs = []
    for piece in text.split(";"):
        hit = re.match(r"\s*([^=:]{1,60}?)\s*[=:]\s*(.*\S)", piece, re.DOTALL)
        if hit:
            pairs.append((hit[1], hit[2], piece.strip()))
    return pairs


@lru_cache(maxsize=4096)
def simple_key(key: str) -> str:
    """Return a key or cell without differences of case and white space, for comparison."""
    return re.sub(r"\s*:\s*", ":", " ".join(key.split()).casefold())


def _to_float(text: str) -> float:
    return float(text.replace(",", "."))


def _unit_of_key(key: str) -> str:
    key = re.sub(r"[_\W]+", " ", key.casefold())
    if _KEY_YEARS.search(key):
        return "y"
    return next((unit for pattern, unit in _KEY_UNITS if pattern.search(key)), "y")


@lru_cache(maxsize=65536)
def parse_age_years(text: str, key: str = "") -> float | None:
    """Read a person's age.

    Parameters
    ----------
    text : str
        The value alone: ``45``, ``45y``, ``18 months``, ``45-50`` (its middle), ``>89`` (the
        bound), ``45,5``, or negative days to birth as in TCGA and some series.
    key : str
        Key of the cell: its unit ("age (months)") holds for a bare number.

    Returns
    -------
    float or None
        Years; None when the text is not one age or no human age.
    """
    text = " ".join(text.replace("\u00a0", " ").split()).casefold()
    negative = _NEGATIVE.fullmatch(text)
    if negative:
        days = _to_float(negative["days"])
        known_gap = -days in _MISSING_CODES or days < _SHORTEST_DAYS
        years = days / DAYS_PER_YEAR
        return None if known_gap or years > OLDEST_AGE else years
    hit = _AGE.fullmatch(text)
    if hit is None:
        return None
    number = _to_float(hit["low"])
    if hit["high"] is not None:
        number = (number + _to_float(hit["high"])) / 2
    unit = hit["unit"][0] if hit["unit"] else _unit_of_key(key)
    if hit["unit"] is None and number in _MISSING_CODES:
        return None
    years = number * _UNITS[unit]
    return years if years <= OLDEST_AGE else None


@lru_cache(maxsize=4096)
def sex_legend(key: str) -> dict[str, int]:
    """Return the codes that a key explains: ``"gender (1=male, 2=female)"`` gives 1 and 0.

    A key that is itself a sex ("female: 1") explains yes and no.
    """
    found = _explained_codes(key)
    word = _sex_of_word(simple_key(key))
    if word is not None and len(simple_key(key)) > 1:
        for code in ("1", "yes", "y", "true"):
            found.setdefault(code, word)
        for code in ("0", "no", "n", "false"):
            found.setdefault(code, 1 - word)
    return found


def _explained_codes(key: str) -> dict[str, int]:
    """Return the codes of the first form of legend that explains both sexes."""
    for pairs in _legends(key):
        legend: dict[str, int] = {}
        for code, name in pairs:
            sex = _sex_of_word(name.casefold())
            if sex is not None:
                legend.setdefault(code.casefold(), sex)
        if len(legend) >= _FEWEST_CODES and len(set(legend.values())) == _FEWEST_CODES:
            return legend
    return {}


def _legends(key: str) -> Iterator[list[tuple[str, str]]]:
    """Give the pairs of code and sex by each form of legend, the surest form first."""
    paired = _PAIRED.search(key)
    if paired:
        yield [(paired["one"], paired["first"]), (paired["two"], paired["second"])]
    for pattern in _LEGENDS:
        yield [(hit["code"], hit["sex"]) for hit in pattern.finditer(key)]


def _sex_of_word(word: str) -> int | None:
    if word in _MALE:
        return 1
    return 0 if word in _FEMALE else None


@lru_cache(maxsize=16384)
def parse_sex(text: str, key: str = "") -> int | None:
    """Read a person's sex.

    Parameters
    ----------
    text : str
        The value alone: ``M``, ``female``, ``boy``, or a code that the key explains.
    key : str
        Key of the cell, with its legend if it has one.

    Returns
    -------
    int or None
        Female 0, male 1; None when neither or both are said.
    """
    word = " ".join(text.split()).casefold()
    legend = sex_legend(key)
    if word in legend:
        return legend[word]
    words = {_sex_of_word(part) for part in re.findall(r"[a-z]+", word)} - {None}
    plain = re.fullmatch(r"[a-z]+(?:\s*[(\[/,]\s*[a-z]+\s*[)\]]?)?|\d+\s*[=:-]\s*[a-z]+", word)
    return words.pop() if plain and len(words) == 1 else None


@lru_cache(maxsize=65536)
def parse_number(text: str) -> float | None:
    """Read a measured number, with a decimal point or comma, with or without a unit behind it.

    Returns
    -------
    float or None
        The number; None when the text does not begin with exactly one.
    """
    hit = re.fullmatch(
        r"\s*([<>≤≥~]?\s*[-+\u2212]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)\s*"
        r"(?:(?:[^\W\d_]|[%°(^])[^\d,;:=]{0,20}\d?\)?)?\s*",
        text,
        re.IGNORECASE,
    )
    if hit is None:
        return None
    digits = hit[1].lstrip("<>≤≥~ ").replace("\u2212", "-").replace(",", ".").casefold()
    value = float(digits)
    return value if abs(value) < float("inf") else None
