"""`genotex bench`: whole benchmark runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from genotex.cli import agent_options as a
from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.bench_agents import AgentChoice, run_agents
from genotex.cli.bench_screen import run_json, show_run
from genotex.cli.bench_table import table
from genotex.cli.model_choice import ModelChoice
from genotex.errors import UsageError
from genotex.layout import trait_folder_name

if TYPE_CHECKING:
    from genotex.problems import Problem, TaskInfo
    from genotex.runs.running import BenchmarkRun

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Run a method on many problems.")

WHICH, PLUG_IN = "Which problems", "Plug-ins"


@app.command()
def run(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="Folder that holds GEO/<Trait>/<GSE>/ and TCGA/<name>/; - for none.",
        ),
    ],
    output: o.OutputDir,
    task_info: Annotated[Path, typer.Option("--task-info", help="The benchmark's task_info.json.")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="rules, lasso, mixed-model, no-bec, random, zero-shot, or the name of an "
            "installed plug-in.",
            show_default="rules",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="A method or an ablation of the paper: full, no-planning, no-expert, one-round, "
            "no-reviewer, codeact and structured ask a model; zero-shot asks one or takes "
            "--answers; rules, lasso, mixed-model, no-bec and random are methods.",
        ),
    ] = None,
    preprocessed: Annotated[
        Path | None,
        typer.Option(
            "--preprocessed",
            metavar="FOLDER",
            help="Take the cohorts of this output folder; nothing is written there.",
        ),
    ] = None,
    procedure: Annotated[
        o.Procedures | None,
        typer.Option(
            "--procedure",
            help="By which cohorts are preprocessed and, with rules, analysed.",
            show_default="that of the method, else sound",
        ),
    ] = None,
    genes: Annotated[
        int | None,
        typer.Option("--genes", help="random: how many genes.", show_default="300"),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--answers", help='zero-shot: lines of {"trait", "condition", "genes"}.'),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For all that is random.")] = 42,
    jobs: o.Jobs = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            help="End a problem that takes longer; with agents a cohort or a problem.",
            show_default="none; with agents 420",
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try again every problem that failed.")
    ] = False,
    json: o.Json = False,
    problems: Annotated[
        Path | None,
        typer.Option(
            "--problems",
            help="A list of problems, JSON or CSV.",
            show_default="all of the task list",
            rich_help_panel=WHICH,
        ),
    ] = None,
    trait: Annotated[
        list[str] | None,
        typer.Option("--trait", help="Only of this trait; repeat.", rich_help_panel=WHICH),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            help="So many of them, drawn by the seed, each kind in proportion.",
            rich_help_panel=WHICH,
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            "--command",
            help="A program that is told each problem as JSON on its standard input.",
            rich_help_panel=PLUG_IN,
        ),
    ] = None,
    pass_env: Annotated[
        list[str] | None,
        typer.Option(
            "--pass-env",
            metavar="NAME",
            help="Give the command this environment variable; repeat. It gets no other.",
            rich_help_panel=PLUG_IN,
        ),
    ] = None,
    own_cohorts: Annotated[
        bool,
        typer.Option(
            "--own-cohorts",
            help="The plug-in preprocesses the cohorts itself.",
            rich_help_panel=PLUG_IN,
        ),
    ] = False,
    model: a.ModelName = None,
    planner: a.Planner = None,
    engineer: a.Engineer = None,
    statistician: a.Statistician = None,
    reviewer: a.Reviewer = None,
    expert: a.Expert = None,
    settings: a.ModelSettingsFile = None,
    sandbox: Annotated[
        o.Sandboxes | None,
        typer.Option(
            "--sandbox",
            help="Walls around code that agents write: require, best or off.",
            show_default="require",
            rich_help_panel=a.MODELS,
        ),
    ] = None,
    cell_time: Annotated[
        float | None,
        typer.Option(
            "--cell-time",
            metavar="SECONDS",
            help="Time for a cell that agents wrote.",
            show_default="180",
            rich_help_panel=a.LIMITS,
        ),
    ] = None,
    max_cost: a.MaxCost = None,
    max_tokens: a.MaxTokens = None,
    max_time: a.MaxTime = None,
    allow_unknown_cost: a.AllowUnknown = False,
) -> None:
    r"""Run a method on many problems; interrupted, the same command goes on.

    Cohorts are preprocessed once and shared; each problem is solved in a
    process of its own.

    Examples:
      genotex bench run input out --task-info task_info.json -j 4

      genotex bench run input out --task-info task_info.json --sample 50

      genotex bench run - lasso --task-info task_info.json \
          --preprocessed reference --method lasso

      genotex bench run - random --task-info task_info.json --method random

      genotex bench run input mine --task-info task_info.json \
          --command "python my_agent.py"

      genotex bench run input team --task-info task_info.json \
          --preset no-planning --model openai:gpt-4o --sample 20 --max-cost 10
    """
    from genotex.problems import TaskInfo
    from genotex.runs.methods.choosing import MethodOptions, choose_method
    from genotex.runs.methods.idle_options import refuse_idle
    from genotex.runs.presets import preset_named
    from genotex.runs.running import BenchmarkRun

    agents = AgentChoice(
        ModelChoice(
            model=model,
            by_role={
                "planner": planner,
                "engineer": engineer,
                "statistician": statistician,
                "reviewer": reviewer,
                "expert": expert,
            },
            settings=settings,
            max_cost=max_cost,
            max_tokens=max_tokens,
            max_time=max_time,
            allow_unknown_cost=allow_unknown_cost,
        ),
        sandbox,
        cell_time,
    )
    tasks = TaskInfo.load(task_info)
    asked = _problems(tasks, problems, trait or (), sample, seed)
    folder = None if str(source) == "-" else source
    limit = _seconds(time_limit)
    options = MethodOptions(
        method=method,
        command=command,
        procedure=None if procedure is None else procedure.value,
        genes=genes,
        answers=answers,
        pass_env=tuple(pass_env or ()),
        own_cohorts=own_cohorts,
    )
    if preset is not None:
        found = preset_named(preset)
        if found.asks_models(options):
            by_agents = agents.plan(
                found,
                source=folder,
                target=output,
                problems=asked,
                procedure=options.procedure,
                task_info=task_info,
                preprocessed=preprocessed,
                time_limit=limit,
            )
            run_agents(by_agents, jobs=jobs, retry=retry, json=json)
        options = replace(options, method=found.method)
    chosen = choose_method(options)
    refuse_idle(agents.options, f"the method {chosen.name}, which asks no model")
    plan = BenchmarkRun(
        target=output,
        tasks=tasks,
        problems=asked,
        method=chosen,
        source=folder,
        preprocessed=preprocessed,
        seed=seed,
    )
    _run_method(plan, jobs=jobs, time_limit=limit, retry=retry, json=json)


def _seconds(limit: float | None) -> float | None:
    if limit is not None and not 0 < limit < float("inf"):
        msg = f"--time-limit {limit:g} is no time; give seconds above 0, or leave it out"
        raise UsageError(msg)
    return limit


def _problems(
    tasks: TaskInfo, file: Path | None, traits: Sequence[str], sample: int | None, seed: int
) -> tuple[Problem, ...]:
    from genotex.problems import read_problems, sample_problems

    problems = tasks.problems() if file is None else read_problems(file)
    wanted = {trait_folder_name(trait) for trait in traits}
    missing = wanted - {problem.trait for problem in problems}
    if missing:
        where = tasks.path if file is None else file
        msg = f"{where} has no problem of {', '.join(sorted(missing))}"
        raise UsageError(msg)
    if wanted:
        problems = tuple(problem for problem in problems if problem.trait in wanted)
    return problems if sample is None else sample_problems(problems, sample, seed)


def _run_method(
    plan: BenchmarkRun, *, jobs: int, time_limit: float | None, retry: bool, json: bool
) -> NoReturn:
    """Run a method and show what became of the problems; ends with the exit code of the run."""
    from genotex.runs.running import run_benchmark

    screen.resumes.set()
    with screen.progress_by_stage("cohorts") as step:
        finished = run_benchmark(
            plan,
            jobs=jobs,
            time_limit=time_limit,
            retry=retry,
            on_cohort=lambda done, total: step("cohorts", f"{done.trait} {done.cohort}", total),
            on_problem=lambda done, total: step("problems", str(done.problem), total),
        )
    if json:
        screen.print_json(run_json(finished.summary, finished.records))
    else:
        show_run(finished.summary, finished.records, plan.target, finished.solved_now)
    answered = finished.summary.answered
    raise typer.Exit(screen.DONE if answered else screen.NOTHING_USABLE)


app.command()(table)
