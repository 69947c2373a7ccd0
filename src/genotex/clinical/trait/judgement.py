"""What a value was found to mean, and on what ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from genotex.formats import Role

__all__ = ["UNKNOWN", "Ground", "Judgement", "Judgements", "Meaning", "best_ground", "leave_open"]


class Ground(IntEnum):
    """On what a judgement rests; the number is its rank, the more direct the higher.

    A rank serves for order alone ("at least a form of the trait"), the name says what was seen.
    """

    NOTHING = 0
    """Nothing was seen."""
    BY_COMPANY = 1
    """Open by itself; what stands beside it in the row tells."""
    OTHER_DISEASE = 2
    """Names another disease, without any denial."""
    FREE_ORGAN = 3
    """Names the organ of a cancer and no tumour."""
    BESIDE_CONTROLS = 4
    """Stands beside controls in a series about the trait, and is none of them."""
    HEALTHY = 5
    """Says healthy, normal, control or tissue beside the tumour."""
    CONTEXT = 6
    """Says patient or lesion, in a series about the trait."""
    LINE = 7
    """Names a cell line of the trait."""
    BROADER = 8
    """Says a wider word for the trait, or tumour in a series about the cancer."""
    INCLUDED = 9
    """Names a form of the trait."""
    ORGAN = 10
    """Names a tumour of the trait's organ."""
    DENIED = 11
    """Denies the trait, or names the controls of a study of it."""
    NAMED = 12
    """Names the trait, or answers a key that asks for it."""


Meaning = Literal[
    "case", "healthy control", "other disease", "control without known health", "unknown", "missing"
]
"""What a value means: the four roles of a record, and two that a record calls unknown.

A *control without known health* stands beside cases and is none of them, but nothing tells whether
these people are healthy: it is coded 0 although its role is unknown. *Missing* says itself that
nothing is known ("N/A"), so that no company can tell it; *unknown* says something, but nothing
about the trait.
"""

_RECORDED: Mapping[Meaning, tuple[Role, float | None]] = {
    "case": ("case", 1.0),
    "healthy control": ("healthy control", 0.0),
    "other disease": ("other disease", 0.0),
    "control without known health": ("unknown", 0.0),
    "unknown": ("unknown", None),
    "missing": ("unknown", None),
}


@dataclass(frozen=True)
class Judgement:
    """What one value means.

    Attributes
    ----------
    meaning : Meaning
        What it means.
    ground : Ground
        On what that rests.
    why : str
        The reason in words.
    """

    meaning: Meaning
    ground: Ground
    why: str

    @property
    def role(self) -> Role:
        """The role that a record has."""
        return _RECORDED[self.meaning][0]

    @property
    def code(self) -> float | None:
        """Case 1, control 0, None for missing."""
        return _RECORDED[self.meaning][1]

    @property
    def is_open(self) -> bool:
        """Whether nothing was found out, although the value says something."""
        return self.meaning == "unknown"


Judgements = Mapping[str, Judgement]
"""Raw cell -> what it means."""

UNKNOWN = Judgement("unknown", Ground.NOTHING, "says nothing about the trait")


def leave_open(why: str) -> Judgement:
    """Return the judgement that a value may or may not mean the trait, and why."""
    return Judgement("unknown", Ground.NOTHING, why)


def best_ground(judgements: Iterable[Judgement]) -> Ground:
    """Return the most direct ground among judgements, `Ground.NOTHING` without any."""
    return max((j.ground for j in judgements), default=Ground.NOTHING)
