"""The test of every gene and the size of its effect, as columns of the gene table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.linear import LinearFit, SeveralFit
from genotex.analysis.mixed import MixedFit
from genotex.analysis.moderated import (
    ModeratedFit,
    ModeratedVariance,
    moderate,
    moderate_variance,
)
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.precision import Precision
from genotex.analysis.standardised_effect import hedges_g, partial_correlation

__all__ = [
    "TestSettings",
    "alternative_columns",
    "describe_genes",
    "estimable_columns",
    "mixed_columns",
    "moderated_columns",
]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class TestSettings:
    """How the moderated t is computed, in every regression of an analysis alike.

    Attributes
    ----------
    precision : Precision
        What is known of the samples' errors.
    trend : bool
        Let the prior variance depend on mean expression.
    robust : bool
        Keep hypervariable genes out of the prior.
    min_effect : float
        Test against effects of at most this size.
    """

    precision: Precision
    trend: bool = False
    robust: bool = False
    min_effect: float = 0.0

    def regress(self, design: Floats, values: Floats, inflation: float = 1.0) -> LinearFit:
        """Fit the design's last coefficient of every gene, its variance inflated."""
        fit = self.precision.fit(design, values)
        return replace(fit, unscaled=fit.unscaled * np.sqrt(inflation))

    def moderate(self, fit: LinearFit, values: Floats) -> ModeratedFit:
        """Test the coefficients of a fit of these values."""
        mean = self._mean(values)
        return moderate(fit, mean, robust=self.robust, min_effect=self.min_effect)

    def regress_several(
        self, design: Floats, values: Floats, tested: int, inflation: float = 1.0
    ) -> SeveralFit:
        """Fit the design's last `tested` coefficients of every gene, their variance inflated."""
        fit = self.precision.fit_several(design, values, tested)
        return replace(fit, unscaled=fit.unscaled * inflation)

    def shrink(self, fit: SeveralFit, values: Floats) -> ModeratedVariance:
        """Return the posterior variances of a fit of these values."""
        return moderate_variance(fit.variance, fit.df, self._mean(values), robust=self.robust)

    def _mean(self, values: Floats) -> Floats | None:
        return np.nanmean(values, axis=0) if self.trend else None


def moderated_columns(
    values: Floats,
    design: Floats,
    settings: TestSettings,
    *,
    binary: bool,
    base: Floats | None = None,
    inflation: float = 1.0,
) -> tuple[Columns, ModeratedFit]:
    """Test the design's last column for every gene by the moderated t.

    Parameters
    ----------
    values : ndarray of float64, shape (n, p)
        Expression of the tested genes; NaN is missing.
    design : ndarray of float64, shape (n, k)
        Full column rank, the trait last.
    settings : TestSettings
    binary : bool
        Hedges' g as standardised effect, else the partial correlation.
    base : ndarray of float64, shape (n, j), optional
        The design without surrogate variables, when `design` has them: effects are standardised by
        the deviations that it leaves (see `hedges_g`).
    inflation : float
        The coefficients' variances are this many times those of least squares.

    Returns
    -------
    columns : dict of str to ndarray of float64, shape (p,)
        ``Coefficient`` to ``Samples`` of `GENE_COLUMNS`.
    fit : ModeratedFit
    """
    raw = settings.regress(design, values, inflation)
    fit = settings.moderate(raw, values)
    # Weights of single observations give deviations no unit that other cohorts share.
    precision = settings.precision
    if base is None and precision.libraries is not None:
        base = design
    plain = None if base is None else replace(precision, libraries=None).fit(base, values)
    effect, error = hedges_g(raw, plain) if binary else partial_correlation(raw, plain)
    columns = {
        "Coefficient": fit.coefficient,
        "Absolute Coefficient": np.abs(fit.coefficient),
        "Standard Error": fit.standard_error,
        "CI Lower": fit.lower,
        "CI Upper": fit.upper,
        "t": fit.t,
        "p": fit.p,
        "q": benjamini_hochberg(fit.p),
        "Standardised Effect": effect,
        "Standardised Error": error,
        **describe_genes(values),
    }
    return columns, fit


def describe_genes(values: Floats) -> Columns:
    """Return ``Mean Expression`` and ``Samples`` of the genes, values (n, p)."""
    counts = (~np.isnan(values)).sum(axis=0)
    return {
        "Mean Expression": np.nansum(values, axis=0) / counts,
        "Samples": counts.astype(np.float64),
    }


def alternative_columns(
    values: Floats, design: Floats, name: str, settings: TestSettings, inflation: float = 1.0
) -> Columns:
    """Test the same genes with another design, for the columns alongside those that rank.

    Parameters
    ----------
    values, design, settings, inflation
        As for `moderated_columns`.
    name : {"With SV", "Without SV"}
        What sets the design apart.
    """
    found = estimable_columns(values, design, settings, inflation)
    return {f"{name} {column}": found[column] for column in ("Coefficient", "p", "q")}


def estimable_columns(
    values: Floats, design: Floats, settings: TestSettings, inflation: float = 1.0
) -> Columns:
    """Test the design's last column for those genes whose values carry the design.

    Parameters
    ----------
    values, design, settings, inflation
        As for `moderated_columns`.

    Returns
    -------
    dict of str to ndarray of float64, shape (p,)
        ``Coefficient``, ``Standard Error``, ``t``, ``p`` and ``q``; NaN for the other genes, which
        count neither for the prior nor for the q-values.
    """
    raw = settings.regress(design, values, inflation)
    fine = np.isfinite(raw.coefficient) & (raw.df >= 1)
    names = ("Coefficient", "Standard Error", "t", "p", "q")
    columns = {name: np.full(len(fine), np.nan) for name in names}
    if not fine.any():
        return columns
    part = LinearFit(raw.coefficient[fine], raw.unscaled[fine], raw.variance[fine], raw.df[fine])
    fit = settings.moderate(part, values[:, fine])
    found = (fit.coefficient, fit.standard_error, fit.t, fit.p, benjamini_hochberg(fit.p))
    for name, column in zip(names, found, strict=True):
        columns[name][fine] = column
    return columns


def mixed_columns(fit: MixedFit) -> Columns:
    """Return the ``Mixed ...`` columns; q-values over the genes that could be tested."""
    fine = np.isfinite(fit.p)
    q = np.full(len(fit.p), np.nan)
    q[fine] = benjamini_hochberg(fit.p[fine])
    return {
        "Mixed Coefficient": fit.coefficient,
        "Mixed Standard Error": fit.standard_error,
        "Mixed t": fit.t,
        "Mixed p": fit.p,
        "Mixed q": q,
    }
