"""Where files are kept that take longer to make again, in the cache folder of the user."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import genotex


def cache_folder(name: str) -> Path:
    """Return the folder of one kind of files; RuntimeError where the user has no home."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return home / "genotex" / name


def installed() -> object:
    """Return what changes with this package and with every package that is installed."""
    spec = find_spec("typer")
    libraries = Path(spec.origin).parents[1] if spec and spec.origin else Path()
    return genotex.__version__, _newest(genotex.__path__[0]), libraries.stat().st_mtime_ns


def _newest(folder: str) -> int:
    """Return when a folder or one of its modules changed last."""
    newest = 0
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                changed = 0 if entry.name == "__pycache__" else _newest(entry.path)
            else:
                changed = entry.stat().st_mtime_ns
            newest = max(newest, changed)
    return newest
