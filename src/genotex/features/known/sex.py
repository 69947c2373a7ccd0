"""Sex: which key names the sex of a person, the sex of one cell, and legends of its codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from genotex.features.cells import named_part
from genotex.features.feature import SampleFeature
from genotex.features.known.people_words import load_words, plain_words, sex_rank, spelt_sexes
from genotex.features.plain_text import folded

_LONGEST = 80
_WORDS = load_words()["sex"]
_MALE, _FEMALE = frozenset(_WORDS["male"]), frozenset(_WORDS["female"])
_UNCLEAR, _BESIDE_SEX = frozenset(_WORDS["unclear"]), frozenset(_WORDS["beside"])

_SEX_NAMES = rf"(?P<{{0}}>{spelt_sexes()}|f|m)"
_CODE = r"(?<![\w.])(?P<code>-?\d+|[a-z])"
_SIGN = r"\s*(?:=+|:|->|\u2192|-|\b(?:is|are|for|means|indicates|denotes|represents)\b)\s*"
_SEX_NAME = _SEX_NAMES.format("sex") + r"(?![a-z])"
# "1=male, 2=female"; "male (1), female: 2"; then, without a sign, "0 female 1 male".
_LEGENDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        _CODE + _SIGN + _SEX_NAME,
        r"\b"
        + _SEX_NAME
        + rf"(?:{_SIGN}\(?|\s*\(\s*|\s+(?:coded\s+)?as\s+)(?P<code>-?\d+)(?![\w.])",
        r"(?<![\w.])(?P<code>-?\d+)\s+" + _SEX_NAME,
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
_FARTHEST = 100  # characters between "gender" and its legend in a text
_YES, _NO = ("1", "yes", "y", "true", "t"), ("0", "no", "n", "false")
# "is male", "sex: male" as a key: what is asked is whether the person has this sex.
_ASKED = re.compile(
    rf"(?:is |sex |gender |patient )*(?P<sex>{spelt_sexes('asked')})(?: sex| gender)?"
)
_KARYOTYPE = re.compile(r"46\s*,?\s*(?P<sex>x[xy])")


@lru_cache(maxsize=4096)
def sex_legend(key: str) -> dict[str, int]:
    """Return the codes that a key explains: ``"gender (1=male, 2=female)"`` gives 1 and 0."""
    # A key that is itself a sex ("female: 1", "is_male: yes") explains yes and no.
    found = _explained_codes(key)
    plain = plain_words(key)
    asked = _ASKED.fullmatch(plain)
    sex = None if asked is None else _sex_of_word(asked["sex"])
    if sex is not None:
        found = dict.fromkeys(_YES, sex) | dict.fromkeys(_NO, 1 - sex) | found
    return found


@lru_cache(maxsize=256)
def text_legend(text: str) -> dict[str, int]:
    """Return the codes of sexes that a series' texts explain: "gender: 0=female, 1=male"."""
    # Code in digits -> female 0, male 1. Empty unless the text names "sex" or "gender" shortly
    # before, gives a code for both, and does not contradict itself.
    found: dict[str, int] = {}
    for hit in re.finditer(r"\b(?:sex|gender)\b", text, re.IGNORECASE):
        nearby = re.split(r"\.\s|\n", text[hit.end() : hit.end() + _FARTHEST])[0]
        for code, sex in _explained_codes(nearby, signed=True).items():
            if code.lstrip("-").isdecimal() and found.setdefault(code, sex) != sex:
                return {}
    return found if set(found.values()) == {0, 1} else {}


def _explained_codes(key: str, *, signed: bool = False) -> dict[str, int]:
    """Return the codes of the first form of legend that explains both sexes."""
    for pairs in _legends(key, signed=signed):
        legend: dict[str, int] = {}
        for code, name in pairs:
            sex = _sex_of_word(name.casefold())
            if sex is not None:
                legend.setdefault(code.casefold(), sex)
        if set(legend.values()) == {0, 1}:
            return legend
    return {}


def _legends(key: str, *, signed: bool) -> Iterator[list[tuple[str, str]]]:
    """Give the pairs of code and sex by each form of legend, the surest form first."""
    # Without a sign between them ("45 male, 43 female") a text counts people, so `signed` leaves
    # that form out.
    paired = _PAIRED.search(key)
    if paired:
        yield [(paired["one"], paired["first"]), (paired["two"], paired["second"])]
    for pattern in _LEGENDS[:-1] if signed else _LEGENDS:
        yield [(hit["code"], hit["sex"]) for hit in pattern.finditer(key)]


def _sex_of_word(word: str) -> int | None:
    if word in _MALE:
        return 1
    return 0 if word in _FEMALE else None


@lru_cache(maxsize=16384)
def parse_sex(text: str, key: str = "") -> int | None:
    """Parse a person's sex.

    Parameters
    ----------
    text : str
        The value alone: ``M``, ``female``, ``boy``, ``1 (male)``, with an age next to it (``45/F``,
        ``male, 45 years``), in a pair behind another value (``45 years; sex: F``), or a code that
        the key explains.
    key : str
        Key of the cell, with its legend if it has one; in a key of several parts ("strain, sex")
        its place shows which part of the value is meant.

    Returns
    -------
    int or None
        Female 0, male 1; None for neither, both, or a change.
    """
    word = _plain_sex(text)
    legend = sex_legend(key)
    if word in legend:
        return legend[word]
    part = named_part(text, key, lambda name: sex_rank(name) is not None)
    sex = None if part is None else _sex_of_phrase(_plain_sex(part))
    return _sex_of_phrase(word) if sex is None else sex


def _plain_sex(text: str) -> str:
    return folded(text).strip(" .*'\"")


def _sex_of_phrase(text: str) -> int | None:
    karyotype = _KARYOTYPE.fullmatch(text)
    if karyotype:
        return _sex_of_word(karyotype["sex"])
    if len(text) > _LONGEST:
        return None
    words = re.findall(r"[^\W\d_]+|[\u2640\u2642]", text)
    sexes = {_sex_of_word(word) for word in words} - {None}
    if len(sexes) != 1 or _UNCLEAR & set(words) or "?" in text:
        return None
    return sexes.pop() if _states_a_sex(text, words) else None


def _states_a_sex(text: str, words: list[str]) -> bool:
    """Return whether a text with a word for a sex states the sex and nothing against it."""
    if re.fullmatch(r"[^\W\d_]+(?:\s*[(\[/,]\s*[^\W\d_]+\s*[)\]]?)?|[\u2640\u2642]", text):
        return True
    if re.fullmatch(r"-?\d+\s*[=:-]\s*[^\W\d_]+|-?\d+\s*\(\s*[^\W\d_]+\s*\)", text):
        return True
    if re.fullmatch(r"[^\W\d_]+\s*(?:[=:-]\s*-?\d|\(\s*-?\d\s*\))", text):
        return True
    if re.search(r"\b(?:sex|gender)\b[\s:=]*[mf]$", text):
        return True
    named = [word for word in words if _sex_of_word(word) is not None]
    spelt = any(len(word) > 1 for word in named)
    # A letter alone is a sex next to an age ("45/F", "F 45"), not in "F1" or "M0 macrophage".
    aged = re.fullmatch(
        r"[mf](?:\d{2,3}|\s*[/,;| ]\s*\d{1,3})(?:\s*y[a-z]*)?"
        r"|\d{1,3}\s*(?:y[a-z]*)?\s*[/,;| -]?\s*[mf]",
        text,
    )
    if not spelt:
        return bool(aged)
    return all(word in _BESIDE_SEX or word in named for word in words)


def _read(text: str) -> float | None:
    code = parse_sex(text, "sex")
    return None if code is None else float(code)


SEX = SampleFeature(
    name="sex",
    label="Sex",
    scale="levels",
    use="covariate",
    read=_read,
    levels={"female": 0.0, "male": 1.0},
    column="Gender",
    encoded="gender",
    parser="sex",
    rank=sex_rank,
    parse=parse_sex,
    other_names=("gender",),
)
