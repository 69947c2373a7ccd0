"""Rows that separate patients from controls otherwise than by naming the trait.

Controls are named and every other value says how a patient is (a stage, a visit, a treatment);
cases are named and the rest are controls; or cases have one key and controls another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from genotex.clinical.cells import Candidate
from genotex.clinical.trait.judgement import Ground, Judgement, Judgements, best_ground
from genotex.clinical.trait.row_judge import (
    NO_DEGREE,
    NO_REST,
    can_be_read_by_key,
    is_number,
    judge_row,
    names_case,
)
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.keys import (
    INCIDENTAL,
    asks_genotype,
    asks_trait,
    is_code_of,
    kind_of_key,
    lists_diseases,
    names_trait,
)
from genotex.clinical.words.name_forms import without_number
from genotex.features import load_wording, simplify

_NO_GROUPS = {"never", "identifier", "relatives", "culture"}
_MOST_STEMS = 4
_DETAILS = {"stage", "time", "treatment", "outcome"}
_CONTROL_KEY = re.compile(
    r"\b(?:normal|control|healthy|donor|volunteer|non.?(?:tumou?r|disease)\w*|unaffected|vendor|"
    r"commercial|bank)\b"
)
_CASE_KINDS = {"stage", "disease", "time", "treatment", "outcome", "status", "other"}


def rest_as_controls(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements | None:
    """Return the row with all open values as controls of a case that is named, or None."""
    # Only where no value is known for a control: next to known controls, open values stay missing.
    known = any(j.role == "healthy control" for j in judgements.values())
    # By letters alone, cases are named only where the texts speak of controls.
    least = Ground.BY_LETTERS if judge.series.mentions_controls else Ground.INCLUDED
    if known or not any(j.role == "case" and j.ground >= least for j in judgements.values()):
        return None
    kind = kind_of_key(candidate.key)
    # Values under an identifier may be groups after all: "OS_1", "margin_2".
    stems = {without_number(value) for value in candidate.values.values()}
    if kind in NO_REST and not (kind == "identifier" and len(stems) <= _MOST_STEMS):
        return None
    why = "is alongside the trait: not the trait"
    return _rest(candidate, judgements, judge, why, control=True)


def rest_as_cases(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements | None:
    """Return the row with all open values as cases next to its controls, or None."""
    # The groups of a series about the trait are often called by names of the submitter's own ("M6",
    # "M0I", "Ctrl").
    words, trait, series = judge.words, judge.trait, judge.series
    key, values = candidate.key, candidate.values
    kind = kind_of_key(key)
    generic = load_wording()["names"]["generic"]
    disease = words.other_disease(" ".join(w for w in simplify(key).split() if w not in generic))
    if (
        not series.names_trait
        or best_ground(j for j in judgements.values() if j.role == "case") >= Ground.NAMED
        or kind in _NO_GROUPS
        or (kind in INCIDENTAL - {"stage"} and not series.mentions_patients)
        or (lists_diseases(key) and not series.about)
        or (disease is not None and not names_trait(trait, key))  # "diabetes status"
        or asks_trait(trait, key)
        or asks_genotype(key)
        or any(words.says_only(value, trait.low, trait.high) for value in values.values())
    ):
        return None
    if not any(
        words.says_healthy(values[cell])
        or words.is_without_illness(values[cell])
        or (kind == "stage" and simplify(values[cell]) in NO_DEGREE)
        or j.ground == Ground.FREE_ORGAN
        for cell, j in judgements.items()
        if j.role == "healthy control"
    ):
        return None
    why = "alongside controls in a series about the trait"
    return _rest(candidate, judgements, judge, why, control=False)


def patients_tissue(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements | None:
    """Return the row with patients' unaffected tissue as cases next to healthy people, or None."""
    # Tumours and lesions of the skin are compared with the tissue next to them.
    if judge.trait.is_cancer or any(
        "lesion" in text.lower() for text in (candidate.key, *candidate.values.values())
    ):
        return None
    healthy = {cell for cell, j in judgements.items() if j.role == "healthy control"}
    spared = {cell for cell in healthy if judge.words.is_unaffected(candidate.values[cell])}
    unaffected = {c for c in spared if not judge.words.is_healthy_person(candidate.values[c])}
    if not unaffected or unaffected == healthy:
        return None
    why = "is of patients, alongside healthy people"
    cases = {
        c: Judgement.case(f"{candidate.values[c]!r} {why}", Ground.CONTEXT) for c in unaffected
    }
    return {**judgements, **cases}


def _rest(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, why: str, *, control: bool
) -> Judgements | None:
    result = dict(judgements)
    named = names_case(judgements)
    # Where a word for patients names the cases, a disease next to them is another one.
    called = any(j.role == "case" and j.ground == Ground.CONTEXT for j in judgements.values())
    series = judge.series
    compared = series.in_title and series.has_patients and series.mentions_controls
    told = compared and not (control or named or called)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if named and judgement.ground == Ground.OTHER_CODE:
            continue
        other = judgement.meaning == "other disease"
        patients = told and other and not series.has_disease_of(value)
        if patients or (not control and _is_patient_detail(candidate.key, value, judgement, judge)):
            result[cell] = Judgement.case(f"{value!r} {why}", Ground.BESIDE_CONTROLS)
            continue
        if not can_be_read_by_key(value, judgement, judge) or judge.words.is_vague(value):
            continue
        reason = f"{value!r} {why}"
        result[cell] = (
            Judgement.control(reason) if control else Judgement.case(reason, Ground.BESIDE_CONTROLS)
        )
    return result if result != dict(judgements) else None


def _is_patient_detail(key: str, value: str, judgement: Judgement, judge: ValueJudge) -> bool:
    """Return whether a value says how a patient is: a stage, a visit, a number, a code."""
    if judgement.ground == Ground.OTHER_CODE:
        return not lists_diseases(key)
    known = judge.words.has(value, "relative", "uncertain") or not judgement.is_open
    return is_number(value) and kind_of_key(key) in _DETAILS and not known


def judge_keys(
    parts: Sequence[Candidate], judge: ValueJudge
) -> tuple[Candidate, Judgements] | None:
    """Judge a row whose cases have one key and whose controls another, or None."""
    # Returns the part that holds the cases, and the judgements of all cells of the row.
    if not judge.series.names_trait:
        return None
    parts = [replace(part, key=judge.series.spelt_key(part.key)) for part in parts]
    result: dict[str, Judgement] = {}
    cases: list[Candidate] = []
    open_parts: list[Candidate] = []
    controls = False
    for part in parts:
        if kind_of_key(part.key) == "never":
            continue
        judgements = judge_row(part, judge)
        here = {cell: judgements[cell] for cell in part.in_row}
        codes = {None if j.ground == Ground.OTHER_CODE else j.code for j in here.values()}
        if _CONTROL_KEY.search(part.key.lower()) and 1.0 not in codes:
            here = dict.fromkeys(here, Judgement.healthy(f"under {part.key!r}"))
            controls = True
        elif codes == {0.0}:
            controls = True
        elif codes <= {None}:
            open_parts.append(part)
            continue
        else:
            cases.append(part)
        result |= here
    for part in open_parts:
        of_trait = names_trait(judge.trait, part.key) or is_code_of(judge.trait, part.key)
        if of_trait or (not cases and kind_of_key(part.key) in _CASE_KINDS):
            why = f"under {part.key!r}, in a series about the trait"
            result |= dict.fromkeys(part.in_row, Judgement.case(why, Ground.CONTEXT))
            cases.append(part)
    if not controls or not any(j.role == "case" for j in result.values()):
        return None
    return max(cases, key=lambda part: len(part.in_row)), result
