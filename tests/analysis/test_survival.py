"""Time to event: what cannot be tested, and what is said about it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.analysis import (
    CoxTests,
    cox_score_tests,
    kaplan_meier,
    log_rank_test,
    read_events,
    split_by_level,
)
from genotex.errors import AnalysisError, UsageError

N = 40
RNG = np.random.default_rng(5)
EXPRESSION = RNG.normal(8, 1, (N, 6))
TIME = RNG.exponential(10, N)
EVENT = np.tile([1, 0, 1, 1], N // 4)


def with_genes(**genes: np.ndarray) -> CoxTests:
    """Test these genes after the six others."""
    return cox_score_tests(np.column_stack([EXPRESSION, *genes.values()]), TIME, EVENT)


def test_genes_that_cannot_be_tested_are_counted() -> None:
    found = with_genes(constant=np.full(N, 7.3), absent=np.full(N, np.nan))
    assert np.isfinite(found.z[:6]).all()
    assert np.isnan([found.z[6:], found.p[6:], found.log_hazard_ratio[6:]]).all()
    assert found.samples.tolist()[6:] == [N, 0]
    (warning,) = found.warnings
    assert warning.startswith("2 genes not tested: constant")


def test_gene_determined_by_covariates_is_not_tested() -> None:
    covariates = np.column_stack([EXPRESSION[:, 0] * 2 - 1, RNG.normal(size=N)])
    found = cox_score_tests(EXPRESSION, TIME, EVENT, covariates)
    assert np.isnan(found.z).tolist() == [True] + [False] * 5
    assert not found.unbounded.any()


def test_gene_measured_in_too_few_events_is_not_tested() -> None:
    few = EXPRESSION[:, 0].copy()
    few[np.flatnonzero(EVENT)[2:]] = np.nan
    found = with_genes(few=few)
    assert np.isnan(found.z[6])
    assert found.events[6] == 2


def test_gene_that_separates_events_keeps_its_score_test() -> None:
    order = np.argsort(np.argsort(TIME)).astype(float)
    found = with_genes(ordered=order, reversed=-order)
    assert (np.abs(found.z[6:]) > 4).all()
    assert found.z[6] == pytest.approx(-found.z[7])
    assert np.isnan(found.log_hazard_ratio[6:]).all()
    assert found.unbounded.tolist() == [False] * 6 + [True] * 2
    (warning,) = found.warnings
    assert warning.startswith("2 genes without a log hazard ratio")


def test_gene_that_separates_events_together_with_a_covariate() -> None:
    covariate = RNG.normal(size=N)
    together = np.argsort(np.argsort(TIME)) - 10 * covariate
    found = cox_score_tests(np.column_stack([EXPRESSION, together]), TIME, EVENT, covariate)
    assert found.unbounded.tolist() == [False] * 6 + [True]
    assert np.isfinite(found.z).all()


def test_gene_of_a_few_samples_that_all_are_censored_has_no_estimate() -> None:
    rare = np.zeros(N)
    rare[np.flatnonzero((EVENT == 0) & (np.median(TIME) < TIME))[:3]] = 5.0
    found = with_genes(rare=rare)
    assert found.unbounded[6]
    assert found.z[6] < 0


@settings(max_examples=25, deadline=None)
@given(st.floats(0.01, 100), st.floats(-1e3, 1e3), st.floats(0.1, 50))
def test_units_of_expression_and_time_change_only_the_units_of_the_estimate(
    factor: float, offset: float, longer: float
) -> None:
    plain = cox_score_tests(EXPRESSION, TIME, EVENT)
    other = cox_score_tests(EXPRESSION * factor + offset, TIME * longer, EVENT)
    np.testing.assert_allclose(other.z, plain.z, rtol=1e-6)
    np.testing.assert_allclose(other.log_hazard_ratio * factor, plain.log_hazard_ratio, rtol=1e-6)
    np.testing.assert_allclose(other.standard_error * factor, plain.standard_error, rtol=1e-6)


def test_units_of_covariates_do_not_matter() -> None:
    covariates = RNG.normal(size=(N, 2))
    plain = cox_score_tests(EXPRESSION, TIME, EVENT, covariates)
    other = cox_score_tests(EXPRESSION, TIME, EVENT, covariates * [1e4, 1e-4] + [3e6, 0])
    np.testing.assert_allclose(other.z, plain.z, rtol=1e-8)
    np.testing.assert_allclose(other.covariates * [1e4, 1e-4], plain.covariates, rtol=1e-8)


def test_many_strata_of_pairs() -> None:
    pairs = np.repeat(np.arange(N // 2), 2)
    found = cox_score_tests(EXPRESSION, TIME, EVENT, strata=pairs.tolist())
    # A pair whose earlier time is censored says nothing.
    early = np.where(TIME[::2] < TIME[1::2], 0, 1) + np.arange(0, N, 2)
    early = early[EVENT[early] == 1]
    half = (EXPRESSION[early] - EXPRESSION[early ^ 1]) / 2
    np.testing.assert_allclose(found.z, half.sum(axis=0) / np.sqrt((half**2).sum(axis=0)))


def test_single_precision_expression_and_chunks_of_genes() -> None:
    many = np.tile(EXPRESSION, 400).astype(np.float32)
    found = cox_score_tests(many, TIME, EVENT)
    plain = cox_score_tests(EXPRESSION.astype(np.float32), TIME, EVENT)
    np.testing.assert_allclose(found.z, np.tile(plain.z, 400), rtol=1e-10)


def test_hazard_ratio_and_interval() -> None:
    found = cox_score_tests(EXPRESSION, TIME, EVENT)
    lower, upper = found.interval()
    np.testing.assert_allclose(upper - lower, 2 * 1.959963984540054 * found.standard_error)
    np.testing.assert_allclose(np.log(found.hazard_ratio), (lower + upper) / 2)


GROUP = np.repeat([0.0, 1.0], N // 2)
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no events": ({"event": np.zeros(N)}, r"^no event in 40 samples: at least 3 are needed"),
    "two events": ({"event": np.arange(N) < 2}, r"^2 events in 40 samples"),
    "negative": ({"time": TIME - 5}, r"^time is negative in \d+ of 40 samples .*correct them"),
    "no time": ({"time": np.where(np.arange(N) == 3, np.nan, TIME)}, r"first is sample 4\)"),
    "words as time": ({"time": ["soon"] * N}, r"time has values that are not numbers"),
    "coded 1 and 2": ({"event": EVENT + 1}, r"values other than 0 and 1: '2' \(where 1 is"),
    "coded, one missing": (
        {"event": [None, *(EVENT + 1.0).tolist()[1:]]},
        r"values other than 0 and 1: '2.0' \(where 1 is",
    ),
    "unknown word": ({"event": ["dead", "lost"] * 20}, r"other than 0 and 1: 'lost' \(write 1"),
    "missing event": ({"event": ["dead", ""] * 20}, r"^event is missing in 20 of 40 samples"),
    "constant": ({"covariates": np.ones(N)}, r"^covariate 1 is constant: .*leave it out"),
    "constant in strata": (
        {"covariates": GROUP, "strata": GROUP.tolist(), "covariate_names": ["sex"]},
        r"^sex is constant in each stratum",
    ),
    "missing covariate": (
        {"covariates": np.where(np.arange(N) < 7, np.nan, TIME)},
        r"^covariate 1 is missing or not finite in 7 of 40 samples",
    ),
    "dependent": (
        {"covariates": np.column_stack([GROUP, TIME, 1 - GROUP])},
        r"^covariate 3 follows from the covariates before it",
    ),
    "separated": (
        {"covariates": np.column_stack([RNG.normal(size=N), EVENT]), "covariate_names": ["a", "b"]},
        r"^b separates the events: the hazard ratio is not finite",
    ),
    "separated together": (
        {"covariates": np.column_stack([GROUP, EVENT - 2 * GROUP])},
        r"^the covariates together \(covariate 1, covariate 2\) separate the events",
    ),
    "too many": ({"covariates": RNG.normal(size=(N, 31))}, r"^31 covariates for 30 events"),
    "infinite": ({"expression": np.full((N, 2), -np.inf)}, r"^expression has infinite values"),
    "no stratum": ({"strata": ["a", None] * 20}, r"^strata missing in 20 of 40 samples"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_analysed_is_explained(case: str) -> None:
    wrong, message = BAD[case]
    arguments = {"expression": EXPRESSION, "time": TIME, "event": EVENT} | wrong
    with pytest.raises(AnalysisError, match=message):
        cox_score_tests(**arguments)


def test_lengths_that_do_not_agree() -> None:
    with pytest.raises(UsageError, match="time has 39 values, but expression has 40 samples"):
        cox_score_tests(EXPRESSION, TIME[1:], EVENT)
    with pytest.raises(UsageError, match="1 covariate names for 2 columns"):
        cox_score_tests(EXPRESSION, TIME, EVENT, EXPRESSION[:, :2], covariate_names=["age"])
    with pytest.raises(UsageError, match="rows of samples and columns of genes"):
        cox_score_tests(EXPRESSION[0], TIME, EVENT)
    with pytest.raises(UsageError, match="event has 3"):
        kaplan_meier(TIME, [1, 0, 1])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([True, False], [1, 0]),
        ([1.0, np.nan, 0.0], [1, np.nan, 0]),
        (["TRUE", "false", "NA"], [1, 0, np.nan]),
        (["Yes", " no "], [1, 0]),
        (["Dead", "Alive"], [1, 0]),
        (["Deceased", "LIVING", None], [1, 0, np.nan]),
        (["event", "censored"], [1, 0]),
        (["1:DECEASED", "0:LIVING"], [1, 0]),
        (["0:DiseaseFree", "1:Recurred/Progressed"], [0, 1]),
        (["1", "0.0"], [1, 0]),
    ],
)
def test_words_of_events(given: list[Any], expected: list[float]) -> None:
    np.testing.assert_array_equal(read_events(given), expected)


def test_curve_and_words() -> None:
    curve = kaplan_meier([2, 3, 3, 5], ["dead", "dead", "alive", "alive"])
    np.testing.assert_allclose(curve.survival, [0.75, 0.5, 0.5])
    with pytest.raises(AnalysisError, match="no samples"):
        kaplan_meier([], [])


def test_log_rank_test_needs_two_groups_at_risk() -> None:
    with pytest.raises(AnalysisError, match="fewer than two groups"):
        log_rank_test(TIME, EVENT, ["a"] * N)
    with pytest.raises(AnalysisError, match=r"groups missing in 20"):
        log_rank_test(TIME, EVENT, ["a", ""] * 20)


def test_halves_of_a_gene() -> None:
    assert split_by_level([3, 1, np.nan, 4, 2]) == ["high", "low", "", "high", "low"]
    with pytest.raises(AnalysisError, match="no sample is high: too many samples have the same"):
        split_by_level(np.zeros(9))
    with pytest.raises(UsageError, match="halves"):
        split_by_level(TIME, 4)
