"""`genotex bench`: a method, or a team of agents, on many problems; tasks for other frameworks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.benchmark.compare import leaderboard, submit, table
from genotex.cli.option_classes import with_options
from genotex.cli.services.model_options import LimitChoice, ModelChoice
from genotex.errors import UsageError
from genotex.layout import trait_folder_name
from genotex.options import LIMITS, MODELS, MethodOptions, Option
from genotex.procedure import Procedure

if TYPE_CHECKING:
    from genotex.agents.switches import Preset
    from genotex.agents.team.plan import TeamPlan
    from genotex.bench.runs.problem_record import ProblemRecord
    from genotex.bench.runs.running import BenchmarkRun
    from genotex.bench.runs.summary import RunSummary
    from genotex.problems import Problem, TaskInfo


app = typer.Typer(no_args_is_help=True, help="Run a method on many problems.")

_WHICH = "Which problems"
_PRESET = (
    "A method or an ablation of the paper: full, no-planning, no-expert, one-round, no-reviewer, "
    "codeact and structured call a model; zero-shot calls one or takes --answers; rules, lasso, "
    "mixed-model, no-bec and random are methods."
)
_MOST_FAILURES = 3
"""Failures that are printed one by one; all are in problems.csv."""


@dataclass(frozen=True)
class _Which:
    """Which problems of the task list, and prepared cohorts."""

    task_info: Annotated[Path, Option("The benchmark's task_info.json.")]
    preprocessed: Annotated[
        Path | None,
        Option(
            "Use the cohorts of this output folder; nothing is written there.", metavar="FOLDER"
        ),
    ] = None
    seed: Annotated[int, Option("Seed of all random choices.", least=0)] = 42
    problems: Annotated[
        Path | None,
        Option("A list of problems, JSON or CSV.", default="all of the task list", panel=_WHICH),
    ] = None
    trait: Annotated[tuple[str, ...], Option("Only of this trait; repeat.", panel=_WHICH)] = ()
    sample: Annotated[
        int | None,
        Option(
            "Draw this many of them by the seed, each kind in proportion.",
            metavar="N",
            panel=_WHICH,
        ),
    ] = None


@dataclass(frozen=True)
class _Running:
    """How the run proceeds, and what it prints."""

    jobs: o.Jobs = 1
    time_limit: Annotated[
        float | None,
        Option(
            "Stop a problem that takes longer; with agents a cohort or a problem.",
            metavar="SECONDS",
            default="none; with agents 420",
        ),
    ] = None
    retry: Annotated[bool, Option("Rerun every problem that failed.", "--retry")] = False
    json: o.Json = False

    @property
    def seconds(self) -> float | None:
        """The time limit, checked."""
        limit = self.time_limit
        if limit is not None and not 0 < limit < float("inf"):
            msg = f"--time-limit {limit:g} is not a time; give seconds above 0, or leave it out"
            raise UsageError(msg)
        return limit


@dataclass(frozen=True)
class _Cells:
    """Where and how long generated code runs; None: not given."""

    sandbox: Annotated[
        o.Sandboxes | None,
        Option(
            "Isolation of generated code: require, best or off.", panel=MODELS, default="require"
        ),
    ] = None
    cell_time: Annotated[
        float | None,
        Option("Time for a generated cell.", panel=LIMITS, metavar="SECONDS", default="180"),
    ] = None


@dataclass(frozen=True)
class _Agents:
    """All options of runs that call a model."""

    models: ModelChoice
    limits: LimitChoice
    cells: _Cells

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were given, as a user writes them."""
        own = {"--sandbox": self.cells.sandbox, "--cell-time": self.cells.cell_time}
        given = (option for option, value in own.items() if value is not None)
        return (*self.models.options(self.limits), *given)


@dataclass(frozen=True)
class _RunRequest:
    """What to solve, from which files, and where the answers go."""

    source: Path | None
    target: Path
    problems: tuple[Problem, ...]
    which: _Which


@app.command()
@with_options
def run(
    source: Annotated[
        Path,
        o.argument("INPUT", "Folder that holds GEO/<Trait>/<GSE>/ and TCGA/<name>/; - for none."),
    ],
    output: o.OutputDir,
    which: _Which,
    method: MethodOptions,
    running: _Running,
    machines: o.Machines,
    models: ModelChoice,
    limits: LimitChoice,
    cells: _Cells,
    preset: Annotated[str | None, Option(_PRESET, metavar="NAME")] = None,
) -> None:
    r"""Run a method on many problems; the same command resumes a stopped run.

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

      genotex bench run input out --task-info task_info.json \
          --scheduler tcp://10.0.0.1:8786
    """
    from genotex.agents.switches import preset_named
    from genotex.bench.runs.choosing import choose_method
    from genotex.bench.runs.running import BenchmarkRun
    from genotex.options import refuse_idle
    from genotex.problems import TaskInfo

    agents = _Agents(models, limits, cells)
    tasks = TaskInfo.load(which.task_info)
    asked = _RunRequest(
        None if str(source) == "-" else source, output, _problems(tasks, which), which
    )
    limit = running.seconds
    if preset is not None:
        found = preset_named(preset)
        if found.asks_models(method):
            _run_agents(_team(found, asked, agents, method.procedure, limit), running, machines)
        method = replace(method, method=found.method)
    chosen = choose_method(method)
    refuse_idle(agents.given, f"the method {chosen.name}, which calls no model")
    plan = BenchmarkRun(
        asked.target, tasks, asked.problems, chosen, asked.source, which.preprocessed, which.seed
    )
    _run_method(plan, running, machines, limit)


def _problems(tasks: TaskInfo, which: _Which) -> tuple[Problem, ...]:
    from genotex.problems import read_problems, sample_problems

    file, sample = which.problems, which.sample
    problems = tasks.problems() if file is None else read_problems(file)
    wanted = {trait_folder_name(trait) for trait in which.trait}
    missing = wanted - {problem.trait for problem in problems}
    if missing:
        where = tasks.path if file is None else file
        msg = f"{where} has no problem of {', '.join(sorted(missing))}"
        raise UsageError(msg)
    if wanted:
        problems = tuple(problem for problem in problems if problem.trait in wanted)
    return problems if sample is None else sample_problems(problems, sample, which.seed)


def _run_method(
    plan: BenchmarkRun, running: _Running, machines: o.Machines, limit: float | None
) -> NoReturn:
    """Run a method and show the results; ends with the exit code of the run."""
    from genotex.bench.runs.running import run_benchmark

    screen.resumes.set()
    needed = (plan.source, plan.preprocessed)
    with machines.executor(*needed) as executor, screen.progress_by_stage("cohorts") as step:
        finished = run_benchmark(
            plan,
            jobs=running.jobs,
            executor=executor,
            time_limit=limit,
            retry=running.retry,
            on_cohort=lambda done, total: step("cohorts", f"{done.trait} {done.cohort}", total),
            on_problem=lambda done, total: step("problems", str(done.problem), total),
        )
    if running.json:
        screen.print_json(_run_json(finished.summary, finished.records))
    else:
        _show_run(finished.summary, finished.records, plan.target, finished.solved_now)
    answered = finished.summary.answered
    raise typer.Exit(screen.DONE if answered else screen.NOTHING_USABLE)


def _team(
    preset: Preset,
    asked: _RunRequest,
    agents: _Agents,
    procedure: Procedure | None,
    time_limit: float | None,
) -> TeamPlan:
    """Return the run of a preset that calls models; refuses options that have no effect in it."""
    from genotex.agents.sandbox import SandboxPolicy
    from genotex.agents.switches import ROLES
    from genotex.agents.team.plan import TeamPlan
    from genotex.options import refuse_idle

    silent = [role for role in agents.models.roles if role not in preset.roles]
    refuse_idle([f"--model.{role}" for role in silent], f"the preset {preset.name}")
    times = {"work_seconds": time_limit, "cell_seconds": agents.cells.cell_time}
    given = {name: seconds for name, seconds in times.items() if seconds is not None}
    instead = "" if preset.method is None else ", or --answers FILE"
    return TeamPlan(
        source=asked.source,
        target=asked.target,
        problems=asked.problems,
        models=agents.models.read(agents.limits, ROLES, instead),
        procedure=procedure or Procedure.SOUND,
        switches=preset.switches(**given),
        sandbox=SandboxPolicy(agents.cells.sandbox or "require"),
        task_info=asked.which.task_info,
        agent=preset.agent or "team",
        preprocessed=asked.which.preprocessed,
        preset=preset.name,
    )


def _run_agents(plan: TeamPlan, running: _Running, machines: o.Machines) -> NoReturn:
    """Run agents and show the results; ends with the exit code of the run."""
    from genotex.agents.team.running import run_team
    from genotex.cli.services.agent_screen import show_usage, show_warnings, shown_progress

    needed = (plan.source, plan.preprocessed, plan.task_info)
    with machines.executor(*needed) as executor, shown_progress() as progress:
        finished = run_team(
            plan, jobs=running.jobs, executor=executor, retry=running.retry, progress=progress
        )
    summary = finished.summary
    if running.json:
        usage = {"stopped": finished.stopped or None, "usage": finished.usage.to_json()}
        screen.print_json(_run_json(summary, finished.problems) | usage)
    else:
        if summary is not None:
            _show_run(summary, finished.problems, plan.target, finished.solved_now)
        show_usage(finished.usage)
        show_warnings(finished, plan.target)
    if summary is None:
        raise typer.Exit(screen.STOPPED)
    raise typer.Exit(screen.DONE if summary.answered else screen.NOTHING_USABLE)


def _run_json(summary: RunSummary | None, records: Sequence[ProblemRecord]) -> dict[str, Any]:
    """Return a run's end as plain JSON values; it has no summary where it stopped before."""
    rows = [
        record.outcome() | {"seconds": record.seconds, "peak_memory_mb": record.peak_memory_mb}
        for record in records
    ]
    return {"summary": None if summary is None else summary.to_json(), "problems": rows}


def _show_run(
    summary: RunSummary, records: Sequence[ProblemRecord], output: Path, solved_now: int
) -> None:
    """Print the outcome of the problems, `solved_now` of them new, and time and memory."""
    kinds = [{"kind": kind, **counts} for kind, counts in summary.by_kind.items()]
    total = {"kind": "all", "problems": summary.problems, "answered": summary.answered}
    screen.table(["kind", "problems", "answered"], [*kinds, total] if len(kinds) > 1 else [total])
    screen.show(f"\n{_costs(summary)}")
    for cohort, error in summary.cohorts_not_read.items():
        screen.notify(f"{cohort}: {screen.one_line(error)}", "not read")
    failed = [record for record in records if not record.success]
    for kind, count in summary.by_error_class.items():
        screen.notify(f"{count} problem{'s' if count > 1 else ''}", kind)
    for record in failed if len(failed) <= _MOST_FAILURES else ():
        screen.notify(f"{record.problem}: {screen.one_line(record.error)}", "not answered")
    before = summary.problems - solved_now
    if before:
        screen.notify(f"{before} of the problems were finished before")
    screen.notify(
        f"results are in {output / 'regress'}, the outcome of each problem in {output / 'run'}"
    )


def _costs(summary: RunSummary) -> str:
    cohorts, seconds = summary.cohorts, summary.seconds
    parts = [
        f"{seconds['median']:.3g} s a problem (median), {seconds['longest']:.3g} s the longest"
    ]
    if summary.peak_memory_mb:
        parts.append(f"peak memory {summary.peak_memory_mb:,.0f} MB")
    if cohorts["read"]:
        parts.insert(0, f"{cohorts['read']} cohorts, {cohorts['usable']} usable")
    return "; ".join(parts)


exports = typer.Typer(
    no_args_is_help=True, help="Write the benchmark as tasks of other frameworks."
)


@exports.callback()
def _export() -> None:
    """Write the benchmark as tasks of other frameworks."""


@exports.command()
@with_options
def harbor(
    source: Annotated[Path, o.argument("INPUT", "Folder that holds GEO/<Trait>/<GSE>/ and TCGA/.")],
    target: Annotated[Path, o.argument("DIR", "Folder for the task folders; new or empty.")],
    task_info: Annotated[Path, Option("The benchmark's task_info.json.")],
    reference: Annotated[Path, Option("Output folder with the reference results.", short="-r")],
    problems: Annotated[
        Path | None,
        Option("A list of problems, JSON or CSV.", default="all that the reference answers"),
    ] = None,
    tcga: Annotated[bool, Option("Add the TCGA studies to every task.", "--tcga/--no-tcga")] = True,
    install: Annotated[
        str | None,
        Option(
            "How the images get genotex: what pip installs, or a wheel file.",
            metavar="REQUIREMENT",
            default="a wheel of this installation",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Write one task folder of Harbor for each problem.

    A task has instruction, environment with the raw files, tests that write
    the reward file in a container of their own, and the answer as solution.

    Examples:
      genotex bench export harbor world tasks \
          --task-info world/task_info.json -r world-answers

      harbor run -p tasks -a oracle
    """
    from genotex.bench.adapters.assignments import BenchmarkFolders
    from genotex.bench.adapters.harbor.export import export_harbor
    from genotex.problems import read_problems

    folders = BenchmarkFolders.find(source, reference, task_info)
    only = None if problems is None else read_problems(problems)
    with screen.progress("tasks") as step:
        written = export_harbor(folders, target, only, tcga=tcga, install=install, progress=step)
    if json:
        screen.print_json({"folder": str(target), "tasks": [path.name for path in written]})
        return
    screen.notify(f"{len(written)} task folders written to {target}")
    screen.notify(f"harbor run -p {target} -a oracle", "try")


@app.command()
@with_options
def verified(
    cases: Annotated[
        Path, o.argument("CASES", "Labelled cases, one JSON object a line (.gz allowed).")
    ],
    target: Annotated[Path, o.argument("DIR", "Folder for the release; new or empty.")],
    labels: Annotated[str, Option("The set of labels that is released.")] = "reading",
    against: Annotated[str, Option("The set that it is compared with.")] = "benchmark",
    creator: Annotated[
        tuple[str, ...],
        Option("An author, as 'Family, Given'; repeat for several.", metavar="NAME"),
    ] = (),
    json: o.Json = False,
) -> None:
    """Write a release of verified labels: card, licence, differences, checksums.

    Each feature that the other set labels otherwise is listed with the
    reason. The release holds no expression data.

    Examples:
      genotex bench verified cases.jsonl.gz verified-labels
    """
    from genotex.bench.evaluation import labels as known

    made = known.release_labels(
        known.read_labelled_cases(cases), target, verified=labels, other=against, creators=creator
    )
    if json:
        screen.print_json({"folder": str(target), **asdict(made)})
        return
    screen.show(
        f"{target}: {made.cases} cases of {made.traits} traits; {against!r} differs in "
        f"{made.differing}"
    )


app.command()(table)
app.command()(submit)
app.command()(leaderboard)
app.add_typer(exports, name="export")
