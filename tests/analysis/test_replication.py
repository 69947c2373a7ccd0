"""The chance that an independent cohort shows a gene again, and the order that follows from it."""

import numpy as np
import pytest

from genotex.analysis import (
    TERMS,
    AnalysisResult,
    analyze_table,
    effective_size,
    pooled_terms,
    replication_chance,
    replication_terms,
    samples_to_settle,
)
from genotex.arrays import Floats
from genotex.errors import UsageError
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked, two_groups

CHANGE, ERROR = np.array([3.0, 1.0, 0.1, -3.0]), np.array([0.5, 0.5, 0.5, 0.5])
MEAN, P = np.array([9.0, 9.0, 9.0, 9.0]), np.array([1e-6, 0.04, 0.8, 1e-6])


def terms(
    change: Floats = CHANGE, mean: Floats = MEAN, size: float = 5.0, ahead: float = 5.0
) -> dict[str, Floats]:
    return replication_terms(change, ERROR, mean, P, size=size, ahead=ahead)


def test_terms_follow_their_definitions() -> None:
    assert set(terms()) == set(TERMS)
    found = terms(mean=np.array([4.0, 6.0, np.nan, 8.0]), size=10.0, ahead=20.0)
    # Effects over the error and the median error; ranks of mean expression; logarithms of sizes
    # relative to 5; share of p below 0.05 relative to 0.05.
    np.testing.assert_allclose(found["effect"], [3.0, 1.0, 0.1, 3.0])
    np.testing.assert_allclose(found["log effect"], np.log([3.1, 1.1, 0.2, 3.1]))
    np.testing.assert_allclose(found["expression"], [1 / 3, 2 / 3, 0.5, 1.0])
    np.testing.assert_allclose(found["size"], np.log(2))
    np.testing.assert_allclose(found["size ahead"], np.log(4))
    np.testing.assert_allclose(found["signal"], np.log(0.75 / 0.05))
    np.testing.assert_allclose(found["effect x size ahead"], found["effect"] * np.log(4))


def test_larger_effects_better_expressed_genes_and_larger_cohorts_have_a_better_chance() -> None:
    large, middle, small, opposite = replication_chance(terms())
    assert 1 > large > middle > small > 0 and opposite == large
    low, high = replication_chance(terms(change=np.ones(4), mean=np.array([5.0, 9.0, 6.0, 7.0])))[
        :2
    ]
    assert high > low
    assert (replication_chance(terms(ahead=50.0)) > replication_chance(terms())).all()
    one, other = replication_chance(terms(ahead=250.0)), replication_chance(terms(ahead=2500.0))
    np.testing.assert_array_equal(one, other)


def pooled(effects: list[list[float]], sizes: list[float], ahead: float = 5.0) -> dict[str, Floats]:
    values = np.array(effects)
    ranks = np.where(np.isfinite(values), np.linspace(0.25, 1, len(values))[:, None], np.nan)
    return pooled_terms(values, ranks, np.arange(len(sizes)) * 1.0, np.array(sizes), ahead=ahead)


def test_one_cohort_alone_has_the_terms_that_it_has_in_the_pool() -> None:
    alone = terms(mean=np.array([4.0, 6.0, 7.0, 8.0]), size=10.0, ahead=20.0)
    together = pooled_terms(
        alone["effect"][None], alone["expression"][None], alone["signal"][:1], np.array([10.0]),
        ahead=20.0,
    )  # fmt: skip
    assert set(together) == set(TERMS)
    for name in TERMS:
        np.testing.assert_allclose(together[name], alone[name], err_msg=name)


def test_cohorts_together_are_one_of_their_samples_with_their_effect() -> None:
    # Of equal cohorts, effects over errors add up and errors fall by the root of their number.
    found = pooled([[2.0, 2.0, 2.0], [2.0, -2.0, np.nan]], [5.0, 5.0])
    np.testing.assert_allclose(found["effect"], [2 * np.sqrt(2), 0.0, 2.0])
    np.testing.assert_allclose(found["size"], np.log([2.0, 2.0, 1.0]))
    np.testing.assert_allclose(found["expression"], [0.625, 0.625, 0.25])
    np.testing.assert_allclose(found["signal"], [0.5, 0.5, 0.0])
    both, one, neither = replication_chance(found)[[0, 2, 1]]
    assert both > one > neither


def test_the_larger_cohort_weighs_more() -> None:
    found = pooled([[3.0], [1.0]], [20.0, 5.0], ahead=50.0)
    np.testing.assert_allclose(found["effect"], (2 * 3 + 1) / np.sqrt(5))
    np.testing.assert_allclose(found["expression"], 0.8 * 0.25 + 0.2)
    np.testing.assert_allclose(found["size ahead"], np.log(10))


def test_effects_against_the_direction_of_the_whole_leave_no_chance_of_it() -> None:
    assert pooled([[-3.0], [1.0]], [5.0, 5.0])["effect"].tolist() == [0.0]


def test_means_of_centred_genes_tell_no_expression() -> None:
    random = np.random.default_rng(1)
    for mean in (random.normal(0, 1e-9, 4), random.normal(0, 0.05, 4)):
        assert (terms(mean=mean)["expression"] == 0.5).all()
    assert set(terms(mean=np.array([5.0, 7.0, 9.0, 11.0]))["expression"]) == {0.25, 0.5, 0.75, 1.0}


def test_a_cohort_of_the_samples_that_settle_has_a_chance_of_80_percent() -> None:
    samples = samples_to_settle(terms())
    for gene, number in enumerate(samples):
        if np.isnan(number):
            assert replication_chance(terms(ahead=250.0))[gene] < 0.8
        else:
            assert number % 2 == 0
            at, before = (
                replication_chance(terms(ahead=effective_size(int(n))))[gene]
                for n in (number, number - 2)
            )
            assert before < 0.8 <= at
    assert np.isfinite(samples[0]) and np.isnan(samples[2])


@pytest.mark.parametrize(
    ("samples", "smaller", "size"), [(20, 10, 5.0), (20, None, 5.0), (25, 5, 4.0)]
)
def test_size_of_two_groups(samples: int, smaller: int | None, size: float) -> None:
    assert effective_size(samples, smaller) == size


def solve(**options: object) -> AnalysisResult:
    table = two_groups(samples=40, genes=300, changed=60, shift=1.2, seed=3)
    asked = AnalysisOptions(panel=False, **options)  # type: ignore[arg-type]
    return analyze_table(table, {}, Problem("Asthma"), asked)


def test_significant_genes_are_in_the_order_of_the_chance_and_the_rest_by_p() -> None:
    found, by_p = solve(), solve(rank_by="p")
    first = found.significant
    assert first.height > 20
    assert first["Replication"].is_sorted(descending=True) and not first["p"].is_sorted()
    assert found.genes[first.height :]["p"].drop_nulls().is_sorted()
    assert by_p.genes["p"].drop_nulls().is_sorted()
    assert found.genes.sort("Variable").equals(by_p.genes.sort("Variable"))


def test_the_size_of_the_next_cohort_is_that_of_this_one_or_the_one_that_is_named() -> None:
    same, as_named, larger = (
        solve(rank_by="p", **asked).genes
        for asked in ({}, {"next_cohort": 40}, {"next_cohort": 200})
    )
    assert as_named.equals(same)
    assert (larger["Replication"] > same["Replication"]).all()
    np.testing.assert_allclose(larger["Samples to Settle"], same["Samples to Settle"], atol=2)
    with pytest.raises(UsageError, match="next_cohort 3 has too few samples; use 4 or more"):
        AnalysisOptions(next_cohort=3)


def test_several_levels_without_direction_have_no_chance() -> None:
    rng = np.random.default_rng(2)
    table = linked(np.arange(45) % 3, rng.normal(8, 1, (45, 200)))
    asked = AnalysisOptions(panel=False, levels="factor", hidden="none")
    assert (
        analyze_table(table, {}, Problem("Asthma"), asked).genes["Replication"].null_count() == 200
    )
