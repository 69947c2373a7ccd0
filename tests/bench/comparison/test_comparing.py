"""Differences of runs by hand and by a loop; items that not all runs have are told."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import Difference, PreprocessingScore, Scores, compare_runs
from genotex.bench.comparison.paired import compare_both_ways
from genotex.errors import UsageError
from tests.bench.evaluation.some_scores import problem_score, some_scores


def run(**auroc: float | None) -> Scores:
    """Return scores whose problems have these values of AUROC."""
    items = tuple(problem_score(trait, auroc=value) for trait, value in auroc.items())
    return Scores("p", "r", analysis=items, tasks=("analysis",))


def auroc(first: Scores, second: Scores, **options: int) -> Difference:
    compared = compare_runs({"first": first, "second": second}, **options)
    return compared.differences["second"]["analysis"]["auroc"]


def by_loop(paired: list[float], seed: int, draws: int) -> tuple[float, float, float]:
    """Return interval and p-value of paired differences, one draw after the other."""
    random = np.random.default_rng(seed)
    indices = random.integers(len(paired), size=(draws, len(paired)))
    means = [sum(paired[int(i)] for i in draw) / len(paired) for draw in indices]
    below = sum(mean <= 0 for mean in means)
    above = sum(mean >= 0 for mean in means)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high), min(1.0, 2 * (min(below, above) + 1) / (draws + 1))


def test_difference_is_that_of_the_same_items() -> None:
    found = auroc(run(A=0.5, B=0.6, C=0.9), run(A=0.7, B=0.5, C=0.9))
    assert found.difference == pytest.approx((0.2 - 0.1 + 0.0) / 3)
    assert (found.compared, found.left_out) == (3, 0)


def test_interval_and_p_value_agree_with_a_loop() -> None:
    first = {f"T{i}": 0.5 + 0.01 * i for i in range(12)}
    second = {trait: value + 0.05 * math.sin(i) for i, (trait, value) in enumerate(first.items())}
    found = auroc(run(**first), run(**second), seed=7, draws=200)
    low, high, p = by_loop([0.05 * math.sin(i) for i in range(12)], 7, 200)
    assert found.interval == pytest.approx((low, high), abs=1e-12)
    assert found.p == pytest.approx(p, abs=1e-12)


def test_run_that_is_always_better_has_the_smallest_p_value() -> None:
    better = auroc(run(A=0.5, B=0.6, C=0.7), run(A=0.6, B=0.8, C=0.9), draws=999)
    assert better.p == pytest.approx(2 / 1000)
    assert better.interval is not None and better.interval[0] > 0


def test_run_against_its_equal_differs_by_nothing() -> None:
    found = auroc(run(A=0.5, B=0.6), run(A=0.5, B=0.6))
    assert found == Difference(0.0, (0.0, 0.0), 1.0, 2, 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=8))
def test_change_of_sides_changes_the_sign(values: list[tuple[float, float]]) -> None:
    one = run(**{f"T{i}": a for i, (a, _) in enumerate(values)})
    other = run(**{f"T{i}": b for i, (_, b) in enumerate(values)})
    there, back = auroc(one, other, draws=30), auroc(other, one, draws=30)
    assert there.difference is not None and back.difference is not None
    assert there.difference == -back.difference
    assert there.p == back.p


def test_items_of_one_run_alone_are_left_out_and_counted() -> None:
    compared = compare_runs({"a": run(A=0.5, B=0.6, C=0.7), "b": run(B=0.7, C=0.7, D=0.1)})
    found = compared.differences["b"]["analysis"]["auroc"]
    assert found.difference == pytest.approx(0.05)
    assert (found.compared, found.left_out) == (2, 2)
    assert compared.notes == (
        "analysis: 2 of 4 problems were not scored in every run and are left out of differences, "
        "but not of a run's own averages",
    )


def test_value_that_is_undefined_on_one_side_is_left_out_and_counted() -> None:
    found = auroc(run(A=0.5, B=None, C=None), run(A=0.7, B=0.9, C=None))
    assert found.difference == pytest.approx(0.2)
    assert (found.interval, found.p, found.compared, found.left_out) == (None, None, 1, 1)


def test_nothing_in_common_gives_no_difference() -> None:
    assert auroc(run(A=0.5), run(B=0.7)) == Difference(None, None, None, 0, 2)


def test_order_of_the_items_does_not_matter() -> None:
    first, second = run(A=0.5, B=0.6, C=0.9), run(C=0.7, A=0.4, B=0.9)
    again = replace(second, analysis=second.analysis[::-1])
    assert auroc(first, second) == auroc(first, again)


def test_baseline_may_be_any_run_and_has_no_difference_of_its_own() -> None:
    named = {"a": run(A=0.5), "b": run(A=0.7), "c": run(A=0.4)}
    compared = compare_runs(named, "b")
    assert set(compared.differences) == {"a", "c"}
    found = compared.differences["c"]["analysis"]["auroc"]
    assert found.difference == pytest.approx(-0.3)


def test_unknown_baseline_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UsageError, match="'c'; known: a, b"):
        compare_runs({"a": run(A=0.5), "b": run(A=0.7)}, "c")


def test_runs_of_other_metrics_cannot_be_compared() -> None:
    legacy = some_scores(settings={"metrics": "legacy"})
    default = some_scores(settings={"metrics": "default"})
    with pytest.raises(UsageError, match="differ in metrics"):
        compare_runs({"a": default, "b": legacy})


def test_other_reference_is_told() -> None:
    compared = compare_runs({"a": some_scores(), "b": some_scores(reference="another")})
    assert compared.notes == ("the runs differ in reference: a theirs, b another",)


def test_mean_of_runs_is_the_average_of_their_averages() -> None:
    compared = compare_runs({"a": run(A=0.5, B=0.7), "b": run(A=0.8, B=0.9), "c": run(A=0.2, B=1)})
    mean = compared.mean["analysis"]["auroc"]
    assert mean.average == pytest.approx((0.6 + 0.85 + 0.6) / 3)
    assert (mean.scored, mean.undefined) == (2, 0)
    # A: (0.5 + 0.8 + 0.2) / 3 = 0.5, B: (0.7 + 0.9 + 1) / 3 = 0.8667: draws lie between them.
    assert mean.interval == pytest.approx((0.5, 2.6 / 3))


def test_mean_needs_every_run() -> None:
    only_filtering = some_scores(selection=(), analysis=(), preprocessing={}, tasks=())
    compared = compare_runs({"a": some_scores(), "b": only_filtering})
    assert set(compared.mean) == {"filtering"}
    assert "analysis: not scored for b" in compared.notes


def test_one_run_has_neither_mean_nor_difference() -> None:
    compared = compare_runs({"a": run(A=0.5)})
    assert (compared.mean, compared.differences) == ({}, {})


def of_tables(*items: tuple[str, float]) -> Scores:
    tables = tuple(PreprocessingScore("T", cohort, v, v, v, v) for cohort, v in items)
    return Scores("p", "r", preprocessing={"linked": tables}, tasks=("preprocessing",))


def test_two_names_of_the_tcga_cohort_are_one_cohort() -> None:
    compared = compare_runs({"a": of_tables(("Xena", 0.25)), "b": of_tables(("TCGA", 0.75))})
    assert compared.differences["b"]["linked"]["csc"].difference == 0.5
    assert compared.notes == ()


def test_folder_with_both_names_keeps_them_apart() -> None:
    both = of_tables(("Xena", 0.25), ("TCGA", 0.5))
    found = compare_runs({"a": both, "b": both}).differences["b"]["linked"]["csc"]
    assert (found.compared, found.left_out) == (2, 0)


def test_agreement_has_both_directions_and_their_mean() -> None:
    forward, backward = run(A=0.5, B=0.7), run(A=0.9, B=0.7, C=0.5)
    found = compare_both_ways(("x", "y"), forward, backward)
    assert [r.name for r in found.runs] == ["x against y", "y against x"]
    assert found.mean["analysis"]["auroc"].average == pytest.approx((0.6 + 0.7) / 2)
    assert found.differences == {}
    assert found.notes[0].startswith("analysis: 1 of 3 problems are on one side only")
