"""The supervisor: starts a session's init process, enforces its limits, and ends it as a whole."""

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

from . import linux
from .init import INTERRUPT, Handles, attempt, run_init, send_report
from .limits import LimitMonitor, below, end_all, in_force
from .linux import ON_LINUX
from .namespaces import ENTRIES
from .protocol import Mechanism, SandboxPlan
from .removing import remove_tree

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
        self.init = 0
        self.group = 0
        self.confined = False
        self.reports = b""
        self.report = -1
        self.ended: dict[str, Any] = {}
        self.monitor: LimitMonitor | None = None

    def run(self, channel: int, out: int, err: int) -> None:
        """Start the session and serve commands until it has ended."""
        child_ended = _wake_up_when_a_child_ends()
        if ON_LINUX:
            linux.keep_orphans()
        monitor = self.monitor = self._start(channel, out, err)
        poll = select.poll()
        for handle in (_COMMANDS, self.report, child_ended.fileno()):
            poll.register(handle, select.POLLIN)
        while not self.ended:
            ready = {handle for handle, _ in poll.poll(_LOOK_EVERY_MILLISECONDS)}
            if child_ended.fileno() in ready:
                child_ended.recv(64)
            if self.report in ready:
                self._read_reports()
            if _COMMANDS in ready and not self._obey(monitor):
                break
            if not self.ended and (limit := monitor.check()):
                self.ended = {"limit": limit}
            if not self.ended:
                self.see_init_end()
        clean = self._end_all()
        with contextlib.suppress(OSError):
            send_report(
                _ANSWERS, ended={**self.ended, "peak": monitor.peak_bytes(), "clean": clean}
            )

    def _start(self, channel: int, out: int, err: int) -> LimitMonitor:
        """Fork twice: the child enters the namespaces, its child is the init process in them."""
        self.report, report = os.pipe()
        go, may_go = os.pipe()
        helper = os.fork()
        if helper == 0:
            entered = self._enter_namespaces()
            init = os.fork()
            if init:
                os.write(report, str(init).encode("ascii"))
                os._exit(0)
            for handle in (_COMMANDS, _ANSWERS, self.report, may_go):
                os.close(handle)
            _wait_for_orphanhood(go)
            run_init(self.plan, entered, Handles(channel, out, err, report))
        os.waitpid(helper, 0)
        for handle in (channel, out, err, report, go):
            os.close(handle)
        number = os.read(self.report, 32)
        if not number:
            msg = "the process that enters the namespaces failed"
            raise ChildProcessError(msg)
        self.init = int(number)
        os.write(may_go, b"x")
        return LimitMonitor(self.plan, self.init)

    def _enter_namespaces(self) -> list[Mechanism]:
        if not self.plan.confine:
            return []
        return [attempt(name, enter, self.plan.avoid) for name, enter in ENTRIES.items()]

    def _read_reports(self) -> None:
        """Take what the init process reports, and pass on what is for the program outside."""
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
        if self.monitor is not None:
            ours.append(self.monitor.learn(m["name"] for m in mechanisms if m["active"]))
        send_report(_ANSWERS, confined=[*mechanisms, *map(asdict, ours)])

    def _obey(self, monitor: LimitMonitor) -> bool:
        """Do what the program outside asks; return False when the session shall end."""
        asked = os.read(_COMMANDS, 4096)
        for command in asked.decode("ascii", "replace").split():
            if command == "begin":
                monitor.start_over()
            elif command == "interrupt":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.init, INTERRUPT)
            elif command == "sweep":
                if monitor.worker is not None:
                    end_all(self.init, spare=[monitor.worker])
            elif command == "usage":
                if limit := monitor.check(all_of_it=True):
                    self.ended = {"limit": limit}
                    return True
                send_report(_ANSWERS, peak=monitor.peak_bytes(), others=monitor.others)
            elif command == "kill":
                self.ended = {"killed": True}
        return bool(asked)

    def see_init_end(self) -> None:
        """Note that the init process has ended; what it reported last may have come meanwhile."""
        if self._init_is_gone():
            poll = select.poll()
            poll.register(self.report, select.POLLIN)
            if poll.poll(0):
                self._read_reports()
            self.ended = self.ended or {"exit": None}

    def _init_is_gone(self) -> bool:
        try:
            return os.waitpid(self.init, os.WNOHANG)[0] == self.init
        except ChildProcessError:
            return True

    def _end_all(self) -> bool:
        """End the session; with a process namespace the first kill does it, else we go on."""
        with contextlib.suppress(OSError):
            os.kill(self.init, signal.SIGKILL)
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
        linux.die_with_parent()
        linux.end_first_when_memory_is_full()


def _wake_up_when_a_child_ends() -> socket.socket:
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer.detach())
    return reader
