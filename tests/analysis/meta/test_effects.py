"""Combining effects where there is little, nothing or too much to combine."""

import numpy as np
import pytest

from genotex.analysis.meta import combine_effects, stouffer
from genotex.errors import AnalysisError

NAN = np.nan


def column(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


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


def test_stouffer_with_p_values_of_zero_one_and_none() -> None:
    p = np.array([[0.0, 1.0, NAN], [0.0, 1.0, NAN]])
    combined = stouffer(p, np.ones_like(p), np.ones_like(p))
    assert combined[0] < 1e-300
    assert combined[1] == 1.0
    assert np.isnan(combined[2])
