"""How many rows a table of text has, without reading its numbers."""

from __future__ import annotations

from pathlib import Path

from genotex.formats.lines import Block, LineReader
from genotex.formats.series_matrix import TABLE_END, read_header


def count_lines(path: Path) -> int:
    """Return the number of lines of a text that are not blank."""
    with LineReader(path) as reader:
        return sum(map(_filled, reader.table_blocks(None)))


def count_series_rows(path: Path) -> int:
    """Return the number of rows in the table of a series matrix, its header not counted."""
    # The file is read to its end, so that damaged gzip data are detected.
    with LineReader(path) as reader:
        read_header(reader)
        lines = sum(map(_filled, reader.table_blocks(TABLE_END)))
        reader.drain()
    return max(lines - 1, 0)


def _filled(block: Block) -> int:
    return sum(1 for line in block.data.split(b"\n") if line and not line.isspace())
