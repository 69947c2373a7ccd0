"""Scores read back from ``scores.json``, or from what ``genotex evaluate --json`` printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from genotex.bench.evaluation.score_files import SCORES_FILE
from genotex.bench.evaluation.scores import (
    AnalysisScore,
    FilteringScore,
    Missing,
    PreprocessingScore,
    Scores,
    SelectionScore,
    Table,
)
from genotex.bench.evaluation.summary import item_key
from genotex.bench.problems import Problem, ProblemKind
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object

__all__ = ["read_scores"]

HINT = "give a scores.json of 'genotex evaluate -o', or what 'genotex evaluate --json' printed"

Item = TypeVar("Item")
Result = TypeVar("Result")


def read_scores(path: Path) -> Scores:
    """Read the items of an evaluation; its averages are computed from them again.

    Parameters
    ----------
    path : Path
        The JSON file, or a folder with ``scores.json``.

    Raises
    ------
    FormatError
        If the file holds something else; names the field.
    """
    if path.is_dir():
        path = path / SCORES_FILE
    content = read_json_object(path, HINT)
    reader = _Reader(path)
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


class _Reader:
    """Takes fields out of JSON objects and says which one is not what it should be."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def wrong(self, place: str, wanted: str) -> FormatError:
        return FormatError(f"expected {wanted}", path=self._path, field=place, hint=HINT)

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

    def items(self, content: Mapping[str, Any], name: str, kind: type[Item]) -> tuple[Item, ...]:
        items = self._each(content, name, lambda value, place: self._item(value, place, kind))
        if kind is not Missing:
            self._check(name, items)
        return items

    def _each(
        self, content: Mapping[str, Any], name: str, read: Callable[[Any, str], Result]
    ) -> tuple[Result, ...]:
        values = content.get(name, [])
        if not isinstance(values, list):
            raise self.wrong(name, "a list")
        return tuple(read(value, f"{name}[{i}]") for i, value in enumerate(values))

    def _text(self, value: Any, place: str) -> str:
        if not isinstance(value, str):
            raise self.wrong(place, "a text")
        return value

    def _item(self, record: Any, place: str, kind: type[Item]) -> Item:
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
        """Refuse what is there twice and what is no problem."""
        seen = set()
        for i, item in enumerate(items):
            place = f"{name}[{i}]"
            if item_key(item) in seen:
                raise self.wrong(place, f"{' '.join(item_key(item))} but once")
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
