"""A disk that is full, wherever in a fetch it shows."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genotex.errors import DiskFullError

__all__ = ["disk_full", "full_disk_told"]

_FULL = {errno.ENOSPC, errno.EDQUOT}


def disk_full(message: str, folder: Path) -> DiskFullError:
    """Return the error that says so, and where space is wanted."""
    hint = f"make space in {folder}, then the same command goes on"
    return DiskFullError(f"the disk is full: {message}", hint=hint)


@contextmanager
def full_disk_told(message: str, folder: Path) -> Iterator[None]:
    """Turn an error of the system that a disk or a quota is full into one of ours.

    Parameters
    ----------
    message : str
        What could not be done, where the error names no file.
    folder : Path
        Where space is wanted.

    Raises
    ------
    DiskFullError
        In its place.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        named = f"{error.filename} could not be written" if error.filename else message
        raise disk_full(named, folder) from error
