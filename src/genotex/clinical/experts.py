"""Who reads a series: the protocol of an expert, and the one built of rules."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from genotex.clinical.assay import judge_expression
from genotex.clinical.cells import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import ClinicalReading, FeatureEncoding
from genotex.clinical.people.age_sex import read_age, read_gender, why_untold
from genotex.clinical.summary import tell_certainty, tell_groups
from genotex.clinical.texts.people import read_age_in_texts, read_gender_in_texts
from genotex.clinical.texts.samples import FIELD_NAMES, pair_candidates
from genotex.clinical.texts.trait import read_trait_in_texts, tells_all_samples
from genotex.clinical.trait.choice import TraitChoice, read_trait, take_unmeasured
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.errors import UsageError
from genotex.layout import Procedure

_OF_ANIMALS = dict.fromkeys(("age", "gender"), "the samples are not human")

_UNSURE_BELOW = 0.5
"""Below this certainty of the characteristics, what titles say is worth a note."""


class Expert(Protocol):
    """Anyone who can say what a series tells about a trait: rules, a model, a person."""

    def read(self, description: SeriesDescription, trait: str) -> ClinicalReading:
        """Read a series for a trait.

        Parameters
        ----------
        description : SeriesDescription
            All that may be seen of the series.
        trait : str
            Name of the trait, with spaces or underscores.

        Returns
        -------
        ClinicalReading
        """
        ...  # pragma: no cover


class RuleExpert:
    """Reads a series by rules and a vocabulary, without network or model.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        The words it knows; the packaged ones by default.
    least_certainty : float
        Trait readings less certain than this (0 to 1) are "not available".
    beyond_characteristics : bool
        Whether source names, titles and descriptions of samples are looked at for what the
        characteristics do not tell. The benchmark looks at characteristics alone.
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

    def read(self, description: SeriesDescription, trait: str) -> ClinicalReading:
        """Read a series for a trait (see `Expert`).

        Raises
        ------
        UsageError
            If the trait is no name, or an alias of several traits.
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
        return ClinicalReading(
            gene,
            choice.encoding,
            age,
            gender,
            notes=(named.told,) if named.told else (),
            certainty=choice.certainty,
            runner_up=choice.runner_up,
            left_out=choice.left_out,
            untold=why_untold(rows, age, gender, beyond=self._beyond_characteristics)
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
        """Read the trait in the characteristics."""
        # How sure that is was measured on the traits that the package lists; for others no figure
        # is stated, and any threshold leaves the reading out.
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
        """Read age and gender, from the characteristics first."""
        text = description.text
        age, gender = read_age(rows), read_gender(rows, text)
        if not self._beyond_characteristics:
            return age, gender
        pairs = pair_candidates(description)
        return (
            age or read_age(pairs) or read_age_in_texts(description),
            gender
            or read_gender(pairs, text)
            or read_gender_in_texts(description, self._vocabulary),
        )

    def _trait_beyond(
        self, choice: TraitChoice, description: SeriesDescription, judge: ValueJudge
    ) -> FeatureEncoding | None:
        """Read the trait outside the characteristics where these tell nothing, or hardly."""
        sure = choice.certainty is None or choice.certainty >= _UNSURE_BELOW
        if (choice.encoding is not None and sure) or not self._beyond_characteristics:
            return None
        return read_trait_in_texts(description, judge, self._vocabulary)


def _without_certainty(choice: TraitChoice) -> TraitChoice:
    """Take the certainties off."""
    encoding, runner_up = (
        None if e is None else replace(e, certainty=None)
        for e in (choice.encoding, choice.runner_up)
    )
    return replace(choice, encoding=encoding, runner_up=runner_up, certainty=None)


def _with_second_opinion(
    choice: TraitChoice, beyond: FeatureEncoding, description: SeriesDescription
) -> TraitChoice:
    """Say that the titles tell every sample, where what was read from a row is uncertain."""
    if choice.encoding is None or not tells_all_samples(beyond, description):
        return choice
    where = FIELD_NAMES[beyond.sample_field]
    caution = (
        f"the characteristics are uncertain ({tell_certainty(choice.certainty or 0.0)}), and the "
        f"{where} name cases and controls for all samples; they were not used "
        f"({tell_groups(beyond.values, beyond.roles)})"
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
        Trait readings less certain than this (0 to 1) are "not available".

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
