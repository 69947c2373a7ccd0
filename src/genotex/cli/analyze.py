"""`genotex analyze`: linked tables to genes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.answer import show_result
from genotex.cli.asking import ask
from genotex.cli.combine import combine_cohorts
from genotex.cli.option_checks import check_cohorts, check_controls, check_options
from genotex.cli.report import pages_there, redraw
from genotex.errors import UsageError
from genotex.layout import OutputFolder, trait_folder_name

if TYPE_CHECKING:
    from genotex.analysis import AnalysisOptions, ProblemOutcome
    from genotex.bench.problems import Problem, TaskInfo

__all__ = [
    "analyze",
    "analyze_with_progress",
    "build_options",
    "load_tasks",
    "show_problems",
]

MOST_WITH_WARNINGS = 5
"""Problems whose warnings are printed; with more of them they are in the results only."""

Preprocessed = Annotated[
    Path, typer.Argument(metavar="OUTPUT", help="Output folder of 'genotex preprocess'.")
]
Conditions = Annotated[
    list[str] | None,
    typer.Option(
        "--condition",
        help="None, Age, Gender or another trait; repeat for several.",
        show_default="None, or all of the task list",
    ),
]


def analyze(
    output: Preprocessed,
    trait: o.TraitNames = None,
    condition: Conditions = None,
    task_info: o.TaskInfoFile = None,
    procedure: o.ProcedureName = o.Procedures.sound,
    cohort: Annotated[
        str | None, typer.Option("--cohort", help="Use this cohort, not the largest usable one.")
    ] = None,
    cohorts: o.Cohorts = o.CohortsUsed.largest,
    controls: o.Controls = o.ControlRoles.auto,
    q: o.QCut = 0.05,
    jobs: o.Jobs = 1,
    json: o.Json = False,
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
    r"""Find the genes associated with each trait, given a condition.

    A report page that is there is drawn again; 'genotex report' draws the
    first one.

    Examples:
      genotex analyze output --trait Osteoarthritis

      genotex analyze output --trait Asthma --condition None --condition Age

      genotex analyze output --trait Asthma --condition Obesity \
          --task-info task_info.json

      genotex analyze output --trait Osteoarthritis --cohorts all

      genotex analyze output --trait Psoriasis --pair "patient id"

      genotex analyze output --trait Psoriasis --pair detected

      genotex analyze output --procedure benchmark --task-info task_info.json
    """
    settings = build_options(
        procedure=procedure,
        controls=controls,
        q=q,
        cohort=cohort,
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
    check_cohorts(cohorts, settings)
    check_controls(settings)
    tasks, folder = load_tasks(task_info), OutputFolder(output)
    problems = _problems(folder, trait or (), condition or (), settings, tasks)
    check_options(settings, problems)
    had_page = pages_there(folder, problems)
    outcomes = analyze_with_progress(output, problems, settings, tasks, jobs=jobs)
    pages = redraw(folder, outcomes, had_page)
    combined = None
    if not json:
        show_problems(outcomes)
        _tell_where(output, outcomes, pages)
    if cohorts is o.CohortsUsed.all:
        combined = combine_cohorts(output, problems, settings, tasks, jobs=jobs, quiet=json)
    if json:
        rows = [outcome.summary() | _page(outcome, pages) for outcome in outcomes]
        screen.print_json(rows if combined is None else {"problems": rows, "combined": combined})
    raise typer.Exit(_exit_code(outcomes, combined or ()))


def _exit_code(outcomes: Sequence[ProblemOutcome], combined: Sequence[Mapping[str, object]]) -> int:
    solved = [outcome.result is not None for outcome in outcomes]
    if any(solved) or any(row["solved"] for row in combined):
        return screen.DONE
    wrong_use = any(outcome.wrong_use for outcome in outcomes)
    return screen.WRONG_USE if wrong_use else screen.NOTHING_USABLE


def _tell_where(
    output: Path, outcomes: Sequence[ProblemOutcome], pages: Mapping[Problem, Path]
) -> None:
    if any(outcome.result is not None for outcome in outcomes):
        screen.tell(f"results are in {output / 'regress'}")
    if len(pages) == 1:
        screen.tell(f"report drawn again: {next(iter(pages.values()))}")
    elif pages:
        screen.tell(f"{len(pages)} reports drawn again in {output / 'report'}")


def _page(outcome: ProblemOutcome, pages: Mapping[Problem, Path]) -> dict[str, str]:
    page = pages.get(outcome.problem)
    return {} if page is None else {"report": str(page)}


def build_options(
    *,
    procedure: o.Procedures = o.Procedures.sound,
    controls: o.ControlRoles = o.ControlRoles.auto,
    q: float = 0.05,
    cohort: str | None = None,
    test: o.Tests = o.Tests.moderated,
    hidden: o.HiddenModes = o.HiddenModes.auto,
    weights: o.WeightModes = o.WeightModes.auto,
    levels: o.LevelModes = o.LevelModes.auto,
    robust: bool = False,
    covariates: str = "Age,Gender",
    pair: str | None = None,
    min_effect: float = 0.0,
    exclude_outliers: bool = False,
    filter_low: bool = True,
    batch: bool = True,
    trend: bool = False,
    panel: bool = True,
    seed: int = 42,
    solver: o.Solvers = o.Solvers.scikit_learn,
    regressors: o.RegressorRules = o.RegressorRules.inclusive,
    condition_cohort: str | None = None,
) -> AnalysisOptions:
    """Gather command-line options into the library's."""
    from genotex.analysis import AnalysisOptions

    return AnalysisOptions(
        procedure=procedure.value,
        model=test.value,
        hidden=hidden.value,
        weights=weights.value,
        levels=levels.value,
        robust=robust,
        q_cut=q,
        min_effect=min_effect,
        exclude_outliers=exclude_outliers,
        controls=controls.value,
        filter_low=filter_low,
        covariates=_covariates(covariates),
        batch=batch,
        trend=trend,
        panel=panel,
        seed=seed,
        cohort=cohort,
        condition_cohort=condition_cohort,
        regressors=regressors.value,
        pair=pair,
        solver=solver.value,
    )


def _covariates(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if [name.lower() for name in names] == ["none"]:
        return ()
    known = {"age": "Age", "gender": "Gender", "sex": "Gender"}
    return tuple(dict.fromkeys(known.get(name.lower(), name) for name in names))


def load_tasks(path: Path | None) -> TaskInfo | None:
    """Read the task list where one is given."""
    from genotex.bench.problems import TaskInfo

    return None if path is None else TaskInfo.load(path)


def analyze_with_progress(
    output: Path,
    problems: Sequence[Problem],
    settings: AnalysisOptions,
    tasks: TaskInfo | None = None,
    *,
    jobs: int = 1,
) -> list[ProblemOutcome]:
    """Solve problems behind a progress bar."""
    from genotex.analysis import solve_problems

    with screen.progress("analysing", total=len(problems)) as step:
        return solve_problems(
            OutputFolder(output),
            problems,
            settings,
            tasks,
            jobs=jobs,
            progress=lambda outcome, total: step(str(outcome.problem), total),
        )


def show_problems(outcomes: Sequence[ProblemOutcome]) -> None:
    """Print one line for each problem, a single one in full, and why some were not answered."""
    if len(outcomes) == 1 and outcomes[0].result is not None:
        show_result(outcomes[0].result)
        return
    rows = [outcome.summary() for outcome in outcomes]
    solved = [row for row in rows if row["solved"]]
    counts = [name for name in ("significant", "selected") if any(name in row for row in solved)]
    if solved:
        columns = ["trait", "condition", "cohort", "samples", "genes", *counts, "top genes"]
        screen.table(columns, solved)
    for row in rows:
        what = f"{row['trait']} ({row['condition']}): " if row["condition"] else f"{row['trait']}: "
        if not row["solved"]:
            screen.tell(row["why"], "error" if row["wrong_use"] else "not answered")
        for kind in ("counts", "levels"):
            if told := row.get(kind):
                screen.tell(what + told)
        for warning in row.get("warnings", ()) if len(rows) <= MOST_WITH_WARNINGS else ():
            screen.tell(what + warning, "warning")


def _problems(
    output: OutputFolder,
    traits: Sequence[str],
    conditions: Sequence[str],
    settings: AnalysisOptions,
    tasks: TaskInfo | None,
) -> list[Problem]:
    from genotex.analysis import check_request

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
    if tasks is None or (traits and conditions):
        wanted = list(conditions) or ["None"]
        problems = [ask(trait, condition) for trait in traits or there for condition in wanted]
        for problem in problems:
            check_request(problem, settings, tasks)
        return problems
    return _listed_problems(output, traits, conditions, tasks)


def _listed_problems(
    output: OutputFolder, traits: Sequence[str], conditions: Sequence[str], tasks: TaskInfo
) -> list[Problem]:
    """Return the problems of the task list whose cohorts are there."""
    from genotex.bench.problems import ProblemKind

    there = set(output.traits())
    of = {trait_folder_name(trait) for trait in traits} or there
    given = {ask(next(iter(of)), c).condition for c in conditions} if conditions else None
    problems = [
        p
        for p in tasks.problems()
        if p.trait in there & of
        and (p.kind is not ProblemKind.TWO_STEP or p.condition in there)
        and (given is None or p.condition in given)
    ]
    known = sum(p.trait in of for p in tasks.problems())
    if not conditions and 0 < len(problems) < known:
        left = known - len(problems)
        screen.tell(
            f"{left} of the {known} problems of {', '.join(sorted(of))} in {tasks.path.name} have "
            "another trait as condition that has no preprocessed cohorts here"
        )
    if not problems:
        msg = f"{tasks.path}: no problem of it has preprocessed cohorts in {output.root}"
        raise UsageError(msg)
    return problems
