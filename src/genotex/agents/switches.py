"""How agents work: their kinds, their roles, and what of the team's ways can be switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from genotex.errors import UsageError

__all__ = ["ROLES", "Agent", "Switches", "roles_asked"]

Agent = Literal["team", "structured", "codeact", "zero-shot"]
"""Who solves a problem: the team; a model that answers with data and writes no code; one that
writes one script; one that sees no data."""

ROLES = ("planner", "engineer", "statistician", "reviewer", "expert")
"""Who asks a model: for the next step, for the code of a cohort or of a problem, for a judgement,
for code that needs biomedical knowledge."""


@dataclass(frozen=True)
class Switches:
    """How the team works (GenoTEX paper, section 4 and its ablations).

    Parameters
    ----------
    planning : bool
        Ask for the next step; else all steps in their usual order.
    expert : bool
        The Domain Expert writes and reviews steps that need domain knowledge.
    reviewer : bool
        Code is reviewed; else the first attempt stands.
    max_rounds : int
        Most reviews of a step.
    max_retract : int
        How often a notebook may go back to an earlier step.
    reuse : bool
        Approved code of steps that need no domain knowledge is tried first in later notebooks.
    work_seconds : float
        Time for a notebook: of the models' calls and of its cells; waiting does not count.
    cell_seconds : float
        Time for one cell.

    Raises
    ------
    UsageError
        If a number makes no sense.
    """

    planning: bool = True
    expert: bool = True
    reviewer: bool = True
    max_rounds: int = 2
    max_retract: int = 1
    reuse: bool = True
    work_seconds: float = 420.0
    cell_seconds: float = 180.0

    def __post_init__(self) -> None:
        """Refuse numbers that permit nothing."""
        for name, least in (("max_rounds", 1), ("max_retract", 0)):
            if getattr(self, name) < least:
                option = f"--{name.replace('_', '-')}"
                msg = f"{option} {getattr(self, name)} is too small; give {least} or more"
                raise UsageError(msg)
        for name, option in (("work_seconds", "--time-limit"), ("cell_seconds", "--cell-time")):
            if not 0 < getattr(self, name) < float("inf"):
                msg = f"{option} {getattr(self, name):g} is no time; give seconds above 0"
                raise UsageError(msg)

    def to_json(self) -> dict[str, Any]:
        """Return the switches as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Switches:
        """Return the switches that `to_json` described."""
        return cls(**data)


def roles_asked(agent: Agent, switches: Switches) -> tuple[str, ...]:
    """Return the roles that an agent asks; the others need no model."""
    if agent == "codeact":
        return ("engineer", "statistician")
    if agent != "team":
        return ("expert",)
    silent = {"planner": switches.planning, "reviewer": switches.reviewer}
    return tuple(
        role for role in ROLES if silent.get(role, True) and (role != "expert" or switches.expert)
    )
