"""The test of every gene and the size of its effect, as columns of the gene table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.linear import LinearFit, fit_last_column
from genotex.analysis.mixed import MixedFit
from genotex.analysis.moderated import ModeratedFit, moderate
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.standardised_effect import hedges_g, partial_correlation
from genotex.analysis.voom import fit_counts

__all__ = ["beside_columns", "estimable_columns", "mixed_columns", "moderated_columns"]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


def moderated_columns(
    values: Floats,
    design: Floats,
    *,
    binary: bool,
    trend: bool,
    base: Floats | None = None,
    libraries: Floats | None = None,
) -> tuple[Columns, ModeratedFit]:
    """Test the design's last column for every gene by the moderated t.

    Parameters
    ----------
    values : ndarray of float64, shape (n, p)
        Expression of the tested genes; NaN is missing.
    design : ndarray of float64, shape (n, k)
        Full column rank, the trait last.
    binary : bool
        Hedges' g as standardised effect, else the partial correlation.
    trend : bool
        Let the prior variance depend on mean expression.
    base : ndarray of float64, shape (n, j), optional
        The design without surrogate variables, when `design` has them: effects are standardised by
        the deviations that it leaves (see `hedges_g`).
    libraries : ndarray of float64, shape (n,), optional
        Effective library sizes, where expression was counted: observations are weighted (see
        `fit_counts`). Effects are standardised by the deviations without weights, since weighted
        ones have no unit that other cohorts share.

    Returns
    -------
    columns : dict of str to ndarray of float64, shape (p,)
        ``Coefficient`` to ``Samples`` of `GENE_COLUMNS`.
    fit : ModeratedFit
    """
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    mean = np.where(present, values, 0.0).sum(axis=0) / counts
    raw = _regress(design, values, libraries)
    fit = moderate(raw, mean if trend else None)
    if base is None and libraries is not None:
        base = design
    plain = None if base is None else fit_last_column(base, values)
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
        "Mean Expression": mean,
        "Standardised Effect": effect,
        "Standardised Error": error,
        "Samples": counts.astype(np.float64),
    }
    return columns, fit


def _regress(design: Floats, values: Floats, libraries: Floats | None) -> LinearFit:
    if libraries is None:
        return fit_last_column(design, values)
    return fit_counts(design, values, libraries)


def beside_columns(
    values: Floats, design: Floats, name: str, *, trend: bool, libraries: Floats | None = None
) -> Columns:
    """Test the same genes with another design, for the columns beside the ones that rank.

    Parameters
    ----------
    values, design, trend, libraries
        As for `moderated_columns`.
    name : {"With SV", "Without SV"}
        What sets the design apart.
    """
    found = estimable_columns(values, design, trend=trend, libraries=libraries)
    return {f"{name} {column}": found[column] for column in ("Coefficient", "p", "q")}


def estimable_columns(
    values: Floats, design: Floats, *, trend: bool, libraries: Floats | None = None
) -> Columns:
    """Test the design's last column for those genes whose values carry the design.

    Parameters
    ----------
    values, design, trend, libraries
        As for `moderated_columns`.

    Returns
    -------
    dict of str to ndarray of float64, shape (p,)
        ``Coefficient``, ``Standard Error``, ``t``, ``p`` and ``q``; NaN for the other genes, which
        count neither for the prior nor for the q-values.
    """
    raw = _regress(design, values, libraries)
    fine = np.isfinite(raw.coefficient) & (raw.df >= 1)
    names = ("Coefficient", "Standard Error", "t", "p", "q")
    columns = {name: np.full(len(fine), np.nan) for name in names}
    if not fine.any():
        return columns
    part = LinearFit(raw.coefficient[fine], raw.unscaled[fine], raw.variance[fine], raw.df[fine])
    fit = moderate(part, np.nanmean(values[:, fine], axis=0) if trend else None)
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
