"""Predictions for labelled cases, as ``genotex clinical infer`` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from genotex.bench.evaluation.labels.label import Label
from genotex.bench.evaluation.labels.label_json import answer_from_json
from genotex.errors import FormatError
from genotex.formats import read_json_lines

__all__ = ["Answers", "read_answers"]


@dataclass(frozen=True)
class Answers:
    """The predictions of one file.

    Attributes
    ----------
    by_id : mapping of str to Label
        Case id -> prediction.
    repeated : tuple of str
        Ids that stand in several lines; the last one counts.
    """

    by_id: Mapping[str, Label]
    repeated: tuple[str, ...] = ()


def read_answers(path: Path) -> Answers:
    """Read predictions from a JSON Lines file, plain or gzip.

    Parameters
    ----------
    path : Path
        A line is ``{"id", "is_gene_available", "trait", "age", "gender"}``, a feature as null or
        ``{"row", "map": {raw cell: code or null}}``. What is left out is not available; other
        fields are passed over.

    Raises
    ------
    FormatError
        If the file cannot be read, or a line is no prediction; it names the line and the field.
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
