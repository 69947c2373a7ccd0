"""`genotex solve`: raw files to genes and a report, in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.analyze import analyze_with_progress, load_tasks
from genotex.cli.analyze import build_options as analysis_options
from genotex.cli.answer import show_result
from genotex.cli.asking import ask
from genotex.cli.combine import combine_cohorts
from genotex.cli.option_checks import check_cohorts, check_options
from genotex.cli.preprocess import build_options, preprocess_with_progress, show_outcomes
from genotex.cli.trait_names import tell_names
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.parallel import prepare_workers

if TYPE_CHECKING:
    from genotex.analysis import AnalysisOptions, ProblemOutcome
    from genotex.bench.problems import Problem, TaskInfo
    from genotex.cohorts import CohortOutcome, PreprocessOptions

__all__ = ["solve", "solve_and_report"]


def solve(
    source: o.InputDir,
    output: o.OutputDir,
    trait: Annotated[str, typer.Option("--trait", help="The trait.")],
    condition: Annotated[
        str,
        typer.Option("--condition", help="None, Age, Gender or another trait.", show_default=True),
    ] = "None",
    task_info: o.TaskInfoFile = None,
    cohort: o.CohortNames = None,
    procedure: o.ProcedureName = o.Procedures.sound,
    encoding: o.EncodingFile = None,
    case: o.CaseValues = None,
    control: o.ControlValues = None,
    controls: o.Controls = o.ControlRoles.auto,
    scale: o.ScaleName = o.Scales.auto,
    gene_table: o.GeneTableFile = None,
    vocabulary: o.VocabularyFile = None,
    least_certainty: o.LeastCertainty = 0.0,
    q: o.QCut = 0.05,
    jobs: o.Jobs = 1,
    force: o.Force = False,
    json: o.Json = False,
    cohorts: o.Cohorts = o.CohortsUsed.largest,
    test: o.TestName = o.Tests.moderated,
    hidden: o.HiddenMode = o.HiddenModes.auto,
    weights: o.Weights = o.WeightModes.auto,
    levels: o.Levels = o.LevelModes.auto,
    robust: o.Robust = False,
    covariates: o.Covariates = "Age,Gender",
    pair: o.Pair = None,
    min_effect: o.MinEffect = 0.0,
    exclude_outliers: o.ExcludeOutliers = False,
    filter_low: o.FilterLow = True,
    batch: o.KnownBatch = True,
    trend: o.Trend = False,
    panel: o.WithPanel = True,
    seed: o.Seed = 42,
    solver: o.SolverName = o.Solvers.scikit_learn,
    regressors: o.Regressors = o.RegressorRules.inclusive,
    condition_cohort: o.ConditionCohort = None,
) -> None:
    r"""Go from raw files to the genes of one trait, and a report of them.

    The report is one HTML file, OUTPUT/report/..., that opens in a browser.

    Examples:
      genotex solve input output --trait Osteoarthritis

      genotex solve input output --trait "Rheumatoid Arthritis" --condition Age

      genotex solve input output --trait Osteoarthritis --controls all

      genotex solve input output --trait Asthma --condition Obesity \
          --task-info task_info.json
    """
    # Before anything else is imported: workers load matplotlib while the files are read.
    prepare_workers("genotex.reports.figures:get_ready")
    from genotex.analysis import check_request

    problem = ask(trait, condition)
    settings = build_options(
        procedure=procedure,
        encoding=encoding,
        case=case,
        control=control,
        controls=controls,
        scale=scale,
        gene_table=gene_table,
        vocabulary=vocabulary,
        least_certainty=least_certainty,
    )
    analysis = analysis_options(
        procedure=procedure,
        controls=controls,
        q=q,
        test=test,
        hidden=hidden,
        weights=weights,
        levels=levels,
        robust=robust,
        covariates=covariates,
        pair=pair,
        min_effect=min_effect,
        exclude_outliers=exclude_outliers,
        filter_low=filter_low,
        batch=batch,
        trend=trend,
        panel=panel,
        seed=seed,
        solver=solver,
        regressors=regressors,
        condition_cohort=condition_cohort,
    )
    check_cohorts(cohorts, analysis)
    check_options(analysis, [problem])
    tasks = load_tasks(task_info)
    check_request(problem, analysis, tasks)
    if not force:
        screen.resumes.set()
    # The cohorts that were named are those of the trait, not of a condition.
    named = (cohort or ()) if len(problem.traits) == 1 else ()
    tell_names(problem.traits, vocabulary, source, named)
    outcomes = _read_cohorts(
        source, output, problem, cohort or (), analysis, settings, jobs=jobs, force=force
    )
    if not json:
        show_outcomes(outcomes)
    read_now = tuple(
        done.cohort for done in outcomes if done.error is None and done.trait == problem.trait
    )
    analysis = replace(analysis, among=read_now)
    every = cohorts is o.CohortsUsed.all
    raise typer.Exit(
        _answer(output, problem, analysis, outcomes, tasks, every=every, jobs=jobs, json=json)
    )


def _read_cohorts(
    source: Path,
    output: Path,
    problem: Problem,
    cohorts: Sequence[str],
    analysis: AnalysisOptions,
    settings: PreprocessOptions,
    *,
    jobs: int,
    force: bool,
) -> list[CohortOutcome]:
    """Preprocess the trait's cohorts, and those of a condition that is another trait."""
    from genotex.bench.problems import ProblemKind

    outcomes = preprocess_with_progress(
        source, output, [problem.trait], cohorts, settings, jobs=jobs, force=force
    )
    if problem.kind is not ProblemKind.TWO_STEP:
        return outcomes
    # The encoding and the values that the user gave are those of the trait.
    plain = replace(settings, readings={}, readings_of=None, encoding=None, cases=(), controls=())
    wanted = [] if analysis.condition_cohort is None else [analysis.condition_cohort]
    return outcomes + preprocess_with_progress(
        source, output, [str(problem.condition)], wanted, plain, jobs=jobs, force=force
    )


def _answer(
    output: Path,
    problem: Problem,
    analysis: AnalysisOptions,
    outcomes: list[CohortOutcome],
    tasks: TaskInfo | None,
    *,
    every: bool,
    jobs: int,
    json: bool,
) -> int:
    """Analyse, report and print, for `every` over all cohorts too; return the exit code."""
    outcome, report = solve_and_report(output, problem, analysis, outcomes, tasks)
    if outcome.wrong_use and not every:
        raise UsageError(outcome.why)
    if not json:
        _show(outcome, report)
    # An option that the largest cohort has no use for may suit the others.
    combined = []
    if every:
        combined = combine_cohorts(output, [problem], analysis, tasks, jobs=jobs, quiet=json)
    if json:
        screen.print_json(
            {
                **outcome.summary(),
                "report": None if report is None else str(report),
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

    Returns
    -------
    outcome : ProblemOutcome
    report : Path or None
        The page; none is written where an option makes no sense for the cohort, so that an earlier
        answer and its page stay.
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
            # No record of them was written, which is no news beside why they could not be read.
            outcome = replace(outcome, why="no cohort could be read")
        page = write_unanswered_report(
            folder, trait, condition, reasons, why=outcome.why, path=report
        )
        return outcome, page
    with screen.progress("drawing the report", total=1):
        return outcome, write_report(folder, trait, condition, path=report)


def _show(outcome: ProblemOutcome, report: Path | None) -> None:
    if outcome.result is None:
        screen.tell(outcome.why, "error" if outcome.wrong_use else "not answered")
    else:
        screen.out.print()
        show_result(outcome.result)
    if report is not None:
        screen.say(f"\nreport: {report}")
