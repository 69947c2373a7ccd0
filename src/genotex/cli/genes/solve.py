"""`genotex solve`: raw files to genes and a report."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.preprocess import (
    load_options,
    note_trait_names,
    show_outcomes,
)
from genotex.cli.genes.analyze import (
    check_cohorts,
    check_options,
    load_tasks,
)
from genotex.cli.genes.results import combine_cohorts, show_result
from genotex.cli.option_classes import Without, with_options
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, PreprocessChoices
from genotex.parallel import prepare_workers

if TYPE_CHECKING:
    from genotex.analysis import ProblemOutcome
    from genotex.cohorts import CohortOutcome
    from genotex.problems import Problem, TaskInfo


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
    from genotex.workflows import prepare, prepare_condition

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
    with screen.work() as progress:
        how: dict[str, Any] = {"jobs": running.jobs, "force": running.force}
        outcomes = prepare(
            source, output, [problem.trait], settings, progress, cohorts=cohort or (), **how
        )
        other = analysis.condition_cohort
        outcomes += prepare_condition(
            source, output, problem, settings, progress, cohort=other, **how
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
    from genotex.workflows import answer

    folder = OutputFolder(output)
    with screen.work() as progress:
        found = answer(folder, problem, analysis, outcomes, tasks, progress)
    outcome, report = found.outcome, found.report
    if outcome.wrong_use and not every:
        raise UsageError(outcome.why)
    script = _script(folder, outcome) if r_script else None
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


def _script(output: OutputFolder, outcome: ProblemOutcome) -> Path | None:
    """Write the R script; a result that R cannot repeat has none, with a warning."""
    from genotex.workflows import write_script

    try:
        return write_script(output, outcome)
    except UsageError as error:
        screen.notify(str(error), "warning")
        return None


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
