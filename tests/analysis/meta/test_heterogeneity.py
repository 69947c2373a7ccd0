"""How far effects differ between cohorts, learned from all genes, and a test that allows for it."""

import numpy as np
import pytest
from scipy import integrate, stats

from genotex.analysis import (
    Heterogeneity,
    NullScores,
    combine_effects,
    common_effect_p,
    estimate_heterogeneity,
    null_scores,
    weights_of_genes,
)
from tests.analysis.meta.test_against_metafor import matrix, read

ALIKE = Heterogeneity(np.zeros(1), np.ones(1))


def scatter(cohorts: int, sd: float, genes: int = 4000, error: float = 0.3) -> NullScores:
    """Genes whose true effects scatter around zero with `sd`."""
    rng = np.random.default_rng([cohorts, round(100 * sd)])
    return NullScores(
        rng.normal(size=(cohorts, genes)) * np.hypot(sd, error), np.full((cohorts, genes), error**2)
    )


def test_p_with_a_known_tau_is_that_of_metafor() -> None:
    """At the tau that metafor estimates for a gene, its random effects with a normal reference."""
    table, golden = read("genes_effects.csv"), read("genes_metafor.csv")
    effect, error = matrix(table, "effect"), matrix(table, "error")
    there = np.isfinite(effect)
    scores = NullScores(np.where(there, effect, 0), np.where(there, error**2, np.inf))
    for row in np.flatnonzero(golden["cohorts"].to_numpy() >= 3):
        one = NullScores(scores.values[:, [row]], scores.variances[:, [row]])
        tau = np.array([golden["tau2"][int(row)] ** 0.5])
        p = common_effect_p(one, Heterogeneity(tau, np.ones(1)))
        assert p[0] == pytest.approx(golden["ranking_p"][int(row)], rel=1e-8)


def test_without_differences_p_is_that_of_the_fixed_effect() -> None:
    rng = np.random.default_rng(1)
    values, errors = rng.normal(size=(3, 50)), rng.uniform(0.1, 1, size=(3, 50))
    expected = combine_effects(values, errors).fixed_p
    np.testing.assert_allclose(common_effect_p(NullScores(values, errors**2), ALIKE), expected)


def test_weights_of_a_gene_are_its_likelihoods_without_the_mean() -> None:
    """The likelihood integrated over the mean effect, numerically."""
    values, errors = np.array([0.9, -0.4, 0.2]), np.array([0.2, 0.3, 0.5])
    shared = Heterogeneity(np.array([0.0, 0.4, 1.0]), np.array([0.2, 0.5, 0.3]))

    def integrated(tau: float) -> float:
        def density(mean: float) -> float:
            return float(np.prod(stats.norm.pdf(values, mean, np.hypot(errors, tau))))

        return float(integrate.quad(density, -10, 10, points=[-1, 0, 1], epsabs=1e-13)[0])

    joint = shared.weights * [integrated(tau) for tau in shared.tau]
    weights = weights_of_genes(NullScores(values[:, None], errors[:, None] ** 2), shared)[:, 0]
    np.testing.assert_allclose(weights, joint / joint.sum(), rtol=1e-6)


@pytest.mark.parametrize("cohorts", [2, 3, 5])
@pytest.mark.parametrize("sd", [0.0, 0.3])
def test_genes_without_a_common_effect_have_even_p_values(cohorts: int, sd: float) -> None:
    scores = scatter(cohorts, sd)
    shared = estimate_heterogeneity(scores)
    assert shared.weights.sum() == pytest.approx(1)
    assert shared.sd == pytest.approx(sd, abs=0.08)
    p = common_effect_p(scores, shared)
    assert (p < 0.05).mean() == pytest.approx(0.05, abs=0.015)
    assert (p < 0.001).mean() < 0.003


def test_genes_that_differ_among_genes_that_do_not() -> None:
    """A tenth of the genes scatters with standard deviation 1."""
    scores, rng = scatter(3, 0.0), np.random.default_rng(4)
    scores.values[:, :400] += rng.normal(size=(3, 400))
    shared = estimate_heterogeneity(scores)
    assert shared.weights @ shared.tau**2 == pytest.approx(0.1, abs=0.03)
    p = common_effect_p(scores, shared)
    fixed = common_effect_p(scores, ALIKE)
    assert (fixed[:400] < 0.001).mean() > 0.2
    assert (p[:400] < 0.001).mean() < 0.03
    assert (p < 0.001).sum() < (fixed < 0.001).sum() / 5


def test_scale_of_the_effects_does_not_matter() -> None:
    scores = scatter(3, 0.3, genes=500)
    wide = NullScores(100 * scores.values, 1e4 * scores.variances)
    ours, theirs = (common_effect_p(s, estimate_heterogeneity(s)) for s in (scores, wide))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_genes_of_one_cohort_have_no_p() -> None:
    scores = null_scores(*(np.array(x) for x in ([[0.5], [np.nan]], [[0.2]] * 2, [[0.01]] * 2)))
    shared = estimate_heterogeneity(scores)
    assert shared.sd == 0
    assert np.isnan(common_effect_p(scores, shared)[0])


def test_score_is_the_normal_deviate_of_the_cohorts_p() -> None:
    effect, error = np.array([[0.8, -0.8, 0.1]]), np.array([[0.4, 0.4, 0.3]])
    p, samples = np.array([[0.02, 1.0, 0.0]]), np.full((1, 3), 20.0)
    scores = null_scores(effect, error, p, samples)
    np.testing.assert_allclose(scores.variances[0, :2], 0.4**2 - 0.8**2 / 40)
    deviate = scores.values[0] / np.sqrt(scores.variances[0])
    assert deviate[:2] == pytest.approx([stats.norm.isf(0.01), 0.0])
    assert 30 < deviate[2] < np.inf
    # Fisher's z has an error that does not depend on it.
    assert null_scores(effect, error, p).variances[0, 0] == pytest.approx(0.16)


def test_cohort_without_error_or_p_lacks_the_gene() -> None:
    effect = np.full((1, 3), 0.5)
    error, p = np.array([[0.0, np.inf, 0.2]]), np.array([[0.1, 0.1, np.nan]])
    scores = null_scores(effect, error, p)
    assert np.isinf(scores.variances).all()
    assert not scores.values.any()
