"""Columns of the gene table from fits: moderated t and F, interaction, effect sizes.

F = (b' V^-1 b / m) / s2 for m coefficients b with unscaled covariance V, s2 the posterior variance
of Smyth 2004 (section 3, as for his moderated t), on m and d0 + d degrees of freedom. V is each
gene's own, also where values are missing or weighted (limma's ``eBayes`` takes one correlation of
the coefficients for all genes there).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from scipy.special import fdtrc, gammaln

from genotex.analysis.designs.contrast import Levels
from genotex.analysis.designs.matrix import Design
from genotex.analysis.gene_tests.linear import CHUNK, LinearFit, SeveralFit
from genotex.analysis.gene_tests.mixed import MixedFit
from genotex.analysis.gene_tests.moderated import (
    ModeratedFit,
    ModeratedVariance,
    VariancePrior,
    moderate,
    moderate_coefficient,
    moderate_variance,
)
from genotex.analysis.gene_tests.p_values import benjamini_hochberg, q_of_known
from genotex.analysis.gene_tests.precision import Precision
from genotex.arrays import Flags, Floats


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
        return self._moderate(fit, self._mean(values))

    def moderate_some(self, fit: LinearFit, values: Floats, genes: Flags) -> ModeratedFit:
        """Test the coefficients of a fit of some of the genes."""
        mean = self._mean(values)
        return self._moderate(fit, None if mean is None else mean[genes])

    def _moderate(self, fit: LinearFit, mean: Floats | None) -> ModeratedFit:
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
        return _describe_genes(values)["Mean Expression"] if self.trend else None


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
    # Returns columns: ``Coefficient`` to ``Samples`` of `GENE_TABLE`.
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
        **_describe_genes(values),
    }
    return columns, found


def _describe_genes(values: Floats) -> Columns:
    """Return ``Mean Expression`` and ``Samples`` of the genes, values (n, p)."""
    counts, sums = np.empty((2, values.shape[1]))
    for start in range(0, values.shape[1], CHUNK):
        part = slice(start, start + CHUNK)
        counts[part] = (~np.isnan(values[:, part])).sum(axis=0)
        sums[part] = np.nansum(values[:, part], axis=0)
    return {"Mean Expression": sums / counts, "Samples": counts}


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
    of = settings.moderate_some(part, values, fine)
    found = (of.coefficient, of.standard_error, of.t, of.p, benjamini_hochberg(of.p))
    for name, column in zip(names, found, strict=True):
        columns[name][fine] = column
    return columns


def mixed_columns(fit: MixedFit) -> Columns:
    """Return the ``Mixed ...`` columns; q-values over the genes that could be tested."""
    return {
        "Mixed Coefficient": fit.coefficient,
        "Mixed Standard Error": fit.standard_error,
        "Mixed t": fit.t,
        "Mixed p": fit.p,
        "Mixed q": q_of_known(fit.p),
    }


@dataclass(frozen=True, eq=False)
class ModeratedF:
    """Tests of several coefficients together, for every gene."""

    f: Floats  # (p,): moderated F, its p-value and its denominator's degrees of freedom
    p: Floats
    df: Floats
    tested: int  # Coefficients, the numerator's degrees of freedom
    prior: VariancePrior  # What the variances were shrunk towards


def moderate_f(fit: SeveralFit, found: ModeratedVariance) -> ModeratedF:
    """Test the coefficients of a fit together, by the posterior variances."""
    tested = len(fit.triangle)
    mean = fit.squares / tested
    f = mean / found.with_floor(mean)
    return ModeratedF(f, np.asarray(fdtrc(tested, found.df, f)), found.df, tested, found.prior)


def factor_columns(
    fit: SeveralFit, values: Floats, settings: TestSettings, levels: Levels
) -> tuple[Columns, ModeratedF]:
    """Test every gene for any difference among levels, and each pair of levels."""
    # Shapes: values (n, p).
    # Returns columns: ``F``, ``p``, ``q``; ``Coefficient``, the largest difference between two
    # levels; for each pair its difference, p- and q-value; ``Mean Expression`` and ``Samples``.
    found = settings.shrink(fit, values)
    test = moderate_f(fit, found)
    columns: Columns = {"F": test.f, "p": test.p, "q": benjamini_hochberg(test.p)}
    differences = []
    for name, weights in levels.pairs:
        pair = moderate_coefficient(fit.contrast(weights), found)
        differences.append(pair.coefficient)
        columns |= {
            f"{name} Coefficient": pair.coefficient,
            f"{name} p": pair.p,
            f"{name} q": benjamini_hochberg(pair.p),
        }
    largest = _largest(np.array(differences))
    columns |= {"Coefficient": largest, "Absolute Coefficient": np.abs(largest)}
    return columns | _describe_genes(values), test


def _largest(differences: Floats) -> Floats:
    """Return of each gene the difference (pairs, p) that is farthest from 0."""
    place = np.abs(differences).argmax(axis=0)
    return np.asarray(differences[place, np.arange(differences.shape[1])])


def estimable_factor_columns(
    fit: SeveralFit, values: Floats, settings: TestSettings, levels: Levels
) -> Columns:
    """Return ``Coefficient``, ``p`` and ``q``, NaN for genes that have no estimate."""
    # Arguments as for `factor_columns`.
    found = {name: np.full(values.shape[1], np.nan) for name in ("Coefficient", "p", "q")}
    fine = _estimable(fit)
    if fine.any():
        part, _ = factor_columns(fit.of(fine), values[:, fine], settings, levels)
        for name, column in found.items():
            column[fine] = part[name]
    return found


def _estimable(fit: SeveralFit) -> Flags:
    return np.isfinite(fit.rotated).all(axis=1) & (fit.df >= 1)


def departure_columns(
    values: Floats, design: Design, settings: TestSettings, inflation: float = 1.0
) -> Columns:
    """Test every gene for a departure of its levels from the line."""
    # A regression of its own, so that the trend keeps its meaning in the first one.
    # Shapes: values (n, p).
    # Returns ``Departure F``, ``Departure p`` and ``Departure q``; NaN for genes that lack a
    # level. Empty without departures.
    if design.departure is None:
        return {}
    fit = settings.regress_several(design.saturated, values, design.departure.shape[1], inflation)
    fine = _estimable(fit)
    if not fine.any():
        return {}
    part = fit.of(fine)
    test = moderate_f(part, settings.shrink(part, values[:, fine]))
    found = {"F": test.f, "p": test.p, "q": benjamini_hochberg(test.p)}
    columns = {f"Departure {name}": np.full(len(fine), np.nan) for name in found}
    for name, column in found.items():
        columns[f"Departure {name}"][fine] = column
    return columns


TOP_GENES = 10


def fit_interaction(
    values: Floats, design: Design, settings: TestSettings, inflation: float = 1.0
) -> dict[str, Floats]:
    """Test trait x condition of every gene by the moderated t."""
    # A regression of its own, so that the trait's coefficient keeps its meaning in the first one.
    # Shapes: values (n, p).
    # Returns the ``Interaction ...`` columns; NaN for genes with too few values for the wider
    # design. Empty without a condition, or when its interaction cannot be tested.
    if design.interaction is None:
        return {}
    wide = np.column_stack([design.matrix, design.interaction])
    fit = settings.regress(wide, values, inflation)
    found = estimable_columns(fit, values, settings.against_none)
    if np.isnan(found["p"]).all():
        return {}
    return {f"Interaction {name}": column for name, column in found.items()}


def rank_interactions(genes: pl.DataFrame) -> pl.DataFrame:
    """Return ``Variable``, ``Coefficient`` and ``q`` of the interaction, the lowest q first."""
    ranked = genes.drop_nulls("Interaction q").sort(
        ["Interaction q", "Interaction p", "Variable"], maintain_order=True
    )
    return ranked.select(
        "Variable",
        pl.col("Interaction Coefficient").alias("Coefficient"),
        pl.col("Interaction q").alias("q"),
    )


def interaction_record(genes: pl.DataFrame, condition: str, q_cut: float) -> dict[str, Any]:
    """Return the results of the interaction with the condition."""
    # Returns ``condition``, ``q_cut``, ``tested``, ``significant`` (numbers of genes) and ``top``:
    # the first genes by q-value, each with ``Variable``, ``Coefficient`` and ``q``.
    ranked = rank_interactions(genes)
    return {
        "condition": condition,
        "q_cut": q_cut,
        "tested": ranked.height,
        "significant": ranked.filter(pl.col("q") < q_cut).height,
        "top": ranked.head(TOP_GENES).to_dicts(),
    }
