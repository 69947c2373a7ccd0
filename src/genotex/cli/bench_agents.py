"""`genotex bench run --preset`: a run of agents, shown as any benchmark run is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from genotex.cli import screen
from genotex.cli.model_choice import ModelChoice

if TYPE_CHECKING:
    from genotex.agents.presets import Preset
    from genotex.agents.team.plan import TeamPlan
    from genotex.bench.problems import Problem
    from genotex.cli.options import Sandboxes
    from genotex.layout import Procedure

__all__ = ["AgentChoice", "Asked", "run_agents"]


@dataclass(frozen=True)
class Asked:
    """What is to be solved, from which files, and where the answers go.

    Attributes
    ----------
    source : Path or None
        Input folder.
    target : Path
        Output folder.
    problems : tuple of Problem
    preprocessed : Path or None
        An output folder whose cohorts are taken as they are.
    """

    source: Path | None
    target: Path
    problems: tuple[Problem, ...]
    preprocessed: Path | None


@dataclass(frozen=True)
class AgentChoice:
    """What was said about agents on the command line.

    Attributes
    ----------
    models : ModelChoice
    sandbox : Sandboxes or None
    cell_time : float or None
        Seconds.
    """

    models: ModelChoice
    sandbox: Sandboxes | None = None
    cell_time: float | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options that were given, as they are written."""
        own = {"--sandbox": self.sandbox, "--cell-time": self.cell_time}
        given = (option for option, value in own.items() if value is not None)
        return (*self.models.options, *given)

    def plan(
        self,
        preset: Preset,
        asked: Asked,
        task_info: Path,
        procedure: Procedure | None,
        time_limit: float | None,
    ) -> TeamPlan:
        """Return the run of a preset that asks models.

        Raises
        ------
        UsageError
            If these do not go together, or a role is given a model that nobody asks.
        """
        from genotex.agents.sandbox import SandboxPolicy
        from genotex.agents.switches import ROLES
        from genotex.agents.team.plan import TeamPlan
        from genotex.bench.runs.methods.choosing import refuse_idle

        silent = [role for role in self.models.roles.named() if role not in preset.roles]
        refuse_idle([f"--model.{role}" for role in silent], f"the preset {preset.name}")
        times = {"work_seconds": time_limit, "cell_seconds": self.cell_time}
        given = {name: seconds for name, seconds in times.items() if seconds is not None}
        instead = "" if preset.method is None else ", or --answers FILE"
        return TeamPlan(
            source=asked.source,
            target=asked.target,
            problems=asked.problems,
            models=self.models.read(ROLES, instead),
            procedure=procedure or "sound",
            switches=preset.switches(**given),
            sandbox=SandboxPolicy("require" if self.sandbox is None else self.sandbox.value),
            task_info=task_info,
            agent=preset.agent or "team",
            preprocessed=asked.preprocessed,
            preset=preset.name,
        )


def run_agents(plan: TeamPlan, *, jobs: int, retry: bool, json: bool) -> NoReturn:
    """Run agents and show what became of the problems; ends with the exit code of the run."""
    from genotex.agents.team.running import run_team
    from genotex.cli.agent_screen import say_usage, shown_progress, tell_warnings
    from genotex.cli.bench_screen import run_json, show_run

    with shown_progress() as progress:
        finished = run_team(plan, jobs=jobs, retry=retry, progress=progress)
    summary = finished.summary
    if json:
        usage = {"stopped": finished.stopped or None, "usage": finished.usage.to_json()}
        screen.print_json(run_json(summary, finished.problems) | usage)
    else:
        if summary is not None:
            show_run(summary, finished.problems, plan.target, finished.solved_now)
        say_usage(finished.usage)
        tell_warnings(finished, plan.target)
    if summary is None:
        raise typer.Exit(screen.STOPPED)
    raise typer.Exit(screen.DONE if summary.answered else screen.NOTHING_USABLE)
