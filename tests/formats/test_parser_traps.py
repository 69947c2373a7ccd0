"""The format traps that broke public GEO tools, numbers 1 to 20 of the project's list."""

import gzip
import time
from pathlib import Path

import numpy as np
import pytest

from genotex.errors import FormatError, NotDataError, SuperSeriesError, TruncatedFileError
from genotex.formats import (
    read_clinical_matrix,
    read_family_soft,
    read_gene_csv,
    read_platforms,
    read_series_matrix,
    read_xena_expression,
)
from tests.formats.geo_files import (
    CHARACTERISTICS,
    ROWS,
    SAMPLES,
    SERIES_ENTITY,
    family_text,
    matrix_text,
    platform_text,
    read_in_blocks,
    sample_text,
    write,
)

READERS = [
    read_series_matrix,
    read_family_soft,
    read_platforms,
    read_clinical_matrix,
    read_xena_expression,
    read_gene_csv,
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("page", [b"<!DOCTYPE html><html>404</html>", b"\n  <html>captcha</html>"])
@pytest.mark.parametrize("gz", [True, False])
def test_trap_1_html_page_in_place_of_data(tmp_path, reader, page, gz):
    path = write(tmp_path / "GSE1_family.soft.gz", page, gz=gz)
    with pytest.raises(NotDataError, match="HTML") as caught:
        reader(path)
    assert str(path) in str(caught.value)
    assert "fetch the file again" in str(caught.value)


@pytest.mark.parametrize("kept", [3, 11, 60, -200, -9, -1])
def test_trap_2_gzip_cut_short(tmp_path, kept):
    data = gzip.compress(matrix_text().encode())
    path = write(tmp_path / "GSE1_series_matrix.txt.gz", data[:kept])
    with pytest.raises(TruncatedFileError, match="fetch the file again"):
        read_series_matrix(path)


def test_trap_2_plain_matrix_cut_short(tmp_path):
    path = write(tmp_path / "m.txt", matrix_text(end=""))
    with pytest.raises(TruncatedFileError, match="series_matrix_table_end is missing"):
        read_series_matrix(path)


def test_trap_2_damaged_gzip_is_not_read_as_data(tmp_path):
    data = bytearray(gzip.compress(matrix_text().encode()))
    data[-6] ^= 0xFF  # checksum
    with pytest.raises(TruncatedFileError, match="damaged"):
        read_series_matrix(write(tmp_path / "m.gz", bytes(data)))


def test_trap_3_and_4_characteristics_are_returned_as_in_the_file(tmp_path):
    shifted = (
        ("gender: male", "age: 45", "strain, sex: C57BL/6, male"),
        ("age: 61", "", "dose: a: 5"),
    )
    series = read_series_matrix(write(tmp_path / "m", matrix_text(characteristics=shifted)))
    assert series.characteristics == (
        ("gender: male", "age: 45", "strain, sex: C57BL/6, male"),
        ("age: 61", None, "dose: a: 5"),
    )


def test_trap_5_characteristics_without_a_key(tmp_path):
    series = read_series_matrix(
        write(tmp_path / "m", matrix_text(characteristics=[("male", "female", "x")]))
    )
    assert series.characteristics == (("male", "female", "x"),)


def test_trap_6_newline_inside_a_quoted_value(tmp_path):
    extra = '!Sample_description\t"one\ntwo"\t"a ""quoted"" word"\t"5" disk\n\nlast"\n'
    series = read_series_matrix(write(tmp_path / "m", matrix_text(extra=extra)))
    assert series.sample_fields["description"] == (
        ("one\ntwo", 'a "quoted" word', '5" disk\n\nlast'),
    )
    assert series.sample_fields["platform_id"] == (("GPL96",) * 3,)
    assert series.notes == ()


@pytest.mark.parametrize("block", [64, 100, 101, 102, 103, 104, 110, 1 << 18])
def test_trap_6_newline_inside_a_quoted_cell_of_the_table(tmp_path, monkeypatch, block):
    read_in_blocks(monkeypatch, block)
    rows = [(f"p{i}", "1", "2", "3") for i in range(9)]
    rows[4:6] = [("a\nb", "4", "5", "6"), ("d", "7", '"\n8"', "9")]
    path = write(tmp_path / "m", "\N{BOM}" + matrix_text(rows=rows).replace("\n", "\r\n"))
    series = read_series_matrix(path)
    assert series.expression is not None
    assert series.expression.ids == ("p0", "p1", "p2", "p3", "a b", "d", "p6", "p7", "p8")
    assert series.expression.values[4:6].tolist() == [[4, 5, 6], [7, 8, 9]]
    assert series.notes == ()


def test_trap_6_open_quotes_in_short_lines_of_the_table_swallow_no_row(tmp_path):
    rows = '"a\nb\t1\t2\t3\nc\t1\t"2\n"d"\t1\t2\t3\n"e\n\nf\ng"\t1\t2\t3\n'
    text = matrix_text(rows=[], end=f"{rows}!series_matrix_table_end\n")
    series = read_series_matrix(write(tmp_path / "m", text))
    assert series.expression is not None
    assert series.expression.ids == ('"a', "b", "c", "d", "e  f g")
    assert "2 table lines have too few cells, first line 14" in series.notes[0]


def test_trap_6_a_quote_that_is_never_closed_swallows_nothing(tmp_path):
    extra = '!Sample_description\t"a"\t"b"\t"open\n'
    series = read_series_matrix(write(tmp_path / "m", matrix_text(extra=extra)))
    assert series.sample_fields["description"] == (("a", "b", "open"),)
    assert series.platform == "GPL96"
    assert "never closed" in series.notes[0]


@pytest.mark.parametrize("line", ['say "what" \\"', '!Series_title\t"x', "text"])
def test_trap_6_time_for_quotes_that_are_never_closed_grows_with_the_file_only(tmp_path, line):
    """Half a minute and more when every line is looked at again for each below it."""
    head = '!Series_title\t"abc\n' + f"{line} y\n" * 40_000
    start = time.perf_counter()
    series = read_series_matrix(write(tmp_path / "m", head + matrix_text()), expression=False)
    assert time.perf_counter() - start < 5
    assert series.samples == SAMPLES
    assert series.series_fields["title"][0].startswith("abc")
    assert "never closed" in series.notes[0]


@pytest.mark.parametrize("gz", [True, False])
@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("!Series_Matrix_Table_Begin", "!SERIES_MATRIX_TABLE_END"),
        ('"!series_matrix_table_begin"\t\t', '"!series_matrix_table_end"\t\t'),
    ],
)
@pytest.mark.parametrize("rows", [ROWS, ()])
def test_table_marks_in_other_case_or_quotes(tmp_path, begin, end, gz, rows):
    text = matrix_text(rows=rows).replace("!series_matrix_table_begin", begin)
    text = text.replace("!series_matrix_table_end", end)
    series = read_series_matrix(write(tmp_path / "m", text, gz=gz))
    assert series.expression is not None
    assert series.expression.ids == tuple(row[0] for row in rows)
    header_only = text.replace('"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\n', "")
    if not rows:
        assert read_series_matrix(write(tmp_path / "n", header_only)).samples == SAMPLES


@pytest.mark.parametrize("end", ["!Platform_table_end", '"!platform_table_end"\t'])
@pytest.mark.parametrize("begin", ["!Platform_table_begin", "!PLATFORM_TABLE_BEGIN"])
def test_table_marks_in_other_case_or_quotes_in_soft_files(tmp_path, begin, end):
    text = family_text().replace("!platform_table_begin", begin)
    text = text.replace("!platform_table_end", end).replace(
        "!sample_table_end", "!Sample_Table_End"
    )
    path = write(tmp_path / "f", text)
    assert [p.table.height for p in read_platforms(path)] == [4, 1]
    assert [s.samples for s in read_family_soft(path)] == [("GSM1", "GSM3"), ("GSM2",)]
    empty = platform_text(table="").replace("!platform_table_end", end)
    assert read_platforms(write(tmp_path / "e", empty))[0].table.width == 0


def test_trap_7_header_line_with_too_few_cells_is_padded(tmp_path):
    series = read_series_matrix(
        write(tmp_path / "m", matrix_text(characteristics=[("age: 1", "age: 2")]))
    )
    assert series.characteristics == (("age: 1", "age: 2", None),)
    assert series.notes == (
        "line 9: !Sample_characteristics_ch1 has 2 cells for 3 samples; "
        "the last ones were taken as empty",
    )


def test_trap_7_header_line_with_too_many_cells(tmp_path):
    path = write(tmp_path / "m", matrix_text(characteristics=[("a", "b", "c", "d")]))
    with pytest.raises(FormatError, match="4 cells for 3 samples") as caught:
        read_series_matrix(path)
    assert caught.value.line == 9
    assert caught.value.field == "!Sample_characteristics_ch1"


def test_trap_7_empty_surplus_cells_are_taken_off(tmp_path):
    series = read_series_matrix(
        write(tmp_path / "m", matrix_text(characteristics=[("a", "b", "c", "", "")]))
    )
    assert series.characteristics == (("a", "b", "c"),)


def test_trap_8_bytes_that_are_not_utf8(tmp_path):
    text = matrix_text(rows=[("x\x92s", "1", "2", "3"), ("y", "4", "5", "6")])
    data = text.replace("Synovial", "Sj\xf6gren\x92s \x81").encode("latin-1")
    series = read_series_matrix(write(tmp_path / "m", data))
    assert series.title == "Sj\xf6gren\x92s \x81 tissue"  # byte 81 is undefined in cp1252
    assert series.expression is not None
    assert series.expression.ids == ("x\N{RIGHT SINGLE QUOTATION MARK}s", "y")
    np.testing.assert_array_equal(series.expression.values, [[1, 2, 3], [4, 5, 6]])


def test_trap_9_each_platform_of_a_series_is_a_series_of_its_own(tmp_path):
    first, second = read_family_soft(write(tmp_path / "f", family_text()))
    assert (first.platform, first.samples) == ("GPL96", ("GSM1", "GSM3"))
    assert (second.platform, second.samples) == ("GPL97", ("GSM2",))


def test_trap_9_tie_goes_to_the_lowest_platform_number(tmp_path):
    text = SERIES_ENTITY + sample_text("GSM1", "GPL570") + sample_text("GSM2", "GPL96")
    assert [s.platform for s in read_family_soft(write(tmp_path / "f", text))] == [
        "GPL96",
        "GPL570",
    ]


SUPER = (
    '!Series_title\t"All"\n!Series_geo_accession\t"GSE3"\n'
    '!Series_relation\t"SuperSeries of: GSE1"\n!Series_relation\t"SuperSeries of: GSE2"\n'
)


@pytest.mark.parametrize(
    "table", ["", '!series_matrix_table_begin\n"ID_REF"\n!series_matrix_table_end\n']
)
def test_trap_10_super_series(tmp_path, table):
    with pytest.raises(SuperSeriesError, match="SubSeries GSE1, GSE2"):
        read_series_matrix(write(tmp_path / "m", SUPER + table))
    with pytest.raises(SuperSeriesError, match="no samples"):
        read_family_soft(write(tmp_path / "f", SERIES_ENTITY))


def test_trap_10_file_cut_above_its_samples_is_no_super_series(tmp_path):
    text = matrix_text()
    for cut in (text.index("!Series_summary"), text.index("!Sample_title")):
        with pytest.raises(TruncatedFileError, match="ends above the samples"):
            read_series_matrix(write(tmp_path / "m", text[:cut]))
        with pytest.raises(SuperSeriesError):  # whole, as gzip data are
            read_series_matrix(write(tmp_path / "m", text[:cut], gz=True))
    summary = "Refer to individual Series"
    text = text[: text.index("!Sample_title")].replace("First part.", summary)
    with pytest.raises(SuperSeriesError):
        read_series_matrix(write(tmp_path / "m", text))


@pytest.mark.parametrize("drop_header", [True, False])
def test_trap_11_empty_table(tmp_path, drop_header):
    text = matrix_text(rows=[])
    if drop_header:
        lines = text.splitlines(keepends=True)
        text = "".join([*lines[:-2], lines[-1]])
    series = read_series_matrix(write(tmp_path / "m", text))
    assert series.expression is not None
    assert series.expression.values.shape == (0, 3)
    assert series.expression.samples == SAMPLES


def test_trap_12_one_sample_and_few_rows(tmp_path):
    text = matrix_text(
        samples=["GSM9"], characteristics=[("age: 4",)], rows=[("a", "1.5"), ("b", "")]
    )
    series = read_series_matrix(write(tmp_path / "m", text))
    assert series.expression is not None
    np.testing.assert_array_equal(series.expression.values, [[1.5], [np.nan]])


ODD_IDS = (
    "001", "10E5", "NA", "1-Mar", "12345678901234567890123", "!x", "#y", "^z",
    "!series_matrix_table_end_of_it", "null", "--", "1.0", "nan",
)  # fmt: skip


def test_trap_13_ids_are_strings_unchanged(tmp_path):
    rows = [(name, "1", "2", "3") for name in ODD_IDS]
    series = read_series_matrix(write(tmp_path / "m", matrix_text(rows=rows)))
    assert series.expression is not None
    assert series.expression.ids == ODD_IDS
    bare = matrix_text(rows=rows)
    for name in ODD_IDS:
        bare = bare.replace(f'\n"{name}"\t', f"\n{name}\t")
    series = read_series_matrix(write(tmp_path / "m", bare))
    assert series.expression is not None
    assert series.expression.ids == ODD_IDS


def test_trap_13_ids_with_quotes_inside(tmp_path):
    text = matrix_text(rows=[]).replace(
        "!series_matrix_table_end", '5"probe\t1\t2\t3\n"a ""b"" c"\t4\t5\t6\n"lone\t7\t8\t9\n'
        'x"\t1\t1\t1\n"y"\t0\t0\t0\n!series_matrix_table_end'
    )  # fmt: skip
    series = read_series_matrix(write(tmp_path / "m", text))
    assert series.expression is not None
    assert series.expression.ids == ('5"probe', 'a "b" c', '"lone', 'x"', "y")
    assert series.expression.values[2].tolist() == [7, 8, 9]


@pytest.mark.parametrize(
    "word",
    ["NA", "na", "Na", "nA", "null", "Null", "NULL", "NuLL", "NaN", "", "--", "-", "n.a.", "N/A"],
)
@pytest.mark.parametrize("form", ["{}", '"{}"'])
def test_trap_14_missing_words(tmp_path, word, form):
    rows = [("a", form.format(word), "2", '"3"'), ("b", "4", "5", "6")]
    series = read_series_matrix(write(tmp_path / "m", matrix_text(rows=rows)))
    assert series.expression is not None
    np.testing.assert_array_equal(series.expression.values, [[np.nan, 2, 3], [4, 5, 6]])
    assert series.notes == ()


def test_trap_15_a_number_turns_into_text_far_down(tmp_path):
    rows = [(f"p{i}", "1.5", "2.5", "3.5") for i in range(45_100)]
    rows[45_037] = ("p45037", "1,5", "low", "3.5")
    series = read_series_matrix(write(tmp_path / "m", matrix_text(rows=rows)))
    assert series.expression is not None
    np.testing.assert_array_equal(series.expression.values[45_037], [np.nan, np.nan, 3.5])
    assert np.isnan(series.expression.values).sum() == 2
    line = matrix_text(rows=rows).split("\n").index('"p45037"\t1,5\tlow\t3.5') + 1
    assert series.notes == (
        f"2 cells are not numbers and were taken as missing, first '1,5' in line {line}",
    )


def test_trap_15_too_many_cells_that_are_no_numbers(tmp_path):
    rows = [(f"p{i}", "1,5", "2.5", "3.5") for i in range(50)]
    with pytest.raises(
        FormatError, match=r"50 of 150 cells \(33.3%\) are not numbers, first '1,5'"
    ):
        read_series_matrix(write(tmp_path / "m", matrix_text(rows=rows)))


def test_trap_15_the_share_that_is_too_much_reads_as_more_than_five_percent(tmp_path):
    rows = [(f"p{i}", "low" if i < 16 else "1", "2", "3") for i in range(100)]
    with pytest.raises(FormatError, match=r"16 of 300 cells \(5\.3%\) are not numbers"):
        read_series_matrix(write(tmp_path / "m", matrix_text(rows=rows)))


def test_trap_16_platform_rows_stay_whole(tmp_path):
    (platform,) = read_platforms(write(tmp_path / "GPL96.soft", platform_text()))
    assert platform.accession == "GPL96"
    assert platform.title == "Array GPL96"
    assert platform.table.columns == ["ID", "GB_ACC", "Gene Symbol", "ID_duplicated_1"]
    assert platform.table.rows() == [
        ("1007_s_at", "U48705", "DDR1 /// MIR4640", '"quoted'),
        ("1053_at", "M87338", "RFC2 ! not # a comment", None),
        ("#odd", None, "RFC4", "x"),
        ("!also odd", None, "RFC5", "x"),
    ]


def test_trap_17_only_the_platform_tables_are_annotation(tmp_path):
    series_table = "!series_table_begin\nID\tx\nbogus\t1\n!series_table_end\n"
    text = family_text().replace("^SAMPLE", series_table + "^SAMPLE", 1)
    first, second = read_platforms(write(tmp_path / "f", text))
    assert first.table["ID"].to_list() == ["1007_s_at", "1053_at", "#odd", "!also odd"]
    assert second.table["ID"].to_list() == ["200_at"]


def test_trap_19_long_lines_windows_line_ends_blank_lines_byte_order_mark(tmp_path):
    long = "x" * 300_000
    text = matrix_text(extra=f'!Sample_description\t"{long}"\t"b"\t"c"\n')
    text = text.replace('"1053_at"', '\n"1053_at"').replace("\n", "\r\n")
    for gz in (True, False):
        series = read_series_matrix(write(tmp_path / "m", "\N{BOM}" + text, gz=gz))
        assert series.sample_fields["description"] == ((long, "b", "c"),)
        assert series.characteristics == CHARACTERISTICS
        assert series.expression is not None
        assert series.expression.ids == tuple(row[0] for row in ROWS)
        np.testing.assert_array_equal(
            series.expression.values, [[float(cell) for cell in row[1:]] for row in ROWS]
        )
        assert series.notes == ()


def test_trap_20_duplicate_probes_are_averaged_and_counted(tmp_path):
    rows = [("a", "1", "NA", "NA"), ("b", "9", "9", "9"), ("a", "3", "5", "NA")]
    series = read_series_matrix(write(tmp_path / "m", matrix_text(rows=rows)))
    assert series.expression is not None
    assert series.expression.ids == ("a", "b")
    np.testing.assert_array_equal(series.expression.values, [[2, 5, np.nan], [9, 9, 9]])
    assert series.notes == ("1 ids occur on several rows; these were averaged",)


@pytest.mark.parametrize("place", ["header", "table"])
def test_trap_20_duplicate_samples(tmp_path, place):
    twice = ("GSM1", "GSM2", "GSM1")
    text = matrix_text(samples=twice) if place == "header" else matrix_text(columns=twice)
    with pytest.raises(FormatError, match="GSM1"):
        read_series_matrix(write(tmp_path / "m", text))


def test_concatenated_gzip_members_are_one_file(tmp_path: Path):
    text = matrix_text().encode()
    data = gzip.compress(text[:400]) + gzip.compress(text[400:]) + b"\0" * 512
    assert read_series_matrix(write(tmp_path / "m", data)).samples == SAMPLES
