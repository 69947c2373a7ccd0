"""The size of an effect in standard deviations, or as a correlation, comparable between cohorts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from genotex.analysis.linear import LinearFit

__all__ = ["hedges_g", "partial_correlation"]

Floats = NDArray[np.float64]


def hedges_g(fit: LinearFit, base: LinearFit | None = None) -> tuple[Floats, Floats]:
    """Return the adjusted difference in residual deviations, unbiased, and its standard error."""
    # Without `base`: the difference over the residual deviation is a non-central t, which gives the
    # correction and the exact variance (Hedges 1981). With `base`: surrogate variables take
    # variance out of the residuals of `fit`, so other cohorts do not share its deviation as a unit.
    # The unit is then the deviation that `base` leaves, with the correction of its degrees of
    # freedom. The error is that of the difference in this unit, and of the unit itself (delta
    # method).
    # Returns g, error: NaN where there is no deviation, or too few degrees of freedom.
    unit = fit if base is None else base
    df = unit.df
    correction = np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        g = correction * fit.coefficient / np.sqrt(unit.variance)
        if base is None:
            error = np.sqrt(correction**2 * df / (df - 2) * (fit.unscaled**2 + g**2) - g**2)
        else:
            share = fit.variance / base.variance
            error = np.sqrt(correction**2 * fit.unscaled**2 * share + g**2 / (2 * df))
    return np.where(np.isfinite(g), g, np.nan), np.where(df > 2, error, np.nan)


def partial_correlation(fit: LinearFit, base: LinearFit | None = None) -> tuple[Floats, Floats]:
    """Return the partial correlation and its standard error."""
    # Without `base`: the error is that of Fisher's z. With `base`: r = tau / sqrt(tau^2 + df) for
    # tau, the coefficient of `fit` over its standard error in `base`, so that surrogate variables
    # do not raise it. The error is that of the coefficient and, as in Fisher's z, of the deviations
    # of gene and trait (delta method); it is the first one when `fit` is `base`, but for a degree
    # of freedom.
    # Returns r, error: The error is NaN with too few degrees of freedom.
    unit = fit if base is None else base
    df = unit.df
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = (fit.coefficient / unit.unscaled) ** 2 / unit.variance
        size = np.sqrt(squared / (squared + df))
        # No residual at all: the correlation is perfect.
        r = np.sign(fit.coefficient) * np.where(np.isfinite(size), size, 1.0)
        if base is None:
            error = (1 - r**2) / np.sqrt(df - 1)
        else:
            narrower = (fit.unscaled / base.unscaled) ** 2 * fit.variance / base.variance
            error = (1 - r**2) * np.sqrt((narrower * (1 - r**2) + r**2) / df)
    return r, np.where(df > 1, error, np.nan)
