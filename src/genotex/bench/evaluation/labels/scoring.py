"""Predictions against labels, case by case: the figures of clinical inference.

Row and coding of a feature are right when they are the label's; where the label says "not
available", saying so is right. A prediction that is missing counts as nothing available.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from genotex.bench.evaluation.labels.label import FEATURES, NOTHING, Feature, FeatureLabel, Label

__all__ = [
    "Agreement",
    "CaseScore",
    "agreement",
    "case_figures",
    "f1_score",
    "same_code",
    "score_case",
    "score_cases",
]

SAME_CODE = 0.051
"""Codes that lie closer are alike: ages may be rounded to one decimal."""


class Agreement(NamedTuple):
    """How well a prediction of one feature agrees with its label.

    Attributes
    ----------
    row : bool
        Whether both name the same row, or both say "not available".
    values : float
        Share of the labelled values that are coded alike; 0 with another row.
    """

    row: bool
    values: float

    @property
    def exact(self) -> bool:
        """Whether everything the label says is predicted."""
        return self.values == 1.0


@dataclass(frozen=True)
class CaseScore:
    """One case; pairs are what the label says and what the prediction says.

    Attributes
    ----------
    gene : pair of bool
        Is there human gene expression?
    available : pair of bool
        Are there both gene expression and the trait?
    features : mapping of str to Agreement
        By ``trait``, ``age``, ``gender``.
    """

    gene: tuple[bool, bool]
    available: tuple[bool, bool]
    features: Mapping[Feature, Agreement]

    @property
    def exact(self) -> bool:
        """Whether the verdict on gene expression and all features are right."""
        label, predicted = self.gene
        return label == predicted and all(found.exact for found in self.features.values())


def same_code(one: float | None, other: float | None) -> bool:
    """Tell whether two codes are alike: both missing, or at most 0.051 apart."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= SAME_CODE


def agreement(label: FeatureLabel | None, predicted: FeatureLabel | None) -> Agreement:
    """Compare the prediction of a feature with its label.

    A value that the prediction does not list counts as missing. Values that the label does not
    list are not judged.
    """
    if label is None or predicted is None:
        both = label is None and predicted is None
        return Agreement(both, float(both))
    if label.row != predicted.row:
        return Agreement(False, 0.0)
    if not label.map:
        return Agreement(True, 1.0)
    alike = sum(same_code(code, predicted.map.get(cell)) for cell, code in label.map.items())
    return Agreement(True, alike / len(label.map))


def score_case(label: Label, predicted: Label) -> CaseScore:
    """Compare a prediction with a label."""
    return CaseScore(
        (label.is_gene_available, predicted.is_gene_available),
        (label.is_available, predicted.is_available),
        {name: agreement(label.feature(name), predicted.feature(name)) for name in FEATURES},
    )


def score_cases(
    labels: Mapping[str, Label], predicted: Mapping[str, Label]
) -> dict[str, CaseScore]:
    """Compare predictions with labels, both by case id.

    Returns
    -------
    dict of str to CaseScore
        For every labelled case, whether it was predicted or not.
    """
    return {name: score_case(label, predicted.get(name, NOTHING)) for name, label in labels.items()}


def case_figures(scores: Sequence[CaseScore]) -> dict[str, float]:
    """Return the figures of clinical inference over some cases, as fractions.

    Parameters
    ----------
    scores : sequence of CaseScore
        At least one.

    Returns
    -------
    dict of str to float
        ``gene_flag_accuracy``; ``no_gene_F1``, ``available_F1`` and ``not_available_F1``, each with
        the answer that it names as the positive one; for each feature ``_row_accuracy``,
        ``_value_score`` (mean share of values coded alike) and ``_exact``; ``whole_case_exact``.
    """
    gene = [score.gene for score in scores]
    available = [score.available for score in scores]
    figures = {
        "gene_flag_accuracy": _share([label == said for label, said in gene]),
        "no_gene_F1": f1_score(gene, False),
        "available_F1": f1_score(available, True),
        "not_available_F1": f1_score(available, False),
    }
    for name in FEATURES:
        found = [score.features[name] for score in scores]
        figures[f"{name}_row_accuracy"] = _share([one.row for one in found])
        figures[f"{name}_value_score"] = sum(one.values for one in found) / len(found)
        figures[f"{name}_exact"] = _share([one.exact for one in found])
    figures["whole_case_exact"] = _share([score.exact for score in scores])
    return figures


def f1_score(pairs: Sequence[tuple[bool, bool]], positive: bool) -> float:
    """Return F1 of (label, prediction) pairs; 0 where no positive one is found."""
    hits = sum(label == positive == said for label, said in pairs)
    wrong = sum((label == positive) != (said == positive) for label, said in pairs)
    return 2 * hits / (2 * hits + wrong) if hits else 0.0


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)
