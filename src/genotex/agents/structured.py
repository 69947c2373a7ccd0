"""Agents that write no code: a model answers with data, and a program does the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from genotex.agents.prompts import render_prompt
from genotex.agents.questions import Card, Questions
from genotex.agents.task import Task
from genotex.clinical import (
    FEATURES,
    ClinicalAnnotation,
    FeatureEncoding,
    SeriesDescription,
    annotation_from_json,
)
from genotex.errors import EncodingFileError
from genotex.features import simple_key, split_cell
from genotex.formats import Confidence, Role
from genotex.models import Message, Request, RoleModels

_SHOWN = 8

Place = Literal["characteristics_ch1", "title", "source_name_ch1", "description"]


@dataclass(frozen=True)
class CodedValue:
    """A raw cell and its code."""

    cell: str = field(metadata={"description": "exactly as shown, with its header"})
    code: float | None = field(metadata={"description": "null where the value is not known"})
    role: Role | None = field(
        default=None, metadata={"description": "of a trait with two groups; else null"}
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


class ModelExpert:
    """Annotates a series by asking a model (see `clinical.Expert`)."""

    def __init__(self, models: RoleModels, task: Task) -> None:
        self._models = models
        self._task = task

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Read a series for a trait."""
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
    """Return an answer as an annotation."""
    features: dict[str, FeatureAnswer | None] = {n: getattr(answer, n) for n in FEATURES}
    data: dict[str, Any] = {
        "gene": {"available": answer.gene_expression, "reason": answer.why},
        **{
            name: None if found is None else _feature(name, found, series, by)
            for name, found in features.items()
        },
        "by": by,
        "untold": {
            name: "the model found no record of it"
            for name, found in features.items()
            if found is None and name != "trait"
        },
    }
    return annotation_from_json(data)


def _feature(name: str, found: FeatureAnswer, series: SeriesDescription, by: str) -> dict[str, Any]:
    known = _spelling(name, found, series)
    listed = {known.get(value.cell, value.cell): value for value in found.values}
    return {
        "row": found.row,
        "key": found.key,
        "kind": found.kind,
        "values": {cell: value.code for cell, value in listed.items()},
        "roles": {c: v.role for c, v in listed.items() if v.role is not None and name == "trait"},
        "parser": found.parser,
        "confidence": found.confidence,
        "evidence": [found.why],
        "sample_field": found.place,
        "told_by": by,
    }


def _spelling(name: str, found: FeatureAnswer, series: SeriesDescription) -> Mapping[str, str]:
    """Return each listed cell as the series spells it, also where its header is left out."""
    cells = _cells(name, found, series)
    bare = {simple_key(split_cell(cell)[1]): cell for cell in cells}
    alike = bare | {simple_key(cell): cell for cell in cells}
    exact = set(cells)
    known = {
        value.cell: value.cell if value.cell in exact else alike[simple_key(value.cell)]
        for value in found.values
        if value.cell in exact or simple_key(value.cell) in alike
    }
    if found.values and not known:
        shown = ", ".join(repr(cell) for cell in list(cells)[:_SHOWN])
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


MOST_GENES = 100


@dataclass(frozen=True)
class KnownGenes:
    """Genes that are significantly associated with a trait."""

    genes: list[str] = field(
        metadata={"description": "official human gene symbols, the most important first"}
    )

    def __post_init__(self) -> None:
        """Refuse what can be no symbol."""
        for gene in self.genes:
            if not gene or not gene.isprintable() or any(sign.isspace() for sign in gene):
                msg = f"{gene!r} is not a gene symbol; give symbols alone, as TP53"
                raise ValueError(msg)


def ask_without_data(models: RoleModels, task: Task) -> list[str]:
    """Ask once which genes are associated with a problem's trait; no data is shown."""
    question = render_prompt("zero_shot/question.md.j2", task=task, most_genes=MOST_GENES)
    card = Card("expert", "zero_shot", task)
    messages = (Message("system", render_prompt("zero_shot/role.md.j2")), Message("user", question))
    request = Request("expert", messages, facts=card.facts())
    answer = models.ask_for(request, KnownGenes).value
    return list(dict.fromkeys(answer.genes))[:MOST_GENES]
