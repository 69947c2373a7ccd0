"""`genotex solve`: raw files to genes and a report."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.fetch_geo import GeoServers, fetch_named
from genotex.cli.data.fetch_plan import source_of_accession
from genotex.cli.data.preprocess import load_options, note_trait_names, show_outcomes
from genotex.cli.genes.analyze import check_cohorts, check_options, load_tasks
from genotex.cli.genes.comparing import Comparing, find_comparisons, solve_comparison
from genotex.cli.genes.results import show_combined, show_figures, show_result
from genotex.cli.option_classes import Without, with_options
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, FigureOptions, GeoOptions, Option, PreprocessChoices

if TYPE_CHECKING:
    from genotex.analysis import AnalysisResult, ProblemOutcome
    from genotex.workflows import Solved, SolveRequest


@dataclass(frozen=True)
class _SolveRequest:
    """The problem, and the list with the related genes of its traits."""

    trait: Annotated[str | None, Option("The trait.", default="what the series compares")] = None
    condition: Annotated[str, Option("None, Age, Gender or another trait.")] = "None"
    task_info: o.TaskInfoFile = None


@dataclass(frozen=True)
class _Scope:
    """Which cohorts are used, and what is written besides."""

    cohort: o.CohortNames = ()
    cohorts: o.CohortsOfTrait = "auto"
    r_script: Annotated[
        bool,
        Option(
            "Also write genes.csv, design.csv and analysis.R, which repeats the tests in R "
            "with limma.",
            "--r-script",
        ),
    ] = False


@with_options
def solve(
    source: o.InputDir,
    output: o.OutputDir,
    asked: _SolveRequest,
    comparing: Comparing,
    data: PreprocessChoices,
    running: o.Running,
    analysis: Annotated[AnalysisOptions, Without("cohort")],
    drawing: FigureOptions,
    scope: _Scope,
    servers: GeoServers,
) -> None:
    r"""Go from raw files to the genes of one trait, with a report.

    Without --trait, what each series compares is listed (treatment against
    vehicle, knock-down against control, time points, tissues), and --compare
    tests one. INPUT may then be the folder of one series. An accession in place
    of INPUT is fetched into the folder 'input' first.

    The report is one HTML file, OUTPUT/report/..., to open in a browser. Where
    the trait has two or more usable cohorts of different people, the answer is
    what they show together: see --cohorts.

    Examples:
      genotex solve input output --trait Osteoarthritis

      genotex solve input/GEO/Melanoma/GSE42872 output --compare 1

      genotex solve GSE55457 output --trait Osteoarthritis

      genotex solve input output --trait Osteoarthritis --cohorts largest

      genotex solve input output --trait Osteoarthritis --cohort GSE55457

      genotex solve input output --trait "Rheumatoid Arthritis" --condition Age

      genotex solve input output --trait Osteoarthritis --samples samples.csv

      genotex solve input output --trait Osteoarthritis \
          --case "disease state=osteoarthritis" --control "title~healthy"

      genotex solve input output --trait Osteoarthritis --controls all

      genotex solve input output --trait Asthma --condition Obesity \
          --task-info task_info.json
    """
    from genotex.workflows import solve as run

    source, named = source_of_accession(source)
    if named:
        scope = replace(scope, cohort=named)
        what = GeoOptions(platform_only=True, any_assay=True, values_from=data.values_from)
        fetch_named(source, asked.trait, named, what, servers, data.vocabulary)
    folder = OutputFolder(output)
    if asked.trait is None:
        settings = load_options(data)
        found = find_comparisons(source, scope.cohort, settings)
        raise typer.Exit(
            solve_comparison(
                found, comparing, settings, analysis, folder, drawing, json=running.json
            )
        )
    if comparing.compare is not None:
        msg = "--compare tests what a series compares without a trait; leave --trait out"
        raise UsageError(msg)
    request = replace(
        _request(source, folder, asked.trait, asked, data, analysis, scope),
        figures=drawing,
        jobs=running.jobs,
        force=running.force,
    )
    if not running.force:
        screen.resumes.set()
    with screen.work() as progress:
        solved = run(request, progress)
    if solved.outcome.wrong_use and not request.every:
        if not running.json:
            show_outcomes(solved.cohorts)
        raise UsageError(solved.outcome.why)
    if solved.no_script:
        screen.notify(solved.no_script, "warning")
    if running.json:
        screen.print_json(_for_machines(solved, request))
    else:
        _show(solved, request)
    raise typer.Exit(_exit_code(solved))


def _request(
    source: Path,
    output: OutputFolder,
    trait: str,
    asked: _SolveRequest,
    data: PreprocessChoices,
    analysis: AnalysisOptions,
    scope: _Scope,
) -> SolveRequest:
    """Return what is to be solved, checked before any file is read."""
    from genotex.analysis import check_request
    from genotex.workflows import Reading, SolveRequest

    problem, settings = o.problem_named(trait, asked.condition), load_options(data)
    check_cohorts(scope.cohorts, analysis)
    check_options(analysis, [problem])
    tasks = load_tasks(asked.task_info)
    check_request(problem, analysis, tasks)
    # The cohorts that were named are those of the trait, not of a condition.
    named = scope.cohort if len(problem.traits) == 1 else ()
    note_trait_names(problem.traits, data.vocabulary, source, named)
    every = None if scope.cohorts == "auto" else scope.cohorts == "all"
    readings = [Reading(settings, scope.cohort)]
    return SolveRequest(
        source, output, problem, analysis, readings, tasks, every=every, script=scope.r_script
    )


def _for_machines(solved: Solved, request: SolveRequest) -> dict[str, Any]:
    report, script, combined = solved.report, solved.script, solved.combined
    return {
        **({"review": solved.review, "sheets": _sheets(solved, request)} if solved.review else {}),
        **solved.outcome.summary(),
        "report": None if report is None else str(report),
        **({"analysis.R": None if script is None else str(script)} if request.script else {}),
        **({"figures": [str(p) for p in solved.figures]} if request.figures.formats else {}),
        "not_done": solved.errors,
        **({} if combined is None else {"combined": [combined.summary()]}),
    }


def _sheets(solved: Solved, request: SolveRequest) -> list[str]:
    """Return the commands that write sheets of what is to be reviewed."""
    from genotex.workflows import review_commands

    first = request.readings[0]
    return review_commands(request.source, solved.cohorts, first.options, first.cohorts)


def _exit_code(solved: Solved) -> int:
    combined, outcome = solved.combined, solved.outcome
    if outcome.result is not None or (combined is not None and combined.result is not None):
        return screen.DONE
    if any(cohort.stopped for cohort in solved.cohorts):
        return screen.STOPPED
    wrong = outcome.wrong_use or solved.errors
    return screen.WRONG_USE if wrong else screen.NOTHING_USABLE


def _show(solved: Solved, request: SolveRequest) -> None:
    outcome, combined = solved.outcome, solved.combined
    show_outcomes(solved.cohorts, _sheets(solved, request))
    together = None if combined is None else combined.result
    if combined is not None:
        show_combined(combined)
    if outcome.result is None:
        screen.notify(outcome.why, "error" if outcome.wrong_use else "not answered")
    elif together is None:
        screen.out.print()
        show_result(outcome.result)
    else:
        _show_alone(outcome.result)
    if solved.report is not None:
        whose = f"report of {outcome.result.cohort}" if together and outcome.result else "\nreport"
        screen.show(f"{whose}: {solved.report}")
    if solved.script is not None:
        screen.show(f"in R:   {solved.script}")
    show_figures(solved.figures)
    _show_way_on(request.output, outcome)


def _show_alone(result: AnalysisResult) -> None:
    """Print in a line what the largest cohort shows by itself."""
    screen.show(
        f"\n{result.cohort} alone, the largest: {result.significant.height} of "
        f"{result.method['filter']['tested']} genes significant (this list: --cohorts largest)"
    )
    screen.show_warnings(result.warnings, result.trait, result.condition)


def _show_way_on(output: OutputFolder, outcome: ProblemOutcome) -> None:
    """Print how the same design is taken to `genotex de` and changed."""
    from genotex.analysis import formula_of

    result = outcome.result
    design = None if result is None else formula_of(result)
    if result is None or design is None:
        return
    genes = output.gene_csv(result.trait, result.cohort)
    if not genes.is_file() or not result.cohort.startswith("GSE"):
        return
    command = shlex.join(["genotex", "de", str(genes), "samples.csv", "OUTPUT2", *design.words])
    screen.show(
        f"To change the design, with the samples.csv of 'genotex clinical sheet':\n  {command}"
    )
