"""Numbers of rows of tables of text."""

from pathlib import Path

import pytest

from genotex.errors import TruncatedFileError
from genotex.formats import count_lines, count_series_rows, read_series_matrix
from tests.formats.geo_files import write
from tests.geo_text import asthma, series_matrix


@pytest.mark.parametrize("gz", [True, False])
@pytest.mark.parametrize(
    ("text", "lines"), [("a,b\n1,2\n", 2), ("a,b\n\n1,2\n \t\n3,4", 3), ("a,b\r\n1,2\r\n\r\n", 2)]
)
def test_blank_lines_are_not_counted(tmp_path: Path, text: str, lines: int, gz: bool) -> None:
    assert count_lines(write(tmp_path / "x", text, gz=gz)) == lines


def test_table_of_several_blocks(tmp_path: Path) -> None:
    text = "".join(f"gene{i},{'1' * 500}\n" for i in range(30_000))
    assert count_lines(write(tmp_path / "x", text)) == 30_000


@pytest.mark.parametrize("number", [0, 1, 30])
def test_rows_of_a_series_matrix(tmp_path: Path, number: int) -> None:
    text = series_matrix(characteristics=asthma(3), ids=[f"p{i}" for i in range(number)])
    assert count_series_rows(write(tmp_path / "x", text)) == number


@pytest.mark.parametrize("before", ["", "\n", "\n\n"])
def test_value_that_is_no_number_is_named_by_its_line_in_the_file(
    tmp_path: Path, before: str
) -> None:
    text = series_matrix(characteristics=asthma(3))
    lines = text.splitlines()
    last = lines.index("!series_matrix_table_end") - 1
    cells = lines[last].split("\t")
    lines[last - 3] = before + lines[last - 3]
    lines[last] = "\t".join([*cells[:2], "high", *cells[3:]])
    path = write(tmp_path / "x", "\n".join(lines) + "\n")
    number = last + 1 + len(before)
    expected = f"1 cells are not numbers and were taken as missing, first 'high' in line {number}"
    assert any(expected in note for note in read_series_matrix(path).notes)


def test_series_matrix_without_even_a_table_header(tmp_path: Path) -> None:
    text = series_matrix(characteristics=asthma(3), ids=())
    text = text.replace('ID_REF"', "").replace('"ID_REF', "")
    begin, end = "!series_matrix_table_begin\n", "!series_matrix_table_end"
    bare = text[: text.index(begin)] + begin + text[text.index(end) :]
    assert count_series_rows(write(tmp_path / "x", bare)) == 0


def test_series_matrix_that_ends_within_its_table(tmp_path: Path) -> None:
    text = series_matrix(characteristics=asthma(3))
    with pytest.raises(TruncatedFileError, match="!series_matrix_table_end is missing"):
        count_series_rows(write(tmp_path / "x", text[: text.index("!series_matrix_table_end")]))
