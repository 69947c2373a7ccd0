"""A prior that hypervariable genes do not widen, and tests against a minimal effect, as in limma.

Golden values: benchmarks/golden/golden_limma.R.
"""

import numpy as np
import pytest

from genotex.analysis import ModeratedFit, fit_last_column, fit_variance_prior, moderate
from tests.analysis.test_against_limma import design_and_expression, read

CASES = ["binary", "hypervariable", "calm", "gaps"]


def fit(name: str, *, trend: bool = False, **options: float | bool) -> ModeratedFit:
    design, expression = design_and_expression(name)
    mean = np.nanmean(expression, axis=0)
    return moderate(fit_last_column(design, expression), mean if trend else None, **options)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("trend", [False, True])
def test_robust_moderation_equals_limma(name: str, trend: bool) -> None:
    golden = read(f"{name}{'_trend' if trend else ''}_robust_limma.csv")
    ours = fit(name, trend=trend, robust=True)
    assert ours.prior.df_of_gene is not None
    df = np.where(np.isinf(ours.prior.df_of_gene), -1, ours.prior.df_of_gene)
    np.testing.assert_allclose(df, golden["prior_df"], rtol=1e-6)
    np.testing.assert_allclose(ours.prior.variance, golden["prior_variance"], rtol=1e-6)
    for column in ("t", "p", "df"):
        np.testing.assert_allclose(getattr(ours, column), golden[column], rtol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_test_against_a_minimal_effect_equals_limma(name: str) -> None:
    golden = read(f"{name}_treat_limma.csv")
    ours = fit(name, min_effect=0.4)
    np.testing.assert_allclose(ours.t, golden["t"], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(ours.p, golden["p"], rtol=1e-8)


def test_effects_at_the_limit_are_not_called() -> None:
    """500 genes with a true effect of .9: none beyond 1, for any estimates."""
    rng = np.random.default_rng(0)
    trait = np.repeat([0.0, 1.0], 20)
    values = rng.normal(8, 0.5, (40, 2000))
    values[:, :500] += 0.9 * trait[:, None]
    raw = fit_last_column(np.column_stack([np.ones(40), trait]), values)
    beyond = np.abs(raw.coefficient) >= 1
    assert beyond[:500].sum() > 100
    assert (moderate(raw, min_effect=1.0).p[:500] < 0.05).mean() < 0.05


def test_three_genes_are_enough() -> None:
    variance = np.array([1.0, 1.1, 40.0])
    prior = fit_variance_prior(variance, np.full(3, 6.0), robust=True)
    assert np.isfinite(prior.variance).all()
    assert fit_variance_prior(variance[:2], np.full(2, 6.0), robust=True).df_of_gene is None
