"""How two sets of labels differ on the trait, in classes that can be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from genotex.bench.evaluation.labels.label import FeatureLabel, Label
from genotex.bench.evaluation.labels.scoring import agreement, same_code
from genotex.clinical import KeyKind, kind_of_key, split_cell

__all__ = ["Disagreement", "compare_traits", "count_disagreements"]


class Disagreement(StrEnum):
    """What another label says of the trait, seen from the first one."""

    ALIKE = "row and codes alike"
    NEITHER = "both: not available"
    ONE_VALUE = "where no row tells it: a row with one value"
    ONE_CODE = "where no row tells it: a row whose values all have one code"
    TREATMENT = "where no row tells it: a row of treatment, dose or time"
    COURSE = "where no row tells it: a row of stage, response or outcome"
    CULTURE = "where no row tells it: a row of cell lines"
    OTHER_GROUPS = "where no row tells it: another row (other disease, subtype, genotype, arm)"
    OVERLOOKED = "where a row tells it: not available"
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
    """Count how another set of labels differs from a first one on the trait.

    Parameters
    ----------
    base, other : mapping of str to Label
        By case id; cases that only one of them labels are passed over.

    Returns
    -------
    dict of Disagreement to int
        Every class, also those that do not occur.
    """
    found = Counter(compare_traits(base[k].trait, other[k].trait) for k in base if k in other)
    return {kind: found[kind] for kind in Disagreement}


def compare_traits(base: FeatureLabel | None, other: FeatureLabel | None) -> Disagreement:
    """Tell how another label of the trait differs from a first one.

    Rows of treatment, course and culture are known by the key that most of their cells have.
    """
    if base is None:
        return Disagreement.NEITHER if other is None else _where_nothing_tells(other)
    if other is None:
        return Disagreement.OVERLOOKED
    if base.row != other.row:
        return Disagreement.OTHER_ROW
    if agreement(base, other).exact:
        return Disagreement.ALIKE
    return _other_codes([(code, other.map.get(cell)) for cell, code in base.map.items()])


def _where_nothing_tells(other: FeatureLabel) -> Disagreement:
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
