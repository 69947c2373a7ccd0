"""Surrogate variables that learn their share of the trait from all genes at once.

The number is that of `surrogate_number`, less components that hardly any genes go with; the columns
are estimated otherwise than in `find_surrogates`.

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

from genotex.analysis.design import independent_columns
from genotex.analysis.moderated import fit_variance_prior
from genotex.analysis.surrogate import (
    SMALLEST_RESIDUAL_DF,
    SurrogateNumber,
    SurrogateVariables,
    associated_genes,
    surrogate_number,
)

__all__ = ["find_robust_surrogates"]

Floats = NDArray[np.float64]

GENES_MOVED = 0.02
"""Share of the genes that must go with a component."""
ROUNDS = 15
HUBER, TUKEY = 1.345, 4.685
"""Usual constants of robust regression: 95 % efficient for normal errors."""
MAD_TO_DEVIATION = 0.6745
SMALLEST_SHARE = 1e-6
"""Of the median variance: no gene's variance counts as less."""


def find_robust_surrogates(expression: Floats, design: Floats, *, seed: int) -> SurrogateVariables:
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
    SurrogateVariables
        With orthonormal columns; the entry of largest size of each is positive.

    Raises
    ------
    AnalysisError
        If a value is missing or infinite.
    """
    samples, columns = design.shape
    found = surrogate_number(expression, design, seed=seed)
    moved = _moved(expression, found)
    room = max(0, samples - columns - SMALLEST_RESIDUAL_DF)
    number = min(moved, room)
    notes = _notes(found.number, moved, number)
    limited = number < moved
    share = found.share[:number]
    if number == 0:
        nothing = np.empty((samples, 0))
        return SurrogateVariables(nothing, found.number, limited, found.p, share, notes)
    surrogates = _with_signs(_estimate(expression, design, number))
    kept = independent_columns(np.column_stack([design, surrogates]))[columns:]
    if not kept.all():
        notes = (*notes, "what cannot be told apart from trait and covariates is left out")
    return SurrogateVariables(
        surrogates[:, kept], found.number, limited, found.p, share[kept], notes
    )


def _moved(expression: Floats, found: SurrogateNumber) -> int:
    """Return how many components enough genes go with."""
    least = GENES_MOVED * expression.shape[1]
    genes = associated_genes(expression, found.directions[:, : found.number])
    return sum(len(those) >= least for those in genes)


def _notes(tested: int, moved: int, used: int) -> tuple[str, ...]:
    notes = []
    if moved < tested:
        notes.append(
            f"{tested - moved} of {tested} components are left out: fewer than "
            f"{GENES_MOVED:.0%} of the genes go with them".replace("%", " %")
        )
    if used < moved:
        notes.append(
            f"{used} of {moved} are used, so that {SMALLEST_RESIDUAL_DF} residual degrees of "
            "freedom are left"
        )
    return tuple(notes)


def _with_signs(columns: Floats) -> Floats:
    largest = columns[np.abs(columns).argmax(axis=0), np.arange(columns.shape[1])]
    return columns * np.where(largest < 0, -1.0, 1.0)


def _estimate(expression: Floats, design: Floats, number: int) -> Floats:
    """Return orthonormal columns that hold the components, the trait's share in them included."""
    space = np.linalg.qr(design, mode="complete")[0][:, design.shape[1] - 1 :]
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
        expected = np.linalg.lstsq(known.T, components[0])[0] @ rest
    return np.asarray(space @ components)


def _noise(rest: Floats, number: int) -> Floats:
    """Return the moderated standard deviation of each gene beside the components."""
    leading = _leading(rest @ rest.T, number)
    df = np.full(rest.shape[1], float(len(rest) - number))
    left = np.einsum("ij,ij->j", rest, rest) - ((leading.T @ rest) ** 2).sum(axis=0)
    variance = np.maximum(left, 0.0) / df
    prior = fit_variance_prior(variance, df)
    posterior = prior.variance
    if np.isfinite(prior.df):
        posterior = (prior.df * prior.variance + df * variance) / (prior.df + df)
    # A gene that the components explain whole would count without limit.
    return np.asarray(np.sqrt(np.maximum(posterior, SMALLEST_SHARE * np.median(posterior))))


def _leading(gram: Floats, number: int) -> Floats:
    """Return the eigenvectors of the largest eigenvalues, largest first."""
    return np.asarray(np.linalg.eigh(gram)[1][:, ::-1][:, :number])


def _regress(values: Floats, loadings: Floats) -> Floats:
    """Return the fit of a robust regression without intercept: Huber's weights, then Tukey's."""
    weight = np.ones(len(values))
    for step in range(2 * ROUNDS):
        weighted = loadings * weight
        fitted = np.linalg.lstsq(weighted @ loadings.T, weighted @ values)[0] @ loadings
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
