"""How certain what is stated of a series and of each of its samples is, calibrated.

Platt scaling (Platt, Advances in Large Margin Classifiers, 1999, 61-74) of what the scorer gives,
with a few facts that make it too sure. The weights are in ``data/trait_certainty.toml``, written by
``python -m benchmarks certainty``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements
from genotex.features import packaged_table

_MUCH_TEXT = 1000
"""Characters of title, summary and design; longer texts say no more."""
_LITTLE_TEXT = 40
_FARTHEST = 0.995
_WEAK = (Ground.BY_COMPANY, Ground.OTHER_CODE, Ground.BESIDE_CONTROLS)
_Weights = Mapping[str, float]


def series_evidence(probability: float, *, none: bool, text: str) -> dict[str, float]:
    """Return what the certainty of a statement on the trait of a series depends on.

    `probability`: as the scorer has it. `none`: whether "not available" is stated. `text`: title,
    summary and design.
    """
    size = min(max(len(text), _LITTLE_TEXT), _MUCH_TEXT)
    return {
        "constant": 1.0,
        "log odds": _log_odds(probability),
        "none": float(none),
        "none, little text": none * math.log(_MUCH_TEXT / size),
    }


def cell_evidence(certainty: float, judgement: Judgement) -> dict[str, float]:
    """Return what the certainty of the code of one cell depends on; `certainty`: of the series."""
    return {
        "constant": 1.0,
        "log odds": _log_odds(certainty),
        "nothing seen": float(judgement.ground is Ground.NOTHING),
        "weak ground": float(judgement.ground in _WEAK),
    }


def stated_certainty(evidence: Mapping[str, float], weights: _Weights) -> float:
    """Return the calibrated certainty."""
    return 1 / (1 + math.exp(-sum(weights.get(name, 0.0) * x for name, x in evidence.items())))


def cell_certainties(judgements: Judgements, certainty: float) -> dict[str, float]:
    """Return how certain the code of each cell is, given that of the series; ``""``: of no cell."""
    weights = load_certainty()["cell"]
    return {
        cell: stated_certainty(cell_evidence(certainty, judgement), weights)
        for cell, judgement in {"": UNKNOWN, **judgements}.items()
    }


def _log_odds(share: float) -> float:
    share = min(max(share, 1 - _FARTHEST), _FARTHEST)
    return math.log(share / (1 - share))


@lru_cache(maxsize=1)
def load_certainty() -> Mapping[str, _Weights]:
    """Return the packaged weights: of ``series`` and ``cell``, and ``review``: ``below``."""
    found: Mapping[str, _Weights] = packaged_table("genotex.clinical", "trait_certainty")
    return found
