"""The trait in titles, source names and descriptions, as further options beside the rows.

A title does not declare what it means, so the rules are stricter than for a characteristic: a
"control" that may be the control of an experiment counts for nothing, at least two samples must be
on each side, and most samples must have a code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from genotex.clinical.cells import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.texts.judge import TextJudge
from genotex.clinical.texts.samples import (
    LEAST_TOLD,
    SampleTexts,
    group_texts,
    pair_candidates,
    sample_texts,
    text_columns,
)
from genotex.clinical.trait.judgement import UNKNOWN, Judgements
from genotex.clinical.trait.options import How, TraitOption, read_rows
from genotex.clinical.trait.row_groups import patients_tissue, rest_as_cases, rest_as_controls
from genotex.clinical.trait.row_judge import names_case
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.features import split_pairs

_FEWEST_ON_A_SIDE = 2
_LONGEST_TEXT = 200
"""Longer texts describe the whole study, not one sample."""


def text_options(
    description: SeriesDescription, judge: ValueJudge, vocabulary: Vocabulary
) -> list[TraitOption]:
    """Return every way in which texts about samples may record a trait that is no level."""
    if judge.trait.is_level:
        return []
    texts = TextJudge(judge, vocabulary, description)
    samples = max(map(len, description.descriptions), default=0)
    in_pairs = [
        option
        for option in read_rows(pair_candidates(description), judge)[0]
        if option.kind == "binary" and names_case(option.judgements)
        if _is_contrast(option.codes, option.candidate.weight, samples)
    ]
    return [*in_pairs, *(o for line in sample_texts(description) for o in _of_line(line, texts))]


def _is_contrast(
    codes: Mapping[str, float | None], weight: Mapping[str, int], samples: int
) -> bool:
    """Return whether there are enough cases, enough controls, and a code for most samples."""
    counts: Counter[float | None] = Counter()
    for cell, code in codes.items():
        counts[code] += weight.get(cell, 0)
    sides = counts[1.0], counts[0.0]
    return min(sides) >= _FEWEST_ON_A_SIDE and sum(sides) >= LEAST_TOLD * samples


def _of_line(line: SampleTexts, judge: TextJudge) -> Iterator[TraitOption]:
    """Return the ways of one line: by whole texts, their differences, or the words at one place."""
    weight = line.weight
    cells = [
        cell
        for cell in weight
        if len(cell) <= _LONGEST_TEXT
        and not (line.sample_field == "description" and split_pairs(cell))
    ]
    if not cells:
        return
    groups = group_texts(cells)
    ways: list[tuple[How, Mapping[str, str]]] = [("text", groups)]
    ways += [("part of a text", column) for column in text_columns(cells)]
    seen = list[Mapping[str, float | None]]()
    share, whole = weight.total() / len(line.cells), dict.fromkeys(weight, UNKNOWN)
    for how, texts in ways:
        values = {cell: texts.get(cell, "") for cell in weight}
        candidate = Candidate.of_texts(values, weight, line.sample_field, share=share)
        # A part counts only where the whole text says nothing ("arthritis").
        judged = judge.judge(texts)
        filled = {cell: judged.get(cell, j) if j == UNKNOWN else j for cell, j in whole.items()}
        if texts is groups:
            tells = any(j.code == 0 for j in filled.values())
            whole = {c: j if tells or j.code is None else UNKNOWN for c, j in filled.items()}
        for way, judgements in ((how, filled), *_rest(candidate, filled, judge)):
            codes = {cell: judgement.code for cell, judgement in judgements.items()}
            if codes not in seen and _is_contrast(codes, weight, len(line.cells)):
                seen.append(codes)
                yield TraitOption(candidate, way, codes, judgements)


def _rest(
    candidate: Candidate, judgements: Judgements, judge: TextJudge
) -> Iterator[tuple[How, Judgements]]:
    """Return patients' unaffected tissue as cases, and the rest if the series has both sides."""
    unaffected = patients_tissue(candidate, judgements, judge.values)
    if unaffected is not None:
        yield "patients, unaffected", unaffected
    compares = judge.values.series.in_title and judge.values.series.mentions_controls
    if compares and not (judge.is_of_experiments or any(map(judge.is_experiment, judgements))):
        for rest in (rest_as_cases, rest_as_controls):
            found = rest(candidate, judgements, judge.values) or {}
            yield (
                "rest of a text",
                {cell: found.get(cell, j) if j == UNKNOWN else j for cell, j in judgements.items()},
            )
