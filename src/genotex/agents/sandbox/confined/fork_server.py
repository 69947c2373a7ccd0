"""The fork server: has the libraries imported, and forks a supervisor with its session on request.

It is not confined, has a clean environment, and runs no code but ours: a session forked from it
confines itself before any cell runs, like one that is started directly.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from . import supervisor, worker
from .removing import remove_tree

HANDLES = 6
"""Commands, answers and errors of the supervisor; the worker's channel and its two outputs."""


def main() -> None:
    """Import what is named, then fork until the program outside is gone."""
    handle, private, *modules = sys.argv[2:]
    door = socket.socket(fileno=int(handle))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for name in (worker.__name__, *modules):
            _have(name)
        # What is here stays as it is, so that children share its pages.
        gc.collect()
        gc.freeze()
        _serve(door)
    finally:
        remove_tree(Path(private))


def _have(name: str) -> None:
    """Import a module, and call a function of it where one is named behind a colon."""
    module, _, function = name.partition(":")
    imported = importlib.import_module(module)
    if function:
        getattr(imported, function)()


def _serve(door: socket.socket) -> None:
    while True:
        asked, handles, _, _ = socket.recv_fds(door, 1, HANDLES)
        if not asked:
            return
        child = _fork(door, handles)
        for handle in handles:
            os.close(handle)
        # Not a number, which another process might have by the time it is used.
        handle = os.pidfd_open(child)
        with contextlib.suppress(OSError):
            socket.send_fds(door, [b"x"], [handle])
        os.close(handle)
        _forget_ended()


def _fork(door: socket.socket, handles: Sequence[int]) -> int:
    with warnings.catch_warnings():
        # Newer Pythons warn of threads: those of libraries wait and hold nothing.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _become_supervisor(door, handles)
    return child


def _become_supervisor(door: socket.socket, handles: Sequence[int]) -> NoReturn:
    try:
        os.setsid()
        door.close()
        for target, handle in enumerate(handles[:3]):
            os.dup2(handle, target)
            os.close(handle)
        supervisor.supervise(*handles[3:])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _forget_ended() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
