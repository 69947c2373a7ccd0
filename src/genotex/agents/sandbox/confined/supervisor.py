"""The supervisor: starts a session's first process, watches it, and ends it as a whole.

It is not confined and reads commands on its standard input, a word in each line. When that
closes, because the program that asked for the session has ended however suddenly, the session ends
and its private folder goes.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import privileges
from .first_process import INTERRUPT, Ends, attempt, run_first_process, send_report
from .linux import ON_LINUX
from .namespaces import ENTRIES
from .protocol import Mechanism, SandboxPlan
from .removing import remove_tree
from .watch import Watch, below, end_all, in_force

_COMMANDS, _ANSWERS = 0, 1
_LOOK_EVERY_MILLISECONDS = 150


def main() -> None:
    """Run one session with the open files that the arguments name."""
    supervise(*map(int, sys.argv[-3:]))


def supervise(channel: int, out: int, err: int) -> None:
    """Run one session from the plan on standard input to its end."""
    plan = SandboxPlan.from_json(_first_line())
    try:
        Supervisor(plan).run(channel, out, err)
    finally:
        with contextlib.suppress(OSError):
            remove_tree(Path(plan.private))


def _first_line() -> str:
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(_COMMANDS, 1)
        if not byte:
            sys.exit(0)
        line += byte
    return line.decode("utf-8")


class Supervisor:
    """One session, from outside."""

    def __init__(self, plan: SandboxPlan) -> None:
        self.plan = plan
        self.first = 0
        self.group = 0
        self.confined = False
        self.reports = b""
        self.report = -1
        self.ended: dict[str, Any] = {}
        self.watch: Watch | None = None

    def run(self, channel: int, out: int, err: int) -> None:
        """Start the session and serve commands until it has ended."""
        child_ended = _wake_up_when_a_child_ends()
        if ON_LINUX:
            privileges.keep_orphans()
        watch = self.watch = self._start(channel, out, err)
        poll = select.poll()
        for handle in (_COMMANDS, self.report, child_ended.fileno()):
            poll.register(handle, select.POLLIN)
        while not self.ended:
            ready = {handle for handle, _ in poll.poll(_LOOK_EVERY_MILLISECONDS)}
            if child_ended.fileno() in ready:
                child_ended.recv(64)
            if self.report in ready:
                self._read_reports()
            if _COMMANDS in ready and not self._obey(watch):
                break
            if not self.ended and (limit := watch.check()):
                self.ended = {"limit": limit}
            if not self.ended:
                self.see_first_end()
        clean = self._end_all()
        with contextlib.suppress(OSError):
            send_report(_ANSWERS, ended={**self.ended, "peak": watch.peak_bytes(), "clean": clean})

    def _start(self, channel: int, out: int, err: int) -> Watch:
        """Fork twice: the child enters the namespaces, its child is the first process in them."""
        self.report, report = os.pipe()
        go, may_go = os.pipe()
        helper = os.fork()
        if helper == 0:
            entered = self._enter_namespaces()
            first = os.fork()
            if first:
                os.write(report, str(first).encode("ascii"))
                os._exit(0)
            for handle in (_COMMANDS, _ANSWERS, self.report, may_go):
                os.close(handle)
            _wait_for_orphanhood(go)
            run_first_process(self.plan, entered, Ends(channel, out, err, report))
        os.waitpid(helper, 0)
        for handle in (channel, out, err, report, go):
            os.close(handle)
        number = os.read(self.report, 32)
        if not number:
            msg = "the process that enters the namespaces failed"
            raise ChildProcessError(msg)
        self.first = int(number)
        os.write(may_go, b"x")
        return Watch(self.plan, self.first)

    def _enter_namespaces(self) -> list[Mechanism]:
        if not self.plan.confine:
            return []
        return [attempt(name, enter, self.plan.avoid) for name, enter in ENTRIES.items()]

    def _read_reports(self) -> None:
        """Take what the first process reports, and pass on what is for the program outside."""
        # Each report is accepted once, and the first time is before any cell runs: what sends it
        # again is none of ours.
        new = os.read(self.report, 65536)
        *lines, self.reports = (self.reports + new).split(b"\n")
        for message in map(_as_message, lines):
            if "confined" in message and not self.confined:
                self.confined = True
                self.group = message["group"]
                self._report_confinement(message["confined"])
            elif "ended" in message and self.confined:
                self.ended = {"exit": message["ended"]}
        if not new:
            self.ended = self.ended or {"exit": None}

    def _report_confinement(self, mechanisms: list[dict[str, Any]]) -> None:
        ours = [in_force()]
        if self.watch is not None:
            ours.append(self.watch.learn(m["name"] for m in mechanisms if m["active"]))
        send_report(_ANSWERS, confined=[*mechanisms, *map(asdict, ours)])

    def _obey(self, watch: Watch) -> bool:
        """Do what the program outside asks; return False when the session shall end."""
        asked = os.read(_COMMANDS, 4096)
        for command in asked.decode("ascii", "replace").split():
            if command == "begin":
                watch.start_over()
            elif command == "interrupt":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.first, INTERRUPT)
            elif command == "sweep":
                if watch.kernel is not None:
                    end_all(self.first, spare=[watch.kernel])
            elif command == "usage":
                if limit := watch.check(all_of_it=True):
                    self.ended = {"limit": limit}
                    return True
                send_report(_ANSWERS, peak=watch.peak_bytes(), others=watch.others)
            elif command == "kill":
                self.ended = {"killed": True}
        return bool(asked)

    def see_first_end(self) -> None:
        """Note that the first process has ended; what it reported last may have come meanwhile."""
        if self._first_is_gone():
            poll = select.poll()
            poll.register(self.report, select.POLLIN)
            if poll.poll(0):
                self._read_reports()
            self.ended = self.ended or {"exit": None}

    def _first_is_gone(self) -> bool:
        try:
            return os.waitpid(self.first, os.WNOHANG)[0] == self.first
        except ChildProcessError:
            return True

    def _end_all(self) -> bool:
        """End the session; with a process namespace the first kill does it, else we go on."""
        with contextlib.suppress(OSError):
            os.kill(self.first, signal.SIGKILL)
        if self.group:
            with contextlib.suppress(OSError):
                os.killpg(self.group, signal.SIGKILL)
        return end_all(os.getpid()) and not below(os.getpid())


def _as_message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _wait_for_orphanhood(go: int) -> None:
    """Wait until the supervisor is the parent; when it is gone by then, end."""
    if not os.read(go, 1):
        os._exit(0)
    if ON_LINUX:
        privileges.die_with_parent()
        privileges.first_to_go()


def _wake_up_when_a_child_ends() -> socket.socket:
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer.detach())
    return reader
