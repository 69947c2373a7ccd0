"""Runs named on the command line, scored or read: what compare and bench table share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli.evaluate import chosen_words, evaluate_with_progress
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.bench.evaluation.options import EvaluationOptions
    from genotex.bench.evaluation.scores import Scores

__all__ = ["Reference", "ResultsFolder", "RunPaths", "TaskInfoFile", "Tasks", "score_runs",
           "scoring_options"]  # fmt: skip

RunPaths = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Output folders, or scores.json of 'genotex evaluate -o'; NAME=PATH names a run.",
        show_default=False,
    ),
]
Reference = Annotated[
    Path | None,
    typer.Option(
        "--ref-dir", "-r", help="Score output folders against this one.", show_default=False
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--tasks",
        "-t",
        help="selection, preprocessing, analysis; with commas.",
        show_default="all that the reference holds",
    ),
]
TaskInfoFile = Annotated[
    Path | None,
    typer.Option("--task-info", help="The problems for dataset selection.", show_default=False),
]
ResultsFolder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Write the results into this folder.",
        show_default=False,
    ),
]


def scoring_options(
    tasks: Sequence[str] | None, task_info: Path | None, problems: Path | None = None
) -> EvaluationOptions:
    """Return how output folders are scored: by default settings, as the help says."""
    from genotex.bench.evaluation.options import TASKS, EvaluationOptions
    from genotex.bench.problems import read_problems

    return EvaluationOptions(
        tasks=chosen_words(tasks, TASKS, "task"),
        task_info=task_info,
        problems=None if problems is None else read_problems(problems),
    )


def score_runs(
    runs: Mapping[str, Path], reference: Path | None, settings: EvaluationOptions, jobs: int
) -> dict[str, Scores]:
    """Return the scores of every run: output folders are scored, files are read.

    Parameters
    ----------
    runs : mapping of str to Path
        By name.
    reference : Path or None
        What output folders are scored against; without it they must hold a ``scores.json``.
    settings : EvaluationOptions
    jobs : int
        Processes side by side.

    Raises
    ------
    UsageError
        If an output folder has neither a reference nor scores.
    """
    from genotex.bench.evaluation.run_record import holds_outputs
    from genotex.bench.evaluation.score_files import SCORES_FILE, read_scores

    anew = [name for name, path in runs.items() if reference is not None and holds_outputs(path)]
    for name, path in runs.items():
        if name not in anew and holds_outputs(path) and not (path / SCORES_FILE).is_file():
            msg = f"{path} is an output folder: name the folder to score it against with -r"
            raise UsageError(msg)
    scores = {name: read_scores(path) for name, path in runs.items() if name not in anew}
    if reference is not None and anew:
        folders = [runs[name] for name in anew]
        found = evaluate_with_progress(folders, reference, settings, jobs)
        scores.update(zip(anew, found, strict=True))
    return {name: scores[name] for name in runs}
