"""Expression tables as text lines: selected rows, and row counts."""

from pathlib import Path

import numpy as np
import pytest

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats import (
    count_lines,
    count_series_rows,
    read_series_lines,
    read_series_matrix,
    read_xena_lines,
)
from tests.formats.geo_files import write
from tests.geo_text import asthma, series_matrix, write_gz

ROWS = (
    '"a"\t1\t2\t3',
    "b\t4\tNA\t6",
    "",
    "c\t7\t8",
    '"a"\t3\t4\tnull',
    "d\tseven\t8\t9",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    text = series_matrix(characteristics=asthma(3), ids=())
    table = "\n".join(ROWS) + "\n!series_matrix_table_end"
    return write_gz(tmp_path / "x.txt.gz", text.replace("!series_matrix_table_end", table))


def test_ids_are_those_of_all_rows_each_once(path: Path) -> None:
    assert read_series_lines(path).ids == ("a", "b", "c", "d")


def test_rows_of_one_id_are_averaged_and_short_lines_padded(path: Path) -> None:
    found = read_series_lines(path).read_rows({"c", "a"})
    assert (found.ids, found.samples) == (("a", "c"), ("GSM1", "GSM2", "GSM3"))
    assert np.array_equal(found.values, [[2, 3, 3], [7, 8, np.nan]], equal_nan=True)


def test_no_row_is_asked_for(path: Path) -> None:
    assert read_series_lines(path).read_rows(()).values.shape == (0, 3)


def test_rows_are_those_of_the_whole_table(tmp_path: Path) -> None:
    path = write_gz(tmp_path / "x.txt.gz", series_matrix(characteristics=asthma(9)))
    whole = read_series_matrix(path).expression
    assert whole is not None
    some = read_series_lines(path).read_rows(whole.ids[3:20:4])
    assert some.ids == whole.ids[3:20:4]
    assert np.array_equal(some.values, whole.values[3:20:4])


def test_columns_are_in_the_order_of_the_samples(tmp_path: Path) -> None:
    text = series_matrix(characteristics=asthma(3), ids=("a",), slope=1)
    swapped = text.replace('ID_REF"\t"GSM1"\t"GSM2"', 'ID_REF"\t"GSM2"\t"GSM1"')
    path = write_gz(tmp_path / "x.txt.gz", swapped)
    whole = read_series_matrix(path).expression
    assert whole is not None
    assert np.array_equal(read_series_lines(path).read_rows(["a"]).values, whole.values)


def test_table_that_is_mostly_text_is_refused(path: Path) -> None:
    with pytest.raises(FormatError, match="are not numbers"):
        read_series_lines(path).read_rows({"d"})


def test_line_with_too_many_cells_is_refused_where_it_is_asked_for(tmp_path: Path) -> None:
    text = series_matrix(characteristics=asthma(3), ids=("a", "b"))
    path = write_gz(tmp_path / "x.txt.gz", text.replace('"a"', '"a"\t1'))
    lines = read_series_lines(path)
    assert lines.read_rows({"b"}).ids == ("b",)
    with pytest.raises(FormatError, match="5 cells in a table of 4 columns"):
        lines.read_rows({"a"})


def test_rows_of_xena_are_those_of_the_whole_table(tmp_path: Path) -> None:
    text = "\nsample\tTCGA-01\tTCGA-11\nA2M\t1\t2\nABO\t3\tNA\nACE\t5\t6\n"
    path = write_gz(tmp_path / "HiSeqV2.gz", text)
    lines = read_xena_lines(path)
    assert lines.ids == ("A2M", "ABO", "ACE")
    found = lines.read_rows({"ABO", "A2M"})
    assert (found.ids, found.samples) == (("A2M", "ABO"), ("TCGA-01", "TCGA-11"))
    assert np.array_equal(found.values, [[1, 2], [3, np.nan]], equal_nan=True)


@pytest.mark.parametrize("gz", [True, False])
@pytest.mark.parametrize(
    ("text", "lines"),
    [("a,b\n1,2\n", 2), ("a,b\n\n1,2\n \t\n3,4", 3), ("a,b\r\n1,2\r\n\r\n", 2)],
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
