"""What open values of a row mean by the company they keep: their key and their neighbours."""

from __future__ import annotations

import re

from genotex.clinical.candidates import Candidate
from genotex.clinical.trait.judgement import Ground, Judgement, Judgements
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.clinical.values import parse_number
from genotex.clinical.words.keys import (
    INCIDENTAL,
    asks_genotype,
    asks_trait,
    kind_of_key,
    lists_diseases,
    lists_tissues,
    names_gene,
    names_trait,
)

__all__ = ["is_number", "names_case", "read_by_key", "rest_as_cases", "rest_as_controls"]

_NO_GROUPS = (INCIDENTAL | {"never", "identifier"}) - {"stage"}
_NO_REST = {"never", "identifier", "treatment", "time", "culture"}
_ONLY_NUMBERS = re.compile(r"[\d.,\s%+-]*")


def is_number(value: str) -> bool:
    """Tell whether a value is a number or a range, with or without a unit."""
    return _ONLY_NUMBERS.fullmatch(value) is not None or parse_number(value) is not None


def names_case(judgements: Judgements) -> bool:
    """Tell whether a value names the trait or a form of it."""
    return any(j.role == "case" and j.ground >= Ground.INCLUDED for j in judgements.values())


def read_by_key(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, *, named: bool
) -> Judgements:
    """Read open values by what their key asks, where the row names a case."""
    key = candidate.key
    healthy = any(j.role == "healthy control" for j in judgements.values())
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if not _can_be_read_by_key(value, judgement, judge):
            continue
        if healthy and (names_trait(judge.trait, key) or names_gene(judge.trait, key)):
            why = f"{value!r} under {key!r}, beside controls"
            result[cell] = Judgement("case", Ground.INCLUDED, why)
        elif named and lists_diseases(key) and not judge.words.is_vague(value):
            why = f"{value!r} stands under {key!r} beside the trait: another diagnosis"
            result[cell] = Judgement("other disease", Ground.BY_COMPANY, why)
        elif named and judge.words.is_wild_type(value):
            result[cell] = Judgement(
                "healthy control", Ground.HEALTHY, f"{value!r} beside the trait's gene"
            )
        elif named and (long := _other_meaning(value, judge)) is not None:
            why = f"{value!r} is {long!r}, as the texts explain: not the trait"
            result[cell] = Judgement("control without known health", Ground.BY_COMPANY, why)
        elif named and lists_tissues(key):
            why = f"{value!r} stands under {key!r} beside the trait: something else"
            result[cell] = Judgement("control without known health", Ground.BY_COMPANY, why)
    return result


def _other_meaning(value: str, judge: ValueJudge) -> str | None:
    """Return what the texts say that a value stands for, unless that leaves it open."""
    long = judge.series.spelt_out(value)
    return None if long is None or judge.words.is_doubtful(long) else long


def _can_be_read_by_key(value: str, judgement: Judgement, judge: ValueJudge) -> bool:
    if not judgement.is_open or is_number(value):
        return False
    return not (
        judge.words.could_be(value)
        or judge.words.is_doubtful(value)
        or judge.words.is_detail(value)
    )


def rest_as_controls(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements | None:
    """Return the row with all open values as controls of a case that is named, or None.

    Only where no value is known for a control: beside known controls, open values stay missing.
    """
    if not names_case(judgements) or any(j.code == 0 for j in judgements.values()):
        return None
    if kind_of_key(candidate.key) in _NO_REST:
        return None
    return _rest(
        candidate, judgements, judge, "stands beside the trait: not the trait", control=True
    )


def rest_as_cases(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements | None:
    """Return the row with all open values as cases beside its controls, or None.

    The groups of a series about the trait are often called by names of the submitter's own
    ("M6", "M0I", "Ctrl").
    """
    healthy = {cell for cell, j in judgements.items() if j.role == "healthy control"}
    if not any(judge.words.says_healthy(candidate.values[cell]) for cell in healthy):
        return None
    if any(j.role == "case" for j in judgements.values()) or not judge.series.about:
        return None
    key = candidate.key
    if asks_trait(judge.trait, key) or asks_genotype(key) or kind_of_key(key) in _NO_GROUPS:
        return None
    return _rest(
        candidate, judgements, judge, "beside controls in a series about the trait", control=False
    )


def _rest(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, why: str, *, control: bool
) -> Judgements | None:
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if not _can_be_read_by_key(value, judgement, judge) or judge.words.is_vague(value):
            continue
        reason = f"{value!r} {why}"
        result[cell] = (
            Judgement("control without known health", Ground.BY_COMPANY, reason)
            if control
            else Judgement("case", Ground.BESIDE_CONTROLS, reason)
        )
    return result if result != dict(judgements) else None
