"""Surrogate variables that learn their share of the trait from all genes at once.

A candidate for the default. The number is that of `surrogate_number`, less the components that
fewer than 2 % of the genes go with: those stand for a few genes of large variance, not for
something that moves many, and taking them up makes null cohorts give false discoveries.

The two-step estimate takes for each component of the residuals one principal component of the genes
that go with it. Where components are of similar size, a batch is spread over several of them, and
no single principal component holds the part of it that goes with the trait; the genes of the batch
are found as genes of the trait then, the more the larger the cohort.

Here the components and the trait are kept apart by a model of all genes: in coordinates of which
one is the trait as the covariates leave it, and the others what the design leaves, genes are
components times loadings, plus the trait's effects for a minority of genes, plus noise. The trait's
share in the components is the robust regression of the genes' trait coordinate on their loadings
(Sun, Zhang and Owen 2012, doi:10.1214/12-AOAS561; Wang, Zhao, Hastie and Owen 2017,
doi:10.1214/16-AOS1511). Loadings carry error, so plain regression would take too small a share;
therefore the trait coordinate enters the principal components beside the others, with the
values of outlying genes (affected ones) replaced by what the components predict, until it settles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.moderated import fit_variance_prior
from genotex.analysis.surrogate import SMALLEST_RESIDUAL_DF, _genes_of, surrogate_number

__all__ = ["find_robust_surrogates"]

Floats = NDArray[np.float64]

GENES_MOVED = 0.02
"""Share of the genes that must go with a component."""
ROUNDS = 15
HUBER, TUKEY = 1.345, 4.685
"""Usual constants of robust regression: 95 % efficient for normal errors."""
MAD_TO_DEVIATION = 0.6745


def find_robust_surrogates(expression: Floats, design: Floats, *, seed: int) -> Floats:
    """Estimate surrogate variables, protecting the trait by robust regression over genes.

    Parameters
    ----------
    expression : ndarray of float64, shape (n, p)
        Log2 expression without missing values.
    design : ndarray of float64, shape (n, k)
        The full model, full column rank: intercept first, covariates, trait.
    seed : int
        Seed of the permutations of the test for their number.

    Returns
    -------
    ndarray of float64, shape (n, number)
        Orthonormal columns.
    """
    samples, columns = design.shape
    room = max(0, samples - columns - SMALLEST_RESIDUAL_DF)
    number = min(_number(expression, design, seed), room)
    if number == 0:
        return np.empty((samples, 0))
    space = np.linalg.qr(design, mode="complete")[0][:, columns - 1 :]
    trait, rest = space[:, 0] @ expression, space[:, 1:].T @ expression
    deviation = _noise(rest, number)
    trait, rest = trait / deviation, rest / deviation
    gram = rest @ rest.T
    expected = _regress(trait, _leading(gram, number).T @ rest)
    wide = np.empty((len(rest) + 1, len(rest) + 1))
    wide[1:, 1:] = gram
    for _ in range(ROUNDS):
        weight = _tukey(trait - expected)
        typical = weight * trait + (1 - weight) * expected
        wide[0, 0] = typical @ typical
        wide[0, 1:] = wide[1:, 0] = rest @ typical
        components = _leading(wide, number)
        # Loadings from the other coordinates alone: a gene's own trait value predicts nothing.
        known = components[1:]
        expected = known @ np.linalg.solve(known.T @ known, components[0]) @ rest
    return np.asarray(space @ components)


def _number(expression: Floats, design: Floats, seed: int) -> int:
    found = surrogate_number(expression, design, seed=seed)
    least = GENES_MOVED * expression.shape[1]
    moved = _genes_of(expression, found.directions[:, : found.number])
    return sum(len(genes) >= least for genes in moved)


def _noise(rest: Floats, number: int) -> Floats:
    """Return the moderated standard deviation of each gene beside the components."""
    leading = _leading(rest @ rest.T, number)
    df = np.full(rest.shape[1], float(len(rest) - number))
    left = np.einsum("ij,ij->j", rest, rest) - ((leading.T @ rest) ** 2).sum(axis=0)
    variance = np.maximum(left, 0.0) / df
    prior = fit_variance_prior(variance, df)
    if np.isinf(prior.df):
        return np.sqrt(prior.variance)
    posterior = (prior.df * prior.variance + df * variance) / (prior.df + df)
    return np.asarray(np.sqrt(posterior))


def _leading(gram: Floats, number: int) -> Floats:
    """Return the eigenvectors of the largest eigenvalues, largest first."""
    return np.asarray(np.linalg.eigh(gram)[1][:, ::-1][:, :number])


def _regress(values: Floats, loadings: Floats) -> Floats:
    """Return the fit of a robust regression without intercept: Huber's weights, then Tukey's."""
    weight = np.ones(len(values))
    for step in range(2 * ROUNDS):
        weighted = loadings * weight
        fitted = np.linalg.solve(weighted @ loadings.T, weighted @ values) @ loadings
        weight = _huber(values - fitted) if step < ROUNDS else _tukey(values - fitted)
    return np.asarray(fitted)


def _huber(residual: Floats) -> Floats:
    size = np.abs(residual)
    limit = HUBER * _spread(size)
    return limit / np.maximum(size, limit)


def _tukey(residual: Floats) -> Floats:
    size = np.abs(residual)
    return np.asarray((1 - np.minimum(size / (TUKEY * _spread(size)), 1.0) ** 2) ** 2)


def _spread(size: Floats) -> float:
    return max(float(np.median(size)) / MAD_TO_DEVIATION, float(np.finfo(np.float64).tiny))
