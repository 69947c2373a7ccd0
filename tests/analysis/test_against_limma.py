"""Golden values of R limma and lm: made by golden_limma of benchmarks/golden; see VERSIONS.txt."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    ModeratedFit,
    benjamini_hochberg,
    fit_last_column,
    fit_variance_prior,
    inverse_trigamma,
    moderate,
)

GOLDEN = Path(__file__).parents[1] / "fixtures" / "limma"
CASES = [
    ("binary", "", False),
    ("binary", "_trend", True),
    ("missing", "", False),
    ("missing", "_trend", True),
    ("continuous", "", False),
    ("continuous", "_trend", True),
]


def read(name: str) -> pl.DataFrame:
    # R pads numbers with spaces; strings first, so that those are read as numbers too.
    table = pl.read_csv(GOLDEN / name, infer_schema=False)
    numbers = [c for c in table.columns if c not in ("gene", "sample")]
    return table.with_columns(pl.col(numbers).str.strip_chars().cast(pl.Float64))


def design_and_expression(name: str) -> tuple[np.ndarray, np.ndarray]:
    clinical = read(f"{name}_clinical.csv")
    columns = [clinical[c].to_numpy() for c in ("age", "gender", "trait")]
    design = np.column_stack([np.ones(clinical.height), *columns])
    expression = read(f"{name}_expression.csv").drop("gene").to_numpy().T
    return design, expression


def fit(name: str, trend: bool) -> ModeratedFit:
    design, expression = design_and_expression(name)
    mean = np.nanmean(expression, axis=0)
    return moderate(fit_last_column(design, expression), mean if trend else None)


@pytest.mark.parametrize(("name", "suffix", "trend"), CASES)
def test_moderated_t_equals_limma(name: str, suffix: str, trend: bool) -> None:
    golden = read(f"{name}{suffix}_limma.csv")
    ours = fit(name, trend)
    pairs = {
        "coefficient": ours.coefficient,
        "se": ours.standard_error,
        "lower": ours.lower,
        "upper": ours.upper,
        "t": ours.t,
        "df": ours.df,
        "p": ours.p,
        "q": benjamini_hochberg(ours.p),
        "prior_variance": ours.prior.variance,
        "prior_df": np.full(golden.height, ours.prior.df),
    }
    for column, values in pairs.items():
        np.testing.assert_allclose(values, golden[column], rtol=1e-8, err_msg=column)


@pytest.mark.parametrize("name", ["binary", "missing", "continuous"])
def test_residual_variance_and_ordinary_t_equal_limma(name: str) -> None:
    golden = read(f"{name}_limma.csv")
    ours = fit_last_column(*design_and_expression(name))
    np.testing.assert_allclose(ours.variance, golden["sigma2"], rtol=1e-10)
    np.testing.assert_array_equal(ours.df, golden["residual_df"])
    ordinary = ours.coefficient / ours.unscaled / np.sqrt(ours.variance)
    np.testing.assert_allclose(ordinary, golden["ordinary_t"], rtol=1e-10)


def test_interaction_equals_limma() -> None:
    design, expression = design_and_expression("binary")
    age, trait = design[:, 1], design[:, 3]
    product = (age - age.mean()) * (trait - trait.mean())
    ours = moderate(fit_last_column(np.column_stack([design, product]), expression))
    golden = read("binary_interaction_limma.csv")
    np.testing.assert_allclose(ours.t, golden["t"], rtol=1e-8)
    np.testing.assert_allclose(ours.p, golden["p"], rtol=1e-8)


def test_variances_that_scatter_less_than_by_chance_get_infinite_prior_df() -> None:
    golden = read("calm_variances_limma.csv")
    prior = fit_variance_prior(golden["variance"].to_numpy(), np.full(golden.height, 6.0))
    assert prior.df == float("inf")
    assert set(golden["prior_df"]) == {-1.0}
    np.testing.assert_allclose(prior.variance, golden["prior_variance"], rtol=1e-12)
    np.testing.assert_allclose(prior.variance, golden["posterior"], rtol=1e-12)


def test_least_squares_equals_r_lm() -> None:
    golden = read("continuous_lm.csv")
    design, expression = design_and_expression("continuous")
    ours = fit_last_column(design, expression[:, : golden.height])
    error = ours.unscaled * np.sqrt(ours.variance)
    np.testing.assert_allclose(ours.coefficient, golden["coefficient"], rtol=1e-10)
    np.testing.assert_allclose(error, golden["se"], rtol=1e-10)
    np.testing.assert_allclose(ours.coefficient / error, golden["t"], rtol=1e-10)
    np.testing.assert_array_equal(ours.df, golden["df"])


def test_q_values_equal_r_p_adjust() -> None:
    golden = read("benjamini_hochberg_r.csv")
    ours = benjamini_hochberg(golden["p"].to_numpy())
    np.testing.assert_allclose(ours, golden["q"], rtol=1e-12)


def test_inverse_trigamma_equals_limma() -> None:
    for value, inverse in read("trigamma_inverse_limma.csv").iter_rows():
        assert inverse_trigamma(value) == pytest.approx(inverse, rel=1e-8)
