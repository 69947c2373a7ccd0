"""Files that contradict each other, or that are no such files, are refused."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import polars as pl

from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import MethodFailedError

__all__ = ["refuse", "refuse_endless"]


def refuse(what: str) -> NoReturn:
    """Refuse what a session left.

    Raises
    ------
    MethodFailedError
        That says why.
    """
    raise MethodFailedError(ErrorClass.BAD_OUTPUT, what)


def refuse_endless(path: Path, most_rows: int, most_columns: int) -> None:
    """Refuse a Parquet file of more cells than there can be: a small file may unfold to any size.

    Only what the file says of itself is read.
    """
    try:
        frame = pl.scan_parquet(path)
        rows, columns = frame.select(pl.len()).collect().item(), len(frame.collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        refuse(f"{path.name} cannot be read as Parquet: {error}")
    if rows > most_rows or columns > most_columns:
        refuse(
            f"{path.name} has {rows} rows and {columns} columns; expected are at most {most_rows} "
            f"and {most_columns}"
        )
