"""The sparse panel: its genes, its quality, its stability."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import Lasso, LogisticRegression
from threadpoolctl import threadpool_limits

from genotex.analysis import (
    ChosenGenes,
    GenePanel,
    PanelData,
    PanelPath,
    analyze_table,
    complementary_halves,
    fit_panel,
    fit_paths,
    selection_frequency,
    splits,
    stratified_folds,
)
from genotex.analysis.panel import selection as panel
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups


@pytest.fixture(autouse=True)
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield


def standardised(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=shape)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def planted(n: int, p: int, binary: bool, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    genes = standardised((n, p), seed)
    score = genes[:, :3] @ np.array([1.5, -1.5, 1.0]) + 0.5 * rng.normal(size=n)
    return genes, (score > np.median(score)).astype(float) if binary else score


def one_path(
    genes: np.ndarray, covariates: np.ndarray, target: np.ndarray, binary: bool
) -> tuple[PanelPath, np.ndarray]:
    """Fit all samples; return the path and its coefficients of all genes."""
    data = PanelData(genes, covariates, target, binary)
    [[path]] = fit_paths(data, [[np.arange(len(target))]])
    return path, dense(path, genes.shape[1])


def dense(path: PanelPath, genes: int) -> np.ndarray:
    coefficients = np.zeros((len(path.penalties), genes))
    coefficients[:, path.genes] = path.coefficients
    return coefficients


def test_linear_path_equals_scikit_learn_on_residuals() -> None:
    genes, target = planted(40, 90, binary=False)
    covariates = standardised((40, 2), 5)
    path, coefficients = one_path(genes, covariates, target, False)
    # Frisch-Waugh: unpenalised columns can be projected out beforehand.
    columns = np.column_stack([np.ones(40), covariates])
    project = np.eye(40) - columns @ np.linalg.pinv(columns)
    for i in (3, 8, len(path.penalties) - 1):
        reference = Lasso(alpha=path.penalties[i], fit_intercept=False, tol=1e-12, max_iter=100_000)
        reference.fit(project @ genes, project @ target)
        np.testing.assert_allclose(coefficients[i], reference.coef_, atol=1e-5)


def test_logistic_path_equals_scikit_learn_without_covariates() -> None:
    genes, target = planted(60, 80, binary=True)
    path, coefficients = one_path(genes, np.zeros((60, 0)), target, True)
    for i in (5, 12, 20):
        # saga leaves the intercept unpenalised, as the panel does.
        reference = LogisticRegression(
            C=1 / (60 * path.penalties[i]), l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=100_000
        ).fit(genes, target)
        np.testing.assert_allclose(coefficients[i], reference.coef_[0], atol=5e-4)
        assert path.covariates[i, 0] == pytest.approx(reference.intercept_[0], abs=5e-4)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_every_path_meets_the_conditions_of_the_optimum(binary: bool, missing: float) -> None:
    """Correlated genes on unlike scales; half of the training sets are no fold of the first."""
    rng = np.random.default_rng(4)
    axes = rng.normal(size=(50, 5))
    genes = 100 + np.exp(rng.normal(size=400)) * (
        rng.normal(size=(50, 400)) + axes @ rng.normal(size=(5, 400))
    )
    score = axes[:, 0] + rng.normal(size=50)
    target = (score > np.median(score)).astype(float) if binary else score
    genes[rng.random(genes.shape) < missing] = np.nan
    covariates = rng.normal(3, 10, (50, 2))
    training = [np.arange(50), np.arange(0, 50, 2), np.arange(40), np.arange(10, 50)]
    data = PanelData(genes, covariates, target, binary)
    for path in fit_paths(data, [training])[0]:
        rows = path.training
        mean, deviation = np.nanmean(genes[rows], axis=0), np.nanstd(genes[rows], axis=0)
        scaled = np.nan_to_num((genes[rows] - mean) / deviation)
        middle, spread = covariates[rows].mean(axis=0), covariates[rows].std(axis=0)
        columns = np.column_stack([np.ones(len(rows)), (covariates[rows] - middle) / spread])
        for i, beta in enumerate(dense(path, 400)):
            predictor = scaled @ beta + columns @ path.covariates[i]
            residual = target[rows] - (expit(predictor) if binary else predictor)
            slope = scaled.T @ residual / len(rows) / path.penalties[i]
            used = beta != 0
            assert np.abs(slope).max() <= 1 + 2e-4
            np.testing.assert_allclose(slope[used], np.sign(beta[used]), atol=2e-5)
            # Intercept and covariates are not penalised, but for the tiny ridge.
            assert np.abs(columns.T @ residual / len(rows)).max() < (2e-3 if binary else 1e-5)


@pytest.mark.parametrize("binary", [True, False])
def test_training_sets_in_step_are_fitted_as_one_by_one(binary: bool) -> None:
    genes, target = planted(60, 150, binary)
    data = PanelData(genes, standardised((60, 1), 3), target, binary)
    rows = np.arange(60)
    families = [[rows, rows[::2], rows[:45]], [rows[5:], rows[10:]], [rows[20:], rows[::3]]]
    together = fit_paths(data, families)
    for family, fitted in zip(families, together, strict=True):
        [alone] = fit_paths(PanelData(genes, data.covariates, target, binary), [family])
        for one, other in zip(fitted, alone, strict=True):
            np.testing.assert_allclose(one.penalties, other.penalties, rtol=1e-9)
            np.testing.assert_allclose(dense(one, 150), dense(other, 150), atol=1e-4)


def test_gene_that_varies_in_one_left_out_sample_only() -> None:
    """Over all samples its deviation is that of an outlier; inside the training set it is tiny."""
    genes, target = planted(40, 30, binary=True)
    genes[:, 0] *= 1e-6
    genes[39, 0] = 1e3
    rows = np.arange(39)
    clean, _ = planted(40, 30, binary=True)
    spoiled = fit_paths(PanelData(genes, np.zeros((40, 0)), target, True), [[rows]])[0][0]
    expected = fit_paths(PanelData(clean, np.zeros((40, 0)), target, True), [[rows]])[0][0]
    assert expected.coefficients[:, expected.genes == 0].any()
    np.testing.assert_allclose(dense(spoiled, 30), dense(expected, 30), atol=1e-5)


def test_threads_change_nothing() -> None:
    genes, target = planted(40, 3000, binary=True)
    one = fit_panel(genes, np.zeros((40, 0)), target, binary=True, seed=1)
    two = fit_panel(genes, np.zeros((40, 0)), target, binary=True, seed=1, threads=2)
    assert one.coefficients == two.coefficients
    assert one.record == two.record


def test_chosen_genes_give_the_panel_of_a_table_of_them() -> None:
    genes, target = planted(40, 300, binary=True)
    genes[::7, 5] = np.nan
    chosen, options = np.flatnonzero(np.arange(300) % 3 != 1), {"binary": True, "seed": 1}
    among = fit_panel(ChosenGenes(genes, chosen), np.zeros((40, 0)), target, **options)
    alone = fit_panel(genes[:, chosen], np.zeros((40, 0)), target, **options)
    assert among.coefficients == alone.coefficients
    assert among.record == alone.record


def test_what_does_not_fit_into_memory_together_gives_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    genes, target = planted(60, 300, binary=True)
    together = fit_panel(genes, np.zeros((60, 0)), target, binary=True, seed=1)
    monkeypatch.setattr("genotex.analysis.panel.path.ROWS_TOGETHER", 100)
    monkeypatch.setattr("genotex.analysis.panel.gene_screen.LARGE", 0)
    monkeypatch.setattr("genotex.arrays.NUMBERS_AT_ONCE", 120)
    apart = fit_panel(genes, np.zeros((60, 0)), target, binary=True, seed=1)
    assert apart.coefficients == pytest.approx(together.coefficients, abs=1e-4)
    np.testing.assert_array_equal(apart.selection_frequency, together.selection_frequency)


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

    def watched(data: PanelData, training: Sequence[np.ndarray], seed: int) -> list[panel._Choice]:
        everyone = [np.arange(len(data.target))] * len(training)
        choices = honest(data, everyone if leaky else training, seed)
        for choice in choices:
            path = choice.path
            coefficients = dense(path, genes.shape[1])[choice.chosen]
            found.append((path.penalties[choice.chosen], coefficients))
        return choices

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
    [(_, first_test), *_] = splits(target, True, np.arange(40), 1 + 1)
    spoiled = genes.copy()
    spoiled[first_test] = 100 * np.random.default_rng(9).normal(size=(len(first_test), 60))
    before = outer_choices(genes, target, monkeypatch, leaky=leaky)
    after = outer_choices(spoiled, target, monkeypatch, leaky=leaky)
    assert len(before) == len(after) == 1 + 5

    def same(i: int) -> bool:
        # Screening in single precision rounds over all samples: equal but for that.
        return np.isclose(before[i][0], after[i][0], rtol=1e-8) and np.allclose(
            before[i][1], after[i][1], atol=1e-5
        )

    assert same(1) != leaky
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

    def fit(seed: int) -> GenePanel:
        return fit_panel(genes, np.zeros((30, 0)), target, binary=True, seed=seed)

    first, second = fit(3), fit(3)
    assert first.coefficients == second.coefficients
    assert first.quality == second.quality
    np.testing.assert_array_equal(first.selection_frequency, second.selection_frequency)
    assert not np.array_equal(first.selection_frequency, fit(4).selection_frequency)


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


def test_too_few_samples_of_a_measured_trait_are_counted_as_samples() -> None:
    genes, target = planted(9, 10, binary=False)
    found = fit_panel(genes, np.zeros((9, 0)), target, binary=False, seed=1)
    assert found.notes == ("No panel: it needs 10 samples, there are 9.",)
    genes, target = planted(19, 10, binary=False)
    found = fit_panel(genes, np.zeros((19, 0)), target, binary=False, seed=1)
    assert found.notes[-1].endswith("half-samples need 20 samples.")


@pytest.mark.parametrize("samples", [12, 40])
def test_repeated_samples_give_a_panel_whose_quality_is_not_reported(samples: int) -> None:
    genes, target = planted(samples, 20, binary=True)
    shape = np.zeros((samples, 0))
    alone = fit_panel(genes, shape, target, binary=True, seed=1)
    found = fit_panel(genes, shape, target, binary=True, seed=1, repeated=True)
    assert found.coefficients == alone.coefficients
    assert found.quality == {}
    # With too few samples there is one reason already.
    assert (panel.REPEATED in found.notes) is (samples == 40)


def test_five_samples_in_a_class_give_a_panel_without_quality() -> None:
    genes, _ = planted(20, 10, binary=True)
    target = np.repeat([1.0, 0.0], [5, 15])
    found = fit_panel(genes, np.zeros((20, 0)), target, binary=True, seed=1)
    assert found.record["folds"] == 5
    assert found.quality == {}
    assert found.selection_frequency is None
    assert "stability" not in found.record
    assert "No prediction quality and no selection frequencies" in found.notes[-1]
    assert "10 samples per class" in found.notes[-1]


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


def test_one_gene_that_separates_the_classes() -> None:
    target = np.tile([0.0, 1.0], 15)
    found = fit_panel(target[:, None] * 3 + 5, np.zeros((30, 0)), target, binary=True, seed=1)
    assert found.coefficients[0] > 0
    assert found.quality["prediction"]["auroc"] == 1.0
    assert found.selection_frequency == [1.0]


def test_only_constant_genes_give_an_empty_panel() -> None:
    target = np.tile([0.0, 1.0], 15)
    found = fit_panel(np.full((30, 4), 7.0), np.zeros((30, 0)), target, binary=True, seed=1)
    assert found.coefficients == {}
    assert found.notes == (panel.EMPTY,)
    np.testing.assert_array_equal(found.selection_frequency, np.zeros(4))


def test_more_covariates_than_the_folds_can_separate() -> None:
    genes, target = planted(24, 50, binary=False)
    covariates = np.eye(24)[:, :5]
    found = fit_panel(genes, covariates, target, binary=False, seed=1)
    assert np.isfinite(found.quality["prediction"]["r_squared"])


def planted_unscaled(n: int, p: int, binary: bool, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    genes = rng.normal(size=(n, p))
    score = genes[:, :3] @ np.array([1.5, -1.5, 1.0]) + 0.5 * rng.normal(size=n)
    return genes, (score > np.median(score)).astype(float) if binary else score


def test_halves_of_a_pair_share_no_sample_and_have_half_of_each_class() -> None:
    target = np.repeat([1.0, 0.0], [11, 30])
    halves = complementary_halves(target, True, 20, 1)
    assert len(halves) == 40
    left_out = set()
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert not set(one) & set(other)
        for half in (one, other):
            assert np.bincount(target[half].astype(int)).tolist() == [15, 5]
            assert (np.diff(half) > 0).all()
        left_out |= set(range(41)) - set(one) - set(other)
    # Of the odd class one sample is left out, not always the same.
    assert left_out <= set(range(11))
    assert len(left_out) > 3


def test_halves_of_a_measured_trait_part_neighbours() -> None:
    target = np.random.default_rng(0).normal(size=21)
    for one, other in zip(*[iter(complementary_halves(target, False, 10, 1))] * 2, strict=True):
        assert not set(one) & set(other)
        assert len(one) == len(other) == 10
        # Neighbours in rank are parted: sorted, the halves never stray apart.
        ranks = np.argsort(np.argsort(target))
        assert np.abs(np.sort(ranks[one]) - np.sort(ranks[other])).max() <= 2


@pytest.mark.parametrize("binary", [True, False])
def test_planted_genes_are_frequent_and_others_rare(binary: bool) -> None:
    genes, target = planted_unscaled(100, 400, binary)
    found = fit_panel(genes, np.zeros((100, 0)), target, binary=binary, seed=1)
    frequency = found.selection_frequency
    assert frequency is not None
    assert frequency.shape == (400,)
    assert frequency[:3].min() > 0.9
    assert np.median(frequency[3:]) < 0.2
    record = found.record["stability"]
    assert record["pairs"] == 50
    assert record["penalty"] == found.record["penalty"]
    assert record["penalty_rule"] == "that of the panel"
    assert record["genes_above_half"] == (frequency > 0.5).sum()
    assert record["genes_per_half_sample"] == pytest.approx(frequency.sum())


def test_frequency_is_that_of_scikit_learn_on_the_same_halves() -> None:
    genes, target = planted_unscaled(60, 80, binary=False)
    frequency, _ = selection_frequency(
        PanelData(genes, np.zeros((60, 0)), target, False), 0.25, seed=3, pairs=10
    )
    counts = np.zeros(80)
    for half in complementary_halves(target, False, 10, 3):
        scaled = (genes[half] - genes[half].mean(axis=0)) / genes[half].std(axis=0)
        counts += (
            Lasso(alpha=0.25, tol=1e-10, max_iter=100_000).fit(scaled, target[half]).coef_ != 0
        )
    np.testing.assert_array_equal(frequency, counts / 20)


def test_empty_panel_takes_the_penalty_of_the_best_deviance() -> None:
    genes = np.random.default_rng(2).normal(size=(40, 200))
    found = fit_panel(genes, np.zeros((40, 0)), np.tile([0.0, 1.0], 20), binary=True, seed=1)
    assert found.coefficients == {}
    record = found.record["stability"]
    assert record["penalty_rule"] == "best cross-validated deviance, because the panel is empty"
    assert record["penalty"] <= found.record["penalty"]
    assert found.selection_frequency is not None
    assert found.selection_frequency.max() < 0.9


@pytest.mark.parametrize(
    ("binary", "samples", "enough"),
    [(True, 20, True), (True, 19, False), (False, 20, True), (False, 19, False)],
)
def test_ten_samples_per_class_are_needed(binary: bool, samples: int, enough: bool) -> None:
    genes, _ = planted_unscaled(samples, 30, binary)
    target = np.arange(samples) % 2.0 if binary else np.arange(samples) / samples
    found = fit_panel(genes, np.zeros((samples, 0)), target, binary=binary, seed=1)
    assert (found.selection_frequency is not None) is enough
    assert ("stability" in found.record) is enough
    assert any("no selection frequencies" in note for note in found.notes) is not enough


def test_a_panel_that_takes_too_much_work_is_left_out_and_says_so() -> None:
    random = np.random.default_rng(1)
    target = np.repeat([0.0, 1.0], 6)
    genes = 0.1 * random.normal(size=(12, 400)) + target[:, None] * random.uniform(1, 3, 400)
    given = (genes, np.zeros((12, 0)), target)
    found = fit_panel(*given, binary=True, seed=1, most_work=1e6)
    assert not found.coefficients and not found.record and found.selection_frequency is None
    (note,) = found.notes
    assert note.startswith("Panel left out") and note.endswith("--panel fits it.")
    assert fit_panel(*given, binary=True, seed=1).coefficients


def test_the_budget_holds_unless_the_panel_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genotex.analysis.sound.MOST_WORK", 1.0)
    table = two_groups(genes=60)
    solved = {
        wanted: analyze_table(table, {}, Problem(table.trait), AnalysisOptions(panel=wanted))
        for wanted in (None, True, False)
    }
    assert solved[None].panel_summary in solved[None].method["panel"]["notes"]
    assert solved[None].panel_summary.startswith("Panel left out")
    assert solved[True].panel_summary == solved[False].panel_summary == ""
    assert solved[True].method["panel"]["model"] == "logistic, L1"
    assert solved[False].method["panel"]["notes"] == ["No panel: switched off."]
