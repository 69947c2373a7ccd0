"""How agents work: agents, roles, switches of the team, and presets of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from genotex.errors import UsageError
from genotex.options import LIMITS, WAYS, MethodOptions, Option, refuse_idle

Agent = Literal["team", "structured", "codeact", "zero-shot"]
"""Who solves a problem: the team; a model that answers with data and writes no code; one that
writes one script; one that sees no data."""

WITHOUT_CODE = ("structured", "zero-shot")
"""Agents whose models answer with data; a program does the rest."""

ROLES = ("planner", "engineer", "statistician", "reviewer", "expert")
"""Who asks a model: for the next step, for the code of a cohort or of a problem, for a judgement,
for code that needs biomedical knowledge."""


@dataclass(frozen=True)
class Switches:
    """How the team works (GenoTEX paper, section 4 and its ablations).

    The fields are described by their help texts.
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
                msg = f"{option} {getattr(self, name):g} is not a time; give seconds above 0"
                raise UsageError(msg)


@dataclass(frozen=True)
class WorkSettings:
    """How notebooks are worked on."""

    agent: Agent
    switches: Switches
    temperature: float | None = None
    max_output: int | None = None


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


@dataclass(frozen=True)
class Preset:
    """A named way to solve problems."""

    name: str
    # Its row among the published ones (see `evaluation.published`); empty where it has none
    paper: str = ""
    tables: tuple[int, ...] = ()  # The paper's tables with that row
    agent: Agent | None = None  # Who works, where models are asked (see `agents.switches.Agent`)
    method: str | None = None  # Name of the method, where none is (see `runs.choosing`)
    # What differs from the usual switches of the team
    switched: Mapping[str, Any] = field(default_factory=dict)

    def switches(self, **others: Any) -> Switches:
        """Return the switches of the team, with others that belong to no preset."""
        return Switches(**self.switched, **others)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that a model answers; empty for a method without models."""
        return () if self.agent is None else roles_asked(self.agent, self.switches())

    def asks_models(self, options: MethodOptions) -> bool:
        """Return whether models are asked, and refuse options of methods that would do nothing."""
        preset = f"the preset {self.name}"
        named = {"--method": options.method, "--command": options.command}
        refuse_idle([name for name, value in named.items() if value is not None], preset)
        if self.agent is None or (self.method is not None and options.answers is not None):
            return False
        idle = {
            "--genes": options.genes is not None,
            "--answers": options.answers is not None,
            "--pass-env": bool(options.pass_env),
            "--own-cohorts": options.own_cohorts,
            "--procedure": options.procedure is not None and self.agent == "zero-shot",
        }
        refuse_idle([name for name, given in idle.items() if given], preset)
        return True


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("full", "GenoAgent", (2, 3, 4, 5), "team"),
        Preset("no-planning", "GenoAgent, no planning", (2,), "team", switched={"planning": False}),
        Preset(
            "no-expert",
            "GenoAgent, no domain expert",
            (2, 4, 5),
            "team",
            switched={"expert": False},
        ),
        Preset(
            "one-round",
            "GenoAgent, one review round",
            (2, 4, 5),
            "team",
            switched={"max_rounds": 1},
        ),
        Preset(
            "no-reviewer", "GenoAgent, no reviewer", (2, 4, 5), "team", switched={"reviewer": False}
        ),
        Preset("zero-shot", "o1 zero-shot", (2,), "zero-shot", "zero-shot"),
        Preset("codeact", "CodeAct", (3,), "codeact"),
        Preset("structured", agent="structured"),
        Preset("rules", method="rules"),
        Preset("lasso", "Lasso", (3,), method="lasso"),
        Preset("mixed-model", "LMM", (3,), method="mixed-model"),
        Preset("no-bec", "GenoAgent, no batch correction", (3,), method="no-bec"),
        Preset("random", "random", (2,), method="random"),
    )
}
"""All presets; ``zero-shot`` asks a model, or takes its answers from a file."""


def preset_named(name: str) -> Preset:
    """Return a preset by its name."""
    if name not in PRESETS:
        msg = f"there is no preset {name!r}; use {', '.join(PRESETS)}"
        raise UsageError(msg)
    return PRESETS[name]
