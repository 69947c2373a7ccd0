"""Series matrices: header lines of quoted cells, and the table."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.formats import LineReader, read_series_matrix
from genotex.formats.geo.series_matrix import read_header, split_cells
from tests.formats.geo_files import ROWS, SAMPLES, family_text, matrix_text, write


def read(tmp_path, text, **options):
    return read_series_matrix(write(tmp_path / "GSE1_series_matrix.txt", text), **options)


def test_series_matrix_of_geo_form(tmp_path):
    series = read(tmp_path, matrix_text())
    assert (series.accession, series.title, series.platform) == ("GSE1", "Synovial tissue", "GPL96")
    assert series.summary == "First part.\nSecond part."
    assert series.samples == SAMPLES
    assert series.sample_fields["title"] == (("patient GSM1", "patient GSM2", "patient GSM3"),)
    assert series.expression is not None
    assert series.expression.samples == SAMPLES
    assert series.expression.values.dtype == np.float64
    assert series.expression.values.tolist() == [[float(c) for c in row[1:]] for row in ROWS]


def test_series_matrix_without_its_table_stops_above_the_rows(tmp_path):
    series = read(tmp_path, matrix_text(end="") + "bad\trow\n" * 9, expression=False)
    assert series.expression is None
    assert series.samples == SAMPLES


@pytest.mark.parametrize("cell", ["4", "four"])
def test_series_matrix_without_its_numbers_has_the_same_ids(tmp_path, cell):
    rows = [("a", "1", "2", "3"), ("", "1", "2", "3"), ("b", cell, cell), ("a", "7", "8", "9")]
    series = read(tmp_path, matrix_text(rows=rows), numbers=False)
    assert series.samples == SAMPLES
    assert series.expression is not None
    assert (series.expression.ids, series.expression.samples) == (("a", "b"), ())
    assert series.expression.values.shape == (2, 0)


def test_series_matrix_without_its_numbers_is_read_to_its_end(tmp_path):
    with pytest.raises(TruncatedFileError):
        read(tmp_path, matrix_text(end=""), numbers=False)
    with pytest.raises(FormatError, match="5 cells in a table of 4 columns"):
        read(tmp_path, matrix_text(rows=[("a", "1", "2", "3", "4")]), numbers=False)


def test_series_matrix_that_ends_above_the_table(tmp_path):
    text = matrix_text().partition("!series_matrix_table_begin")[0]
    with pytest.raises(TruncatedFileError, match="above the table"):
        read(tmp_path, text, expression=False)


@pytest.mark.parametrize("content", ["", "\n\n", "\N{BOM}"])
def test_series_matrix_that_is_empty(tmp_path, content):
    with pytest.raises(TruncatedFileError, match="empty"):
        read(tmp_path, content)


def test_series_matrix_that_is_missing_or_a_folder(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        read_series_matrix(tmp_path / "absent.txt.gz")
    with pytest.raises(FormatError, match="directory"):
        read_series_matrix(tmp_path)


@pytest.mark.parametrize(
    ("content", "name"), [(b"PK\x03\x04...", "zip"), (b"BZh91", "bzip2"), (b"a\0b\0c", "binary")]
)
def test_series_matrix_that_is_another_kind_of_file(tmp_path, content, name):
    with pytest.raises(NotDataError, match=name):
        read_series_matrix(write(tmp_path / "m.gz", content))


def test_series_matrix_that_is_a_family_soft_file(tmp_path):
    with pytest.raises(FormatError, match="read it as family SOFT"):
        read(tmp_path, family_text())


def test_table_columns_in_another_order_than_the_samples(tmp_path):
    series = read(tmp_path, matrix_text(columns=["GSM3", "GSM1", "GSM2"]))
    assert series.expression is not None
    assert series.expression.samples == SAMPLES
    assert series.expression.values[0].tolist() == [380.9, 1045.9, 455.2]


def test_table_columns_and_samples_that_do_not_match(tmp_path):
    series = read(tmp_path, matrix_text(columns=["GSM1", "GSM9", "GSM3"]))
    assert series.samples == SAMPLES
    assert series.expression is not None
    assert series.expression.samples == ("GSM1", "GSM3")
    assert series.expression.values[0].tolist() == [455.2, 1045.9]
    assert series.notes == (
        "1 samples have no column in the table: GSM2",
        "1 columns of the table are not samples of the series and were left out: GSM9",
    )
    with pytest.raises(FormatError, match="no column of the table is a sample"):
        read(tmp_path, matrix_text(columns=["A", "B", "C"]))


def test_samples_are_named_by_the_table_when_the_header_does_not(tmp_path):
    text = "".join(
        line for line in matrix_text().splitlines(True) if "Sample_geo_accession" not in line
    )
    assert read(tmp_path, text).samples == SAMPLES


def test_table_row_with_too_few_cells_is_padded_and_noted(tmp_path):
    series = read(tmp_path, matrix_text(rows=[("a", "1", "2"), ("b", "3", "4", "5")]))
    assert series.expression is not None
    np.testing.assert_array_equal(series.expression.values, [[1, 2, np.nan], [3, 4, 5]])
    assert series.notes == (
        "1 table lines have too few cells, first line 14; their last cells were taken as missing",
    )


def test_table_row_with_too_many_cells(tmp_path):
    rows = [("a", "1", "2", "3", "", ""), ("b", "3", "4", "5", "6")]
    with pytest.raises(FormatError, match="5 cells in a table of 4 columns") as caught:
        read(tmp_path, matrix_text(rows=rows))
    assert caught.value.line == 15
    series = read(tmp_path, matrix_text(rows=rows[:1]))
    assert series.expression is not None
    assert series.expression.values.tolist() == [[1, 2, 3]]


def test_words_for_missing_values_far_below_the_first_rows(tmp_path):
    # The table is read in blocks, and words are looked for from the first block with one on.
    rows = [(f"p{i}", "1.5", "", "3") for i in range(60_000)]
    rows += [("a", "NA", "2", "null"), ("b", "-", "NaN", "4"), ("c", "5", "6", "four")]
    series = read(tmp_path, matrix_text(rows=rows))
    assert series.expression is not None
    last = series.expression.values[-4:]
    nan = np.nan
    assert np.array_equal(
        last, [[1.5, nan, 3], [nan, 2, nan], [nan, nan, 4], [5, 6, nan]], equal_nan=True
    )
    (note,) = series.notes
    assert note.startswith("1 cells are not numbers and were taken as missing, first 'four'")


@pytest.mark.parametrize("reserved", [0, 4096, 1 << 26])
def test_more_values_than_memory_was_set_aside_for(tmp_path, monkeypatch, reserved):
    monkeypatch.setattr("genotex.formats.tables._RESERVED", reserved)
    rows = [(f"{i}_at", str(i), str(-i), str(i / 8)) for i in range(20_000)]
    values = read_series_matrix(write(tmp_path / "m.txt", matrix_text(rows=rows))).expression.values
    assert values.tolist() == [[i, -i, i / 8] for i in range(20_000)]


def test_infinite_values_are_missing_and_counted(tmp_path):
    rows = [("a", "inf", "-Inf", "1e999"), ("b", "1e5", "+2", "-.5")]
    series = read(tmp_path, matrix_text(rows=rows))
    assert series.expression is not None
    np.testing.assert_array_equal(series.expression.values, [[np.nan] * 3, [1e5, 2, -0.5]])
    assert series.notes == ("3 infinite values were taken as missing",)


def test_rows_without_an_id_are_left_out(tmp_path):
    series = read(tmp_path, matrix_text(rows=[("", "1", "2", "3"), ("b", "4", "5", "6")]))
    assert series.expression is not None
    assert series.expression.ids == ("b",)
    assert series.notes == ("1 rows without an id were left out",)


def test_table_end_line_saved_by_a_spreadsheet(tmp_path):
    text = matrix_text(end="!series_matrix_table_end\t\t\t\r\n").replace("\n\n", "\n\t\t\t\n")
    assert read(tmp_path, text).samples == SAMPLES


def test_real_series_matrices(shared_data):
    parent = shared_data / "input" / "GEO" / "Osteoarthritis"
    series = read_series_matrix(parent / "GSE55457" / "GSE55457_series_matrix.txt.gz")
    assert series.expression is not None
    assert series.expression.values.shape == (22_283, 33)  # data/README.md
    assert len(series.characteristics) == 3
    column = series.samples.index("GSM1337304")
    assert [row[column] for row in series.characteristics] == [
        "gender: male",
        "age: 61",
        "clinical status: normal control",
    ]
    assert series.expression.ids[0] == "1007_s_at"
    assert series.expression.values[0, column] == 455.2
    assert not np.isnan(series.expression.values).any()
    assert series.notes == ()


@pytest.mark.parametrize("name", ["GSE55235", "GSE55457"])
def test_real_series_matrix_holds_what_pandas_reads(shared_data, name):
    path = shared_data / "input" / "GEO" / "Osteoarthritis" / name / f"{name}_series_matrix.txt.gz"
    matrix = read_series_matrix(path).expression
    assert matrix is not None
    frame = pd.read_csv(path, sep="\t", comment="!", index_col=0)
    assert matrix.ids == tuple(frame.index)
    assert matrix.samples == tuple(frame.columns)
    np.testing.assert_allclose(matrix.values, frame.to_numpy(), rtol=1e-14)


def test_real_series_matrices_that_are_traps(shared_data):
    rna_seq = read_series_matrix(shared_data / "traps" / "GSE157103_series_matrix.txt.gz")
    assert rna_seq.expression is not None
    assert rna_seq.expression.values.shape == (0, 126)
    glomeruli = read_series_matrix(shared_data / "traps" / "GSE30528_series_matrix.txt.gz")
    assert (glomeruli.platform, len(glomeruli.samples)) == ("GPL571", 22)
    circular = read_series_matrix(shared_data / "traps" / "GSE83521_series_matrix.txt.gz")
    assert circular.title.startswith("Circular RNA")


some = settings(max_examples=150, deadline=None)
TEXT = st.text('ab:, \n"\t!\xe9', max_size=9)


def can_be_told(value):
    """Not a quote before a tab or line end, which ends a cell, nor a line that opens a field."""
    return '"\t' not in value and '"\n' not in value


def quoted(cells):
    return "\t".join('"' + cell.replace('"', '""') + '"' for cell in cells)


def read_header_text(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        path.write_bytes(text.encode())
        with LineReader(path) as reader:
            return read_header(reader)


@some
@given(rows=st.lists(st.lists(TEXT.filter(can_be_told), min_size=1, max_size=4), max_size=4))
def test_quoted_cells_are_given_back(rows):
    body = "".join(f"!Sample_description\t{quoted(row)}\n" for row in rows)
    header = read_header_text(f'!Series_title\t"t"\n{body}!series_matrix_table_begin\n')
    found = [cells for _, _, cells in header.sample_lines]
    assert found == [[cell or None for cell in row] for row in rows]
    assert header.has_table
    assert not header.notes


@some
@given(text=st.text('a"\t\n', max_size=30))
def test_cells_over_several_lines_are_those_of_the_joined_text(text):
    """A value read line by line is the value that the whole text gives at once."""
    header = read_header_text(f"!Sample_description\t{text}\n!Sample_last\t1\n")
    cells = header.sample_lines[0][2]
    lines = text.split("\n")
    whole = next(
        (i for i in range(1, len(lines)) if not split_cells("\n".join(lines[:i]))[1]), len(lines)
    )
    assert cells == split_cells("\n".join(lines[:whole]))[0]
    assert header.sample_lines[-1][2] == ["1"]


@some
@given(before=st.lists(TEXT.filter(can_be_told), max_size=3), text=st.text('a "\n', max_size=12))
def test_an_open_quote_swallows_no_field(before, text):
    line = quoted(before) + "\t" * bool(before)
    header = read_header_text(
        f'!Sample_one\t{line}"{text}\n!Sample_two\t"x"\n!series_matrix_table_begin\n'
    )
    assert [name for name, _, _ in header.sample_lines] == ["one", "two"]
    assert header.has_table
    assert header.sample_lines[0][2][: len(before)] == [cell or None for cell in before]


def test_a_path_may_be_text(tmp_path):
    path = tmp_path / "GSE1_series_matrix.txt"
    path.write_text("nothing of GEO\n")
    with pytest.raises(FormatError):
        read_series_matrix(str(path))
