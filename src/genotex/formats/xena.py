"""The tables of the UCSC Xena hub: clinical matrix and gene expression."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.lines import LineReader
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.raw import FETCH_AGAIN, as_utf8, log_notes, note_missing_line_end
from genotex.formats.rows import regular_rows, unique_names, unquote
from genotex.formats.value_table import ValueTable

__all__ = [
    "ClinicalMatrix",
    "read_clinical_matrix",
    "read_xena_expression",
    "read_xena_samples",
]


@dataclass(frozen=True, eq=False)
class ClinicalMatrix:
    """What Xena tells about the samples of a TCGA cohort.

    Attributes
    ----------
    path : Path
        The file it was read from.
    samples : tuple of str
        Sample ids in file order; an id may stand twice.
    table : polars.DataFrame
        The other columns, all strings as they stand in the file, null where the cell is empty; a
        repeated column name gets ``_duplicated_1`` and so on.
    """

    path: Path
    samples: tuple[str, ...]
    table: pl.DataFrame


def read_clinical_matrix(path: Path) -> ClinicalMatrix:
    """Read a ``*clinicalMatrix*`` file, gzip or plain.

    Raises
    ------
    FormatError
        If it is no tab-separated table, or cannot be read; see `LineReader`.
    TruncatedFileError
        If it ends within a line or is damaged.

    References
    ----------
    UCSC Xena, "Data format specification",
    https://ucsc-xena.gitbook.io/project/local-xena-hub/data-format-specification
    """
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
    frame = pl.concat(frames)
    samples = tuple(unquote(cell or "").strip() for cell in frame[names[0]].to_list())
    return ClinicalMatrix(path, samples, frame.drop(names[0]))


def read_xena_expression(path: Path) -> ExpressionMatrix:
    """Read a ``HiSeqV2`` or ``HiSeqV2_PANCAN`` file, gzip or plain.

    Rows and columns are given as they stand: a sample id or a gene (``?``) may stand twice.

    Parameters
    ----------
    path : Path
        Genes x samples, tab-separated, first column ``sample`` or ``gene``.

    Raises
    ------
    FormatError
        If it is no such table, a line has too many cells, or more than 5 % of the cells are no
        numbers.
    TruncatedFileError
        If it ends within a line or is damaged.
    """
    with LineReader(path) as reader:
        samples = _header(reader)[1:]
        table = ValueTable(path, len(samples))
        for block in reader.table_blocks(None):
            table.add(block)
        _judge_last_line(reader, table.padded[-1] if table.padded else 0)
    ids, values, notes = table.finish()
    log_notes(path, notes)
    return ExpressionMatrix(tuple(ids), tuple(samples), values)


def read_xena_samples(path: Path) -> list[str]:
    """Return the sample ids of a ``HiSeqV2`` or ``HiSeqV2_PANCAN`` file, from its header alone.

    Raises
    ------
    FormatError
        If it is no tab-separated table, or cannot be read.
    """
    with LineReader(path) as reader:
        return _header(reader)[1:]


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
