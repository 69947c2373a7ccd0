"""The trait in titles, source names and descriptions, where characteristics do not record it.

A title does not declare what it means, so the rules are stricter than for a characteristic: cases
must be named, a "control" that may be the control of an experiment counts for nothing, at least two
samples must be on each side, and most samples must have a code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import FeatureEncoding
from genotex.clinical.texts.judge import TextJudge, judge_letter_codes
from genotex.clinical.texts.samples import (
    FIELD_NAMES,
    LEAST_TOLD,
    SampleTexts,
    distinguishing_texts,
    group_texts,
    pair_candidates,
    sample_texts,
)
from genotex.clinical.trait.choice import find_named_trait
from genotex.clinical.trait.judgement import Ground, Judgements, best_ground
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.features import split_pairs
from genotex.formats import Confidence

_FEWEST_ON_A_SIDE = 2
_LONGEST_TEXT = 200
"""Longer texts describe the whole study, not one sample."""


@dataclass(frozen=True)
class _JudgedTexts:
    """The judgements of one line of sample texts."""

    texts: SampleTexts
    judgements: Judgements

    def counts(self) -> Counter[float | None]:
        """Count the samples by code."""
        weight = self.texts.weight
        counted: Counter[float | None] = Counter()
        for cell, judgement in self.judgements.items():
            counted[judgement.code] += weight[cell]
        return counted

    @property
    def coded(self) -> int:
        """Number of samples whose role is known."""
        counts = self.counts()
        return counts[1.0] + counts[0.0]

    @property
    def is_contrast(self) -> bool:
        """Whether there are enough cases, enough controls, and a code for most samples."""
        return _is_contrast(self.counts(), len(self.texts.cells))

    @property
    def rank(self) -> tuple[Ground, int]:
        """How directly the cases are named, then how many samples have a code."""
        cases = [j for j in self.judgements.values() if j.role == "case"]
        return min(best_ground(cases), Ground.INCLUDED), self.coded


def _is_contrast(counts: Mapping[float | None, int], samples: int) -> bool:
    sides = counts.get(1.0, 0), counts.get(0.0, 0)
    return min(sides) >= _FEWEST_ON_A_SIDE and sum(sides) >= LEAST_TOLD * samples


def find_trait_in_texts(
    description: SeriesDescription, judge: ValueJudge, vocabulary: Vocabulary
) -> FeatureEncoding | None:
    """Find the trait in texts about samples outside their characteristics."""
    # With every text listed, never of confidence "explicit"; None where the texts do not part cases
    # from controls.
    if judge.trait.is_level:
        return None
    in_pairs = _read_pairs(description, judge)
    if in_pairs is not None:
        return in_pairs
    text_judge = TextJudge(judge, vocabulary, description)
    found = [
        judged
        for texts in sample_texts(description)
        if (judged := _read_texts(texts, text_judge)) is not None
    ]
    if not found:
        return None
    best = max(found, key=lambda judged: judged.rank)
    return _encoding(best, _contradictions(best, found))


def _read_pairs(description: SeriesDescription, judge: ValueJudge) -> FeatureEncoding | None:
    """Read descriptions of the form ``key = value``: characteristics in another place."""
    candidates = pair_candidates(description)
    encoding = find_named_trait(candidates, judge)
    if encoding is None or encoding.kind != "binary":
        return None
    weight = next(c.weight for c in candidates if c.key == encoding.key)
    counts: Counter[float | None] = Counter()
    for cell, code in encoding.values.items():
        counts[code] += weight.get(cell, 0)
    if not _is_contrast(counts, max(len(row) for row in description.descriptions)):
        return None
    where = f"inferred from the sample descriptions, key {encoding.key!r}"
    return replace(encoding, confidence="inferred", evidence=(where, *encoding.evidence[1:]))


def _read_texts(texts: SampleTexts, judge: TextJudge) -> _JudgedTexts | None:
    """Read whole texts, else the parts that differ, else the codes of tumour and normal tissue."""
    cells = [
        cell
        for cell in texts.weight
        if len(cell) <= _LONGEST_TEXT
        and not (texts.sample_field == "description" and split_pairs(cell))
    ]
    if not cells:
        return None
    groups = group_texts(cells)
    ways = (
        judge.judge(groups),
        judge.judge(distinguishing_texts(groups)),
        judge_letter_codes(groups, judge),
    )
    for judgements in ways:
        judged = _JudgedTexts(texts, judgements)
        if judged.is_contrast:
            return judged
    return None


def _contradictions(best: _JudgedTexts, found: list[_JudgedTexts]) -> list[str]:
    """Return in words where other texts of the samples contradict it."""
    lines = []
    for other in found:
        against = [
            theirs
            for ours, theirs in zip(best.texts.cells, other.texts.cells, strict=False)
            if {_code(best, ours), _code(other, theirs)} == {0.0, 1.0}
        ]
        if against:
            samples = "1 sample" if len(against) == 1 else f"{len(against)} samples"
            lines.append(f"the {other.texts.name} contradict it for {samples}, as {against[0]!r}")
    return lines


def _code(judged: _JudgedTexts, cell: str | None) -> float | None:
    judgement = judged.judgements.get(cell or "")
    return None if judgement is None else judgement.code


def _encoding(judged: _JudgedTexts, contradictions: list[str]) -> FeatureEncoding:
    judgements = judged.judgements
    cells = judged.texts.weight
    codes = {c: judgements[c].code if c in judgements else None for c in cells}
    direct = judged.rank[0] >= Ground.INCLUDED and not contradictions
    confidence: Confidence = "inferred" if direct else "arguable"
    return FeatureEncoding(
        feature="trait",
        row=None,
        key="",
        kind="binary",
        values=codes,
        roles={c: judgements[c].role if c in judgements else "unknown" for c in cells},
        confidence=confidence,
        evidence=(*_evidence(judged), *contradictions),
        sample_field=judged.texts.sample_field,
        reasons={cell: judgement.why for cell, judgement in judgements.items()},
    )


def _evidence(judged: _JudgedTexts) -> list[str]:
    """Quote one text for each side, then the number of samples with a code."""
    known = {c: j for c, j in judged.judgements.items() if j.code is not None}
    examples = {j.code: c for c, j in reversed(known.items())}
    quoted = ", ".join(repr(examples[code]) for code in (1.0, 0.0))
    name = FIELD_NAMES[judged.texts.sample_field]
    return [
        f"inferred from the {name}: {quoted}",
        f"known for {judged.coded} of {len(judged.texts.cells)} samples",
    ]


def covers_all_samples(encoding: FeatureEncoding, description: SeriesDescription) -> bool:
    """Return whether an encoding by titles or source names codes every sample."""
    lines = [t for t in sample_texts(description) if t.sample_field == encoding.sample_field]
    return any(
        all(encoding.values.get(cell or "") is not None for cell in line.cells) for line in lines
    )
