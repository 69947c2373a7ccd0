"""A page and its gene table on disk."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from genotex.errors import UsageError
from genotex.io import atomic_write

__all__ = ["check_page_name", "write_page_files"]


def check_page_name(path: Path) -> None:
    """Refuse a page that would have the name of its own table.

    Raises
    ------
    UsageError
        If the name ends in ``.csv``.
    """
    if path.suffix.lower() == ".csv":
        msg = "a report cannot be called .csv: the gene table beside it has that name"
        raise UsageError(msg)


def write_page_files(html: str, path: Path, genes: pl.DataFrame | None = None) -> Path:
    """Write a page, and the genes as CSV of the same stem, each whole or not at all.

    The page is written last: it never names a CSV file that is not there.
    """
    if genes is not None:
        with atomic_write(path.with_suffix(".csv")) as part:
            genes.write_csv(part)
    with atomic_write(path) as part:
        part.write_text(html, encoding="utf-8")
    return path
