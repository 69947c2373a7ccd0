"""Atomic writes (to a temporary file, flushed, renamed) and locks between processes."""

from __future__ import annotations

import errno
import fcntl
import glob
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from genotex.errors import NoSpaceError, UsageError

PART = ".part"
"""Suffix of an unfinished file."""


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents."""
    refuse_file_in_the_way(folder)
    folder.mkdir(parents=True, exist_ok=True)


def refuse_file_in_the_way(folder: Path) -> None:
    """Refuse a folder that is a file or is below one."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), None)
    if there is not None and not there.is_dir():
        msg = f"{there} is a file, where a folder is needed; name another place"
        raise UsageError(msg)


_IN_WORDS = re.compile(r"\(os error (\d{1,3})\)")
"""Operating system errors in messages of polars, such as a full disk."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path` that replaces it if the block succeeds.

    A reader of `path` sees the old file or the complete new one, even after a crash: the file is
    flushed to disk, renamed, and the folder flushed. If the block raises, nothing is left; an
    error of the system, such as a full disk, becomes an `OSError` that names the file.

    `path`: the file to write; missing parent folders are made. Yields where to write. Open it for
    polars: it takes no path that is not UTF-8.
    """
    make_folder(path.parent)
    # The name is known before the file is there, so that a signal at any point finds it.
    part = path.parent / f".{path.name}.{os.getpgrp()}-{secrets.token_hex(6)}.part"
    try:
        part.touch(exist_ok=False)
        yield part
        flush(part)
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if (number := _error_of_no_file(error)) is not None:
            raise OSError(number, os.strerror(number), str(path)) from error
        raise
    flush(path.parent)


def _error_of_no_file(error: BaseException) -> int | None:
    """Return the number of a system error that does not name its file."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno if error.filename is None else None
    found = _IN_WORDS.search(str(error)) if isinstance(error, Exception) else None
    return None if found is None else int(found[1])


def is_no_space(error: OSError) -> bool:
    """Return whether a disk is full, or a quota used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def no_space(error: OSError) -> NoSpaceError:
    """Return a full disk as the reason why a run stops."""
    where = f" ({error.filename})" if error.filename else ""
    msg = f"{error.strerror or 'no space left on the disk'}{where}; make room and resume the run"
    return NoSpaceError(msg)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder next to `folder` that replaces it if the block succeeds."""
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{folder.name}.{os.getpgrp()}-"
    part = Path(tempfile.mkdtemp(prefix=prefix, suffix=".part", dir=folder.parent))
    try:
        part.chmod(0o777 & ~_umask())
        yield part
        _replace_folder(folder, part)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _replace_folder(folder: Path, part: Path) -> None:
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


def remove_leftovers(path: Path) -> None:
    """Remove temporary files of `path` that a killed process left; the caller holds its lock."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        part.unlink(missing_ok=True)


def remove_unfinished(root: Path, group: int) -> None:
    """Remove what the killed processes of a group were writing below a folder."""
    for part in [*root.rglob(f".*.{group}-*.part")]:
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lock_file(path: Path) -> TextIOWrapper:
    """Open a file to hold a lock on; that of another user is only read, which is enough."""
    try:
        return path.open("a")
    except PermissionError:
        if not path.is_file():
            raise
        return path.open()


@contextmanager
def lock(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold an exclusive lock named after `path`, so that two processes do not interleave.

    `path`: the file to be read, changed and written; the lock is a hidden file next to it. `wait`:
    Wait for another process that holds the lock.
    """
    make_folder(path.parent)
    with _lock_file(path.parent / f".{path.name}.lock") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = f"{path.parent} is in use by another process; wait for its end or stop it"
            raise UsageError(msg) from error
        yield
