"""Whether one group varies more than the other, which tests with one variance do not forgive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from genotex.analysis.contrast import Contrast

__all__ = ["check_spread", "spread_ratio"]

Floats = NDArray[np.float64]

UNEQUAL_GROUPS = 1.5
"""Groups of about the same size forgive unequal variances."""
UNEQUAL_SPREAD = 1.2
FEWEST_IN_GROUP = 4


def spread_ratio(expression: Floats, smaller: NDArray[np.bool_]) -> float:
    """Return the typical standard deviation in the smaller group over that in the larger.

    Logarithms of sample variances have a bias that depends on the degrees of freedom (Smyth 2004,
    section 6.2), which is taken out; the mean over genes is robust enough, since every gene counts
    once.

    Parameters
    ----------
    expression : ndarray of float64, shape (n, p)
        NaN is missing.
    smaller : ndarray of bool, shape (n,)
        Samples of the smaller group.

    Returns
    -------
    float
        NaN where no gene has values enough in both groups.
    """
    logs = []
    with np.errstate(all="ignore"):
        for group in (smaller, ~smaller):
            values = expression[group]
            df = (~np.isnan(values)).sum(axis=0) - 1.0
            centred = values - np.nansum(values, axis=0) / (df + 1)
            variance = np.nansum(centred**2, axis=0) / df
            logs.append(np.log(variance) - digamma(df / 2) + np.log(df / 2))
        difference = logs[0] - logs[1]
    fine = np.isfinite(difference)
    return float(np.exp(difference[fine].mean() / 2)) if fine.any() else float("nan")


def check_spread(expression: Floats, contrast: Contrast) -> list[str]:
    """Warn where the smaller group of a binary trait varies more.

    In simulated cohorts with 20 % cases that vary 1.5 times as much as the controls, a quarter of
    the genes found are wrong (docs: calibration).

    Parameters
    ----------
    expression : ndarray of float64, shape (n, p)
        The tested genes of the samples compared; NaN is missing.
    contrast : Contrast
        The groups.
    """
    if not contrast.binary:
        return []
    cases = contrast.values == 1
    smaller = cases if 2 * cases.sum() <= len(cases) else ~cases
    sizes = int(smaller.sum()), int((~smaller).sum())
    if sizes[0] < FEWEST_IN_GROUP or sizes[1] < UNEQUAL_GROUPS * sizes[0]:
        return []
    ratio = spread_ratio(expression, smaller)
    if not ratio >= UNEQUAL_SPREAD:
        return []
    who = "cases" if smaller is cases else "controls"
    return [
        f"The {sizes[0]} {who} vary more than the {sizes[1]} others (standard deviations are "
        f"typically {ratio:.1f} times as large): with groups of unequal size, p- and q-values are "
        "too small then. Compare with the mixed model (--test all), which does not depend on it."
    ]
