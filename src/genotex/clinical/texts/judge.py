"""Judging the free text of a sample for a trait: stricter than for a value under its key.

A title is no answer to a question. "Control" in it may be the control of an experiment, a short
acronym may mean something else, and the name of a cancer may label the normal tissue of
its patients. What can be meant otherwise stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from genotex.clinical.cells import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.texts.samples import free_text_words
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements, leave_open
from genotex.clinical.trait.row_judge import judge_row
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.clinical.words.wording import mask
from genotex.features import simplify

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


class TextJudge:
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
        return self._without_arms(self._with_letters(judged, texts))

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

    def _with_letters(self, judged: Judgements, texts: Mapping[str, str]) -> Judgements:
        """Treat "C" next to "AD" as a control, where nothing else names controls."""
        if not any(j.role == "case" for j in judged.values()) or any(
            j.code == 0 for j in judged.values()
        ):
            return judged
        letters = self._words["control_code"]
        return {
            cell: Judgement.healthy(f"{texts[cell]!r} has the letter of a control")
            if j.is_open and texts[cell] in letters and self._may_be_letter(cell, texts[cell])
            else j
            for cell, j in judged.items()
        }

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
