"""Who annotates a series: the protocol of an expert, and the expert built on rules."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from genotex.clinical.assay import judge_expression
from genotex.clinical.cells import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import ClinicalAnnotation
from genotex.clinical.likely_rows import likely_groups
from genotex.clinical.people import find_person_feature, why_not_available
from genotex.clinical.summary import with_review
from genotex.clinical.texts.people import find_in_texts
from genotex.clinical.texts.samples import pair_candidates
from genotex.clinical.texts.trait import text_options
from genotex.clinical.trait.choice import choose_trait
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.errors import UsageError
from genotex.features import table_features
from genotex.procedure import Procedure


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
        Whether source names, titles and descriptions of samples count as rows for the trait, and
        are searched for features that the characteristics do not record. The benchmark uses the
        characteristics alone.
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
        rows = characteristic_candidates(description)
        if not self._beyond_characteristics:  # One row alone is read: two are never one column.
            rows = [replace(row, samples=frozenset()) for row in rows]
        annotation = self._without_trait(description, rows)
        judge = ValueJudge(
            self._vocabulary.trait(trait), self._vocabulary, description.title, description.text
        )
        annotation = replace(annotation, notes=(named.note,) if named.note else ())
        beyond = self._beyond_characteristics
        annotation = choose_trait(
            annotation,
            rows,
            judge,
            description,
            in_texts=text_options(description, judge, self._vocabulary) if beyond else (),
            least_certainty=self._least_certainty,
            measured=self._vocabulary.is_measured(trait),
        )
        if annotation.trait is None and (rows_with_groups := likely_groups(description)):
            annotation = replace(annotation, notes=(*annotation.notes, rows_with_groups))
        return with_review(annotation)

    def annotate_people(self, description: SeriesDescription) -> ClinicalAnnotation:
        """Annotate age and sex of the samples alone, without a trait."""
        return self._without_trait(description, characteristic_candidates(description))

    def _without_trait(
        self, description: SeriesDescription, rows: list[Candidate]
    ) -> ClinicalAnnotation:
        gene = judge_expression(description)
        if not gene.human:
            why = {f.encoded: "the samples are not human" for f in table_features()}
            return ClinicalAnnotation(gene, None, None, None, unavailable=why)
        found = self._people(rows, description)
        why = why_not_available(rows, found, beyond=self._beyond_characteristics)
        return ClinicalAnnotation(gene, None, **found, unavailable=why)

    def _people(self, rows: list[Candidate], description: SeriesDescription) -> dict[str, Any]:
        """Find age and gender, in the characteristics first."""
        text = description.text
        found = {f.encoded: find_person_feature(f, rows, text) for f in table_features()}
        if not self._beyond_characteristics:
            return found
        pairs = pair_candidates(description)
        return {
            f.encoded: found[f.encoded]
            or find_person_feature(f, pairs, text)
            or find_in_texts(f, description, self._vocabulary)
            for f in table_features()
        }


def rule_expert(
    procedure: Procedure | str, *, vocabulary: Path | None = None, least_certainty: float = 0.0
) -> RuleExpert:
    """Return the built-in rules as a procedure uses them.

    Parameters
    ----------
    procedure : str
        ``sound`` reads titles, source names and descriptions of samples, too; ``benchmark`` the
        characteristics alone, as the published reference did.
    vocabulary : Path, optional
        A vocabulary file to lay over the packaged words.
    least_certainty : float
        Trait annotations less certain than this (0 to 1) are "not available".

    Raises
    ------
    VocabularyFileError
        If the vocabulary file has a mistake.
    UsageError
        If the certainty is not a number from 0 to 1.
    """
    check_certainty(least_certainty)
    return RuleExpert(
        load_vocabulary(vocabulary),
        least_certainty=least_certainty,
        beyond_characteristics=Procedure(procedure).reads_sample_texts,
    )


def check_certainty(value: float) -> None:
    """Refuse a certainty that is not a probability."""
    if not (math.isfinite(value) and 0 <= value <= 1):
        msg = f"{value:g} is not a certainty; use a number from 0 to 1"
        raise UsageError(msg)
