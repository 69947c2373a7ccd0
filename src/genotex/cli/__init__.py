"""The command line: wires, never computes."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import signal
import sys
import warnings
from types import FrameType
from typing import TYPE_CHECKING, TextIO

import genotex
from genotex.signals import leave

if TYPE_CHECKING:
    from genotex.cli.help_pages import HelpPage

__all__ = ["main"]


def main() -> None:
    """Run the command line; a user's mistake ends in a message, not in a traceback."""
    out = _keep_streams()
    try:
        if sys.argv[1:] == ["--version"]:  # Answered before anything that takes long is imported
            out.write(f"genotex {genotex.__version__}\n")
            sys.exit()
        from genotex.cli.help_pages import help_page

        page = help_page(sys.argv[1:], out.encoding)
        if page is None or not isinstance(out, _Stream):
            _run()
        elif (kept := page.read()) is not None:
            out.write(kept)
        else:
            _render(page, out)
    finally:
        out.flush()
        lost = out.lost if isinstance(out, _Stream) else None
        if lost is not None and lost.errno not in (errno.EPIPE, errno.EBADF):
            from genotex.cli.screen import WRONG_USE, notify

            why = lost.strerror or str(lost)
            notify(f"standard output is incomplete ({why}); files are not affected", "error", "red")
            sys.exit(WRONG_USE)


def _run() -> None:
    start_lean()
    from genotex.cli.commands import app
    from genotex.cli.screen import WRONG_USE, notify, one_line
    from genotex.errors import GenotexError

    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    # Python shows a warning in two lines, with code that only the authors of a package need.
    warnings.showwarning = lambda message, *_, **__: notify(one_line(str(message)), "warning")
    try:
        app()
    except (GenotexError, OSError) as error:
        notify(str(error), "error", "red")
        sys.exit(WRONG_USE)


CYCLES = gc.get_threshold()
"""How often Python searches for cycles by itself, as servers do, which live long."""


def start_lean() -> None:
    """Spare the processor what is of no use to a command: together a third of a second."""
    # Idle threads of OpenBLAS, which NumPy and SciPy each bring, sleep instead of waiting busily.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # Memory that polars frees goes back at once: the next step of a large cohort needs it.
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:100,muzzy_decay_ms:0")
    # By default cycles are searched for hundreds of times while modules are imported.
    gc.set_threshold(1_000_000)
    # Nor are plug-ins of pydantic searched for among all installed packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Nor are cycles at the end of the process, among all modules.
    atexit.register(gc.freeze)


def _render(page: HelpPage, out: _Stream) -> None:
    """Print help, and keep it."""
    out.written = []
    try:
        _run()
    except SystemExit as end:
        if not end.code and out.lost is None:
            page.keep("".join(out.written))
        raise


class _Stream(io.TextIOWrapper):
    """A standard stream that, once it is closed or full, takes the rest in silence."""

    lost: OSError | None = None  # Why not all could be written; None if all was
    written: list[str] | None = None
    """What was written since this became a list."""

    def write(self, text: str) -> int:
        try:
            size = super().write(text)
        except OSError as error:
            self._lose(error)
            return len(text)
        if self.written is not None:
            self.written.append(text)
        return size

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        self.lost = self.lost or error
        # What is still buffered has to go somewhere, or the interpreter fails at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def _keep_streams() -> TextIO:
    """Make standard output and error survive a reader that leaves, a full disk, and being closed.

    Returns
    -------
    text stream
        Standard output.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # Else the next file that is opened gets this number, and what is printed.
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = _kept(sys.stdout, 1)
    sys.stderr = _kept(sys.stderr, 2)
    return sys.stdout


def _kept(stream: TextIO | None, number: int) -> TextIO:
    """Return a standard stream that survives; one that another program put there, as it is."""
    # Texts of series hold characters that some terminals cannot show.
    if stream is not None and stream not in (sys.__stdout__, sys.__stderr__):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        return stream
    if stream is not None:
        stream.flush()
    return _Stream(
        os.fdopen(number, "wb", closefd=False),
        encoding=getattr(stream, "encoding", "utf-8"),
        errors="backslashreplace",
        line_buffering=number == 2 or os.isatty(number),
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Leave through every open `with`, so that unfinished files are removed on the way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from genotex.cli.screen import INTERRUPTED, interrupted, notify, resumes

    interrupted.set()
    go_on = "; the same command resumes from here" if resumes.is_set() else ""
    notify(f"interrupted: nothing half-written is left{go_on}")
    leave(INTERRUPTED)
