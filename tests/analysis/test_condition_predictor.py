"""The condition of a two-step problem, against scikit-learn and plain ridge regression."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeCV

from genotex.analysis import predict_condition
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable
from tests.analysis.cohort_tables import linked

PENALTIES = 10.0 ** np.arange(6.0, -2.5, -0.5)


def z(values: np.ndarray) -> np.ndarray:
    return (values - values.mean(axis=0)) / values.std(axis=0)


def two_cohorts(
    n: int = 60, p: int = 20, signal: float = 2.0, binary: bool = True, seed: int = 0
) -> tuple[LinkedTable, LinkedTable, np.ndarray]:
    """Cohort of the condition, cohort of the trait, and what the condition is there in truth."""
    rng = np.random.default_rng(seed)
    genes = rng.normal(size=(2 * n, p))
    latent = signal * genes[:, :4].sum(axis=1) / 2 + rng.normal(size=2 * n)
    condition = (latent > 0).astype(float) if binary else latent
    source = linked(condition[:n], 3 * genes[:n] + 9, trait="Obesity")
    return source, linked(rng.integers(0, 2, n), genes[n:], trait="Asthma"), condition[n:]


def test_binary_condition_equals_scikit_learn_at_the_penalty_chosen() -> None:
    source, table, truth = two_cohorts()
    found = predict_condition(source, table, np.arange(60), table.genes, seed=1)
    reference = LogisticRegression(C=1 / found.record["penalty"], tol=1e-10, max_iter=10_000)
    reference.fit(z(source.expression), source.trait_values)
    expected = z(reference.decision_function(z(table.expression)))
    np.testing.assert_allclose(found.values, expected, atol=1e-4)
    assert found.score_name == "AUROC"
    assert found.score > 0.7
    assert np.corrcoef(found.values, truth)[0, 1] > 0.3


def test_measured_condition_equals_ridge_regression_at_the_penalty_chosen() -> None:
    source, table, truth = two_cohorts(binary=False)
    found = predict_condition(source, table, np.arange(60), table.genes, seed=1)
    x, y = z(source.expression), source.trait_values - source.trait_values.mean()
    weights = np.linalg.solve(x.T @ x + found.record["penalty"] * np.eye(20), x.T @ y)
    np.testing.assert_allclose(found.values, z(z(table.expression) @ weights), atol=1e-8)
    assert found.score_name == "R2"
    assert found.score > 0.5
    assert np.corrcoef(found.values, truth)[0, 1] > 0.75


@pytest.mark.parametrize("noise", [0.0, 3.0, 30.0])
@pytest.mark.parametrize("samples", [12, 60])
def test_a_measured_condition_has_the_penalty_of_scikit_learn(noise: float, samples: int) -> None:
    source, table, _ = two_cohorts(binary=False)
    wrong = noise * np.random.default_rng(7).normal(size=len(source.samples))
    few = linked((source.trait_values + wrong)[:samples], source.expression[:samples])
    found = predict_condition(few, table, np.arange(60), table.genes, seed=1)
    theirs = RidgeCV(alphas=PENALTIES).fit(z(few.expression), few.trait_values)
    assert found.record["penalty"] == theirs.alpha_


@pytest.mark.parametrize("binary", [True, False])
def test_values_are_z_scores_of_the_samples_compared(binary: bool) -> None:
    source, table, _ = two_cohorts(binary=binary)
    rows = np.arange(5, 45)
    found = predict_condition(source, table, rows, table.genes, seed=1)
    assert len(found.values) == 40
    assert found.values.mean() == pytest.approx(0, abs=1e-12)
    assert found.values.std() == pytest.approx(1)
    alone = linked(table.trait_values[rows], table.expression[rows])
    again = predict_condition(source, alone, np.arange(40), table.genes, seed=1)
    np.testing.assert_allclose(again.values, found.values)


def test_platforms_of_different_scale_make_no_difference() -> None:
    source, table, _ = two_cohorts()
    other = linked(table.trait_values, 0.3 * table.expression - np.arange(20))
    found = predict_condition(source, table, np.arange(60), table.genes, seed=1)
    again = predict_condition(source, other, np.arange(60), table.genes, seed=1)
    np.testing.assert_allclose(again.values, found.values, atol=1e-9)
    assert again.score == found.score


@pytest.mark.parametrize("binary", [True, False])
def test_condition_without_signal_scores_as_chance_and_warns(binary: bool) -> None:
    scores = []
    for seed in range(3):
        source, table, _ = two_cohorts(n=50, p=80, signal=0.0, binary=binary, seed=seed)
        found = predict_condition(source, table, np.arange(50), table.genes, seed=seed)
        scores.append(found.score)
        weak = any("has little effect" in warning for warning in found.warnings)
        assert weak == (found.score < (0.6 if binary else 0.1))
    assert 0.35 < np.mean(scores) < 0.65 if binary else np.mean(scores) < 0.1


def test_p_values_are_said_to_be_conditional() -> None:
    source, table, _ = two_cohorts()
    found = predict_condition(source, table, np.arange(60), table.genes, seed=1)
    assert len(found.warnings) == 1
    assert "prediction from expression" in found.warnings[0]


def test_record_is_json_and_the_seed_decides() -> None:
    source, table, _ = two_cohorts(signal=0.7)
    first, again, other = (
        predict_condition(source, table, np.arange(60), table.genes, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.record == again.record
    assert first.score != other.score
    assert json.loads(json.dumps(first.record, allow_nan=False)) == first.record
    assert first.record["classes"]["case"] == int(source.trait_values.sum())


def test_constant_regressors_and_missing_values() -> None:
    source, table, _ = two_cohorts()
    known, goal = source.expression.copy(), table.expression.copy()
    known[:, 5] = 4.0
    goal[:, 6] = np.nan
    known[::9, 2] = np.nan
    goal[::7, 1] = np.nan
    values = source.trait_values.copy()
    values[3] = np.nan
    found = predict_condition(
        linked(values, known, trait="Obesity"),
        linked(table.trait_values, goal),
        np.arange(60),
        table.genes,
        seed=1,
    )
    assert found.record["constant_regressors"] == ["GENE5", "GENE6"]
    assert found.record["samples"] == 59
    assert np.isfinite(found.values).all()
    assert found.score > 0.7


def test_duplicate_regressors_and_one_regressor() -> None:
    source, table, _ = two_cohorts()
    for genes in (("GENE0", "GENE0", "GENE1"), ("GENE0",)):
        found = predict_condition(source, table, np.arange(60), genes, seed=1)
        assert np.isfinite(found.values).all()


def test_classes_that_a_gene_separates_stay_finite() -> None:
    source, table, _ = two_cohorts()
    genes = source.expression.copy()
    genes[:, 0] = 100 * source.trait_values
    perfect = linked(source.trait_values, genes, trait="Obesity")
    found = predict_condition(perfect, table, np.arange(60), table.genes, seed=1)
    assert found.score == 1.0
    assert np.isfinite(found.values).all()


def test_no_regressors_or_only_constant_ones() -> None:
    source, table, _ = two_cohorts()
    with pytest.raises(AnalysisError, match="none of its 0 regressor genes"):
        predict_condition(source, table, np.arange(60), (), seed=1)
    flat = linked(source.trait_values, np.full((60, 20), 5.0), trait="Obesity")
    with pytest.raises(AnalysisError, match="none of its 20 regressor genes"):
        predict_condition(flat, table, np.arange(60), table.genes, seed=1)


def test_regressor_that_a_cohort_lacks() -> None:
    source, table, _ = two_cohorts()
    with pytest.raises(AnalysisError, match=r"Obesity lacks 1 of 2 regressor genes \(NOGENE\)"):
        predict_condition(source, table, np.arange(60), ("GENE0", "NOGENE"), seed=1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones(60), "does not vary in its cohort: all values are 1"),
        (np.full(60, np.nan), "no sample has a value"),
        (np.arange(60) < 4, "5 samples per class are needed, its cohort has 4"),
        (np.where(np.arange(60) < 9, np.arange(60.0), np.nan), "10 samples in all are needed"),
    ],
)
def test_condition_that_cannot_be_learned(values: np.ndarray, message: str) -> None:
    source, table, _ = two_cohorts()
    other = linked(values, source.expression, trait="Obesity")
    with pytest.raises(AnalysisError, match=message):
        predict_condition(other, table, np.arange(60), table.genes, seed=1)


def test_uninformative_gene_gives_no_prediction() -> None:
    _, table, _ = two_cohorts()
    gene = np.tile([1.0, -1.0], 30)[:, None]
    source = linked(np.repeat([0.0, 1.0], 30), gene, trait="Obesity")
    with pytest.raises(AnalysisError, match="the same for all 60 samples"):
        predict_condition(source, table, np.arange(60), ("GENE0",), seed=1)
