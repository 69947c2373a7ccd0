"""Labelled cases with all the ways of reading their traits (docs/clinical-quality.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.bench.evaluation.labels import FeatureLabel, Label, agreement, case_from_json
from genotex.clinical import (
    SeriesDescription,
    Vocabulary,
    characteristic_candidates,
    description_from_case,
    group_texts,
    row_and_map,
)
from genotex.clinical.encoding import FEWEST
from genotex.clinical.texts.samples import text_columns
from genotex.clinical.texts.trait import text_options
from genotex.clinical.trait.choice import codes_of_samples, number_pools, option_encoding
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
    none_right: bool
    # Of each option: that which codes every sample alike or, for a text, more of them
    pools: NDArray[np.int64]
    predictions: Sequence[FeatureLabel | None]
    options: Sequence[TraitOption]
    # Cells of a sample by row and its code; empty where samples are not labelled
    samples: Sequence[tuple[Sequence[str | None], float]] = ()
    wording: str = ""  # The class of wording of a case of our own

    @property
    def by_sample(self) -> bool:
        """Whether it is labelled by sample: case or control."""
        return bool(self.samples)

    def is_right(self, best: int | None) -> bool:
        """Return whether an option, by its number, or None for "not available" is right."""
        return self.none_right if best is None else bool(self.right[best])


def read_cases(path: Path, vocabulary: Vocabulary) -> list[Case]:
    """Read labelled cases and list the options of each.

    Of cases labelled by sample, those that one row separates.
    """
    lines = [data for _, data in read_json_lines(path, "a case")]
    return [_case(data, vocabulary) for data in lines if data.get("one_row_separates", True)]


TEXTS = ("title", "source_name_ch1", "description")
"""What a sample has besides its characteristics."""
_Texts = Mapping[str, Sequence[str | None]]


def read_with_texts(path: Path, texts: Path, vocabulary: Vocabulary, *, rows: bool) -> list[Case]:
    """Read cases labelled by sample with titles, source names and descriptions of the samples.

    `texts`: a Parquet table by sample. Without `rows` the characteristics are left out, and the
    summary, which says of all of these series that patients were compared with controls.
    """
    lines = [data for _, data in read_json_lines(path, "a case")]
    wanted = {sample for data in lines for sample in data["samples"]}
    table = pl.scan_parquet(texts).filter(pl.col("sample").is_in(wanted))
    found = table.select("sample", *TEXTS).collect().rows()
    of_sample = {name: [None if t == "NA" else t for t in row] for name, *row in found}
    return [
        case
        for data in lines
        if (case := _case_with_texts(data, of_sample, vocabulary, rows)) is not None
    ]


def _case_with_texts(
    data: Mapping[str, Any], texts: _Texts, vocabulary: Vocabulary, rows: bool
) -> Case | None:
    """Return a case of the labelled samples whose texts are known; None with too few of these."""
    width = max(len(s["cells"]) for s in data["samples"].values()) if rows else 0
    samples = {
        name: [*(sample["cells"] + [None] * width)[:width], *texts[name]]
        for name, sample in data["samples"].items()
        if name in texts and sample["case"] is not None
    }
    codes = [float(data["samples"][name]["case"]) for name in samples]
    if min(codes.count(0.0), codes.count(1.0)) < FEWEST:
        return None
    cells = tuple(zip(*samples.values(), strict=True))
    title, source, about = cells[-3:]
    whole = description_from_case(data)
    description = replace(
        whole,
        summary=whole.summary if rows else "",
        samples=tuple(samples),
        cells=cells[:-3],
        characteristics=tuple(tuple(dict.fromkeys(row)) for row in cells[:-3]),
        titles=title,
        source_names=source,
        descriptions=(about,),
    )
    told = data.get("one_row_separates") if rows else False
    told = told or any(_tells(line, codes) for line in (title, source, about))
    labelled = list(zip(samples.values(), codes, strict=True))
    return _of_description(data, vocabulary, description, labelled, none_right=not told)


def _tells(line: Sequence[str | None], codes: Sequence[float]) -> bool:
    """Return whether texts without their numbers, or words of them, separate the two groups."""
    cells = [cell or "" for cell in line]
    for texts in (group_texts(cells), *text_columns(cells)):
        groups = {(texts[cell], code) for cell, code in zip(cells, codes, strict=True)}
        names = {name for name, _ in groups}
        if "" not in names and 1 < len(names) == len(groups) <= len(cells) / 2:
            return True
    return False


def half_of(case_id: str) -> str:
    """Return A (rules are developed on it) or B (held back) for a case labelled by sample."""
    return "AB"[hashlib.sha256(case_id.encode()).digest()[0] % 2]


def read_own(vocabulary: Vocabulary) -> list[Case]:
    """Read our own cases of human gene expression, set A and set B."""
    cases = [
        c for name in ("set_a", "set_b") for c in read_cases(OWN / f"{name}.jsonl", vocabulary)
    ]
    return [case for case in cases if case.labels["reading"].is_gene_available]


def training_cases(
    cases: Path, samples: Path | None, texts: Path | None, vocabulary: Vocabulary
) -> list[Case]:
    """Return the cases on which rules and weights are developed.

    Those of `cases` and half A of `samples`, alone and by the `texts` of their samples, each with
    the words of a vocabulary and with what the lexicon alone knows, as for a trait that is not
    listed; and our own, whose wording is harder.
    """
    found = read_own(vocabulary)
    for words in (vocabulary, lexicon_only()):
        found += read_cases(cases, words)
        found += [c for c in read_by_sample(samples, texts, words) if half_of(c.id) == "A"]
    return found


def read_by_sample(samples: Path | None, texts: Path | None, vocabulary: Vocabulary) -> list[Case]:
    """Read cases labelled by sample, alone, with texts of their samples, and by these alone."""
    if samples is None:
        return []
    found = read_cases(samples, vocabulary)
    if texts is not None:
        found += read_with_texts(samples, texts, vocabulary, rows=True)
        found += read_with_texts(samples, texts, vocabulary, rows=False)
    return found


def lexicon_only() -> Vocabulary:
    """Return the vocabulary that knows each trait by the lexicon alone."""
    return LexiconOnly(packaged_table("genotex.clinical", "vocabulary"))


def _case(data: Mapping[str, Any], vocabulary: Vocabulary) -> Case:
    samples = [
        (sample["cells"], sample["case"])
        for sample in (data.get("samples") or {}).values()
        if sample["case"] is not None
    ]
    return _of_description(data, vocabulary, description_from_case(data), samples)


def _of_description(
    data: Mapping[str, Any],
    vocabulary: Vocabulary,
    description: SeriesDescription,
    samples: Sequence[tuple[Sequence[str | None], float]],
    *,
    none_right: bool = False,
) -> Case:
    judge = ValueJudge(
        vocabulary.trait(data["trait"]), vocabulary, description.title, description.text
    )
    options, rows = read_rows(characteristic_candidates(description), judge)
    options += text_options(description, judge, vocabulary)
    predictions = [_prediction(option, description) for option in options]
    case = case_from_json({"labels": {}, **data})
    if samples:
        right = [
            _separates(p, codes_of_samples(option, description), samples)
            for option, p in zip(options, predictions, strict=True)
        ]
    else:
        label = case.labels["reading"].trait
        none_right = label is None
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
        none_right,
        np.array(number_pools(options, description), dtype=np.int64),
        predictions,
        options,
        samples,
        data.get("class", ""),
    )


def _prediction(option: TraitOption, description: SeriesDescription) -> FeatureLabel | None:
    """Return row and codes of an option; texts of samples count as rows behind the others."""
    if option.candidate.sample_field in TEXTS:
        row = len(description.characteristics) + TEXTS.index(option.candidate.sample_field)
        return FeatureLabel(row, option.codes)
    found = row_and_map(option_encoding(option), description)
    return None if found is None else FeatureLabel(found["row"], found["map"])


def cell_of(cells: Sequence[str | None], row: int) -> str:
    """Return the cell of a sample in a row, the empty text where it has none."""
    return (cells[row] if row < len(cells) else None) or ""


def _separates(
    prediction: FeatureLabel | None,
    codes: Sequence[float | None] | None,
    samples: Sequence[tuple[Sequence[str | None], float]],
) -> bool:
    """Return whether every sample that is labelled has the code of its label."""
    if codes is not None:
        return list(codes) == [code for _, code in samples]
    return prediction is not None and all(
        prediction.map.get(cell_of(cells, prediction.row)) == code for cells, code in samples
    )
