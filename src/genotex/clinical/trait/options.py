"""What a row of characteristics could say about a trait: every way of reading it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from genotex.clinical.candidates import Candidate
from genotex.clinical.trait.judgement import Judgements
from genotex.clinical.trait.row_company import rest_as_cases, rest_as_controls
from genotex.clinical.trait.row_roles import judge_row
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.clinical.values import parse_number
from genotex.clinical.words.keys import kind_of_key

__all__ = ["How", "TraitOption", "trait_options"]

How = Literal["words", "rest are controls", "rest are cases", "level", "scale", "level groups"]

_GAP_CODES = {-1.0, -9.0, -99.0, -999.0, -9999.0}
_MOSTLY = 0.6
_FEWEST_LEVELS = 3


@dataclass(frozen=True)
class TraitOption:
    """One way of reading one key for a trait.

    Attributes
    ----------
    candidate : Candidate
        Key, row and values.
    how : str
        ``words`` (what the values say), ``rest are controls`` or ``rest are cases`` (open values
        read by their company), ``level`` (a measured level), ``scale`` (a symptom score) or
        ``level groups`` (low and high).
    codes : mapping of str to float or None
        Raw cell -> code; where the number in the cell is the code, only the cells without one.
    judgements : mapping of str to Judgement
        Raw cell -> what it means; empty for levels.
    """

    candidate: Candidate
    how: How
    codes: Mapping[str, float | None] = field(default_factory=dict)
    judgements: Judgements = field(default_factory=dict)

    @property
    def kind(self) -> Literal["binary", "continuous"]:
        """Whether the trait is read as groups or as numbers."""
        measured = self.how in ("level", "scale") or max(self._told, default=0.0) > 1
        return "continuous" if measured else "binary"

    @property
    def _told(self) -> list[float]:
        return [code for code in self.codes.values() if code is not None]


def trait_options(candidates: Iterable[Candidate], judge: ValueJudge) -> list[TraitOption]:
    """Return every way in which candidates could tell the trait, in row order.

    Parameters
    ----------
    candidates : iterable of Candidate
        Values by key.
    judge : ValueJudge
        Judges single values for the trait in this series.

    Returns
    -------
    list of TraitOption
        Each separates cases from controls, or measures the trait.
    """
    return [option for c in candidates for option in _options(c, judge)]


def _options(candidate: Candidate, judge: ValueJudge) -> Iterator[TraitOption]:
    yield from _by_roles(candidate, judge)
    if candidate.key in judge.trait.levels:
        yield from _level(candidate, judge, "level")
    elif candidate.key in judge.trait.scales:
        yield from _level(candidate, judge, "scale")


def _by_roles(candidate: Candidate, judge: ValueJudge) -> Iterator[TraitOption]:
    if kind_of_key(candidate.key) == "never" or (candidate.key and not candidate.values):
        return
    asked = replace(candidate, key=judge.series.spelt_key(candidate.key))
    plain = judge_row(asked, judge)
    ways: list[tuple[How, Judgements | None]] = [
        ("words", plain),
        ("rest are controls", rest_as_controls(asked, plain, judge)),
        ("rest are cases", rest_as_cases(asked, plain, judge)),
    ]
    for how, judgements in ways:
        if judgements is None:
            continue
        codes = {cell: judgement.code for cell, judgement in judgements.items()}
        if {0.0, 1.0} <= {codes[cell] for cell in candidate.in_row}:
            yield TraitOption(candidate, how, codes, judgements)


def _level(
    candidate: Candidate, judge: ValueJudge, how: Literal["level", "scale"]
) -> Iterator[TraitOption]:
    if _is_measured(candidate):
        yield TraitOption(candidate, how, _gaps(candidate))
        return
    codes = _group_codes(candidate, judge)
    if {0.0, 1.0} <= set(codes.values()):
        yield TraitOption(candidate, "level groups", codes)


def _is_measured(candidate: Candidate) -> bool:
    numbers = [parse_number(value) for value in candidate.values.values()]
    told = {number for number in numbers if number is not None}
    return len(told) >= max(_FEWEST_LEVELS, _MOSTLY * len(set(numbers)))


def _gaps(candidate: Candidate) -> dict[str, float | None]:
    """Return the cells whose number stands for a missing value: -9 where nothing is negative."""
    numbers = {cell: parse_number(value) for cell, value in candidate.values.items()}
    negative = {number for number in numbers.values() if number is not None and number < 0}
    if len(negative) != 1 or not negative <= _GAP_CODES:
        return {}
    return {cell: None for cell, number in numbers.items() if number in negative}


def _group_codes(candidate: Candidate, judge: ValueJudge) -> dict[str, float | None]:
    """Code low 0 and high 1; with a middle group low 0, middle 1 and high 2.

    Where the low end is the disease, low and high change places.
    """
    trait = judge.trait
    bottom, top = (trait.high, trait.low) if trait.low_is_case else (trait.low, trait.high)
    ends = {cell for cell, v in candidate.values.items() if v in top or v in bottom}
    middle = {cell for cell, v in candidate.values.items() if judge.words.is_middle(v)}
    if len(ends) > 1:
        middle |= {c for c, v in candidate.values.items() if judge.words.says_healthy(v)} - ends
    most = 2.0 if middle else 1.0
    return {
        cell: 1.0 if cell in middle else most if v in top else 0.0 if v in bottom else None
        for cell, v in candidate.values.items()
    }
