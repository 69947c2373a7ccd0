"""Is a feature spread too unevenly over the samples? The benchmark's rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_biased"]


def is_biased(values: NDArray[np.float64]) -> bool:
    """Tell whether a variable is distributed too unevenly to be studied.

    Exactly two values make it binary: biased when the rarer one has fewer than 5 samples and less
    than 10 % of them. One value only is biased. Anything else is continuous and fine.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        The variable; NaN is left out.
    """
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(levels) < 2:
        return True
    if len(levels) > 2:
        return False
    return bool(counts.min() < 5 and counts.min() < 0.1 * counts.sum())
