"""The structured agent: a model answers the clinical questions with data, and writes no code.

Everything else goes the direct road. What it answers is what a person may edit in an encoding
file, checked in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from genotex.agents.models import RoleModels
from genotex.agents.questions import Questions
from genotex.agents.task import Task
from genotex.clinical import (
    FEATURES,
    ClinicalAnnotation,
    Confidence,
    FeatureEncoding,
    SeriesDescription,
    annotation_from_json,
    simple_key,
    split_cell,
)
from genotex.errors import EncodingFileError
from genotex.formats import Role

__all__ = ["ClinicalAnswer", "ModelExpert", "answer_of"]

_SHOWN = 8

Place = Literal["characteristics_ch1", "title", "source_name_ch1", "description"]


@dataclass(frozen=True)
class CodedValue:
    """A raw cell and its code."""

    cell: str = field(metadata={"description": "as it stands there, with its header"})
    code: float | None = field(metadata={"description": "null where the value is not known"})
    role: Role | None = field(
        default=None, metadata={"description": "of a trait with two groups; else null"}
    )


@dataclass(frozen=True)
class FeatureAnswer:
    """Where a feature stands, and how each value is coded."""

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
    """What a series tells about a trait; null for a feature that it does not tell."""

    gene_expression: bool = field(
        metadata={"description": "the series holds human gene expression"}
    )
    why: str = field(metadata={"description": "why it does, or does not"})
    trait: FeatureAnswer | None
    age: FeatureAnswer | None
    gender: FeatureAnswer | None


class ModelExpert:
    """Reads a series by asking a model (see `clinical.Expert`).

    Parameters
    ----------
    models : RoleModels
        The role ``expert`` is asked.
    task : Task
        The cohort.
    """

    def __init__(self, models: RoleModels, task: Task) -> None:
        self._models = models
        self._task = task

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Read a series for a trait.

        Raises
        ------
        BadAnswerError
            If the answer does not fit the series, also when asked again.
        RefusedError
            If the model refuses.
        """
        request = Questions(self._task).encode(description)
        answer = self._models.ask_for(request, _answer_about(description)).value
        return _reading(answer, description, self._models.model_of("expert").name)


def _answer_about(description: SeriesDescription) -> type[ClinicalAnswer]:
    """Return the kind of answer that is checked against a series."""

    @dataclass(frozen=True)
    class AnswerAboutSeries(ClinicalAnswer):
        __doc__ = ClinicalAnswer.__doc__
        series: ClassVar[SeriesDescription] = description

        def __post_init__(self) -> None:
            try:
                _reading(self, self.series, "")
            except EncodingFileError as error:
                raise ValueError(str(error)) from error

    return AnswerAboutSeries


def _reading(answer: ClinicalAnswer, series: SeriesDescription, by: str) -> ClinicalAnnotation:
    """Return an answer as a reading.

    Raises
    ------
    EncodingFileError
        If it contradicts itself, or names what the series does not have.
    """
    features: dict[str, FeatureAnswer | None] = {n: getattr(answer, n) for n in FEATURES}
    data: dict[str, Any] = {
        "gene": {"available": answer.gene_expression, "reason": answer.why},
        **{
            name: None if told is None else _feature(name, told, series, by)
            for name, told in features.items()
        },
        "by": by,
        "untold": {
            name: "the model says that nothing tells it"
            for name, told in features.items()
            if told is None and name != "trait"
        },
    }
    return annotation_from_json(data)


def _feature(name: str, told: FeatureAnswer, series: SeriesDescription, by: str) -> dict[str, Any]:
    known = _spelling(name, told, series)
    listed = {known.get(value.cell, value.cell): value for value in told.values}
    return {
        "row": told.row,
        "key": told.key,
        "kind": told.kind,
        "values": {cell: value.code for cell, value in listed.items()},
        "roles": {c: v.role for c, v in listed.items() if v.role is not None and name == "trait"},
        "parser": told.parser,
        "confidence": told.confidence,
        "evidence": [told.why],
        "sample_field": told.place,
        "told_by": by,
    }


def _spelling(name: str, told: FeatureAnswer, series: SeriesDescription) -> Mapping[str, str]:
    """Return each listed cell as the series spells it, also where its header is left out."""
    cells = _cells(name, told, series)
    bare = {simple_key(split_cell(cell)[1]): cell for cell in cells}
    alike = bare | {simple_key(cell): cell for cell in cells}
    exact = set(cells)
    known = {
        value.cell: value.cell if value.cell in exact else alike[simple_key(value.cell)]
        for value in told.values
        if value.cell in exact or simple_key(value.cell) in alike
    }
    if told.values and not known:
        shown = ", ".join(repr(cell) for cell in list(cells)[:_SHOWN])
        msg = f"none of the values of {name} stands there; what stands there is {shown}"
        raise EncodingFileError(msg)
    return known


def _cells(name: str, told: FeatureAnswer, series: SeriesDescription) -> Sequence[str]:
    if told.place == "characteristics_ch1":
        rows = series.characteristics
        if told.row is None or not 0 <= told.row < len(rows):
            msg = f"{name}: the series has no row {told.row}; its rows are 0 to {len(rows) - 1}"
            raise EncodingFileError(msg)
        found = rows[told.row]
    else:
        lines = {"title": (series.titles,), "source_name_ch1": (series.source_names,)}
        places = lines.get(told.place, series.descriptions)
        found = tuple(cell for line in places for cell in line)
    return tuple(dict.fromkeys(cell for cell in found if cell is not None))


def answer_of(reading: ClinicalAnnotation) -> dict[str, Any]:
    """Return a reading as the answer that a model would give, as plain JSON values."""
    return {
        "gene_expression": reading.gene.available,
        "why": reading.gene.reason,
        **{name: _told(getattr(reading, name)) for name in FEATURES},
    }


def _told(encoding: FeatureEncoding | None) -> dict[str, Any] | None:
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
        "why": " ".join(encoding.evidence) or "the rules say so",
        "confidence": encoding.confidence,
        "parser": encoding.parser,
        "place": encoding.sample_field,
    }
