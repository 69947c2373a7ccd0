"""`genotex bench leaderboard`: submitted run folders as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import screen
from genotex.cli.compare import RunPaths, Scoring, score_runs
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError

__all__ = ["leaderboard"]


@with_options
def leaderboard(
    runs: RunPaths,
    scoring: Scoring,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Write the page there.")
    ],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the bootstrap.")] = 0,
) -> None:
    r"""Build a leaderboard of run folders: a page that opens without network.

    Every folder is checked first: its files must have the digests that its run
    wrote at its end. Scores are computed from the files, never taken from a
    submission.

    Examples:
      genotex bench leaderboard rules lasso agent -r reference -o site

      genotex bench leaderboard submissions/* -r output -o site \
          --rules published --task-info metadata/task_info.json
    """
    from genotex.bench.evaluation.run_manifest import check_run
    from genotex.bench.evaluation.run_record import name_runs
    from genotex.bench.evaluation.score_files import check_folder
    from genotex.reports.leaderboard import build_leaderboard, write_leaderboard

    check_folder(output)
    folders = name_runs(runs)
    if scoring.reference is None:
        msg = "submissions are scored here; name the folder to score them against with -r"
        raise UsageError(msg)
    for folder in folders.values():
        check_run(folder)
    scores = score_runs(folders, scoring.reference, scoring.options(), scoring.jobs)
    board = build_leaderboard(scores, folders, seed=seed)
    page = write_leaderboard(output, board)
    for entry in board.group.entries:
        screen.show(f"{entry.label}: F1 {entry.cell('f1')}, {_cost(entry.per_problem)}")
    for note in board.notes:
        screen.notify(note, "note")
    screen.show(f"page: {page}")


def _cost(per_problem: float | None) -> str:
    return "cost unknown" if per_problem is None else f"${per_problem:.4g} a problem"
