"""The linked table on disk: the benchmark's CSV, and a Parquet twin for our own reading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats.csv_tables import parse_csv_header, read_csv_table, write_csv_table
from genotex.formats.linked import LinkedTable
from genotex.formats.raw import LineReader
from genotex.formats.series_matrix import first_repeated
from genotex.layout import OutputFolder, atomic_write

__all__ = [
    "read_linked",
    "read_linked_csv",
    "read_linked_header",
    "read_linked_parquet",
    "write_linked_csv",
    "write_linked_parquet",
]

COVARIATES = ("Age", "Gender")
_FEATURE = "feature"


def write_linked_csv(path: Path, table: LinkedTable) -> None:
    """Write a linked table, samples x (trait, covariates, genes), as ``<cohort>.csv``.

    Parameters
    ----------
    path : Path
        Replaced whole or not at all.
    table : LinkedTable
        The table; missing values become empty cells.
    """
    columns = [table.trait, *table.covariates, *table.genes]
    values = np.column_stack([table.trait_values, *table.covariates.values(), table.expression])
    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, table.samples, columns, values)


def read_linked_csv(path: Path) -> LinkedTable:
    """Read a linked table, ours or anyone's: the first column behind the index is the trait.

    Raises
    ------
    FormatError
        If the file is no such table.
    """
    table = read_csv_table(path)
    return _assemble(table.rows, table.columns, table.values)


def read_linked_header(path: Path) -> list[str]:
    """Return the column names of a linked CSV: trait, covariates, genes.

    Raises
    ------
    FormatError
        If the file is no CSV.
    """
    with LineReader(path) as reader:
        return parse_csv_header((reader.next_line() or "").encode(), path)


def write_linked_parquet(path: Path, table: LinkedTable) -> None:
    """Write the Parquet twin: features x samples, missing values kept.

    Genes as rows make a file of few columns, which is read an order of magnitude faster than one
    of 20,000.

    Parameters
    ----------
    path : Path
        Replaced whole or not at all.
    table : LinkedTable
        The unfilled table.

    Raises
    ------
    FormatError
        If a sample stands twice.
    """
    if (repeated := first_repeated([_FEATURE, *table.samples])) is not None:
        msg = f"sample {repeated} stands twice in the linked table"
        raise FormatError(msg, path=path, hint="average the samples of one id first")
    names = [table.trait, *table.covariates, *table.genes]
    data = {_FEATURE: pl.Series(names, dtype=pl.String)}
    head = [table.trait_values, *table.covariates.values()]
    for i, sample in enumerate(table.samples):
        start = np.array([values[i] for values in head], dtype=np.float64)
        data[sample] = pl.Series(np.concatenate([start, table.expression[i]]).astype(np.float64))
    with atomic_write(path) as part:
        pl.DataFrame(data).write_parquet(part, compression="zstd")


def read_linked_parquet(path: Path) -> LinkedTable:
    """Read the Parquet twin of a linked table.

    Raises
    ------
    FormatError
        If the file is not one that `write_linked_parquet` wrote.
    """
    hint = "run the preprocessing of this cohort again"
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        msg = f"cannot be read as Parquet: {str(error).partition(chr(10))[0]}"
        raise FormatError(msg, path=path, hint=hint) from error
    kinds = frame.dtypes
    if (
        frame.columns[:1] != [_FEATURE]
        or kinds[0] != pl.String
        or any(kind != pl.Float64 for kind in kinds[1:])
        or not frame.height
    ):
        msg = "not a linked table of features x samples"
        raise FormatError(msg, path=path, hint=hint)
    names = [name or "" for name in frame[_FEATURE].to_list()]
    samples = frame.columns[1:]
    values = np.empty((len(samples), len(names)))
    for i, sample in enumerate(samples):
        values[i] = frame[sample].to_numpy()
    return _assemble(samples, names, values)


def read_linked(output: OutputFolder, trait: str, cohort: str) -> LinkedTable:
    """Read the linked table of a cohort, missing values not filled where we know them.

    Parameters
    ----------
    output : OutputFolder
        Where it lies.
    trait, cohort : str
        Which one.

    Returns
    -------
    LinkedTable
        From the Parquet twin if that is at least as new as the CSV, else from the CSV (somebody
        changed or made it, and filled values cannot be told from measured ones).

    Raises
    ------
    FormatError
        If there is no linked CSV, or the file cannot be read.
    """
    path = output.linked_csv(trait, cohort)
    twin = output.linked_parquet(trait, cohort)
    if not path.is_file():
        msg = "this cohort has no linked table"
        hint = "preprocess it first; an unusable cohort gets none"
        raise FormatError(msg, path=path, hint=hint)
    if twin.is_file() and twin.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return read_linked_parquet(twin)
    return read_linked_csv(path)


def _assemble(samples: list[str], columns: list[str], values: NDArray[np.float64]) -> LinkedTable:
    """Split the columns into trait, covariates and genes."""
    places = {name: columns.index(name, 1) for name in COVARIATES if name in columns[1:]}
    taken = {0, *places.values()}
    genes = [i for i in range(len(columns)) if i not in taken]
    return LinkedTable(
        trait=columns[0],
        samples=tuple(samples),
        trait_values=values[:, 0].copy(),
        covariates={name: values[:, i].copy() for name, i in places.items()},
        genes=tuple(columns[i] for i in genes),
        expression=np.ascontiguousarray(values[:, genes]),
    )
