"""How raw values become codes: plain data that can be printed, edited by hand and replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from genotex.features import feature_named, table_features
from genotex.formats import Confidence, Kind, Parser, Role, SampleField

__all__ = [
    "FEATURES",
    "GROUP_WORDS",
    "ClinicalAnnotation",
    "Confidence",
    "Feature",
    "FeatureEncoding",
    "GeneVerdict",
    "Parser",
    "SampleField",
]

GROUP_WORDS: Mapping[Role, str] = {
    "case": "case",
    "healthy control": "control",
    "other disease": "other disease",
    "unknown": "other control",
}
"""The group of a sample with a code of a binary trait, as sample sheets write it."""
Feature = Literal["trait", "age", "gender"]
FEATURES: tuple[Feature, ...] = ("trait", *(cast(Feature, f.encoded) for f in table_features()))


def kind_of(feature: Feature) -> Kind:
    """Return the kind of a feature's codes; a trait is binary unless it is measured."""
    known = feature_named(feature) if feature != "trait" else None
    return "binary" if known is None else known.kind


_SHARE = {"ge": 0, "le": 1}
"""Limits of a field where it is read back (see `records.checked`)."""


@dataclass(frozen=True)
class GeneVerdict:
    """Whether the series holds human gene expression, and why.

    Attributes
    ----------
    available : bool
        Whether it does.
    reason : str
        The verdict in words.
    evidence : tuple of str
        What was seen, in words for people.
    certainty : float or None
        How often such a verdict is right, from 0.5 to 1: the share of right ones among labelled
        cases by rule, with one right and one wrong case added; None when not estimated.
    human : bool
        Whether the samples are human, as far as known.
    """

    available: bool
    reason: str
    evidence: tuple[str, ...] = ()
    certainty: float | None = field(default=None, metadata=_SHARE)
    human: bool = True


@dataclass(frozen=True)
class FeatureEncoding:
    """Where a feature is recorded and how each raw value is coded.

    Attributes
    ----------
    feature : str
        ``trait``, ``age`` or ``gender``.
    row : int or None
        Characteristics row, numbered from 0; None when `sample_field` is another line.
    key : str
        Key before the first colon, as in the file; empty for values without one. `sound` finds
        values by key in every row, `benchmark` reads `row` alone.
    kind : str
        ``binary`` or ``continuous``.
    values : mapping of str to float or None
        Raw cell ("disease state: healthy control") -> code; None is missing. A listed cell under
        another key counts for samples that have no cell under `key`.
    roles : mapping of str to Role
        Raw cell -> role, for a binary trait.
    parser : str or None
        For cells that `values` does not list: ``age_years``, ``sex`` or ``number``.
    confidence : str
        ``explicit``, ``inferred`` or ``arguable``.
    evidence : tuple of str
        Why, in words for people.
    sample_field : str
        Sample field that holds the cells.
    certainty : float or None
        How certain, 0 to 1; None when unknown. That of the trait is in
        `ClinicalAnnotation.certainty` alone.
    reasons : mapping of str to str
        Raw cell -> why it has its code, in words; not every cell needs one.
    shifted : tuple of int
        Other characteristics rows that hold values of this key, for cells have slipped.
    cautions : tuple of str
        What a reader should know of this feature, such as a source that was not used.
    told_by : str
        Source: ``rules``, ``hand``, or the name of a model.
    """

    feature: Feature
    row: int | None = field(metadata={"ge": 0})
    key: str
    kind: Kind
    values: Mapping[str, float | None] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    parser: Parser | None = None
    confidence: Confidence = "explicit"
    evidence: tuple[str, ...] = ()
    sample_field: SampleField = "characteristics_ch1"
    certainty: float | None = field(default=None, metadata=_SHARE)
    reasons: Mapping[str, str] = field(default_factory=dict)
    shifted: tuple[int, ...] = ()
    cautions: tuple[str, ...] = ()
    told_by: str = "rules"


@dataclass(frozen=True)
class ClinicalAnnotation:
    """The annotation of a series for one trait; a feature that is None is "not available".

    Attributes
    ----------
    gene : GeneVerdict
        Whether the series holds human gene expression.
    trait, age, gender : FeatureEncoding or None
        How each feature is recorded.
    notes : tuple of str
        What no other field holds (`annotation_notes` adds those of the features).
    by : str
        Source: ``rules``, ``hand``, or the name of a model.
    certainty : float or None
        Probability that the statement on the trait is right, "not available" included; None where
        it was not measured.
    runner_up : FeatureEncoding or None
        The encoding of the trait that came second (first, where the trait is "not available").
    left_out : float or None
        The least certainty required, where the runner-up would be the answer but does not
        reach it.
    unavailable : mapping of str to str
        ``age``, ``gender`` -> why it is not available, as far as the expert knows.
    excluded : mapping of str to str
        Sample that a person left out -> by what (``--exclude tissue=pool``).
    facts : mapping of str to mapping of str to str
        ``pair``, ``batch`` -> sample -> value, as a person gave them.
    """

    gene: GeneVerdict
    trait: FeatureEncoding | None
    age: FeatureEncoding | None
    gender: FeatureEncoding | None
    notes: tuple[str, ...] = ()
    by: str = "rules"
    certainty: float | None = field(default=None, metadata=_SHARE)
    runner_up: FeatureEncoding | None = None
    left_out: float | None = field(default=None, metadata=_SHARE)
    unavailable: Mapping[str, str] = field(default_factory=dict, metadata={"alias": "untold"})
    excluded: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def features(self) -> dict[Feature, FeatureEncoding | None]:
        """Encodings of ``trait``, ``age`` and ``gender``, None where not available."""
        return {name: getattr(self, name) for name in FEATURES}

    @property
    def columns(self) -> dict[str, FeatureEncoding]:
        """Available encodings by column of a clinical table: ``trait``, ``Age``, ``Gender``."""
        names = {"trait": "trait"} | {f.encoded: f.column for f in table_features()}
        return {names[f]: encoding for f, encoding in self.features.items() if encoding is not None}
