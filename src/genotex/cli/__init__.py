"""The command line: wires, never computes."""

from __future__ import annotations

import io
import signal
import sys
import warnings
from types import FrameType

from genotex.cli.screen import INTERRUPTED, WRONG_USE, interrupted, notify, one_line, resumes
from genotex.errors import GenotexError

__all__ = ["main"]


def main() -> None:
    """Run the command line; a user's mistake ends in a message, not in a traceback."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        # Texts of series hold characters that some terminals cannot show.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Python shows a warning in two lines, with code that only the authors of a package need.
    warnings.showwarning = lambda message, *_, **__: notify(one_line(str(message)), "warning")
    from genotex.cli.commands import app

    try:
        app()
    except (GenotexError, OSError) as error:
        notify(str(error), "error", "red")
        sys.exit(WRONG_USE)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Leave through every open `with`, so that unfinished files are removed on the way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupted.set()
    go_on = "; the same command resumes from here" if resumes.is_set() else ""
    notify(f"interrupted: nothing half-written is left{go_on}")
    sys.exit(INTERRUPTED)
