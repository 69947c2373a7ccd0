"""Every way in which a series may record a trait, and how each codes its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import or_
from typing import Literal

from genotex.clinical.cells import Candidate
from genotex.clinical.encoding import NO_CELL
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements
from genotex.clinical.trait.row_groups import (
    judge_keys,
    patients_tissue,
    rest_as_cases,
    rest_as_controls,
)
from genotex.clinical.trait.row_judge import judge_row, names_case
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.keys import INCIDENTAL, asks_detail, kind_of_key
from genotex.features import parse_number, simplify

How = Literal[
    "words", "rest are controls", "rest are cases", "patients, unaffected", "several keys",
    "absence is control", "detail of patients", "level", "level groups", "text", "part of a text",
    "rest of a text",
]  # fmt: skip

_INNER_KEY = re.compile(r"[,;]\s*[A-Za-z][A-Za-z ]{1,25}[:=]\s*\S")
_GAP_CODES = {-1.0, -9.0, -99.0, -999.0, -9999.0}
_NOTHING = {"", "na", "n a", "nan", "null", "not applicable"}  # "Unknown" says that it may be so
_MOSTLY = 0.6
_FEWEST_LEVELS = 3
_FEWEST_NAMED = 2
_FEW_GROUPS = 12


@dataclass(frozen=True)
class TraitOption:
    """One way in which one key may record a trait."""

    candidate: Candidate  # Key, row and values
    # ``words`` (the words of the values), ``rest are controls`` or ``rest are cases`` (open values
    # decided by the others), ``absence is control`` (only cases are named), ``level`` (a measured
    # level) or ``level groups`` (low and high); of titles ``text``, ``part of a text`` (the words
    # at one place) or ``rest of a text``
    how: How
    # Raw cell -> code; where the number in the cell is the code, only the cells without one
    codes: Mapping[str, float | None] = field(default_factory=dict)
    # Raw cell -> what it means; empty for levels
    judgements: Judgements = field(default_factory=dict)
    probability: float = 0.0  # That it is the right one; 0 before scoring

    @property
    def kind(self) -> Literal["binary", "continuous"]:
        """Whether the trait is coded as groups or as numbers."""
        measured = self.how == "level" or max(self._known, default=0.0) > 1
        return "continuous" if measured else "binary"

    @property
    def _known(self) -> list[float]:
        return [code for code in self.codes.values() if code is not None]


@dataclass(frozen=True)
class RowsSeen:
    """What the rows of a series are like, whether or not they give an option."""

    names_trait: bool = False  # A value names the trait
    same_for_all: bool = False  # A row has one value for all samples, which names the trait
    of_diagnoses: bool = False  # A row holds several diagnoses
    of_groups: bool = False  # A row holds a few groups, or treatments or times of none
    with_controls: bool = False  # A row has controls next to other values
    varies: bool = False  # A row differs between samples, age and the like aside

    def __or__(self, other: RowsSeen) -> RowsSeen:
        """Return what either has seen."""
        return RowsSeen(*map(or_, vars(self).values(), vars(other).values()))


def read_rows(
    candidates: Iterable[Candidate], judge: ValueJudge
) -> tuple[list[TraitOption], RowsSeen]:
    """Return every way in which candidates could record the trait, and what their rows are like."""
    candidates, options, seen = list(candidates), list[TraitOption](), RowsSeen()
    # A word for nothing that even an age or a sex has says that nothing is known.
    of_all = [
        c for c in candidates if kind_of_key(c.key) == "never" and "onset" not in c.key.lower()
    ]
    nothing = _NOTHING - {simplify(value) for c in of_all for value in c.values.values()}
    for candidate in candidates:
        if judged := _judged(candidate, judge):
            meant, asked, judgements = judged
            options.extend(_by_roles(meant, asked, judgements, judge))
            options.extend(_by_absence(meant, judgements, judge, nothing))
            seen |= _seen(asked, judgements)
        options.extend(_by_level(candidate, judge))
        options.extend(_by_detail(candidate, judge, nothing))
    return [*options, *_of_several_keys(candidates, judge)], seen


def _seen(candidate: Candidate, judgements: Judgements) -> RowsSeen:
    known = [j for j in judgements.values() if j.meaning != "missing"]
    kind = kind_of_key(candidate.key)
    values = len({simplify(candidate.values[c]) for c, j in judgements.items() if j in known})
    named = names_case(judgements)
    roles = {j.role for j in known}
    return RowsSeen(
        named,
        named and len(judgements) == 1 and candidate.share == 1,
        kind == "disease" and values > 1,
        kind not in INCIDENTAL | {"identifier"} and 1 < values <= _FEW_GROUPS,
        "healthy control" in roles and len(roles) > 1,
        kind != "identifier" and values > 1,
    )


def _of_several_keys(candidates: Sequence[Candidate], judge: ValueJudge) -> Iterator[TraitOption]:
    """Return rows, or two rows that are one column, whose cases and controls differ in the key."""
    rows: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.row is not None and candidate.other_cells:
            rows.setdefault(candidate.row, []).append(candidate)
    for parts in (*rows.values(), *_halves(candidates)):
        judged = judge_keys(parts, judge)
        if judged is None:
            continue
        main, known = judged
        told = [part.samples for part in parts if part.values.keys() & known.keys()]
        if len(frozenset().union(*told)) < sum(map(len, told)):
            continue  # A sample has both keys
        others = {n for part in parts for n in (part.row, *part.elsewhere) if n is not None}
        judgements = {cell: known.get(cell, UNKNOWN) for part in parts for cell in part.values}
        whole = replace(
            main,
            values={cell: value for part in parts for cell, value in part.values.items()},
            in_row=frozenset(known),
            share=1.0,
            elsewhere=tuple(sorted(others - {main.row})),
            weight={cell: count for part in parts for cell, count in part.weight.items()},
            other_cells=frozenset(),
        )
        codes = {cell: judgement.code for cell, judgement in judgements.items()}
        yield TraitOption(whole, "several keys", codes, judgements)


def _halves(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Yield pairs of keys in different rows of which every sample has one or the other."""
    every = frozenset[int]().union(*(candidate.samples for candidate in candidates))
    partial = [c for c in candidates if c.key and c.samples and c.samples != every]
    for place, one in enumerate(partial):
        rest = every - one.samples
        for other in partial[place + 1 :]:
            if one.row != other.row and other.samples == rest:
                yield [replace(each, in_row=frozenset(each.values)) for each in (one, other)]


def _by_level(candidate: Candidate, judge: ValueJudge) -> Iterator[TraitOption]:
    keys = judge.trait.levels, judge.trait.scales
    if not any(candidate.key in each for each in keys) and not _holds_level(candidate, judge):
        return
    if _is_measured(candidate):
        if judge.trait.is_level:  # No number tells who has a disease
            yield TraitOption(candidate, "level", _gaps(candidate))
        return
    codes = _group_codes(candidate, judge)
    if {0.0, 1.0} <= set(codes.values()):
        yield TraitOption(candidate, "level groups", codes)


def _holds_level(candidate: Candidate, judge: ValueJudge) -> bool:
    """Return whether a key has all words of a level's name, or its values have the name."""
    levels = [set(name.split()) for name in judge.trait.level_names]
    key = set(simplify(candidate.key).split())
    if any(len(words) > 1 and words <= key for words in levels):
        return True
    named = [value for value in candidate.values.values() if value in judge.trait.levels]
    return judge.trait.is_level and len(named) >= _FEWEST_NAMED


def _judged(
    candidate: Candidate, judge: ValueJudge
) -> tuple[Candidate, Candidate, Judgements] | None:
    """Return a candidate, also under its spelt key, and what its values mean; None for an age."""
    values = candidate.values.values()
    # "Gender: female, Age: 38, Disease: SLE" is a list of everything; its first key is none of it.
    key = "" if any(map(_INNER_KEY.search, values)) else candidate.key
    if kind_of_key(key) == "never" or (key and not values):
        return None
    if all(map(judge.words.is_mere_number, values)):
        return None  # ages, doses, counts
    spelt = judge.series.spelt_key(key)
    asked = candidate if spelt == candidate.key else replace(candidate, key=spelt)
    judgements = judge_row(asked, judge)
    if any(j.role == "case" for j in judgements.values()):
        return candidate, asked, judgements
    legend = judge.series.legend(values)
    if not legend:
        return candidate, asked, judgements
    meant = {cell: legend.get(value, value) for cell, value in candidate.values.items()}
    candidate, asked = (replace(each, values=meant) for each in (candidate, asked))
    return candidate, asked, judge_row(asked, judge)


def _by_roles(
    candidate: Candidate, asked: Candidate, plain: Judgements, judge: ValueJudge
) -> Iterator[TraitOption]:
    ways: list[tuple[How, Judgements | None]] = [
        ("words", plain),
        ("rest are controls", rest_as_controls(asked, plain, judge)),
        ("rest are cases", rest_as_cases(asked, plain, judge)),
        ("patients, unaffected", patients_tissue(asked, plain, judge)),
    ]
    seen = list[dict[str, float | None]]()
    for how, judgements in ways:
        if judgements is None:
            continue
        codes = {cell: judgement.code for cell, judgement in judgements.items()}
        if {0.0, 1.0} <= {codes[cell] for cell in candidate.in_row} and codes not in seen:
            seen.append(codes)
            yield TraitOption(candidate, how, codes, judgements)


def _by_absence(
    candidate: Candidate, plain: Judgements, judge: ValueJudge, nothing: set[str]
) -> Iterator[TraitOption]:
    """Return a row that names cases alone: samples of which it says nothing are the controls."""
    here = {cell: j for cell, j in plain.items() if cell in candidate.in_row}
    absent = [cell for cell in here if simplify(candidate.values[cell]) in nothing]
    if {j.code for j in here.values()} in ({1.0}, {1.0, None}):
        yield from _without(absent, candidate, plain, "absence is control", judge)


def _by_detail(candidate: Candidate, judge: ValueJudge, nothing: set[str]) -> Iterator[TraitOption]:
    """Return a row of what patients alone have: since when or how far they are ill."""
    key, values = candidate.key, candidate.values
    if not (judge.series.about and asks_detail(judge.trait, key)):
        return
    absent = [c for c, value in values.items() if simplify(value) in nothing | {"none"}]
    case = Judgement.case(f"only patients have {key!r}", Ground.CONTEXT)
    judged = dict.fromkeys(values, case)
    if absent or candidate.empty:
        yield from _without(absent, candidate, judged, "detail of patients", judge)
    elif kind_of_key(key) == "time" and (
        zero := [cell for cell, value in values.items() if parse_number(value) == 0]
    ):
        judged |= dict.fromkeys(zero, Judgement.control(f"{key!r} is 0"))
        codes = {cell: judgement.code for cell, judgement in judged.items()}
        yield TraitOption(candidate, "detail of patients", codes, judged)


def _without(
    absent: Sequence[str], candidate: Candidate, judged: Judgements, how: How, judge: ValueJudge
) -> Iterator[TraitOption]:
    """Return a row whose cells for nothing, or samples without a cell, are controls."""
    absent = [*absent, *([NO_CELL] if candidate.empty else ())]
    cases = judged.keys() - absent
    if not (absent and cases and judge.series.mentions_controls) or candidate.other_cells:
        return
    control = Judgement.control("nothing here, where cases have the trait")
    judged = {**judged, **dict.fromkeys(absent, control)}
    whole = replace(
        candidate,
        values={NO_CELL: "", **candidate.values},
        in_row=candidate.in_row | set(absent),
        weight={NO_CELL: candidate.empty, **candidate.weight},
    )
    yield TraitOption(whole, how, {cell: j.code for cell, j in judged.items()}, judged)


def _is_measured(candidate: Candidate) -> bool:
    numbers = [parse_number(value) for value in candidate.values.values()]
    known = {number for number in numbers if number is not None}
    return len(known) >= max(_FEWEST_LEVELS, _MOSTLY * len(set(numbers)))


def _gaps(candidate: Candidate) -> dict[str, float | None]:
    """Return the cells whose number means a missing value: -9 where nothing is negative."""
    numbers = {cell: parse_number(value) for cell, value in candidate.values.items()}
    negative = {number for number in numbers.values() if number is not None and number < 0}
    if len(negative) != 1 or not negative <= _GAP_CODES:
        return {}
    return {cell: None for cell, number in numbers.items() if number in negative}


def _group_codes(candidate: Candidate, judge: ValueJudge) -> dict[str, float | None]:
    """Code low 0 and high 1; with a middle group low 0, middle 1 and high 2."""
    # Where the low end is the disease, low and high change places.
    trait = judge.trait
    bottom, top = (trait.high, trait.low) if trait.low_is_case else (trait.low, trait.high)
    ends = {cell for cell, v in candidate.values.items() if v in top or v in bottom}
    middle = {cell for cell, v in candidate.values.items() if judge.words.has(v, "middle")}
    if len(ends) > 1:
        middle |= {c for c, v in candidate.values.items() if judge.words.says_healthy(v)} - ends
    most = 2.0 if middle else 1.0
    return {
        cell: 1.0 if cell in middle else most if v in top else 0.0 if v in bottom else None
        for cell, v in candidate.values.items()
    }
