"""Single cells are added up to what numpy adds up, in pieces, and only where they are counts."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from anndata import AnnData
from scipy.sparse import csc_matrix, csr_matrix

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats import SeriesFile, listed_files, matrix_market, sum_cells
from genotex.outside import stored_file

GENES = [f"G{i}" for i in range(50)]
STREAM = np.random.default_rng(4)
COUNTS = STREAM.poisson(0.7, size=(90, 50))  # cells x genes
DONORS = np.repeat(["d1", "d2", "d3"], 30)
TYPES = np.tile(["T cell", "B cell"], 45)


def write_triplet(
    folder: Path, entries: str | None = None, sizes: str | None = None
) -> list[SeriesFile]:
    rows, cells = np.nonzero(COUNTS.T)
    values = COUNTS.T[rows, cells]
    text = entries or "".join(
        f"{r + 1} {c + 1} {v}\n" for r, c, v in zip(rows, cells, values, strict=True)
    )
    head = "%%MatrixMarket matrix coordinate integer general\n"
    size = sizes or f"50 90 {len(values)}\n"
    files = {
        "GSM1_matrix.mtx.gz": head + size + text,
        "GSM1_genes.tsv.gz": "".join(f"ENSG{i}\t{g}\n" for i, g in enumerate(GENES)),
        "GSM1_barcodes.tsv.gz": "".join(f"AAAC{j}-1\n" for j in range(90)),
    }
    for name, body in files.items():
        (folder / name).write_bytes(gzip.compress(body.encode()))
    return listed_files(stored_file(folder / name) for name in files)


def write_h5ad(path: Path, matrix: object, **layers: object) -> list[SeriesFile]:
    obs = pd.DataFrame({"batch": DONORS, "cell_type": TYPES, "n_genes": np.arange(90.0)})
    obs.index = [f"cell{i}" for i in range(90)]
    data = AnnData(matrix, obs=obs, var=pd.DataFrame(index=GENES), layers=layers)
    data.write_h5ad(path)
    return listed_files([stored_file(path)])


def donors(names: object) -> int:
    return sum(name in set(DONORS) for name in names)  # type: ignore[attr-defined]


def values(table: object) -> np.ndarray:
    return table.columns[:, 2:].to_numpy()  # type: ignore[attr-defined, no-any-return]


def test_a_triplet_is_added_up_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_market, "AT_ONCE", 64)
    table = sum_cells(write_triplet(tmp_path))
    assert table.header == ("ID", "Gene symbol", "GSM1")
    assert values(table)[:, 0].tolist() == COUNTS.sum(axis=0).tolist()


@pytest.mark.parametrize("form", [csr_matrix, csc_matrix, np.asarray])
def test_anndata_is_added_up_by_the_samples_of_the_series(tmp_path: Path, form: object) -> None:
    made = form(COUNTS.astype(np.float32))  # type: ignore[operator]
    table = sum_cells(write_h5ad(tmp_path / "GSE1_x.h5ad", made), donors)
    assert table.header[2:] == ("d1", "d2", "d3")
    assert np.array_equal(
        values(table).T, [COUNTS[d == DONORS].sum(axis=0) for d in ("d1", "d2", "d3")]
    )


def test_by_cell_type_and_of_one_cell_type(tmp_path: Path) -> None:
    files = write_h5ad(tmp_path / "x.h5ad", csr_matrix(COUNTS.astype(float)))
    table = sum_cells(files, donors, by_type=True)
    assert table.header[2:4] == ("d1 | B cell", "d1 | T cell")
    own = (DONORS == "d1") & (TYPES == "T cell")
    assert values(table)[:, 1].tolist() == COUNTS[own].sum(axis=0).tolist()
    only = sum_cells(files, donors, cell_type="T cell")
    assert only.header[2:] == ("d1", "d2", "d3")
    assert values(only)[:, 0].tolist() == COUNTS[own].sum(axis=0).tolist()
    with pytest.raises(FormatError, match="there are B cell, T cell"):
        sum_cells(files, donors, cell_type="NK")


def test_counts_of_a_layer_are_taken_and_normalised_cells_refused(tmp_path: Path) -> None:
    logged = np.log1p(COUNTS)
    table = sum_cells(write_h5ad(tmp_path / "a.h5ad", logged, counts=csr_matrix(COUNTS)), donors)
    assert values(table).sum() == COUNTS.sum()
    with pytest.raises(FormatError, match="no counts in X"):
        sum_cells(write_h5ad(tmp_path / "b.h5ad", logged), donors)


def test_no_column_or_two_that_name_samples_are_refused(tmp_path: Path) -> None:
    files = write_h5ad(tmp_path / "a.h5ad", csr_matrix(COUNTS.astype(float)))
    with pytest.raises(FormatError, match="no column of obs names the samples"):
        sum_cells(files, lambda names: 0)
    obs = pd.DataFrame({"donor": DONORS, "patient": DONORS[::-1]}, index=map(str, range(90)))
    AnnData(csr_matrix(COUNTS.astype(float)), obs=obs).write_h5ad(tmp_path / "b.h5ad")
    with pytest.raises(FormatError, match="'donor' and 'patient' both name"):
        sum_cells(listed_files([stored_file(tmp_path / "b.h5ad")]), donors)


@pytest.mark.parametrize(
    ("entries", "sizes", "words"),
    [
        ("1 1 2.5\n", "50 90 1\n", "not whole numbers"),
        ("1 1 -2\n", "50 90 1\n", "negative"),
        ("51 1 2\n", "50 90 1\n", "outside the sizes"),
        ("1 0 2\n", "50 90 1\n", "outside the sizes"),
        ("1 1 2\n", "50 90 2\n", "1 of the 2 values"),
        ("1 1 2\n", "49 90 1\n", "49 x 90 values for 50 genes and 90 cells"),
        ("1 1 two\n", "50 90 1\n", "not row, column and count"),
        ("1 1\n", "50 90 1\n", "not row, column and count"),
        ("1 1 2\n", "fifty\n", "no sizes"),
    ],
)
def test_a_wrong_matrix_is_refused(tmp_path: Path, entries: str, sizes: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        sum_cells(write_triplet(tmp_path, entries, sizes))


def test_a_cut_matrix_and_a_missing_part_are_refused(tmp_path: Path) -> None:
    files = write_triplet(tmp_path)
    matrix = tmp_path / "GSM1_matrix.mtx.gz"
    matrix.write_bytes(matrix.read_bytes()[:-20])
    with pytest.raises(TruncatedFileError):
        sum_cells(listed_files(each.stored for each in files if each.stored))
    with pytest.raises(FormatError, match=r"without features\.tsv"):
        sum_cells([each for each in files if "genes" not in each.name])


GOLDEN = Path(__file__).parents[1] / "fixtures" / "cell_sums"


@pytest.mark.parametrize(
    ("files", "expected", "by_type"),
    [
        ("cells.h5ad", "scanpy", False),
        ("cells.h5ad", "decoupler", True),
        ("GSM1_*", "scanpy_h5", False),
        ("GSM2_*", "scanpy_mtx", False),
    ],
)
def test_sums_equal_those_of_scanpy_and_decoupler(files: str, expected: str, by_type: bool) -> None:
    # python -m benchmarks golden_cell_sums
    given = listed_files(stored_file(path) for path in sorted(GOLDEN.glob(files)))
    table = sum_cells(given, lambda names: sum(n[:1] == "P" for n in names), by_type=by_type)
    golden = pd.read_csv(GOLDEN / f"{expected}.csv")
    found = pd.DataFrame(values(table), columns=table.header[2:])
    assert sorted(found.columns) == sorted(golden.columns)
    pd.testing.assert_frame_equal(found, golden[found.columns].astype(float))
