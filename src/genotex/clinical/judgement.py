"""What a value was found to mean, and how strong the evidence is."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.formats.cohort_record import Role

__all__ = [
    "BROADER", "CONTEXT", "DENIED", "HEALTHY", "INCLUDED", "NAMED", "NOTHING", "ORGAN", "UNKNOWN",
    "Judgement", "strength",
]  # fmt: skip

NAMED = 3.0
DENIED = 2.9
HEALTHY = 1.0
ORGAN = 2.8
INCLUDED = 2.4
BROADER = 2.0
CONTEXT = 1.8
NOTHING = 0.0


@dataclass(frozen=True)
class Judgement:
    """The role of one value, how strong the evidence is (0 to 3) and the reason in words."""

    role: Role
    strength: float
    why: str


UNKNOWN = Judgement("unknown", NOTHING, "says nothing about the trait")


def strength(judgements: list[Judgement]) -> float:
    """Return the strongest evidence among judgements."""
    return max((j.strength for j in judgements), default=NOTHING)
