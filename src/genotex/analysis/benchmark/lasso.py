"""The Lasso: scikit-learn's coordinate descent, or the exact optimum.

Reasons and figures: docs/decisions/0005-lasso-solver.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Lasso, lars_path

from genotex.arrays import Floats, Rows

SWEEPS = 1000
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class LassoFit:
    """Coefficients at one lambda."""

    coefficients: Floats  # (p,): of the centred design
    iterations: int  # Sweeps of coordinate descent, or rounds of the exact solver


def fit_lasso(matrix: Floats, target: Floats, penalty: float) -> LassoFit:
    """Minimise 1/(2n) |y - Xb|^2 + lambda |b|_1 by scikit-learn's cyclic coordinate descent."""
    # The answer is the same, to the last bit, as that of ``Lasso(alpha=penalty, max_iter=1000,
    # tol=1e-4).fit(X, y)`` on the same columns before they were centred; only copies and checks of
    # the input are left out. At a small lambda it stops far from the optimum and depends on the
    # order of the columns.
    # Shapes: matrix (n, p), target (n,).
    model = Lasso(
        alpha=penalty, fit_intercept=False, copy_X=False, max_iter=SWEEPS, tol=TOLERANCE
    ).fit(matrix, target, check_input=False)
    return LassoFit(model.coef_, int(model.n_iter_))


@dataclass(frozen=True)
class Optimality:
    """How far a point is from the optimum."""

    objective: float  # 1/(2n) |y - Xb|^2 + lambda |b|_1 at the point
    gap: float  # Duality gap: the minimum is at most this much lower
    null: float  # The objective without genes

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective without genes."""
        return self.gap / self.null if self.null > 0 else 0.0


def measure_optimality(
    matrix: Floats, target: Floats, coefficients: Floats, penalty: float
) -> Optimality:
    """Return the objective at a point and how far, at most, it is above its minimum."""
    # The dual point is the residual, scaled into the feasible set (Fercoq, Gramfort and Salmon
    # 2015).
    # Shapes: matrix (n, p), target (n,), coefficients (p,).
    n = len(target)
    chosen = np.flatnonzero(coefficients)
    residual = target - matrix[:, chosen] @ coefficients[chosen]
    slope = float(np.abs(residual @ matrix).max())
    dual = residual * min(1.0, penalty * n / slope) if slope > 0 else residual
    size = float(np.abs(coefficients).sum())
    objective = float(residual @ residual) / (2 * n) + penalty * size
    bound = (float(target @ dual) - float(dual @ dual) / 2) / n
    null = float(target @ target) / (2 * n)
    return Optimality(objective, max(objective - bound, 0.0), null)


GAP = 1e-6
"""Duality gap asked for, as a share of the null objective."""

ROUNDS = 100
START, FURTHER = 3, 2
"""Genes at the start, and those added to the genes in use in each further round; per sample."""
GROWING = 10
"""Rounds after which no gene is left out again, so that rounding cannot make genes take turns."""

SAME = 1e-9
"""Columns closer than this, as a share of their length, are copies of each other."""

JITTER = (0.0, 1e-10, 1e-8)
"""Noise in the target, as a share of its size: ties between genes can lead the path astray."""

POLISHING_SWEEPS = 20_000


def fit_exact(matrix: Floats, target: Floats, penalties: Sequence[float]) -> list[LassoFit]:
    """Minimise 1/(2n) |y - Xb|^2 + lambda |b|_1 at each lambda, to the optimum."""
    # One path of least-angle regression (Efron, Hastie, Johnstone and Tibshirani 2004) over some
    # genes serves all lambdas. While genes outside violate the optimum's conditions at any lambda,
    # the next path is over those in use and those nearest to violating them. Of genes that are
    # copies of each other the first represents all: the optimum does not distinguish them. Where
    # ties lead the path astray, noise of 1e-10 breaks them. Where a path ends above a lambda, its
    # last point is used for that lambda; if its duality gap is too large there, coordinate descent
    # goes on from it.
    # Shapes: matrix (n, p), target (n,).
    # Returns In the order of the lambdas; the duality gap is at most 1e-6 of the null objective,
    # unless the data are so degenerate that 20,000 sweeps did not suffice (see
    # `measure_optimality`).
    n, genes = matrix.shape
    lambdas = np.asarray(penalties, dtype=np.float64)
    correlation = np.abs(target @ matrix)
    if correlation.max() <= n * lambdas.min():
        return [LassoFit(np.zeros(genes), 0) for _ in penalties]
    distinct = np.zeros(genes)
    distinct[distinct_genes(matrix)] = 1.0
    working = _largest(correlation * distinct, START * n)
    for rounds in range(1, ROUNDS + 1):
        part = np.asfortranarray(matrix[:, working])
        coefficients, reached = _path(part, target, lambdas)
        excess = _excess(matrix, target - (part @ coefficients).T, reached).max(axis=0) * distinct
        outside = excess.copy()
        outside[working] = 0.0
        if outside.max() <= 1.0 or rounds == ROUNDS:
            break
        kept = working if rounds >= GROWING else working[coefficients.any(axis=1)]
        excess[kept] = 0.0
        working = np.union1d(kept, _largest(excess, FURTHER * n))
    fits = []
    for i, penalty in enumerate(penalties):
        full = np.zeros(genes)
        full[working] = coefficients[:, i]
        fits.append(_polish(matrix, target, LassoFit(full, rounds), penalty))
    return fits


def distinct_genes(matrix: Floats) -> Rows:
    """Return the columns that are no copy, up to sign, of a column before them."""
    # Copies are common: a probe that names several genes gives each of them the same values.
    # Shapes: matrix (n, p).
    length = np.sqrt(np.einsum("ij,ij->j", matrix, matrix))
    # Copies have the same product with any vector, so they are neighbours once sorted by it.
    direction = np.random.default_rng(0).standard_normal(len(matrix))
    product = np.abs(direction @ matrix) / np.where(length > 0, length, 1.0)
    order = np.lexsort((np.arange(len(product)), product))
    copy = length == 0
    first = int(order[0])
    for gene in order[1:].tolist():
        if product[gene] - product[first] <= SAME and _same(matrix, length, first, gene):
            first, other = min(first, gene), max(first, gene)
            copy[other] = True
        else:
            first = gene
    return np.flatnonzero(~copy)


def _same(matrix: Floats, length: Floats, first: int, second: int) -> bool:
    if length[first] == 0 or length[second] == 0:
        return False
    a, b = matrix[:, first] / length[first], matrix[:, second] / length[second]
    return bool(min(np.linalg.norm(a - b), np.linalg.norm(a + b)) <= SAME)


def _largest(values: Floats, count: int) -> Rows:
    """Return the places of the largest values above zero, in table order."""
    places = np.argpartition(-values, min(count, len(values)) - 1)[:count]
    return np.sort(places[values[places] > 0])


def _excess(matrix: Floats, residuals: Floats, penalties: Floats) -> Floats:
    """Return |x'r| / (n lambda), shape (lambdas, p); the optimum has none above 1."""
    excess: Floats = np.abs(residuals @ matrix) / (matrix.shape[0] * penalties[:, None])
    return excess


def _path(matrix: Floats, target: Floats, penalties: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients at each lambda, shape (p, lambdas), and the lambdas they are for."""
    # Each lambda gets the path with the smallest duality gap; noise is tried while one is too
    # large.
    noise = np.random.default_rng(0).standard_normal(len(target)) * np.sqrt(np.mean(target**2))
    best = np.zeros((matrix.shape[1], len(penalties)))
    reached, gaps = penalties.copy(), np.full(len(penalties), np.inf)
    for share in JITTER:
        found, ends = _walk(matrix, target + share * noise, penalties)
        now = np.array(
            [_gap(matrix, target, b, x) for b, x in zip(found.T, penalties, strict=True)]
        )
        better = now < gaps
        best[:, better], reached[better], gaps[better] = found[:, better], ends[better], now[better]
        if gaps.max() <= GAP:
            break
    return best, reached


def _walk(matrix: Floats, target: Floats, penalties: Floats) -> tuple[Floats, Floats]:
    """Follow one path; its coefficients are linear in lambda between the knots."""
    # A lambda below the last knot gets the coefficients of that knot.
    with warnings.catch_warnings():
        # What it warns of, ties and an early end, shows in the duality gap.
        warnings.simplefilter("ignore")
        knots, _, coefficients = lars_path(
            matrix, target, method="lasso", alpha_min=float(penalties.min()), max_iter=10**6
        )
    if len(knots) < 2:
        return np.repeat(coefficients, len(penalties), axis=1), np.maximum(penalties, knots[0])
    below = np.clip(np.searchsorted(-knots, -penalties), 1, len(knots) - 1)
    width = knots[below - 1] - knots[below]
    weight = np.clip((knots[below - 1] - penalties) / np.where(width > 0, width, 1.0), 0.0, 1.0)
    found = coefficients[:, below - 1] * (1.0 - weight) + coefficients[:, below] * weight
    return found, np.maximum(penalties, knots[-1])


def _gap(matrix: Floats, target: Floats, coefficients: Floats, penalty: float) -> float:
    return measure_optimality(matrix, target, coefficients, penalty).relative_gap


def _polish(matrix: Floats, target: Floats, fit: LassoFit, penalty: float) -> LassoFit:
    """Go on by coordinate descent where the gap is too large, and keep the better of the two."""
    gap = _gap(matrix, target, fit.coefficients, penalty)
    if gap <= GAP:
        return fit
    # scikit-learn measures its gap against twice the null objective.
    model = Lasso(
        alpha=penalty,
        fit_intercept=False,
        max_iter=POLISHING_SWEEPS,
        tol=GAP / 2,
        warm_start=True,
        copy_X=False,
    )
    model.coef_ = fit.coefficients.copy()
    model.fit(matrix, target, check_input=False)
    polished = _gap(matrix, target, model.coef_, penalty) < gap
    return LassoFit(model.coef_, int(model.n_iter_)) if polished else fit
