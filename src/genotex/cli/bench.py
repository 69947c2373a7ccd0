"""`genotex bench`: whole benchmark runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.bench_table import table
from genotex.errors import UsageError
from genotex.layout import trait_folder_name

if TYPE_CHECKING:
    from genotex.problems import Problem, TaskInfo
    from genotex.runs.running import BenchmarkRun, Finished
    from genotex.runs.summary import RunSummary

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Run a method on many problems.")

WHICH, PLUG_IN = "Which problems", "Plug-ins"
MOST_FAILURES = 3
"""Failures that are told one by one; all are in problems.csv."""


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
        typer.Option("--time-limit", metavar="SECONDS", help="End a problem that takes longer."),
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
    """
    from genotex.problems import TaskInfo
    from genotex.runs.methods.choosing import MethodOptions, choose_method
    from genotex.runs.running import BenchmarkRun

    tasks = TaskInfo.load(task_info)
    chosen = choose_method(
        MethodOptions(
            method=method,
            command=command,
            procedure=None if procedure is None else procedure.value,
            genes=genes,
            answers=answers,
            pass_env=tuple(pass_env or ()),
            own_cohorts=own_cohorts,
        )
    )
    plan = BenchmarkRun(
        target=output,
        tasks=tasks,
        problems=_problems(tasks, problems, trait or (), sample, seed),
        method=chosen,
        source=None if str(source) == "-" else source,
        preprocessed=preprocessed,
        seed=seed,
    )
    finished = _run_with_progress(plan, jobs=jobs, time_limit=_seconds(time_limit), retry=retry)
    if json:
        rows = [
            record.outcome() | {"seconds": record.seconds, "peak_memory_mb": record.peak_memory_mb}
            for record in finished.records
        ]
        screen.print_json({"summary": finished.summary.to_json(), "problems": rows})
    else:
        _show(finished, output)
    answered = finished.summary.answered
    raise typer.Exit(screen.DONE if answered else screen.NOTHING_USABLE)


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


def _run_with_progress(
    plan: BenchmarkRun, *, jobs: int, time_limit: float | None, retry: bool
) -> Finished:
    from genotex.runs.running import run_benchmark

    screen.resumes.set()
    with screen.progress_by_stage("cohorts") as step:
        return run_benchmark(
            plan,
            jobs=jobs,
            time_limit=time_limit,
            retry=retry,
            on_cohort=lambda done, total: step("cohorts", f"{done.trait} {done.cohort}", total),
            on_problem=lambda done, total: step("problems", str(done.problem), total),
        )


def _show(finished: Finished, output: Path) -> None:
    summary = finished.summary
    kinds = [{"kind": kind, **counts} for kind, counts in summary.by_kind.items()]
    total = {"kind": "all", "problems": summary.problems, "answered": summary.answered}
    screen.table(["kind", "problems", "answered"], [*kinds, total] if len(kinds) > 1 else [total])
    screen.say(f"\n{_costs(summary)}")
    for cohort, error in summary.cohorts_not_read.items():
        screen.tell(f"{cohort}: {error}", "not read")
    failed = [record for record in finished.records if not record.success]
    for kind, count in summary.by_error_class.items():
        screen.tell(f"{count} problem{'s' if count > 1 else ''}", kind)
    for record in failed if len(failed) <= MOST_FAILURES else ():
        screen.tell(f"{record.problem}: {record.error}", "not answered")
    before = summary.problems - finished.solved_now
    if before:
        screen.tell(f"{before} of the problems were finished before")
    screen.tell(f"results are in {output / 'regress'}, what became of each in {output / 'run'}")


def _costs(summary: RunSummary) -> str:
    cohorts, seconds = summary.cohorts, summary.seconds
    told = [
        f"{seconds['median']:.3g} s a problem (median), {seconds['longest']:.3g} s the longest",
        f"peak memory {summary.peak_memory_mb:,.0f} MB",
    ]
    if cohorts["read"]:
        told.insert(0, f"{cohorts['read']} cohorts, {cohorts['usable']} usable")
    return "; ".join(told)


app.command()(table)
