"""Lines of quoted cells, also across line ends."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.formats.header import read_header, split_cells
from genotex.formats.lines import LineReader

some = settings(max_examples=150, deadline=None)
TEXT = st.text('ab:, \n"\t!\xe9', max_size=9)


def can_be_told(value):
    """Not a quote before a tab or line end, which ends a cell, nor a line that opens a field."""
    return '"\t' not in value and '"\n' not in value


def quoted(cells):
    return "\t".join('"' + cell.replace('"', '""') + '"' for cell in cells)


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        path.write_bytes(text.encode())
        with LineReader(path) as reader:
            return read_header(reader)


@some
@given(rows=st.lists(st.lists(TEXT.filter(can_be_told), min_size=1, max_size=4), max_size=4))
def test_quoted_cells_are_given_back(rows):
    body = "".join(f"!Sample_description\t{quoted(row)}\n" for row in rows)
    header = read(f'!Series_title\t"t"\n{body}!series_matrix_table_begin\n')
    found = [cells for _, _, cells in header.sample_lines]
    assert found == [[cell or None for cell in row] for row in rows]
    assert header.has_table
    assert not header.notes


@some
@given(text=st.text('a"\t\n', max_size=30))
def test_cells_over_several_lines_are_those_of_the_joined_text(text):
    """A value read line by line is the value that the whole text gives at once."""
    header = read(f"!Sample_description\t{text}\n!Sample_last\t1\n")
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
    header = read(f'!Sample_one\t{line}"{text}\n!Sample_two\t"x"\n!series_matrix_table_begin\n')
    assert [name for name, _, _ in header.sample_lines] == ["one", "two"]
    assert header.has_table
    assert header.sample_lines[0][2][: len(before)] == [cell or None for cell in before]
