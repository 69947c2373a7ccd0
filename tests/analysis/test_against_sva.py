"""Golden values of R sva: made by golden_sva of benchmarks/golden; see VERSIONS.txt."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from threadpoolctl import threadpool_limits

from genotex.analysis import find_reweighted_surrogates, find_surrogates, surrogate_number

GOLDEN = Path(__file__).parents[1] / "fixtures" / "sva"
CASES = ("batch", "nothing", "continuous", "covariates", "narrow")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As in an analysis; the threads of small matrices only wait for one another."""
    with threadpool_limits(limits=1):
        yield


def numbers(name: str) -> np.ndarray:
    table = pl.read_csv(GOLDEN / name)
    named = [c for c in table.columns if c not in ("gene", "sample")]
    return table.select(pl.col(named).cast(pl.Float64)).to_numpy()


def cohort(case: str) -> tuple[np.ndarray, np.ndarray]:
    return numbers(f"{case}_expression.csv").T, numbers(f"{case}_clinical.csv")


def permuted_as_in_r(case: str) -> Iterator[np.ndarray]:
    """The residuals, permuted within each gene as sva permuted them."""
    expression, design = cohort(case)
    samples, genes = expression.shape
    fitted = design @ np.linalg.lstsq(design, expression, rcond=None)[0]
    residual = expression - fitted
    packed = gzip.decompress((GOLDEN / f"{case}_permutations.txt.gz").read_bytes())
    code = np.frombuffer(packed, dtype=np.uint8).reshape(-1, genes, samples + 1)[:, :, :-1]
    # a, b, c, ... and then A, B, C, ...
    for order in np.where(code >= ord("a"), code - ord("a"), code - ord("A") + 26).astype(np.intp):
        yield np.take_along_axis(residual, order.T, axis=0)


def sva_result(case: str) -> tuple[int, int]:
    """The number of components that count, and how many surrogate variables come of them."""
    row = pl.read_csv(GOLDEN / "cases_sva.csv").filter(pl.col("case") == case)
    return row["number"].item(), row["used"].item()


def projection(columns: np.ndarray) -> np.ndarray:
    q, _ = np.linalg.qr(columns)
    return q @ q.T


@pytest.mark.parametrize("case", CASES)
def test_same_number_as_sva_with_its_permutations(case: str) -> None:
    found = surrogate_number(*cohort(case), seed=0, permuted=permuted_as_in_r(case))
    assert found.number == sva_result(case)[0]
    assert found.permutations == 20
    np.testing.assert_allclose(found.p, numbers(f"{case}_p_sva.csv")[:, 0], atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_same_space_as_sva(case: str) -> None:
    number, used = sva_result(case)
    found = find_surrogates(
        *cohort(case), seed=0, smallest_residual_df=1, permuted=permuted_as_in_r(case)
    )
    assert (found.estimated, found.columns.shape[1], found.limited) == (number, used, False)
    if used:
        difference = projection(found.columns) - projection(numbers(f"{case}_sva.csv"))
        assert np.linalg.norm(difference, ord=2) < 1e-8


def test_a_component_of_few_genes_gives_no_surrogate_as_in_sva() -> None:
    assert sva_result("narrow") == (2, 1)
    found = find_surrogates(*cohort("narrow"), seed=0, permuted=permuted_as_in_r("narrow"))
    assert found.notes[0].startswith("component 2 yields no surrogate variable: ")


@pytest.mark.parametrize("case", ["irw_batch", "irw_covariates"])
def test_reweighted_surrogates_span_the_space_of_sva(case: str) -> None:
    golden = numbers(f"{case}_irw.csv")
    found = find_reweighted_surrogates(*cohort(case), seed=0, number=golden.shape[1])
    # sva smooths the density of p-values by a spline on a grid; ours is computed without it.
    cosines = np.linalg.svd(np.linalg.qr(golden)[0].T @ found.columns, compute_uv=False)
    assert cosines.min() > 0.999
