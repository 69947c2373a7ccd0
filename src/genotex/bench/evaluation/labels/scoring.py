"""Predictions against labels, case by case and side by side for several sets of labels.

Row and coding of a feature are correct if they match the label, including "not available". A
missing prediction counts as nothing available.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from genotex.bench.evaluation.labels.label import FEATURES, NOTHING, Feature, FeatureLabel, Label
from genotex.clinical.words.keys import KeyKind, kind_of_key
from genotex.features import split_cell

SAME_CODE = 0.051
"""Codes at most this far apart are alike: ages may be rounded to one decimal."""


class Agreement(NamedTuple):
    """How well a prediction of one feature agrees with its label."""

    row: bool
    values: float

    @property
    def exact(self) -> bool:
        """Whether everything in the label is predicted."""
        return self.values == 1.0


@dataclass(frozen=True)
class CaseScore:
    """One case; pairs are (label, prediction)."""

    gene: tuple[bool, bool]
    available: tuple[bool, bool]
    features: Mapping[Feature, Agreement]

    @property
    def exact(self) -> bool:
        """Whether the verdict on gene expression and all features are right."""
        label, predicted = self.gene
        return label == predicted and all(found.exact for found in self.features.values())


def same_code(one: float | None, other: float | None) -> bool:
    """Return whether two codes are alike: both missing, or at most 0.051 apart."""
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
    """Compare predictions with labels, both by case id."""
    return {name: score_case(label, predicted.get(name, NOTHING)) for name, label in labels.items()}


def case_figures(scores: Sequence[CaseScore]) -> dict[str, float]:
    """Return the figures of clinical inference over some cases, at least one, as fractions.

    F1 has the answer that it names as the positive one; ``_value_score`` is the mean share of
    values coded alike.
    """
    gene = [score.gene for score in scores]
    available = [score.available for score in scores]
    figures = {
        "gene_flag_accuracy": _share([label == predicted for label, predicted in gene]),
        "no_gene_F1": _f1_score(gene, False),
        "available_F1": _f1_score(available, True),
        "not_available_F1": _f1_score(available, False),
    }
    for name in FEATURES:
        found = [score.features[name] for score in scores]
        figures[f"{name}_row_accuracy"] = _share([one.row for one in found])
        figures[f"{name}_value_score"] = sum(one.values for one in found) / len(found)
        figures[f"{name}_exact"] = _share([one.exact for one in found])
    figures["whole_case_exact"] = _share([score.exact for score in scores])
    return figures


def _f1_score(pairs: Sequence[tuple[bool, bool]], positive: bool) -> float:
    """Return F1 of (label, prediction) pairs; 0 where no positive one is found."""
    hits = sum(label == positive == found for label, found in pairs)
    wrong = sum((label == positive) != (found == positive) for label, found in pairs)
    return 2 * hits / (2 * hits + wrong) if hits else 0.0


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)


_Item = TypeVar("_Item")
Figures = Mapping[str, float]

_VERIFIED = "reading"
"""The set of labels that the others are compared with, if present."""


@dataclass(frozen=True)
class LabelScores:
    """A prediction against one set of labels."""

    labels: str  # name of the set
    count: int  # cases or cohorts that it labels
    figures: Figures  # over all of these
    shared: int  # how many of them the base labels too
    # figure minus that against the base, both over the shared ones; empty for the base itself
    difference: Figures


@dataclass(frozen=True)
class LabelSection(Generic[_Item]):
    """One kind of score, against every set of labels."""

    name: str  # `cases`, `filtering` or `clinical`
    scores: tuple[LabelScores, ...]  # in the order of the sets
    # name of another set -> its figures as a prediction, against the base
    own: Mapping[str, Figures]
    items: Mapping[str, Mapping[str, _Item]]  # name of the set -> case id -> what was judged


def base_labels(names: Sequence[str]) -> str:
    """Return the set that others are compared with: ``reading``, else the first one."""
    return _VERIFIED if _VERIFIED in names else names[0]


def side_by_side(
    name: str,
    items: Mapping[str, Mapping[str, _Item]],
    own: Mapping[str, Mapping[str, _Item]],
    figures: Callable[[Sequence[_Item]], dict[str, float]],
    base: str,
) -> LabelSection[_Item]:
    """Summarise what was judged against each set of labels."""
    filled = {labels: found for labels, found in items.items() if found}
    rival = filled.get(base, {})
    scores = []
    for labels, found in filled.items():
        shared = [case for case in found if case in rival]
        difference: dict[str, float] = {}
        if shared and labels != base:
            before = figures([rival[case] for case in shared])
            after = figures([found[case] for case in shared])
            difference = {key: after[key] - before[key] for key in after if key in before}
        whole = figures(list(found.values()))
        scores.append(LabelScores(labels, len(found), whole, len(shared), difference))
    summed = {labels: figures(list(found.values())) for labels, found in own.items() if found}
    return LabelSection(name, tuple(scores), summed, filled)


class Disagreement(StrEnum):
    """How another label of the trait differs from the first one."""

    ALIKE = "row and codes alike"
    NEITHER = "both: not available"
    ONE_VALUE = "where no row records it: a row with one value"
    ONE_CODE = "where no row records it: a row whose values all have one code"
    TREATMENT = "where no row records it: a row of treatment, dose or time"
    COURSE = "where no row records it: a row of stage, response or outcome"
    CULTURE = "where no row records it: a row of cell lines"
    OTHER_GROUPS = "where no row records it: another row (other disease, subtype, genotype, arm)"
    OVERLOOKED = "where a row records it: not available"
    OTHER_ROW = "another row"
    SWAPPED = "same row, cases and controls swapped"
    MISSING = "same row, other values left missing"
    OTHER_CODES = "same row, other codes"


_BY_KEY: Mapping[KeyKind, Disagreement] = {
    "treatment": Disagreement.TREATMENT,
    "time": Disagreement.TREATMENT,
    "stage": Disagreement.COURSE,
    "outcome": Disagreement.COURSE,
    "culture": Disagreement.CULTURE,
}


def count_disagreements(
    base: Mapping[str, Label], other: Mapping[str, Label]
) -> dict[Disagreement, int]:
    """Count how another set of labels differs from a first one on the trait."""
    found = Counter(compare_traits(base[k].trait, other[k].trait) for k in base if k in other)
    return {kind: found[kind] for kind in Disagreement}


def compare_traits(base: FeatureLabel | None, other: FeatureLabel | None) -> Disagreement:
    """Classify how another label of the trait differs from a first one.

    Rows of treatment, course and culture are recognised by the key of most of their cells.
    """
    if base is None:
        return Disagreement.NEITHER if other is None else _where_not_recorded(other)
    if other is None:
        return Disagreement.OVERLOOKED
    if base.row != other.row:
        return Disagreement.OTHER_ROW
    if agreement(base, other).exact:
        return Disagreement.ALIKE
    return _other_codes([(code, other.map.get(cell)) for cell, code in base.map.items()])


def _where_not_recorded(other: FeatureLabel) -> Disagreement:
    if len(other.map) < 2:
        return Disagreement.ONE_VALUE
    if len({code for code in other.map.values() if code is not None}) < 2:
        return Disagreement.ONE_CODE
    kinds = Counter(kind_of_key(split_cell(cell)[0]) for cell in other.map)
    return _BY_KEY.get(kinds.most_common(1)[0][0], Disagreement.OTHER_GROUPS)


def _other_codes(pairs: list[tuple[float | None, float | None]]) -> Disagreement:
    both = [(one, two) for one, two in pairs if one is not None and two is not None]
    if both and all({one, two} == {0, 1} for one, two in both):
        return Disagreement.SWAPPED
    if all(same_code(one, two) for one, two in both):
        return Disagreement.MISSING
    return Disagreement.OTHER_CODES
