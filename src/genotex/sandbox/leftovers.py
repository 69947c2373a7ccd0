"""What written code leaves in its folder: plain files are kept, and nothing that leads elsewhere.

A link, a pipe or a device that the code made would lead the program that reads its results out of
the folder, or have it wait for ever; a setuid file would lend the caller's rights to others.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

__all__ = ["empty", "remove_all_but_plain_files"]

_OWNER = stat.S_IRUSR | stat.S_IWUSR
_LENDS_RIGHTS = stat.S_ISUID | stat.S_ISGID


def remove_all_but_plain_files(folder: Path) -> tuple[str, ...]:
    """Remove everything that is neither a plain file nor a folder; give the owner access.

    Returns
    -------
    tuple of str
        What was removed, by path within the folder, sorted.
    """
    removed = []
    for place, folders, files in os.walk(folder):
        # Symbolic links to folders are among the folders, but are not entered.
        for name in sorted(folders + files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                path.chmod(stat.S_IMODE(mode) & ~_LENDS_RIGHTS | stat.S_IRWXU)
            elif stat.S_ISREG(mode):
                path.chmod(stat.S_IMODE(mode) & ~_LENDS_RIGHTS | _OWNER)
            else:
                path.unlink()
                removed.append(str(path.relative_to(folder)))
    return tuple(sorted(removed))


def empty(folder: Path) -> None:
    """Remove everything inside a folder, which stays."""
    remove_all_but_plain_files(folder)
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
