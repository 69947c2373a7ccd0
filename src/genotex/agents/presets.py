"""The methods and ablations of the paper by name: what each is, and in which table it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from genotex.agents.switches import Agent, Switches, roles_asked
from genotex.bench.runs.methods.choosing import MethodOptions, refuse_idle
from genotex.errors import UsageError

__all__ = ["PRESETS", "Preset", "preset_named"]


@dataclass(frozen=True)
class Preset:
    """A named way to solve problems.

    Attributes
    ----------
    name : str
    paper : str
        Its row among the published ones (see `evaluation.published`); empty where it has none.
    tables : tuple of int
        The paper's tables with that row.
    agent : str or None
        Who works, where models are asked (see `agents.switches.Agent`).
    method : str or None
        Name of the method, where none is (see `runs.methods.choosing`).
    switched : mapping
        What differs from the usual switches of the team.
    """

    name: str
    paper: str = ""
    tables: tuple[int, ...] = ()
    agent: Agent | None = None
    method: str | None = None
    switched: Mapping[str, Any] = field(default_factory=dict)

    def switches(self, **others: Any) -> Switches:
        """Return the switches of the team, with others that belong to no preset."""
        return Switches(**self.switched, **others)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that a model answers; empty for a method without models."""
        return () if self.agent is None else roles_asked(self.agent, self.switches())

    def asks_models(self, options: MethodOptions) -> bool:
        """Tell whether models are asked, and refuse options of methods that would do nothing.

        Raises
        ------
        UsageError
            If an option does nothing beside the preset.
        """
        beside = f"the preset {self.name}"
        named = {"--method": options.method, "--command": options.command}
        refuse_idle([name for name, value in named.items() if value is not None], beside)
        if self.agent is None or (self.method is not None and options.answers is not None):
            return False
        idle = {
            "--genes": options.genes is not None,
            "--answers": options.answers is not None,
            "--pass-env": bool(options.pass_env),
            "--own-cohorts": options.own_cohorts,
            "--procedure": options.procedure is not None and self.agent == "zero-shot",
        }
        refuse_idle([name for name, given in idle.items() if given], beside)
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
            "no-reviewer",
            "GenoAgent, no reviewer",
            (2, 4, 5),
            "team",
            switched={"reviewer": False},
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
    """Return a preset by its name.

    Raises
    ------
    UsageError
        If there is none of that name.
    """
    if name not in PRESETS:
        msg = f"there is no preset {name!r}; use {', '.join(PRESETS)}"
        raise UsageError(msg)
    return PRESETS[name]
