"""Least squares of every gene on one design."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHUNK", "LinearFit", "fit_last_column", "fit_weighted"]

Floats = NDArray[np.float64]

NEAR_SINGULAR = 1e-10
CHUNK = 2048
"""Genes that are fitted at once where each has a system of equations of its own."""


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Least-squares estimates of one coefficient for every gene.

    Attributes
    ----------
    coefficient : ndarray of float64, shape (p,)
        Estimate for the last column of the design; NaN where it is not estimable.
    unscaled : ndarray of float64, shape (p,)
        Its standard error divided by the residual standard deviation.
    variance : ndarray of float64, shape (p,)
        Residual variance; NaN where no degree of freedom is left.
    df : ndarray of float64, shape (p,)
        Residual degrees of freedom, 0 where the design is not estimable.
    """

    coefficient: Floats
    unscaled: Floats
    variance: Floats
    df: Floats


def fit_last_column(design: Floats, expression: Floats) -> LinearFit:
    """Regress every gene on the design and keep the design's last coefficient.

    Genes without missing values share one QR decomposition. Each gene with missing values is fitted
    on the samples that have it, through the normal equations of the orthonormalised design.

    Parameters
    ----------
    design : ndarray of float64, shape (n, k)
        Full column rank.
    expression : ndarray of float64, shape (n, p)
        NaN is missing.

    Returns
    -------
    LinearFit
        One entry for each gene.
    """
    genes = expression.shape[1]
    missing = np.full((3, genes), np.nan)
    fit = LinearFit(missing[0], missing[1], missing[2], np.zeros(genes))
    q, r = np.linalg.qr(design)
    complete = ~np.isnan(expression).any(axis=0)
    if complete.all():
        _fit_complete(q, r, expression, slice(None), fit)
        return fit
    whole = np.flatnonzero(complete)
    _fit_complete(q, r, expression[:, whole], whole, fit)
    partial = np.flatnonzero(~complete)
    for start in range(0, len(partial), CHUNK):
        chunk = partial[start : start + CHUNK]
        _fit_partial(q, r, expression[:, chunk], chunk, fit)
    return fit


def _fit_complete(
    q: Floats, r: Floats, expression: Floats, genes: NDArray[np.intp] | slice, fit: LinearFit
) -> None:
    samples, columns = q.shape
    effects = q.T @ expression
    df = samples - columns
    # R is upper triangular: its last row alone gives the last coefficient.
    fit.coefficient[genes] = effects[-1] / r[-1, -1]
    fit.unscaled[genes] = 1.0 / abs(r[-1, -1])
    fit.df[genes] = df
    if df > 0:
        squares = np.empty(expression.shape[1])
        # In parts, so that what is left of the genes stays in the processor's cache.
        for start in range(0, len(squares), CHUNK):
            part = slice(start, start + CHUNK)
            residual = expression[:, part] - q @ effects[:, part]
            squares[part] = np.einsum("ij,ij->j", residual, residual)
        fit.variance[genes] = squares / df


def _fit_partial(
    q: Floats, r: Floats, expression: Floats, genes: NDArray[np.intp], fit: LinearFit
) -> None:
    columns = q.shape[1]
    present = ~np.isnan(expression)
    values = np.where(present, expression, 0.0)
    gram = _gram(q, present.astype(np.float64))
    df = present.sum(axis=0) - columns
    # Eigenvalues of the Gram matrix lie in [0, 1], since q is orthonormal.
    fine = (np.linalg.eigvalsh(gram)[:, 0] > NEAR_SINGULAR) & (df >= 0)
    gram, values, present, df = gram[fine], values[:, fine], present[:, fine], df[fine]
    weights = present.astype(np.float64)
    coefficient, unscaled, squares = _solve(gram, q, r, values, weights)
    target = genes[fine]
    fit.coefficient[target] = coefficient
    fit.unscaled[target] = unscaled
    fit.df[target] = df
    with np.errstate(invalid="ignore", divide="ignore"):
        fit.variance[target] = np.where(df > 0, squares / df, np.nan)


def _gram(q: Floats, weights: Floats) -> Floats:
    gram: Floats = np.einsum("ni,nj,ng->gij", q, q, weights, optimize=True)
    return gram


def _solve(
    gram: Floats, q: Floats, r: Floats, values: Floats, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return last coefficient, its unscaled error and the weighted residual squares of genes."""
    columns = q.shape[1]
    right = (values * weights).T @ q
    solution = np.linalg.solve(gram, right[:, :, None])[:, :, 0]
    squares = (weights * (values - q @ solution.T) ** 2).sum(axis=0)
    last = np.zeros((columns, 1))
    last[-1, 0] = 1.0
    inverse = np.linalg.solve(gram, np.broadcast_to(last, (len(gram), columns, 1)))[:, -1, 0]
    return solution[:, -1] / r[-1, -1], np.sqrt(inverse) / abs(r[-1, -1]), squares


def fit_weighted(design: Floats, expression: Floats, weights: Floats) -> LinearFit:
    """Regress every gene on the design by weighted least squares, and keep the last coefficient.

    Parameters
    ----------
    design : ndarray of float64, shape (n, k)
        Full column rank, fewer columns than rows.
    expression : ndarray of float64, shape (n, p)
        No missing values.
    weights : ndarray of float64, shape (n, p)
        Inverse variances but for a factor of each gene, above 0.
    """
    q, r = np.linalg.qr(design)
    samples, genes = expression.shape
    coefficient, unscaled, squares = _solve(_gram(q, weights), q, r, expression, weights)
    df = np.full(genes, float(samples - design.shape[1]))
    return LinearFit(coefficient, unscaled, squares / df, df)
