"""Judging the values of a row together: by their key and by the other values of the row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from genotex.clinical.cells import Candidate, parse_number
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements, best_ground
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.abbreviations import without_number
from genotex.clinical.words.keys import (
    INCIDENTAL,
    asks_genotype,
    asks_trait,
    is_code_of,
    kind_of_key,
    lists_diseases,
    lists_tissues,
    names_gene,
    names_trait,
)
from genotex.clinical.words.wording import simple_key, simplify

_NO_GROUPS = {"never", "identifier", "relatives", "culture"}
_NO_REST = {"never", "identifier", "treatment", "time", "culture"}
_ONLY_NUMBERS = re.compile(r"[\d.,\s%+-]*")


def is_number(value: str) -> bool:
    """Return whether a value is a number or a range, with or without a unit."""
    return _ONLY_NUMBERS.fullmatch(value) is not None or parse_number(value) is not None


def _points_at_case(judgements: Judgements, judge: ValueJudge) -> bool:
    """Return whether a value names the trait, or fits its letters where the texts name controls."""
    least = Ground.BY_LETTERS if judge.series.mentions_controls else Ground.INCLUDED
    return any(j.role == "case" and j.ground >= least for j in judgements.values())


def _names_case(judgements: Judgements) -> bool:
    """Return whether a value names the trait or a form of it."""
    return any(j.role == "case" and j.ground >= Ground.INCLUDED for j in judgements.values())


def _read_by_key(
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
            why = f"{value!r} under {key!r}, alongside controls"
            result[cell] = Judgement("case", Ground.INCLUDED, why)
        elif named and lists_diseases(key) and not judge.words.is_vague(value):
            why = f"{value!r} is under {key!r} alongside the trait: another diagnosis"
            result[cell] = Judgement("other disease", Ground.BY_COMPANY, why)
        elif named and judge.words.is_wild_type(value):
            result[cell] = Judgement(
                "healthy control", Ground.HEALTHY, f"{value!r} alongside the trait's gene"
            )
        elif named and (long := _other_meaning(value, judge)) is not None:
            why = f"{value!r} is {long!r}, as the texts explain: not the trait"
            result[cell] = Judgement("control without known health", Ground.BY_COMPANY, why)
        elif named and lists_tissues(key):
            why = f"{value!r} is under {key!r} alongside the trait: something else"
            result[cell] = Judgement("control without known health", Ground.BY_COMPANY, why)
    return result


def _other_meaning(value: str, judge: ValueJudge) -> str | None:
    """Return the meaning of a value by the texts, unless that leaves it open."""
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
    """Return the row with all open values as controls of a case that is named, or None."""
    # Only where no value is known for a control: next to known controls, open values stay missing.
    known = any(j.role == "healthy control" for j in judgements.values())
    if not _points_at_case(judgements, judge) or known:
        return None
    if kind_of_key(candidate.key) in _NO_REST and not _are_groups(candidate):
        return None
    return _rest(
        candidate, judgements, judge, "is alongside the trait: not the trait", control=True
    )


def _are_groups(candidate: Candidate) -> bool:
    """Return whether the values under an identifier are groups after all: "OS_1", "margin_2"."""
    stems = {without_number(value) for value in candidate.values.values()}
    return kind_of_key(candidate.key) == "identifier" and len(stems) <= _MOST_STEMS


_MOST_STEMS = 4


def rest_as_cases(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements | None:
    """Return the row with all open values as cases next to its controls, or None."""
    # The groups of a series about the trait are often called by names of the submitter's own ("M6",
    # "M0I", "Ctrl").
    healthy = {cell for cell, j in judgements.items() if j.role == "healthy control"}
    if not any(
        judge.words.says_healthy(candidate.values[cell])
        or judgements[cell].ground == Ground.FREE_ORGAN
        for cell in healthy
    ):
        return None
    cases = [j for j in judgements.values() if j.role == "case"]
    if best_ground(cases) >= Ground.NAMED or not judge.series.names_trait:
        return None
    key = candidate.key
    if asks_trait(judge.trait, key) or asks_genotype(key) or kind_of_key(key) in _NO_GROUPS:
        return None
    if judge.words.other_disease(key) is not None and not names_trait(judge.trait, key):
        return None
    if lists_diseases(key) and not judge.series.about:
        return None
    if kind_of_key(key) in INCIDENTAL - {"stage"} and not judge.series.mentions_patients:
        return None
    return _rest(
        candidate,
        judgements,
        judge,
        "alongside controls in a series about the trait",
        control=False,
    )


def _rest(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, why: str, *, control: bool
) -> Judgements | None:
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if not control and _is_patient_detail(candidate.key, value, judgement, judge):
            result[cell] = Judgement("case", Ground.BESIDE_CONTROLS, f"{value!r} {why}")
            continue
        if not _can_be_read_by_key(value, judgement, judge) or judge.words.is_vague(value):
            continue
        reason = f"{value!r} {why}"
        result[cell] = (
            Judgement("control without known health", Ground.BY_COMPANY, reason)
            if control
            else Judgement("case", Ground.BESIDE_CONTROLS, reason)
        )
    return result if result != dict(judgements) else None


_DETAILS = {"stage", "time", "treatment", "outcome", "status", "other"}


def _is_patient_detail(key: str, value: str, judgement: Judgement, judge: ValueJudge) -> bool:
    """Return whether a value says how a patient is: a stage, a visit, a number, a code."""
    if judgement.ground == Ground.OTHER_CODE:
        return not lists_diseases(key)
    known = judge.words.is_doubtful(value) or not judgement.is_open
    return is_number(value) and kind_of_key(key) in _DETAILS and not known


_MANY_TUMOURS = 3
_NUMBERED = re.compile(r"([A-Za-z]+)[-_ ]?\d+")
_MOSTLY_CODES = 0.8
_CODES_PER_GROUP = 3
_CLAUSE = re.compile(r"[,;()]")
_SIGNED = re.compile(r"(.+?)\s*(?:\(\s*[-+\u2212]\s*\)|[-+\u2212])")


def judge_row(candidate: Candidate, judge: ValueJudge) -> Judgements:
    """Judge all values under one key."""
    values = _without_numbers(_without_signs(candidate.values))
    judgements: Judgements = {
        cell: judge.judge(value, candidate.key) for cell, value in values.items()
    }
    judgements = _without_letters(candidate, judgements, judge)
    judgements = _near_misses(candidate, judgements, judge)
    named = _names_case(judgements)
    if named:
        judgements = _tumours_elsewhere(candidate, judgements, judge)
    judgements = _wider_words(candidate, judgements, judge, named=named)
    judgements = _without_borrowed_cases(candidate, judgements, judge, named=named)
    judgements = _denials_of_cases(candidate, judgements, judge)
    judgements = _denials_beside_healthy(judgements)
    judgements = _wild_types(candidate, judgements, judge)
    judgements = _dashes(candidate, judgements, judge)
    judgements = _single_letters(candidate, judgements, judge)
    judgements = _not_diseased(candidate, judgements)
    judgements = _read_by_key(candidate, judgements, judge, named=named)
    return _tissues_of_people(candidate, judgements, judge)


def _without_letters(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements:
    """Reopen codes that only fit the trait's letters where the row says what its cases are."""
    best = best_ground(j for j in judgements.values() if j.role == "case")
    if best <= Ground.BY_LETTERS:
        return judgements
    return {
        cell: judge.words.other_disease(candidate.values[cell]) or UNKNOWN
        if j.ground == Ground.BY_LETTERS
        else j
        for cell, j in judgements.items()
    }


def _without_signs(values: Mapping[str, str]) -> dict[str, str]:
    """Remove plus and minus where a row has both: "BD(+)" and "BD(-)" are forms of "BD"."""
    bases = {cell: hit[1] for cell, v in values.items() if (hit := _SIGNED.fullmatch(v))}
    often = Counter(simple_key(base) for base in bases.values())
    return {
        cell: bases[cell] if cell in bases and often[simple_key(bases[cell])] > 1 else value
        for cell, value in values.items()
    }


def _without_numbers(values: Mapping[str, str]) -> dict[str, str]:
    """Remove running numbers from the codes of a row: "ET1", "ET2", "N1" are "ET" and "N"."""
    bases = {cell: hit[1] for cell, v in values.items() if (hit := _NUMBERED.fullmatch(v))}
    often = Counter(bases.values())
    if len(bases) < _MOSTLY_CODES * len(values) or len(often) < 2 or min(often.values()) < 2:
        return dict(values)
    if len(bases) < _CODES_PER_GROUP * len(often):
        return dict(values)
    return {cell: bases.get(cell, value) for cell, value in values.items()}


def _near_misses(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Treat "basal cell carcinoma" as another disease than melanoma, although it is a tumour."""
    near = judge.trait.near_misses
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if judgement.role != "case" or judgement.ground > Ground.BROADER:
            continue
        name = next(filter(None, map(near.find, _CLAUSE.split(value))), None)
        if name is not None and not judge.words.denies(value, [name]):
            why = f"{value!r} names another disease ({name!r})"
            result[cell] = Judgement("other disease", Ground.OTHER_DISEASE, why)
    return result


def _tumours_elsewhere(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements:
    """Treat "adenocarcinoma" as another cancer where the texts mention that of the lung only."""
    # Only next to values that name the trait: alone it may still be the name of its cases.
    result = dict(judgements)
    for cell, judgement in judgements.items():
        if judgement.role != "case" or judgement.ground > Ground.BROADER:
            continue
        value = candidate.values[cell]
        organ = judge.series.organ_elsewhere(value)
        if organ is not None:
            why = f"the texts mention {value!r} only of another organ ({organ!r})"
            result[cell] = Judgement("other disease", Ground.OTHER_DISEASE, why)
    return result


def _wider_words(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, *, named: bool
) -> Judgements:
    """Read the trait's wider words, unless the row names the trait itself."""
    cells = candidate.values
    if not named:
        wider = {cell: judge.broader(value, candidate.key) for cell, value in cells.items()}
        return {cell: wider[cell] or j for cell, j in judgements.items()}
    if not judge.trait.broader:
        return judgements
    return {
        cell: UNKNOWN if j.role == "other disease" and judge.words.could_be(cells[cell]) else j
        for cell, j in judgements.items()
    }


def _without_borrowed_cases(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, *, named: bool
) -> Judgements:
    """Reopen cases by context in rows that name the trait, or other cancers."""
    cells, words = candidate.values, judge.words
    tumours = sum(
        j.role == "other disease" and words.is_cancer(cells[cell]) for cell, j in judgements.items()
    )
    enough = _MANY_TUMOURS if not named else 1 if judge.trait.is_cancer else 0
    if tumours < enough:
        return judgements
    return {
        cell: judge.without_context(cells[cell])
        if j.role == "case"
        and j.ground <= Ground.BROADER
        and not (named and words.is_plain_tumour(cells[cell]))
        else j
        for cell, j in judgements.items()
    }


def _denials_of_cases(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements:
    """Treat "without severe asthma" as a control where the row has "severe asthma"."""
    cases = [candidate.values[cell] for cell, j in judgements.items() if j.role == "case"]
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if judgement.is_open and cases and judge.words.denies(value, cases):
            why = f"{value!r} denies a case of its row"
            result[cell] = Judgement("healthy control", Ground.DENIED, why)
    return result


def _denials_beside_healthy(judgements: Judgements) -> Judgements:
    """Treat "no PTSD" as healthy only where the row has no healthier group."""
    if not any(
        j.role == "healthy control" and j.ground == Ground.HEALTHY for j in judgements.values()
    ):
        return judgements
    return {
        cell: replace(j, meaning="other disease", why=f"{j.why}, alongside healthy controls")
        if j.role == "healthy control" and j.ground == Ground.DENIED
        else j
        for cell, j in judgements.items()
    }


def _wild_types(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Treat a gene without mutation as a control, where the trait is defined by its gene."""
    key = candidate.key
    by_gene = any(j.role == "case" for j in judgements.values()) and asks_genotype(key)
    if not (by_gene or names_gene(judge.trait, key)):
        return judgements
    return {
        cell: Judgement(
            "healthy control", Ground.HEALTHY, f"{candidate.values[cell]!r} is no mutation"
        )
        if j.is_open and judge.words.is_wild_type(candidate.values[cell])
        else j
        for cell, j in judgements.items()
    }


def _dashes(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Treat a dash as a control where the key names the trait: "epilepsy type: -"."""
    # Not under a treatment of the trait, where a dash may mean untreated patients.
    if not (names_trait(judge.trait, candidate.key) and judge.series.mentions_controls):
        return judgements
    if kind_of_key(candidate.key) == "treatment":
        return judgements
    if any(j.role == "healthy control" for j in judgements.values()):
        return judgements
    why = f"no value under {candidate.key!r}, and the texts mention controls"
    return {
        cell: Judgement("healthy control", Ground.HEALTHY, why)
        if candidate.values[cell] in {"-", "--"}
        else j
        for cell, j in judgements.items()
    }


_CONTROL_KEY = re.compile(
    r"\b(?:normal|control|healthy|donor|volunteer|non.?(?:tumou?r|disease)\w*|unaffected|vendor|"
    r"commercial|bank)\b"
)
_CASE_KINDS = {"stage", "disease", "time", "treatment", "outcome", "status", "other"}


def judge_keys(
    parts: Sequence[Candidate], judge: ValueJudge
) -> tuple[Candidate, Judgements] | None:
    """Judge a row whose cases have one key and whose controls another, or None."""
    # Returns the part that holds the cases, and the judgements of all cells of the row.
    if not judge.series.names_trait:
        return None
    result: dict[str, Judgement] = {}
    cases: list[Candidate] = []
    open_parts: list[Candidate] = []
    controls = False
    for part in parts:
        judgements = judge_row(part, judge)
        if kind_of_key(part.key) == "never":
            continue
        if _CONTROL_KEY.search(part.key.lower()) and not _names_case(judgements):
            why = f"under {part.key!r}"
            result |= dict.fromkeys(part.in_row, Judgement("healthy control", Ground.HEALTHY, why))
            controls = True
        elif all(
            j.code == 0 and j.ground != Ground.OTHER_CODE
            for cell, j in judgements.items()
            if cell in part.in_row
        ):
            result |= {cell: judgements[cell] for cell in part.in_row}
            controls = True
        elif all(
            judgements[cell].code is None or judgements[cell].ground == Ground.OTHER_CODE
            for cell in part.in_row
        ):
            open_parts.append(part)
        else:
            result |= {cell: judgements[cell] for cell in part.in_row}
            cases.append(part)
    for part in open_parts:
        of_trait = names_trait(judge.trait, part.key) or is_code_of(judge.trait, part.key)
        if of_trait or (not cases and kind_of_key(part.key) in _CASE_KINDS):
            why = f"under {part.key!r}, in a series about the trait"
            found = dict.fromkeys(part.in_row, Judgement("case", Ground.CONTEXT, why))
            result |= {c: j for c, j in found.items() if not _is_blank(part.values[c], judge)}
            cases.append(part)
    if not controls or not any(j.role == "case" for j in result.values()):
        return None
    return max(cases, key=lambda part: len(part.in_row)), result


def _is_blank(value: str, judge: ValueJudge) -> bool:
    return judge.words.is_missing(simplify(value))


_LETTERS_OF_TUMOURS = ({"t": 1.0, "n": 0.0}, {"c": 1.0, "n": 0.0}, {"ca": 1.0, "n": 0.0})
_LETTERS_OF_PATIENTS = tuple(
    {case: 1.0, control: 0.0}
    for case in ("p", "pt", "d", "a", "case")
    for control in ("c", "h", "n", "hc", "nc", "u")
    if (case, control) != ("p", "n")
)


def _single_letters(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Judge a row of two letters, "T" and "N" or "P" and "C", in a series about the trait."""
    letters = {cell: simplify(value) for cell, value in candidate.values.items()}
    known = {v for cell, v in letters.items() if judgements[cell].meaning != "missing"}
    if len(known) != 2 or not judge.series.names_trait or kind_of_key(candidate.key) in _NO_REST:
        return judgements
    pairs = _LETTERS_OF_PATIENTS + (_LETTERS_OF_TUMOURS if judge.trait.is_cancer else ())
    if asks_trait(judge.trait, candidate.key):
        pairs += ({"p": 1.0, "n": 0.0},)
    codes = next((pair for pair in pairs if pair.keys() == known), None)
    if codes is None or any(j.role == "case" for j in judgements.values()):
        return judgements
    result = dict(judgements)
    for cell, letter in letters.items():
        if letter in codes:
            why = f"{candidate.values[cell]!r} of the pair {', '.join(sorted(known))}"
            result[cell] = (
                Judgement("case", Ground.BY_LETTERS, why)
                if codes[letter]
                else Judgement("healthy control", Ground.HEALTHY, why)
            )
    return result


def _not_diseased(candidate: Candidate, judgements: Judgements) -> Judgements:
    """Treat "ND" as not diseased where the row has cases and nothing else for their controls."""
    if not _names_case(judgements) or any(j.code == 0 for j in judgements.values()):
        return judgements
    result = dict(judgements)
    for cell, judgement in judgements.items():
        if judgement.meaning == "missing" and candidate.values[cell] == "ND":
            why = "'ND' alongside the trait: not diseased"
            result[cell] = Judgement("healthy control", Ground.BY_COMPANY, why)
    return result


def _tissues_of_people(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge
) -> Judgements:
    """Judge a row of tissues by whose tissue each is in the texts."""
    # Only where no value names a case, and the texts name a tissue of each side. Not for cancers,
    # where such rows hold the organs of other patients.
    if kind_of_key(candidate.key) != "tissue" or judge.trait.is_cancer or not judge.series.about:
        return judgements
    if any(j.role == "case" for j in judgements.values()):
        return judgements
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        side = judge.series.tissues.side(value) if judgement.is_open else None
        if side == "case":
            result[cell] = Judgement(
                "case", Ground.CONTEXT, f"the texts mention patients' {value!r}"
            )
        elif side == "control":
            why = f"the texts mention healthy people's {value!r}"
            result[cell] = Judgement("healthy control", Ground.HEALTHY, why)
        elif side == "both":
            why = f"the texts mention {value!r} of patients and of healthy people"
            result[cell] = replace(UNKNOWN, why=why)
    both = {"case", "healthy control"} <= {j.role for j in result.values()}
    return result if both else judgements
