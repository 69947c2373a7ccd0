"""`genotex agent`: the team of agents at work, gone on with, and looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import agent_options as a
from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.model_choice import LimitChoice, ModelChoice, RoleChoice
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.agents.models import Limits
    from genotex.agents.switches import Agent, Switches
    from genotex.agents.team.plan import TeamPlan
    from genotex.bench.problems import Problem

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Have problems solved by a team of agents.")


@app.command()
def run(
    source: o.InputDir,
    output: o.OutputDir,
    trait: a.TraitName = None,
    condition: a.ConditionName = "None",
    problems: a.ProblemFile = None,
    task_info: o.TaskInfoFile = None,
    procedure: o.ProcedureName = o.Procedures.sound,
    jobs: a.AtOnce = 1,
    json: o.Json = False,
    model: a.ModelName = None,
    planner: a.Planner = None,
    engineer: a.Engineer = None,
    statistician: a.Statistician = None,
    reviewer: a.Reviewer = None,
    expert: a.Expert = None,
    settings: a.ModelSettingsFile = None,
    max_rounds: a.MaxRounds = 2,
    max_retract: a.MaxRetract = 1,
    planning: a.Planning = True,
    with_expert: a.WithExpert = True,
    with_reviewer: a.WithReviewer = True,
    reuse: a.Reuse = True,
    structured: a.Structured = False,
    sandbox: o.SandboxMode = o.Sandboxes.require,
    time_limit: a.TimeLimit = 420.0,
    cell_time: a.CellTime = 180.0,
    max_cost: a.MaxCost = None,
    max_tokens: a.MaxTokens = None,
    max_time: a.MaxTime = None,
    allow_unknown_cost: a.AllowUnknown = False,
) -> None:
    r"""Have problems solved by the team; interrupted, the same command goes on.

    Each cohort, and each problem, is a notebook: the team plans a step, writes
    code, runs it in a closed room, reviews and revises. Notebooks lie in
    OUTPUT/notebooks, all calls and cells in OUTPUT/run.

    Examples:
      genotex agent run input out --trait Osteoarthritis --model rules

      genotex agent run input out --trait Asthma --condition Age \
          --model openai:gpt-4o --model.planner openai:gpt-4o-mini \
          --max-cost 5

      genotex agent run input out --task-info task_info.json \
          --model ollama:llama3.3 -j 4
    """
    from genotex.agents.sandbox import SandboxPolicy
    from genotex.agents.switches import ROLES, Switches
    from genotex.agents.team.plan import TeamPlan

    switches = Switches(
        planning=planning,
        expert=with_expert,
        reviewer=with_reviewer,
        max_rounds=max_rounds,
        max_retract=max_retract,
        reuse=reuse,
        work_seconds=time_limit,
        cell_seconds=cell_time,
    )
    agent: Agent = "structured" if structured else "team"
    models = ModelChoice(
        model,
        RoleChoice(planner, engineer, statistician, reviewer, expert),
        settings,
        LimitChoice(max_cost, max_tokens, max_time, allow_unknown_cost),
    )
    _refuse_idle(agent, switches, models)
    plan = TeamPlan(
        source=source,
        target=output,
        problems=_problems(trait, condition, problems, task_info),
        models=models.read(ROLES),
        procedure=procedure.value,
        switches=switches,
        sandbox=SandboxPolicy(sandbox.value),
        task_info=task_info,
        agent=agent,
    )
    _run(plan, plan.models.limits, jobs=jobs, retry=False, json=json)


@app.command()
def resume(
    folder: a.RunFolder,
    jobs: a.AtOnce = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Do notebooks anew that failed.")] = False,
    max_cost: a.MaxCost = None,
    max_tokens: a.MaxTokens = None,
    max_time: a.MaxTime = None,
    allow_unknown_cost: a.AllowUnknown = False,
    json: o.Json = False,
) -> None:
    """Go on with a run that was interrupted or stopped; nothing is asked twice.

    Limits count from the beginning of the run, and stay where none is given.

    Examples:
      genotex agent resume out

      genotex agent resume out --max-cost 10
    """
    from genotex.agents.rules_by_name import register_rules
    from genotex.agents.team.kept_limits import read_limits, said_anew
    from genotex.agents.team.plan import read_plan

    register_rules()
    plan = read_plan(folder)
    limits = said_anew(
        read_limits(plan.folder.limits),
        max_cost=max_cost,
        max_tokens=max_tokens,
        max_time=max_time,
        allow_unknown=allow_unknown_cost,
    )
    _run(plan, limits, jobs=jobs, retry=retry, json=json)


@app.command()
def show(
    folder: a.RunFolder,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NOTEBOOK",
            help="A cohort (GSE55457, or Trait/GSE55457) or a problem (Trait, or Trait/Condition).",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Tell what a run did: all its notebooks, or one step by step.

    A step is shown with its plan, its code, what that printed, its reviews and
    what it cost.

    Examples:
      genotex agent show out

      genotex agent show out GSE55457

      genotex agent show out Osteoarthritis/Age
    """
    from genotex.agents.team.trace import find_notebook, overview, trace
    from genotex.cli.agent_screen import overview_json, show_overview, show_trace, trace_json

    if name is None:
        rows = overview(folder)
        if json:
            screen.print_json(overview_json(rows))
        else:
            show_overview(rows)
        return
    found = trace(folder, find_notebook(folder, name))
    if json:
        screen.print_json(trace_json(found))
    else:
        show_trace(found)


def _refuse_idle(agent: Agent, switches: Switches, models: ModelChoice) -> None:
    """Refuse a model for a role that nobody plays, and ways of a team that is not there."""
    from genotex.agents.switches import Switches, roles_asked
    from genotex.bench.runs.methods.choosing import refuse_idle

    if agent == "structured":
        usual = Switches(work_seconds=switches.work_seconds, cell_seconds=switches.cell_seconds)
        if switches != usual:
            msg = "--structured has no team: leave the other ways of the team out"
            raise UsageError(msg)
    asked = roles_asked(agent, switches)
    silent = [f"--model.{role}" for role in models.roles.named() if role not in asked]
    refuse_idle(silent, f"roles that are asked: {', '.join(asked)}")


def _problems(
    trait: str | None, condition: str, file: Path | None, task_info: Path | None
) -> Sequence[Problem]:
    from genotex.bench.problems import Problem, TaskInfo, condition_named, read_problems

    if trait is not None and file is not None:
        msg = "--trait and --problems do not go together; use one of them"
        raise UsageError(msg)
    if trait is not None:
        return [Problem(trait, condition_named(condition))]
    if condition_named(condition) is not None:
        msg = "--condition belongs to --trait; give both"
        raise UsageError(msg)
    if file is not None:
        return read_problems(file)
    if task_info is None:
        msg = "say what to solve: --trait, --problems or --task-info"
        raise UsageError(msg)
    return TaskInfo.load(task_info).problems()


def _run(plan: TeamPlan, limits: Limits, *, jobs: int, retry: bool, json: bool) -> None:
    from genotex.agents.team.running import run_team
    from genotex.cli.agent_screen import finished_json, show_finished, shown_progress

    with shown_progress() as progress:
        finished = run_team(plan, jobs=jobs, limits=limits, retry=retry, progress=progress)
    if json:
        screen.print_json(finished_json(finished))
    else:
        show_finished(finished, plan.target)
    if finished.stopped:
        raise typer.Exit(screen.STOPPED)
    answered = any(record.success for record in finished.problems)
    raise typer.Exit(screen.DONE if answered else screen.NOTHING_USABLE)
