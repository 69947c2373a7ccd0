"""The trait in titles, source names and descriptions, as further options beside the rows.

A title is no answer to a question, so the rules are stricter than for a value under its key.
"Control" in it may be the control of an experiment, a short acronym may mean something else, and
the name of a cancer may label the normal tissue of its patients: what can be meant otherwise stays
unknown. At least two samples must be on each side, and most samples must have a code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from genotex.clinical.cells import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.texts.samples import (
    LEAST_TOLD,
    SampleTexts,
    free_text_words,
    group_texts,
    pair_candidates,
    sample_texts,
    text_columns,
)
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements, leave_open
from genotex.clinical.trait.options import How, TraitOption, read_rows
from genotex.clinical.trait.row_groups import patients_tissue, rest_as_cases, rest_as_controls
from genotex.clinical.trait.row_judge import judge_row, names_case
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.clinical.words.wording import mask
from genotex.features import simplify, split_pairs

_FEWEST_ON_A_SIDE = 2
_LONGEST_TEXT = 200
"""Longer texts describe the whole study, not one sample."""
_GLUED_NON = re.compile(r"(?<![A-Za-z])non([A-Za-z][A-Za-z0-9-]+)", re.IGNORECASE)
# "24 h", "10 nM", "siCTRL", "sh-NC": an experiment, despite any other words.
_EXPERIMENT = re.compile(
    r"(?<![A-Za-z0-9.])\d+(?:\.\d+)?[\s-]?(?:h|hrs?|hours?|mins?|minutes?|[nuµμpm]M|[munµμ]g|[munµμ]g/m?l|gy)"
    r"(?![A-Za-z])|(?<![A-Za-z])(?:day|d)[\s-]?0(?!\d)|(?<![A-Za-z])(?:si|sh|sg)[\s-]?[A-Z]{2}"
    r"|(?<![A-Za-z])s[ih](?:ctrl|control|scr|luc|gfp|neg|con)"
)
_SHORT = 3
_LETTERS = 2
_BLOOD_CELLS = re.compile(r"(?<![A-Za-z])[TB][\s-]?(?:cells?|lymph)", re.IGNORECASE)


def text_options(
    description: SeriesDescription, judge: ValueJudge, vocabulary: Vocabulary
) -> list[TraitOption]:
    """Return every way in which texts about samples may record a trait that is no level."""
    if judge.trait.is_level:
        return []
    texts = _TextJudge(judge, vocabulary, description)
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


def _of_line(line: SampleTexts, judge: _TextJudge) -> Iterator[TraitOption]:
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
    candidate: Candidate, judgements: Judgements, judge: _TextJudge
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


class _TextJudge:
    """Judges the group texts of samples for one trait in one series."""

    def __init__(
        self, judge: ValueJudge, vocabulary: Vocabulary, description: SeriesDescription
    ) -> None:
        self.values = judge
        self._trait = judge.trait
        self._vocabulary = vocabulary
        self._words = free_text_words()
        self._series_title = description.title
        self._series_text = description.text

    def judge(self, groups: Mapping[str, str]) -> Judgements:
        """Judge samples by the texts of their groups."""
        texts = {cell: self._spelt(text) for cell, text in groups.items()}
        candidate = Candidate.of_texts(texts, dict.fromkeys(texts, 1))
        judged = judge_row(candidate, self.values)
        judged = {cell: self._checked(j, cell, texts[cell]) for cell, j in judged.items()}
        judged = self._without_doubtful_cases(judged)
        return self._without_arms(judged)

    def _spelt(self, text: str) -> str:
        """Split "nonasthma" and spell out the abbreviations that the series explains."""
        # What the series itself explains is surer than what letters mean elsewhere: "HD" is not a
        # healthy donor where the summary has "Huntington's disease (HD)".
        text = _GLUED_NON.sub(
            lambda hit: f"non {hit[1]}" if hit[1] in self._trait.terms else hit[0], text
        )
        return self.values.series.spelt_out(text) or text

    def _checked(self, judgement: Judgement, cell: str, text: str) -> Judgement:
        """Return a judgement if it can be meant no other way."""
        if judgement.role == "unknown":
            return UNKNOWN
        if text in self._words["not_the_disease"] or cell in self._words["not_the_disease"]:
            return leave_open(f"{text!r} may be no patient")
        if judgement.role == "case":
            names = {self._trait.terms.find(text), self._trait.includes.find(text)} - {None}
            about = not names or self.values.words.names_trait(self._series_text)
            return judgement if about or any(map(self._is_used, names)) else UNKNOWN
        if judgement.role == "other disease":
            name = self._vocabulary.diseases.find(text)
            return judgement if name is None or self._is_used(name) else UNKNOWN
        return self._checked_control(judgement, cell, text)

    def _is_used(self, name: str | None) -> bool:
        """Return whether a name is a word, or short letters that the series' own texts use too."""
        if name is None or len(name) > _SHORT:
            return name is not None
        letters = rf"(?<![A-Za-z0-9]){re.escape(name)}s?(?![A-Za-z0-9])"
        if re.search(letters, self._series_text, re.IGNORECASE):
            return True
        known = self._vocabulary.names.with_term(name)
        return any(self._series_text in self._vocabulary.trait(trait).terms for trait in known)

    def _checked_control(self, judgement: Judgement, cell: str, text: str) -> Judgement:
        groups, words = self._vocabulary.groups, self.values.words
        plain = words.without_norms(text)
        is_open, is_person = plain in groups["open_control"], plain in groups["person_control"]
        if judgement.ground == Ground.DENIED and not is_open:
            return judgement
        word = groups["person_control"].find(plain) or groups["open_control"].find(plain)
        healthy = Judgement.healthy(f"{text!r} names a control ({word!r})")
        if is_person:
            return healthy
        if text in self._trait.healthy:
            return judgement
        if text in groups["unlesional"] and judgement.ground >= Ground.HEALTHY:
            return judgement
        if not is_open and simplify(text) != "donor":
            return judgement if self._may_be_letter(cell, text) else UNKNOWN
        if self.is_experiment(cell) or self.is_of_experiments:
            return leave_open(f"{text!r} may be the control of an experiment")
        is_tissue = self._trait.is_cancer and "normal" in simplify(plain).split()
        if words.names_trait(cell) and not is_tissue:
            return leave_open(f"{text!r} names the trait and a control")
        return healthy

    def is_experiment(self, text: str) -> bool:
        """Return whether a text names an arm of an experiment (not "KD", where it is the trait)."""
        text = self._spelt(text)
        word = self._words["experiment"].find(text)
        names = self._trait.terms.find(text), self._trait.includes.find(text)
        named = word is not None and not any(word in (name or "").split() for name in names)
        return named or _EXPERIMENT.search(text) is not None

    @property
    def is_of_experiments(self) -> bool:
        """Whether the series does experiments and speaks of no healthy people or tissue."""
        experiments = (
            self.values.series.is_of_cells or self._series_text in self._words["about_experiments"]
        )
        return experiments and self._series_text not in self._words["about_controls"]

    def _may_be_letter(self, cell: str, text: str) -> bool:
        """Return whether a letter or two may stand for a group ("T", "N"), by the series' texts."""
        series = self.values.series
        return (
            0 < len(text) <= _LETTERS
            and series.about
            and series.mentions_controls
            and not (self.is_experiment(cell) or _BLOOD_CELLS.search(cell))
        )

    def _without_doubtful_cases(self, judged: Judgements) -> Judgements:
        """Keep cases by "tumor" and "patient" only where the texts of the series allow it."""
        named = any(j.role == "case" and j.ground >= Ground.INCLUDED for j in judged.values())
        others = any(j.role == "other disease" for j in judged.values())
        tumours = (
            self._trait.is_cancer
            and self.values.words.names_trait(self._series_text)
            and not others
        )
        patients = self.values.words.names_trait(self._series_title) and not others and not named
        allowed = tumours or patients
        return {
            cell: UNKNOWN if j.role == "case" and j.ground < Ground.INCLUDED and not allowed else j
            for cell, j in judged.items()
        }

    def _without_arms(self, judged: Judgements) -> Judgements:
        """Reopen controls where every case, and none of them, is the arm of an experiment."""
        cases = [cell for cell, j in judged.items() if j.role == "case"]
        spans = ((cell, self._words["untreated"].spans(cell)) for cell in cases)
        arms = (mask(simplify(cell), found) if found else cell for cell, found in spans)
        if not cases or not all(map(self.is_experiment, arms)):
            return judged
        return {
            cell: leave_open(f"{cell!r} may be the control of an experiment")
            if j.role == "healthy control"
            and j.ground <= Ground.HEALTHY
            and cell not in self._vocabulary.groups["person_control"]
            else j
            for cell, j in judged.items()
        }
