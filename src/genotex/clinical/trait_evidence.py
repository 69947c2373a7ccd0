"""Which characteristic tells the trait, and what each of its values means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from genotex.clinical.candidates import Candidate
from genotex.clinical.encoding import Confidence, FeatureEncoding
from genotex.clinical.judgement import (
    BROADER,
    CONTEXT,
    DENIED,
    HEALTHY,
    INCLUDED,
    NAMED,
    UNKNOWN,
    Judgement,
    strength,
)
from genotex.clinical.value_roles import ValueJudge
from genotex.clinical.values import parse_number, simple_key
from genotex.clinical.wording import simplify
from genotex.formats.cohort_record import Role

__all__ = ["read_trait"]

_NEVER = re.compile(
    r"^(?:age|sex|gender|race|ethnic\w*|batch|plate|chip|array|barcode|run|lane|slide|date|weeks?|days?|"
    r"rin|pmi|ph|bmi|strain|organism|passages?|platform|scan\w*|hyb\w* batch)(?:$|\W)|^age\b"
)
_HARDLY = re.compile(
    r"treat|agent|drug|dose|dosage|compound|therap|medicat|stimul|transfect|sirna|shrna|knock|time|"
    r"visit|stage|grade|tnm|surviv|relapse|recurr|response|respond|outcome|passage|smok|family|father|"
    r"mother|relative|batch|onset|duration|vaccin|cell line|culture|"
    r"protocol|score|follow|metasta|protein|antibody|growth|medium|induc|infect|differentiation|year"
)
_IDENTIFIER = re.compile(
    r"(?:^|\W|_)(?:ids?|identifier|number|name|no|code|patient|donor|individual|subject|sample)$"
    r"|^(?:patient|donor|subject|individual|sample|animal)s?$|titles?$"
)
_STRONG = re.compile(
    r"diagnos|disease|disorder|patholog|histolog|condition|phenotype|clinical status|case.?control"
    r"|cancer|tumou?r type|\bdx\b"
)
_FIRST_GUESS = re.compile(r"first|initial|previous|prior|referr|admission|secondary|\d$")
_STATUS = re.compile(
    r"status|group|class|category|state|type|subject|cohort|history|comorbid|cause|lesion|sample"
)
_TISSUE = re.compile(r"tissue|organ|biops|site|skin|specimen|source|cell|origin|location|mucosa")

_MANY_TUMOURS = 3
_ENOUGH = 2.3
_MOSTLY = 0.6
_FEWEST_LEVELS = 3
_ONLY_NUMBERS = re.compile(r"[\d.,\s%+-]*")


@dataclass(frozen=True)
class _Reading:
    candidate: Candidate
    judgements: Mapping[str, Judgement]
    score: float
    strength: float


def read_trait(
    candidates: Iterable[Candidate], judge: ValueJudge, *, strict: bool = False
) -> FeatureEncoding | None:
    """Return how the trait is told, or None.

    Parameters
    ----------
    candidates : iterable of Candidate
        Values by key.
    judge : ValueJudge
        Judges single values for the trait in this series.
    strict : bool
        Accept only values that name the trait (for texts outside the characteristics).

    Returns
    -------
    FeatureEncoding or None
        None when no key separates cases from controls.
    """
    candidates = list(candidates)
    if judge.trait.is_level:
        return _read_level(candidates, judge)
    readings = [r for c in candidates if (r := _read(c, judge)) is not None]
    readings = [r for r in readings if not strict or r.strength >= INCLUDED]
    if readings:
        return _binary(max(readings, key=lambda r: (round(r.score, 6), -(r.candidate.row or 0))))
    return None if strict else _read_level(candidates, judge)


def _read(candidate: Candidate, judge: ValueJudge) -> _Reading | None:
    key = simple_key(candidate.key)
    if _NEVER.search(key) or (candidate.key and not candidate.values):
        return None
    judgements = {cell: judge.judge(v, candidate.key) for cell, v in candidate.values.items()}
    judgements = _with_row_context(candidate, judgements, judge)
    here = [judgements[cell] for cell in candidate.in_row]
    cases = [j for j in here if j.role == "case"]
    controls = [j for j in here if j.role in ("healthy control", "other disease")]
    if not cases or not controls:
        return None
    best = strength(cases)
    total = sum(candidate.weight.get(cell, 1) for cell in candidate.in_row)
    told = sum(
        candidate.weight.get(cell, 1)
        for cell in candidate.in_row
        if judgements[cell].role != "unknown"
    )
    score = best + _key_bonus(key, judge) + 0.8 * told / total * min(1.0, 0.3 + candidate.share)
    if any(j.role == "healthy control" for j in controls):
        score += 0.3
    if _FIRST_GUESS.search(key):
        score -= 0.2
    score -= 0.01 * len(candidate.in_row)
    return _Reading(candidate, judgements, score, best) if score >= _ENOUGH else None


def _key_bonus(key: str, judge: ValueJudge) -> float:
    if judge.key_asks(key):
        return 0.6
    if _STRONG.search(key):
        bonus = 0.6
    elif _STATUS.search(key):
        bonus = 0.3
    else:
        bonus = 0.2 if _TISSUE.search(key) else 0.0
    if _HARDLY.search(key) and not judge.key_names(key):
        bonus = -1.5
    return min(bonus, -1.0) if _IDENTIFIER.search(key) else bonus


def _with_row_context(
    candidate: Candidate, judgements: dict[str, Judgement], judge: ValueJudge
) -> dict[str, Judgement]:
    """Read what single values leave open from the company they keep in their row."""
    named = any(j.role == "case" and j.strength >= INCLUDED for j in judgements.values())
    if not named:
        wider = {cell: judge.broader(v, candidate.key) for cell, v in candidate.values.items()}
        judgements = {cell: wider[cell] or j for cell, j in judgements.items()}
    elif judge.trait.broader:
        judgements = {
            cell: UNKNOWN
            if j.role == "other disease" and judge.could_be(candidate.values[cell])
            else j
            for cell, j in judgements.items()
        }
    judgements = _without_borrowed_cases(candidate, judgements, judge, named=named)
    judgements = _denials_beside_healthy(_denials_of_cases(candidate, judgements, judge))
    healthy = any(j.role == "healthy control" for j in judgements.values())
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        if judgement.role != "unknown" or judgement.why == "missing" or judge.could_be(value):
            continue
        if judge.is_doubtful(value):
            continue
        if healthy and judge.key_names(candidate.key) and not _is_number(value):
            why = f"{value!r} under {candidate.key!r}, beside controls"
            result[cell] = Judgement("case", INCLUDED, why)
        elif (
            named
            and _names_disease(candidate.key)
            and not _is_number(value)
            and not judge.is_vague(value)
        ):
            why = f"{value!r} stands under {candidate.key!r} beside the trait: another diagnosis"
            result[cell] = Judgement("other disease", 0.5, why)
    return result


def _denials_of_cases(
    candidate: Candidate, judgements: dict[str, Judgement], judge: ValueJudge
) -> dict[str, Judgement]:
    """Take "without severe asthma" for a control where the row holds "severe asthma"."""
    cases = [candidate.values[cell] for cell, j in judgements.items() if j.role == "case"]
    result = dict(judgements)
    for cell, judgement in judgements.items():
        value = candidate.values[cell]
        open_ = judgement.role == "unknown" and judgement.why != "missing"
        if open_ and cases and judge.denies(value, cases):
            why = f"{value!r} denies a case of its row"
            result[cell] = Judgement("healthy control", DENIED, why)
    return result


def _denials_beside_healthy(judgements: dict[str, Judgement]) -> dict[str, Judgement]:
    """Take "no PTSD" for healthy only where the row has no healthier group."""
    if not any(j.role == "healthy control" and j.strength == HEALTHY for j in judgements.values()):
        return judgements
    return {
        cell: replace(j, role="other disease", why=f"{j.why}, beside healthy controls")
        if j.role == "healthy control" and j.strength == DENIED
        else j
        for cell, j in judgements.items()
    }


def _without_borrowed_cases(
    candidate: Candidate, judgements: dict[str, Judgement], judge: ValueJudge, *, named: bool
) -> dict[str, Judgement]:
    """Take back cases by context in rows that name the trait, or other cancers."""
    cells = candidate.values
    tumours = sum(
        j.role == "other disease" and judge.is_cancer(cells[cell]) for cell, j in judgements.items()
    )
    enough = _MANY_TUMOURS if not named else 1 if judge.trait.is_cancer else 0
    if tumours < enough:
        return judgements
    return {
        cell: judge.without_context(cells[cell])
        if j.role == "case"
        and j.strength <= BROADER
        and not (named and judge.is_plain_tumour(cells[cell]))
        else j
        for cell, j in judgements.items()
    }


def _is_number(value: str) -> bool:
    return _ONLY_NUMBERS.fullmatch(value) is not None or parse_number(value) is not None


def _names_disease(key: str) -> bool:
    plain = simple_key(key)
    return bool(
        re.search(r"diagnos|disease|histolog|cancer|\bdx\b|disorder|comorbid", plain)
    ) and not (_HARDLY.search(plain))


def _binary(reading: _Reading) -> FeatureEncoding:
    candidate = reading.candidate
    codes: dict[Role, float | None] = {
        "case": 1.0, "healthy control": 0.0, "other disease": 0.0, "unknown": None
    }  # fmt: skip
    judgements = reading.judgements
    evidence = [_where(candidate)]
    if candidate.elsewhere:
        rows = ", ".join(map(str, candidate.elsewhere))
        evidence.append(f"cells are shifted: values of this key stand in row {rows} too")
    evidence.extend(f"{j.role}: {j.why}" for j in judgements.values())
    return FeatureEncoding(
        feature="trait",
        row=candidate.row,
        key=candidate.key,
        kind="binary",
        values={cell: codes[j.role] for cell, j in judgements.items()},
        roles={cell: j.role for cell, j in judgements.items()},
        confidence=_confidence(reading.strength),
        evidence=tuple(dict.fromkeys(evidence)),
        sample_field=candidate.sample_field,
    )


def _where(candidate: Candidate) -> str:
    if candidate.row is None:
        return f"sample field {candidate.sample_field}, as the characteristics do not tell it"
    return f"row {candidate.row}, key {candidate.key!r}, separates cases from controls"


def _confidence(best: float) -> Confidence:
    if best >= NAMED - 0.3:
        return "explicit"
    return "inferred" if best >= CONTEXT else "arguable"


def _read_level(candidates: Iterable[Candidate], judge: ValueJudge) -> FeatureEncoding | None:
    best: tuple[float, FeatureEncoding] | None = None
    for candidate in candidates:
        if candidate.key not in judge.trait.levels:
            continue
        reading = _measured(candidate, judge) or _groups(candidate, judge)
        if reading is None:
            continue
        # The key that says little else is the level itself, not something about it.
        extra = len(simplify(candidate.key).split())
        rank = (reading.kind == "continuous") * 2 + candidate.share - 0.2 * extra
        if best is None or rank > best[0]:
            best = rank, reading
    return best[1] if best else None


def _measured(candidate: Candidate, judge: ValueJudge) -> FeatureEncoding | None:
    numbers = {cell: parse_number(value) for cell, value in candidate.values.items()}
    told = {n for n in numbers.values() if n is not None}
    if len(told) < _FEWEST_LEVELS or len(told) < _MOSTLY * len(set(numbers.values())):
        return None
    return FeatureEncoding(
        feature="trait",
        row=candidate.row,
        key=candidate.key,
        kind="continuous",
        parser="number",
        confidence="explicit" if judge.trait.is_level else "arguable",
        evidence=(f"key {candidate.key!r} names the measured level",),
        sample_field=candidate.sample_field,
    )


def _groups(candidate: Candidate, judge: ValueJudge) -> FeatureEncoding | None:
    codes = {
        cell: 1.0 if v in judge.trait.high else 0.0 if v in judge.trait.low else None
        for cell, v in candidate.values.items()
    }
    if {1.0, 0.0} - set(codes.values()):
        return None
    return FeatureEncoding(
        feature="trait",
        row=candidate.row,
        key=candidate.key,
        kind="binary",
        values=codes,
        roles={
            cell: "unknown" if code is None else "case" if code else "healthy control"
            for cell, code in codes.items()
        },
        confidence="inferred",
        evidence=(f"key {candidate.key!r} names the level; high is 1, low is 0",),
        sample_field=candidate.sample_field,
    )
