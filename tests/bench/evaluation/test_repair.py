from pathlib import Path

import numpy as np
import pytest

from genotex.bench.evaluation.preprocessing import Shape, first_cell, shape_of, transpose
from genotex.bench.evaluation.scores import Table
from genotex.formats.csv_tables import CsvTable


def shape(rows: str, columns: str, kind: Table = "clinical", corner: str = "") -> Shape:
    names = rows.split(), columns.split()
    table = CsvTable(*names, np.zeros((len(names[0]), len(names[1]))))
    return shape_of(table, corner, kind, "Asthma")


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("Asthma Age", "GSM1 GSM2"),
        ("Asthma", "patient1 patient2"),
        ("0 1", "GSM1 GSM2"),
        ("A B", "x y"),
        ("GSM1 GSM2", "GSM1 GSM2"),
        ("Asthma GSM1", "Age GSM2"),
    ],
)
def test_as_it_should_be_or_not_clear(rows: str, columns: str) -> None:
    assert shape(rows, columns) == "as it should be"


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("TCGA-02-0047-01 TCGA-02-0055-01", "Asthma Gender"),
        ("GSM1 GSM2", "something else"),
        ("patient1 patient2", "x Age"),
    ],
)
def test_clearly_transposed(rows: str, columns: str) -> None:
    assert shape(rows, columns) == "transposed"
    assert shape(columns, rows) == "as it should be"
    assert shape(rows, columns, "linked") == "as it should be"
    assert shape(columns, rows, "linked") == "transposed"


def test_gene_tables_by_their_samples() -> None:
    assert shape("GSM1 GSM2", "A2M TP53", "gene") == "transposed"
    assert shape("A2M TP53", "GSM1 GSM2", "gene") == "as it should be"
    assert shape("7157 2", "GSM1 GSM2", "gene") == "as it should be", "Entrez ids are names"


def test_written_without_names() -> None:
    assert shape("0.0 30.0", "GSM2 GSM3", corner="GSM1") == "nameless"
    assert shape("nan 1e-3", "GSM2 GSM3", "gene", corner="GSM1") == "nameless"
    assert shape("1.0 0.0", "Age A2M", "linked", corner="Asthma") == "nameless"
    assert shape("Asthma Age", "GSM2 GSM3", corner="GSM1") == "as it should be"


def test_first_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"GSM,1",GSM2\n1,2\n')
    assert first_cell(path) == "GSM,1"


def test_transposing_exchanges_everything() -> None:
    table = CsvTable(["a"], ["x", "y"], np.array([[1.0, 2]]))
    turned = transpose(table)
    assert (turned.rows, turned.columns, turned.values.tolist()) == (["x", "y"], ["a"], [[1], [2]])
