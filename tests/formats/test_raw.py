"""Bytes and lines of files in pieces of any size, read ahead by a thread."""

import gzip
import threading

import pytest

from genotex.errors import FileLimitError, FormatError, NotDataError, TruncatedFileError
from genotex.formats import (
    LineReader,
    as_utf8,
    decode,
    read_bytes,
    read_family_soft,
    read_platforms,
    read_series_matrix,
)
from genotex.formats.lines import read_ahead
from tests.formats.geo_files import family_text, matrix_text, platform_text, read_in_blocks, write


def read_in_pieces(monkeypatch, size):
    """Meet every seam between pieces and blocks, also within line ends and markers."""
    read_in_blocks(monkeypatch, size, max(size, 256))


def assert_same_series(left, right):
    assert left.samples == right.samples
    assert left.series_fields == right.series_fields
    assert left.sample_fields == right.sample_fields
    assert left.notes == right.notes
    assert left.expression.ids == right.expression.ids
    assert left.expression.values.tolist() == right.expression.values.tolist()


@pytest.mark.parametrize("size", [2, 7, 64])
@pytest.mark.parametrize("gz", [True, False])
def test_files_read_in_tiny_pieces(tmp_path, monkeypatch, gz, size):
    text = matrix_text(extra='!Sample_description\t"one\ntwo"\t"b"\t"c"\n')
    matrix = write(tmp_path / "m", "\N{BOM}" + text.replace("\n", "\r\n"), gz=gz)
    family = write(tmp_path / "f", family_text().replace("null", "7"), gz=gz)
    whole = read_series_matrix(matrix), read_platforms(family), read_family_soft(family)[1:]
    read_in_pieces(monkeypatch, size)
    assert_same_series(read_series_matrix(matrix), whole[0])
    for again, platform in zip(read_platforms(family), whole[1], strict=True):
        assert again.table.equals(platform.table)
        assert again.fields == platform.fields
    for again, series in zip(read_family_soft(family)[1:], whole[2], strict=True):
        assert_same_series(again, series)


def test_line_numbers_in_errors_count_every_line(tmp_path, monkeypatch):
    read_in_pieces(monkeypatch, 7)
    text = matrix_text(rows=[("a", "1", "2", "3"), ("b", "1", "2", "3", "4")])
    path = write(tmp_path / "m", text)
    with pytest.raises(FormatError) as caught:
        read_series_matrix(path)
    assert text.split("\n")[(caught.value.line or 0) - 1].startswith('"b"')


def test_damage_is_reported_only_when_reading_gets_there(tmp_path):
    rest = "^SAMPLE = GSM1\n" + "".join(f"{i * i}\n" for i in range(5000))
    data = gzip.compress((platform_text() + rest).encode())
    path = write(tmp_path / "f", data[:-1000])
    assert read_platforms(path)[0].table.height == 4
    with LineReader(path) as reader, pytest.raises(TruncatedFileError):
        while reader.next_line() is not None:
            pass


def test_text_in_several_encodings():
    assert decode("\xe9".encode()) == "\xe9"
    assert (
        decode(b"\x93\xe9\x94")
        == "\N{LEFT DOUBLE QUOTATION MARK}\xe9\N{RIGHT DOUBLE QUOTATION MARK}"
    )
    assert decode(b"\x81") == "\x81"
    mixed = "\xe9".encode() + b"\n\xe9\n"
    assert as_utf8(mixed).decode() == "\xe9\n\xe9\n"


def test_whole_file_without_mark_and_with_unix_line_ends(tmp_path):
    assert read_bytes(write(tmp_path / "x", "\N{BOM}a\r\nb", gz=True)) == b"a\nb"


def test_gzip_within_gzip_and_garbage_behind_gzip(tmp_path):
    inner = gzip.compress(b"!Series_title\t1\n")
    with pytest.raises(NotDataError, match="gzip data inside gzip"):
        read_bytes(write(tmp_path / "x", inner, gz=True))
    with pytest.raises(TruncatedFileError, match="other bytes follow"):
        read_bytes(write(tmp_path / "x", inner + b"garbage"))


def test_line_of_absurd_length(tmp_path, set_limits):
    set_limits(line=1 << 21)
    with pytest.raises(FileLimitError, match=r"in line 1; the limit 'line' .* is 2 MiB"):
        read_series_matrix(write(tmp_path / "x", b"!" * (1 << 23)))


@pytest.mark.parametrize(
    "line",
    ["!Sample_Table_END", '"!sample_table_end"', '"!sample_table_end"\t\t', "!sample_table_end"],
)
@pytest.mark.parametrize("size", [2, 7, 1 << 18])
def test_end_of_a_table_in_other_case_or_quotes(tmp_path, monkeypatch, line, size):
    read_in_pieces(monkeypatch, size)
    rows = '!sample_table_end_of\nx !sample_table_end\n"!sample_table_en"\n'
    with LineReader(write(tmp_path / "x", f"{rows}{line}\nbehind\n")) as reader:
        table = b"".join(block.data for block in reader.table_blocks("!sample_table_end"))
        assert table.decode() == rows
        assert (reader.line, reader.next_line()) == (4, "behind")


def test_line_that_is_given_out_again(tmp_path, monkeypatch):
    read_in_pieces(monkeypatch, 2)
    with LineReader(write(tmp_path / "x", "\N{BOM}caf\xe9\r\n\r\nlast")) as reader:
        seen = []
        while (text := reader.next_line()) is not None:
            reader.step_back()
            seen.append((reader.line, text, reader.next_line()))
    assert seen == [(0, "caf\xe9", "caf\xe9"), (1, "", ""), (2, "last", "last")]


@pytest.mark.parametrize("size", [2, 7, 64, 1 << 18])
@pytest.mark.parametrize("gz", [True, False])
def test_macintosh_line_ends(tmp_path, monkeypatch, gz, size):
    whole = read_series_matrix(write(tmp_path / "m", matrix_text()))
    family = read_family_soft(write(tmp_path / "f", family_text()))
    read_in_pieces(monkeypatch, size)
    again = read_series_matrix(write(tmp_path / "m", matrix_text().replace("\n", "\r"), gz=gz))
    assert_same_series(again, whole)
    path = write(tmp_path / "f", family_text().replace("\n", "\r"), gz=gz)
    assert [s.samples for s in read_family_soft(path)] == [s.samples for s in family]
    assert [p.table.height for p in read_platforms(path)] == [4, 1]


@pytest.mark.parametrize("size", [2, 7, 64, 1 << 18])
def test_lone_carriage_return_in_a_file_with_line_feeds_ends_no_line(tmp_path, monkeypatch, size):
    read_in_pieces(monkeypatch, size)
    text = "x" * 70 + "\ry\r\nz\n"
    with LineReader(write(tmp_path / "x", text)) as reader:
        assert reader.next_line() == "x" * 70 + "\ry"
        assert reader.next_line() == "z"


def reading_threads():
    return [t for t in threading.enumerate() if t.name.startswith("read-ahead")]


def test_pieces_come_in_order_and_empty_ones_too():
    with read_ahead(iter([b"a", b"", b"c"])) as pieces:
        assert list(pieces) == [b"a", b"", b"c"]
    with read_ahead(iter(())) as pieces:
        assert list(pieces) == []
    assert not reading_threads()


def test_never_more_than_one_piece_ahead():
    fetched = []

    def fetch():
        for i in range(10):
            fetched.append(i)
            yield i

    with read_ahead(fetch()) as pieces:
        for i in pieces:
            assert len(fetched) <= i + 2
    assert fetched == list(range(10))


def test_pieces_before_the_damage_are_had_first():
    def fetch():
        yield 1
        yield 2
        raise ValueError("damaged")

    had = []
    with pytest.raises(ValueError, match="damaged"), read_ahead(fetch()) as pieces:
        had.extend(iter(pieces.__next__, 3))
    assert had == [1, 2]
    assert not reading_threads()


def test_no_thread_outlives_a_caller_that_gives_up():
    with pytest.raises(KeyError), read_ahead(iter(range(100))) as pieces:
        next(pieces)
        raise KeyError
    assert not reading_threads()


@pytest.mark.parametrize("cut", [0.5, 0.9])
def test_no_thread_outlives_a_file_cut_short(tmp_path, monkeypatch, cut):
    read_in_blocks(monkeypatch, 256)
    for text, read in ((matrix_text(), read_series_matrix), (family_text(), read_platforms)):
        table = text[: text.index("table_end")] if read is read_platforms else text
        data = gzip.compress(table.encode(), 1)
        path = write(tmp_path / "x", data[: int(cut * len(data))])
        with pytest.raises(TruncatedFileError):
            read(path)
        assert not reading_threads()


def test_a_bad_line_is_reported_though_the_file_ends_too_early_behind_it(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 16)
    text = matrix_text().replace("!series_matrix_table_end\n", "")
    path = write(tmp_path / "x", text + "id\t1\t2\t3\t4\t5\t6\t7\t8\t9\n" + "id2\t1\t2\t3\n" * 9)
    with pytest.raises(FormatError, match="10 cells in a table of"):
        read_series_matrix(path)
    assert not reading_threads()
