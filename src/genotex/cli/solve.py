"""`genotex solve`: raw files to genes and a report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.analyze import (
    analyze_with_progress,
    check_cohorts,
    check_options,
    load_tasks,
)
from genotex.cli.option_classes import Without, with_options
from genotex.cli.preprocess import (
    NOTHING_BY_HAND,
    load_options,
    note_trait_names,
    preprocess_with_progress,
    show_outcomes,
)
from genotex.cli.results import combine_cohorts, show_result
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, PreprocessChoices
from genotex.parallel import prepare_workers

if TYPE_CHECKING:
    from genotex.analysis import ProblemOutcome
    from genotex.bench.problems import Problem, TaskInfo
    from genotex.cohorts import CohortOutcome, PreprocessOptions

__all__ = ["solve", "solve_and_report"]


@dataclass(frozen=True)
class _SolveRequest(o.AskedProblem):
    """The problem, and the list with the related genes of its traits."""

    task_info: o.TaskInfoFile = None


@with_options
def solve(
    source: o.InputDir,
    output: o.OutputDir,
    asked: _SolveRequest,
    data: PreprocessChoices,
    running: o.Running,
    analysis: Annotated[AnalysisOptions, Without("cohort")],
    cohort: o.CohortNames = None,
    cohorts: o.Cohorts = "largest",
    r_script: Annotated[
        bool,
        typer.Option(
            "--r-script",
            help="Also write genes.csv, design.csv and analysis.R, which repeats the tests in R "
            "with limma.",
        ),
    ] = False,
) -> None:
    r"""Go from raw files to the genes of one trait, with a report.

    The report is one HTML file, OUTPUT/report/..., to open in a browser.

    Examples:
      genotex solve input output --trait Osteoarthritis

      genotex solve input output --trait "Rheumatoid Arthritis" --condition Age

      genotex solve input output --trait Osteoarthritis --samples samples.csv

      genotex solve input output --trait Osteoarthritis \
          --case "disease state=osteoarthritis" --control "title~healthy"

      genotex solve input output --trait Osteoarthritis --controls all

      genotex solve input output --trait Asthma --condition Obesity \
          --task-info task_info.json
    """
    # Before anything else is imported: workers load matplotlib while the files are read.
    prepare_workers("genotex.reports.figures:get_ready")
    from genotex.analysis import check_request

    problem, settings = asked.problem, load_options(data)
    check_cohorts(cohorts, analysis)
    check_options(analysis, [problem])
    tasks = load_tasks(asked.task_info)
    check_request(problem, analysis, tasks)
    if not running.force:
        screen.resumes.set()
    # The cohorts that were named are those of the trait, not of a condition.
    named = (cohort or ()) if len(problem.traits) == 1 else ()
    note_trait_names(problem.traits, data.vocabulary, source, named)
    outcomes = _read_cohorts(
        source, output, problem, cohort or (), analysis.condition_cohort, settings, running
    )
    if not running.json:
        show_outcomes(outcomes)
    read_now = tuple(
        done.cohort for done in outcomes if done.error is None and done.trait == problem.trait
    )
    analysis = replace(analysis, among=read_now)
    raise typer.Exit(
        _answer(
            output,
            problem,
            analysis,
            outcomes,
            tasks,
            every=cohorts == "all",
            running=running,
            r_script=r_script,
        )
    )


def _read_cohorts(
    source: Path,
    output: Path,
    problem: Problem,
    cohorts: Sequence[str],
    condition_cohort: str | None,
    settings: PreprocessOptions,
    running: o.Running,
) -> list[CohortOutcome]:
    """Preprocess the trait's cohorts, and those of a condition that is another trait."""
    from genotex.bench.problems import ProblemKind

    outcomes = preprocess_with_progress(source, output, [problem.trait], cohorts, settings, running)
    if problem.kind is not ProblemKind.TWO_STEP:
        return outcomes
    # The encoding and the values that the user gave are those of the trait.
    plain = replace(settings, **NOTHING_BY_HAND)
    wanted = [] if condition_cohort is None else [condition_cohort]
    return outcomes + preprocess_with_progress(
        source, output, [str(problem.condition)], wanted, plain, running
    )


def _answer(
    output: Path,
    problem: Problem,
    analysis: AnalysisOptions,
    outcomes: list[CohortOutcome],
    tasks: TaskInfo | None,
    *,
    every: bool,
    running: o.Running,
    r_script: bool,
) -> int:
    """Analyse, report and print, with `every` also over all cohorts; return the exit code."""
    outcome, report = solve_and_report(output, problem, analysis, outcomes, tasks)
    if outcome.wrong_use and not every:
        raise UsageError(outcome.why)
    script = _write_r_script(output, outcome) if r_script else None
    if not running.json:
        _show(outcome, report)
        if script is not None:
            screen.show(f"in R:   {script}")
        _show_way_on(output, outcome)
    # An option that the largest cohort has no use for may suit the others.
    combined = []
    if every:
        combined = combine_cohorts(
            output, [problem], analysis, tasks, jobs=running.jobs, quiet=running.json
        )
    if running.json:
        screen.print_json(
            {
                **outcome.summary(),
                "report": None if report is None else str(report),
                **({"analysis.R": None if script is None else str(script)} if r_script else {}),
                "not_done": _errors(outcomes),
                **({"combined": combined} if every else {}),
            }
        )
    if any(row["solved"] for row in combined):
        return screen.DONE
    return _exit_code(outcome, outcomes)


def _errors(cohorts: list[CohortOutcome]) -> dict[str, str]:
    return {c.cohort: c.error for c in cohorts if c.error is not None}


def _exit_code(outcome: ProblemOutcome, cohorts: list[CohortOutcome]) -> int:
    if outcome.result is not None:
        return screen.DONE
    wrong = outcome.wrong_use or _errors(cohorts)
    return screen.WRONG_USE if wrong else screen.NOTHING_USABLE


def solve_and_report(
    output: Path,
    problem: Problem,
    settings: AnalysisOptions,
    cohorts: list[CohortOutcome],
    tasks: TaskInfo | None = None,
    report: Path | None = None,
) -> tuple[ProblemOutcome, Path | None]:
    """Analyse one problem and write its report, also when it cannot be answered.

    No page is written if an option makes no sense for the cohort, so that an earlier answer and its
    page stay.
    """
    from genotex.reports import write_report, write_unanswered_report

    (outcome,) = analyze_with_progress(output, [problem], settings, tasks)
    if outcome.wrong_use:
        return outcome, None
    folder = OutputFolder(output)
    trait, condition = problem.trait, problem.condition
    if outcome.result is None:
        reasons = _errors(cohorts)
        if reasons and len(reasons) == len(cohorts):
            # That no record was written is not news once it is known why they could not be read.
            outcome = replace(outcome, why="no cohort could be read")
        page = write_unanswered_report(
            folder, trait, condition, reasons, why=outcome.why, path=report
        )
        return outcome, page
    with screen.progress("writing the report", total=1):
        return outcome, write_report(folder, trait, condition, path=report)


def _write_r_script(output: Path, outcome: ProblemOutcome) -> Path | None:
    """Write the short table of genes and the R script, as `genotex de` does."""
    from genotex.analysis import write_gene_files, write_r_files

    if outcome.result is None:
        return None
    folder = OutputFolder(output)
    try:
        scripts = write_r_files(folder, [outcome.result])
    except UsageError as error:
        screen.notify(str(error), "warning")
        return None
    write_gene_files(folder, [outcome.result])
    return scripts[outcome.result.trait]


def _show_way_on(output: Path, outcome: ProblemOutcome) -> None:
    """Print how the same design is taken to `genotex de` and changed."""
    from genotex.analysis import formula_of

    result = outcome.result
    design = None if result is None else formula_of(result)
    if result is None or design is None:
        return
    genes = OutputFolder(output).gene_csv(result.trait, result.cohort)
    if not genes.is_file() or not result.cohort.startswith("GSE"):
        return
    command = shlex.join(["genotex", "de", str(genes), "samples.csv", "OUTPUT2", *design.words])
    screen.show(
        f"To change the design, with the samples.csv of 'genotex clinical sheet':\n  {command}"
    )


def _show(outcome: ProblemOutcome, report: Path | None) -> None:
    if outcome.result is None:
        screen.notify(outcome.why, "error" if outcome.wrong_use else "not answered")
    else:
        screen.out.print()
        show_result(outcome.result)
    if report is not None:
        screen.show(f"\nreport: {report}")
