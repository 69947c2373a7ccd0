"""A new table format is one file: nothing else lists the formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.cohorts import read_own_tables
from genotex.errors import UsageError
from genotex.formats import own_tables, read_table_file, table_formats

# Cells between tildes.
NEW_FORMAT = """
from genotex.formats import TableFile, TableFormat
import polars as pl

def read(path, numbers):
    header, *rows = (line.split("~") for line in path.read_text().splitlines())
    columns = [pl.Series(f"c{i}", [row[i] for row in rows]) for i in range(len(header))]
    values = columns[:1] + [column.cast(pl.Float64) for column in columns[1:]]
    return TableFile(path, path.name, "text with tildes", tuple(header), pl.DataFrame(values))

FORMATS = (TableFormat((".tilde",), read, ".tilde", rank=9),)
"""
GENES = ["TP53", "MYC", "EGFR", "BRCA1", "KRAS", "PTEN", "RB1", "VHL", "APC", "ATM", "KIT", "MET"]


@pytest.fixture
def new_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "tilde_tables.py").write_text(NEW_FORMAT)
    monkeypatch.setattr(own_tables, "__path__", [*own_tables.__path__, str(folder)])
    table_formats.cache_clear()
    yield
    table_formats.cache_clear()


@pytest.mark.usefixtures("new_format")
def test_own_tables_are_read_in_a_new_format(tmp_path: Path) -> None:
    names = [f"s{i}" for i in range(6)]
    lines = [["gene", *names]]
    lines += [
        [gene, *(f"{7 + (i * j) % 5 / 3:.3f}" for j in range(6))] for i, gene in enumerate(GENES)
    ]
    (tmp_path / "values.tilde").write_text("\n".join("~".join(line) for line in lines))
    (tmp_path / "samples.csv").write_text(
        "\n".join(["sample,age", *(f"{n},4{n[1]}" for n in names)])
    )
    tables = read_own_tables(tmp_path / "values.tilde", tmp_path / "samples.csv")
    assert set(tables.genes) == set(GENES)
    assert tables.samples == tuple(names)
    with pytest.raises(UsageError, match=r"\.RData, \.tilde"):
        read_table_file(tmp_path / "values.unknown")


def test_an_unknown_ending_lists_the_formats(tmp_path: Path) -> None:
    listed = (
        r"\.csv, \.tsv, \.txt \(also with \.gz, \.bz2, \.zst, \.xz\), \.xlsx, \.parquet, \.h5ad"
        r", \.rds, \.RData$"
    )
    with pytest.raises(UsageError, match=listed):
        read_table_file(tmp_path / "values.tilde")
