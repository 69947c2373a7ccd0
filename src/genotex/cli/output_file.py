"""Files and folders that a command is asked to write: looked at before any work."""

from __future__ import annotations

import gzip
from pathlib import Path

from genotex.errors import UsageError

__all__ = ["check_other_file", "check_output_file", "check_output_folder", "write_text"]


def check_output_file(path: Path) -> None:
    """Refuse a path that no file can be written to.

    Raises
    ------
    UsageError
        If it is a folder, or lies in something that is none.
    """
    if path.is_dir():
        msg = f"{path} is a folder; name a file to write, as {path / 'NAME'}"
        raise UsageError(msg)
    _check_above(path)


def check_output_folder(path: Path) -> None:
    """Refuse a path that no folder can be made at.

    Raises
    ------
    UsageError
        If it is a file, or lies in something that is no folder.
    """
    if path.exists() and not path.is_dir():
        msg = f"{path} is a file; name a folder"
        raise UsageError(msg)
    _check_above(path)


def _check_above(path: Path) -> None:
    above = next((folder for folder in path.parents if folder.exists()), None)
    if above is not None and not above.is_dir():
        msg = f"{path} cannot be written: {above} is not a folder"
        raise UsageError(msg)


def check_other_file(output: Path, source: Path, holds: str) -> None:
    """Refuse to write the results over the file that they come from.

    Parameters
    ----------
    output, source : Path
        The file to write, the file that is read.
    holds : str
        What is in the latter, and what goes to another file, in words for the message.

    Raises
    ------
    UsageError
        If they are the same file.
    """
    if output.exists() and source.exists() and output.samefile(source):
        msg = f"{output} holds the {holds} to another file"
        raise UsageError(msg)


def write_text(path: Path, text: str) -> None:
    """Write a text whole or not at all, in UTF-8, compressed where the name ends in ``.gz``."""
    from genotex.io import atomic_write

    content = text.encode("utf-8")
    if path.suffix.lower() == ".gz":
        # Without the time of writing the same answers are the same bytes.
        content = gzip.compress(content, mtime=0)
    with atomic_write(path) as part:
        part.write_bytes(content)
