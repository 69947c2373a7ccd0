"""Help that was rendered once is kept: rendering imports every option, and the layout engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from genotex.kept import cache_folder, installed

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
        self.path = cache_folder("help") / ("-".join(["genotex", *commands]) + ".txt")
        self._state = repr((installed(), _screen(), encoding, sys.version)) + "\n"

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
