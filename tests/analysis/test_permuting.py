"""Permutations within rows: every order, each row on its own."""

from collections import Counter
from math import factorial

import numpy as np
import pytest
from scipy.stats import chisquare

from genotex.analysis import permuting
from genotex.analysis.surrogate import permute_rows


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
    values = permuted(2 * permuting.ROWS_AT_ONCE + 7, 20, 6)
    unmoved = (values == np.arange(20)).all(axis=1)
    assert not unmoved.any()
