"""Labels, predictions and labelled cases from JSON, with every field checked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, get_args

from genotex.bench.evaluation.labels.label import (
    FEATURES,
    NEEDED,
    FeatureLabel,
    Label,
    LabelledCase,
)
from genotex.clinical import Confidence
from genotex.errors import FormatError, UsageError
from genotex.layout import trait_folder_name

__all__ = ["answer_from_json", "case_from_json", "label_from_json"]

_CONFIDENCES = get_args(Confidence)
_NOT_SAID: Mapping[str, Any] = {"is_gene_available": False, **dict.fromkeys(FEATURES)}


def case_from_json(data: Mapping[str, Any]) -> LabelledCase:
    """Return a case as it was read from JSON.

    Raises
    ------
    FormatError
        If a field is not what it must be; it names the field.
    """
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
        key: label_from_json(label, f"labels.{key}")
        for key, label in labels.items()
        if label is not None
    }
    return LabelledCase(name, folder, cohort, known)


def label_from_json(data: object, place: str = "") -> Label:
    """Return a label or a prediction as it was read from JSON.

    Parameters
    ----------
    data : object
        ``is_gene_available``, and ``trait``, ``age``, ``gender`` as null or
        ``{"row", "map": {raw cell: code or null}}``; ``confidence`` may be there. Other fields are
        passed over.
    place : str
        Where it stands, for messages.

    Raises
    ------
    FormatError
        If a field is not what it must be; it names the field.
    """
    if not isinstance(data, Mapping):
        msg = f"must be an object, not {_kind(data)}"
        raise FormatError(msg, field=place or None)
    front = f"{place}." if place else ""
    for name in NEEDED:
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
    return Label(gene, trait, age, gender, confidence)


def answer_from_json(data: Mapping[str, Any]) -> Label:
    """Return a prediction as it was read from JSON; what is left out is not available.

    Raises
    ------
    FormatError
        If a field is not what it must be, or none is there; it names the field.
    """
    if not any(key in data for key in NEEDED):
        msg = f"holds none of {', '.join(NEEDED)}"
        raise FormatError(msg, hint="a prediction is a line of 'genotex clinical infer'")
    return label_from_json({**_NOT_SAID, **{key: data[key] for key in NEEDED if key in data}})


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
