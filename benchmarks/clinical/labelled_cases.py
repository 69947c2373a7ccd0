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
from genotex.clinical.words.vocabulary import unlisted_table
from genotex.features import packaged_table
from genotex.formats import read_json_lines

OWN = Path("tests/clinical/own_cases")
"""Cases that we wrote ourselves, by class of wording."""


class LexiconOnly(Vocabulary):
    """The packaged words, but each trait is known by its name and the disease lexicon alone."""

    def entry(self, name: str) -> tuple[str, Mapping[str, Any], bool]:
        """Return the words that the lexicon gives a trait, as if it were not listed."""
        return name, unlisted_table(name), False

    def is_measured(self, name: str) -> bool:
        """Return that a certainty is wanted for every trait."""
        return True


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
    wording: str = ""  # The class of wording of a case of our own

    @property
    def none_right(self) -> bool:
        """Whether the label is "not available"."""
        return self.labels["reading"].trait is None


def read_cases(path: Path, vocabulary: Vocabulary) -> list[Case]:
    """Read labelled cases and list the options of each."""
    return [_case(data, vocabulary) for _, data in read_json_lines(path, "a case")]


def read_own(vocabulary: Vocabulary) -> list[Case]:
    """Read our own cases of human gene expression, set A and set B."""
    cases = [
        c for name in ("set_a", "set_b") for c in read_cases(OWN / f"{name}.jsonl", vocabulary)
    ]
    return [case for case in cases if case.labels["reading"].is_gene_available]


def lexicon_only() -> Vocabulary:
    """Return the vocabulary that knows each trait by the lexicon alone."""
    return LexiconOnly(packaged_table("genotex.clinical", "vocabulary"))


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
        data.get("class", ""),
    )
