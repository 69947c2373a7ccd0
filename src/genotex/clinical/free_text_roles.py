"""What the free text of a sample says about a trait: stricter than a value under its key.

A title is no answer to a question. "Control" in it may be the control of an experiment, a short
acronym may stand for something else, and the name of a cancer may stand on the normal tissue of
its patients. What can be meant otherwise stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from genotex.clinical.candidates import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.free_text import free_text_words
from genotex.clinical.judgement import (
    CONTEXT,
    DENIED,
    HEALTHY,
    INCLUDED,
    NOTHING,
    UNKNOWN,
    Judgement,
)
from genotex.clinical.row_roles import judge_row
from genotex.clinical.value_roles import ValueJudge
from genotex.clinical.vocabulary import Vocabulary
from genotex.clinical.wording import mask, simplify

__all__ = ["TextJudge"]

Judgements = Mapping[str, Judgement]

_GLUED_NON = re.compile(r"(?<![A-Za-z])non(?=[A-Za-z])", re.IGNORECASE)
# "24 h", "10 nM", "siCTRL", "sh-NC": an experiment, whatever other words there are.
_EXPERIMENT = re.compile(
    r"(?<![A-Za-z0-9.])\d+(?:\.\d+)?[\s-]?(?:h|hrs?|hours?|mins?|minutes?|[nuµμpm]M|[munµμ]g|[munµμ]g/m?l|gy)"
    r"(?![A-Za-z])|(?<![A-Za-z])(?:day|d)[\s-]?0(?!\d)|(?<![A-Za-z])(?:si|sh|sg)[\s-]?[A-Z]{2}"
    r"|(?<![A-Za-z])s[ih](?:ctrl|control|scr|luc|gfp|neg|con)",
)
_SHORT = 3
_CODE = re.compile(r"(?<![A-Za-z0-9])\d*([A-Za-z]{1,3})\d*(?![A-Za-z0-9])")


class TextJudge:
    """Judges the group texts of samples for one trait in one series.

    Parameters
    ----------
    judge : ValueJudge
        Judges single values.
    vocabulary : Vocabulary
        The words it knows.
    description : SeriesDescription
        The series.
    """

    def __init__(
        self, judge: ValueJudge, vocabulary: Vocabulary, description: SeriesDescription
    ) -> None:
        self._judge = judge
        self._trait = judge.trait
        self._vocabulary = vocabulary
        self._words = free_text_words()
        self._series_title = description.title
        self._series_text = description.text

    def judge(self, groups: Mapping[str, str]) -> Judgements:
        """Judge samples by what the texts of their groups say.

        Parameters
        ----------
        groups : mapping of str to str
            Raw cell -> text of its group.

        Returns
        -------
        mapping of str to Judgement
            By raw cell.
        """
        texts = {cell: self._spelt(text) for cell, text in groups.items()}
        candidate = Candidate(
            key="",
            row=None,
            values=texts,
            in_row=frozenset(texts),
            share=1.0,
            elsewhere=(),
            weight=dict.fromkeys(texts, 1),
        )
        judged = judge_row(candidate, self._judge)
        judged = {cell: self._checked(j, cell, texts[cell]) for cell, j in judged.items()}
        judged = self._without_doubtful_cases(judged)
        return self._without_arms(judged)

    def judge_codes(self, cells: Iterable[str]) -> Judgements:
        """Judge paired samples of a cancer by the letters of tumour and normal: "T1", "N1".

        Returns
        -------
        mapping of str to Judgement
            All unknown unless the series is about the cancer and speaks of normal tissue.
        """
        judged = dict.fromkeys(cells, UNKNOWN)
        series = self._judge.series
        if not (self._trait.is_cancer and series.about and series.mentions_controls):
            return judged
        return {cell: self._by_code(cell) for cell in judged}

    def _by_code(self, cell: str) -> Judgement:
        if self._is_experiment(cell):
            return UNKNOWN
        tokens = re.split(r"[\s_.,;:()/-]+", cell.strip())
        ends = {tokens[0], tokens[-1]}
        letters = {
            hit[1].casefold()
            for token in tokens
            if (hit := _CODE.fullmatch(token)) and (token in ends or token != hit[1])
        }
        cells_of_blood = re.search(r"\b[TB][\s-]?(?:cells?|lymph)", cell, re.IGNORECASE)
        roles = {
            role for role in ("tumour", "normal") for code in letters if code in self._words[role]
        }
        if len(roles) != 1 or cells_of_blood:
            return UNKNOWN
        if roles == {"tumour"}:
            return Judgement("case", CONTEXT, f"{cell!r} has the letter of the tumour of a pair")
        why = f"{cell!r} has the letter of the normal tissue of a pair"
        return Judgement("healthy control", HEALTHY, why)

    def _spelt(self, text: str) -> str:
        """Return a text with "nonasthma" taken apart and abbreviations as the series explains them.

        What the series itself explains is surer than what letters mean elsewhere: "HD" is not a
        healthy donor where the summary says "Huntington's disease (HD)".
        """
        apart = _GLUED_NON.sub("non ", text)
        known = self._trait.terms
        text = apart if apart != text and apart in known else text
        return self._judge.series.spelt_out(text) or text

    def _checked(self, judgement: Judgement, cell: str, text: str) -> Judgement:
        """Return a judgement if it can be meant no other way."""
        if judgement.role == "unknown":
            return UNKNOWN
        if text in self._words["not_the_disease"]:
            return _open(f"{text!r} may be no patient")
        if judgement.role == "case":
            return self._checked_case(judgement, text)
        if judgement.role == "other disease":
            name = self._vocabulary.diseases.find(text)
            return judgement if name is None or self._is_used(name) else UNKNOWN
        return self._checked_control(judgement, cell, text)

    def _checked_case(self, judgement: Judgement, text: str) -> Judgement:
        names = {self._trait.terms.find(text), self._trait.includes.find(text)} - {None}
        if (
            names
            and not self._names_trait(self._series_text)
            and not any(map(self._is_used, names))
        ):
            return UNKNOWN
        if not self._says_control(text):
            return judgement
        if self._trait.is_cancer and self._is_normal_tissue(text):
            return Judgement("healthy control", HEALTHY, f"{text!r} is normal tissue of patients")
        return _open(f"{text!r} names the trait and a control")

    def _is_used(self, name: str | None) -> bool:
        """Tell whether a name is a word, or short letters that the series' own texts use too."""
        if name is None or len(name) > _SHORT:
            return name is not None
        letters = rf"(?<![A-Za-z0-9]){re.escape(name)}s?(?![A-Za-z0-9])"
        return re.search(letters, self._series_text, re.IGNORECASE) is not None

    def _names_trait(self, text: str) -> bool:
        trait = self._trait
        organ = trait.is_cancer and text in trait.sites and self._judge.is_cancer(text)
        return text in trait.terms or text in trait.includes or organ

    def _says_control(self, text: str) -> bool:
        plain = self._without_norms(text)
        return plain in self._words["person_control"] or plain in self._words["open_control"]

    def _is_normal_tissue(self, text: str) -> bool:
        plain = simplify(self._without_norms(text))
        return plain in self._words["person_control"] or "normal" in plain.split()

    def _without_norms(self, text: str) -> str:
        """Return a text without "normal karyotype" and the like."""
        terms = self._vocabulary.groups["not_healthy"]
        return mask(simplify(text), terms.spans(text)) if text in terms else text

    def _checked_control(self, judgement: Judgement, cell: str, text: str) -> Judgement:
        plain = self._without_norms(text)
        named = self._names_trait(text)
        if judgement.strength == DENIED and not (named and plain in self._words["open_control"]):
            return judgement
        if plain in self._words["person_control"]:
            return self._healthy(text)
        if text in self._vocabulary.groups["unlesional"] and judgement.strength >= HEALTHY:
            return judgement
        if plain not in self._words["open_control"]:
            return UNKNOWN
        if self._is_experiment(cell) or self._is_of_experiments:
            return _open(f"{text!r} may be the control of an experiment")
        if judgement.strength == DENIED:
            return judgement
        if named and not (self._trait.is_cancer and self._is_normal_tissue(text)):
            return _open(f"{text!r} names the trait and a control")
        return self._healthy(text)

    def _healthy(self, text: str) -> Judgement:
        terms = self._words["person_control"], self._words["open_control"]
        plain = self._without_norms(text)
        word = next(found for group in terms if (found := group.find(plain)))
        return Judgement("healthy control", HEALTHY, f"{text!r} names a control ({word!r})")

    def _is_experiment(self, text: str) -> bool:
        return text in self._words["experiment"] or _EXPERIMENT.search(text) is not None

    @property
    def _is_of_experiments(self) -> bool:
        """Whether the series is of cultured cells and speaks of no healthy people or tissue."""
        about_people = self._series_text in self._words["about_controls"]
        return self._judge.series.is_of_cells and not about_people

    def _without_doubtful_cases(self, judged: Judgements) -> Judgements:
        """Take "tumor" and "patient" for the trait only where the texts of the series allow it."""
        named = any(j.role == "case" and j.strength >= INCLUDED for j in judged.values())
        others = any(j.role == "other disease" for j in judged.values())
        tumours = self._trait.is_cancer and self._names_trait(self._series_text) and not others
        patients = self._names_trait(self._series_title) and not others and not named
        allowed = tumours or patients
        return {
            cell: UNKNOWN if j.role == "case" and j.strength < INCLUDED and not allowed else j
            for cell, j in judged.items()
        }

    def _without_arms(self, judged: Judgements) -> Judgements:
        """Take back open controls where every case is the arm of an experiment and they are not."""
        cases = [cell for cell, j in judged.items() if j.role == "case"]
        if not cases or not all(map(self._is_experiment, cases)):
            return judged
        return {
            cell: _open(f"{cell!r} may be the control of an experiment")
            if j.role == "healthy control"
            and j.strength <= HEALTHY
            and cell not in self._words["person_control"]
            else j
            for cell, j in judged.items()
        }


def _open(why: str) -> Judgement:
    return replace(UNKNOWN, strength=NOTHING, why=why)
