"""Golden values of R metafor: made by golden_metafor of benchmarks/golden; see VERSIONS.txt."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import CombinedEffects, combine_effects, stouffer

GOLDEN = Path(__file__).parents[2] / "fixtures" / "metafor"
FIXED = {
    "fixed": "effect", "fixed_error": "error", "fixed_lower": "lower", "fixed_upper": "upper",
    "fixed_p": "p", "heterogeneity": "Q", "heterogeneity_p": "Q_p", "i2": "I2",
}  # fmt: skip
RANDOM = {
    "effect": "random", "error": "random_error", "lower": "random_lower",
    "upper": "random_upper", "strict_p": "random_p", "p": "ranking_p", "largest_p": "largest_p",
}  # fmt: skip
OF_TWO = {"effect": "effect", "error": "error", "lower": "lower", "upper": "upper", "z": "z"}


def read(name: str) -> pl.DataFrame:
    # R pads numbers with spaces; strings first, so that those are read as numbers too.
    table = pl.read_csv(GOLDEN / name, infer_schema=False)
    numbers = [c for c in table.columns if c != "gene"]
    return table.with_columns(pl.col(numbers).str.strip_chars().cast(pl.Float64))


def matrix(table: pl.DataFrame, prefix: str) -> np.ndarray:
    columns = [c for c in table.columns if c.startswith(prefix)]
    return np.array(table.select(columns).cast(pl.Float64).fill_null(np.nan).to_numpy().T)


@pytest.fixture(scope="module")
def bcg() -> CombinedEffects:
    table = read("bcg_effects.csv")
    return combine_effects(table["effect"].to_numpy()[:, None], table["error"].to_numpy()[:, None])


@pytest.fixture(scope="module")
def genes() -> CombinedEffects:
    table = read("genes_effects.csv")
    return combine_effects(matrix(table, "effect"), matrix(table, "error"))


@pytest.mark.parametrize(("field", "column"), [*FIXED.items(), *RANDOM.items()])
def test_bcg_vaccine_trials(bcg: CombinedEffects, field: str, column: str) -> None:
    golden = read("bcg_metafor.csv")
    np.testing.assert_allclose(getattr(bcg, field), golden[column], rtol=1e-9)


def test_bcg_vaccine_trials_as_published(bcg: CombinedEffects) -> None:
    """Viechtbauer (2010), Journal of Statistical Software 36(3): Q and fixed effect."""
    assert bcg.fixed[0] == pytest.approx(-0.4303, abs=5e-5)
    assert bcg.fixed_error[0] == pytest.approx(0.0405, abs=5e-5)
    assert bcg.heterogeneity[0] == pytest.approx(152.233, abs=5e-4)


@pytest.mark.parametrize(("field", "column"), FIXED.items())
def test_fixed_effect_of_genes_that_some_cohorts_lack(
    genes: CombinedEffects, field: str, column: str
) -> None:
    golden = read("genes_metafor.csv")
    np.testing.assert_allclose(getattr(genes, field), golden[column], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(genes.cohorts, golden["cohorts"])


def test_variance_between_cohorts(genes: CombinedEffects) -> None:
    golden = read("genes_metafor.csv")
    np.testing.assert_allclose(genes.tau2, golden["tau2"], rtol=1e-9, atol=1e-12)
    assert 5 < (genes.tau2 == 0).sum() < 35


@pytest.mark.parametrize(("field", "column"), RANDOM.items())
def test_random_effects_of_three_cohorts_or_more(
    genes: CombinedEffects, field: str, column: str
) -> None:
    golden = read("genes_metafor.csv")
    many = golden["cohorts"].to_numpy() >= 3
    ours = getattr(genes, field)
    np.testing.assert_allclose(ours[many], golden[column].to_numpy()[many], rtol=1e-9)
    assert 0 < many.sum() < len(many)


@pytest.mark.parametrize(("field", "column"), OF_TWO.items())
def test_two_cohorts_are_combined_by_the_fixed_effect(
    genes: CombinedEffects, field: str, column: str
) -> None:
    golden = read("genes_metafor.csv")
    two = golden["cohorts"].to_numpy() == 2
    ours = getattr(genes, field)
    np.testing.assert_allclose(ours[two], golden[column].to_numpy()[two], rtol=1e-9)
    assert np.isnan(genes.strict_p[two]).all()
    assert np.isnan(genes.largest_p[two]).all()


def test_sign_when_a_cohort_is_left_out(genes: CombinedEffects) -> None:
    golden = read("genes_metafor.csv")
    many = golden["cohorts"].to_numpy() >= 3
    np.testing.assert_array_equal(genes.flips, golden["flips"].to_numpy().astype(bool) & many)
    assert genes.flips.any()


def test_weighted_stouffer() -> None:
    golden = read("stouffer_r.csv")
    p, side = matrix(golden, "p"), matrix(golden, "side")
    weights = np.broadcast_to(np.sqrt([[12.0], [23], [40], [66], [120]]), p.shape)
    np.testing.assert_allclose(stouffer(p, side, weights), golden["combined"], rtol=1e-12)
