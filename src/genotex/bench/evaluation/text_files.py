"""Results as text files in a folder, each whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from genotex.errors import UsageError
from genotex.io import atomic_write

__all__ = ["check_folder", "write_texts"]


def check_folder(folder: Path) -> None:
    """Refuse a file where a folder for results is expected, before anything is computed.

    Raises
    ------
    UsageError
        If `folder` is a file.
    """
    if folder.exists() and not folder.is_dir():
        msg = f"{folder} is a file; give a folder for the results"
        raise UsageError(msg)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, in this order.

    Parameters
    ----------
    folder : Path
        Made when missing.
    texts : mapping of str to str
        Name of the file -> its content.

    Raises
    ------
    UsageError
        If `folder` is a file.
    """
    check_folder(folder)
    for name, text in texts.items():
        with atomic_write(folder / name) as part:
            part.write_text(text, encoding="utf-8")
