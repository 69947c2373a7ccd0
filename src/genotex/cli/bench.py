"""`genotex bench`: whole benchmark runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from genotex.cli import agent_options as a
from genotex.cli import bench_options as b
from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.bench_agents import AgentChoice, Asked, run_agents
from genotex.cli.bench_screen import run_json, show_run
from genotex.cli.bench_table import table
from genotex.cli.model_choice import LimitChoice, ModelChoice, RoleChoice
from genotex.errors import UsageError
from genotex.layout import trait_folder_name

if TYPE_CHECKING:
    from genotex.bench.problems import Problem, TaskInfo
    from genotex.bench.runs.running import BenchmarkRun

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Run a method on many problems.")


@app.command()
def run(
    source: b.RawInput,
    output: o.OutputDir,
    task_info: b.TaskList,
    method: b.MethodName = None,
    preset: b.PresetName = None,
    preprocessed: b.Preprocessed = None,
    procedure: b.ProcedureName = None,
    genes: b.GeneNumber = None,
    answers: b.AnswerFile = None,
    seed: b.Seed = 42,
    jobs: o.Jobs = 1,
    time_limit: b.TimeLimit = None,
    retry: b.Retry = False,
    json: o.Json = False,
    problems: b.ProblemFile = None,
    trait: b.OfTraits = None,
    sample: b.Sample = None,
    command: b.Command = None,
    pass_env: b.PassEnv = None,
    own_cohorts: b.OwnCohorts = False,
    model: a.ModelName = None,
    planner: a.Planner = None,
    engineer: a.Engineer = None,
    statistician: a.Statistician = None,
    reviewer: a.Reviewer = None,
    expert: a.Expert = None,
    settings: a.ModelSettingsFile = None,
    sandbox: b.Sandbox = None,
    cell_time: b.CellTime = None,
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
    from genotex.agents.presets import preset_named
    from genotex.bench.problems import TaskInfo
    from genotex.bench.runs.methods.choosing import MethodOptions, choose_method, refuse_idle
    from genotex.bench.runs.running import BenchmarkRun

    agents = AgentChoice(
        ModelChoice(
            model,
            RoleChoice(planner, engineer, statistician, reviewer, expert),
            settings,
            LimitChoice(max_cost, max_tokens, max_time, allow_unknown_cost),
        ),
        sandbox,
        cell_time,
    )
    tasks = TaskInfo.load(task_info)
    asked = Asked(
        source=None if str(source) == "-" else source,
        target=output,
        problems=_problems(tasks, problems, trait or (), sample, seed),
        preprocessed=preprocessed,
    )
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
            team = agents.plan(found, asked, task_info, options.procedure, limit)
            run_agents(team, jobs=jobs, retry=retry, json=json)
        options = replace(options, method=found.method)
    chosen = choose_method(options)
    refuse_idle(agents.options, f"the method {chosen.name}, which asks no model")
    plan = BenchmarkRun(
        asked.target, tasks, asked.problems, chosen, asked.source, asked.preprocessed, seed
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
    from genotex.bench.problems import read_problems, sample_problems

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
    from genotex.bench.runs.running import run_benchmark

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
