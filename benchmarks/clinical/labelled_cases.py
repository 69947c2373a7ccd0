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
from genotex.clinical.trait.options import TraitOption, read_rows
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
    options: Sequence[TraitOption]
    # Cells of a sample by row and its code; empty where samples are not labelled
    samples: Sequence[tuple[Sequence[str | None], float]] = ()
    wording: str = ""  # The class of wording of a case of our own

    @property
    def by_sample(self) -> bool:
        """Whether it is labelled by sample: case or control."""
        return bool(self.samples)

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


def training_cases(cases: Path, samples: Path | None, vocabulary: Vocabulary) -> list[Case]:
    """Return the cases on which rules and weights are developed.

    Those of `cases` and half A of `samples`, each with the words of a vocabulary and with what the
    lexicon alone knows, as for a trait that is not listed; and our own, whose wording is harder.
    """
    found = read_own(vocabulary)
    for words in (vocabulary, lexicon_only()):
        found += read_cases(cases, words)
        if samples is not None:
            found += [case for case in read_cases(samples, words) if half_of(case.id) == "A"]
    return found


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
    samples = [
        (sample["cells"], sample["case"])
        for sample in (data.get("samples") or {}).values()
        if sample["case"] is not None
    ]
    if samples:
        right = [_separates(p, samples) for p in predictions]
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
        options,
        samples,
        data.get("class", ""),
    )


def cell_of(cells: Sequence[str | None], row: int) -> str:
    """Return the cell of a sample in a row, the empty text where it has none."""
    return (cells[row] if row < len(cells) else None) or ""


def _separates(
    prediction: FeatureLabel | None, samples: Iterable[tuple[Sequence[str | None], float]]
) -> bool:
    """Return whether every sample that is labelled has the code of its label."""
    return prediction is not None and all(
        prediction.map.get(cell_of(cells, prediction.row)) == code for cells, code in samples
    )
