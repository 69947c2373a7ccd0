"""Plain tab-separated tables: one header line, then rows to the end of the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.lines import LineReader
from genotex.formats.raw import FETCH_AGAIN, as_utf8, note_missing_line_end
from genotex.formats.rows import regular_rows, unique_names, unquote
from genotex.formats.value_table import ValueTable

__all__ = ["read_header", "read_number_table", "read_text_table"]


def read_text_table(path: Path) -> pl.DataFrame:
    """Read a table whose columns are all texts."""
    with LineReader(path) as reader:
        names = unique_names(_header(reader))
        schema = dict.fromkeys(names, pl.String)
        frames, padded = [pl.DataFrame(schema=schema)], [0]
        for block in reader.table_blocks(None):
            rows = regular_rows(block, len(names), path, surplus="refuse")
            padded.extend(rows.padded)
            if rows.data:
                frames.append(
                    pl.read_csv(
                        as_utf8(rows.data),
                        has_header=False,
                        separator="\t",
                        quote_char=None,
                        schema=schema,
                    )
                )
        _judge_last_line(reader, padded[-1])
    return pl.concat(frames)


def read_number_table(
    path: Path,
) -> tuple[Sequence[str], Sequence[str], NDArray[np.float64], Sequence[str]]:
    """Read a table of one column of ids and further columns of numbers."""
    with LineReader(path) as reader:
        names = _header(reader)
        table = ValueTable(path, len(names) - 1)
        for block in reader.table_blocks(None):
            table.add(block)
        _judge_last_line(reader, table.padded[-1] if table.padded else 0)
    return (names, *table.finish())


def read_header(path: Path) -> list[str]:
    """Return the names of a table's columns, from its header alone."""
    with LineReader(path) as reader:
        return _header(reader)


def _header(reader: LineReader) -> list[str]:
    text = reader.next_line()
    while text is not None and not text.strip():
        text = reader.next_line()
    if text is None or "\t" not in text:
        msg = "not a tab-separated table with samples"
        raise FormatError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    names = [unquote(name.strip()) for name in text.split("\t")]
    while len(names) > 2 and not names[-1]:
        names.pop()
    return names


def _judge_last_line(reader: LineReader, last_padded: int) -> None:
    """Refuse a last line that lacks cells and its line end; warn if it lacks the line end only."""
    if not reader.ended_within_line:
        return
    if last_padded == reader.line:
        msg = "the last line is cut off"
        raise TruncatedFileError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    note_missing_line_end(reader.path)
