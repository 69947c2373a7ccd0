"""Tables as people save them: dialects of text, packing, workbooks, Parquet, data frames."""

from __future__ import annotations

import bz2
import datetime
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pandas as pd
import polars as pl
import pytest

from genotex.errors import FormatError, NotDataError, TruncatedFileError, UsageError
from genotex.formats import TableFile, read_table_file

PLAIN = "gene\tA\tB\nTP53\t1.5\t2\nMYC\tNA\t-3e2\n"


def _read(path: Path, text: str) -> TableFile:
    path.write_text(text)
    return read_table_file(path)


def _values(table: TableFile) -> list[tuple[object, ...]]:
    return table.columns.rows()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tabs.tsv", PLAIN),
        ("commas.csv", PLAIN.replace("\t", ",")),
        ("semicolons.csv", PLAIN.replace("\t", ";")),
        ("spaces.txt", PLAIN.replace("\t", " ")),
        ("aligned.txt", PLAIN.replace("\t", "    ")),
        ("quoted.csv", '"gene","A","B"\n"TP53","1.5","2"\n"MYC","NA","-3e2"\n'),
        ("german.csv", "gene;A;B\nTP53;1,5;2\nMYC;NA;-3e2\n"),
        ("german.txt", "gene\tA\tB\nTP53\t1,5\t2\nMYC\tNA\t-3e2\n"),
        ("comments.txt", "# made by a program\n# in 2024\n" + PLAIN),
        ("excel.csv", "sep=;\n" + PLAIN.replace("\t", ";")),
        ("windows.tsv", PLAIN.replace("\n", "\r\n")),
        ("mark.csv", "\ufeff" + PLAIN.replace("\t", ",")),
        ("blanks.csv", "gene, A, B\nTP53, 1.5, 2\nMYC, n/a , -3e2\n"),
        ("no_line_end.tsv", PLAIN.rstrip("\n")),
        ("hash.tsv", "#" + PLAIN),
        ("trailing.tsv", PLAIN.replace("\n", "\t\n")),
        ("trailing_rows.csv", "gene,A,B\nTP53,1.5,2,\nMYC,NA,-3e2,\n"),
    ],
)
def test_every_dialect_gives_the_same_table(tmp_path: Path, name: str, text: str) -> None:
    table = _read(tmp_path / name, text)
    assert table.header == ("gene", "A", "B")
    assert _values(table) == [("TP53", 1.5, 2.0), ("MYC", None, -300.0)]


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        ("", lambda data: data.decode().encode("utf-16")),
    ],
)
def test_packed_text(tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"table.tsv{ending}"
    path.write_bytes(pack(PLAIN.encode()))
    assert _values(read_table_file(path))[0] == ("TP53", 1.5, 2.0)


def test_zstd(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv.zst"
    path.write_bytes(_zstd_of(PLAIN.encode()))
    assert _values(read_table_file(path))[1] == ("MYC", None, -300.0)


def _zstd_of(data: bytes) -> bytes:
    """Return a zstd frame of one block that is not compressed (RFC 8878, 3.1.1)."""
    block = (len(data) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd" + b"\x20" + bytes([len(data)]) + block + data


def test_a_damaged_archive(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(gzip.compress(PLAIN.encode() * 100)[:-20])
    with pytest.raises(TruncatedFileError, match=r"table\.tsv\.gz: the gzip data end too early"):
        read_table_file(path)


def test_row_names_of_r_leave_the_header_one_cell_short(tmp_path: Path) -> None:
    table = _read(tmp_path / "r.txt", '"A" "B"\n"TP53" 1.5 2\n"MYC" NA 3\n')
    assert table.header == ("", "A", "B")
    assert any("one cell short" in note for note in table.notes)


def test_commas_between_thousands(tmp_path: Path) -> None:
    table = _read(tmp_path / "t.tsv", "gene\tA\tB\nTP53\t1,234\t1,234,567\nMYC\t12\t5,000\n")
    assert _values(table) == [("TP53", 1234.0, 1234567.0), ("MYC", 12.0, 5000.0)]


def test_commas_between_thousands_of_whole_numbers(tmp_path: Path) -> None:
    table = _read(tmp_path / "t.tsv", "gene\tA\tB\nTP53\t1,234\t999\nMYC\t12\t5,000\n")
    assert _values(table) == [("TP53", 1234.0, 999.0), ("MYC", 12.0, 5000.0)]


def test_three_decimals_after_commas(tmp_path: Path) -> None:
    table = _read(tmp_path / "t.tsv", "gene\tA\tB\nTP53\t1,234\t0,999\nMYC\t12\t5,000\n")
    assert _values(table) == [("TP53", 1.234, 0.999), ("MYC", 12.0, 5.0)]


def test_rows_without_their_empty_cells_at_the_end(tmp_path: Path) -> None:
    table = _read(tmp_path / "t.tsv", "id\tgroup\tnote\nA\tx\nB\ty\tgood\nC\tx\n")
    assert _values(table) == [("A", "x", None), ("B", "y", "good"), ("C", "x", None)]


def test_a_quotation_mark_within_a_cell(tmp_path: Path) -> None:
    table = _read(tmp_path / "t.tsv", 'id\tnote\tdose\nA\t"5 cm\t1\nB\tx\t2\n')
    assert [row[2] for row in _values(table)] == [1.0, 2.0]
    with pytest.raises(FormatError, match="line 2: 3 cells in a table of 2 columns"):
        _read(tmp_path / "t.csv", 'id,note\nA,"5, x\nB,y\nC,z\nD,y\nE,y\nF,u\n')


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_signs_between_quotes_separate_nothing(tmp_path: Path, end: str) -> None:
    # As a sample sheet whose reasons are lists.
    lines = ["sample,group,why", 'GSM1,case,"a; b ""c"" (d, e)"', 'GSM2,control,"f; g"', ""]
    path = tmp_path / "sheet.csv"
    path.write_text(end.join(lines), newline="")
    table = read_table_file(path)
    assert table.header == ("sample", "group", "why")
    assert _values(table)[1] == ("GSM2", "control", "f; g")


def test_a_file_cut_within_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(TruncatedFileError, match="the last line is cut off"):
        _read(tmp_path / "t.tsv", PLAIN + "EGFR\t3")


def test_a_gct_file(tmp_path: Path) -> None:
    text = "#1.2\n2\t2\nName\tDescription\tA\tB\nENSG1\tTP53\t1\t2\nENSG2\tMYC\t3\t4\n"
    table = _read(tmp_path / "t.gct", text)
    assert table.header == ("Name", "Description", "A", "B")
    assert _values(table)[1] == ("ENSG2", "MYC", 3.0, 4.0)


def test_text_further_down_leaves_the_column_as_text(tmp_path: Path) -> None:
    rows = "".join(f"G{i}\t{i}\t{i}.5\n" for i in range(400))
    table = _read(tmp_path / "t.tsv", "gene\tA\tB\n" + rows + "MYC\thigh\t3\n")
    assert table.columns.dtypes == [pl.String, pl.String, pl.Float64]
    assert table.columns["c1"][-1] == "high"


def test_repeated_column_names_are_kept(tmp_path: Path) -> None:
    assert _read(tmp_path / "t.csv", "gene,A,A\nTP53,1,2\n").header == ("gene", "A", "A")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("empty.csv", "", "empty"),
        ("header.csv", "gene,A,B\n", "no rows"),
        ("one.csv", "gene\nTP53\nMYC\n", "several columns"),
        (
            "wide.csv",
            "gene,A\nTP53,1\nMYC,2\nEGFR,1,2,3\nKRAS,4\nTNF,5\nIL6,4\n",
            "line 4: 4 cells",
        ),
    ],
)
def test_what_is_no_table(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        _read(tmp_path / name, text)


def test_a_web_page(tmp_path: Path) -> None:
    with pytest.raises(NotDataError, match="HTML"):
        _read(tmp_path / "t.csv", "<!DOCTYPE html><html><body>sorry</body></html>")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("table.xls", r"save it .* as \.xlsx"),
        ("GSM1.CEL.gz", "oligo or affy"),
        ("table.doc", r"give one of \.csv"),
        ("table", "without ending"),
        ("missing.csv", "does not exist"),
    ],
)
def test_names_that_cannot_be_read(tmp_path: Path, name: str, words: str) -> None:
    if name != "missing.csv":
        (tmp_path / name).write_text("x")
    with pytest.raises(UsageError, match=words):
        read_table_file(tmp_path / name)


def test_a_workbook_with_a_title_dates_and_a_second_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active.append(["see the other sheet"])
    sheet = book.create_sheet("values")
    sheet.append(["Supplementary Table 1"])
    sheet.append([])
    sheet.append(["gene", "A", "B"])
    sheet.append(["TP53", 1.5, 2])
    sheet.append([datetime.datetime(2024, 3, 1), None, "NA"])
    sheet.append([7157, 3, "4"])
    book.save(tmp_path / "t.xlsx")
    table = read_table_file(tmp_path / "t.xlsx")
    assert table.form == "Excel workbook, sheet 'values' of 2"
    assert table.header == ("gene", "A", "B")
    assert _values(table) == [("TP53", 1.5, 2.0), ("2024-03-01", None, None), ("7157", 3.0, 4.0)]
    assert table.first_line == 4


def test_a_damaged_workbook(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(FormatError, match="not an Excel workbook"):
        read_table_file(tmp_path / "t.xlsx")


def test_parquet_with_row_names_of_pandas(tmp_path: Path) -> None:
    frame = pl.DataFrame({"A": [1.5], "B": [2], "__index_level_0__": ["TP53"]})
    frame.write_parquet(tmp_path / "t.parquet")
    table = read_table_file(tmp_path / "t.parquet")
    assert table.header == ("", "A", "B")
    assert _values(table) == [("TP53", 1.5, 2.0)]
    (tmp_path / "u.parquet").write_bytes(b"nothing")
    with pytest.raises(FormatError, match="not a Parquet file"):
        read_table_file(tmp_path / "u.parquet")


def test_a_pandas_frame_with_row_names(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"A": [1.5, None], "B": [2, 3], "note": pd.Categorical(["x", None])}, index=["TP53", "MYC"]
    )
    table = read_table_file(frame, label="the expression table")
    assert table.header == ("", "A", "B", "note")
    assert _values(table) == [("TP53", 1.5, 2.0, "x"), ("MYC", None, 3.0, None)]
    assert (table.path, table.label) == (None, "the expression table")


def test_all_cells_stay_text_on_request(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("sample,code\n1,007\n2,008\n")
    table = read_table_file(tmp_path / "s.csv", numbers=False)
    assert _values(table) == [("1", "007"), ("2", "008")]


def test_what_is_no_data_frame() -> None:
    with pytest.raises(UsageError, match="a list is not a table"):
        read_table_file([1, 2])
