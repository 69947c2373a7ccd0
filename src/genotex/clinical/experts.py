"""Who reads a series: the protocol of an expert, and the one built of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from genotex.clinical.age_sex import read_age, read_gender
from genotex.clinical.assay import NOT_HUMAN, judge_expression
from genotex.clinical.candidates import Candidate, characteristic_candidates, other_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import ClinicalReading, FeatureEncoding
from genotex.clinical.trait_evidence import TraitChoice, read_trait, take_unmeasured
from genotex.clinical.value_roles import ValueJudge
from genotex.clinical.vocabulary import Vocabulary, load_vocabulary

__all__ = ["Expert", "RuleExpert"]


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
        """Read a series for a trait (see `Expert`)."""
        gene = judge_expression(description)
        rows = characteristic_candidates(description)
        rest = other_candidates(description) if self._beyond_characteristics else []
        judge = ValueJudge(
            self._vocabulary.trait(trait), self._vocabulary, description.title, description.text
        )
        choice = read_trait(rows, judge, least_certainty=self._least_certainty)
        if choice.encoding is None and (beyond := _beyond_characteristics(rest, judge)) is not None:
            choice = take_unmeasured(beyond, choice, least_certainty=self._least_certainty)
        found = choice.encoding
        age = gender = None
        if not gene.reason.startswith(NOT_HUMAN):
            text = description.text
            age = read_age(rows) or read_age(rest)
            gender = read_gender(rows, text) or read_gender(rest, text)
        return ClinicalReading(
            gene,
            found,
            age,
            gender,
            notes=(*_left_out(choice), *_notes(found, age, gender)),
            certainty=choice.certainty,
            runner_up=choice.runner_up,
        )


def _beyond_characteristics(
    candidates: list[Candidate], judge: ValueJudge
) -> FeatureEncoding | None:
    """Read the trait from free texts: only from words that name it, and never as explicit."""
    encoding = read_trait(candidates, judge, strict=True).encoding
    return None if encoding is None else replace(encoding, confidence="inferred", certainty=None)


def _left_out(choice: TraitChoice) -> tuple[str, ...]:
    return (f"trait: {choice.left_out}",) if choice.left_out else ()


def _notes(*encodings: FeatureEncoding | None) -> tuple[str, ...]:
    return tuple(
        f"{e.feature}: {line}"
        for e in encodings
        if e is not None
        for line in e.evidence
        if line.startswith("cells are shifted")
    )
