"""Zip archives and workbooks: honest ones give their values, others are refused first."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from genotex.errors import FileLimitError, FormatError
from genotex.outside import check_zip, read_sheets
from tests.attacks.files import cells, workbook

PATH = Path("t.xlsx")


def values(data: bytes) -> dict[str, list[tuple[object, ...]]]:
    return read_sheets(io.BytesIO(data), PATH)


def test_every_sheet_gives_its_values_in_their_places(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    book.active["B3"] = "x"
    other = book.create_sheet("second")
    other.append([1, 2.5, None, "=1+1", True])
    book.save(tmp_path / "b.xlsx")
    found = values((tmp_path / "b.xlsx").read_bytes())
    assert [tuple(row) for row in found["first"]] == [(), (), (None, "x")]
    assert found["second"] == [(1, 2.5, None, None, True)]


def test_a_stated_range_is_not_believed() -> None:
    rows = cells(["a", 1]) + cells(["b", 2])
    assert values(workbook(rows, dimension="A1:XFD1048576"))["a"] == [("a", 1), ("b", 2)]
    assert values(workbook(rows, dimension="A1"))["a"] == [("a", 1), ("b", 2)]


def test_cells_have_a_limit(set_limits: Callable[..., None]) -> None:
    rows = cells(range(10)) * 10
    set_limits(workbook=110)
    assert len(values(workbook(rows))["a"]) == 10
    set_limits(workbook=100)
    with pytest.raises(FileLimitError, match="limit 'workbook'"):
        values(workbook(rows))


def test_entities_are_found_in_any_part_and_encoding() -> None:
    dtd = "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"
    for content in (dtd.encode(), dtd.encode("utf-16"), b"<!-- far -->" * 9000 + dtd.encode()):
        for name in ("xl/styles.xml", "docProps/core.xml", "xl/any.bin"):
            with pytest.raises(FormatError, match="document type or entities"):
                values(workbook(cells([1]), more={name: content}))


def test_a_member_that_is_damaged_is_an_error_of_ours() -> None:
    data = bytearray(workbook(cells(range(500)) * 20))
    at = data.find(b"xl/worksheets/sheet1.xml") + 60
    data[at : at + 100] = bytes(100)
    with pytest.raises(FormatError, match="not an Excel workbook"):
        values(bytes(data))


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "C:/a", "\\\\host\\a", "a\\b"])
def test_names_that_lead_out(name: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"")
    with pytest.raises(FormatError, match=r"leads out of the archive|absolute path or a backslash"):
        check_zip(file, PATH)


def test_plain_members_are_accepted() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("folder/a..b.txt", b"text")
    check_zip(file, PATH)
