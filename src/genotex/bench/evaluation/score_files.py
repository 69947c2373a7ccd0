"""Scores as files: JSON that can be read back, CSV for each task, Markdown for people."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

from genotex.bench.evaluation.figures import Section, Table, to_markdown
from genotex.bench.evaluation.score_tables import (
    average_tables,
    kind_table,
    missing_table,
    settings_rows,
)
from genotex.bench.evaluation.scores import (
    FIGURES,
    AnalysisScore,
    FilteringScore,
    Missing,
    PreprocessingScore,
    Scores,
    SelectionScore,
)
from genotex.bench.evaluation.summary import Average, Summary, item_key, to_json
from genotex.errors import FormatError, UsageError
from genotex.formats import inert, read_json_object
from genotex.io import atomic_write
from genotex.problems import Problem
from genotex.records import checked


def check_folder(folder: Path) -> None:
    """Refuse a file where a folder for results is expected, before anything is computed."""
    if folder.exists() and not folder.is_dir():
        msg = f"{folder} is a file; give a folder for the results"
        raise UsageError(msg)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, in this order."""
    check_folder(folder)
    for name, text in texts.items():
        with atomic_write(folder / name) as part:
            part.write_text(text, encoding="utf-8")


SCORES_FILE = "scores.json"
"""The complete file; the others are for people and spreadsheets."""

FIGURE_COLUMNS = (
    "section", "figure", "unit", "average", "ci_low", "ci_high", "scored", "undefined",
)  # fmt: skip
"""Columns of `average_rows`."""


def score_texts(scores: Scores, summary: Summary) -> dict[str, str]:
    """Return name and content of every file but the page; a task without items has its header."""
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
    writer.writerows(
        {key: inert(cell) if isinstance(cell, str) else cell for key, cell in row.items()}
        for row in rows
    )
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


_HINT = "give a scores.json of 'genotex evaluate -o', or what 'genotex evaluate --json' printed"

_KINDS: Mapping[str, type[Any]] = {
    "filtering": FilteringScore, "selection": SelectionScore, "analysis": AnalysisScore,
}  # fmt: skip


def read_scores(path: Path) -> Scores:
    """Read the items of an evaluation; its averages are computed from them again."""
    if path.is_dir():
        path = path / SCORES_FILE
    # A number that is not finite is refused with its field.
    content = read_json_object(path, _HINT, finite=False)
    for name, kind in _KINDS.items():
        if name in content:
            content[name] = _completed(content[name], kind)
    tables = content.get("preprocessing")
    if isinstance(tables, dict):
        content["preprocessing"] = {
            table: _completed(tables[table], PreprocessingScore)
            for table in get_args(Table)
            if table in tables
        }
    scores = checked(Scores, content, path=path, hint=_HINT)
    for name in _KINDS:
        _check(name, getattr(scores, name), path)
    for table, items in scores.preprocessing.items():
        _check(f"preprocessing.{table}", items, path)
    return scores


def _completed(items: Any, kind: type[Any]) -> Any:
    """Return items with null for what they lack: a figure that is undefined may be left out."""
    if not isinstance(items, list):
        return items
    empty = dict.fromkeys(_names(kind))
    return [empty | item if isinstance(item, dict) else item for item in items]


def _check(name: str, items: Sequence[Any], path: Path) -> None:
    """Refuse duplicates and invalid problems."""
    seen = set()
    for i, item in enumerate(items):
        wanted = _wanted(item)
        if item_key(item) in seen:
            wanted = f"{' '.join(item_key(item))} only once"
        if wanted:
            msg = f"expected {wanted}"
            raise FormatError(msg, path=path, field=f"{name}[{i}]", hint=_HINT)
        seen.add(item_key(item))


def _wanted(item: Any) -> str:
    """Return what an item should have been; empty where it is right."""
    if not isinstance(item, SelectionScore | AnalysisScore):
        return ""
    try:
        problem = Problem(item.trait, item.condition)
    except UsageError as error:
        return f"a problem: {error}"
    if isinstance(item, SelectionScore):
        return ""
    if item.kind is not problem.kind:
        return f"the kind {problem.kind.value} of {problem}"
    return "a whole number of genes" if min(item.predicted, item.reference) < 0 else ""
