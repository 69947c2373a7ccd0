"""How a process ends on a signal: through its open `with` blocks, wherever the signal finds it."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn


def leave_on_signal(number: int, frame: FrameType | None) -> NoReturn:
    """End as a shell expects of a process that a signal ended; a handler of signals."""
    leave(128 + number)


def leave(code: int) -> NoReturn:
    """Raise `SystemExit`, and again a moment later if Python ignored it in a callback."""
    sys.unraisablehook = _leave_again
    sys.exit(code)


def stay() -> None:
    """Take back a second `SystemExit` that is due."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _leave_again(ignored: sys.UnraisableHookArgs) -> None:
    if not isinstance(ignored.exc_value, SystemExit):
        sys.__unraisablehook__(ignored)
        return
    code = ignored.exc_value.code
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(code))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
