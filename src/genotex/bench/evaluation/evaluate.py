"""One output folder scored against another: all tasks, all items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from genotex.bench.evaluation.analysis_task import ScoredAnswer, score_answers
from genotex.bench.evaluation.figures import Table
from genotex.bench.evaluation.folder_items import ScoredFolder, kind_of_reference
from genotex.bench.evaluation.options import EvaluationOptions
from genotex.bench.evaluation.plan import EvaluationPlan, empty_folders, make_plan
from genotex.bench.evaluation.preprocessing import TableResult, repair_notes, score_table
from genotex.bench.evaluation.scores import (
    FilteringScore,
    Missing,
    PreprocessingScore,
    Scores,
    SelectionScore,
)
from genotex.bench.evaluation.selection import CohortChooser, score_filtering, score_selection
from genotex.bench.evaluation.traps import score_traps
from genotex.errors import UsageError
from genotex.parallel import side_by_side

Progress = Callable[[str, int], None]
"""Called after each item with its name and the number of all items."""

_Result = TypeVar("_Result")


def evaluate(
    prediction: Path,
    reference: Path,
    options: EvaluationOptions | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Score an output folder against a reference.

    Every file of the reference is scored; a prediction that is missing or cannot be read scores 0
    and is listed. Definitions and edges: ``docs/evaluation.md``.

    Parameters
    ----------
    prediction, reference
        Output folders in the benchmark's layout, of any tool and release.
    options
        What to score, and how.
    jobs
        Processes side by side; the scores are the same for any number.
    progress
        Called after each item.

    Raises
    ------
    UsageError
        If one of the two is not a folder, or the reference lacks what a task needs.
    FormatError
        If a file of the reference, the task list or the list of all genes cannot be read.
    """
    return evaluate_all([prediction], reference, options, jobs, progress)[0]


def evaluate_all(
    predictions: Sequence[Path],
    reference: Path,
    options: EvaluationOptions | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Scores]:
    """Score several output folders as `evaluate` does; each table of the reference is read once."""
    options = options or EvaluationOptions()
    for what, folder in (*(("prediction", each) for each in predictions), ("reference", reference)):
        if not folder.is_dir():
            msg = f"{folder} is not a folder; give the output folder of the {what}"
            raise UsageError(msg)
    plan = make_plan(ScoredFolder(reference), options)
    folders = [ScoredFolder(each) for each in predictions]
    done = _Steps(progress, plan.items * len(folders))
    choices = [_score_choices(folder, plan, options, done) for folder in folders]
    score = partial(score_table, folders)
    with side_by_side(jobs) as spread:
        tables = [
            [done(f"{table.trait} {table.cohort}", result) for result in results]
            for table, results in zip(plan.tables, spread(score, plan.tables), strict=True)
        ]
        answers = [
            [[done(_label(one), one) for one in scored] for scored in results]
            for results in spread(partial(score_answers, folders), plan.answers)
        ]
    return [
        _scores(
            folder,
            plan,
            options,
            choices[place],
            [results[place] for results in tables],
            [scored for results in answers for scored in results[place]],
        )
        for place, folder in enumerate(folders)
    ]


@dataclass(frozen=True)
class _Choices:
    """The scores of dataset filtering and selection of an output folder."""

    filtering: list[tuple[FilteringScore | None, Missing | None]]
    selection: list[tuple[SelectionScore | None, Missing | None]]


def _score_choices(
    folder: ScoredFolder, plan: EvaluationPlan, options: EvaluationOptions, done: _Steps
) -> _Choices:
    rules, reference = plan.chooser.rules, plan.chooser.folder
    filtering = [
        done(trait, score_filtering(folder, reference, trait, options.df_field, rules))
        for trait in plan.traits
    ]
    chooser = CohortChooser(folder, plan.known, options.regressors, rules)
    selection = [
        done(str(problem), score_selection(chooser, plan.chooser, problem))
        for problem in plan.problems
    ]
    return _Choices(filtering, selection)


def _scores(
    folder: ScoredFolder,
    plan: EvaluationPlan,
    options: EvaluationOptions,
    choices: _Choices,
    tables: Sequence[TableResult],
    answers: Sequence[ScoredAnswer],
) -> Scores:
    chosen = (*choices.filtering, *choices.selection)
    scored = (
        *(why for item, why in chosen if item is not None),
        *(result.missing for result in tables),
        *(why for item, why in answers if item is not None),
    )
    analysis = tuple(item for item, _ in answers if item is not None)
    dropped = [why for item, why in (*chosen, *answers) if item is None and why is not None]
    return Scores(
        prediction=str(folder.root),
        reference=str(plan.chooser.folder.root),
        filtering=tuple(item for item, _ in choices.filtering if item is not None),
        selection=tuple(item for item, _ in choices.selection if item is not None),
        preprocessing=_by_kind(tables, options.tables if "preprocessing" in plan.tasks else ()),
        analysis=analysis,
        tasks=plan.tasks,
        settings=_settings(options, plan),
        missing=tuple(why for why in scored if why is not None),
        traps=score_traps(folder, plan, analysis),
        notes=(
            *empty_folders(folder, plan.tasks),
            *plan.notes,
            *_dropped_notes(dropped),
            *(repair_notes(tables) if options.repair_reference else ()),
        ),
    )


def _label(answer: ScoredAnswer) -> str:
    item, why = answer
    return item.trait if item is not None else "" if why is None else why.item


class _Steps:
    """Reports each finished item."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total

    def __call__(self, label: str, result: _Result) -> _Result:
        if self._progress is not None:
            self._progress(label, self._total)
        return result


def _by_kind(
    results: Sequence[TableResult], kinds: Sequence[Table]
) -> dict[Table, tuple[PreprocessingScore, ...]]:
    return {
        kind: tuple(r.score for r in results if r.kind == kind and r.score is not None)
        for kind in kinds
    }


def _settings(options: EvaluationOptions, plan: EvaluationPlan) -> dict[str, Any]:
    universe = options.gene_universe
    return {
        "rules": options.rules,
        "metrics": options.metrics,
        "df_field": options.df_field,
        "regressors": options.regressors,
        "gene_universe": None if universe is None else str(universe),
        "repair_reference": options.repair_reference,
        "task_info": None if plan.known is None else str(plan.known.path),
        "problems": None if options.problems is None else len(options.problems),
        "reference_kind": kind_of_reference(plan.chooser.folder),
    }


def _dropped_notes(dropped: Iterable[Missing]) -> list[str]:
    """List the items that were left out because a file of theirs cannot be read."""
    return [
        f"left out by the rules of the published scorer: {item.task} of {item.item}: {item.why}"
        for item in dropped
    ]
