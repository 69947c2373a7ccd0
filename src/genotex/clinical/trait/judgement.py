"""What a value was found to mean, and how strong the evidence is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from genotex.formats.cohort_record import Role

__all__ = [
    "BROADER", "BY_COMPANY", "CONTEXT", "DENIED", "HEALTHY", "INCLUDED", "LINE", "NAMED",
    "NOTHING", "ORGAN", "UNKNOWN", "Judgement", "strength",
]  # fmt: skip

NAMED = 3.0
DENIED = 2.9
HEALTHY = 1.0
ORGAN = 2.8
INCLUDED = 2.4
BROADER = 2.0
LINE = 1.9
CONTEXT = 1.8
BY_COMPANY = 0.5
NOTHING = 0.0

_CODES: dict[Role, float | None] = {
    "case": 1.0, "healthy control": 0.0, "other disease": 0.0, "unknown": None
}  # fmt: skip


@dataclass(frozen=True)
class Judgement:
    """What one value means.

    Attributes
    ----------
    role : Role
        Its role.
    strength : float
        How strong the evidence is, 0 to 3.
    why : str
        The reason in words.
    control : bool
        Whether a value of unknown role serves as control all the same: it stands beside cases and
        is none of them, but nothing tells its health.
    """

    role: Role
    strength: float
    why: str
    control: bool = False

    @property
    def code(self) -> float | None:
        """Case 1, control 0, None for missing."""
        return 0.0 if self.control else _CODES[self.role]

    @property
    def is_open(self) -> bool:
        """Whether nothing was found out, although the value says something."""
        return self.role == "unknown" and not self.control and self.why != "missing"


UNKNOWN = Judgement("unknown", NOTHING, "says nothing about the trait")


def strength(judgements: Iterable[Judgement]) -> float:
    """Return the strongest evidence among judgements."""
    return max((j.strength for j in judgements), default=NOTHING)
