"""Labelled cases, and what is right about a prediction (docs/clinical-quality.md)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.clinical.candidates import characteristic_candidates
from genotex.clinical.description import SeriesDescription, description_from_case
from genotex.clinical.inference import row_and_map
from genotex.clinical.trait.choosing import option_encoding
from genotex.clinical.trait.options import trait_options
from genotex.clinical.trait.scoring import weigh_evidence, weigh_oversight
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary

SAME_CODE = 0.051

Prediction = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A labelled case with all the ways of reading its trait."""

    id: str
    trait: str
    cohort: str
    labels: Mapping[str, Any]
    description: SeriesDescription
    evidence: Sequence[Mapping[str, float]]
    oversight: Mapping[str, float]
    right: NDArray[np.bool_]
    predictions: Sequence[Prediction]

    @property
    def none_right(self) -> bool:
        """Whether the label says "not available"."""
        return self.labels["reading"]["trait"] is None


def read_cases(path: Path, vocabulary: Vocabulary) -> list[Case]:
    """Read labelled cases and list the options of each."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as handle:
        return [_case(json.loads(line), vocabulary) for line in handle if line.strip()]


def _case(data: Mapping[str, Any], vocabulary: Vocabulary) -> Case:
    description = description_from_case(data)
    words = vocabulary.trait(data["trait"])
    judge = ValueJudge(words, vocabulary, description.title, description.text)
    options = trait_options(characteristic_candidates(description), judge)
    predictions = [row_and_map(option_encoding(option), description) or {} for option in options]
    label = data["labels"]["reading"]["trait"]
    return Case(
        data["id"],
        data["trait"],
        data["cohort"],
        data["labels"],
        description,
        [weigh_evidence(option, judge) for option in options],
        weigh_oversight(options, judge),
        np.array([is_right(label, p) for p in predictions], dtype=bool),
        predictions,
    )


def is_right(label: Prediction | None, prediction: Prediction | None) -> bool:
    """Tell whether row and code of every labelled value agree, or both are "not available"."""
    if not label or not prediction:
        return not label and not prediction
    if label["row"] != prediction["row"]:
        return False
    got = prediction["map"]
    return all(_same(code, got.get(value)) for value, code in (label["map"] or {}).items())


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is None and other is None
    return abs(float(one) - float(other)) <= SAME_CODE
