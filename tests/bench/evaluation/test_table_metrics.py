"""Against tables worked out by hand, pandas column by column, and whole fractions."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike

from genotex.bench import compare_tables, feature_correlation, jaccard
from genotex.formats import CsvTable

NAN = math.nan


def table(rows: str, columns: str, values: ArrayLike) -> CsvTable:
    return CsvTable(rows.split(), columns.split(), np.array(values, dtype=np.float64))


# ------------------------------------------------------------------------------- by hand


def test_shared_samples_and_features_by_hand() -> None:
    predicted = table("s1 s2 s3 s9", "A B X", [[1, 5, 0], [2, 3, 0], [3, 4, 0], [9, 9, 9]])
    reference = table("s3 s1 s2", "B A", [[1, 6], [3, 2], [2, 4]])
    agreement = compare_tables(predicted, reference)
    assert agreement.aj == pytest.approx(2 / 3, abs=1e-15)
    assert agreement.sj == 3 / 4
    # A: 1, 2, 3 against 2, 4, 6: r 1. B: 5, 3, 4 against 3, 2, 1: deviations 1, -1, 0 and
    # 1, 0, -1, so r = 1 / 2.
    assert agreement.correlation == pytest.approx(3 / 4, abs=1e-15)
    assert agreement.csc == pytest.approx(2 / 3 * 3 / 4 * 3 / 4, abs=1e-15)


def test_missing_values_become_the_mean_of_the_common_rows() -> None:
    predicted = table("s1 s2 s3 s9", "A", [[1], [NAN], [3], [100]])
    reference = table("s1 s2 s3", "A", [[1], [2], [9]])
    # 1, 2, 3 against 1, 2, 9: deviations -1, 0, 1 and -3, -2, 5: r = 8 / sqrt(2 * 38).
    assert compare_tables(predicted, reference).correlation == pytest.approx(
        8 / math.sqrt(76), abs=1e-15
    )


def test_column_without_any_value_is_0_throughout_and_does_not_count() -> None:
    predicted = table("s1 s2", "A B", [[NAN, 1], [NAN, 2]])
    reference = table("s1 s2", "A B", [[1, 1], [2, 2]])
    assert compare_tables(predicted, reference).correlation == pytest.approx(1, abs=1e-15)


def test_opposite_values_score_below_0() -> None:
    predicted, reference = table("a b", "T", [[0], [1]]), table("a b", "T", [[1], [0]])
    assert compare_tables(predicted, reference).csc == pytest.approx(-1, abs=1e-15)


@pytest.mark.parametrize(
    ("rows", "columns", "aj", "sj"), [("s9", "A", 1.0, 0.0), ("s1", "Z", 0.0, 1.0)]
)
def test_nothing_in_common_on_one_side(rows: str, columns: str, aj: float, sj: float) -> None:
    agreement = compare_tables(table(rows, columns, [[1]]), table("s1", "A", [[1]]))
    assert (agreement.aj, agreement.sj, agreement.correlation, agreement.csc) == (aj, sj, 0, 0)


def test_one_common_sample_has_no_spread() -> None:
    table_of_one = table("s1", "A B", [[1, 2]])
    assert compare_tables(table_of_one, table_of_one).correlation == 0


def test_repeated_names_are_one_of_a_set_and_their_first_values_count() -> None:
    predicted = table("s1 s2 s2 s3", "A A B", [[1, 9, 1], [2, 0, 2], [99, 99, 0], [4, 5, 2]])
    reference = table("s1 s2 s3", "A B", [[1, 1], [2, 2], [4, 2]])
    agreement = compare_tables(predicted, reference)
    assert (agreement.aj, agreement.sj) == (1, 1)
    assert agreement.correlation == pytest.approx(1, abs=1e-15)


def test_empty_sets_are_alike() -> None:
    assert jaccard([], []) == 1
    assert jaccard([], ["a"]) == 0


# ------------------------------------------------------------------------------- spread


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, -7.3, 1e-300])
def test_equal_values_have_no_spread_however_their_deviation_is_rounded(value: float) -> None:
    constant = np.full((7, 1), value)
    assert feature_correlation(constant, np.arange(7.0)[:, None]) == 0
    constant[3] = NAN  # the mean of the others may differ from each of them in the last digit
    assert feature_correlation(constant, np.arange(7.0)[:, None]) == 0


def test_smallest_spread_there_is_counts() -> None:
    close = np.array([[1.0], [1.0], [np.nextafter(1, 2)]])
    assert feature_correlation(close, close) == pytest.approx(1, abs=1e-12)


def test_infinite_values_make_a_correlation_that_counts_0() -> None:
    values = np.array([[1.0, 1], [2, math.inf], [3, 3]])
    assert feature_correlation(values, values) == pytest.approx(1 / 2, abs=1e-15)


@pytest.mark.parametrize("scale", [1e-160, 1e-8, 1.0, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_identical_columns_correlate_by_1(scale: float, offset: float) -> None:
    values = offset + scale * np.random.default_rng(1).normal(size=(167, 50))
    varies = values.max(axis=0) > values.min(axis=0)
    expected = 1.0 if varies.any() else 0.0
    assert feature_correlation(values, values) == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------------------- transcription


def by_pandas(predicted: pd.DataFrame, reference: pd.DataFrame) -> float:
    """Return the feature correlation, column by column."""
    rows = [name for name in predicted.index if name in reference.index]
    columns = [name for name in predicted.columns if name in reference.columns]
    found = []
    for name in columns:
        a, b = predicted.loc[rows, name], reference.loc[rows, name]
        a, b = a.fillna(a.mean()).fillna(0), b.fillna(b.mean()).fillna(0)
        if a.nunique() > 1 and b.nunique() > 1:
            r = a.corr(b)
            found.append(0 if math.isnan(r) else r)
    return float(np.mean(found)) if found else 0.0


NUMBERS = st.one_of(st.just(NAN), st.integers(-4, 4).map(float), st.floats(-100, 100, width=16))


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_against_pandas(data: st.DataObject) -> None:
    frames = []
    for _ in range(2):
        rows = data.draw(st.lists(st.sampled_from("abcdef"), unique=True, max_size=6))
        columns = data.draw(st.lists(st.sampled_from("UVWXYZ"), unique=True, max_size=6))
        values = data.draw(arrays(np.float64, (len(rows), len(columns)), elements=NUMBERS))
        frames.append(pd.DataFrame(values, index=rows, columns=columns))
    ours = compare_tables(*(CsvTable(list(f.index), list(f.columns), f.to_numpy()) for f in frames))
    a, b = frames
    assert ours.aj == share(set(a.columns), set(b.columns))
    assert ours.sj == share(set(a.index), set(b.index))
    assert ours.correlation == pytest.approx(by_pandas(a, b), abs=1e-12)
    assert ours.csc == pytest.approx(ours.aj * ours.sj * by_pandas(a, b), abs=1e-12)


def share(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0


def test_large_values_with_noise_against_pandas() -> None:
    rng = np.random.default_rng(2)
    a = 1e8 + rng.normal(size=(167, 40))
    b = a + rng.normal(size=a.shape)
    assert feature_correlation(a, b) == pytest.approx(
        by_pandas(pd.DataFrame(a), pd.DataFrame(b)), abs=1e-12
    )


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_tiny_noise_on_large_values_against_whole_fractions(missing: float) -> None:
    """Here a mean that is rounded once, or filled in rounded, already costs ten digits."""
    rng = np.random.default_rng(3)
    a, b = (1e8 + 1e-4 * rng.normal(size=(40, 3)) for _ in range(2))
    b[rng.random(b.shape) < missing] = NAN
    exact = [exact_correlation(x, y) for x, y in zip(a.T, b.T, strict=True)]
    assert feature_correlation(a, b) == pytest.approx(np.mean(exact), abs=1e-12)


def exact_correlation(x: np.ndarray, y: np.ndarray) -> float:
    a, b = exact_deviations(x), exact_deviations(y)
    product = sum(p * q for p, q in zip(a, b, strict=True))
    squares = sum(p * p for p in a) * sum(q * q for q in b)
    return math.copysign(math.sqrt(product * product / squares), product)


def exact_deviations(values: np.ndarray) -> list[Fraction]:
    known = [Fraction(value) for value in values.tolist() if not math.isnan(value)]
    mean = sum(known) / len(known)
    return [Fraction(0) if math.isnan(v) else Fraction(v) - mean for v in values.tolist()]


# ------------------------------------------------------------------------------- properties


@given(data=st.data())
def test_order_of_rows_and_columns_changes_nothing(data: st.DataObject) -> None:
    values = data.draw(arrays(np.float64, (5, 4), elements=NUMBERS))
    rows, columns = (data.draw(st.permutations(range(n))) for n in (5, 4))
    one = table("a b c d e", "V W X Y", values)
    other = CsvTable(
        [one.rows[i] for i in rows], [one.columns[i] for i in columns], values[rows][:, columns]
    )
    reference = table("e c a x", "W Z Y", np.arange(12).reshape(4, 3) ** 2)
    assert compare_tables(other, reference).csc == pytest.approx(
        compare_tables(one, reference).csc, abs=1e-12
    )
    # Layout in memory is not order.
    turned = CsvTable(one.rows, one.columns, np.asfortranarray(one.values))
    assert compare_tables(turned, reference).csc == pytest.approx(
        compare_tables(one, reference).csc, abs=1e-12
    )
