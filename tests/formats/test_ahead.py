import gzip
import threading

import pytest

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats import read_platforms, read_series_matrix
from genotex.formats.ahead import read_ahead
from tests.formats.geo_files import family_text, matrix_text, read_in_blocks, write


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
