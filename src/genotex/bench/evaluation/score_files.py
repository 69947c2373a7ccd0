"""Scores as files: JSON that can be read back, CSV for each task, Markdown for people."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from genotex.bench.evaluation.figures import Section, Table
from genotex.bench.evaluation.plain_table import to_markdown
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
from genotex.bench.problems import Problem, ProblemKind
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.io import atomic_write

__all__ = ["read_scores"]


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


_HINT = "give a scores.json of 'genotex evaluate -o', or what 'genotex evaluate --json' printed"

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def read_scores(path: Path) -> Scores:
    """Read the items of an evaluation; its averages are computed from them again.

    Parameters
    ----------
    path
        The JSON file, or a folder with ``scores.json``.

    Raises
    ------
    FormatError
        If the file is not such a file; names the field.
    """
    if path.is_dir():
        path = path / SCORES_FILE
    content = read_json_object(path, _HINT)
    reader = _ScoresReader(path)
    tables = reader.mapping(content, "preprocessing")
    return Scores(
        prediction=reader.text(content, "prediction"),
        reference=reader.text(content, "reference"),
        filtering=reader.items(content, "filtering", FilteringScore),
        selection=reader.items(content, "selection", SelectionScore),
        preprocessing={
            table: reader.items(tables, table, PreprocessingScore)
            for table in get_args(Table)
            if table in tables
        },
        analysis=reader.items(content, "analysis", AnalysisScore),
        tasks=reader.texts(content, "tasks"),
        settings=reader.mapping(content, "settings"),
        missing=reader.items(content, "missing", Missing),
        notes=reader.texts(content, "notes"),
    )


class _ScoresReader:
    """Reads fields of JSON objects and names the one that is invalid."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def wrong(self, place: str, wanted: str) -> FormatError:
        return FormatError(f"expected {wanted}", path=self._path, field=place, hint=_HINT)

    def text(self, content: Mapping[str, Any], name: str) -> str:
        value = content.get(name)
        if not isinstance(value, str):
            raise self.wrong(name, "the name of a folder")
        return value

    def texts(self, content: Mapping[str, Any], name: str) -> tuple[str, ...]:
        return self._each(content, name, self._text)

    def mapping(self, content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = content.get(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return value

    def items(self, content: Mapping[str, Any], name: str, kind: type[_Item]) -> tuple[_Item, ...]:
        items = self._each(content, name, lambda value, place: self._item(value, place, kind))
        if kind is not Missing:
            self._check(name, items)
        return items

    def _each(
        self, content: Mapping[str, Any], name: str, read: Callable[[Any, str], _Result]
    ) -> tuple[_Result, ...]:
        values = content.get(name, [])
        if not isinstance(values, list):
            raise self.wrong(name, "a list")
        return tuple(read(value, f"{name}[{i}]") for i, value in enumerate(values))

    def _text(self, value: Any, place: str) -> str:
        if not isinstance(value, str):
            raise self.wrong(place, "a text")
        return value

    def _item(self, record: Any, place: str, kind: type[_Item]) -> _Item:
        if not isinstance(record, dict):
            raise self.wrong(place, "an object")
        hints = get_type_hints(kind)
        for name, hint in hints.items():
            if not _fits(record.get(name), hint):
                place = f"{place}.{name}"
                raise self.wrong(place, _in_words(hint))
        known = {name: _taken(record.get(name), hint) for name, hint in hints.items()}
        return kind(**known)

    def _check(self, name: str, items: Sequence[Any]) -> None:
        """Refuse duplicates and invalid problems."""
        seen = set()
        for i, item in enumerate(items):
            place = f"{name}[{i}]"
            if item_key(item) in seen:
                raise self.wrong(place, f"{' '.join(item_key(item))} only once")
            seen.add(item_key(item))
            if isinstance(item, SelectionScore | AnalysisScore):
                self._check_problem(place, item)

    def _check_problem(self, place: str, item: SelectionScore | AnalysisScore) -> None:
        try:
            problem = Problem(item.trait, item.condition)
        except UsageError as error:
            raise self.wrong(place, f"a problem: {error}") from error
        if isinstance(item, AnalysisScore) and item.kind is not problem.kind:
            raise self.wrong(place, f"the kind {problem.kind.value} of {problem}")


def _fits(value: Any, hint: Any) -> bool:
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if hint is ProblemKind:
        return value in list(ProblemKind)
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_args(hint):
        return any(_fits(value, one) for one in get_args(hint))
    return isinstance(value, hint)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _taken(value: Any, hint: Any) -> Any:
    """Return a value that fits; 100 and 100.0 are the same figure."""
    if hint is ProblemKind:
        return ProblemKind(value)
    if float in (hint, *get_args(hint)) and value is not None:
        return float(value)
    return value


def _in_words(hint: Any) -> str:
    words = {float: "a finite number", int: "a whole number", str: "a text", NoneType: "null"}
    if hint is ProblemKind:
        return " or ".join(kind.value for kind in ProblemKind)
    if get_origin(hint) is Literal:
        return " or ".join(get_args(hint))
    if get_args(hint):
        return " or ".join(_in_words(one) for one in get_args(hint))
    return words[hint]
