"""What written code leaves in its folder: plain files are kept, and nothing that leads elsewhere.

A link, a pipe or a device that the code made would lead the program that reads its results out of
the folder, or have it wait for ever; a setuid file would lend the caller's rights to others.
"""

from __future__ import annotations

import stat
from pathlib import Path

from genotex.agents.sandbox.confined.removing import DEEPEST, remove_tree

__all__ = ["remove_all_but_plain_files"]

_OWNER = stat.S_IRUSR | stat.S_IWUSR
_LENDS_RIGHTS = stat.S_ISUID | stat.S_ISGID


def remove_all_but_plain_files(folder: Path) -> tuple[str, ...]:
    """Remove everything that is neither a plain file nor a folder; give the owner access.

    Returns
    -------
    tuple of str
        What was removed, by path within the folder, sorted. A folder deeper than any result lies
        is removed as a whole.
    """
    removed = []
    folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)
    waiting = [folder]
    while waiting:
        for path in list(waiting.pop().iterdir()):
            mode = path.lstat().st_mode
            within = path.relative_to(folder)
            if stat.S_ISDIR(mode) and len(within.parts) > DEEPEST:
                remove_tree(path)
                removed.append(str(within))
            elif stat.S_ISDIR(mode):
                path.chmod(stat.S_IMODE(mode) & ~_LENDS_RIGHTS | stat.S_IRWXU)
                waiting.append(path)
            elif stat.S_ISREG(mode):
                path.chmod(stat.S_IMODE(mode) & ~_LENDS_RIGHTS | _OWNER)
            else:
                path.unlink()
                removed.append(str(within))
    return tuple(sorted(removed))
