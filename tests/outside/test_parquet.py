"""Parquet: what polars writes is read as polars reads it; what lies is refused before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import FileLimitError, FormatError
from genotex.outside import check_parquet, read_parquet
from tests.attacks.files import parquet

_TABLE = pl.DataFrame(
    {
        "name": [f"gene {i}" for i in range(3000)],
        "value": np.random.default_rng(1).normal(size=3000),
        "count": list(range(3000)),
        "few": ["a", "b", None] * 1000,
        "flag": [True, None, False] * 1000,
        "day": pl.Series([18000 + i for i in range(3000)]).cast(pl.Date),
        "nothing": [None] * 3000,
    }
).with_columns(pl.col("few").cast(pl.Categorical).alias("kind"))


@pytest.mark.parametrize("compression", ["zstd", "snappy", "lz4", "gzip", "brotli", "uncompressed"])
@pytest.mark.parametrize("options", [{}, {"row_group_size": 700}, {"statistics": False}])
def test_honest_files_are_read(tmp_path: Path, compression: Any, options: dict[str, Any]) -> None:
    path = tmp_path / "t.parquet"
    _TABLE.write_parquet(path, compression=compression, **options)
    assert read_parquet(path).equals(_TABLE)
    assert read_parquet(path.read_bytes()).equals(_TABLE)
    chosen = read_parquet(path, columns=("value", "absent", "name"))
    assert sorted(chosen.columns) == ["name", "value"]


def test_a_table_without_rows_or_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    for table in (_TABLE.clear(), _TABLE.head(1), pl.DataFrame()):
        table.write_parquet(path)
        assert read_parquet(path).shape == table.shape


def test_lists_are_read_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pl.DataFrame({"a": ["x", "y"], "b": [["p", "q"], []], "c": [{"d": 1}, {"d": 2}]})
    table.write_parquet(path)
    assert read_parquet(path, lists=True).equals(table)
    assert read_parquet(path, columns=["a"])["a"].to_list() == ["x", "y"]
    for column, what in (("b", "lists"), ("c", "structures")):
        with pytest.raises(FormatError, match=f"column '{column}' holds {what}"):
            read_parquet(path, columns=["a", column])


def test_the_file_that_was_checked_is_the_file_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "t.parquet", tmp_path / "other.parquet"
    pl.DataFrame({"x": [1.0]}).write_parquet(path)
    pl.DataFrame({"x": [9.0] * 5}).write_parquet(other)

    def replaced(*given: Any, **how: Any) -> Any:
        found = check_parquet(*given, **how)
        other.replace(path)
        return found

    monkeypatch.setattr("genotex.outside.parquet.check_parquet", replaced)
    assert read_parquet(path)["x"].to_list() == [1.0]


def test_values_in_lists_have_a_limit(tmp_path: Path, set_limits: Callable[..., None]) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [[1.0] * 500] * 4}).write_parquet(path)
    set_limits(cells=1000)
    with pytest.raises(FileLimitError, match="has 2,000 values in lists"):
        read_parquet(path, lists=True)


def test_a_file_written_by_hand_that_does_not_lie(tmp_path: Path) -> None:
    with parquet()(tmp_path).open("rb") as handle:
        shape = check_parquet(handle, Path("t.parquet"))
    assert (shape.rows, shape.names) == (10, ("x",))


@given(st.data())
def test_any_change_of_a_byte_is_read_or_an_error_of_ours(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("p")
    path = folder / "t.parquet"
    _TABLE.head(20).select("name", "value").write_parquet(path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        with path.open("rb") as handle:
            check_parquet(handle, path)
    except FormatError:
        pass
