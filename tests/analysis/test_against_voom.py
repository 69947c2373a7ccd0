"""Golden values of R limma's voom: made by golden_rna_seq of benchmarks/golden."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.analysis import (
    Precision,
    benjamini_hochberg,
    count_trend,
    counts_of,
    fit_last_column,
    fit_weighted_columns,
    moderate,
    weigh_samples,
)
from genotex.smoothing import lowess

GOLDEN = Path(__file__).parents[1] / "fixtures" / "rna_seq"
COLUMNS = {"case": ("age", "gender", "case"), "level": ("gender", "level"), "whole": ("case",)}
CASES = pytest.mark.parametrize(
    ("name", "design"), [(name, design) for name in ("small", "large") for design in COLUMNS]
)


def read(name: str) -> pl.DataFrame:
    # R pads numbers with spaces; strings first, so that those are read as numbers too.
    table = pl.read_csv(GOLDEN / name, infer_schema=False)
    numbers = [c for c in table.columns if c not in ("gene", "sample")]
    return table.with_columns(pl.col(numbers).str.strip_chars().cast(pl.Float64))


def counts_and_libraries(name: str, design: str) -> tuple[np.ndarray, np.ndarray]:
    """Samples x genes as R had them, with R's own factors."""
    counts = read(f"{name}_counts.csv").drop("gene").to_numpy().T
    factors = read(f"{name}_whole_factors.csv" if design == "whole" else f"{name}_factors.csv")
    if design != "whole":
        counts = counts[:, read(f"{name}_filter.csv")["by_group"].to_numpy() == 1]
    return counts, (factors["size"] * factors["factor"]).to_numpy()


def log_cpm(counts: np.ndarray, libraries: np.ndarray) -> np.ndarray:
    return np.log2((counts + 0.5) / (libraries[:, None] + 1) * 1e6)


def matrix(name: str, design: str) -> np.ndarray:
    clinical = read(f"{name}_clinical.csv")
    columns = [clinical[column].to_numpy() for column in COLUMNS[design]]
    return np.column_stack([np.ones(clinical.height), *columns])


@pytest.mark.parametrize("points", [4, 30, 400])
def test_lowess_equals_r(points: int) -> None:
    golden = read(f"lowess_{points}.csv")
    curve = lowess(golden["x"].to_numpy(), golden["y"].to_numpy(), 0.5)
    np.testing.assert_allclose(curve, golden["fitted"].to_numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["small", "large"])
def test_expression_is_that_of_voom(name: str) -> None:
    golden = read(f"{name}_log_cpm.csv").drop("gene").to_numpy().T
    np.testing.assert_allclose(log_cpm(*counts_and_libraries(name, "case")), golden, rtol=1e-12)


@CASES
def test_weights_equal_voom(name: str, design: str) -> None:
    counts, libraries = counts_and_libraries(name, design)
    columns, expression = matrix(name, design), log_cpm(counts, libraries)
    trend = count_trend(fit_last_column(columns, expression), expression, libraries)
    q = np.linalg.qr(columns)[0]
    fitted = q @ (q.T @ expression) + np.log2(libraries + 1)[:, None] - np.log2(1e6)
    golden = read(f"{name}_{design}_weights.csv").drop("gene").to_numpy().T
    np.testing.assert_allclose(trend.weights(fitted), golden, rtol=1e-8)


@CASES
def test_weighted_moderated_t_equals_limma(name: str, design: str) -> None:
    counts, libraries = counts_and_libraries(name, design)
    raw = Precision(libraries=libraries).fit(matrix(name, design), log_cpm(counts, libraries))
    ours = moderate(raw)
    golden = read(f"{name}_{design}_limma.csv")
    pairs = {
        "coefficient": ours.coefficient,
        "lower": ours.lower,
        "upper": ours.upper,
        "t": ours.t,
        "p": ours.p,
        "q": benjamini_hochberg(ours.p),
        "sigma2": raw.variance,
        "unscaled": raw.unscaled,
        "df": ours.df,
        "prior_variance": ours.prior.variance,
        "prior_df": np.full(golden.height, ours.prior.df),
    }
    for column, values in pairs.items():
        np.testing.assert_allclose(
            values, golden[column].to_numpy(), rtol=1e-6, atol=1e-9, err_msg=column
        )


@pytest.mark.parametrize("name", ["small", "large"])
def test_weights_of_samples_and_tests_equal_voom_with_quality_weights(name: str) -> None:
    """`voomWithQualityWeights(method = "reml")`, one weight for each group or sample."""
    counts, libraries = counts_and_libraries(name, "case")
    design, expression = matrix(name, "case"), log_cpm(counts, libraries)
    golden = read(f"{name}_quality_weights.csv")
    by_group, by_sample = (
        weigh_samples(expression, design, groups, mode, libraries).weights
        for groups, mode in (([str(case) for case in design[:, -1]], "group"), (None, "sample"))
    )
    np.testing.assert_allclose(by_group, golden["by_group"].to_numpy(), rtol=1e-6)
    np.testing.assert_allclose(by_sample, golden["by_sample"].to_numpy(), rtol=1e-5)
    precision = Precision(weights=by_group, libraries=libraries)
    ours = moderate(precision.fit(design, expression))
    limma = read(f"{name}_quality_limma.csv")
    # The trend of the counts is learnt once more here, with the final weights.
    np.testing.assert_allclose(ours.t, limma["t"].to_numpy(), atol=2e-4)
    np.testing.assert_allclose(ours.p, limma["p"].to_numpy(), atol=2e-4)


def test_counts_come_back_from_log_counts_per_million() -> None:
    counts, libraries = counts_and_libraries("small", "whole")
    back = counts_of(log_cpm(counts, libraries), libraries)
    np.testing.assert_allclose(back, counts, rtol=1e-9, atol=1e-9)


def test_equal_weights_are_no_weights() -> None:
    rng = np.random.default_rng(3)
    design = np.column_stack([np.ones(10), np.arange(10.0) % 2])
    expression = rng.normal(size=(10, 7))
    plain = fit_last_column(design, expression)
    weighted = fit_weighted_columns(design, expression, np.full((10, 7), 4.0), 1).last
    np.testing.assert_allclose(weighted.coefficient, plain.coefficient, rtol=1e-12)
    np.testing.assert_allclose(weighted.variance, 4 * plain.variance, rtol=1e-12)
    np.testing.assert_allclose(weighted.unscaled, plain.unscaled / 2, rtol=1e-12)


@given(
    st.lists(st.tuples(st.floats(-5, 20), st.floats(0, 5)), min_size=2, max_size=40),
    st.floats(0.1, 1),
)
def test_lowess_stays_finite_whatever_the_points(
    points: list[tuple[float, float]], span: float
) -> None:
    x, y = np.array(sorted(points)).T
    curve = lowess(x, y, span)
    assert curve.shape == x.shape and np.isfinite(curve).all()
