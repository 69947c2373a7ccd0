"""Runs side by side as a page and as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import genotex
from genotex.bench.evaluation.comparison import RunComparison
from genotex.bench.evaluation.comparison_tables import (
    comparison_texts,
    difference_tables,
    how_compared,
    side_by_side_table,
)
from genotex.bench.evaluation.score_files import write_texts
from genotex.bench.evaluation.score_tables import settings_rows
from genotex.reports.rendering import render_template
from genotex.reports.scores.drawing import average_figures
from genotex.reports.scores.page import PageSection, ScoresPage
from genotex.reports.words import listed, sentence

__all__ = ["write_comparison"]

COMPARISON_PAGE = "comparison.html"


def write_comparison(folder: Path, comparison: RunComparison) -> Path:
    """Write a comparison as JSON, CSV, Markdown and a page.

    Parameters
    ----------
    folder : Path
        Made when missing; files of an earlier comparison are replaced one by one.
    comparison : RunComparison
        The runs.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        If `folder` is a file.
    """
    page = render_template("scores.html.j2", _build(comparison))
    write_texts(folder, comparison_texts(comparison) | {COMPARISON_PAGE: page})
    return folder / COMPARISON_PAGE


def _build(comparison: RunComparison) -> ScoresPage:
    names = [run.name for run in comparison.runs]
    question = "Which of them comes closer to the reference, and is that more than chance?"
    if not comparison.differences:
        question = "How far do they agree?"
    return ScoresPage(
        title=listed(names),
        question=question,
        facts=tuple((run.name, run.scores.prediction) for run in comparison.runs),
        sections=tuple(_sections(comparison)),
        version=genotex.__version__,
    )


def _sections(comparison: RunComparison) -> Iterator[PageSection]:
    figures = average_figures({run.name: run.summary for run in comparison.runs})
    table = side_by_side_table(comparison)
    yield PageSection("averages", "Side by side", "Side by side", figures=figures, tables=(table,))
    if differences := difference_tables(comparison):
        yield PageSection(
            "differences", "Differences", f"Differences to {comparison.baseline}",
            "Both sides were scored on the same items. An interval without 0 says that other "
            "problems of the same kind would hardly turn the difference around.",
            tables=differences,
        )  # fmt: skip
    settings = settings_rows(comparison.runs[0].scores)
    remarks = [how_compared(comparison), *comparison.notes]
    remarks += [f"{name}: {value}" for name, value in settings]
    yield PageSection(
        "how", "How", "How these numbers were made", f"Computed by genotex {genotex.__version__}.",
        remarks=tuple(map(sentence, remarks)),
    )  # fmt: skip
