"""A result on disk: JSON for people and tools, and all genes as Parquet, which belong together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from genotex.errors import FormatError
from genotex.io import atomic_write

__all__ = [
    "digest",
    "foreign_content",
    "read_content",
    "read_table",
    "remove_with_csv",
    "write_pair",
]

AGAIN = "run analyze again"


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()


def remove_with_csv(path: Path) -> None:
    """Remove a file and the CSV of the same name, if they exist."""
    path.unlink(missing_ok=True)
    path.with_suffix(".csv").unlink(missing_ok=True)


def write_pair(
    path: Path,
    table: Path,
    content: dict[str, Any],
    genes: pl.DataFrame,
    before: Callable[[str], None],
) -> Path:
    """Write the two files; the JSON has name and digest of the Parquet file (``all_genes``)."""
    # An earlier JSON goes before the new Parquet file comes, so that a crash leaves no pair that
    # does not match.
    # Returns the JSON file.
    # What cannot be written as JSON must fail before anything is removed.
    json.dumps(content, allow_nan=False)
    with atomic_write(table) as part:
        genes.write_parquet(part)
        seal = digest(part.read_bytes())
        before(seal)
        path.unlink(missing_ok=True)
    whole = {**content, "all_genes": {"file": table.name, "sha256": seal}}
    with atomic_write(path) as part:
        text = json.dumps(whole, indent=4, ensure_ascii=False, allow_nan=False)
        part.write_text(text + "\n", encoding="utf-8")
    return path


def read_content(path: Path, hint: str = AGAIN) -> dict[str, Any]:
    """Read the JSON; `hint` is the advice in an error."""
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
    except ValueError as error:
        msg = f"is not JSON: {error}"
        raise FormatError(msg, path=path, hint=hint) from error
    return content


@contextmanager
def foreign_content(path: Path, hint: str = AGAIN) -> Iterator[None]:
    """Turn what a foreign JSON lacks into an error of ours; `hint` is its advice."""
    try:
        yield
    except (KeyError, TypeError) as error:
        msg = f"was not written by genotex: {error} is missing or of another kind"
        raise FormatError(msg, path=path, hint=hint) from error


def read_table(path: Path, seal: str, columns: Sequence[str]) -> pl.DataFrame:
    """Read the Parquet file, after its digest was compared."""
    try:
        content = path.read_bytes()
        if digest(content) != seal:
            msg = "is not the table that its result was written with (digests differ)"
            raise FormatError(msg, path=path, hint=AGAIN)
        genes = pl.read_parquet(content)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        msg = f"the table of all genes cannot be read: {error}"
        raise FormatError(msg, path=path, hint=AGAIN) from error
    missing = [name for name in columns if name not in genes.columns]
    if missing:
        msg = f"lacks the columns {', '.join(missing)}"
        raise FormatError(msg, path=path, hint=AGAIN)
    return genes
