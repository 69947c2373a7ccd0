"""The columns of a result in Python, by what their names say of the values that were given."""

from __future__ import annotations

from pathlib import Path

import anndata
import numpy as np
import pytest

import genotex as gx
from tests.api.conftest import ARTHRITIS


@pytest.fixture(scope="module")
def adata(study: Path) -> anndata.AnnData:
    return gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000001", ARTHRITIS)


@pytest.mark.parametrize("first", ["case", "control"])
def test_columns_of_a_result_are_those_of_the_values(adata: anndata.AnnData, first: str) -> None:
    second = {"case": "control", "control": "case"}[first]
    res = gx.de(adata, design="~ group", contrast=f"group: {first} - {second}", hidden="none")
    table, values = res.table, adata.to_df().loc[res.samples.index, res.table.index]
    group = res.samples["group"].astype(str)
    one, two = values[group == first], values[group == second]
    change = (one.mean() - two.mean()).to_numpy()
    np.testing.assert_allclose(table["log2_fold_change"], change, atol=1e-6)
    np.testing.assert_allclose(table["mean"], values.mean().to_numpy(), atol=1e-6)
    for name in ("t", "hedges_g"):
        assert (np.sign(table[name]) == np.sign(change)).all(), name
    pooled = np.sqrt(((len(one) - 1) * one.var() + (len(two) - 1) * two.var()) / (len(values) - 2))
    np.testing.assert_allclose(table["hedges_g"], change / pooled.to_numpy(), rtol=0.05)
    for middle, low, high in (
        ("log2_fold_change", "ci_low", "ci_high"),
        ("hedges_g", "hedges_g_ci_low", "hedges_g_ci_high"),
    ):
        assert (table[low] < table[middle]).all() and (table[middle] < table[high]).all()
        np.testing.assert_allclose(table[low] + table[high], 2 * table[middle], atol=1e-6)
    assert (table["q"] >= table["p"]).all() and (table["q"] > table["p"]).any()
    assert table["t"].abs()[table["q"] >= 0.05].is_monotonic_decreasing
    assert set(res.significant.index) == set(table.index[table["q"] < res.cut])
    assert table["grade"].isna().all()  # hidden factors were not looked for
    for name in table.columns.drop("grade"):
        expected = res.genes.loc[table.index, name]
        np.testing.assert_allclose(table[name], expected, err_msg=name)
