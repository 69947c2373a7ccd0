"""Regression: least squares for every gene at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from genotex.arrays import Flags, Floats, Rows, gene_parts

NEAR_SINGULAR = 1e-10
CHUNK = 2048
"""Genes that are fitted at once at most."""


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Least-squares estimates of one coefficient for every gene."""

    # (p,): estimate for the last column of the design; NaN where it is not estimable
    coefficient: Floats
    unscaled: Floats  # (p,): its standard error divided by the residual standard deviation
    variance: Floats  # (p,): residual variance; NaN where no degree of freedom is left
    df: Floats  # (p,): residual degrees of freedom, 0 where the design is not estimable


@dataclass(frozen=True, eq=False)
class SeveralFit:
    """Least-squares estimates of the last m coefficients of every gene."""

    # They are kept for the orthonormalised design (its QR decomposition): contrasts and sums of
    # squares follow from there.

    # (p, m): coefficients of the last m orthonormal columns; NaN where they are not estimable
    rotated: Floats
    unscaled: Floats  # (p, m, m): their covariance divided by the residual variance
    # (m, m): the last m coefficients of the design itself are its inverse times `rotated`
    triangle: Floats
    variance: Floats  # (p,): as of `LinearFit`
    df: Floats

    @property
    def last(self) -> LinearFit:
        """The design's last coefficient."""
        scale = float(self.triangle[-1, -1])
        unscaled = np.sqrt(self.unscaled[:, -1, -1]) / abs(scale)
        return LinearFit(self.rotated[:, -1] / scale, unscaled, self.variance, self.df)

    def contrast(self, weights: Floats) -> LinearFit:
        """Return the sum of the last m coefficients times these weights, shape (m,)."""
        rotated = np.linalg.solve(self.triangle.T, weights)
        unscaled = np.sqrt(np.einsum("gab,a,b->g", self.unscaled, rotated, rotated))
        return LinearFit(self.rotated @ rotated, unscaled, self.variance, self.df)

    @property
    def squares(self) -> Floats:
        """Weighted sum of squares that the last m columns explain after the others, (p,)."""
        found = np.full(len(self.df), np.nan)
        fine = np.flatnonzero(np.isfinite(self.rotated).all(axis=1))
        pulled = np.linalg.solve(self.unscaled[fine], self.rotated[fine][:, :, None])[:, :, 0]
        found[fine] = (pulled * self.rotated[fine]).sum(axis=1)
        return found

    def of(self, genes: Rows | Flags) -> SeveralFit:
        """Return the fits of some of the genes."""
        parts = (self.rotated[genes], self.unscaled[genes])
        return SeveralFit(*parts, self.triangle, self.variance[genes], self.df[genes])


def fit_last_column(design: Floats, expression: Floats) -> LinearFit:
    """Regress every gene on the design and keep the design's last coefficient."""
    return fit_last_columns(design, expression, 1).last


def fit_last_columns(
    design: Floats,
    expression: Floats,
    tested: int,
    whiten: Callable[[Floats], Floats] = lambda part: part,
) -> SeveralFit:
    """Regress every gene on the design and keep the design's last coefficients."""
    # Genes without missing values share one QR decomposition. Each gene with missing values is
    # fitted on the samples that have it, through the normal equations of the orthonormalised
    # design. `whiten` is applied to a part of the genes at a time.
    # Shapes: design (n, k), expression (n, p).
    samples, genes = expression.shape
    q, r = np.linalg.qr(design)
    fit = _empty(genes, r[-tested:, -tested:])
    # In parts, so that what is left of the genes stays in the processor's cache.
    for part in gene_parts(genes, samples, CHUNK):
        values = whiten(expression[:, part])
        places = np.arange(part.start, part.stop)
        complete = ~np.isnan(values).any(axis=0)
        if complete.all():
            _fit_complete(q, values, places, fit)
            continue
        _fit_complete(q, values[:, complete], places[complete], fit)
        _fit_partial(q, values[:, ~complete], places[~complete], fit)
    return fit


def _empty(genes: int, triangle: Floats) -> SeveralFit:
    tested = len(triangle)
    unknown = np.full((genes, tested + 1), np.nan)
    unscaled = np.full((genes, tested, tested), np.nan)
    return SeveralFit(unknown[:, 1:], unscaled, triangle, unknown[:, 0], np.zeros(genes))


def _fit_complete(q: Floats, expression: Floats, genes: Rows, fit: SeveralFit) -> None:
    samples, columns = q.shape
    effects = q.T @ expression
    df = samples - columns
    tested = len(fit.triangle)
    fit.rotated[genes] = effects[-tested:].T
    fit.unscaled[genes] = np.eye(tested)
    fit.df[genes] = df
    if df > 0:
        residual = expression - q @ effects
        fit.variance[genes] = np.einsum("ij,ij->j", residual, residual) / df


def _fit_partial(q: Floats, expression: Floats, genes: Rows, fit: SeveralFit) -> None:
    columns = q.shape[1]
    present = ~np.isnan(expression)
    values = np.where(present, expression, 0.0)
    gram = _gram(q, present.astype(np.float64))
    df = present.sum(axis=0) - columns
    # Eigenvalues of the Gram matrix are in [0, 1], since q is orthonormal.
    fine = (np.linalg.eigvalsh(gram)[:, 0] > NEAR_SINGULAR) & (df >= 0)
    gram, values, present, df = gram[fine], values[:, fine], present[:, fine], df[fine]
    weights = present.astype(np.float64)
    rotated, unscaled, squares = _solve(gram, q, values, weights, len(fit.triangle))
    target = genes[fine]
    fit.rotated[target] = rotated
    fit.unscaled[target] = unscaled
    fit.df[target] = df
    with np.errstate(invalid="ignore", divide="ignore"):
        fit.variance[target] = np.where(df > 0, squares / df, np.nan)


def _gram(q: Floats, weights: Floats) -> Floats:
    gram: Floats = np.einsum("ni,nj,ng->gij", q, q, weights, optimize=True)
    return gram


def _solve(
    gram: Floats, q: Floats, values: Floats, weights: Floats, tested: int
) -> tuple[Floats, Floats, Floats]:
    """Return last coefficients, their unscaled covariance, and weighted residual squares."""
    columns = q.shape[1]
    right: Floats = (values * weights).T @ q
    solution = np.linalg.solve(gram, right[:, :, None])[:, :, 0]
    squares = (weights * (values - q @ solution.T) ** 2).sum(axis=0)
    last = np.eye(columns)[:, -tested:]
    wide = np.broadcast_to(last, (len(gram), columns, tested))
    inverse = np.linalg.solve(gram, wide)[:, -tested:]
    return np.asarray(solution[:, -tested:]), np.asarray(inverse), np.asarray(squares)


def fit_weighted_columns(
    design: Floats, expression: Floats, weights: Floats, tested: int
) -> SeveralFit:
    """Regress every gene by weighted least squares, and keep the last coefficients."""
    # Shapes: design (n, k), expression (n, p), weights (n, p).
    q, r = np.linalg.qr(design)
    samples, genes = expression.shape
    rotated, unscaled, squares = _solve(_gram(q, weights), q, expression, weights, tested)
    df = np.full(genes, float(samples - design.shape[1]))
    return SeveralFit(rotated, unscaled, r[-tested:, -tested:], squares / df, df)
