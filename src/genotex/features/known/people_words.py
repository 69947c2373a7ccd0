"""The words of ages and sexes, from ``data/age_sex.toml``, and which keys name one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from genotex.features.plain_text import packaged_table, split_words

_ASIDE = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")

PLAIN, SAMPLING, _OTHER, DIAGNOSIS, DEATH, GROUP = 6.0, 5.0, 4.0, 3.0, 2.0, 1.0
"""How near to the person at sampling the age under a key is: the higher, the nearer."""

STATED, _UNCLEAR, _COMPUTED, _OTHER_PERSON = 6.0, 4.0, 3.0, 2.0
"""How certain the sex under a key is the patient's own: the higher, the more certain."""

_NOT_YEARS = 0.5  # An age in years is taken before the same age in months.


def load_words() -> Mapping[str, Any]:
    """Return the packaged words of ``data/age_sex.toml``."""
    # ``missing`` and ``person_keys`` (lists), tables ``age`` (with ``units``), ``sex``, ``numbers``
    # (words from zero to ninety) and ``certainty`` (by feature and kind of evidence).
    return packaged_table("genotex.features", "age_sex")


@lru_cache(maxsize=8192)
def plain_words(key: str) -> str:
    """Return the words of a key: ``AgeAtDiagnosis_(yrs)`` gives ``age at diagnosis yrs``."""
    # What submitters write as one is taken apart: "patientage", "sexfemale".
    return " ".join(_unglued(word) for word in split_words(key))


def _unglued(word: str) -> str:
    hit = _glued().fullmatch(word)
    return word if hit is None else " ".join(part for part in hit.groups() if part)


@lru_cache(maxsize=1)
def _glued() -> re.Pattern[str]:
    """Words that submitters write as one: "patientage", "ageatdeath", "sexfemale", "gendercode"."""
    heads = "|".join(load_words()["age"]["heads"])
    tails = "|".join(load_words()["age"]["tails"])
    age = rf"({heads})?(age)(at|in)?({tails})?"
    sex = rf"({heads})?(sex|gender)(female|male|code|m|f)?"
    return re.compile(f"{age}|{sex}")


@lru_cache(maxsize=128)
def _pattern(feature: str, *lists: str) -> re.Pattern[str]:
    words = [word for name in lists for word in load_words()[feature][name]]
    return _any_of(words)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{_either(words)})(?![^\W_])")


def _either(words: Iterable[str]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\*", r"\w*") for word in ordered)


def spelt_sexes(which: str = "spelt") -> str:
    """Return the words that spell a sex in English, as alternatives of a pattern."""
    return _either(load_words()["sex"][which])


def unit_words(*units: str, letters: Iterable[str] | None = None) -> str:
    """Return the words for units of ages, as alternatives of a pattern."""
    table = load_words()["age"]["units"]
    words = [word for unit in units or table for word in table[unit]]
    allowed = words if letters is None else {*letters}
    return _either(word for word in words if len(word) > 1 or word in allowed)


@lru_cache(maxsize=1)
def _age_names() -> re.Pattern[str]:
    words = load_words()["age"]
    return _any_of([*words["names"], *words["days"], *words["years"]])


@lru_cache(maxsize=1)
def _sex_names() -> re.Pattern[str]:
    return _any_of([*load_words()["sex"]["names"], *load_words()["sex"]["asked"]])


@lru_cache(maxsize=8192)
def age_rank(key: str) -> float | None:
    """Return how well a key names a person's age."""
    # `PLAIN` for "age" or "patient age (yrs)", then `SAMPLING`, `_OTHER`, `DIAGNOSIS`, `DEATH`,
    # `GROUP` ("age group", days to birth), half a point less when the unit is not years; None when
    # the key names no age or one that is not the person's age (onset, gestation, passage).
    plain = plain_words(key)
    names = _age_names()
    if not names.search(plain):
        return None
    allowed = _pattern("age", "nevertheless").sub(" ", plain)
    if _pattern("age", "never").search(allowed):
        return None
    lesser = _NOT_YEARS * (key_unit(key) != "years")
    if names_groups(key) or _pattern("age", "days").search(plain):
        return GROUP - lesser
    for words, rank in (("death", DEATH), ("diagnosis", DIAGNOSIS)):
        if _pattern("age", words).search(plain):
            return rank - lesser
    if not _left(names, ("age", "plain"), _ASIDE.sub(" ", key)):
        return PLAIN - lesser
    return (SAMPLING if _pattern("age", "sampling").search(plain) else _OTHER) - lesser


@lru_cache(maxsize=8192)
def sex_rank(key: str) -> float | None:
    """Return how well a key names the sex of the person; see `age_rank`."""
    # `STATED` for "sex" or "recipient gender", `_UNCLEAR` for unknown additions, `_COMPUTED` for
    # sexes from data ("predicted sex"), `_OTHER_PERSON` for those of a donor or a child, None
    # for no sex at all.
    plain = plain_words(key)
    names = _sex_names()
    if not names.search(plain) or _pattern("sex", "never").search(plain):
        return None
    if _pattern("sex", "other_person").search(plain):
        return _OTHER_PERSON
    if _pattern("sex", "estimated").search(plain):
        return _COMPUTED
    return _UNCLEAR if _left(names, ("sex", "plain"), _ASIDE.sub(" ", key)) else STATED


def _left(names: re.Pattern[str], plain: tuple[str, str], key: str) -> str:
    """Return what is left of a key without the name and words that add nothing."""
    rest = names.sub(" ", plain_words(key))
    rest = _pattern(*plain).sub(" ", rest)
    return _units().sub(" ", rest).strip()


@lru_cache(maxsize=1)
def _units() -> re.Pattern[str]:
    return _any_of(word for words in load_words()["age"]["units"].values() for word in words)


def names_another(key: str) -> bool:
    """Return whether a key speaks of someone or something else: a mother, a mouse, an onset."""
    plain = plain_words(key)
    return any(_pattern(feature, "never").search(plain) for feature in ("age", "sex"))


def names_groups(key: str) -> bool:
    """Return whether a key announces groups: "age group", "age category"."""
    return _pattern("age", "groups").search(plain_words(key)) is not None


@lru_cache(maxsize=8192)
def key_unit(key: str) -> str:
    """Return the unit of bare numbers under a key: ``years``, ``months``, ``weeks`` or ``days``."""
    # Years wins when several are named; a time point ("age at 6 months") is no unit.
    plain = re.sub(r"\bdays?\b(?=.*\bbirth\b)|\bdays of life\b", " days ", plain_words(key))
    # A number in front makes a time point, a single letter is a unit only in brackets.
    plain = re.sub(r"\b\d+ [^\W\d_]+", " ", plain)
    aside = " ".join(plain_words(part) for part in _ASIDE.findall(key))
    found = {
        unit
        for unit, words in load_words()["age"]["units"].items()
        for word in words
        if re.search(rf"\b{re.escape(word)}\b", plain if len(word) > 1 else aside)
    }
    return next((unit for unit in ("years", "months", "weeks", "days") if unit in found), "years")
