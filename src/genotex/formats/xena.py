"""The tables of the UCSC Xena hub: clinical matrix and gene expression."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from genotex.formats.geo.series import ExpressionMatrix
from genotex.formats.lines import log_notes
from genotex.formats.tables import read_column_names, read_number_table, read_text_table, unquote


@dataclass(frozen=True, eq=False)
class ClinicalMatrix:
    """Clinical annotation of the samples of a TCGA cohort from Xena."""

    path: Path
    """The file it was read from."""
    samples: tuple[str, ...]
    """Sample ids in file order; an id may occur twice."""
    table: pl.DataFrame
    """The other columns, all strings as in the file, null where the cell is empty; a repeated
    column name gets ``_duplicated_1`` and so on."""


def read_clinical_matrix(path: Path | str) -> ClinicalMatrix:
    """Read a ``*clinicalMatrix*`` file, gzip or plain."""
    path = Path(path)
    frame = read_text_table(path)
    first = frame.columns[0]
    samples = tuple(unquote(cell or "").strip() for cell in frame[first].to_list())
    return ClinicalMatrix(path, samples, frame.drop(first))


def read_xena_expression(path: Path | str) -> ExpressionMatrix:
    """Read a ``HiSeqV2`` or ``HiSeqV2_PANCAN`` file, gzip or plain.

    Rows and columns are returned as in the file: a sample id or a gene (``?``) may occur twice.

    `path`: Genes x samples, tab-separated, first column ``sample`` or ``gene``.
    """
    path = Path(path)
    names, ids, values, notes = read_number_table(path)
    log_notes(path, notes)
    return ExpressionMatrix(tuple(ids), tuple(names[1:]), values)


def read_xena_samples(path: Path | str) -> list[str]:
    """Return the sample ids of a ``HiSeqV2`` or ``HiSeqV2_PANCAN`` file, from its header alone."""
    path = Path(path)
    return read_column_names(path)[1:]
