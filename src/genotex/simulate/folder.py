"""The folder of a simulated study or benchmark, which is written completely or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genotex.errors import UsageError
from genotex.simulate.record import STUDY_FORMAT, TRUTH_FILE, WORLD_FORMAT, format_of

__all__ = ["REFERENCE", "check_folder", "whole_folder"]

REFERENCE = "reference"
"""Name of the output folder with the true answers of a simulated benchmark."""

_STUDY_FILES = frozenset({"GEO", "TCGA", "task_info.json", TRUTH_FILE})
_OURS = {STUDY_FORMAT: _STUDY_FILES, WORLD_FORMAT: _STUDY_FILES | {REFERENCE}}
"""Format of the truth record -> names of the files written with it."""


def check_folder(folder: Path, overwrite: bool) -> None:
    """Check that a folder is new or empty, or may be replaced.

    Raises
    ------
    UsageError
        If it holds something else, or something was made by us and `overwrite` is not set.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        msg = f"{folder} is a file; name a folder that does not exist yet"
        raise UsageError(msg)
    found = {path.name for path in folder.iterdir()}
    if not found:
        return
    ours = _OURS.get(format_of(folder))
    if ours is None:
        msg = f"{folder} is not empty and holds no simulated study; name a new or an empty folder"
        raise UsageError(msg)
    if not overwrite:
        msg = (
            f"{folder} holds a simulated study already; request overwriting it or name a new folder"
        )
        raise UsageError(msg)
    if found - ours:
        names = ", ".join(sorted(found - ours))
        msg = f"{folder} holds more than a simulated study ({names}); move that away first"
        raise UsageError(msg)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder next to `folder` that replaces it if the block succeeds."""
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        part.chmod(0o777 & ~_umask())
        yield part
        _replace(folder, part)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _replace(folder: Path, part: Path) -> None:
    """Replace `folder` with `part`; restore it if that fails."""
    if not folder.exists():
        part.rename(folder)
        return
    old = part.with_name(part.name.strip(".").removesuffix(".part") + ".replaced")
    folder.rename(old)
    try:
        part.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
