"""How agents work: their kinds, their roles, and what of the team's ways can be switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from genotex.errors import UsageError
from genotex.options import LIMITS, WAYS, Option

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

    The fields are described by their help texts.

    Raises
    ------
    UsageError
        If a number makes no sense.
    """

    planning: Annotated[
        bool,
        Option(
            "Plan each step; otherwise all steps run in their usual order.",
            "--planning/--no-planning",
            panel=WAYS,
        ),
    ] = True
    expert: Annotated[
        bool,
        Option(
            "Consult the domain expert on steps that need biomedical knowledge.",
            "--expert/--no-expert",
            panel=WAYS,
        ),
    ] = True
    reviewer: Annotated[
        bool,
        Option(
            "Review code; otherwise the first attempt is kept.",
            "--reviewer/--no-reviewer",
            panel=WAYS,
        ),
    ] = True
    max_rounds: Annotated[int, Option("Most reviews of a step.", panel=WAYS)] = 2
    max_retract: Annotated[
        int, Option("How often a notebook may return to an earlier step.", panel=WAYS)
    ] = 1
    reuse: Annotated[
        bool,
        Option("Try approved code first in later notebooks.", "--reuse/--no-reuse", panel=WAYS),
    ] = True
    work_seconds: Annotated[
        float,
        Option(
            "Time for a notebook: model calls and cells; waiting does not count.",
            "--time-limit",
            panel=LIMITS,
            metavar="SECONDS",
        ),
    ] = 420.0
    cell_seconds: Annotated[
        float, Option("Time for a cell.", "--cell-time", panel=LIMITS, metavar="SECONDS")
    ] = 180.0

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
