"""Labelled cases with all the ways of reading their traits (docs/clinical-quality.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.labels import FeatureLabel, Label, agreement, case_from_json
from genotex.clinical import (
    SeriesDescription,
    Vocabulary,
    characteristic_candidates,
    description_from_case,
    row_and_map,
)
from genotex.clinical.trait.choice import option_encoding
from genotex.clinical.trait.options import trait_options, weigh_evidence, weigh_oversight
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.formats.json_files import read_json_lines


@dataclass(frozen=True)
class Case:
    """A labelled case with all the ways of reading its trait."""

    id: str
    trait: str
    cohort: str
    labels: Mapping[str, Label]
    description: SeriesDescription
    evidence: Sequence[Mapping[str, float]]
    oversight: Mapping[str, float]
    right: NDArray[np.bool_]
    predictions: Sequence[FeatureLabel | None]

    @property
    def none_right(self) -> bool:
        """Whether the label is "not available"."""
        return self.labels["reading"].trait is None


def read_cases(path: Path, vocabulary: Vocabulary) -> list[Case]:
    """Read labelled cases and list the options of each."""
    return [_case(data, vocabulary) for _, data in read_json_lines(path, "a case")]


def _case(data: Mapping[str, Any], vocabulary: Vocabulary) -> Case:
    description = description_from_case(data)
    words = vocabulary.trait(data["trait"])
    judge = ValueJudge(words, vocabulary, description.title, description.text)
    options = trait_options(characteristic_candidates(description), judge)
    found = [row_and_map(option_encoding(option), description) for option in options]
    predictions = [None if p is None else FeatureLabel(p["row"], p["map"]) for p in found]
    case = case_from_json(data)
    label = case.labels["reading"].trait
    return Case(
        case.id,
        case.trait,
        case.cohort,
        case.labels,
        description,
        [weigh_evidence(option, judge) for option in options],
        weigh_oversight(options, judge),
        np.array([agreement(label, p).exact for p in predictions], dtype=bool),
        predictions,
    )
