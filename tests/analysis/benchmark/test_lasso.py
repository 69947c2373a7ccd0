"""The Lasso: as scikit-learn stops, and the exact optimum."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from genotex.analysis import (
    GAP,
    LAMBDAS,
    distinct_genes,
    fit_exact,
    fit_lasso,
    measure_optimality,
    scale_and_centre,
)


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)


def data(samples: int = 40, genes: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = 6 + 2 * rng.normal(size=(samples, genes))
    x[:, 20:30] = 3 * x[:, :10]
    x[:, 31] = 0.1
    return x, (x[:, 0] + rng.normal(size=samples) > 6).astype(float)


@pytest.mark.parametrize("genes", [1, 2, 255, 256, 257, 300])
def test_centred_columns_give_the_plain_answer_to_the_last_bit(genes: int) -> None:
    x, y = data(genes=300)
    x = np.ascontiguousarray(x[:, :genes])
    rows = np.arange(2, 38)
    train = x[rows]
    deviation = train.std(axis=0)
    z = (train - train.mean(axis=0)) / np.where(deviation == 0, 1, deviation)
    scaled = scale_and_centre(x, rows)
    for penalty in (1e-6, 1e-3, 0.1):
        plain = Lasso(alpha=penalty, max_iter=1000, tol=1e-4).fit(z, y[rows])
        ours = fit_lasso(scaled.matrix, y[rows] - np.average(y[rows]), penalty)
        np.testing.assert_array_equal(ours.coefficients, plain.coef_)
        assert ours.iterations == plain.n_iter_


def test_the_input_is_left_as_it_was() -> None:
    x, y = data()
    scaled = scale_and_centre(x, np.arange(40))
    before = scaled.matrix.copy()
    fit_lasso(scaled.matrix, y - y.mean(), 1e-3)
    np.testing.assert_array_equal(scaled.matrix, before)


@pytest.mark.parametrize("penalty", [1e-4, 1e-2, 0.2])
def test_duality_gap_as_in_scikit_learn(penalty: float) -> None:
    x, y = data()
    scaled, target = scale_and_centre(x, np.arange(40)), y - y.mean()
    model = Lasso(alpha=penalty, fit_intercept=False).fit(scaled.matrix, target)
    reached = measure_optimality(scaled.matrix, target, model.coef_, penalty)
    assert reached.gap == pytest.approx(model.dual_gap_, rel=1e-6, abs=1e-14)
    residual = target - scaled.matrix @ model.coef_
    objective = (residual**2).sum() / 80 + penalty * np.abs(model.coef_).sum()
    assert reached.objective == pytest.approx(objective)
    assert reached.null == pytest.approx((target**2).sum() / 80)


def test_a_target_of_zeros_has_no_gap() -> None:
    x, _ = data()
    scaled = scale_and_centre(x, np.arange(40))
    reached = measure_optimality(scaled.matrix, np.zeros(40), np.zeros(300), 1e-6)
    assert (reached.gap, reached.relative_gap) == (0.0, 0.0)


def problem(
    samples: int, genes: int, *, copies: bool = False, binary: bool = True, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(samples, 4))
    x = factors @ rng.normal(size=(4, genes)) * 0.7 + rng.normal(size=(samples, genes))
    y = factors[:, 0] + rng.normal(size=samples)
    if binary:
        y = (y > 0).astype(float)
    if copies:
        x[:, genes // 2 :] = -3 * x[:, : genes - genes // 2]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return np.asfortranarray(x - x.mean(axis=0)), y - y.mean()


@pytest.mark.parametrize(
    ("samples", "genes", "copies", "binary"),
    [
        (30, 400, False, True),
        (30, 400, True, True),
        (80, 1500, False, False),
        (80, 1500, True, False),
        (60, 20, False, True),
        (60, 20, True, False),
        (5, 50, False, True),
        (12, 1, False, True),
    ],
)
def test_gap_and_conditions_of_the_optimum(
    samples: int, genes: int, copies: bool, binary: bool
) -> None:
    x, y = problem(samples, genes, copies=copies, binary=binary, seed=genes)
    for penalty, fit in zip(LAMBDAS, fit_exact(x, y, LAMBDAS), strict=True):
        reached = measure_optimality(x, y, fit.coefficients, penalty)
        assert reached.relative_gap <= GAP
        slope = x.T @ (y - x @ fit.coefficients) / samples
        assert np.abs(slope).max() <= penalty * (1 + 1e-6) + 1e-12
        chosen = fit.coefficients != 0
        np.testing.assert_allclose(
            slope[chosen], penalty * np.sign(fit.coefficients[chosen]), rtol=1e-4, atol=1e-10
        )


def test_coefficients_of_coordinate_descent_that_ran_to_the_end() -> None:
    x, y = problem(50, 30)
    penalties = [0.01, 0.05, 0.2]
    for penalty, fit in zip(penalties, fit_exact(x, y, penalties), strict=True):
        slow = Lasso(alpha=penalty, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(x, y)
        np.testing.assert_allclose(fit.coefficients, slow.coef_, atol=1e-7)


def test_small_lambda_comes_near_the_smallest_coefficients_that_fit_exactly() -> None:
    # With more genes than samples the limit is a linear programme: least |b|_1 with Xb = y.
    x, y = problem(15, 60, seed=2)
    split = np.hstack([x, -x])
    limit = linprog(np.ones(120), A_eq=split, b_eq=y)
    (fit,) = fit_exact(x, y, [1e-6])
    assert np.abs(fit.coefficients).sum() == pytest.approx(limit.fun, rel=1e-3)
    assert np.count_nonzero(fit.coefficients) <= 15


def test_far_fewer_genes_than_coordinate_descent_leaves() -> None:
    x, y = problem(40, 2000, seed=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        published = Lasso(alpha=1e-6, fit_intercept=False).fit(x, y)
    (fit,) = fit_exact(x, y, [1e-6])
    assert np.count_nonzero(fit.coefficients) < 40 < np.count_nonzero(published.coef_)


def test_a_target_of_zeros_selects_nothing() -> None:
    x, y = problem(20, 30)
    for fit in fit_exact(x, np.zeros_like(y), LAMBDAS):
        assert not fit.coefficients.any()


def random_table(seed: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """A small table of random size; with no more genes than samples the path can end early."""
    rng = np.random.default_rng(seed)
    samples = int(rng.integers(8, 80))
    genes = samples + int(rng.integers(-1, 2)) if kind == "square" else samples * (1 + seed % 9)
    x, y = problem(samples, genes, binary=seed % 2 == 0, seed=seed)
    if kind == "predicted condition":
        probability = 1 / (1 + np.exp(-x[:, 1:6].sum(axis=1)))
        design = np.column_stack([np.ones(samples), probability])
        y = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    if kind == "ties":
        x = rng.integers(0, 2, size=(samples, genes)).astype(float)
        x = np.asfortranarray(x - x.mean(axis=0))
    return x, y


@pytest.mark.parametrize("kind", ["measured", "predicted condition", "square", "ties"])
def test_single_small_lambdas_over_many_tables(kind: str) -> None:
    for seed in range(30):
        x, y = random_table(seed, kind)
        for penalty in (1e-6, 1e-5, 1e-4):
            (fit,) = fit_exact(x, y, [penalty])
            reached = measure_optimality(x, y, fit.coefficients, penalty)
            assert reached.relative_gap <= GAP, (seed, penalty)


def test_values_in_a_few_steps_with_many_ties() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 3, size=(14, 300)).astype(float)
    x -= x.mean(axis=0)
    y = np.repeat([0.5, -0.5], 7)
    for penalty, fit in zip(LAMBDAS, fit_exact(np.asfortranarray(x), y, LAMBDAS), strict=True):
        assert measure_optimality(x, y, fit.coefficients, penalty).relative_gap <= GAP


def test_copies_are_found_whatever_their_sign_scale_and_number() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9, 8))
    x[:, 3] = 2 * x[:, 1]
    x[:, 4] = -x[:, 1]
    x[:, 6] = x[:, 1] / 7
    x[:, 7] = 0
    assert distinct_genes(x).tolist() == [0, 1, 2, 5]
