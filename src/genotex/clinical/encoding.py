"""How raw values become codes: plain data that can be printed, edited by hand and replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from genotex.formats.cohort_record import Role

__all__ = ["ClinicalReading", "Confidence", "FeatureEncoding", "GeneVerdict", "SampleField"]

Confidence = Literal["explicit", "inferred", "arguable"]
SampleField = Literal["characteristics_ch1", "title", "source_name_ch1", "description"]
Parser = Literal["age_years", "sex", "number"]


@dataclass(frozen=True)
class GeneVerdict:
    """Whether the series holds human gene expression, and why."""

    available: bool
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class FeatureEncoding:
    """Where a feature stands and how each raw value is coded.

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
        Raw cell ("disease state: healthy control") -> code; None is missing.
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
        How sure, 0 to 1; None when nobody says.
    """

    feature: Literal["trait", "age", "gender"]
    row: int | None
    key: str
    kind: Literal["binary", "continuous"]
    values: Mapping[str, float | None] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    parser: Parser | None = None
    confidence: Confidence = "explicit"
    evidence: tuple[str, ...] = ()
    sample_field: SampleField = "characteristics_ch1"
    certainty: float | None = None


@dataclass(frozen=True)
class ClinicalReading:
    """What an expert says about a series for one trait; None is "not available".

    Attributes
    ----------
    gene : GeneVerdict
        Whether the series holds human gene expression.
    trait, age, gender : FeatureEncoding or None
        How each feature is told.
    notes : tuple of str
        What a reader should know, such as shifted cells.
    by : str
        Who read the series: ``rules``, ``hand``, or the name of a model.
    certainty : float or None
        Probability that what is said of the trait is right, "not available" included; None where
        nobody measured it.
    runner_up : FeatureEncoding or None
        The trait reading that came second (first, where the trait is "not available").
    """

    gene: GeneVerdict
    trait: FeatureEncoding | None
    age: FeatureEncoding | None
    gender: FeatureEncoding | None
    notes: tuple[str, ...] = ()
    by: str = "rules"
    certainty: float | None = None
    runner_up: FeatureEncoding | None = None
