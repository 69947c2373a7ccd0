"""What is said of a series for one trait: by a label, or by a prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from genotex.clinical import Confidence

__all__ = ["FEATURES", "NEEDED", "NOTHING", "Feature", "FeatureLabel", "Label", "LabelledCase"]

Feature = Literal["trait", "age", "gender"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
NEEDED = ("is_gene_available", *FEATURES)
"""Fields that every label has."""


@dataclass(frozen=True)
class FeatureLabel:
    """Where a feature stands, and the code of each raw cell.

    Attributes
    ----------
    row : int
        Characteristics row, numbered from 0.
    map : mapping of str to float or None
        Raw cell ("disease state: healthy control") -> code; None is missing.
    """

    row: int
    map: Mapping[str, float | None]


@dataclass(frozen=True)
class Label:
    """What is said of a series for one trait, by a label or by a prediction.

    Attributes
    ----------
    is_gene_available : bool
        Whether it holds human gene expression.
    trait, age, gender : FeatureLabel or None
        None is "not available".
    confidence : str or None
        How sure the label of the trait is: ``explicit``, ``inferred`` or ``arguable``.
    """

    is_gene_available: bool
    trait: FeatureLabel | None = None
    age: FeatureLabel | None = None
    gender: FeatureLabel | None = None
    confidence: Confidence | None = None

    @property
    def is_available(self) -> bool:
        """Whether there are both gene expression and a row that tells the trait."""
        return self.is_gene_available and self.trait is not None

    def feature(self, name: Feature) -> FeatureLabel | None:
        """Return what is said of a feature."""
        found: FeatureLabel | None = getattr(self, name)
        return found


NOTHING = Label(is_gene_available=False)
"""What a prediction that is missing counts as."""


@dataclass(frozen=True)
class LabelledCase:
    """A series asked for a trait, and its labels.

    Attributes
    ----------
    id : str
        Unique in its file.
    trait : str
        Trait folder name.
    cohort : str
        GSE accession.
    labels : mapping of str to Label
        Name of the set of labels -> label.
    """

    id: str
    trait: str
    cohort: str
    labels: Mapping[str, Label]
