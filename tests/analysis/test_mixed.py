"""The mixed model, against dense generalised least squares and a dense restricted likelihood."""

from dataclasses import fields

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from genotex.analysis import MixedFit, fit_mixed, mixed_record, mixed_warnings
from genotex.errors import AnalysisError


def cohort(
    n: int = 40, p: int = 90, share: float = 0.6, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Correlated genes, two covariates, and a trait drawn from the null model."""
    rng = np.random.default_rng(seed)
    genes = 8 + rng.normal(size=(n, 4)) @ rng.normal(size=(4, p)) + rng.normal(size=(n, p))
    covariates = np.column_stack([np.ones(n), rng.normal(50, 10, n), rng.integers(0, 2, n)])
    u = np.linalg.cholesky(background(genes) + 1e-9 * np.eye(n)) @ rng.normal(size=n)
    trait = np.sqrt(share) * u + np.sqrt(1 - share) * rng.normal(size=n)
    return genes, covariates, trait + covariates @ [3.0, 0.02, 0.5]


def background(genes: np.ndarray) -> np.ndarray:
    z = (genes - np.nanmean(genes, axis=0)) / np.nanstd(genes, axis=0)
    z[np.isnan(z)] = 0
    return z @ z.T / genes.shape[1]


def dense_test(
    gene: np.ndarray, covariates: np.ndarray, trait: np.ndarray, v: np.ndarray
) -> tuple[float, float]:
    """Coefficient and standard error of generalised least squares, with the inverse of V."""
    x = np.column_stack([covariates, gene])
    inverse = np.linalg.inv(v)
    unscaled = np.linalg.inv(x.T @ inverse @ x)
    estimate = unscaled @ x.T @ inverse @ trait
    residual = trait - x @ estimate
    scale = residual @ inverse @ residual / (len(trait) - x.shape[1])
    return estimate[-1], np.sqrt(scale * unscaled[-1, -1])


def dense_restricted_loss(
    log_ratio: float, k: np.ndarray, covariates: np.ndarray, trait: np.ndarray
) -> float:
    """Minus twice the restricted log-likelihood, its scale profiled out, but for constants."""
    v = k + np.exp(log_ratio) * np.eye(len(trait))
    inverse = np.linalg.inv(v)
    inner = covariates.T @ inverse @ covariates
    project = inverse - inverse @ covariates @ np.linalg.inv(inner) @ covariates.T @ inverse
    df = len(trait) - covariates.shape[1]
    scale = trait @ project @ trait / df
    return df * np.log(scale) + float(np.linalg.slogdet(v)[1]) + float(np.linalg.slogdet(inner)[1])


@pytest.mark.parametrize("p", [20, 90])
def test_equals_dense_generalised_least_squares(p: int) -> None:
    genes, covariates, trait = cohort(p=p)
    found = fit_mixed(genes, covariates, trait)
    v = background(genes) + np.exp(found.log_ratio) * np.eye(len(trait))
    expected = np.array([dense_test(x, covariates, trait, v) for x in genes.T])
    np.testing.assert_allclose(found.coefficient, expected[:, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.standard_error, expected[:, 1], rtol=1e-8)
    np.testing.assert_allclose(found.t, expected[:, 0] / expected[:, 1], rtol=1e-8, atol=1e-9)
    df = len(trait) - covariates.shape[1] - 1
    assert (found.df == df).all()
    np.testing.assert_allclose(found.p, 2 * stats.t.sf(np.abs(found.t), df), rtol=1e-8)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_ratio_maximises_the_dense_restricted_likelihood(seed: int) -> None:
    genes, covariates, trait = cohort(seed=seed)
    found = fit_mixed(genes, covariates, trait)
    k = background(genes)

    def loss(log_ratio: float) -> float:
        return dense_restricted_loss(log_ratio, k, covariates, trait)

    grid = np.linspace(-10, 10, 81)
    start = grid[np.argmin([loss(x) for x in grid])]
    inside = (max(-10, start - 0.3), min(10, start + 0.3))
    best = minimize_scalar(loss, bounds=inside, method="bounded", options={"xatol": 1e-9})
    assert found.log_ratio == pytest.approx(best.x, abs=1e-5)
    assert loss(found.log_ratio) <= best.fun + 1e-10


def test_share_is_that_of_the_trace_in_the_space_the_covariates_leave() -> None:
    genes, covariates, trait = cohort()
    found = fit_mixed(genes, covariates, trait)
    project = np.eye(len(trait)) - covariates @ np.linalg.pinv(covariates)
    mean = np.trace(project @ background(genes)) / (len(trait) - 3)
    assert found.share == pytest.approx(mean / (mean + np.exp(found.log_ratio)), rel=1e-10)


def test_missing_values_count_as_the_mean_of_their_gene() -> None:
    genes, covariates, trait = cohort()
    genes[::7, ::3] = np.nan
    found = fit_mixed(genes, covariates, trait)
    filled = np.where(np.isnan(genes), np.nanmean(genes, axis=0), genes)
    v = background(genes) + np.exp(found.log_ratio) * np.eye(len(trait))
    expected = np.array([dense_test(x, covariates, trait, v) for x in filled.T])
    np.testing.assert_allclose(found.coefficient, expected[:, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.standard_error, expected[:, 1], rtol=1e-8)


def test_chunks_of_genes_give_the_same_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    genes, covariates, trait = cohort()
    whole = fit_mixed(genes, covariates, trait)
    monkeypatch.setattr("genotex.analysis.gene_tests.mixed.CHUNK", 7)
    parts = fit_mixed(genes, covariates, trait)
    np.testing.assert_allclose(parts.t, whole.t, rtol=1e-9, atol=1e-9)


def test_null_trait_with_background_is_calibrated_where_plain_regression_is_not() -> None:
    small = plain = 0.0
    for seed in range(30):
        genes, covariates, trait = cohort(n=60, p=200, share=0.7, seed=seed)
        small += (fit_mixed(genes, covariates, trait).p < 0.05).mean() / 30
        left = np.linalg.qr(covariates, mode="complete")[0][:, 3:]
        x, y = left.T @ genes, left.T @ trait
        r = (x.T @ y) / np.sqrt((x**2).sum(axis=0) * (y @ y))
        t = r * np.sqrt(56 / (1 - r**2))
        plain += (2 * stats.t.sf(np.abs(t), 56) < 0.05).mean() / 30
    assert plain > 0.15
    assert 0.01 < small < 0.06


def test_six_samples_and_one_gene() -> None:
    rng = np.random.default_rng(0)
    gene = rng.normal(8, 1, (6, 1))
    trait = np.array([0.0, 1, 0, 1, 0, 1])
    found = fit_mixed(gene, np.ones((6, 1)), trait)
    assert np.isfinite(found.t).all()
    assert found.df.tolist() == [4.0]
    v = background(gene) + np.exp(found.log_ratio) * np.eye(6)
    assert found.coefficient[0] == pytest.approx(
        dense_test(gene[:, 0], np.ones((6, 1)), trait, v)[0]
    )


def test_constant_and_collinear_genes_are_not_tested() -> None:
    genes, covariates, trait = cohort()
    genes[:, 0] = 7.1
    genes[:, 1] = 3 * covariates[:, 1] + 2
    genes[:, 2] = np.nan
    genes[:, 4] = genes[:, 3]
    found = fit_mixed(genes, covariates, trait)
    assert np.flatnonzero(np.isnan(found.p)).tolist() == [0, 1, 2]
    assert np.isnan(found.coefficient[:3]).all()
    assert (found.df[:3] == 0).all()
    assert found.t[3] == pytest.approx(found.t[4])


def test_only_constant_genes() -> None:
    _, covariates, trait = cohort()
    found = fit_mixed(np.full((40, 3), 5.0), covariates, trait)
    assert np.isnan(found.p).all()
    assert found.share == 0
    assert mixed_record(found)["residual_df"] is None


def test_gene_that_is_the_trait_itself_stays_finite() -> None:
    genes, covariates, trait = cohort()
    genes[:, 5] = trait
    found = fit_mixed(genes, covariates, trait)
    assert found.coefficient[5] == pytest.approx(1.0)
    assert np.isfinite(found.t[5])
    assert found.t[5] > 1e6
    assert found.p[5] < 1e-100


def test_trait_that_the_covariates_explain_is_an_error() -> None:
    genes, covariates, _ = cohort()
    with pytest.raises(AnalysisError, match="explain the trait completely"):
        fit_mixed(genes, covariates, covariates @ [1.0, 2.0, 3.0])


def test_too_many_covariates_for_the_samples_is_an_error() -> None:
    rng = np.random.default_rng(1)
    covariates = np.column_stack([np.ones(6), rng.normal(size=(6, 4))])
    with pytest.raises(AnalysisError, match="more than 6 samples for 5 columns"):
        fit_mixed(rng.normal(size=(6, 10)), covariates, rng.normal(size=6))


def test_trait_made_of_all_genes_is_absorbed_and_said_so() -> None:
    genes, covariates, trait = cohort(n=60, p=500, share=1.0, seed=4)
    found = fit_mixed(genes, covariates, trait)
    assert found.share > 0.9
    warnings = mixed_warnings(found, binary=True)
    assert any("absorbed the trait itself" in w for w in warnings)
    assert any("conservative" in w for w in warnings)
    assert any("a test only" in w for w in warnings)


def test_independent_trait_leaves_nothing_to_the_background() -> None:
    genes, covariates, _ = cohort(n=60, p=500)
    rng = np.random.default_rng(3)
    found = fit_mixed(genes, covariates, rng.normal(size=60))
    assert found.share < 0.5
    assert len(mixed_warnings(found, binary=False)) == 1


def test_values_filled_with_the_mean_of_the_gene_are_counted() -> None:
    genes, covariates, trait = cohort()
    assert mixed_record(fit_mixed(genes, covariates, trait))["values_filled"] == 0
    genes[:3, 5] = np.nan
    record = mixed_record(fit_mixed(genes, covariates, trait))
    assert record["values_filled"] == 3
    assert record["filled_with"] == "mean of the gene"


def test_record_is_plain_json() -> None:
    genes, covariates, trait = cohort()
    found = fit_mixed(genes, covariates, trait)
    record = mixed_record(found)
    assert record["residual_df"] == 36
    assert record["tested"] == 90
    assert record["share_of_background"] == found.share
    assert {type(v) for v in record.values()} <= {str, float, int, bool, type(None)}
    assert [f.name for f in fields(MixedFit)][:5] == [
        "coefficient",
        "standard_error",
        "t",
        "df",
        "p",
    ]
