"""The init process of a session: it confines itself, starts the worker, and waits for its end."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from . import call_filter, landlock, linux
from .linux import ON_LINUX, bound_each_process, bound_number_of_processes
from .namespaces import PrivateRoot
from .protocol import Mechanism, SandboxPlan

INTERRUPT = signal.SIGUSR1
"""What the supervisor sends to have the running cell interrupted."""

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")


class Handles(NamedTuple):
    """Open files: the worker's channel and its output, and where the init process reports."""

    channel: int
    out: int
    err: int
    report: int


def send_report(report: int, **message: Any) -> None:
    """Send a report to the supervisor."""
    os.write(report, json.dumps(message).encode("ascii") + b"\n")


def attempt(name: str, step: Callable[[], str], avoid: tuple[str, ...]) -> Mechanism:
    """Enable one mechanism, or record why it is not active."""
    if name in avoid:
        return Mechanism(name, False, "left out on request")
    if not ON_LINUX:
        return Mechanism(name, False, f"needs Linux; this is {sys.platform}")
    try:
        return Mechanism(name, True, step())
    except OSError as error:
        return Mechanism(name, False, error.strerror or str(error))


def run_init(plan: SandboxPlan, entered: list[Mechanism], handles: Handles) -> NoReturn:
    """Confine this process, start the worker in it, report how it ended, and end."""
    mechanisms = [*entered, *_confine(plan, {m.name for m in entered if m.active})]
    if ON_LINUX:
        # The worker's code must not write into our reports.
        linux.hide_from_others()
    worker = os.fork()
    if worker == 0:
        _become_worker(plan, _home(plan, mechanisms), handles)
    for handle in (handles.channel, handles.out, handles.err):
        os.close(handle)
    # A number in a process namespace means nothing outside, and is not needed there.
    among_others = not any(m.name == "process namespace" and m.active for m in mechanisms)
    confined = [asdict(m) for m in mechanisms]
    send_report(handles.report, confined=confined, group=worker if among_others else 0)

    def interrupt(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(worker, signal.SIGINT)

    signal.signal(INTERRUPT, interrupt)
    while True:
        ended, status = os.wait()
        if ended == worker:
            send_report(handles.report, ended=os.waitstatus_to_exitcode(status))
            os._exit(0)


def _confine(plan: SandboxPlan, entered: set[str]) -> list[Mechanism]:
    """Enable the mechanisms: first those that need rights in a new namespace, then drop these."""
    tried = []
    if "process namespace" in entered:
        bound = partial(bound_number_of_processes, plan.processes)
        tried.append(attempt("process bound", bound, plan.avoid))
    if "mount namespace" in entered:
        root = PrivateRoot(
            f"{plan.private}/root", plan.readable, plan.writable, plan.temporary_bytes, plan.files
        )
        enter = partial(root.enter, own_processes="process namespace" in entered)
        tried.append(attempt("own root", enter, plan.avoid))
    bound = partial(bound_each_process, plan.memory_bytes, plan.disk_bytes)
    tried.append(attempt("bounds", bound, plan.avoid))
    if not plan.confine:
        return tried
    own_root = _has_own_root(tried)
    call_by_call = partial(call_filter.restrict, own_root=own_root)
    return [
        *tried,
        attempt("no new privileges", linux.no_new_privileges, plan.avoid),
        attempt("capabilities", linux.drop_capabilities, plan.avoid),
        *_landlock(plan, own_root=own_root),
        attempt("call filter", call_by_call, plan.avoid),
    ]


def _has_own_root(mechanisms: list[Mechanism]) -> bool:
    return any(m.name == "own root" and m.active for m in mechanisms)


def _landlock(plan: SandboxPlan, *, own_root: bool) -> list[Mechanism]:
    more = ("/proc", "/etc", "/dev") if own_root else _FACTS
    temporary = ("/tmp", "/dev/shm") if own_root else (f"{plan.private}/tmp",)
    versions: list[int] = []

    def restrict() -> str:
        readable, writable = (*plan.readable, *more), (plan.writable, *temporary)
        versions.append(landlock.restrict(readable, writable, _DEVICES))
        return ""

    tried = attempt("landlock", restrict, plan.avoid)
    return landlock.in_force(versions[0]) if versions else [tried]


def _home(plan: SandboxPlan, mechanisms: list[Mechanism]) -> str:
    return "/tmp" if _has_own_root(mechanisms) else f"{plan.private}/tmp"


def _run_worker_here(environment: dict[str, str]) -> NoReturn:
    """Run the worker without starting a program, which would import everything again."""
    # What a new program would not have of us either.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if ON_LINUX:
        linux.show_to_others()
    os.environ.clear()
    os.environ.update(environment)
    from .worker import main

    main()


def _become_worker(plan: SandboxPlan, home: str, handles: Handles) -> NoReturn:
    try:
        os.setsid()
        if ON_LINUX:
            linux.die_with_parent()
        nothing = os.open("/dev/null", os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(handles.out, 1)
        os.dup2(handles.err, 2)
        os.dup2(handles.channel, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        for handle in range(4):
            # A handle that lay in its place already was not copied, and would close.
            os.set_inheritable(handle, True)
        os.chdir(plan.writable)
        homes = {name: home for name in ("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR")}
        if not plan.command:
            _run_worker_here({**plan.environment, **homes})
        os.execve(plan.command[0], list(plan.command), {**plan.environment, **homes})
    except BaseException as error:
        os.write(2, f"the worker cannot be started: {error}\n".encode("utf-8", "replace"))
        os._exit(127)
