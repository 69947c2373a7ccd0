"""One output folder scored against another: all tasks, all items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from genotex.errors import UsageError
from genotex.evaluation.analysis_task import score_answers
from genotex.evaluation.filtering import score_filtering
from genotex.evaluation.options import EvaluationOptions
from genotex.evaluation.plan import Plan, make_plan
from genotex.evaluation.preprocessing import TableResult, repair_notes, score_table
from genotex.evaluation.scores import PreprocessingScore, Scores, Table
from genotex.evaluation.selection import CohortChooser, score_selection
from genotex.layout import OutputFolder
from genotex.processes import side_by_side

__all__ = ["Progress", "evaluate"]

Progress = Callable[[str, int], None]
"""Called after each item with its name and the number of all items."""

Result = TypeVar("Result")


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
    prediction, reference : Path
        Output folders in the benchmark's layout, of any tool and release.
    options : EvaluationOptions, optional
        What to score, and how.
    jobs : int
        Processes side by side; the scores are the same for any number.
    progress : callable, optional
        Called after each item.

    Raises
    ------
    UsageError
        If one of the two is no folder, or the reference lacks what a task needs.
    FormatError
        If a file of the reference, the task list or the list of all genes cannot be read.
    """
    options = options or EvaluationOptions()
    for what, folder in (("prediction", prediction), ("reference", reference)):
        if not folder.is_dir():
            msg = f"{folder} is not a folder; give the output folder that holds the {what}"
            raise UsageError(msg)
    predicted = OutputFolder(prediction)
    plan = make_plan(predicted, OutputFolder(reference), options)
    done = _Steps(progress, plan.items)
    filtering = [
        done(trait, score_filtering(predicted, plan.chooser.folder, trait, options.df_field))
        for trait in plan.traits
    ]
    chooser = CohortChooser(predicted, plan.known, options.regressors)
    selection = [
        done(str(problem), score_selection(chooser, plan.chooser, problem))
        for problem in plan.problems
    ]
    with side_by_side(jobs) as spread:
        tables = [
            done(f"{result.as_it_is.trait} {result.as_it_is.cohort}", result)
            for result in spread(score_table, plan.tables)
        ]
        analysis = [
            done(scored[0].trait, scored)
            for of_trait in spread(score_answers, plan.answers)
            for scored in of_trait
        ]
    missing = (
        *(why for _, why in filtering),
        *(why for _, why in selection),
        *(result.missing for result in tables),
        *(why for _, why in analysis),
    )
    return Scores(
        prediction=str(prediction),
        reference=str(reference),
        filtering=tuple(item for item, _ in filtering),
        selection=tuple(item for item, _ in selection),
        preprocessing=_by_kind(tables, options.tables if "preprocessing" in plan.tasks else ()),
        analysis=tuple(item for item, _ in analysis),
        tasks=plan.tasks,
        settings=_settings(options, plan),
        missing=tuple(why for why in missing if why is not None),
        notes=(*plan.notes, *(repair_notes(tables) if options.repair_reference else ())),
    )


class _Steps:
    """Tells of each item that is done."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total

    def __call__(self, label: str, result: Result) -> Result:
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


def _settings(options: EvaluationOptions, plan: Plan) -> dict[str, Any]:
    universe = options.gene_universe
    return {
        "metrics": options.metrics,
        "df_field": options.df_field,
        "regressors": options.regressors,
        "gene_universe": None if universe is None else str(universe),
        "repair_reference": options.repair_reference,
        "task_info": None if plan.known is None else str(plan.known.path),
        "problems": None if options.problems is None else len(options.problems),
    }
