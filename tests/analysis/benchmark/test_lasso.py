"""scikit-learn's coordinate descent without its copies, and the distance to the optimum."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from genotex.analysis.benchmark.lasso import fit_lasso, measure_optimality
from genotex.analysis.benchmark.samples import scale_and_centre


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
def test_duality_gap_as_scikit_learn_tells_it(penalty: float) -> None:
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
