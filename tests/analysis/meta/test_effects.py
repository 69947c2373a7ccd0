"""Combined effects and replication."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from genotex.analysis import (
    combine_effects,
    combine_genes,
    partial_conjunction,
    replication_q,
    stouffer,
)
from genotex.errors import AnalysisError
from tests.analysis.meta.test_against_metafor import GOLDEN, matrix, read

NAN = np.nan


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def test_gene_that_no_cohort_has() -> None:
    found = combine_effects(column(NAN, NAN), column(1, NAN))
    assert found.cohorts.tolist() == [0]
    assert np.isnan([found.effect[0], found.p[0], found.i2[0], found.tau2[0]]).all()


def test_gene_of_one_cohort_stays_as_it_is() -> None:
    found = combine_effects(column(NAN, 0.7), column(NAN, 0.2))
    assert (found.effect[0], found.error[0]) == pytest.approx((0.7, 0.2))
    assert np.isnan([found.heterogeneity[0], found.i2[0], found.strict_p[0]]).all()


@pytest.mark.parametrize("error", [0.0, -1.0, np.inf])
def test_error_that_is_none_leaves_the_cohort_out(error: float) -> None:
    found = combine_effects(column(0.7, 5.0), column(0.2, error))
    assert found.cohorts[0] == 1
    assert found.effect[0] == pytest.approx(0.7)


def test_cohorts_that_agree_exactly_have_no_spread() -> None:
    found = combine_effects(column(0.5, 0.5, 0.5), column(0.3, 0.2, 0.1))
    assert (found.i2[0], found.tau2[0]) == (0.0, 0.0)
    assert found.effect[0] == found.fixed[0] == pytest.approx(0.5)
    assert found.error[0] == pytest.approx(found.fixed_error[0])
    assert found.agreeing[0] == 3
    assert not found.flips[0]


def test_effect_of_zero_agrees_with_nothing() -> None:
    found = combine_effects(column(0.0, 0.0), column(0.3, 0.2))
    assert found.agreeing[0] == 0
    assert found.p[0] == 1.0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_variance_between_cohorts_solves_its_equation_on_any_scale(scale: float) -> None:
    effects, errors = column(-3.0, 0.2, 9.0, 1.0) * scale, column(0.1, 0.001, 0.5, 2.0) * scale
    tau2 = combine_effects(effects, errors).tau2[0]
    weights = 1 / (errors**2 + tau2)
    mean = (weights * effects).sum() / weights.sum()
    assert (weights * (effects - mean) ** 2).sum() == pytest.approx(3, rel=1e-9)


def test_one_cohort_that_carries_everything() -> None:
    found = combine_effects(column(6.0, -0.1, -0.1), column(0.5, 0.5, 0.5))
    assert found.fixed_p[0] < 1e-6
    assert found.p[0] > 0.3
    assert found.largest_p[0] > 0.5
    assert found.flips[0]


def test_one_precise_cohort_against_three_others() -> None:
    """Effect, interval, direction and ranking are all of the random effects."""
    found = combine_effects(column(0.3, -0.5, -0.5, -0.5), column(0.02, 0.1, 0.1, 0.1))
    assert found.fixed[0] > 0 > found.effect[0]
    assert found.z[0] == pytest.approx(found.effect[0] / found.error[0])
    assert found.lower[0] < found.effect[0] < found.upper[0]
    assert found.upper[0] - found.lower[0] > found.fixed_upper[0] - found.fixed_lower[0]
    assert found.agreeing[0] == 3


def test_cohort_left_out_is_judged_as_the_ranking_would() -> None:
    """Each three of these four differ among themselves, which the fixed effect does not see."""
    effects, errors = column(0.9, 0.1, 0.3, 0.2), column(0.1, 0.1, 0.1, 0.1)
    without = [
        combine_effects(np.delete(effects, i, axis=0), np.delete(errors, i, axis=0))
        for i in range(4)
    ]
    largest = combine_effects(effects, errors).largest_p[0]
    assert largest == max(found.p[0] for found in without) > 0.1
    assert max(found.fixed_p[0] for found in without) < 0.001


def test_effects_and_errors_of_different_shapes() -> None:
    with pytest.raises(AnalysisError, match=r"\(2, 3\) and errors \(3, 2\)"):
        combine_effects(np.zeros((2, 3)), np.ones((3, 2)))


def cohort_table(**effects: float | tuple[float, float]) -> pl.DataFrame:
    """One cohort's genes: effect, or effect and error; the p-value is the normal one."""
    pairs = {g: e if isinstance(e, tuple) else (e, 0.2) for g, e in effects.items()}
    effect, error = (np.array([pair[i] for pair in pairs.values()]) for i in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stats.norm.sf(np.abs(effect / error))
    columns = {
        "Standardised Effect": effect, "Standardised Error": error, "Coefficient": effect, "p": p,
        "q": p, "Samples": np.full(len(pairs), 30),
    }  # fmt: skip
    return pl.DataFrame({"Variable": list(pairs), **columns})


def test_agreement_is_a_share_and_nominal_counts_cohorts_of_the_common_sign() -> None:
    tables = {
        "A": cohort_table(UP=0.8, ODD=0.9, TWO=0.1),
        "B": cohort_table(UP=0.7, ODD=0.8, TWO=0.9),
        "C": cohort_table(UP=0.1, ODD=-0.6),
    }
    genes = combine_genes(tables, binary=True, q_cut=0.05).genes
    found = {row["Variable"]: row for row in genes.iter_rows(named=True)}
    counts = ("Cohorts", "Samples", "Agreeing", "Agreement", "Nominal")
    assert [found["UP"][name] for name in counts] == [3, 90, 3, 1, 2]
    assert [found["ODD"][name] for name in counts] == [3, 90, 2, pytest.approx(2 / 3), 2]
    assert [found["TWO"][name] for name in counts] == [2, 60, 2, 1, 1]
    assert genes["Combined r"].null_count() == genes["r CI Lower"].null_count() == 3


def test_first_of_two_lines_counts_and_a_gene_without_effect_or_error_does_not() -> None:
    none = {"FLAT": (0.5, 0.0), "LOST": (np.nan, 0.2), "ONE": (0.5, 0.2)}
    twice = pl.concat([cohort_table(TWICE=0.4), cohort_table(TWICE=-0.9), cohort_table(**none)])
    other = cohort_table(TWICE=0.4, FLAT=0.5, LOST=0.5)
    combined = combine_genes({"A": twice, "B": other}, binary=True, q_cut=0.05)
    assert combined.genes["Variable"].to_list() == ["TWICE"]
    assert combined.genes["Combined Effect"].item() == pytest.approx(0.4)
    assert combined.effects["A Effect"].item() == 0.4
    assert combined.alone == 3


def test_correlations_are_combined_as_fishers_z_and_given_as_r() -> None:
    tables = {name: cohort_table(UP=(0.6, 0.1)) for name in "AB"}
    genes = combine_genes(tables, binary=False, q_cut=0.05).genes
    assert genes["Combined Effect"].item() == pytest.approx(np.arctanh(0.6))
    assert genes["Combined Error"].item() == pytest.approx(0.1 / (1 - 0.36) / np.sqrt(2))
    assert genes["Combined r"].item() == pytest.approx(0.6)
    assert genes["r CI Lower"].item() == pytest.approx(np.tanh(genes["CI Lower"].item()))


def test_stouffer_with_p_values_of_zero_one_and_none() -> None:
    p = np.array([[0.0, 1.0, NAN], [0.0, 1.0, NAN]])
    combined = stouffer(p, np.ones_like(p), np.ones_like(p))
    assert combined[0] < 1e-300
    assert combined[1] == 1.0
    assert np.isnan(combined[2])


UP = np.ones(1)


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
