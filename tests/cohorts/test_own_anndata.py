"""Own tables: AnnData in memory and as .h5ad."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from genotex.cohorts import read_own_tables
from genotex.errors import FormatError, UsageError
from tests.own_tables import GENES, SAMPLES, count_values, log2_values


def _data(values: object, **fields: Any) -> Any:
    obs = pd.DataFrame(
        {"group": pd.Categorical(["a", "b"] * 3), "age": [30.5, 31, 32, 33, 34, 35]},
        index=list(SAMPLES),
    )
    var = fields.pop("var", pd.DataFrame(index=list(GENES)))
    return anndata.AnnData(X=values, obs=obs, var=var, **fields)


def test_a_layer_of_counts_comes_first(tmp_path: Path) -> None:
    data = _data(log2_values().T, layers={"counts": sparse.csr_matrix(count_values().T)})
    data.write_h5ad(tmp_path / "my.h5ad")
    for source in (data, tmp_path / "my.h5ad"):
        tables = read_own_tables(source)
        assert tables.raw_counts is not None
        assert np.array_equal(tables.raw_counts, count_values().T)
        assert tables.sample_table.columns == ["sample", "group", "age"]
        assert any("layer 'counts'" in note for note in tables.notes)
    assert tables.name == "my"
    assert [file["used_for"] for file in tables.record["files"]] == ["expression"]


def test_x_is_taken_where_the_scale_is_given(tmp_path: Path) -> None:
    data = _data(log2_values().T, layers={"counts": count_values().T})
    tables = read_own_tables(data, scale="log2")
    assert np.array_equal(tables.expression, log2_values().T)


@pytest.mark.parametrize("base", [None, 10])
def test_counts_in_a_layer_stay_as_they_are_beside_logarithms_in_x(base: float | None) -> None:
    data = _data(
        np.log1p(count_values().T),
        layers={"counts": count_values().T},
        uns={"log1p": {"base": base}},
    )
    tables = read_own_tables(data)
    assert tables.raw_counts is not None
    assert np.array_equal(tables.raw_counts, count_values().T)


def test_raw_is_taken_where_x_is_scaled(tmp_path: Path) -> None:
    data = _data(log2_values().T)
    data.raw = data
    data.X = data.X - data.X.mean(axis=0)
    tables = read_own_tables(data)
    assert np.array_equal(tables.expression, log2_values().T)
    assert any("raw.X" in note for note in tables.notes)


def test_natural_logarithms_of_scanpy_are_brought_to_base_2() -> None:
    data = _data(np.log1p(np.exp2(log2_values().T)), uns={"log1p": {"base": None}})
    tables = read_own_tables(data)
    assert tables.expression == pytest.approx(np.log2(1 + np.exp2(log2_values().T)))
    assert any("log1p brought to base 2" in note for note in tables.notes)


def test_symbols_in_var_name_the_probes() -> None:
    probes = [f"{200000 + 13 * i}_at" for i in range(16)]
    var = pd.DataFrame({"gene_symbol": GENES, "length": range(16)}, index=probes)
    assert read_own_tables(_data(log2_values().T, var=var)).genes == GENES


def test_a_sample_table_of_its_own_is_preferred(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": SAMPLES, "dose": range(6)})
    tables = read_own_tables(_data(log2_values().T), frame)
    assert tables.sample_table.columns == ["sample", "id", "dose"]


def test_the_same_file_may_be_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.h5ad"
    _data(log2_values().T).write_h5ad(path)
    tables = read_own_tables(path, path)
    assert tables.sample_table["group"].to_list() == ["a", "b"] * 3


def test_single_cells_are_refused() -> None:
    cells = sparse.csr_matrix((20_000, 16_000))
    with pytest.raises(UsageError, match="pseudobulk"):
        read_own_tables(anndata.AnnData(X=cells))


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.h5ad").write_text("nothing")
    with pytest.raises(FormatError, match="not an AnnData file"):
        read_own_tables(tmp_path / "a.h5ad")


def test_normalised_reads_are_known_in_logarithms_of_scanpy() -> None:
    random = np.random.default_rng(3)
    counts = random.poisson(np.exp(random.normal(2, 2, 200)), (6, 200)).astype(float)
    normal = np.log1p(counts / counts.sum(axis=1, keepdims=True) * 1e4)
    var = pd.DataFrame(index=[f"gene{j}" for j in range(200)])
    found = _data(normal, var=var, uns={"log1p": {"base": None}})
    assert read_own_tables(found).kind == "reads"
    assert read_own_tables(_data(log2_values().T)).kind == ""
