"""Help that was rendered once is kept: rendering imports every option, and the layout engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import genotex

_SCREEN = (
    *("COLORTERM", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "LINES", "NO_COLOR", "PY_COLORS"),
    *("TERM", "TERMINAL_WIDTH", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "UNICODE_VERSION"),
)
"""Variables that the layout engine reads."""


class HelpPage:
    """The help of a command, for this screen and what is installed now.

    `commands`: names of the command and the groups that it is in.
    """

    def __init__(self, commands: Sequence[str], encoding: str) -> None:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
        self.path = home / "genotex" / "help" / ("-".join(["genotex", *commands]) + ".txt")
        self._state = repr((_installed(), _screen(), encoding, sys.version)) + "\n"

    def read(self) -> str | None:
        """Return the page; None where it was not kept, or for another state."""
        with suppress(OSError, UnicodeDecodeError):
            state, _, page = self.path.read_text("utf-8").partition("\n")
            if state + "\n" == self._state:
                return page
        return None

    def keep(self, page: str) -> None:
        """Keep the page where that is possible."""
        from genotex.errors import GenotexError
        from genotex.io import atomic_write

        with suppress(OSError, GenotexError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(self.path) as part:
                part.write_text(self._state + page, "utf-8")


def help_page(arguments: Sequence[str], encoding: str) -> HelpPage | None:
    """Return the page that these arguments ask for; None for any other call."""
    *commands, last = arguments or [""]
    names = all(name.replace("-", "").isalpha() and name[0] != "-" for name in commands)
    if last not in ("-h", "--help") or not names or len(commands) > 3:
        return None
    return HelpPage(commands, encoding)


def _screen() -> object:
    """Return what the layout of a page depends on."""
    sizes = []
    for number in range(3):
        with suppress(OSError):
            sizes.append((number, *os.get_terminal_size(number)))
    return sizes, [os.environ.get(name) for name in _SCREEN]


def _installed() -> object:
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
