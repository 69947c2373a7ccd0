"""Check a session's isolation from inside: try each thing that must not work."""

from __future__ import annotations

import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from genotex.agents.sandbox.local import local_session
from genotex.agents.sandbox.processes import environment
from genotex.agents.sandbox.session import (
    CellStatus,
    Confinement,
    Folders,
    Protection,
    SandboxLimits,
    SandboxPolicy,
    Session,
)
from genotex.errors import ConfinementError

_LIMITS = SandboxLimits(seconds=30, memory_bytes=1 << 30, disk_bytes=1 << 20)
_BEATS_SECONDS = 0.3
_SET_BY_ALL = ("HOME", "LC_CTYPE", "TMPDIR")
_OUTLIVE = """
import os, time
if not os.fork():
    os.setsid()
    while True:
        with open("beat", "w") as beat:
            beat.write(str(time.monotonic_ns()))
        time.sleep(0.01)
while not os.path.exists("beat"):
    time.sleep(0.01)
"""


@dataclass(frozen=True)
class SandboxCheck:
    """One thing that was tried."""

    protection: Protection  # What it belongs to
    tried: str  # What was tried
    held: bool  # Whether it did not work
    answer: str  # What came of it


@dataclass(frozen=True)
class CheckedSandbox:
    """A session's isolation as reported, and as found."""

    confinement: Confinement  # The reported isolation mechanisms
    checks: tuple[SandboxCheck, ...]  # The attempts
    start_seconds: float  # Time until the session was ready for its first cell

    @property
    def held(self) -> bool:
        """Whether every attempt failed."""
        return all(check.held for check in self.checks)


def check_sandbox(policy: SandboxPolicy) -> CheckedSandbox:
    """Start a session on this machine and try to get out of it."""
    with tempfile.TemporaryDirectory(prefix="genotex-check-") as name:
        base = Path(name).resolve()
        folders = Folders(base / "out")
        began = time.monotonic()
        with local_session(folders, _LIMITS, policy) as session:
            took = time.monotonic() - began
            checks = [*_reach_out(session, base), *_use_too_much(session), _environment(session)]
            session.execute(_OUTLIVE)
        checks.append(_outlives(folders.writable / "beat"))
        return CheckedSandbox(session.confinement, tuple(checks), took)


def is_isolated_here() -> bool:
    """Return whether this machine has every mechanism that isolation needs."""
    with tempfile.TemporaryDirectory(prefix="genotex-check-") as name:
        folders = Folders(Path(name).resolve() / "out")
        try:
            with local_session(folders, _LIMITS, SandboxPolicy.REQUIRE):
                return True
        except ConfinementError:
            return False


def _reach_out(session: Session, base: Path) -> Iterator[SandboxCheck]:
    secret = base / "key.txt"
    secret.write_text("secret", encoding="ascii")
    with ExitStack() as open_sockets:
        tcp = open_sockets.enter_context(socket.socket())
        tcp.bind(("127.0.0.1", 0))
        unix = open_sockets.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(base / "socket"))
        for server in (tcp, unix):
            server.listen()
        connect_tcp = f"socket.create_connection({tcp.getsockname()!r}, 3)"
        connect_unix = f"socket.socket(socket.AF_UNIX).connect({unix.getsockname()!r})"
        attempts = (
            (Protection.FILES, "read a file outside its folder", f"open({str(secret)!r})"),
            (Protection.FILES, "write to its interpreter", "open(os.__file__, 'a')"),
            (Protection.NETWORK, "connect over TCP", connect_tcp),
            (
                Protection.NETWORK,
                "send over UDP",
                "socket.socket(type=2).sendto(b'', ('127.1', 9))",
            ),
            (Protection.SOCKETS, "connect to another program's socket", connect_unix),
            (Protection.PROCESSES, "signal the program that runs it", f"os.kill({os.getpid()}, 0)"),
            (
                Protection.PROCESSES,
                "read the environment of the program that runs it",
                f"open('/proc/{os.getpid()}/environ', 'rb').read()",
            ),
            (Protection.PRIVILEGES, "change the root folder", "os.chroot('.')"),
        )
        for protection, tried, code in attempts:
            yield _attempt(session, protection, tried, code)
    yield _change(session, secret)


def _change(session: Session, secret: Path) -> SandboxCheck:
    """Try to change a file; a session may well write to a folder of its own with that name."""
    session.execute(f"open({str(secret)!r}, 'a').write('changed')")
    held = secret.read_text(encoding="ascii") == "secret"
    answer = "it is as it was" if held else "it worked"
    return SandboxCheck(Protection.FILES, "change a file outside its folder", held, answer)


def _attempt(session: Session, protection: Protection, tried: str, code: str) -> SandboxCheck:
    result = session.execute(f"import os, socket\nn = {code}")
    held = result.status is CellStatus.ERROR
    answer = f"{result.exception}: {result.message}" if held else "it worked"
    return SandboxCheck(protection, tried, held, answer)


def _use_too_much(session: Session) -> Iterator[SandboxCheck]:
    memory = session.execute(f"n = bytearray({_LIMITS.memory_bytes})")
    yield SandboxCheck(
        Protection.RESOURCES,
        "take more memory than the limit",
        memory.status is CellStatus.OUT_OF_MEMORY,
        memory.exception or "it worked",
    )
    disk = f"open('big', 'wb').truncate({_LIMITS.disk_bytes + 1})"
    yield _attempt(session, Protection.RESOURCES, "write a file larger than the limit", disk)


def _environment(session: Session) -> SandboxCheck:
    shown = session.execute("import os; print(*map(repr, os.environ.items()), sep='\\n')").text
    own = {*environment(_LIMITS, Path("/")), *_SET_BY_ALL}
    passed_on = [
        name
        for name, value in os.environ.items()
        if name not in own and repr((name, value)) in shown.splitlines()
    ]
    answer = f"found {', '.join(passed_on)}" if passed_on else "none there"
    tried = "find the caller's environment variables"
    return SandboxCheck(Protection.ENVIRONMENT, tried, not passed_on, answer)


def _outlives(beat: Path) -> SandboxCheck:
    tried = "leave a process behind that outlives the session"
    # Removed, it comes back from a process that still writes it.
    beat.unlink(missing_ok=True)
    time.sleep(_BEATS_SECONDS)
    held = not beat.exists()
    return SandboxCheck(Protection.ENDING, tried, held, "it was ended" if held else "it worked")
