"""Every way in which a series may record a trait, and how likely each is right.

The scorer is a conditional logit (McFadden, Frontiers in Econometrics, 1974, 105-142): each option
has a utility, the weighted sum of its evidence; "not available" has utility 0; that the trait is
recorded in a way that no option catches has a utility of its own, so that certainty stays honest.
The probabilities of all of these are their exponentials, normalised. The weights are plain numbers
in ``data/trait_weights.toml``, fitted by ``benchmarks/clinical/fit_trait_weights.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from genotex.clinical.cells import Candidate
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgements, best_ground
from genotex.clinical.trait.row_groups import judge_keys, rest_as_cases, rest_as_controls
from genotex.clinical.trait.row_judge import judge_row
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.keys import asks_trait, is_preliminary, kind_of_key, names_trait
from genotex.features import packaged_table, parse_number, simplify

How = Literal[
    "words", "rest are controls", "rest are cases", "several keys", "level", "scale", "level groups"
]

_GAP_CODES = {-1.0, -9.0, -99.0, -999.0, -9999.0}
_MOSTLY = 0.6
_FEWEST_LEVELS = 3
_FEWEST_NAMED = 2


@dataclass(frozen=True)
class TraitOption:
    """One way in which one key may record a trait."""

    candidate: Candidate  # Key, row and values
    # ``words`` (the words of the values), ``rest are controls`` or ``rest are cases`` (open values
    # decided by the others), ``level`` (a measured level), ``scale`` (a symptom score) or
    # ``level groups`` (low and high)
    how: How
    # Raw cell -> code; where the number in the cell is the code, only the cells without one
    codes: Mapping[str, float | None] = field(default_factory=dict)
    # Raw cell -> what it means; empty for levels
    judgements: Judgements = field(default_factory=dict)
    probability: float = 0.0  # That it is the right one; 0 before scoring

    @property
    def kind(self) -> Literal["binary", "continuous"]:
        """Whether the trait is coded as groups or as numbers."""
        measured = self.how in ("level", "scale") or max(self._known, default=0.0) > 1
        return "continuous" if measured else "binary"

    @property
    def _known(self) -> list[float]:
        return [code for code in self.codes.values() if code is not None]


def trait_options(candidates: Iterable[Candidate], judge: ValueJudge) -> list[TraitOption]:
    """Return every way in which candidates could record the trait, in row order."""
    candidates = list(candidates)
    options = [option for c in candidates for option in _options(c, judge)]
    return options + list(_of_several_keys(candidates, judge))


def _of_several_keys(candidates: Sequence[Candidate], judge: ValueJudge) -> Iterator[TraitOption]:
    """Return rows whose cases have one key and whose controls another."""
    rows: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.row is not None and candidate.other_cells:
            rows.setdefault(candidate.row, []).append(candidate)
    for parts in rows.values():
        judged = judge_keys(parts, judge)
        if judged is None:
            continue
        main, known = judged
        judgements = {cell: known.get(cell, UNKNOWN) for part in parts for cell in part.values}
        whole = replace(
            main,
            values={cell: value for part in parts for cell, value in part.values.items()},
            in_row=frozenset(known),
            share=1.0,
            elsewhere=(),
            weight={cell: count for part in parts for cell, count in part.weight.items()},
            other_cells=frozenset(),
        )
        codes = {cell: judgement.code for cell, judgement in judgements.items()}
        yield TraitOption(whole, "several keys", codes, judgements)


def _options(candidate: Candidate, judge: ValueJudge) -> Iterator[TraitOption]:
    yield from _by_roles(candidate, judge)
    if candidate.key in judge.trait.levels or _holds_level(candidate, judge):
        yield from _level(candidate, judge, "level")
    elif candidate.key in judge.trait.scales:
        yield from _level(candidate, judge, "scale")


def _holds_level(candidate: Candidate, judge: ValueJudge) -> bool:
    """Return whether a key has all words of a level's name, or its values have the name."""
    levels = [set(name.split()) for name in judge.trait.level_names]
    key = set(simplify(candidate.key).split())
    if any(len(words) > 1 and words <= key for words in levels):
        return True
    named = [value for value in candidate.values.values() if value in judge.trait.levels]
    return judge.trait.is_level and len(named) >= _FEWEST_NAMED


def _by_roles(candidate: Candidate, judge: ValueJudge) -> Iterator[TraitOption]:
    if kind_of_key(candidate.key) == "never" or (candidate.key and not candidate.values):
        return
    if all(map(judge.words.is_mere_number, candidate.values.values())):
        return  # ages, doses, counts
    spelt = judge.series.spelt_key(candidate.key)
    asked = candidate if spelt == candidate.key else replace(candidate, key=spelt)
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
    middle = {cell for cell, v in candidate.values.items() if judge.words.is_middle(v)}
    if len(ends) > 1:
        middle |= {c for c, v in candidate.values.items() if judge.words.says_healthy(v)} - ends
    most = 2.0 if middle else 1.0
    return {
        cell: 1.0 if cell in middle else most if v in top else 0.0 if v in bottom else None
        for cell, v in candidate.values.items()
    }


_Weights = Mapping[str, float]

_CASE_KINDS = (
    ("case named", Ground.NAMED),
    ("case is a tumour of the organ", Ground.ORGAN),
    ("case is a form of the trait", Ground.INCLUDED),
    ("case by a wider word", Ground.BROADER),
    ("case by its cell line", Ground.LINE),
    ("case by its letters", Ground.BY_LETTERS),
    ("case by context", Ground.CONTEXT),
    ("case beside controls", Ground.BESIDE_CONTROLS),
)
_MANY_VALUES = 10


def weigh_evidence(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    """Return the evidence for an option as named numbers, mostly 0 or 1."""
    key = judge.series.spelt_key(option.candidate.key)
    found = {
        "any": 1.0,
        f"key: {kind_of_key(key)}": float(option.how != "rest are cases"),
        "key asks for the trait": float(asks_trait(judge.trait, key)),
        "key names the trait": float(names_trait(judge.trait, key)),
        "key is preliminary": float(is_preliminary(key)),
        "no key": float(not key),
        "share of the row": option.candidate.share,
        "many values": math.log(max(len(option.candidate.in_row), 2) / 2),
        "title names the trait": float(judge.series.in_title),
        "series is about the trait": float(judge.series.about),
        "texts name the trait once": float(judge.series.mentions == 1),
        "texts speak of patients with the trait": float(judge.series.has_patients),
        "texts speak of controls": float(judge.series.mentions_controls),
        "texts speak of cell culture": float(judge.series.is_of_cells),
        f"how: {option.how}": 1.0,
        f"{option.how}, key: {kind_of_key(key)}": float(option.how.startswith("rest")),
    }
    if option.how in ("rest are cases", "several keys"):
        found |= {
            f"{option.how}, texts speak of patients": float(judge.series.mentions_patients),
            f"{option.how}, texts speak of cell culture": float(judge.series.is_of_cells),
            f"{option.how}, title names the trait": float(judge.series.in_title),
            f"{option.how}, control is a person": float(_has_person(option, judge)),
            f"{option.how}, control with other words": float(not _is_plain_control(option, judge)),
            f"{option.how}, only normal": float(_only_normal(option)),
            f"{option.how}, what all have": float(judge.series.all_have_it),
            f"{option.how}, texts speak of a trial": float(judge.series.is_trial),
        }
    found.update(_of_roles(option, judge) if option.judgements else _of_levels(option, judge))
    return {name: value for name, value in found.items() if value}


def _has_person(option: TraitOption, judge: ValueJudge) -> bool:
    """Return whether a control is called a healthy person or tissue, not just "control"."""
    terms = judge.words.person_control
    return any(
        j.code == 0 and option.candidate.values[cell] in terms
        for cell, j in option.judgements.items()
    )


def _is_plain_control(option: TraitOption, judge: ValueJudge) -> bool:
    """Return whether a control is called so and nothing else: no "vehicle control"."""
    values = (option.candidate.values[c] for c, j in option.judgements.items() if j.code == 0)
    return any(judge.words.names_only_control(value) for value in values)


def _only_normal(option: TraitOption) -> bool:
    """Return whether "normal" is all that is said of controls, as of a test result."""
    values = {
        simplify(option.candidate.values[c]) for c, j in option.judgements.items() if j.code == 0
    }
    return values == {"normal"}


def _of_roles(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    here = [option.judgements[cell] for cell in option.candidate.in_row]
    values = option.candidate.values
    case_values = [
        values[c] for c in option.candidate.in_row if option.judgements[c].role == "case"
    ]
    cases = [j for j in here if j.role == "case"]
    controls = [j for j in here if j.code == 0]
    healthy = [j for j in controls if j.role == "healthy control"]
    best = best_ground(cases)
    kind = next((name for name, least in _CASE_KINDS if best >= least), _CASE_KINDS[-1][0])
    return {
        kind: 1.0,
        "form of a trait with many forms": (
            math.log10(1 + judge.trait.includes.count) * (Ground.ORGAN > best >= Ground.INCLUDED)
        ),
        "healthy controls": float(any(j.ground <= Ground.HEALTHY for j in healthy)),
        "controls by denial": float(any(j.ground > Ground.HEALTHY for j in healthy)),
        "other diseases as controls": float(any(j.role == "other disease" for j in controls)),
        "only other diseases as controls": float(not healthy),
        "controls by company alone": float(all(j.ground <= Ground.BY_COMPANY for j in controls)),
        "forms of the trait without healthy controls": float(
            not healthy and judge.series.in_title and Ground.LINE < best < Ground.NAMED
        ),
        "share of values told": _share_coded(option),
        "one case value": float(len(cases) == 1),
        "case values say only the trait": sum(map(judge.words.says_only_trait, case_values))
        / len(cases),
    }


def _share_coded(option: TraitOption) -> float:
    weight = option.candidate.weight
    pairs = [(weight.get(c, 1), option.judgements[c]) for c in option.candidate.in_row]
    total = sum(count for count, j in pairs if j.meaning != "missing")
    return sum(count for count, j in pairs if j.code is not None) / max(total, 1)


def _of_levels(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    return {
        "trait is a level": float(judge.trait.is_level),
        "level of a disease": float(not judge.trait.is_level),
        "words in the key of a level": float(len(simplify(option.candidate.key).split())),
        "many levels": float(len(option.candidate.values) > _MANY_VALUES),
    }


def weigh_oversight(options: Sequence[TraitOption], judge: ValueJudge) -> dict[str, float]:
    """Return the evidence that the trait is recorded in a way that no option catches."""
    series = judge.series
    found = {
        "overlooked": 1.0,
        "overlooked, no option": float(not options),
        "overlooked, trait is not listed": float(not judge.trait.is_listed),
        "overlooked, title names the trait": float(series.in_title),
        "overlooked, texts speak of controls": float(series.mentions_controls),
        "overlooked, texts speak of cell culture": float(series.is_of_cells),
    }
    return {name: value for name, value in found.items() if value}


def score_options(
    options: Sequence[TraitOption], judge: ValueJudge, weights: _Weights | None = None
) -> tuple[list[TraitOption], float]:
    """Return options with their probabilities, the most likely first, and that of none."""
    # Equally likely options stay in row order. What is missing to 1 in all is the probability that
    # no option is right although the trait is recorded.
    weights = load_weights() if weights is None else weights
    evidence = [*(weigh_evidence(o, judge) for o in options), weigh_oversight(options, judge)]
    *utilities, overlooked = (_utility(found, weights) for found in evidence)
    top = max([0.0, overlooked, *utilities])
    shares = [math.exp(u - top) for u in utilities]
    total = sum(shares) + math.exp(-top) + math.exp(overlooked - top)
    scored = [
        replace(option, probability=share / total)
        for option, share in zip(options, shares, strict=True)
    ]
    return sorted(scored, key=lambda o: -o.probability), math.exp(-top) / total


def _utility(evidence: Mapping[str, float], weights: _Weights) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in evidence.items())


@lru_cache(maxsize=1)
def load_weights() -> _Weights:
    """Return the packaged weights."""
    weights: dict[str, float] = packaged_table("genotex.clinical", "trait_weights")["weights"]
    return weights
