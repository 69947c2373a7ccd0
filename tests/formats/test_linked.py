import hashlib
import json
import os
import shutil

import numpy as np
import pandas as pd
import polars as pl
import pytest

from genotex.errors import FormatError
from genotex.formats import (
    LinkedTable,
    read_linked,
    read_linked_csv,
    read_linked_header,
    read_linked_parquet,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder
from tests.formats.geo_files import write


def linked(*, covariates=("Age", "Gender"), missing=False, genes=3, samples=4):
    rng = np.random.default_rng(0)
    expression = rng.normal(8, 2, size=(samples, genes))
    if missing:
        expression[0, 0] = np.nan
    return LinkedTable(
        trait="Osteoarthritis",
        samples=tuple(f"GSM{i}" for i in range(samples)),
        trait_values=np.arange(samples) % 2 * 1.0,
        covariates={name: rng.uniform(0, 90, samples) for name in covariates},
        genes=tuple(f"G{i}" for i in range(genes)),
        expression=expression,
    )


def assert_same(left, right):
    assert (left.trait, left.samples, left.genes) == (right.trait, right.samples, right.genes)
    assert list(left.covariates) == list(right.covariates)
    np.testing.assert_array_equal(left.trait_values, right.trait_values)
    np.testing.assert_array_equal(left.expression, right.expression)
    for name, values in left.covariates.items():
        np.testing.assert_array_equal(values, right.covariates[name])


@pytest.mark.parametrize("covariates", [(), ("Age",), ("Gender",), ("Age", "Gender")])
@pytest.mark.parametrize("genes", [0, 3, 1200])
@pytest.mark.parametrize("missing", [True, False])
def test_linked_round_trip(tmp_path, covariates, genes, missing):
    table = linked(covariates=covariates, genes=genes, missing=missing and genes > 0)
    write_linked_csv(tmp_path / "a.csv", table)
    write_linked_parquet(tmp_path / "linked" / "a.parquet", table)
    assert_same(read_linked_csv(tmp_path / "a.csv"), table)
    assert_same(read_linked_parquet(tmp_path / "linked" / "a.parquet"), table)
    assert read_linked_header(tmp_path / "a.csv") == ["Osteoarthritis", *covariates, *table.genes]


def test_a_large_table_that_is_read_in_parts_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("genotex.formats.linked._LARGE", 1000)
    table = linked(genes=30, samples=40, missing=True)
    write_linked_parquet(tmp_path / "a.parquet", table)
    assert_same(read_linked_parquet(tmp_path / "a.parquet"), table)


def test_gaps_are_filled_as_a_table_is_written(tmp_path):
    table = linked(missing=True)
    write_linked_csv(tmp_path / "a.csv", table, np.array([5.5, 6.5, 7.5]))
    found = read_linked_csv(tmp_path / "a.csv").expression
    assert found[0, 0] == 5.5
    np.testing.assert_array_equal(found[1:], table.expression[1:])


def test_linked_csv_is_read_by_pandas(tmp_path):
    table = linked()
    write_linked_csv(tmp_path / "a.csv", table)
    frame = pd.read_csv(tmp_path / "a.csv", index_col=0)
    assert list(frame.columns) == ["Osteoarthritis", "Age", "Gender", "G0", "G1", "G2"]
    assert tuple(frame.index) == table.samples
    np.testing.assert_allclose(frame[list(table.genes)].to_numpy(), table.expression, rtol=1e-14)


def test_linked_csv_of_others(tmp_path):
    text = ",Trait,Gender,A2M,Age,TP53\nTCGA-01,1,0,5,61,\nTCGA-02,0,,7,62.5,1e-3\n"
    table = read_linked_csv(write(tmp_path / "TCGA.csv", text))
    assert (table.trait, table.genes) == ("Trait", ("A2M", "TP53"))
    assert list(table.covariates) == ["Age", "Gender"]
    np.testing.assert_array_equal(table.covariates["Gender"], [0, np.nan])
    np.testing.assert_array_equal(table.expression, [[5, np.nan], [7, 1e-3]])


def write_both(root):
    """Write a filled CSV and its unfilled twin, as preprocessing does."""
    output = OutputFolder(root)
    unfilled, filled = linked(missing=True), linked()
    path = output.linked_csv("Osteoarthritis", "GSE1")
    write_linked_csv(path, filled)
    write_linked_parquet(output.linked_parquet("Osteoarthritis", "GSE1"), unfilled, csv=path)
    return output, path, unfilled, filled


def test_no_linked_table_and_one_without_a_twin(tmp_path):
    output = OutputFolder(tmp_path)
    with pytest.raises(FormatError, match="no linked table"):
        read_linked(output, "Osteoarthritis", "GSE1")
    write_linked_csv(output.linked_csv("Osteoarthritis", "GSE1"), linked())
    assert_same(read_linked(output, "Osteoarthritis", "GSE1"), linked())


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_twin_is_read_regardless_of_time_stamps(tmp_path, caplog, step):
    output, path, unfilled, _ = write_both(tmp_path)
    twin = output.linked_parquet("Osteoarthritis", "GSE1")
    os.utime(path, ns=(0, twin.stat().st_mtime_ns + step * 10**9))
    assert_same(read_linked(output, "Osteoarthritis", "GSE1"), unfilled)
    assert not caplog.records


def test_copied_output_folder_gives_the_unfilled_values(tmp_path):
    _, _, unfilled, _ = write_both(tmp_path / "out")
    shutil.copytree(tmp_path / "out", tmp_path / "copy", copy_function=shutil.copyfile)
    copy = OutputFolder(tmp_path / "copy")
    newer = copy.linked_parquet("Osteoarthritis", "GSE1").stat().st_mtime_ns + 10**9
    os.utime(copy.linked_csv("Osteoarthritis", "GSE1"), ns=(newer, newer))
    assert_same(read_linked(copy, "Osteoarthritis", "GSE1"), unfilled)


@pytest.mark.parametrize("same_size", [True, False])
def test_edited_csv_wins_over_its_twin_and_is_reported(tmp_path, caplog, same_size):
    output, path, *_ = write_both(tmp_path)
    old = path.read_text()
    path.write_text(old.replace("GSM2,0.0", "GSM2,1.0" if same_size else "GSM2,1"))
    os.utime(path, ns=(0, 0))
    table = read_linked(output, "Osteoarthritis", "GSE1")
    assert table.trait_values.tolist() == [0, 1, 1, 1]
    assert not np.isnan(table.expression).any()
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert str(path) in record.getMessage()
    assert "filled values count as measured" in record.getMessage()


def test_twin_that_was_written_for_no_csv_is_not_read(tmp_path, caplog):
    output, _, unfilled, filled = write_both(tmp_path)
    write_linked_parquet(output.linked_parquet("Osteoarthritis", "GSE1"), unfilled)
    assert_same(read_linked(output, "Osteoarthritis", "GSE1"), filled)
    assert "were not written together" in caplog.text


def test_twin_of_a_csv_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        write_linked_parquet(tmp_path / "a.parquet", linked(), csv=tmp_path / "absent.csv")
    assert not list(tmp_path.iterdir())


def test_damaged_twin_is_reported(tmp_path):
    output, *_ = write_both(tmp_path)
    output.linked_parquet("Osteoarthritis", "GSE1").write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(FormatError, match="preprocessing of this cohort again"):
        read_linked(output, "Osteoarthritis", "GSE1")


def test_twin_that_is_damaged_or_something_else(tmp_path):
    with pytest.raises(FormatError, match="Parquet"):
        read_linked_parquet(write(tmp_path / "x.parquet", b"PAR1 nonsense PAR1"))
    with pytest.raises(FormatError, match="Parquet"):
        read_linked_parquet(tmp_path / "absent.parquet")
    pd_like = linked()
    pl.DataFrame({"a": pd_like.trait_values}).write_parquet(tmp_path / "y.parquet")
    with pytest.raises(FormatError, match="not written by genotex"):
        read_linked_parquet(tmp_path / "y.parquet")
    content = (tmp_path / "y.parquet").read_bytes()
    kept = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (tmp_path / "y.parquet.json").write_text(json.dumps({"parquet": kept}))
    with pytest.raises(FormatError, match="not a linked table"):
        read_linked_parquet(tmp_path / "y.parquet")
    (tmp_path / "y.parquet.json").write_text("{")
    with pytest.raises(FormatError, match="not written by genotex"):
        read_linked_parquet(tmp_path / "y.parquet")


def test_twin_refuses_a_sample_that_occurs_twice(tmp_path):
    table = linked(samples=2)
    twice = LinkedTable("T", ("a", "a"), table.trait_values, {}, table.genes, table.expression)
    with pytest.raises(FormatError, match="a occurs twice"):
        write_linked_parquet(tmp_path / "x.parquet", twice)
