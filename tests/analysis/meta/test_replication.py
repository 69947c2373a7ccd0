"""Partial conjunction tests: which genes at least two cohorts have."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from genotex.analysis.meta import partial_conjunction, replication_q, stouffer
from genotex.analysis.meta.gene_table import combine_genes
from tests.analysis.meta.test_against_metafor import GOLDEN, matrix, read

UP = np.ones(1)


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def test_of_two_cohorts_the_larger_p_counts() -> None:
    p = partial_conjunction(column(1e-12, 0.04), column(1, 1), UP)
    assert p[0] == pytest.approx(0.04)


def test_of_two_cohorts_that_disagree_nothing_replicates() -> None:
    assert partial_conjunction(column(1e-12, 0.04), column(1, -1), UP)[0] == 1.0


def test_strongest_cohort_is_left_out() -> None:
    """2 of 3: Stouffer's method on the two others, the one against the direction included."""
    z = (stats.norm.isf(0.01 / 2) - stats.norm.isf(0.3 / 2)) / np.sqrt(2)
    p = partial_conjunction(column(1e-9, 0.3, 0.01), column(1, -1, 1), UP)
    assert p[0] == pytest.approx(2 * stats.norm.sf(z))


def test_one_cohort_required_is_stouffers_test_of_all() -> None:
    """Golden p-values of R, where the direction is that of the combined deviate."""
    golden = read("stouffer_r.csv")
    p, side = matrix(golden, "p"), matrix(golden, "side")
    equal = stouffer(p, side, np.ones_like(p))
    direction = np.sign((side * stats.norm.isf(p / 2)).sum(axis=0))
    np.testing.assert_allclose(partial_conjunction(p, side, direction, 1), equal, rtol=1e-12)
    assert GOLDEN.is_dir()


def test_cohort_that_lacks_the_gene_does_not_count() -> None:
    with_gap = partial_conjunction(column(0.01, np.nan, 0.2, 0.03), column(1, 1, 1, 1), UP)
    assert with_gap == partial_conjunction(column(0.01, 0.2, 0.03), column(1, 1, 1), UP)
    assert np.isnan(partial_conjunction(column(0.01, np.nan), column(1, 1), UP)[0])


def test_p_values_of_zero_and_one() -> None:
    p = partial_conjunction(
        np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]), np.ones((3, 2)), np.ones(2)
    )
    assert p[0] < 1e-300
    assert p[1] == 1.0


@pytest.mark.parametrize("others", [1, 2, 4])
def test_gene_changed_in_one_cohort_alone_has_even_p_values(others: int) -> None:
    """In a direction that is given, p is doubled, so half as many are small as p implies."""
    rng = np.random.default_rng(others)
    z = rng.normal(size=(1 + others, 20_000))
    z[0] = 20
    p = partial_conjunction(2 * stats.norm.sf(np.abs(z)), np.sign(z), np.ones(z.shape[1]))
    for level in (0.01, 0.1):
        assert (p < level).mean() == pytest.approx(level / 2, rel=0.2)


def test_replication_is_tested_among_significant_genes_only() -> None:
    q = replication_q(np.array([0.03, 0.001, 0.02, 0.5]), np.array([True, False, True, True]))
    assert q[[0, 2, 3]] == pytest.approx([0.045, 0.045, 0.5])
    assert np.isnan(q[1])


def gene_tables(sizes: tuple[int, ...], sd: float, seed: int) -> dict[str, pl.DataFrame]:
    """Cohorts of two equal groups; genes without a common effect, first 20 with one."""
    rng = np.random.default_rng(seed)
    common = np.where(np.arange(3000) < 20, 1.5, 0.0)
    tables = {}
    for number, samples in enumerate(sizes):
        error = 2 / np.sqrt(samples)
        effect = common + rng.normal(size=3000) * np.hypot(sd, error)
        tables[f"GSE{number}"] = pl.DataFrame(
            {
                "Variable": [f"GENE{j}" for j in range(3000)],
                "Standardised Effect": effect,
                "Standardised Error": np.sqrt(error**2 + effect**2 / (2 * samples)),
                "Coefficient": effect,
                "p": 2 * stats.norm.sf(np.abs(effect) / error),
                "q": 0.5,
                "Samples": float(samples),
            }
        )
    return tables


@pytest.mark.parametrize("sizes", [(40, 40, 40), (40,) * 5, (12, 30, 120)])
def test_effects_that_scatter_around_zero_do_not_replicate(sizes: tuple[int, ...]) -> None:
    """The random-effects p with a normal reference calls some of them at q < 0.05."""
    false, found = 0, 0
    for seed in range(4):
        combined = combine_genes(gene_tables(sizes, 0.3, seed), binary=True, q_cut=0.05)
        hits = set(combined.genes.filter("Replicates")["Variable"])
        planted = {f"GENE{j}" for j in range(20)}
        false += len(hits - planted)
        found += len(hits & planted)
        assert combined.heterogeneity.sd == pytest.approx(0.3, abs=0.05)
        genes = combined.genes
        assert genes["p"].is_sorted()
        assert (genes["Replication p"] >= genes["p"]).all()
        assert genes["Replication q"].is_not_null().to_list() == genes["Significant"].to_list()
    assert false <= 0.1 * found
    assert found > 20
