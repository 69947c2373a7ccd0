"""What is written about samples, key by key: for whoever chooses the groups by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from genotex.clinical.candidates import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import SampleField
from genotex.clinical.telling import tell_place
from genotex.clinical.texts.sample_texts import other_candidates
from genotex.clinical.trait.row_roles import judge_row
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.clinical.values import parse_number
from genotex.clinical.words.keys import kind_of_key
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary

__all__ = ["KeyValues", "characteristics_to_edit", "values_by_key"]

_FEWEST, _MOST_GROUPS = 2, 30


@dataclass(frozen=True)
class KeyValues:
    """The values under one key.

    Attributes
    ----------
    place : str
        Where they stand: "row 2, key 'disease state'".
    row : int or None
        Characteristics row; None for another sample field.
    key : str
        The key as in the file.
    sample_field : str
        Line of the series.
    values : mapping of str to int
        Value -> number of samples, most samples first.
    cells : tuple of str
        The raw cells, in the same order.
    controls : tuple of str
        Those values that name controls of the trait.
    others : tuple of str
        Those that could be cases: nothing was understood of them, or they name another disease.
    cases : tuple of str
        Those that are taken for cases of the trait.
    """

    place: str
    row: int | None
    key: str
    sample_field: SampleField
    values: Mapping[str, int]
    cells: tuple[str, ...]
    controls: tuple[str, ...]
    others: tuple[str, ...]
    cases: tuple[str, ...] = ()


def values_by_key(
    description: SeriesDescription, trait: str, vocabulary: Vocabulary | None = None
) -> list[KeyValues]:
    """Return every key whose values tell samples apart, in row order.

    Parameters
    ----------
    description : SeriesDescription
        The series.
    trait : str
        Name of the trait.
    vocabulary : Vocabulary, optional
        The words by which controls are known; the packaged ones by default.
    """
    words = vocabulary or load_vocabulary()
    judge = ValueJudge(words.trait(trait), words, description.title, description.text)
    candidates = [*characteristic_candidates(description), *other_candidates(description)]
    return [_values(c, judge) for c in candidates if len(c.values) >= _FEWEST]


def _values(candidate: Candidate, judge: ValueJudge) -> KeyValues:
    cells = sorted(candidate.values, key=lambda cell: -candidate.weight.get(cell, 0))
    values: dict[str, int] = {}
    for cell in cells:
        value = candidate.values[cell]
        values[value] = values.get(value, 0) + candidate.weight.get(cell, 0)
    groups = kind_of_key(candidate.key) != "never" and len(values) <= _MOST_GROUPS
    judgements = judge_row(candidate, judge) if groups else {}
    told = [(candidate.values[cell], judgements[cell]) for cell in cells if cell in judgements]
    controls = [value for value, judgement in told if judgement.role == "healthy control"]
    # What was not understood comes before what was taken for another disease.
    others = [value for value, j in told if j.is_open and parse_number(value) is None]
    others += [value for value, j in told if j.role == "other disease"]
    return KeyValues(
        tell_place(candidate.row, candidate.key, candidate.sample_field),
        candidate.row,
        candidate.key,
        candidate.sample_field,
        values,
        tuple(cells),
        tuple(dict.fromkeys(controls)),
        tuple(dict.fromkeys(others)),
        tuple(dict.fromkeys(value for value, j in told if j.role == "case")),
    )


def characteristics_to_edit(keys: list[KeyValues]) -> list[dict[str, Any]]:
    """Return keys as encodings whose values have no code yet, for a person to give them.

    Parameters
    ----------
    keys : list of KeyValues
        From `values_by_key`.
    """
    return [
        {
            "row": key.row,
            "key": key.key,
            "kind": "binary",
            "values": dict.fromkeys(key.cells),
            "sample_field": key.sample_field,
        }
        for key in keys
        if len(key.cells) <= _MOST_GROUPS
    ]
