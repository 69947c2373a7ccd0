"""Scores as files: JSON that can be read back, CSV for each task, Markdown for people."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from genotex.bench.evaluation.figures import FIGURES, Section
from genotex.bench.evaluation.plain_table import to_markdown
from genotex.bench.evaluation.score_tables import (
    average_tables,
    kind_table,
    missing_table,
    settings_rows,
)
from genotex.bench.evaluation.scores import (
    AnalysisScore,
    FilteringScore,
    Missing,
    PreprocessingScore,
    Scores,
    SelectionScore,
)
from genotex.bench.evaluation.summary import Average, Summary, to_json

__all__ = ["FIGURE_COLUMNS", "SCORES_FILE", "average_rows", "json_text", "score_texts", "to_csv"]

SCORES_FILE = "scores.json"
"""The file that holds everything; the others are for people and spreadsheets."""

FIGURE_COLUMNS = (
    "section", "figure", "unit", "average", "ci_low", "ci_high", "scored", "undefined",
)  # fmt: skip
"""Columns of `average_rows`."""


def score_texts(scores: Scores, summary: Summary) -> dict[str, str]:
    """Return name and content of every file but the page; a task without items has its header.

    Parameters
    ----------
    scores : Scores
        The items.
    summary : Summary
        Their averages.

    Returns
    -------
    dict of str to str
        ``scores.json`` last, so that whoever writes in this order never leaves it without the rest.
    """
    tables = [
        {"table": table, **asdict(item)}
        for table, items in scores.preprocessing.items()
        for item in items
    ]
    return {
        "averages.csv": to_csv(("kind", *FIGURE_COLUMNS), _by_kind(summary)),
        "filtering.csv": _item_csv(FilteringScore, scores.filtering),
        "selection.csv": _item_csv(SelectionScore, scores.selection),
        "preprocessing.csv": to_csv(("table", *_names(PreprocessingScore)), tables),
        "analysis.csv": _item_csv(AnalysisScore, scores.analysis),
        "missing.csv": _item_csv(Missing, scores.missing),
        "scores.md": _markdown(scores, summary),
        SCORES_FILE: json_text(to_json(scores, summary)),
    }


def json_text(content: object) -> str:
    """Return plain values as the text of a JSON file."""
    return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def to_csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as CSV, numbers over full precision, empty where there is no value."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _item_csv(kind: type[Any], items: Sequence[Any]) -> str:
    return to_csv(_names(kind), map(asdict, items))


def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _by_kind(summary: Summary) -> Iterator[dict[str, Any]]:
    kinds = {"all": summary.sections} | {k.value: s for k, s in summary.by_kind.items()}
    for kind, sections in kinds.items():
        for row in average_rows(sections):
            yield {"kind": kind, **row}


def average_rows(sections: Mapping[Section, Mapping[str, Average]]) -> Iterator[dict[str, Any]]:
    """Yield every figure of some sections under the names of `FIGURE_COLUMNS`."""
    for section, averages in sections.items():
        for figure in FIGURES[section]:
            found = averages[figure.key]
            low, high = found.interval or (None, None)
            cells = (
                section, figure.key, figure.unit, found.average, low, high, found.scored,
                found.undefined,
            )  # fmt: skip
            yield dict(zip(FIGURE_COLUMNS, cells, strict=True))


def _markdown(scores: Scores, summary: Summary) -> str:
    settings = [f"- {name}: {value}" for name, value in settings_rows(scores)]
    head = [
        "# Scores",
        f"`{scores.prediction}` against `{scores.reference}`. Figures without % are fractions or "
        f"counts; intervals: bootstrap over the items, {summary.draws:,} draws, seed "
        f"{summary.seed}.",
        "\n".join(settings),
        "\n".join(f"- Note: {note}" for note in scores.notes),
    ]
    tables = [*average_tables(summary), kind_table(summary), missing_table(scores)]
    parts = [*filter(None, head), *(to_markdown(table).rstrip() for table in tables if table)]
    return "\n\n".join(parts) + "\n"
