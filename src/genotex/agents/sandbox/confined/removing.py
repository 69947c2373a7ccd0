"""Removing what hostile code left: folders closed to their owner, or deeper than any path."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

DEEPEST = 100
"""Levels of folders below which nothing is inspected by name."""


def remove_inside(folder: Path) -> None:
    """Remove everything in a folder, however deep; links are removed, never followed."""
    # Folders inside folders are moved up before they are entered, so that no path grows long.
    folder.chmod(stat.S_IRWXU)
    while children := list(folder.iterdir()):
        for child in children:
            if _is_folder(child):
                child.chmod(stat.S_IRWXU)
                _take_apart(child, folder)
            else:
                child.unlink()


def _take_apart(child: Path, above: Path) -> None:
    for inside in list(child.iterdir()):
        if _is_folder(inside):
            inside.chmod(stat.S_IRWXU)
            inside.rename(above / f".{secrets.token_hex(8)}")
        else:
            inside.unlink()
    child.rmdir()


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)


def remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it; nothing happens where it is gone already."""
    if folder.is_dir():
        remove_inside(folder)
        folder.rmdir()
