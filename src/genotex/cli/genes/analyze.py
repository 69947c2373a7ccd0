"""`genotex analyze`: linked tables to genes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.genes.results import combine_cohorts, show_result
from genotex.cli.option_classes import changed, with_options
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import TWO_STEP, AnalysisOptions, Option
from genotex.procedure import Procedure

if TYPE_CHECKING:
    from genotex.analysis import ProblemOutcome
    from genotex.problems import Problem, TaskInfo

MOST_WITH_WARNINGS = 5
"""With more problems than this their warnings are in the results only, not printed."""


@dataclass(frozen=True)
class _AnalyzeRequest:
    """The problems to solve."""

    trait: o.TraitNames = ()
    condition: Annotated[
        tuple[str, ...],
        Option(
            "None, Age, Gender or another trait; repeat for several.",
            default="None, or all of the task list",
        ),
    ] = ()
    task_info: o.TaskInfoFile = None
    samples: Annotated[
        Path | None,
        Option("Sample sheet (.csv, .tsv, .xlsx): regroup the preprocessed series in it first."),
    ] = None


@with_options
def analyze(
    output: Annotated[Path, o.argument("OUTPUT", "Output folder of 'genotex preprocess'.")],
    wanted: _AnalyzeRequest,
    analysis: AnalysisOptions,
    cohorts: o.Cohorts = "largest",
    jobs: o.Jobs = 1,
    json: o.Json = False,
) -> None:
    r"""Find the genes associated with each trait, given a condition.

    An existing report page is updated; 'genotex report' writes the first one.

    Examples:
      genotex analyze output --trait Osteoarthritis

      genotex analyze output --trait Asthma --condition None --condition Age

      genotex analyze output --trait Asthma --condition Obesity \
          --task-info task_info.json

      genotex analyze output --trait Osteoarthritis --samples samples.csv

      genotex analyze output --trait Osteoarthritis --cohorts all

      genotex analyze output --trait Psoriasis --pair "patient id"

      genotex analyze output --trait Psoriasis --pair detected

      genotex analyze output --procedure benchmark --task-info task_info.json
    """
    from genotex.workflows import analyze as run

    check_cohorts(cohorts, analysis)
    check_controls(analysis)
    tasks, folder = load_tasks(wanted.task_info), OutputFolder(output)
    problems = _problems(folder, wanted, analysis, tasks)
    check_options(analysis, problems)
    if wanted.samples is not None:
        analysis = _regrouped(folder, wanted.samples, problems, analysis)
    with screen.work() as progress:
        done = run(folder, problems, analysis, tasks, progress, jobs=jobs)
    outcomes, pages = done.outcomes, done.reports
    for problem, why in done.unwritten.items():
        screen.notify(f"{problem}: {why}", "report not written")
    combined = None
    if not json:
        _show_problems(outcomes)
        _show_where(output, outcomes, pages)
    if cohorts == "all":
        combined = combine_cohorts(output, problems, analysis, tasks, jobs=jobs, quiet=json)
    if json:
        rows = [outcome.summary() | _page(outcome, pages) for outcome in outcomes]
        screen.print_json(rows if combined is None else {"problems": rows, "combined": combined})
    raise typer.Exit(_exit_code(outcomes, combined or ()))


def _regrouped(
    output: OutputFolder, path: Path, problems: Sequence[Problem], analysis: AnalysisOptions
) -> AnalysisOptions:
    """Give the cohorts of a sample sheet its groups, and return options that use these cohorts."""
    from genotex.clinical import load_sample_sheet
    from genotex.cohorts import regroup

    traits = sorted({problem.trait for problem in problems})
    if len(traits) != 1:
        msg = f"a sample sheet is for one trait, and these are {', '.join(traits)}; name one"
        raise UsageError(msg)
    sheet = load_sample_sheet(path)
    screen.notify(sheet.understood, "note")
    decided = regroup(output, traits[0], sheet)
    for cohort, note in decided.items():
        screen.notify(f"{traits[0]}/{cohort}: {note}", "note")
    return analysis if analysis.cohort else replace(analysis, among=tuple(decided))


def _exit_code(outcomes: Sequence[ProblemOutcome], combined: Sequence[Mapping[str, object]]) -> int:
    solved = [outcome.result is not None for outcome in outcomes]
    if any(solved) or any(row["solved"] for row in combined):
        return screen.DONE
    wrong_use = any(outcome.wrong_use for outcome in outcomes)
    return screen.WRONG_USE if wrong_use else screen.NOTHING_USABLE


def _show_where(
    output: Path, outcomes: Sequence[ProblemOutcome], pages: Mapping[Problem, Path]
) -> None:
    if any(outcome.result is not None for outcome in outcomes):
        screen.notify(f"results are in {output / 'regress'}")
    if len(pages) == 1:
        screen.notify(f"report updated: {next(iter(pages.values()))}")
    elif pages:
        screen.notify(f"{len(pages)} reports updated in {output / 'report'}")


def _page(outcome: ProblemOutcome, pages: Mapping[Problem, Path]) -> dict[str, str]:
    page = pages.get(outcome.problem)
    return {} if page is None else {"report": str(page)}


def load_tasks(path: Path | None) -> TaskInfo | None:
    """Read the task list, if one was given."""
    from genotex.problems import TaskInfo

    return None if path is None else TaskInfo.load(path)


def check_options(settings: AnalysisOptions, problems: Sequence[Problem]) -> None:
    """Refuse options that have no effect in this procedure or on these problems."""
    from genotex.problems import ProblemKind

    _check_procedure(settings)
    if any(problem.kind is ProblemKind.TWO_STEP for problem in problems):
        return
    if idle := changed(settings, lambda option: option.panel == TWO_STEP, values=True):
        msg = (
            f"{' and '.join(idle)} {_do(idle)} nothing here: no other trait is the condition; "
            f"leave {_them(idle)} out or name another trait with --condition"
        )
        raise UsageError(msg)


def _check_procedure(settings: AnalysisOptions) -> None:
    """Refuse options that only the other procedure uses."""
    chosen = settings.procedure
    (other,) = set(Procedure) - {chosen}
    by_default = chosen is AnalysisOptions().procedure
    idle = changed(settings, lambda option: option.only is other, values=by_default)
    if not idle:
        return
    if by_default:
        msg = (
            f"{', '.join(idle)} belongs to the procedure {other!r} and does nothing in the "
            f"procedure {chosen!r}; leave it out or add --procedure {other}"
        )
    else:
        msg = (
            f"{', '.join(idle)} {_do(idle)} nothing in the procedure {chosen!r}; leave "
            f"{_them(idle)} out or use --procedure {other}"
        )
    raise UsageError(msg)


def check_controls(settings: AnalysisOptions) -> None:
    """Refuse to choose controls for tables that the procedure uses as they are."""
    if not settings.procedure.chooses_controls and settings.controls != "auto":
        msg = (
            f"--controls {settings.controls} does nothing in the procedure {settings.procedure!r}, "
            "which uses every sample of the linked table; choose controls when preprocessing"
        )
        raise UsageError(msg)


def check_cohorts(cohorts: o.CohortsUsed, settings: AnalysisOptions) -> None:
    """Refuse to combine cohorts without standard errors, or a single cohort."""
    if cohorts != "all":
        return
    if not settings.procedure.tests_genes:
        msg = (
            f"the procedure {settings.procedure!r} gives no standard errors, so cohorts cannot be "
            "combined; use --procedure sound or --cohorts largest"
        )
        raise UsageError(msg)
    if settings.levels == "factor":
        msg = (
            "--levels factor gives each gene several effects, so cohorts cannot be combined; use "
            "--levels ordered or --cohorts largest"
        )
        raise UsageError(msg)
    if settings.cohort is not None:
        msg = f"--cohorts all and --cohort {settings.cohort} exclude each other; use one of them"
        raise UsageError(msg)


def _do(names: Sequence[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _show_problems(outcomes: Sequence[ProblemOutcome]) -> None:
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
            screen.notify(row["why"], "error" if row["wrong_use"] else "not answered")
        for kind in ("counts", "levels"):
            if text := row.get(kind):
                screen.notify(what + text)
        for warning in row.get("warnings", ()) if len(rows) <= MOST_WITH_WARNINGS else ():
            screen.notify(what + warning, "warning")


def _problems(
    output: OutputFolder, wanted: _AnalyzeRequest, settings: AnalysisOptions, tasks: TaskInfo | None
) -> list[Problem]:
    from genotex.analysis import check_request

    traits, conditions = [*map(output.trait_named, wanted.trait)], wanted.condition
    there = output.traits()
    if not there:
        msg = f"{output.root} holds no preprocessed cohorts; run 'genotex preprocess' first"
        raise UsageError(msg)
    missing = set(traits) - set(there)
    if missing:
        msg = (
            f"{output.root} holds no preprocessed cohorts of {', '.join(sorted(missing))}; "
            f"it holds {', '.join(there)}"
        )
        raise UsageError(msg)
    if tasks is None or (traits and conditions):
        problems = [
            o.problem_named(trait, condition)
            for trait in traits or there
            for condition in conditions or ["None"]
        ]
        for problem in problems:
            check_request(problem, settings, tasks)
        return problems
    return _listed_problems(output, traits, conditions, tasks)


def _listed_problems(
    output: OutputFolder, traits: Sequence[str], conditions: Sequence[str], tasks: TaskInfo
) -> list[Problem]:
    """Return the problems of the task list whose cohorts are preprocessed."""
    from genotex.problems import ProblemKind

    there = set(output.traits())
    of = set(traits) or there
    given = (
        {o.problem_named(next(iter(of)), c).condition for c in conditions} if conditions else None
    )
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
        screen.notify(
            f"{left} of the {known} problems of {', '.join(sorted(of))} in {tasks.path.name} have "
            "another trait as condition that has no preprocessed cohorts here"
        )
    if not problems:
        msg = f"{tasks.path}: none of its problems has preprocessed cohorts in {output.root}"
        raise UsageError(msg)
    return problems
