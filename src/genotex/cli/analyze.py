"""`genotex analyze`: linked tables to genes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.errors import UsageError
from genotex.layout import OutputFolder, trait_folder_name

if TYPE_CHECKING:
    from genotex.analysis import AnalysisOptions, ProblemOutcome
    from genotex.problems import Problem

__all__ = ["analyze", "analyze_with_progress", "ask", "build_options", "show_problems"]

MOST_WITH_WARNINGS = 5
"""Problems whose warnings are printed; with more of them they are in the results only."""

Preprocessed = Annotated[Path, typer.Argument(help="Output folder of 'genotex preprocess'.")]
Conditions = Annotated[
    list[str] | None,
    typer.Option("--condition", help="None, Age or Gender; repeat for several. [default: None]"),
]
TaskInfoFile = Annotated[
    Path | None,
    typer.Option("--task-info", help="The benchmark's task_info.json: do all of its problems."),
]


def analyze(
    output: Preprocessed,
    trait: o.TraitNames = None,
    condition: Conditions = None,
    task_info: TaskInfoFile = None,
    procedure: o.ProcedureName = o.Procedures.sound,
    cohort: Annotated[
        str | None, typer.Option("--cohort", help="Use this cohort, not the largest usable one.")
    ] = None,
    controls: o.Controls = o.ControlRoles.auto,
    q: o.QCut = 0.05,
    jobs: o.Jobs = 1,
    json: o.Json = False,
) -> None:
    """Find the genes associated with each trait, given a condition.

    Examples:
      genotex analyze output --trait Osteoarthritis

      genotex analyze output --trait Osteoarthritis --condition None --condition Age

      genotex analyze output --task-info task_info.json -j 2
    """
    settings = build_options(procedure=procedure, controls=controls, q=q, cohort=cohort)
    problems = _problems(OutputFolder(output), trait or (), condition or (), task_info)
    outcomes = analyze_with_progress(output, problems, settings, jobs=jobs)
    if json:
        screen.print_json([outcome.summary() for outcome in outcomes])
    else:
        show_problems(outcomes)
        screen.tell(f"results are in {output / 'regress'}")
    solved = any(outcome.result is not None for outcome in outcomes)
    raise typer.Exit(screen.DONE if solved else screen.NOTHING_USABLE)


def build_options(
    *, procedure: o.Procedures, controls: o.ControlRoles, q: float, cohort: str | None
) -> AnalysisOptions:
    """Gather command-line options into the library's."""
    from genotex.analysis import AnalysisOptions

    if procedure is o.Procedures.benchmark:
        msg = (
            "the analysis of the procedure 'benchmark' is not there yet; its tables are: "
            "genotex preprocess INPUT OUTPUT --procedure benchmark"
        )
        raise UsageError(msg)
    return AnalysisOptions(procedure="sound", controls=controls.value, q_cut=q, cohort=cohort)


def analyze_with_progress(
    output: Path, problems: Sequence[Problem], settings: AnalysisOptions, *, jobs: int = 1
) -> list[ProblemOutcome]:
    """Solve problems behind a progress bar."""
    from genotex.analysis import solve_problems

    with screen.progress("analysing", total=len(problems)) as step:
        return solve_problems(
            OutputFolder(output),
            problems,
            settings,
            jobs=jobs,
            progress=lambda outcome, total: step(str(outcome.problem), total),
        )


def show_problems(outcomes: Sequence[ProblemOutcome]) -> None:
    """Print one line for each problem, and why some could not be answered."""
    rows = [outcome.summary() for outcome in outcomes]
    columns = ["trait", "condition", "cohort", "samples", "genes", "significant", "top genes"]
    solved = [row for row in rows if row["solved"]]
    if solved:
        screen.table(columns, solved)
    for row in rows:
        what = f"{row['trait']} ({row['condition']}): " if row["condition"] else f"{row['trait']}: "
        if not row["solved"]:
            screen.tell(row["why"], "not answered")
        for warning in row.get("warnings", ()) if len(rows) <= MOST_WITH_WARNINGS else ():
            screen.tell(what + warning, "warning")


def ask(trait: str, condition: str) -> Problem:
    """Return the problem a user asked for by name.

    Raises
    ------
    UsageError
        If it is of a kind that cannot be solved yet.
    """
    from genotex.problems import Problem, ProblemKind

    known = {"none": None, "age": "Age", "gender": "Gender"}
    problem = Problem(trait, known.get(condition.lower(), condition))
    if problem.kind is ProblemKind.TWO_STEP:
        msg = (
            f"condition {problem.condition}: another trait as condition is not there yet; "
            "use None, Age or Gender"
        )
        raise UsageError(msg)
    return problem


def _problems(
    output: OutputFolder, traits: Sequence[str], conditions: Sequence[str], task_info: Path | None
) -> list[Problem]:
    from genotex.problems import Problem, TaskInfo

    there = output.traits()
    if not there:
        msg = f"{output.root} holds no preprocessed cohorts; run 'genotex preprocess' first"
        raise UsageError(msg)
    missing = {trait_folder_name(trait) for trait in traits} - set(there)
    if missing:
        msg = (
            f"{output.root} holds no preprocessed cohorts of {', '.join(sorted(missing))}; "
            f"it holds {', '.join(there)}"
        )
        raise UsageError(msg)
    if task_info is None:
        wanted = list(conditions) or ["None"]
        return [ask(trait, condition) for trait in traits or there for condition in wanted]
    problems = [p for p in TaskInfo.load(task_info).problems() if p.trait in there]
    if traits:
        problems = [p for p in problems if p.trait in {Problem(t).trait for t in traits}]
    if conditions:
        problems = [p for p in problems if (p.condition or "None") in conditions]
    if not problems:
        msg = f"{task_info}: no problem of it has preprocessed cohorts in {output.root}"
        raise UsageError(msg)
    return problems
