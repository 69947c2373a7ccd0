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
    "describe_genes",
    "estimable_columns",
    "mixed_columns",
    "moderated_columns",
]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class TestSettings:
    """How the moderated t is computed, in every regression of an analysis alike."""

    precision: Precision  # What is known of the samples' errors
    trend: bool = False  # Let the prior variance depend on mean expression
    robust: bool = False  # Keep hypervariable genes out of the prior
    min_effect: float = 0.0  # Test against effects of at most this size

    @property
    def against_none(self) -> TestSettings:
        """The same, against no effect at all."""
        return replace(self, min_effect=0.0)

    def regress(self, design: Floats, values: Floats, inflation: float = 1.0) -> LinearFit:
        """Fit the design's last coefficient of every gene, its variance inflated."""
        return self.regress_several(design, values, 1, inflation).last

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
    fit: LinearFit,
    values: Floats,
    settings: TestSettings,
    *,
    binary: bool,
    unit: LinearFit | None = None,
) -> tuple[Columns, ModeratedFit]:
    """Test a coefficient of every gene by the moderated t."""
    # Shapes: values (n, p).
    # Returns columns: ``Coefficient`` to ``Samples`` of `GENE_COLUMNS`.
    found = settings.moderate(fit, values)
    effect, error = hedges_g(fit, unit) if binary else partial_correlation(fit, unit)
    columns = {
        "Coefficient": found.coefficient,
        "Absolute Coefficient": np.abs(found.coefficient),
        "Standard Error": found.standard_error,
        "CI Lower": found.lower,
        "CI Upper": found.upper,
        "t": found.t,
        "p": found.p,
        "q": benjamini_hochberg(found.p),
        "Standardised Effect": effect,
        "Standardised Error": error,
        **describe_genes(values),
    }
    return columns, found


def describe_genes(values: Floats) -> Columns:
    """Return ``Mean Expression`` and ``Samples`` of the genes, values (n, p)."""
    counts = (~np.isnan(values)).sum(axis=0)
    return {
        "Mean Expression": np.nansum(values, axis=0) / counts,
        "Samples": counts.astype(np.float64),
    }


def estimable_columns(fit: LinearFit, values: Floats, settings: TestSettings) -> Columns:
    """Test a coefficient for those genes that have an estimate."""
    # Returns ``Coefficient``, ``Standard Error``, ``t``, ``p`` and ``q``; NaN for the other genes,
    # which count neither for the prior nor for the q-values.
    fine = np.isfinite(fit.coefficient) & (fit.df >= 1)
    names = ("Coefficient", "Standard Error", "t", "p", "q")
    columns = {name: np.full(len(fine), np.nan) for name in names}
    if not fine.any():
        return columns
    part = LinearFit(fit.coefficient[fine], fit.unscaled[fine], fit.variance[fine], fit.df[fine])
    of = settings.moderate(part, values[:, fine])
    found = (of.coefficient, of.standard_error, of.t, of.p, benjamini_hochberg(of.p))
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
