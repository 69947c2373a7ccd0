"""`genotex agent`: run the team of agents, resume a run, show what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.agents.switches import Switches
from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.cli.services.model_options import LimitChoice, ModelChoice
from genotex.errors import UsageError
from genotex.options import WAYS, ChosenProcedure, Option
from genotex.procedure import Procedure

if TYPE_CHECKING:
    from genotex.agents.switches import Agent
    from genotex.agents.team.plan import TeamPlan
    from genotex.models import SpendingLimits
    from genotex.parallel import Executor
    from genotex.problems import Problem

app = typer.Typer(no_args_is_help=True, help="Solve problems with a team of agents.")

_RunFolder = Annotated[Path, o.argument("RUN", "Output folder of the run.")]
_Jobs = Annotated[int, Option("Number of parallel notebooks.", "--jobs", short="-j", least=1)]


@dataclass(frozen=True)
class _AgentRequest:
    """The problems to solve."""

    trait: Annotated[str | None, Option("The trait.")] = None
    condition: Annotated[str, Option("None, Age, Gender or another trait.")] = "None"
    problems: Annotated[Path | None, Option("A list of problems, JSON or CSV.")] = None
    task_info: o.TaskInfoFile = None


@dataclass(frozen=True)
class _Team:
    """Which agents work, and how."""

    procedure: ChosenProcedure = Procedure.SOUND
    structured: Annotated[
        bool,
        Option(
            "Ask for the clinical facts as data; no code is generated.", "--structured", panel=WAYS
        ),
    ] = False
    sandbox: o.SandboxMode = "require"
    jobs: _Jobs = 1
    json: o.Json = False


@app.command()
@with_options
def run(
    source: o.InputDir,
    output: o.OutputDir,
    wanted: _AgentRequest,
    team: _Team,
    models: ModelChoice,
    switches: Switches,
    limits: LimitChoice,
    machines: o.Machines,
) -> None:
    r"""Solve problems with the team; the same command resumes a stopped run.

    Each cohort, and each problem, is a notebook: the team plans a step, writes
    code, runs it in a sandbox, reviews and revises. Notebooks are written to
    OUTPUT/notebooks, all calls and cells to OUTPUT/run.

    Examples:
      genotex agent run input out --trait Osteoarthritis --model rules

      genotex agent run input out --trait Asthma --condition Age \
          --model openai:gpt-4o --model.planner openai:gpt-4o-mini \
          --max-cost 5

      genotex agent run input out --task-info task_info.json \
          --model ollama:llama3.3 -j 4
    """
    from genotex.agents.sandbox import SandboxPolicy
    from genotex.agents.switches import ROLES
    from genotex.agents.team.plan import TeamPlan

    agent: Agent = "structured" if team.structured else "team"
    _refuse_idle(agent, switches, models)
    plan = TeamPlan(
        source=source,
        target=output,
        problems=_problems(wanted),
        models=models.read(limits, ROLES),
        procedure=team.procedure,
        switches=switches,
        sandbox=SandboxPolicy(team.sandbox),
        task_info=wanted.task_info,
        agent=agent,
    )
    with machines.executor(source, wanted.task_info) as executor:
        _run(plan, plan.models.limits, _Ways(team.jobs, executor), json=team.json)


@app.command()
@with_options
def resume(
    folder: _RunFolder,
    limits: LimitChoice,
    jobs: _Jobs = 1,
    retry: Annotated[bool, Option("Rerun notebooks that failed.", "--retry")] = False,
    own_run: Annotated[
        bool,
        Option(
            "The run is your own: take its --sandbox off, and its addresses of providers, "
            "as recorded.",
            "--own-run",
        ),
    ] = False,
    json: o.Json = False,
    *,
    machines: o.Machines,
) -> None:
    """Resume a run that was interrupted or stopped; no call is made twice.

    Limits count from the start of the run, and stay where none is given.

    Examples:
      genotex agent resume out

      genotex agent resume out --max-cost 10
    """
    from genotex.agents.rules.model import register_rules
    from genotex.agents.team.folder import changed_limits, read_limits
    from genotex.agents.team.plan import read_plan, refuse_another_owner

    register_rules()
    plan = read_plan(folder)
    new_limits = changed_limits(
        read_limits(plan.folder.limits),
        max_cost=limits.max_cost,
        max_tokens=limits.max_tokens,
        max_calls=limits.max_calls,
        max_time=limits.max_time,
        allow_unknown=limits.allow_unknown_cost,
    )
    if not own_run:
        refuse_another_owner(plan)
    with machines.executor(plan.source, plan.task_info) as executor:
        _run(plan, new_limits, _Ways(jobs, executor, retry), json=json)


@app.command()
@with_options
def show(
    folder: _RunFolder,
    words: Annotated[
        list[str] | None,
        o.argument(
            "[NOTEBOOK]",
            "A cohort (GSE55457, or Trait/GSE55457) or a problem (Trait, or Trait/Condition), "
            "or its name as 'agent run' prints it.",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Show what a run did: all its notebooks, or one step by step.

    A step is shown with its plan, its code and output, its reviews and its
    cost.

    Examples:
      genotex agent show out

      genotex agent show out GSE55457

      genotex agent show out Osteoarthritis/Age

      genotex agent show out Osteoarthritis given Age
    """
    from genotex.agents.team.trace import find_notebook, overview, trace
    from genotex.cli.services.agent_screen import (
        overview_json,
        show_overview,
        show_trace,
        trace_json,
    )

    if not words:
        rows = overview(folder)
        if json:
            screen.print_json(overview_json(rows))
        else:
            show_overview(rows)
        return
    found = trace(folder, find_notebook(folder, " ".join(words)))
    if json:
        screen.print_json(trace_json(found))
    else:
        show_trace(found)


def _refuse_idle(agent: Agent, switches: Switches, models: ModelChoice) -> None:
    """Refuse a model for a role that is not used, and options of the team without a team."""
    from genotex.agents.switches import roles_asked
    from genotex.options import refuse_idle

    if agent == "structured":
        usual = Switches(work_seconds=switches.work_seconds, cell_seconds=switches.cell_seconds)
        if switches != usual:
            msg = "--structured has no team: leave the other options of the team out"
            raise UsageError(msg)
    asked = roles_asked(agent, switches)
    silent = [f"--model.{role}" for role in models.roles if role not in asked]
    refuse_idle(silent, f"roles that call a model: {', '.join(asked)}")


def _problems(wanted: _AgentRequest) -> Sequence[Problem]:
    from genotex.problems import Problem, TaskInfo, condition_named, read_problems

    trait, condition, file = wanted.trait, wanted.condition, wanted.problems
    if trait is not None and file is not None:
        msg = "--trait and --problems exclude each other; use one of them"
        raise UsageError(msg)
    if trait is not None:
        return [Problem(trait, condition_named(condition))]
    if condition_named(condition) is not None:
        msg = "--condition belongs to --trait; give both"
        raise UsageError(msg)
    if file is not None:
        return read_problems(file)
    if wanted.task_info is None:
        msg = "nothing to solve: give --trait, --problems or --task-info"
        raise UsageError(msg)
    return TaskInfo.load(wanted.task_info).problems()


@dataclass(frozen=True)
class _Ways:
    """Where notebooks are done, and which."""

    jobs: int
    executor: Executor | None
    retry: bool = False


def _run(plan: TeamPlan, limits: SpendingLimits, ways: _Ways, *, json: bool) -> None:
    from genotex.agents.team.running import run_team
    from genotex.cli.services.agent_screen import finished_json, show_finished, shown_progress

    with shown_progress() as progress:
        finished = run_team(
            plan,
            jobs=ways.jobs,
            executor=ways.executor,
            limits=limits,
            retry=ways.retry,
            progress=progress,
        )
    if json:
        screen.print_json(finished_json(finished))
    else:
        show_finished(finished, plan.target)
    if finished.stopped:
        raise typer.Exit(screen.STOPPED)
    answered = any(record.success for record in finished.problems)
    raise typer.Exit(screen.DONE if answered else screen.NOTHING_USABLE)
