"""Ages and sexes that say so themselves, where no key names them."""

from __future__ import annotations

import re

from genotex.clinical.candidates import Candidate
from genotex.clinical.people.age_sex_words import age_rank, load_words, names_another, sex_rank
from genotex.clinical.people.ages import parse_age_years
from genotex.clinical.people.sexes import parse_sex
from genotex.clinical.values import named_part
from genotex.clinical.words.vocabulary import load_vocabulary
from genotex.clinical.words.wording import simplify

__all__ = ["ages_without_key", "sexes_without_key"]

_NEARLY_ALL = 0.9
_SPEAKS_OF_AGE = re.compile(r"\bold\b|\bage[sd]?\b|\by\.?/?o\b")
_YEARS = re.compile(r"\d\s*-?y(?:ea)?r?s?\b")
_SPELT_SEX = re.compile(r"male|\bwom[ae]n\b|\bm[ae]n\b|\bgirls?\b|\bboys?\b")


def ages_without_key(candidate: Candidate) -> dict[str, float]:
    """Return the ages of a row whose key names none.

    Parameters
    ----------
    candidate : Candidate
        Values without a key ("45 years old"), under one that may say anything of a person
        ("donor: male, 45 years"), or with a pair inside ("sex: F, age: 45").

    Returns
    -------
    dict of str to float
        Raw cell -> years; empty unless nearly all values that say something say an age.
    """
    found = {}
    for cell, value in candidate.values.items():
        inner = named_part(value, "", lambda name: age_rank(name) is not None)
        if inner is not None or (_is_of_a_person(candidate) and _speaks_of_age(value)):
            years = parse_age_years(value, candidate.key)
            if years is not None:
                found[cell] = years
    return _if_nearly_all(found, candidate)


def sexes_without_key(candidate: Candidate) -> dict[str, float]:
    """Return the sexes of a row whose key names none, female 0, male 1; see `ages_without_key`.

    A letter alone is none: an "M" may be anything.
    """
    found = {}
    for cell, value in candidate.values.items():
        inner = named_part(value, "", lambda name: sex_rank(name) is not None)
        spelt = _SPELT_SEX.search(value.casefold())
        if inner is not None or (spelt and _is_of_a_person(candidate)):
            sex = parse_sex(value, candidate.key)
            if sex is not None:
                found[cell] = float(sex)
    return _if_nearly_all(found, candidate)


def _speaks_of_age(value: str) -> bool:
    """Return whether a value says that it is an age: "age 45", "45-year-old", "male, 45 y"."""
    value = value.casefold()
    return bool(_SPEAKS_OF_AGE.search(value) or (_SPELT_SEX.search(value) and _YEARS.search(value)))


def _is_of_a_person(candidate: Candidate) -> bool:
    """Return whether values under a key may describe the patient: no key, or "patient", "donor"."""
    words = re.findall(r"[^\W_]+", candidate.key.casefold())
    allowed = {*load_words()["person_keys"]}
    return candidate.sample_field == "characteristics_ch1" and all(w in allowed for w in words)


def _if_nearly_all(found: dict[str, float], candidate: Candidate) -> dict[str, float]:
    gaps = load_vocabulary().missing | {simplify(word) for word in load_words()["missing"]}
    known = [v for v in candidate.values.values() if simplify(v) not in gaps]
    if names_another(candidate.key) or len(found) < _NEARLY_ALL * len(known):
        return {}
    return found
