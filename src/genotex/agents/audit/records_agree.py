"""Whether two records say the same but for rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping

__all__ = ["WITHIN", "records_agree"]

WITHIN = 1e-6
"""How far apart two numbers may be, relative to the larger one."""


def records_agree(one: object, other: object) -> bool:
    """Tell whether two JSON values are the same; numbers may differ by rounding.

    Parameters
    ----------
    one, other : object
        Mappings, lists, numbers, texts, None.
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(records_agree(one[k], other[k]) for k in other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(records_agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        both_missing = math.isnan(one) and math.isnan(other)
        return both_missing or math.isclose(one, other, rel_tol=WITHIN)
    return one == other
