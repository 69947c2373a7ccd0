"""Surrogate variables as in R sva, and permutations within rows."""

from collections import Counter
from collections.abc import Iterator
from math import factorial

import numpy as np
import pytest
from scipy.stats import chisquare
from threadpoolctl import threadpool_limits

from genotex.analysis import (
    benjamini_hochberg,
    find_surrogates,
    fit_last_column,
    moderate,
    permute_rows,
    surrogate_number,
)
from genotex.analysis.hidden.surrogate import ROWS_AT_ONCE
from genotex.errors import AnalysisError
from tests.analysis.hidden_cohorts import half_confounded_batch, noise, two_group_design, with_batch


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As in an analysis; the threads of small matrices only wait for one another."""
    with threadpool_limits(limits=1):
        yield


def findings(design: np.ndarray, expression: np.ndarray) -> int:
    p = moderate(fit_last_column(design, expression)).p
    return int((benjamini_hochberg(p) < 0.05).sum())


def test_independent_noise_gives_none() -> None:
    """A component may pass the test by chance, but no genes go with it."""
    for seed in range(20):
        found = find_surrogates(noise(40, 600, seed), two_group_design(40), seed=seed)
        assert found.columns.shape == (40, 0)
        assert not found.limited


def test_number_is_none_for_most_noise() -> None:
    """Level 0.1 with 20 permutations: 3 of 21 ranks count, 1 in 7 by chance."""
    numbers = [
        surrogate_number(noise(40, 600, seed), two_group_design(40), seed=seed).number
        for seed in range(60)
    ]
    assert np.mean(np.array(numbers) > 0) < 0.3


def test_planted_batch_is_found_and_takes_the_false_findings_away() -> None:
    design, batch = two_group_design(60), half_confounded_batch(60)
    plain, adjusted = [], []
    for seed in range(10):
        expression = with_batch(60, 1000, seed)
        found = find_surrogates(expression, design, seed=seed)
        assert found.estimated >= 1
        assert abs(np.corrcoef(found.columns[:, 0], batch)[0, 1]) > 0.9
        plain.append(findings(design, expression))
        wide = np.column_stack([design[:, :1], found.columns, design[:, 1:]])
        adjusted.append(findings(wide, expression))
    assert min(plain) > 20
    assert np.mean(np.array(adjusted) > 0) <= 0.2


def test_trait_is_protected_when_it_is_all_the_structure() -> None:
    """Genes that go with the trait only make no surrogate variable."""
    expression = noise(60, 1000, 3)
    expression[30:, :300] += 1.0
    assert find_surrogates(expression, two_group_design(60), seed=0).columns.shape[1] == 0


def test_columns_have_norm_one_mean_zero_and_a_fixed_sign() -> None:
    expression = with_batch(60, 1000, 5)
    found = find_surrogates(expression, two_group_design(60), seed=1)
    columns = found.columns
    np.testing.assert_allclose(np.linalg.norm(columns, axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(columns.sum(axis=0), 0.0, atol=1e-12)
    assert (columns[np.abs(columns).argmax(axis=0), np.arange(columns.shape[1])] > 0).all()
    turned = find_surrogates(-expression, two_group_design(60), seed=1).columns
    np.testing.assert_allclose(turned, columns, atol=1e-10)


def test_same_seed_same_answer() -> None:
    expression, design = with_batch(30, 300, 6), two_group_design(30)
    first, second = (find_surrogates(expression, design, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first.columns, second.columns)
    np.testing.assert_array_equal(first.p, second.p)


def test_answer_does_not_change_with_the_scale() -> None:
    expression, design = with_batch(30, 300, 6), two_group_design(30)
    plain = find_surrogates(expression, design, seed=7)
    for scale in (1e-30, 1e30, 1e60):
        scaled = find_surrogates(expression * scale, design, seed=7)
        np.testing.assert_allclose(scaled.columns, plain.columns, atol=1e-9)
        np.testing.assert_array_equal(scaled.p, plain.p)


def test_p_values_rise_and_shares_add_up_to_one() -> None:
    found = surrogate_number(with_batch(40, 300, 8), two_group_design(40), seed=0)
    assert (np.diff(found.p) >= 0).all()
    assert found.share.sum() == pytest.approx(1.0)
    assert len(found.p) == 38


def test_permutations_stop_only_when_the_answer_is_none() -> None:
    stopped = [
        surrogate_number(noise(40, 400, seed), two_group_design(40), seed=seed)
        for seed in range(10)
    ]
    early = [found for found in stopped if found.permutations < 20]
    assert early
    assert all(found.number == 0 for found in early)
    whole = surrogate_number(with_batch(40, 400, 0), two_group_design(40), seed=0)
    assert (whole.number, whole.permutations) == (1, 20)


@pytest.mark.parametrize(("samples", "room"), [(12, 0), (13, 1), (14, 2), (40, 3)])
def test_ten_residual_degrees_of_freedom_are_left(samples: int, room: int) -> None:
    rng = np.random.default_rng(9)
    design = two_group_design(samples)
    three = np.linalg.qr(np.column_stack([design, rng.normal(size=(samples, 3))]))[0][:, 2:]
    expression = noise(samples, 800, 9) + samples**0.5 * three @ rng.normal(size=(3, 800))
    found = find_surrogates(expression, design, seed=0)
    assert found.estimated == 3
    assert found.columns.shape == (samples, room)
    assert found.limited == (room < 3)
    note = f"{room} of 3 are used, so that 10 residual degrees of freedom are left"
    assert found.notes == ((note,) if room < 3 else ())
    assert len(found.share) == room


def test_component_of_few_genes_between_two_of_many_is_passed_over() -> None:
    """Each surrogate variable represents its own component (R sva takes the one passed over)."""
    rng = np.random.default_rng(5)
    design = two_group_design(40)
    factors = 40**0.5 * np.linalg.qr(np.column_stack([design, rng.normal(size=(40, 3))]))[0][:, 2:]
    loadings = np.zeros((3, 600))
    loadings[0, :200] = rng.normal(0, 1.5, 200)
    loadings[1, 200:215] = 4.0
    loadings[2, 215:] = rng.normal(0, 0.5, 385)
    found = find_surrogates(8 + rng.normal(0, 0.3, (40, 600)) + factors @ loadings, design, seed=0)
    assert found.estimated == 3
    assert found.notes == (
        "component 2 yields no surrogate variable: 15 genes are associated with it, 40 are needed",
    )
    assert (np.abs(factors.T @ found.columns / 40**0.5).argmax(axis=0) == [0, 2]).all()


def test_columns_are_independent_of_the_design_and_of_one_another() -> None:
    rng = np.random.default_rng(10)
    expression = noise(50, 900, 10)
    for _ in range(3):
        expression += np.outer(rng.normal(size=50), rng.normal(0, 0.6, 900))
    design = np.column_stack([np.ones(50), rng.normal(size=50), two_group_design(50)[:, 1]])
    found = find_surrogates(expression, design, seed=0)
    wide = np.column_stack([design, found.columns])
    assert np.linalg.matrix_rank(wide) == wide.shape[1] == 6


@pytest.mark.parametrize(
    ("samples", "genes"), [(6, 500), (6, 1), (20, 0), (40, 1), (40, 2), (30, 10)]
)
def test_few_samples_or_genes_give_none(samples: int, genes: int) -> None:
    found = find_surrogates(noise(samples, genes, 0), two_group_design(samples), seed=0)
    assert found.columns.shape == (samples, 0)


@pytest.mark.parametrize("level", [0.0, 7.3, 1e12])
def test_constant_genes_give_none(level: float) -> None:
    found = find_surrogates(np.full((30, 200), level), two_group_design(30), seed=0)
    assert (found.estimated, found.columns.shape[1]) == (0, 0)


def test_constant_and_duplicate_genes_among_others_change_nothing() -> None:
    expression, design = with_batch(30, 400, 11), two_group_design(30)
    plain = find_surrogates(expression, design, seed=0)
    more = np.column_stack([expression, np.full((30, 100), 5.1), np.zeros((30, 50))])
    np.testing.assert_allclose(
        find_surrogates(more, design, seed=0).columns, plain.columns, atol=1e-9
    )
    twice = find_surrogates(np.column_stack([expression, expression]), design, seed=0)
    assert twice.columns.shape[1] >= 1


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_missing_or_infinite_values_are_an_error(wrong: float) -> None:
    expression = noise(20, 200, 12)
    expression[3, 4] = wrong
    with pytest.raises(AnalysisError, match="without missing or infinite values"):
        find_surrogates(expression, two_group_design(20), seed=0)


def permuted(rows: int, columns: int, seed: int) -> np.ndarray:
    values = np.tile(np.arange(columns, dtype=np.float32), (rows, 1))
    permute_rows(values, np.random.default_rng(seed))
    return values


@pytest.mark.parametrize("columns", [1, 2, 3, 24, 129, 300])
def test_every_row_keeps_its_values(columns: int) -> None:
    values = permuted(2500, columns, 0)
    np.testing.assert_array_equal(np.sort(values, axis=1)[0], np.arange(columns))
    assert (np.sort(values, axis=1) == np.arange(columns)).all()


def test_all_orders_are_equally_frequent() -> None:
    counts = Counter(map(tuple, permuted(48_000, 4, 1).tolist()))
    assert len(counts) == factorial(4)
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_every_value_comes_to_every_place_equally_often() -> None:
    values = permuted(20_000, 30, 2).astype(int)
    counts = np.array([np.bincount(values[:, place], minlength=30) for place in range(30)])
    assert chisquare(counts.ravel()).pvalue > 0.001


def test_rows_with_equal_keys_are_permuted_by_the_generator() -> None:
    """With 5,000 columns 19 bits are left for the key: nearly every row has equal ones."""
    values = permuted(40, 5000, 3)
    assert (np.sort(values, axis=1) == np.arange(5000)).all()
    assert abs(np.corrcoef(values.ravel(), np.tile(np.arange(5000), 40))[0, 1]) < 0.01


def test_same_seed_same_order_and_another_seed_another() -> None:
    np.testing.assert_array_equal(permuted(3000, 20, 4), permuted(3000, 20, 4))
    assert (permuted(3000, 20, 4) != permuted(3000, 20, 5)).any()


def test_rows_beyond_one_block_are_permuted_too() -> None:
    values = permuted(2 * ROWS_AT_ONCE + 7, 20, 6)
    unmoved = (values == np.arange(20)).all(axis=1)
    assert not unmoved.any()
