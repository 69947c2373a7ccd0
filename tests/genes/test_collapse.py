import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.genes import divide_and_sum, gene_rows, mean_of_rows, weighted_mean_of_rows

NAMES = [("A", "B"), ("A",), (), ("B",)]
VALUES = np.array([[4.0, np.nan], [1.0, np.nan], [9.0, 9.0], [np.nan, 2.0]])


def test_values_are_divided_and_summed_with_missing_as_zero():
    links = gene_rows(NAMES)
    assert links.genes == ("A", "B")
    assert divide_and_sum(VALUES, links).tolist() == [[3.0, 0.0], [2.0, 2.0]]


def test_three_log2_probes_at_eight_give_twenty_four_in_benchmark():
    # spec/preprocessing.md, step 6
    links = gene_rows([("A",)] * 3)
    assert divide_and_sum(np.full((3, 1), 8.0), links).tolist() == [[24.0]]
    assert mean_of_rows(np.full((3, 1), 8.0), links).tolist() == [[8.0]]


def test_means_skip_missing_values():
    means = mean_of_rows(VALUES, gene_rows([("A",), ("A",), (), ("B",)]))
    assert np.array_equal(means, [[2.5, np.nan], [np.nan, 2.0]], equal_nan=True)


def test_nothing_to_collapse():
    links = gene_rows([(), ()])
    assert links.genes == ()
    assert mean_of_rows(np.ones((2, 3)), links).shape == (0, 3)
    assert divide_and_sum(np.ones((2, 3)), links).shape == (0, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_input_is_left_alone(dtype):
    values = VALUES.astype(dtype)
    before = values.copy()
    mean_of_rows(values, gene_rows(NAMES))
    divide_and_sum(values, gene_rows(NAMES))
    assert np.array_equal(values, before, equal_nan=True)


cells = st.one_of(st.just(np.nan), st.floats(-1e3, 1e3))


@given(st.lists(st.tuples(st.sets(st.sampled_from("ABCD")), st.tuples(cells, cells)), min_size=1))
def test_both_ways_agree_with_pandas(rows):
    names = [tuple(sorted(genes)) for genes, _ in rows]
    values = np.array([pair for _, pair in rows], dtype=float)
    links = gene_rows(names)
    long = pd.DataFrame(values).assign(gene=names, n=[max(1, len(n)) for n in names])
    long = long.explode("gene").dropna(subset="gene")
    divided = long[[0, 1]].div(long["n"], axis=0).groupby(long["gene"]).sum()
    mean = long[[0, 1]].groupby(long["gene"]).mean()
    assert list(divided.index) == list(links.genes)
    np.testing.assert_allclose(divide_and_sum(values, links), divided.to_numpy(float), atol=1e-9)
    np.testing.assert_allclose(mean_of_rows(values, links), mean.to_numpy(float), atol=1e-9)


def test_a_probe_weighs_by_how_far_it_is_below_the_highest_of_its_gene() -> None:
    random = np.random.default_rng(5)
    values = random.normal(8, 2, (60, 7))
    values[random.random(values.shape) < 0.2] = np.nan
    values[3] = np.nan
    names = [(f"G{i % 17}",) if i % 5 else () for i in range(60)]
    links = gene_rows(names)
    found = weighted_mean_of_rows(values, links)
    for place, gene in enumerate(links.genes):
        rows = [i for i, name in enumerate(names) if name == (gene,) and i != 3]
        levels = np.array([np.nanmean(values[i]) for i in rows])
        weights = 2.0 ** (levels - levels.max())
        for column in range(7):
            known = ~np.isnan(values[rows, column])
            expected = (
                (weights * values[rows, column])[known].sum() / weights[known].sum()
                if known.any()
                else np.nan
            )
            np.testing.assert_allclose(found[place, column], expected, rtol=1e-9)
    nothing = weighted_mean_of_rows(np.full((2, 3), np.nan), gene_rows([("A",), ("A",)]))
    assert np.isnan(nothing).all() and nothing.shape == (1, 3)
