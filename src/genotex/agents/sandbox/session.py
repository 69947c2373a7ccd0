"""The session protocol: policy, limits, folders, and the result of executing a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from genotex.agents.sandbox.confined.protocol import Mechanism
from genotex.errors import ConfinementError, UsageError


class SandboxPolicy(StrEnum):
    """What to do if a machine lacks an isolation mechanism."""

    REQUIRE = "require"
    """Refuse to run code unless every protection is in force."""
    BEST = "best"
    """Use the available mechanisms, and record the missing ones."""
    OFF = "off"
    """No isolation: code runs with the rights of the user; limits still apply."""


class Protection(StrEnum):
    """What is protected from generated code."""

    FILES = "files"
    NETWORK = "network"
    SOCKETS = "sockets of other programs"
    PROCESSES = "other processes"
    ENVIRONMENT = "environment"
    PRIVILEGES = "privileges"
    RESOURCES = "memory, disk, processes"
    ENDING = "ends as a whole"


_HELD_BY: dict[Protection, tuple[tuple[str, ...], ...]] = {
    # Any one of the groups is enough; all mechanisms of a group must be active.
    Protection.FILES: (("own root", "capabilities"), ("landlock files", "call filter")),
    Protection.NETWORK: (("network namespace", "capabilities"), ("call filter",)),
    Protection.SOCKETS: (("own root", "network namespace", "capabilities"), ("call filter",)),
    Protection.PROCESSES: (("process namespace",), ("landlock signals", "call filter")),
    Protection.ENVIRONMENT: (("clean environment",),),
    Protection.PRIVILEGES: (("no new privileges", "capabilities"),),
    Protection.RESOURCES: (("bounds", "watch"),),
    Protection.ENDING: (("process namespace",), ("watch",)),
}
_ADVICE = {
    Protection.FILES: (
        "allow user namespaces (sysctl user.max_user_namespaces; on Ubuntu "
        "kernel.apparmor_restrict_unprivileged_userns=0), or use Linux 6.2 or newer with Landlock"
    ),
    Protection.PROCESSES: "allow user namespaces, or use Linux 6.12 or newer with Landlock",
}
_ADVICE_ELSE = "use Linux on x86_64 or aarch64 with seccomp, or allow user namespaces"


@dataclass(frozen=True)
class Confinement:
    """The isolation mechanisms of a session."""

    policy: SandboxPolicy  # The requested policy
    mechanisms: tuple[Mechanism, ...] = ()  # Each mechanism: active, or why not

    def is_active(self, name: str) -> bool:
        """Return whether a mechanism is active."""
        return any(m.name == name and m.active for m in self.mechanisms)

    def holds(self, protection: Protection) -> bool:
        """Return whether the active mechanisms give a protection."""
        return any(all(map(self.is_active, group)) for group in _HELD_BY[protection])

    @property
    def missing(self) -> tuple[Protection, ...]:
        """Protections that are missing."""
        return tuple(p for p in Protection if not self.holds(p))

    def check(self) -> None:
        """Raise if the policy requires a missing protection."""
        if self.policy is not SandboxPolicy.REQUIRE or not self.missing:
            return
        reasons = "; ".join(f"{m.name}: {m.detail}" for m in self.mechanisms if not m.active)
        advice = "; ".join(f"for {p}: {_ADVICE.get(p, _ADVICE_ELSE)}" for p in self.missing)
        msg = (
            f"this machine cannot protect {', '.join(self.missing)} from generated code "
            f"({reasons}). What to do: {advice}. Or use --sandbox best, which uses the available "
            "mechanisms and records them"
        )
        raise ConfinementError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a run's record."""
        return {
            "policy": str(self.policy),
            "protected": {str(p): self.holds(p) for p in Protection},
            "mechanisms": [asdict(m) for m in self.mechanisms],
        }


_GIB = 2**30


class CellStatus(StrEnum):
    """How a cell ended."""

    OK = "ok"
    ERROR = "error"
    """It raised an exception."""
    INTERRUPTED = "interrupted"
    """``Session.interrupt`` stopped it."""
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    TOO_MANY_PROCESSES = "too many processes"
    DISK_FULL = "disk full"
    """Its folder holds more bytes, files or levels than the limits permit."""
    TOO_MUCH_OUTPUT = "too much output"
    DIED = "died"
    """Its process ended in the middle of it: exit, signal or crash."""


@dataclass(frozen=True)
class SandboxLimits:
    """What a session may use."""

    seconds: float = 120.0  # Wall-clock time of a cell; then it is interrupted
    grace_seconds: float = 2.0  # Time to end after the interrupt; then the session is killed
    # Memory of each process (an allocation beyond it raises ``MemoryError``) and of all of them
    # together (beyond it the session is killed)
    memory_bytes: int = 4 * _GIB
    disk_bytes: int = 4 * _GIB  # Size of each file, and of the writable folder
    # Size of ``/tmp`` and of ``/dev/shm``, which are held in memory
    temporary_bytes: int = _GIB // 2
    processes: int = 512  # Most processes and threads at once
    # Most files and folders in the writable folder; as many in ``/tmp`` and in ``/dev/shm``
    files: int = 10_000
    output_characters: int = 10_000  # Longest text kept of a cell
    output_bytes: int = 32 * 2**20  # A cell that writes more is stopped
    display_bytes: int = 4 * 2**20  # Most bytes kept of a cell's pictures and tables
    threads: int | None = None  # Threads of numerical libraries; as many as they like where None

    def __post_init__(self) -> None:
        """Refuse limits that permit nothing."""
        for name, value in vars(self).items():
            if value is not None and value <= 0:
                msg = f"the limit {name} is {value}; it must be above 0"
                raise UsageError(msg)


@dataclass(frozen=True)
class Folders:
    """What a session may read, and the one folder that it may write.

    Raises
    ------
    UsageError
        If something readable is missing, or is the root folder or the home folder.
    """

    # Made if missing; must be empty at the start, since a session that goes back to an earlier step
    # begins by emptying it. Also the working folder.
    writable: Path
    # Folders or files; the code sees them under the same names. Links inside that lead out of them
    # lead nowhere.
    readable: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        """Make the names absolute, and refuse what would give away everything."""
        readable = tuple(Path(path).absolute() for path in self.readable)
        for path in readable:
            if not path.exists():
                msg = f"{path} does not exist, so generated code cannot read it"
                raise UsageError(msg)
            if path.resolve() in (Path("/"), Path.home().resolve()):
                msg = f"{path} holds keys and other people's files; give a folder inside it"
                raise UsageError(msg)
        object.__setattr__(self, "readable", readable)
        object.__setattr__(self, "writable", Path(self.writable).absolute())

    def claim(self) -> None:
        """Make the writable folder."""
        self.writable.mkdir(parents=True, exist_ok=True)
        if any(self.writable.iterdir()):
            msg = f"{self.writable} is not empty; generated code gets its own folder"
            raise UsageError(msg)


@dataclass(frozen=True)
class Output:
    """One piece of a cell's output."""

    # ``stdout``, ``stderr``, ``display`` (shown by the code) or ``result`` (the value of the last
    # expression)
    kind: Literal["stdout", "stderr", "display", "result"]
    text: str  # Printed text, or the plain form of a displayed object
    # All forms of a displayed object by media type; bytes in base64
    forms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CellResult:
    """The result of executing a cell."""

    status: CellStatus  # How it ended
    outputs: tuple[Output, ...] = ()  # Its output, in order, cut to the limits
    exception: str | None = None  # Name of the exception that ended it
    message: str | None = None  # Text of this exception
    traceback: str = ""  # Traceback of Python
    explanation: str = ""  # Why it was stopped or died, in a sentence; else empty
    left_out: int = 0  # Characters of text beyond the limit
    seconds: float = 0.0  # Wall-clock time
    peak_bytes: int = 0  # Peak memory of the session during the cell; 0 if unknown
    step: int = 0  # Number of cells that led to the session's state
    # Whether the state after the cell is kept. If not, the session is restored to the state before
    # the cell when it is used next.
    state_kept: bool = True
    left_running: int = 0  # Processes that the code has left running
    # Whether something outside may have ended the session: a signal that faults do not raise
    killed: bool = False
    rerun_after: str = ""  # How the session was ended from outside before this second run

    @property
    def text(self) -> str:
        """Everything to read: what was printed and shown, the traceback, what happened."""
        parts = ["".join(output.text for output in self.outputs), self.traceback, self.explanation]
        return "\n".join(part.rstrip("\n") for part in parts if part)


class Session(Protocol):
    """Executes generated code, cell after cell, with its state kept.

    A session is used from one thread; only ``interrupt`` and ``close`` may be called from another
    while a cell runs. What the code wrote is to be read after ``close``, when nothing of it runs
    any more and links and the like have been removed.
    """

    @property
    def confinement(self) -> Confinement:
        """The isolation mechanisms; known after ``start``."""
        ...

    @property
    def step(self) -> int:
        """Number of cells that led to the present state; ``restore`` goes back to it."""
        ...

    @property
    def removed(self) -> tuple[str, ...]:
        """Links, pipes and the like that were removed from the folder when it was closed."""
        ...

    def start(self) -> None:
        """Start; ready for cells on return.

        Raises
        ------
        ConfinementError
            If a required mechanism cannot be enabled.
        SandboxError
            If it does not start.
        """
        ...

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        """Run a cell; `seconds` replaces the limit for this cell.

        All that the code does is in the result. A cell that cost the session its state is not part
        of it: the next call first restores the state before. Where the session was ended from
        outside, the state is restored and the cell runs a second time, no more.

        Raises
        ------
        SessionDeadError
            If the session was found ended, is closed, or cannot be restored.
        """
        ...

    def interrupt(self) -> None:
        """Interrupt the running cell, from another thread; nothing if none runs."""
        ...

    def restore(self, step: int) -> None:
        """Go back to the state after a step; 0 is the start. Files come back, too.

        Raises
        ------
        UsageError
            If there is no such step.
        SessionDeadError
            If a cell does not end as it did the first time, or the session is closed.
        """
        ...

    def close(self) -> None:
        """End everything that runs, and remove everything but the plain files written."""
        ...

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()
