"""The evidence for every way of reading a series, for "not available", and how likely each is.

The scorer is a conditional logit (McFadden, Frontiers in Econometrics, 1974, 105-142): each option
has a utility, the weighted sum of its evidence; "not available" has utility 0; that the trait is
recorded in a way that no option catches has a utility of its own, so that certainty stays honest.
The probabilities of all of these are their exponentials, normalised. The weights are plain numbers
in ``data/trait_weights.toml``, fitted by ``benchmarks/clinical/fit_trait_weights.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from genotex.clinical.encoding import NO_CELL
from genotex.clinical.trait.judgement import Ground, best_ground
from genotex.clinical.trait.options import RowsSeen, TraitOption
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.keys import asks, asks_trait, kind_of_key, names_trait
from genotex.features import packaged_table, simplify

_Weights = Mapping[str, float]

_CASE_KINDS = (
    ("case named", Ground.NAMED),
    ("case is a form of the trait", Ground.INCLUDED),
    ("case by a wider word", Ground.BROADER),
    ("case by its cell line", Ground.LINE),
    ("case by its letters", Ground.BY_LETTERS),
    ("case by context", Ground.CONTEXT),
    ("case beside controls", Ground.BESIDE_CONTROLS),
)
_MANY_VALUES = 10
_OPEN = ("rest are", "absence")
_NOT_BY_KEY = ("rest are cases", "detail of patients")
_LEAVING_OPEN = ("rest are cases", "several keys", "absence is control")


def weigh_evidence(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    """Return the evidence for an option as named numbers, mostly 0 or 1."""
    candidate = option.candidate
    key = judge.series.spelt_key(candidate.key)
    kind = kind_of_key(key) if key or candidate.row is not None else candidate.sample_field
    found = {
        "any": 1.0,
        f"key: {kind}": float(option.how not in _NOT_BY_KEY),
        "key asks for the trait": float(asks_trait(judge.trait, key)),
        "key names the trait": float(names_trait(judge.trait, key)),
        "key is preliminary": float(asks(key, "a first guess")),
        "no key": float(not key and candidate.row is not None),
        "share of the row": candidate.share,
        "many values": math.log(max(len({candidate.values[c] for c in candidate.in_row}), 2) / 2),
        "title names the trait": float(judge.series.in_title),
        "series is about the trait": float(judge.series.about),
        "texts name the trait once": float(judge.series.mentions == 1),
        "texts speak of patients with the trait": float(judge.series.has_patients),
        "texts speak of controls": float(judge.series.mentions_controls),
        "texts speak of cell culture": float(judge.series.is_of_cells),
        f"how: {option.how}": 1.0,
        f"{option.how}, key: {kind}": float(option.how.startswith(_OPEN)),
    }
    controls = [candidate.values[c] for c, j in option.judgements.items() if j.code == 0]
    if option.how == "absence is control":
        # What controls have where cases have something: nothing, or a word for it.
        here = candidate.in_row - {NO_CELL}
        found |= {
            f"{option.how}, empty": float(NO_CELL in option.codes),
            f"{option.how}, a word for missing": float(any(option.codes[c] == 0 for c in here)),
        }
    if option.how in _LEAVING_OPEN:
        words, plain = judge.words, any(map(judge.words.names_only_control, controls))
        found |= {
            f"{option.how}, texts speak of patients": float(judge.series.mentions_patients),
            f"{option.how}, texts speak of cell culture": float(judge.series.is_of_cells),
            f"{option.how}, title names the trait": float(judge.series.in_title),
            f"{option.how}, control is a person": float(
                any(words.has(value, "person_control") for value in controls)
            ),
            f"{option.how}, control with other words": float(not plain),
            f"{option.how}, only normal": float({*map(simplify, controls)} == {"normal"}),
            f"{option.how}, what all have": float(judge.series.all_have_it),
            f"{option.how}, texts speak of a trial": float(judge.series.is_trial),
        }
    found.update(_of_roles(option, judge) if option.judgements else _of_levels(option, judge))
    return {name: value for name, value in found.items() if value}


def _of_roles(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    trait, values, weight = judge.trait, option.candidate.values, option.candidate.weight
    here = {cell: option.judgements[cell] for cell in option.candidate.in_row}
    cases = {cell: j for cell, j in here.items() if j.role == "case"}
    controls = [j for j in here.values() if j.code == 0]
    healthy = {cell: j for cell, j in here.items() if j.role == "healthy control"}
    best = best_ground(cases.values())
    kind = next((name for name, least in _CASE_KINDS if best >= least), _CASE_KINDS[-1][0])
    every = sum(weight.get(cell, 1) for cell, j in here.items() if j.meaning != "missing")
    coded = sum(weight.get(cell, 1) for cell, j in here.items() if j.code is not None)
    share = coded / max(every, 1)
    return {
        kind: 1.0,
        "form of a trait with many forms": (
            math.log10(1 + trait.includes.count) * (best == Ground.INCLUDED)
        ),
        "controls name the organ of a cancer": float(
            trait.is_cancer and any(values[cell] in trait.sites for cell in healthy)
        ),
        "healthy controls": float(any(j.ground <= Ground.HEALTHY for j in healthy.values())),
        "controls by denial": float(any(j.ground > Ground.HEALTHY for j in healthy.values())),
        "other diseases as controls": float(any(j.role == "other disease" for j in controls)),
        "only other diseases as controls": float(not healthy),
        "controls by company alone": float(all(j.ground <= Ground.BY_COMPANY for j in controls)),
        "forms of the trait without healthy controls": float(
            not healthy and judge.series.in_title and Ground.LINE < best < Ground.NAMED
        ),
        "share of values told": share,
        "share of texts told": share * (option.candidate.row is None),
        "one case value": float(len(cases) == 1),
        "case values say only the trait": sum(
            judge.words.says_only(values[cell], trait.terms) for cell in cases
        )
        / len(cases),
    }


def _of_levels(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    return {
        "trait is a level": float(judge.trait.is_level),
        "level of a disease": float(not judge.trait.is_level),
        "words in the key of a level": float(len(simplify(option.candidate.key).split())),
        "many levels": float(len(option.candidate.values) > _MANY_VALUES),
    }


def weigh_oversight(
    options: Sequence[TraitOption], rows: RowsSeen, judge: ValueJudge
) -> dict[str, float]:
    """Return the evidence that the trait is recorded in a way that no option catches."""
    series = judge.series
    found = {
        "overlooked": 1.0,
        "overlooked, no option": float(not options),
        "overlooked, trait is not listed": float(not judge.trait.is_listed),
        "overlooked, title names the trait": float(series.in_title),
        "overlooked, texts speak of controls": float(series.mentions_controls),
        "overlooked, title and controls": float(series.in_title and series.mentions_controls),
        "overlooked, texts speak of patients with the trait": float(series.has_patients),
        "overlooked, texts speak of cell culture": float(series.is_of_cells),
        "overlooked, a row of diagnoses": float(rows.of_diagnoses),
        "overlooked, a row of groups": float(rows.of_groups),
        "overlooked, a row with controls": float(rows.with_controls),
    }
    return {name: value for name, value in found.items() if value}


NO_NAME = "neither the texts of the series nor a value names the trait"
WHY_NONE = {
    "none, nothing varies": "nothing differs between samples but age and the like",
    "none, nothing names the trait": NO_NAME,
    "none, one value for all": "all samples have it: a row has the same value for all",
    "none, only treatments": "samples differ by treatment, time or course alone",
    "none, what all have": "the texts speak of what all patients or samples have",
    "none, no controls": "the texts speak of the trait and of no controls",
    "none, a trial": "the texts speak of a trial, whose groups are patients",
    "none, cell culture": "the texts speak of cells in culture",
}
"""Evidence that the trait is not available -> why, in words; the most telling first."""


def weigh_absence(rows: RowsSeen, judge: ValueJudge) -> dict[str, float]:
    """Return the evidence that the trait is not available."""
    series = judge.series
    held = (
        not rows.varies,
        not (series.names_trait or rows.names_trait),
        rows.same_for_all,
        rows.varies and not rows.of_groups,
        series.all_have_it,
        series.about and not series.mentions_controls,
        series.is_trial,
        series.is_of_cells,
    )
    return {name: 1.0 for name, holds in zip(WHY_NONE, held, strict=True) if holds}


@dataclass(frozen=True)
class ScoredOptions:
    """How likely each way of reading is; what is missing to 1 is that none of them is right."""

    options: list[TraitOption]  # The most likely first
    none: float  # The probability of "not available"
    why_none: str  # Why it may be "not available", in words; empty where nothing says so


def score_options(
    options: Sequence[TraitOption],
    rows: RowsSeen,
    judge: ValueJudge,
    weights: _Weights | None = None,
) -> ScoredOptions:
    """Return options with their probabilities, and that of "not available"."""
    # Equally likely options stay in row order.
    weights = load_weights() if weights is None else weights
    oversight, absence = weigh_oversight(options, rows, judge), weigh_absence(rows, judge)
    evidence = [*(weigh_evidence(o, judge) for o in options), oversight, absence]
    utilities = [_utility(found, weights) for found in evidence]
    shares = [math.exp(u - max(utilities)) for u in utilities]
    scored = [
        replace(option, probability=share / sum(shares))
        for option, share in zip(options, shares, strict=False)
    ]
    why = next(map(WHY_NONE.__getitem__, absence), "")
    return ScoredOptions(
        sorted(scored, key=lambda o: -o.probability), shares[-1] / sum(shares), why
    )


def _utility(evidence: Mapping[str, float], weights: _Weights) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in evidence.items())


@lru_cache(maxsize=1)
def load_weights() -> _Weights:
    """Return the packaged weights."""
    weights: dict[str, float] = packaged_table("genotex.clinical", "trait_weights")["weights"]
    return weights
