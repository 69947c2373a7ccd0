"""An expression table as text lines: row ids, row counts, and the numbers of selected rows only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genotex.formats.lines import Block, LineReader
from genotex.formats.raw import read_ahead
from genotex.formats.rows import RegularRows, first_cells, lines_as_rows
from genotex.formats.series import ExpressionMatrix
from genotex.formats.series_matrix import (
    TABLE_END,
    build_matrix,
    column_order,
    read_head,
    read_header,
)
from genotex.formats.tables import ValueTable, read_column_names

__all__ = ["TableLines", "count_lines", "count_series_rows", "read_series_lines", "read_xena_lines"]


@dataclass(frozen=True, eq=False)
class TableLines:
    """An expression table as text, which takes a third of the time of parsing its numbers."""

    path: Path  # the file it was read from
    columns: tuple[str, ...]  # names of its columns of numbers
    order: tuple[int, ...]  # which columns are those of the samples, in their order
    blocks: tuple[tuple[list[str], RegularRows], ...]  # row ids, and the lines themselves

    @property
    def ids(self) -> tuple[str, ...]:
        """Row ids, each once, in the order of the file."""
        return tuple(dict.fromkeys(i for ids, _ in self.blocks for i in ids if i))

    def read_rows(self, wanted: Collection[str]) -> ExpressionMatrix:
        """Read the numbers of some rows; those of one id are averaged."""
        table = ValueTable(self.path, len(self.columns))
        for ids, rows in self.blocks:
            ends = np.append(rows.starts[1:], len(rows.data)).tolist()
            spans = zip(ids, rows.starts.tolist(), ends, strict=True)
            chosen = [rows.data[start:end] for name, start, end in spans if name in wanted]
            if chosen:
                table.add(Block(b"".join(chosen), rows.first_line))
        return build_matrix(table, [self.columns[i] for i in self.order], self.order)[0]


def read_series_lines(path: Path) -> TableLines:
    """Read the table of a series matrix as text."""
    with LineReader(path) as reader:
        header, samples, columns = read_head(reader)
        found = tuple(columns or samples)
        order = column_order(reader, header, samples, found)
        with read_ahead(reader.table_blocks(TABLE_END)) as blocks:
            kept = [(first_cells(rows), rows) for rows in map(lines_as_rows, blocks)]
        reader.drain()
    return TableLines(path, found, tuple(order), tuple(kept))


def read_xena_lines(path: Path) -> TableLines:
    """Read a ``HiSeqV2`` or ``HiSeqV2_PANCAN`` file as text."""
    columns = tuple(read_column_names(path)[1:])
    with LineReader(path) as reader:
        while (text := reader.next_line()) is not None and not text.strip():
            pass
        blocks = map(lines_as_rows, reader.table_blocks(None))
        kept = tuple((first_cells(rows), rows) for rows in blocks)
    return TableLines(path, columns, tuple(range(len(columns))), kept)


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
