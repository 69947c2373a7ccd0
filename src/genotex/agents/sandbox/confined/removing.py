"""Removing what hostile code left: folders closed to their owner, or deeper than any path."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

DEEPEST = 100
"""Levels of folders below which nothing is inspected by name."""
LONGEST = 1024
"""Bytes of a path within the session's folder beyond which nothing is inspected by name."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def is_too_far(within: str) -> bool:
    """Return whether a path within the session's folder is too deep or too long to be used."""
    return within.count("/") >= DEEPEST or len(os.fsencode(within)) > LONGEST


def remove_inside(folder: Path) -> None:
    """Remove everything in a folder, however deep; links are removed, never followed."""
    # By handles, since a path may be longer than the system accepts. Folders inside folders are
    # moved up before they are entered, so that two handles are enough for any depth.
    folder.chmod(stat.S_IRWXU)
    top = os.open(folder, _FOLDER)
    try:
        while entries := _entries(top):
            for name, is_folder in entries:
                with contextlib.suppress(FileNotFoundError):
                    if is_folder:
                        _take_apart(name, top)
                    else:
                        os.unlink(name, dir_fd=top)
    finally:
        os.close(top)


def _take_apart(name: str, top: int) -> None:
    """Move the folders inside a folder up, remove its files, and remove it."""
    os.chmod(name, stat.S_IRWXU, dir_fd=top)
    handle = os.open(name, _FOLDER, dir_fd=top)
    try:
        for inside, is_folder in _entries(handle):
            if is_folder:
                os.chmod(inside, stat.S_IRWXU, dir_fd=handle)
                above = f".{secrets.token_hex(8)}"
                os.rename(inside, above, src_dir_fd=handle, dst_dir_fd=top)
            else:
                os.unlink(inside, dir_fd=handle)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=top)


def _entries(handle: int) -> list[tuple[str, bool]]:
    """Return the names in an open folder, and whether each is a folder."""
    with os.scandir(handle) as found:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]


def remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it; nothing happens where it is gone already."""
    if folder.is_dir() and not folder.is_symlink():
        remove_inside(folder)
        folder.rmdir()
