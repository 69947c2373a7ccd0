"""The answer of a model about a series: its form, its check against the series, its meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from genotex.clinical.annotator.question import shown_cell
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import (
    FEATURES,
    ClinicalAnnotation,
    FeatureEncoding,
    annotation_from_json,
)
from genotex.errors import EncodingFileError
from genotex.features import simple_key, split_cell
from genotex.formats import Confidence, Role

_SHOWN = 8
_LONGEST_WHY, _LONGEST_KEY = 500, 200

Place = Literal["characteristics_ch1", "title", "source_name_ch1", "description"]


@dataclass(frozen=True)
class CodedValue:
    """A raw cell, or a part of several, and its code."""

    cell: str = field(metadata={"description": "exactly as shown, with its header"})
    code: float | None = field(metadata={"description": "null where the value is not known"})
    role: Role | None = field(
        default=None, metadata={"description": "of a trait with two groups; else null"}
    )
    part: bool = field(
        default=False,
        metadata={"description": "true: every cell that contains this text has the code"},
    )


@dataclass(frozen=True)
class FeatureAnswer:
    """Where a feature is, and how each value is coded."""

    row: int | None = field(
        metadata={"description": "row of characteristics, from 0; null for another place"}
    )
    key: str = field(metadata={"description": "header of the cells; empty if they have none"})
    kind: Literal["binary", "continuous"]
    values: list[CodedValue]
    why: str
    confidence: Confidence
    parser: Literal["age_years", "sex", "number"] | None = field(
        default=None,
        metadata={"description": "how cells that are not listed are read; null: not at all"},
    )
    place: Place = "characteristics_ch1"


@dataclass(frozen=True)
class ClinicalAnswer:
    """The annotation of a series for a trait; null for a feature that is not recorded."""

    gene_expression: bool = field(
        metadata={"description": "the series holds human gene expression"}
    )
    why: str = field(metadata={"description": "why it does, or does not"})
    trait: FeatureAnswer | None
    age: FeatureAnswer | None
    gender: FeatureAnswer | None


def answer_about(description: SeriesDescription) -> type[ClinicalAnswer]:
    """Return the kind of answer that is checked against a series."""

    @dataclass(frozen=True)
    class AnswerAboutSeries(ClinicalAnswer):
        __doc__ = ClinicalAnswer.__doc__
        series: ClassVar[SeriesDescription] = description

        def __post_init__(self) -> None:
            try:
                annotation_of(self, self.series, "")
            except EncodingFileError as error:
                raise ValueError(str(error)) from error

    return AnswerAboutSeries


def annotation_of(answer: ClinicalAnswer, series: SeriesDescription, by: str) -> ClinicalAnnotation:
    """Return an answer as an annotation; raises EncodingFileError if it does not fit the series."""
    features: dict[str, FeatureAnswer | None] = {n: getattr(answer, n) for n in FEATURES}
    data: dict[str, Any] = {
        "gene": {"available": answer.gene_expression, "reason": _short(answer.why)},
        **{
            name: None if found is None else _feature(name, found, series, by)
            for name, found in features.items()
        },
        "by": by,
        "untold": {
            name: "the model found no record of it"
            for name, found in features.items()
            if found is None
        },
    }
    return annotation_from_json(data)


def _short(text: str) -> str:
    """Return a model's reason as one line of bounded length."""
    return " ".join(text.split())[:_LONGEST_WHY]


def _feature(name: str, found: FeatureAnswer, series: SeriesDescription, by: str) -> dict[str, Any]:
    listed = _by_cell(name, found, series)
    return {
        "row": found.row,
        "key": _key(found, series),
        "kind": found.kind,
        "values": {cell: value.code for cell, value in listed.items()},
        "roles": {c: v.role for c, v in listed.items() if v.role is not None and name == "trait"},
        "parser": found.parser,
        "confidence": found.confidence,
        "evidence": [_short(found.why)],
        "sample_field": found.place,
        "told_by": by,
    }


def _key(found: FeatureAnswer, series: SeriesDescription) -> str:
    """Return the header as the row has it, the most frequent one where the answer has another."""
    if found.place != "characteristics_ch1" or found.row is None:
        return found.key[:_LONGEST_KEY]
    there = Counter(split_cell(cell)[0] for cell in series.characteristics[found.row] if cell)
    alike = {simple_key(key): key for key in there}
    usual = there.most_common(1)[0][0] if there and found.key else ""
    return alike.get(simple_key(found.key), usual)


def _by_cell(
    name: str, found: FeatureAnswer, series: SeriesDescription
) -> Mapping[str, CodedValue]:
    """Return what is said of each cell, as the series spells it, also where its header is missing.

    A cell that contains several parts has the code of the longest.
    """
    own = _cells(name, found, series)
    cells = list(dict.fromkeys([*own, *_slipped(found, series)]))
    bare = {simple_key(split_cell(cell)[1]): cell for cell in cells}
    alike = bare | {simple_key(shown_cell(cell)): cell for cell in cells}
    alike |= {simple_key(cell): cell for cell in cells}
    exact = set(cells)
    known: dict[str, CodedValue] = {}
    for value in sorted(found.values, key=lambda value: len(value.cell)):
        if value.part and simple_key(value.cell):
            text = simple_key(value.cell)
            known |= {cell: value for cell in cells if text in simple_key(cell)}
    for value in found.values:
        if value.part:
            continue
        cell = value.cell if value.cell in exact else alike.get(simple_key(value.cell))
        if cell is not None:
            known[cell] = value
    if found.values and not any(cell in known for cell in own):
        shown = ", ".join(repr(shown_cell(cell)) for cell in own[:_SHOWN])
        msg = f"none of the values of {name} is in the series; its values are {shown}"
        raise EncodingFileError(msg)
    return known


def _cells(name: str, answer: FeatureAnswer, series: SeriesDescription) -> Sequence[str]:
    if answer.place == "characteristics_ch1":
        rows = series.characteristics
        if answer.row is None or not 0 <= answer.row < len(rows):
            msg = f"{name}: the series has no row {answer.row}; its rows are 0 to {len(rows) - 1}"
            raise EncodingFileError(msg)
        found = rows[answer.row]
    else:
        lines = {"title": (series.titles,), "source_name_ch1": (series.source_names,)}
        places = lines.get(answer.place, series.descriptions)
        found = tuple(cell for line in places for cell in line)
    return tuple(dict.fromkeys(cell for cell in found if cell is not None))


def _slipped(answer: FeatureAnswer, series: SeriesDescription) -> Iterator[str]:
    """Yield the cells of the same key, also in other rows, where columns have slipped."""
    wanted = simple_key(answer.key)
    if answer.place != "characteristics_ch1" or not wanted:
        return
    for row in series.characteristics:
        yield from (cell for cell in row if cell and simple_key(split_cell(cell)[0]) == wanted)


def answer_of(reading: ClinicalAnnotation) -> dict[str, Any]:
    """Return an annotation as the answer that a model would give, as plain JSON values."""
    return {
        "gene_expression": reading.gene.available,
        "why": reading.gene.reason,
        **{name: _answer(getattr(reading, name)) for name in FEATURES},
    }


def _answer(encoding: FeatureEncoding | None) -> dict[str, Any] | None:
    if encoding is None:
        return None
    return {
        "row": encoding.row,
        "key": encoding.key,
        "kind": encoding.kind,
        "values": [
            {"cell": cell, "code": code, "role": encoding.roles.get(cell)}
            for cell, code in encoding.values.items()
        ],
        "why": " ".join(encoding.evidence) or "by the built-in rules",
        "confidence": encoding.confidence,
        "parser": encoding.parser,
        "place": encoding.sample_field,
    }
