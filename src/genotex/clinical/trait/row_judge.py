"""Judging the values of a row together: by their key and by the other values of the row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from genotex.clinical.cells import Candidate
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements, best_ground
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.keys import (
    asks_cause,
    asks_genotype,
    asks_history,
    asks_trait,
    kind_of_key,
    lists_diseases,
    lists_tissues,
    names_gene,
    names_trait,
)
from genotex.clinical.words.wording import Terms
from genotex.features import parse_number, simple_key, simplify

_NUMBERED = re.compile(r"([A-Za-z]+)[-_ ]?\d+")
_MOSTLY_CODES = 0.8
_CODES_PER_GROUP = 3
_SIGNED = re.compile(r"(.+?)\s*(?:\(\s*[-+\u2212]\s*\)|[-+\u2212])")
_LAST_SIGNS = ("+", "-", "\u2212", ")")
# "status (0=no; 1=yes)", "group [1: healthy, 2: patient]".
_LEGEND = re.compile(r"(?<![\w.])(?P<code>\d|[A-Z]{1,2})\s*[=:]\s*(?P<word>[A-Za-z][^,;:=()\[\]]*)")


def plain_values(candidate: Candidate, judge: ValueJudge) -> dict[str, str]:
    """Return the values as they are judged."""
    legend = _key_legend(candidate.key)
    values = {cell: legend.get(value.strip(), value) for cell, value in candidate.values.items()}
    return _without_numbers(_without_signs(values, judge))


def _key_legend(key: str) -> Mapping[str, str]:
    """Return the codes that a key explains: "0" and "1" of "status (0=no;1=yes)"."""
    found = {hit["code"]: hit["word"].strip() for hit in _LEGEND.finditer(key)}
    return found if len(found) > 1 else {}


def _without_signs(values: Mapping[str, str], judge: ValueJudge) -> dict[str, str]:
    """Remove plus and minus where a row has both and controls: "BD(+)", "BD(-)" next to "HC"."""
    signed = {cell: v for cell, v in values.items() if v.endswith(_LAST_SIGNS)}
    bases = {cell: hit[1] for cell, v in signed.items() if (hit := _SIGNED.fullmatch(v))}
    if not bases or not any(
        judge.words.says_healthy(v) for cell, v in values.items() if cell not in bases
    ):
        return dict(values)
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


NO_REST = {"never", "identifier", "treatment", "time", "culture"}
"""Kinds of keys whose open values are no groups."""
_ONLY_NUMBERS = re.compile(r"[\d.,\s%+-]*")


def is_number(value: str) -> bool:
    """Return whether a value is a number or a range, with or without a unit."""
    return _ONLY_NUMBERS.fullmatch(value) is not None or parse_number(value) is not None


def names_case(judgements: Judgements) -> bool:
    """Return whether a value names the trait or a form of it."""
    return any(j.role == "case" and j.ground >= Ground.INCLUDED for j in judgements.values())


def _read_by_key(
    candidate: Candidate, judgements: Judgements, judge: ValueJudge, *, named: bool
) -> Judgements:
    """Read open values by what their key asks, where the row names a case."""
    key = candidate.key
    healthy = any(j.role == "healthy control" for j in judgements.values())
    asks = healthy and (names_trait(judge.trait, key) or names_gene(judge.trait, key))
    if not (asks or named):
        return judgements
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if named and asks_history(key) and judgement.is_open and not judge.words.is_vague(value):
            why = f"{value!r} is under {key!r}, and is not the trait"
            result[cell] = Judgement("control without known health", Ground.BY_COMPANY, why)
        if not can_be_read_by_key(value, result[cell], judge):
            continue
        if asks or (healthy and named and asks_cause(key)):
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


def can_be_read_by_key(value: str, judgement: Judgement, judge: ValueJudge) -> bool:
    """Return whether an open value has a meaning that its key, or its row, may decide."""
    if not judgement.is_open or is_number(value):
        return False
    return not (
        judge.words.could_be(value)
        or judge.words.is_doubtful(value)
        or judge.words.is_detail(value)
    )


_MANY_TUMOURS = 3
_CLAUSE = re.compile(r"[,;()]")


def judge_row(candidate: Candidate, judge: ValueJudge) -> Judgements:
    """Judge all values under one key."""
    values = plain_values(candidate, judge)
    judgements: Judgements = {
        cell: judge.judge(value, candidate.key) for cell, value in values.items()
    }
    judgements = _without_letters(candidate, judgements, judge)
    judgements = _near_misses(candidate, judgements, judge)
    named = names_case(judgements)
    if named:
        judgements = _tumours_elsewhere(candidate, judgements, judge)
    judgements = _wider_words(candidate, judgements, judge, named=named)
    judgements = _without_borrowed_cases(candidate, judgements, judge, named=named)
    judgements = _denials_of_cases(candidate, judgements, judge)
    judgements = _denials_beside_healthy(judgements)
    judgements = _wild_types(candidate, judgements, judge)
    judgements = _dashes(candidate, judgements, judge)
    judgements = _ends_of_scales(candidate, judgements, judge)
    judgements = _single_letters(candidate, judgements, judge)
    judgements = _not_diseased(candidate, judgements)
    judgements = _counterparts(candidate, judgements, judge)
    judgements = _read_by_key(candidate, judgements, judge, named=named)
    return _tissues_of_people(candidate, judgements, judge)


def _without_letters(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
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


def _near_misses(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Treat "basal cell carcinoma" as another disease than melanoma, although it is a tumour."""
    near = judge.trait.near_misses
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if judgement.role != "case" or judgement.ground > Ground.BROADER:
            continue
        name = next(filter(None, map(near.find, _CLAUSE.split(value))), None)
        if name is not None and not judge.words.is_denied(value, Terms([name])):
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
    if not judge.trait.broader:
        return judgements
    if not named:
        wider = {cell: judge.broader(value, candidate.key) for cell, value in cells.items()}
        return {cell: wider[cell] or j for cell, j in judgements.items()}
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
    if not cases:
        return judgements
    names = Terms(cases)
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if judgement.is_open and judge.words.is_denied(value, names):
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


_DEGREES = re.compile(r"\b(?:mild|moderate|mod|severe|sev|critical|asymptomatic|fatal)\b")
NO_DEGREE = {"no", "non", "none", "neg", "negative", "0", "absent", "uninfected"}
"""Ends of scales of severity that are no severity at all."""


def _ends_of_scales(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Treat "negative" as a control where the other values are degrees of severity."""
    if not judge.series.about or any(j.code is not None for j in judgements.values()):
        return judgements
    plain = {cell: simplify(value) for cell, value in candidate.values.items()}
    if sum(_DEGREES.search(value) is not None for value in plain.values()) < 2:
        return judgements
    key = candidate.key
    if kind_of_key(key) != "stage" and not names_trait(judge.trait, key):
        return judgements
    return {
        cell: Judgement("healthy control", Ground.HEALTHY, f"{candidate.values[cell]!r} of {key!r}")
        if j.is_open and plain[cell] in NO_DEGREE
        else j
        for cell, j in judgements.items()
    }


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
    if len(known) != 2 or not judge.series.names_trait or kind_of_key(candidate.key) in NO_REST:
        return judgements
    pairs = _LETTERS_OF_PATIENTS + (_LETTERS_OF_TUMOURS if judge.trait.is_cancer else ())
    if asks_trait(judge.trait, candidate.key):
        first = simplify(judge.trait.name)[:1]
        pairs += ({"p": 1.0, "n": 0.0}, {first: 1.0, "c": 0.0}, {first: 1.0, "n": 0.0})
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


def _counterparts(candidate: Candidate, judgements: Judgements, judge: ValueJudge) -> Judgements:
    """Treat "diseased gingiva" as a case next to "healthy gingiva"."""
    if judge.trait.is_cancer or not judge.series.about:
        return judgements
    controls = {
        judge.words.without_health(candidate.values[cell])
        for cell, j in judgements.items()
        if j.role == "healthy control"
    } - {""}
    why = "of the tissue of controls, in a series about the trait"
    return {
        cell: Judgement("case", Ground.CONTEXT, f"{candidate.values[cell]!r} {why}")
        if j.is_open and judge.words.without_illness(candidate.values[cell]) in controls
        else j
        for cell, j in judgements.items()
    }


def _not_diseased(candidate: Candidate, judgements: Judgements) -> Judgements:
    """Treat "ND" as not diseased where the row has cases and nothing else for their controls."""
    cases = [j for j in judgements.values() if j.role == "case"]
    if best_ground(cases) < Ground.BY_LETTERS or any(j.code == 0 for j in judgements.values()):
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
    roles = {j.role for j in judgements.values()}
    fewest = 1 if "healthy control" in roles else 2  # open values, for cases and for controls
    if "case" in roles or sum(j.is_open for j in judgements.values()) < fewest:
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
