"""Labelled cases with all the ways of reading their traits (docs/clinical-quality.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
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
from genotex.clinical.trait.options import read_rows
from genotex.clinical.trait.scoring import weigh_absence, weigh_evidence, weigh_oversight
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
    absence: Mapping[str, float]
    right: NDArray[np.bool_]
    predictions: Sequence[FeatureLabel | None]
    wording: str = ""  # The class of wording of a case of our own
    by_sample: bool = False  # Labelled by sample: case or control

    @property
    def none_right(self) -> bool:
        """Whether the label is "not available"."""
        return not self.by_sample and self.labels["reading"].trait is None

    def is_right(self, best: int | None) -> bool:
        """Return whether an option, by its number, or None for "not available" is right."""
        return self.none_right if best is None else bool(self.right[best])


def read_cases(path: Path, vocabulary: Vocabulary) -> list[Case]:
    """Read labelled cases and list the options of each.

    Of cases labelled by sample, those that one row separates.
    """
    lines = [data for _, data in read_json_lines(path, "a case")]
    return [_case(data, vocabulary) for data in lines if data.get("one_row_separates", True)]


def half_of(case_id: str) -> str:
    """Return A (rules are developed on it) or B (held back) for a case labelled by sample."""
    return "AB"[hashlib.sha256(case_id.encode()).digest()[0] % 2]


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
    options, rows = read_rows(characteristic_candidates(description), judge)
    found = [row_and_map(option_encoding(option), description) for option in options]
    predictions = [None if p is None else FeatureLabel(p["row"], p["map"]) for p in found]
    case = case_from_json({"labels": {}, **data})
    if samples := data.get("samples"):
        right = [_separates(p, samples.values()) for p in predictions]
    else:
        label = case.labels["reading"].trait
        right = [agreement(label, p).exact for p in predictions]
    return Case(
        case.id,
        case.trait,
        case.cohort,
        case.labels,
        description,
        [weigh_evidence(option, judge) for option in options],
        weigh_oversight(options, rows, judge),
        weigh_absence(rows, judge),
        np.array(right, dtype=bool),
        predictions,
        data.get("class", ""),
        bool(samples),
    )


def _separates(prediction: FeatureLabel | None, samples: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether every sample that is labelled has the code of its label."""
    if prediction is None:
        return False
    row, codes = prediction.row, prediction.map
    labelled = [sample for sample in samples if sample["case"] is not None]
    cells = [[*sample["cells"], *[None] * (row + 1)][row] or "" for sample in labelled]
    return all(codes.get(c) == s["case"] for s, c in zip(labelled, cells, strict=True))
