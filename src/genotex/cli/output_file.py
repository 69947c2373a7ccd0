"""Files and folders to write: checked before any work."""

from __future__ import annotations

import gzip
from pathlib import Path

from genotex.errors import UsageError


def check_output_file(path: Path) -> None:
    """Refuse a path that no file can be written to."""
    if path.is_dir():
        msg = f"{path} is a folder; name a file to write, as {path / 'NAME'}"
        raise UsageError(msg)
    _check_above(path)


def check_output_folder(path: Path) -> None:
    """Refuse a path that no folder can be made at."""
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
    """Refuse to write results over their source, described by `holds` for the message."""
    if output.exists() and source.exists() and output.samefile(source):
        msg = f"{output} holds the {holds} to another file"
        raise UsageError(msg)


def write_text(path: Path, text: str) -> None:
    """Write a text whole or not at all, in UTF-8, compressed where the name ends in ``.gz``."""
    from genotex.io import atomic_write

    content = text.encode("utf-8")
    if path.suffix.lower() == ".gz":
        # Without a time stamp the same text gives the same bytes.
        content = gzip.compress(content, mtime=0)
    with atomic_write(path) as part:
        part.write_bytes(content)
