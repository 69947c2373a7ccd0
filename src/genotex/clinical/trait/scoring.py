"""How likely each way of reading a series is right: evidence as numbers, weighed and compared.

The scorer is a conditional logit (McFadden, Frontiers in Econometrics, 1974, 105-142): each option
has a utility, the weighted sum of its evidence; "not available" has utility 0; that the trait is
told in a way that no option catches has a utility of its own, so that certainty stays honest. The
probabilities of all of these are their exponentials, normalised. The weights are plain numbers in
``data/trait_weights.toml``, fitted by ``scripts/clinical/fit_trait_weights.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from genotex.clinical.packaged import packaged_table
from genotex.clinical.trait.judgement import Ground, Judgement, best_ground
from genotex.clinical.trait.options import TraitOption
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.clinical.words.keys import asks_trait, is_preliminary, kind_of_key, names_trait
from genotex.clinical.words.wording import simplify

__all__ = [
    "ScoredOption", "Weights", "load_weights", "score_options", "weigh_evidence", "weigh_oversight",
]  # fmt: skip

Weights = Mapping[str, float]

_CASE_KINDS = (
    ("case named", Ground.NAMED),
    ("case is a tumour of the organ", Ground.ORGAN),
    ("case is a form of the trait", Ground.INCLUDED),
    ("case by a wider word", Ground.BROADER),
    ("case by its cell line", Ground.LINE),
    ("case by context", Ground.CONTEXT),
    ("case beside controls", Ground.BESIDE_CONTROLS),
)
_MANY_VALUES = 10


@dataclass(frozen=True)
class ScoredOption:
    """An option with its evidence and its probability of being the right reading."""

    option: TraitOption
    evidence: Mapping[str, float]
    probability: float


def weigh_evidence(option: TraitOption, judge: ValueJudge) -> dict[str, float]:
    """Return the evidence for an option as named numbers, mostly 0 or 1.

    Parameters
    ----------
    option : TraitOption
        The option.
    judge : ValueJudge
        The judge of its trait and series.

    Returns
    -------
    dict of str to float
        Evidence that does not apply is left out.
    """
    key = judge.series.spelt_key(option.candidate.key)
    found = {
        "any": 1.0,
        f"key: {kind_of_key(key)}": 1.0,
        "key asks for the trait": float(asks_trait(judge.trait, key)),
        "key names the trait": float(names_trait(judge.trait, key)),
        "key is preliminary": float(is_preliminary(key)),
        "no key": float(not key),
        "share of the row": option.candidate.share,
        "many values": math.log(max(len(option.candidate.in_row), 2) / 2),
        "title names the trait": float(judge.series.in_title),
        "series is about the trait": float(judge.series.about),
        "texts speak of controls": float(judge.series.mentions_controls),
        "texts speak of cell culture": float(judge.series.is_of_cells),
        f"how: {option.how}": 1.0,
        f"{option.how}, key: {kind_of_key(key)}": float(option.how.startswith("rest")),
    }
    found.update(_of_roles(option, judge) if option.judgements else _of_levels(option, judge))
    return {name: value for name, value in found.items() if value}


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
        "healthy controls": float(any(j.ground <= Ground.HEALTHY for j in healthy)),
        "controls by denial": float(any(j.ground > Ground.HEALTHY for j in healthy)),
        "other diseases as controls": float(any(j.role == "other disease" for j in controls)),
        "only other diseases as controls": float(not healthy),
        "controls by company alone": float(all(j.ground <= Ground.BY_COMPANY for j in controls)),
        "forms of the trait without healthy controls": float(
            not healthy and judge.series.in_title and Ground.LINE < best < Ground.NAMED
        ),
        "share of values told": _told(option, here),
        "one case value": float(len(cases) == 1),
        "case values say only the trait": sum(map(judge.words.says_only_trait, case_values))
        / len(cases),
    }


def _told(option: TraitOption, here: Sequence[Judgement]) -> float:
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
    """Return the evidence that the trait is told in a way that no option catches."""
    series = judge.series
    found = {
        "overlooked": 1.0,
        "overlooked, no option": float(not options),
        "overlooked, title names the trait": float(series.in_title),
        "overlooked, texts speak of controls": float(series.mentions_controls),
        "overlooked, texts speak of cell culture": float(series.is_of_cells),
    }
    return {name: value for name, value in found.items() if value}


def score_options(
    options: Sequence[TraitOption], judge: ValueJudge, weights: Weights | None = None
) -> tuple[list[ScoredOption], float]:
    """Return options with their probabilities, the most likely first, and that of none.

    Parameters
    ----------
    options : sequence of TraitOption
        All ways of reading the series.
    judge : ValueJudge
        The judge of its trait and series.
    weights : mapping of str to float, optional
        Evidence -> weight; the packaged ones by default.

    Returns
    -------
    scored : list of ScoredOption
        By falling probability; equal ones in row order.
    none : float
        Probability that the trait is not available. What is missing to 1 in all is the
        probability that no option is right although the trait is told.
    """
    weights = load_weights() if weights is None else weights
    evidence = [weigh_evidence(option, judge) for option in options]
    *utilities, overlooked = (
        _utility(e, weights) for e in (*evidence, weigh_oversight(options, judge))
    )
    top = max([0.0, overlooked, *utilities])
    shares = [math.exp(u - top) for u in utilities]
    total = sum(shares) + math.exp(-top) + math.exp(overlooked - top)
    scored = [
        ScoredOption(option, found, share / total)
        for option, found, share in zip(options, evidence, shares, strict=True)
    ]
    return sorted(scored, key=lambda s: -s.probability), math.exp(-top) / total


def _utility(evidence: Mapping[str, float], weights: Weights) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in evidence.items())


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Return the packaged weights."""
    weights: dict[str, float] = packaged_table("trait_weights")["weights"]
    return weights
