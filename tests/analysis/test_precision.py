"""Correlated and unevenly precise samples against R limma and nlme (golden_limma)."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.analysis import Precision, consensus_correlation, fit_last_column, moderate
from tests.analysis.test_against_limma import GOLDEN, design_and_expression, read

CASES = [
    ("repeated", "repeated_expression.csv", False),
    ("repeated_holes", "repeated_holes_expression.csv", False),
    ("repeated_observed", "repeated_expression.csv", True),
]


def people() -> np.ndarray:
    names = pl.read_csv(GOLDEN / "repeated_person.csv")["person"].to_numpy()
    return np.unique(names, return_inverse=True)[1]


class Observed(Precision):
    """Weights of single observations that come from elsewhere."""

    def voom(self, design: np.ndarray, values: np.ndarray):  # type: ignore[no-untyped-def]
        table = read("repeated_observed.csv").drop("sample").to_numpy()
        return type("Known", (), {"weights": staticmethod(lambda part: table)})()


@pytest.mark.parametrize(("name", "file", "observed"), CASES)
def test_consensus_correlation_and_fit_equal_nlme_and_limma(
    name: str, file: str, observed: bool
) -> None:
    design, _ = design_and_expression("repeated")
    values = read(file).drop("gene").to_numpy().T
    golden = read(f"{name}_limma.csv")
    kind = Observed if observed else Precision
    libraries = np.ones(15) if observed else None
    r = consensus_correlation(design, values, kind(None, people(), 0.0, libraries))
    np.testing.assert_allclose(r, golden["consensus"][0], rtol=1e-5)
    fit = kind(None, people(), golden["consensus"][0], libraries).fit(design, values)
    np.testing.assert_allclose(fit.coefficient, golden["coefficient"], rtol=1e-8)
    np.testing.assert_allclose(fit.unscaled, golden["unscaled"], rtol=1e-8)
    ours = moderate(fit)
    for column in ("t", "p", "df"):
        np.testing.assert_allclose(getattr(ours, column), golden[column], rtol=1e-7)


@given(
    sizes=st.lists(st.integers(1, 4), min_size=3, max_size=6),
    r=st.floats(-0.2, 0.9),
    seed=st.integers(0, 99),
)
def test_whitening_makes_the_covariance_the_identity(sizes: list[int], r: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    weights = rng.uniform(0.3, 3, len(blocks))
    precision = Precision(weights, blocks, r)
    same = blocks[:, None] == blocks
    correlation = np.where(same, r, 0.0) + (1 - r) * np.eye(len(blocks))
    covariance = correlation / np.sqrt(weights[:, None] * weights)
    root = precision.whiten(np.eye(len(blocks)))
    np.testing.assert_allclose(root @ covariance @ root.T, np.eye(len(blocks)), atol=1e-10)
    columns = rng.normal(size=(len(blocks), 2))
    np.testing.assert_allclose(precision.unwhiten(precision.whiten(columns)), columns, atol=1e-10)


def test_without_weights_and_blocks_it_is_least_squares() -> None:
    design, values = design_and_expression("binary")
    ours, plain = Precision().fit(design, values), fit_last_column(design, values)
    np.testing.assert_array_equal(ours.coefficient, plain.coefficient)
    np.testing.assert_array_equal(ours.variance, plain.variance)


def test_weights_of_samples_with_missing_values() -> None:
    design, values = design_and_expression("missing")
    weights = np.random.default_rng(0).uniform(0.5, 2, len(design))
    ours = Precision(weights).fit(design, values)
    gene = int(np.isnan(values).sum(axis=0).argmax())
    known = ~np.isnan(values[:, gene])
    root = np.sqrt(weights[known])[:, None]
    alone = fit_last_column(design[known] * root, values[known][:, [gene]] * root)
    assert ours.coefficient[gene] == pytest.approx(alone.coefficient[0])
    assert ours.unscaled[gene] == pytest.approx(alone.unscaled[0])
    assert ours.df[gene] == alone.df[0]


def test_blocks_that_the_design_holds_have_no_correlation() -> None:
    blocks = np.repeat(np.arange(4), 2)
    levels = (blocks[:, None] == np.arange(4)).astype(float)
    design = np.column_stack([levels, np.tile([0.0, 1.0], 4)])
    values = np.random.default_rng(0).normal(size=(8, 20))
    assert consensus_correlation(design, values, Precision(blocks=blocks)) == 0.0
    alone = Precision(blocks=np.arange(8))
    assert consensus_correlation(design[:, -1:], values, alone) == 0.0
