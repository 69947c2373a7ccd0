"""Who annotates a series: the protocol of an expert, and the expert built on rules."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from genotex.clinical.assay import judge_expression
from genotex.clinical.cells import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import ClinicalAnnotation, FeatureEncoding
from genotex.clinical.people.age_sex import find_age, find_gender, why_not_available
from genotex.clinical.summary import certainty_text, groups_text
from genotex.clinical.texts.people import find_age_in_texts, find_gender_in_texts
from genotex.clinical.texts.samples import FIELD_NAMES, pair_candidates
from genotex.clinical.texts.trait import covers_all_samples, find_trait_in_texts
from genotex.clinical.trait.choice import TraitChoice, read_trait, take_unmeasured
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.errors import UsageError
from genotex.layout import Procedure

_OF_ANIMALS = dict.fromkeys(("age", "gender"), "the samples are not human")

UNSURE_BELOW = 0.5
"""Below this certainty of the characteristics, the evidence of titles is worth a note."""


class Expert(Protocol):
    """Anything that annotates the samples of a series for a trait: rules, a model, a person."""

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Annotate the samples of a series for a trait.

        Parameters
        ----------
        description : SeriesDescription
            All that may be seen of the series.
        trait : str
            Name of the trait, with spaces or underscores.

        Returns
        -------
        ClinicalAnnotation
        """
        ...  # pragma: no cover


class RuleExpert:
    """Annotates a series by rules and a vocabulary, without network or model.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        The words it knows; the packaged ones by default.
    least_certainty : float
        A trait with less certainty than this (0 to 1) is "not available".
    beyond_characteristics : bool
        Whether to search source names, titles and descriptions of samples for features that the
        characteristics do not record. The benchmark uses the characteristics alone.
    """

    def __init__(
        self,
        vocabulary: Vocabulary | None = None,
        *,
        least_certainty: float = 0.0,
        beyond_characteristics: bool = True,
    ) -> None:
        self._vocabulary = vocabulary or load_vocabulary()
        self._least_certainty = least_certainty
        self._beyond_characteristics = beyond_characteristics

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Annotate the samples of a series for a trait (see `Expert`).

        Raises
        ------
        UsageError
            If the trait is not a name, or an alias of several traits.
        """
        named = self._vocabulary.named(trait)
        gene = judge_expression(description)
        rows = characteristic_candidates(description)
        judge = ValueJudge(
            self._vocabulary.trait(trait), self._vocabulary, description.title, description.text
        )
        choice = self._trait(trait, rows, description, judge)
        beyond = self._trait_beyond(choice, description, judge)
        if beyond is not None and choice.encoding is None:
            choice = take_unmeasured(beyond, choice, least_certainty=self._least_certainty)
        elif beyond is not None:
            choice = _with_second_opinion(choice, beyond, description)
        age, gender = self._people(rows, description) if gene.human else (None, None)
        return ClinicalAnnotation(
            gene,
            choice.encoding,
            age,
            gender,
            notes=(named.note,) if named.note else (),
            certainty=choice.certainty,
            runner_up=choice.runner_up,
            left_out=choice.left_out,
            unavailable=why_not_available(rows, age, gender, beyond=self._beyond_characteristics)
            if gene.human
            else dict(_OF_ANIMALS),
        )

    def _trait(
        self,
        trait: str,
        rows: list[Candidate],
        description: SeriesDescription,
        judge: ValueJudge,
    ) -> TraitChoice:
        """Find the trait in the characteristics."""
        # How sure that is was measured on the traits that the package lists; for others no figure
        # is stated, and any threshold leaves the annotation out.
        least, cells = self._least_certainty, description.cells
        if self._vocabulary.is_measured(trait):
            return read_trait(rows, judge, least_certainty=least, cells=cells)
        choice = _without_certainty(read_trait(rows, judge, cells=cells))
        if choice.encoding is None or least <= 0:
            return choice
        return replace(choice, encoding=None, runner_up=choice.encoding, left_out=least)

    def _people(
        self, rows: list[Candidate], description: SeriesDescription
    ) -> tuple[FeatureEncoding | None, FeatureEncoding | None]:
        """Find age and gender, in the characteristics first."""
        text = description.text
        age, gender = find_age(rows), find_gender(rows, text)
        if not self._beyond_characteristics:
            return age, gender
        pairs = pair_candidates(description)
        return (
            age or find_age(pairs) or find_age_in_texts(description),
            gender
            or find_gender(pairs, text)
            or find_gender_in_texts(description, self._vocabulary),
        )

    def _trait_beyond(
        self, choice: TraitChoice, description: SeriesDescription, judge: ValueJudge
    ) -> FeatureEncoding | None:
        """Search outside the characteristics where these have no trait, or an uncertain one."""
        sure = choice.certainty is None or choice.certainty >= UNSURE_BELOW
        if (choice.encoding is not None and sure) or not self._beyond_characteristics:
            return None
        return find_trait_in_texts(description, judge, self._vocabulary)


def _without_certainty(choice: TraitChoice) -> TraitChoice:
    """Remove the certainties."""
    encoding, runner_up = (
        None if e is None else replace(e, certainty=None)
        for e in (choice.encoding, choice.runner_up)
    )
    return replace(choice, encoding=encoding, runner_up=runner_up, certainty=None)


def _with_second_opinion(
    choice: TraitChoice, beyond: FeatureEncoding, description: SeriesDescription
) -> TraitChoice:
    """Note that titles cover every sample, where the trait of the characteristics is uncertain."""
    if choice.encoding is None or not covers_all_samples(beyond, description):
        return choice
    where = FIELD_NAMES[beyond.sample_field]
    caution = (
        f"the characteristics are uncertain ({certainty_text(choice.certainty or 0.0)}), and the "
        f"{where} name cases and controls for all samples; they were not used "
        f"({groups_text(beyond.values, beyond.roles)})"
    )
    return replace(choice, encoding=replace(choice.encoding, cautions=(caution,)))


def rule_expert(
    procedure: Procedure, *, vocabulary: Path | None = None, least_certainty: float = 0.0
) -> RuleExpert:
    """Return the built-in rules as a procedure uses them.

    Parameters
    ----------
    procedure : str
        ``sound`` looks at titles, source names and descriptions of samples where the
        characteristics are silent; ``benchmark`` at the characteristics alone, as the published
        reference did.
    vocabulary : Path, optional
        A vocabulary file to lay over the packaged words.
    least_certainty : float
        Trait annotations less certain than this (0 to 1) are "not available".

    Raises
    ------
    VocabularyFileError
        If the vocabulary file has a mistake.
    UsageError
        If the certainty is none.
    """
    check_certainty(least_certainty)
    return RuleExpert(
        load_vocabulary(vocabulary),
        least_certainty=least_certainty,
        beyond_characteristics=procedure == "sound",
    )


def check_certainty(value: float) -> None:
    """Refuse what is no probability."""
    if not (math.isfinite(value) and 0 <= value <= 1):
        msg = f"{value:g} is no certainty; use a number from 0 to 1"
        raise UsageError(msg)
