"""Labels and predictions of series, and the JSON Lines files that hold them.

A case is one JSON object on a line: ``id``, ``trait``, ``cohort``, and ``labels``, which holds one
label for each set of labels that covers the case.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from genotex.errors import FormatError, UsageError
from genotex.formats import Confidence, read_json_lines
from genotex.layout import trait_folder_name

Feature = Literal["trait", "age", "gender"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
_NEEDED = ("is_gene_available", *FEATURES)
"""Fields that every label has."""


@dataclass(frozen=True)
class FeatureLabel:
    """The row of a feature, and the code of each raw cell."""

    row: int  # characteristics row, numbered from 0
    # raw cell ("disease state: healthy control") -> code; None is missing
    map: Mapping[str, float | None]


@dataclass(frozen=True)
class Label:
    """A label or prediction of a series for one trait."""

    is_gene_available: bool  # whether it is human gene expression
    trait: FeatureLabel | None = None  # None is "not available"
    age: FeatureLabel | None = None
    gender: FeatureLabel | None = None
    # how sure the label of the trait is: `explicit`, `inferred` or `arguable`
    confidence: Confidence | None = None
    why: str = ""  # of the label of the trait, in few words

    @property
    def is_available(self) -> bool:
        """Whether there are both gene expression and a row that records the trait."""
        return self.is_gene_available and self.trait is not None

    def feature(self, name: Feature) -> FeatureLabel | None:
        """Return the label of a feature."""
        found: FeatureLabel | None = getattr(self, name)
        return found


NOTHING = Label(is_gene_available=False)
"""A missing prediction counts as this."""


@dataclass(frozen=True)
class LabelledCase:
    """A series and a trait, and its labels."""

    id: str  # unique in its file
    trait: str  # trait folder name
    cohort: str  # GSE accession
    labels: Mapping[str, Label]  # name of the set of labels -> label


_CONFIDENCES = get_args(Confidence)
_NOT_AVAILABLE: Mapping[str, Any] = {"is_gene_available": False, **dict.fromkeys(FEATURES)}


def case_from_json(data: Mapping[str, Any]) -> LabelledCase:
    """Return a case as it was read from JSON."""
    name, trait, cohort = (_text(data, field) for field in ("id", "trait", "cohort"))
    try:
        folder = trait_folder_name(trait)
    except UsageError as error:
        raise FormatError(str(error), field="trait") from error
    labels = data.get("labels")
    if not isinstance(labels, Mapping):
        msg = f"must be an object of labels by name, not {_kind(labels)}"
        raise FormatError(msg, field="labels", hint="as in {'reading': {...}}")
    known = {
        key: _label_from_json(label, f"labels.{key}")
        for key, label in labels.items()
        if label is not None
    }
    return LabelledCase(name, folder, cohort, known)


def _label_from_json(data: object, place: str = "") -> Label:
    """Return a label or a prediction as it was read from JSON."""
    if not isinstance(data, Mapping):
        msg = f"must be an object, not {_kind(data)}"
        raise FormatError(msg, field=place or None)
    front = f"{place}." if place else ""
    for name in _NEEDED:
        if name not in data:
            msg = "is missing"
            raise FormatError(msg, field=f"{front}{name}", hint="null means not available")
    gene = data["is_gene_available"]
    if not isinstance(gene, bool):
        msg = f"must be true or false, not {_kind(gene)}"
        raise FormatError(msg, field=f"{front}is_gene_available")
    trait, age, gender = (_feature(data[name], f"{front}{name}") for name in FEATURES)
    confidence = data.get("confidence")
    if confidence is not None and confidence not in _CONFIDENCES:
        msg = f"must be null or one of {', '.join(_CONFIDENCES)}, not {confidence!r}"
        raise FormatError(msg, field=f"{front}confidence")
    why = data.get("why") or ""
    if not isinstance(why, str):
        msg = f"must be a text or null, not {_kind(why)}"
        raise FormatError(msg, field=f"{front}why")
    return Label(gene, trait, age, gender, confidence, why)


def answer_from_json(data: Mapping[str, Any]) -> Label:
    """Return a prediction from JSON; missing fields are not available."""
    if not any(key in data for key in _NEEDED):
        msg = f"has none of {', '.join(_NEEDED)}"
        raise FormatError(msg, hint="a prediction is a line of 'genotex clinical infer'")
    return _label_from_json(
        {**_NOT_AVAILABLE, **{key: data[key] for key in _NEEDED if key in data}}
    )


def _feature(data: object, place: str) -> FeatureLabel | None:
    if data is None:
        return None
    if not isinstance(data, Mapping):
        msg = f"must be null or an object with row and map, not {_kind(data)}"
        raise FormatError(msg, field=place)
    row = data.get("row")
    if isinstance(row, bool) or not isinstance(row, int) or row < 0:
        msg = f"must be the number of a characteristics row, counted from 0, not {row!r}"
        raise FormatError(msg, field=f"{place}.row")
    codes = data.get("map")
    if codes is not None and not isinstance(codes, Mapping):
        msg = f"must be an object of codes by raw value, not {_kind(codes)}"
        raise FormatError(msg, field=f"{place}.map")
    return FeatureLabel(row, {k: _code(v, k, f"{place}.map") for k, v in (codes or {}).items()})


def _code(value: Any, cell: str, place: str) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # Neither NaN nor an integer beyond all floats passes.
    if is_number and abs(value) <= sys.float_info.max:
        return float(value)
    msg = f"the code of {cell!r} must be a number or null, not {value!r:.40}"
    raise FormatError(msg, field=place)


def _text(data: Mapping[str, Any], field: str) -> str:
    value = data.get(field)
    if not isinstance(value, str) or not value.strip():
        msg = "must be a text"
        raise FormatError(msg, field=field)
    return value


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__


def read_labelled_cases(path: Path) -> tuple[LabelledCase, ...]:
    """Read labelled cases from a JSON Lines file, plain or gzip."""
    cases: list[LabelledCase] = []
    ids: dict[str, int] = {}
    places: dict[str, int] = {}
    for number, data in read_json_lines(path, "a case"):
        try:
            case = case_from_json(data)
        except FormatError as error:
            raise error.at(path, number) from error
        for seen, key, field in (
            (ids, case.id, "id"),
            (places, f"{case.trait}/{case.cohort}", "cohort"),
        ):
            first = seen.setdefault(key, number)
            if first != number:
                msg = f"{key!r} is already labelled in line {first}"
                hint = "keep one of the two lines"
                raise FormatError(msg, path=path, line=number, field=field, hint=hint)
        cases.append(case)
    if not cases:
        msg = "contains no case"
        raise FormatError(msg, path=path, hint="a case is one JSON object on one line")
    return tuple(cases)


def of_traits(
    cases: Sequence[LabelledCase], traits: Sequence[str] | None
) -> tuple[LabelledCase, ...]:
    """Return the cases of some traits, or all where none is named."""
    if not traits:
        return tuple(cases)
    wanted = [trait_folder_name(trait) for trait in traits]
    for asked, folder in zip(traits, wanted, strict=True):
        if not any(case.trait == folder for case in cases):
            msg = f"no labelled case has the trait {asked!r}"
            raise UsageError(msg)
    return tuple(case for case in cases if case.trait in wanted)


def label_sets(cases: Sequence[LabelledCase]) -> tuple[str, ...]:
    """Return the names of all sets of labels, those that label the most cases first."""
    counts: dict[str, int] = {}
    for case in cases:
        for name in case.labels:
            counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts, key=lambda name: -counts[name]))


def labelled_by(cases: Sequence[LabelledCase], name: str) -> dict[str, Label]:
    """Return the labels of one set by case id."""
    found = {case.id: case.labels[name] for case in cases if name in case.labels}
    if not found:
        there = ", ".join(label_sets(cases)) or "none"
        msg = f"no case has labels {name!r}; known: {there}"
        raise UsageError(msg)
    return found


@dataclass(frozen=True)
class Answers:
    """The predictions of one file."""

    by_id: Mapping[str, Label]  # case id -> prediction
    repeated: tuple[str, ...] = ()  # ids in several lines; the last one counts


def read_answers(path: Path) -> Answers:
    """Read predictions from a JSON Lines file, plain or gzip.

    A line is ``{"id", "is_gene_available", "trait", "age", "gender"}``, a feature as null or
    ``{"row", "map": {raw cell: code or null}}``; missing fields are not available.
    """
    found: dict[str, Label] = {}
    repeated: dict[str, None] = {}
    for number, data in read_json_lines(path, "a prediction"):
        name = data.get("id")
        if not isinstance(name, str):
            msg = "must be the id of a case"
            raise FormatError(msg, path=path, line=number, field="id")
        try:
            answer = answer_from_json(data)
        except FormatError as error:
            raise error.at(path, number) from error
        if name in found:
            repeated[name] = None
        found[name] = answer
    return Answers(found, tuple(repeated))
