"""Standardised effects mean the same in cohorts with and without surrogate variables."""

import numpy as np
import pytest
from scipy import stats

from genotex.analysis import analyze_table, fit_last_column, hedges_g, partial_correlation
from genotex.options import AnalysisOptions, Hidden
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked

DEVIATION = np.sqrt(1 + 4 * 0.5)
"""Of the noise and four hidden factors together."""


def simulate(binary: bool, effect: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimates and errors of 400 cohorts of 40 x 20 genes; the factors are known."""
    sizes, errors, plain = [], [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        trait = np.arange(40.0) % 2 if binary else rng.normal(size=40)
        factors = rng.normal(size=(40, 4))
        noise = rng.normal(size=(40, 20)) + np.sqrt(0.5) * factors.sum(axis=1)[:, None]
        values = noise + effect * DEVIATION * trait[:, None]
        base = fit_last_column(np.column_stack([np.ones(40), trait]), values)
        fit = fit_last_column(np.column_stack([np.ones(40), factors, trait]), values)
        size, error = hedges_g(fit, base) if binary else partial_correlation(fit, base)
        sizes.append(size)
        errors.append(error)
        plain.append((hedges_g(base) if binary else partial_correlation(base))[1])
    return np.array(sizes), np.array(errors), np.array(plain)


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_hedges_g_with_hidden_factors_has_the_planted_mean_and_its_error(effect: float) -> None:
    size, error, plain = simulate(True, effect)
    assert size.mean() == pytest.approx(effect, abs=0.03)
    assert error.mean() == pytest.approx(size.std(), rel=0.06)
    # The surrogate variables take their part out of the noise, not out of the unit.
    assert error.mean() < 0.8 * plain.mean()


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_partial_correlation_with_hidden_factors_is_the_true_one(effect: float) -> None:
    size, error, _ = simulate(False, effect)
    assert size.mean() == pytest.approx(effect / np.sqrt(1 + effect**2), abs=0.02)
    assert error.mean() == pytest.approx(size.std(), rel=0.06)


def test_without_surrogate_variables_both_ways_agree() -> None:
    rng = np.random.default_rng(0)
    trait, values = np.arange(200.0) % 2, rng.normal(size=(200, 5))
    values[:, 0] += trait
    fit = fit_last_column(np.column_stack([np.ones(200), trait]), values)
    for measure in (hedges_g, partial_correlation):
        for one, other in zip(measure(fit), measure(fit, fit), strict=True):
            np.testing.assert_allclose(one, other, rtol=0.01)
    assert partial_correlation(fit)[0][0] == pytest.approx(stats.pearsonr(trait, values[:, 0])[0])


@pytest.mark.parametrize("samples", [36, 60])
@pytest.mark.parametrize("hidden", ["auto", "adjust", "none"])
def test_planted_g_of_one_whether_surrogate_variables_rank_or_not(
    samples: int, hidden: Hidden
) -> None:
    rng = np.random.default_rng(samples)
    genes = 800
    loadings = rng.normal(size=(5, genes))
    values = 8 + rng.normal(size=(samples, genes)) + 0.8 * rng.normal(size=(samples, 5)) @ loadings
    trait = np.arange(samples) % 2
    values[:, :100] += trait[:, None] * np.sqrt(1 + 0.64 * (loadings[:, :100] ** 2).sum(axis=0))
    options = AnalysisOptions(panel=False, filter_low=False, hidden=hidden)
    result = analyze_table(linked(trait, values), {}, Problem("Asthma"), options)
    ranked_with = hidden == "adjust"
    assert result.method["hidden"]["ranked_with"] is ranked_with
    planted = result.genes.filter(result.genes["Variable"].is_in([f"GENE{j}" for j in range(100)]))
    # Divided by what five surrogate variables leave, it would be near 2.
    assert planted["Standardised Effect"].mean() == pytest.approx(1.0, abs=0.2)
    text = result.method["standardised_effect"]
    assert ("without surrogate variables" in text) is ranked_with


def test_pairs_are_measured_within_pairs_and_that_is_said() -> None:
    rng = np.random.default_rng(3)
    trait, donor = np.arange(24) % 2, np.arange(24) // 2
    table = linked(trait, rng.normal(8, 1, (24, 30)) + rng.normal(0, 3, (12, 30))[donor])
    facts = {"donor": {s: f"D{d}" for s, d in zip(table.samples, donor, strict=True)}}
    options = AnalysisOptions(pair="donor")
    method = analyze_table(table, {}, Problem("Asthma"), options, facts).method
    assert method["standardised_effect"] == "Hedges' g, in deviations within pairs"
