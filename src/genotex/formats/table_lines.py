"""An expression table as text lines: all row ids, and the numbers of selected rows only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genotex.formats.ahead import read_ahead
from genotex.formats.lines import Block, LineReader
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.plain_tables import read_header
from genotex.formats.rows import RegularRows, first_cells, lines_as_rows
from genotex.formats.series_matrix import TABLE_END, build_matrix, column_order, read_head
from genotex.formats.value_table import ValueTable

__all__ = ["TableLines", "read_series_lines", "read_xena_lines"]


@dataclass(frozen=True, eq=False)
class TableLines:
    """An expression table as text, which takes a third of the time of parsing its numbers.

    Attributes
    ----------
    path : Path
        The file it was read from.
    columns : tuple of str
        Names of its columns of numbers.
    order : tuple of int
        Which columns are those of the samples, in their order.
    blocks : tuple of (list of str, RegularRows)
        Row ids, and the lines themselves.
    """

    path: Path
    columns: tuple[str, ...]
    order: tuple[int, ...]
    blocks: tuple[tuple[list[str], RegularRows], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Row ids, each once, in the order of the file."""
        return tuple(dict.fromkeys(i for ids, _ in self.blocks for i in ids if i))

    def read_rows(self, wanted: Collection[str]) -> ExpressionMatrix:
        """Read the numbers of some rows; those of one id are averaged.

        Parameters
        ----------
        wanted : collection of str
            Row ids.

        Raises
        ------
        FormatError
            If more than 5 % of their cells hold text, or a line has too many cells.
        """
        table = ValueTable(self.path, len(self.columns))
        for ids, rows in self.blocks:
            ends = np.append(rows.starts[1:], len(rows.data)).tolist()
            spans = zip(ids, rows.starts.tolist(), ends, strict=True)
            chosen = [rows.data[start:end] for name, start, end in spans if name in wanted]
            if chosen:
                table.add(Block(b"".join(chosen), rows.first_line))
        return build_matrix(table, [self.columns[i] for i in self.order], self.order)[0]


def read_series_lines(path: Path) -> TableLines:
    """Read the table of a series matrix as text.

    Parameters
    ----------
    path : Path
        ``GSE..._series_matrix.txt``, gzip or plain.

    Raises
    ------
    FormatError
        As `read_series_matrix`, but for what is wrong with the numbers.
    """
    with LineReader(path) as reader:
        header, samples, columns = read_head(reader)
        found = tuple(columns or samples)
        order = column_order(reader, header, samples, found)
        with read_ahead(reader.table_blocks(TABLE_END)) as blocks:
            kept = [(first_cells(rows), rows) for rows in map(lines_as_rows, blocks)]
        reader.drain()
    return TableLines(path, found, tuple(order), tuple(kept))


def read_xena_lines(path: Path) -> TableLines:
    """Read a ``HiSeqV2`` or ``HiSeqV2_PANCAN`` file as text.

    Parameters
    ----------
    path : Path
        As of `read_xena_expression`.

    Raises
    ------
    FormatError
        As `read_xena_expression`, but for what is wrong with the numbers.
    """
    columns = tuple(read_header(path)[1:])
    with LineReader(path) as reader:
        while (text := reader.next_line()) is not None and not text.strip():
            pass
        blocks = map(lines_as_rows, reader.table_blocks(None))
        kept = tuple((first_cells(rows), rows) for rows in blocks)
    return TableLines(path, columns, tuple(range(len(columns))), kept)
