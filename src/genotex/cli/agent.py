"""`genotex agent`: the team of agents at work, gone on with, and looked at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.models import Limits
    from genotex.problems import Problem
    from genotex.runs.team.plan import TeamPlan

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Have problems solved by a team of agents.")

MODELS, WAYS, LIMITS = "Models", "Ways of the team", "Limits"


RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Output folder of the run.")]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", metavar="DOLLARS", help="Stop before more is spent.", rich_help_panel=LIMITS
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", help="Stop before more are used.", rich_help_panel=LIMITS),
]
MaxTime = Annotated[
    float | None,
    typer.Option(
        "--max-time", metavar="SECONDS", help="Stop after so long.", rich_help_panel=LIMITS
    ),
]
AllowUnknown = Annotated[
    bool,
    typer.Option(
        "--allow-unknown-cost",
        help="Go on where prices or tokens are not known.",
        rich_help_panel=LIMITS,
    ),
]
AtOnce = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Notebooks side by side.")]


@app.command()
def run(
    source: o.InputDir,
    output: o.OutputDir,
    trait: Annotated[str | None, typer.Option("--trait", help="The trait.")] = None,
    condition: Annotated[
        str, typer.Option("--condition", help="None, Age, Gender or another trait.")
    ] = "None",
    problems: Annotated[
        Path | None, typer.Option("--problems", help="A list of problems, JSON or CSV.")
    ] = None,
    task_info: o.TaskInfoFile = None,
    procedure: o.ProcedureName = o.Procedures.sound,
    jobs: AtOnce = 1,
    json: o.Json = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="rules (needs no key), PROVIDER:MODEL, openai-compatible:MODEL@ADDRESS or "
            "replay:FILE.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    planner: Annotated[
        str | None,
        typer.Option("--model.planner", help="Chooses the next step.", rich_help_panel=MODELS),
    ] = None,
    engineer: Annotated[
        str | None,
        typer.Option("--model.engineer", help="Prepares cohorts.", rich_help_panel=MODELS),
    ] = None,
    statistician: Annotated[
        str | None,
        typer.Option("--model.statistician", help="Answers problems.", rich_help_panel=MODELS),
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option("--model.reviewer", help="Judges code.", rich_help_panel=MODELS),
    ] = None,
    expert: Annotated[
        str | None,
        typer.Option("--model.expert", help="Knows biomedicine.", rich_help_panel=MODELS),
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(
            "--settings", help="TOML file with settings of models.", rich_help_panel=MODELS
        ),
    ] = None,
    max_rounds: Annotated[
        int,
        typer.Option("--max-rounds", help="Most reviews of a step.", rich_help_panel=WAYS),
    ] = 2,
    max_retract: Annotated[
        int,
        typer.Option(
            "--max-retract", help="How often a notebook may go back.", rich_help_panel=WAYS
        ),
    ] = 1,
    planning: Annotated[
        bool,
        typer.Option("--planning/--no-planning", help="Plan each step.", rich_help_panel=WAYS),
    ] = True,
    with_expert: Annotated[
        bool,
        typer.Option("--expert/--no-expert", help="Consult the expert.", rich_help_panel=WAYS),
    ] = True,
    with_reviewer: Annotated[
        bool,
        typer.Option("--reviewer/--no-reviewer", help="Review code.", rich_help_panel=WAYS),
    ] = True,
    reuse: Annotated[
        bool,
        typer.Option(
            "--reuse/--no-reuse", help="Try approved code in later notebooks.", rich_help_panel=WAYS
        ),
    ] = True,
    structured: Annotated[
        bool,
        typer.Option(
            "--structured",
            help="Ask for the clinical facts as data; no code is written.",
            rich_help_panel=WAYS,
        ),
    ] = False,
    sandbox: o.SandboxMode = o.Sandboxes.require,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            help="Time for a notebook; waiting does not count.",
            rich_help_panel=LIMITS,
        ),
    ] = 420.0,
    cell_time: Annotated[
        float,
        typer.Option(
            "--cell-time", metavar="SECONDS", help="Time for a cell.", rich_help_panel=LIMITS
        ),
    ] = 180.0,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
    allow_unknown_cost: AllowUnknown = False,
) -> None:
    """Have problems solved by the team; interrupted, the same command goes on.

    Each cohort, and each problem, is a notebook: the team plans a step, writes
    code, runs it in a closed room, reviews and revises. Notebooks lie in
    OUTPUT/notebooks, all calls and cells in OUTPUT/run.

    Examples:
      genotex agent run input out --trait Osteoarthritis --model rules

      genotex agent run input out --trait Asthma --condition Age
      --model openai:gpt-4o --model.planner openai:gpt-4o-mini --max-cost 5

      genotex agent run input out --task-info task_info.json
      --model ollama:llama3.3 -j 4
    """
    from genotex.agents.rules_by_name import register_rules
    from genotex.agents.switches import ROLES, Switches
    from genotex.models import read_settings
    from genotex.runs.team.plan import TeamPlan
    from genotex.sandbox import SandboxPolicy

    if model is None and settings is None and not os.environ.get("GENOTEX_MODEL"):
        msg = "no model is named: add --model rules, which needs no key, or --model PROVIDER:MODEL"
        raise UsageError(msg)
    register_rules()
    by_role = {
        "planner": planner,
        "engineer": engineer,
        "statistician": statistician,
        "reviewer": reviewer,
        "expert": expert,
    }
    options = {
        "model": model,
        **{f"model.{role}": name for role, name in by_role.items()},
        "max_cost": max_cost,
        "max_tokens": max_tokens,
        "max_time": max_time,
        "allow_unknown_cost": allow_unknown_cost or None,
    }
    plan = TeamPlan(
        source=source,
        target=output,
        problems=_problems(trait, condition, problems, task_info),
        models=read_settings(settings, options, roles=ROLES),
        procedure=procedure.value,
        switches=Switches(
            planning=planning,
            expert=with_expert,
            reviewer=with_reviewer,
            max_rounds=max_rounds,
            max_retract=max_retract,
            reuse=reuse,
            work_seconds=time_limit,
            cell_seconds=cell_time,
        ),
        sandbox=SandboxPolicy(sandbox.value),
        task_info=task_info,
        structured=structured,
    )
    _run(plan, plan.models.limits, jobs=jobs, retry=False, json=json)


@app.command()
def resume(
    folder: RunFolder,
    jobs: AtOnce = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Do notebooks anew that failed.")] = False,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
    allow_unknown_cost: AllowUnknown = False,
    json: o.Json = False,
) -> None:
    """Go on with a run that was interrupted or stopped; nothing is asked twice.

    Limits count from the beginning of the run, and stay where none is given.

    Examples:
      genotex agent resume out

      genotex agent resume out --max-cost 10
    """
    from decimal import Decimal

    from genotex.agents.rules_by_name import register_rules
    from genotex.models import Limits
    from genotex.runs.team.kept_limits import read_limits
    from genotex.runs.team.plan import read_plan

    register_rules()
    plan = read_plan(folder)
    kept = read_limits(plan.folder.limits)
    limits = Limits(
        kept.max_cost if max_cost is None else Decimal(str(max_cost)),
        kept.max_tokens if max_tokens is None else max_tokens,
        kept.max_time if max_time is None else max_time,
        kept.allow_unknown or allow_unknown_cost,
    )
    _run(plan, limits, jobs=jobs, retry=retry, json=json)


@app.command()
def show(
    folder: RunFolder,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NOTEBOOK",
            help="A cohort (GSE55457, or Trait/GSE55457) or a problem (Trait, or Trait/Condition).",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Tell what a run did: all its notebooks, or one step by step with code and reviews.

    Examples:
      genotex agent show out

      genotex agent show out GSE55457

      genotex agent show out Osteoarthritis/Age
    """
    from genotex.cli.agent_screen import overview_json, show_overview, show_trace, trace_json
    from genotex.runs.team.trace import find_notebook, overview, trace

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


def _problems(
    trait: str | None, condition: str, file: Path | None, task_info: Path | None
) -> Sequence[Problem]:
    from genotex.problems import Problem, TaskInfo, condition_named, read_problems

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
    from genotex.cli.agent_screen import finished_json, show_finished, shown_progress
    from genotex.runs.team.running import run_team

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
