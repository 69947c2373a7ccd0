"""Write an evaluation as files: the page, and the tables beside it."""

from __future__ import annotations

from pathlib import Path

from genotex.bench.evaluation.score_files import score_texts, write_texts
from genotex.bench.evaluation.scores import Scores
from genotex.bench.evaluation.summary import Summary
from genotex.reports.rendering import render_template
from genotex.reports.scores.building import build_scores_page

__all__ = ["PAGE_FILE", "write_scores"]

PAGE_FILE = "scores.html"


def write_scores(folder: Path, scores: Scores, summary: Summary) -> Path:
    """Write ``scores.json``, a CSV file for each task, Markdown and the page.

    Parameters
    ----------
    folder : Path
        Made when missing; files of an earlier evaluation are replaced one by one.
    scores : Scores
        The items.
    summary : Summary
        Their averages.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        If `folder` is a file.
    """
    page = render_template("scores.html.j2", build_scores_page(scores, summary))
    # The page comes last: it never names a table that is not there.
    write_texts(folder, score_texts(scores, summary) | {PAGE_FILE: page})
    return folder / PAGE_FILE
