"""Ends the server where it does not end by itself; a program, that needs nothing else of genotex.

Python handles signals between two of its own steps. A computation that does not return to Python
puts that off for ever; but the system's own handler writes the signal's number to a file at once
(`signal.set_wakeup_fd`). This program reads it as its input. The input ends when the server ends.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time


def watch(pid: int, seconds: float) -> None:
    """Wait for SIGTERM or Ctrl-C, and kill the server if it is still there some time later."""
    told = b"-"
    while told and signal.SIGTERM not in told and signal.SIGINT not in told:
        told = os.read(0, 64)
    until = time.monotonic() + seconds
    while told and select.select([0], [], [], max(0.0, until - time.monotonic()))[0]:
        told = os.read(0, 64)
    if told and os.getppid() == pid:
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    watch(int(sys.argv[1]), float(sys.argv[2]))
