"""The sparse panel, against scikit-learn's own solvers and the conditions of the optimum."""

from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import Lasso, LogisticRegression

from genotex.analysis import panel
from genotex.analysis.panel import Panel, fit_panel, stratified_folds
from genotex.analysis.panel_path import PanelPath, fit_path, penalty_grid


def standardised(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=shape)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def planted(n: int, p: int, binary: bool, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    genes = standardised((n, p), seed)
    score = genes[:, :3] @ np.array([1.5, -1.5, 1.0]) + 0.5 * rng.normal(size=n)
    return genes, (score > np.median(score)).astype(float) if binary else score


def test_linear_path_equals_scikit_learn_on_residuals() -> None:
    genes, target = planted(40, 90, binary=False)
    covariates = np.column_stack([np.ones(40), standardised((40, 2), 5)])
    grid = penalty_grid(genes, covariates, target, False)
    path = fit_path(genes, covariates, target, False, grid)
    # Frisch-Waugh: unpenalised columns can be projected out beforehand.
    project = np.eye(40) - covariates @ np.linalg.pinv(covariates)
    for i in (5, 15, 25):
        reference = Lasso(alpha=grid[i], fit_intercept=False, tol=1e-12, max_iter=100_000)
        reference.fit(project @ genes, project @ target)
        np.testing.assert_allclose(path.genes[i], reference.coef_, atol=1e-4)


def test_logistic_path_equals_scikit_learn_without_covariates() -> None:
    genes, target = planted(60, 80, binary=True)
    covariates = np.ones((60, 1))
    grid = penalty_grid(genes, covariates, target, True)
    path = fit_path(genes, covariates, target, True, grid)
    for i in (5, 12, 20):
        # saga leaves the intercept unpenalised, as the panel does.
        reference = LogisticRegression(
            C=1 / (60 * grid[i]), l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=100_000
        ).fit(genes, target)
        np.testing.assert_allclose(path.genes[i], reference.coef_[0], atol=2e-3)
        assert path.covariates[i, 0] == pytest.approx(reference.intercept_[0], abs=2e-3)


def test_logistic_path_meets_the_conditions_of_the_optimum() -> None:
    genes, target = planted(50, 400, binary=True)
    covariates = np.column_stack([np.ones(50), standardised((50, 2), 5)])
    grid = penalty_grid(genes, covariates, target, True)
    path = fit_path(genes, covariates, target, True, grid)
    for i in (1, 10, 20):
        residual = target - expit(genes @ path.genes[i] + covariates @ path.covariates[i])
        gradient = genes.T @ residual / 50
        used = path.genes[i] != 0
        assert used.any()
        assert np.abs(gradient).max() <= grid[i] * 1.01
        np.testing.assert_allclose(
            gradient[used], grid[i] * np.sign(path.genes[i][used]), rtol=0.02
        )
        # Intercept and covariates are not penalised, but for the tiny ridge.
        assert np.abs(covariates.T @ residual / 50).max() < 2e-3


def test_covariate_that_separates_the_classes_stays_finite() -> None:
    genes, target = planted(40, 30, binary=True)
    found = fit_panel(genes, 50 * target[:, None] + 1, target, binary=True, seed=1)
    assert np.isfinite(found.record["cross_validated_deviance"])
    assert found.quality["prediction"]["auroc_without_genes"] == 1.0


@pytest.mark.parametrize("binary", [True, False])
def test_planted_genes_are_found_and_predict(binary: bool) -> None:
    genes, target = planted(80, 300, binary)
    found = fit_panel(genes, np.zeros((80, 0)), target, binary=binary, seed=1)
    assert {0, 1, 2} <= set(found.coefficients)
    assert found.coefficients[0] > 0 > found.coefficients[1]
    scores = found.quality["prediction"]
    assert scores["auroc" if binary else "r_squared"] > 0.7
    assert scores["auroc_without_genes" if binary else "r_squared_without_genes"] < 0.6


Choice = tuple[float, np.ndarray]


def outer_choices(
    genes: np.ndarray, target: np.ndarray, monkeypatch: pytest.MonkeyPatch, *, leaky: bool
) -> list[Choice]:
    """Penalty and coefficients chosen for the whole cohort and then for each outer fold."""
    honest = panel._choose
    found: list[Choice] = []

    def watched(data: panel._Data, rows: np.ndarray, seed: int) -> tuple[PanelPath, int, Any]:
        everyone = np.arange(len(data.target))
        path, chosen, error = honest(data, everyone if leaky else rows, seed)
        found.append((path.penalties[chosen], path.genes[chosen]))
        return path, chosen, error

    with monkeypatch.context() as patch:
        patch.setattr(panel, "_choose", watched)
        fit_panel(genes, np.zeros((len(target), 0)), target, binary=True, seed=1)
    return found


@pytest.mark.parametrize("leaky", [False, True])
def test_outer_test_rows_never_reach_the_choice_of_the_penalty(
    monkeypatch: pytest.MonkeyPatch, leaky: bool
) -> None:
    """Rubbish in the rows of the first outer test fold must not move what is chosen for it.

    The leaky run shows that the test can see a leak: there the choice moves.
    """
    genes, target = planted(40, 60, binary=True)
    [(_, first_test), *_] = panel._splits(target, True, np.arange(40), 1 + 1)
    spoiled = genes.copy()
    spoiled[first_test] = 100 * np.random.default_rng(9).normal(size=(len(first_test), 60))
    before = outer_choices(genes, target, monkeypatch, leaky=leaky)
    after = outer_choices(spoiled, target, monkeypatch, leaky=leaky)
    assert len(before) == len(after) == 1 + 5

    def same(i: int) -> bool:
        return before[i][0] == after[i][0] and np.array_equal(before[i][1], after[i][1])

    assert same(1) is not leaky
    # Everywhere else these rows are training rows, and what is chosen moves.
    assert not any(same(i) for i in (0, 2, 3, 4, 5))


def test_null_panels_predict_no_better_than_chance() -> None:
    target = np.tile([0.0, 1.0], 20)
    aurocs = []
    for seed in range(4):
        genes = standardised((40, 80), seed)
        found = fit_panel(genes, np.zeros((40, 0)), target, binary=True, seed=seed)
        aurocs.append(found.quality["prediction"]["auroc"])
    assert 0.35 < np.mean(aurocs) < 0.62


def test_same_seed_same_panel() -> None:
    genes, target = planted(30, 30, binary=True)

    def fit(seed: int) -> Panel:
        return fit_panel(genes, np.zeros((30, 0)), target, binary=True, seed=seed)

    first, second = fit(3), fit(3)
    assert first.coefficients == second.coefficients
    assert first.quality == second.quality


def test_missing_expression_counts_as_the_mean() -> None:
    genes, target = planted(60, 40, binary=True)
    genes[::7, 5] = np.nan
    found = fit_panel(genes, np.zeros((60, 0)), target, binary=True, seed=1)
    assert 0 in found.coefficients


def test_four_samples_in_a_class_are_too_few() -> None:
    genes, _ = planted(20, 10, binary=True)
    target = np.repeat([1.0, 0.0], [4, 16])
    found = fit_panel(genes, np.zeros((20, 0)), target, binary=True, seed=1)
    assert found.coefficients == {}
    assert "5 samples per class, there are 4" in found.notes[0]


def test_five_samples_in_a_class_give_a_panel_without_quality() -> None:
    genes, _ = planted(20, 10, binary=True)
    target = np.repeat([1.0, 0.0], [5, 15])
    found = fit_panel(genes, np.zeros((20, 0)), target, binary=True, seed=1)
    assert found.record["folds"] == 5
    assert found.quality == {}
    assert any("No prediction quality" in note for note in found.notes)


def test_duplicate_and_constant_genes() -> None:
    genes, target = planted(60, 20, binary=True)
    genes = np.column_stack([genes, genes[:, 0], np.full(60, 4.0)])
    found = fit_panel(genes, np.zeros((60, 0)), target, binary=True, seed=1)
    assert 21 not in found.coefficients
    assert {0, 20} & set(found.coefficients)


def test_folds_are_alike_in_the_trait() -> None:
    target = np.repeat([1.0, 0.0], [11, 33])
    folds = stratified_folds(target, True, 5, 1)
    cases = np.bincount(folds[target == 1], minlength=5)
    everyone = np.bincount(folds, minlength=5)
    assert cases.max() - cases.min() <= 1
    assert everyone.max() - everyone.min() <= 1
    measured = np.arange(50.0)
    folds = stratified_folds(measured, False, 5, 1)
    assert np.bincount(folds).tolist() == [10] * 5
    assert max(measured[folds == k].mean() for k in range(5)) < 28
