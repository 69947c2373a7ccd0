"""Tables as spreadsheets save them."""

import csv
import datetime
from pathlib import Path

import openpyxl
import pytest

from genotex.clinical import load_pairs, read_sheet_table, write_sheet_table
from genotex.errors import SampleSheetError, UsageError

ROWS = [["GSM1", "case"], ["GSM2", "control, old"]]


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (b'sample,group\nGSM1,case\nGSM2,"control, old"\n', "commas"),
        (b"\xef\xbb\xbfsample;group\r\nGSM1;case\r\nGSM2;control, old\r\n", "semicolons"),
        (b"sample\tgroup\nGSM1\tcase\nGSM2\tcontrol, old\n", "tabs"),
        ("sample\tgroup\r\nGSM1\tcase\r\nGSM2\tcontrol, old\r\n".encode("utf-16"), "tabs"),
        (b"sep=;\r\nsample;group\r\nGSM1;case\r\nGSM2;control, old\r\n", "semicolons"),
        (b'sample,group\n\nGSM1,case\n,,\n GSM2 ,"control, old" \n', "commas"),
    ],
    ids=["comma", "excel semicolon", "tab", "unicode text", "sep line", "empty rows"],
)
def test_text_of_any_spreadsheet_is_the_same_table(
    tmp_path: Path, content: bytes, form: str
) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    table = read_sheet_table(path)
    assert table.headers == ("sample", "group") and form in table.form
    assert [[row["sample"], row["group"]] for row in table.rows] == ROWS


def test_rows_have_the_numbers_of_the_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text('sample,group\n"GSM\n1",case\n\nGSM2,case\n')
    assert [row.number for row in read_sheet_table(path).rows] == [2, 4]


def test_empty_columns_at_the_end_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("sample,group,age\nGSM1,case\nGSM2\n")
    assert [row["age"] for row in read_sheet_table(path).rows] == ["", ""]


def test_letters_of_other_languages_survive_ansi_and_utf8(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes("sample,title\nGSM1,Sjögren\n".encode("cp1252"))
    assert read_sheet_table(path).rows[0]["title"] == "Sjögren"
    write_sheet_table(path, ["sample", "title"], [["GSM1", "Sjögren"]])
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert read_sheet_table(path).rows[0]["title"] == "Sjögren"


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.xlsx"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    cells = [["GSM1", 'a, "b"; c', "45.5", "007"], ["GSM2", "two\nlines", "", "1e5"]]
    write_sheet_table(tmp_path / name, ["sample", "title", "age", "code"], cells)
    table = read_sheet_table(tmp_path / name)
    assert [list(row.cells.values()) for row in table.rows] == cells


@pytest.mark.parametrize("name", ["s.csv", "s.xlsx"])
def test_texts_of_submitters_are_no_formulas(tmp_path: Path, name: str) -> None:
    text = '=HYPERLINK("http://example.org")'
    rows = [["GSM1", text], ["-5", "-/-"], ["'-2+3", "@SUM(A1)"], ["+1,5", "''=1"]]
    write_sheet_table(tmp_path / name, ["sample", "=title"], rows)
    table = read_sheet_table(tmp_path / name)
    assert table.headers == ("sample", "=title")
    assert [[row["sample"], row["=title"]] for row in table.rows] == rows
    if name == "s.csv":
        with (tmp_path / name).open(encoding="utf-8", newline="") as handle:
            assert list(csv.reader(handle)) == [
                ["sample", "'=title"],
                ["GSM1", f"'{text}"],
                ["-5", "-/-"],
                ["''-2+3", "'@SUM(A1)"],
                ["+1,5", "'''=1"],
            ]
    if name == "s.xlsx":
        sheet = openpyxl.load_workbook(tmp_path / name).active
        assert sheet["B2"].data_type == "s"


def test_workbook_with_numbers_dates_and_another_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["notes of mine"])
    sheet = book.create_sheet("corrected")
    sheet.append(["Sample", "age", "when", "exclude"])
    sheet.append([17.0, 45.5, datetime.datetime(2024, 5, 3), True])
    book.save(tmp_path / "s.xlsx")
    table = read_sheet_table(tmp_path / "s.xlsx")
    assert "'corrected' of 2" in table.form
    assert list(table.rows[0].cells.values()) == ["17", "45.5", "2024-05-03", "true"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xd0\xcf\x11\xe0 old", "old Excel workbook"),
        (b"PK\x03\x04 broken", "not an Excel workbook"),
        (b"\0\1\2", "not a table of text"),
        (b"\n\n", "has no rows"),
        (b"sample,group\nGSM1,case,extra\n", "row 2 has 3 cells, and the header has 2"),
        (b"sample,Group,group\nGSM1,case,case\n", "'Group' and 'group' twice"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, why: str
) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    with pytest.raises(SampleSheetError, match=why):
        read_sheet_table(path)


def test_missing_library_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(UsageError, match="pip install openpyxl"):
        write_sheet_table(tmp_path / "s.xlsx", ["sample"], [])


def test_pairs_are_loaded_by_sample(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("Pair;Sample\nP1;GSM1\nP1;GSM2\n;GSM3\n")
    assert load_pairs(path) == {"GSM1": "P1", "GSM2": "P1"}
    path.write_text("sample,pair\nGSM1,P1\nGSM1,P2\n")
    with pytest.raises(SampleSheetError, match="row 3: GSM1 is there twice"):
        load_pairs(path)
    path.write_text("sample,person\nGSM1,P1\n")
    with pytest.raises(SampleSheetError, match="no column pair"):
        load_pairs(path)
