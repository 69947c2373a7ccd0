"""What any session must do: a suite in parts, for any implementation.

Subclass each part and give it ``open_one``. Cells that must be stopped get short limits of their
own; all others have a limit that no machine is too slow for. Nothing here asserts a time.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from genotex.agents import CellResult, Folders, SandboxLimits, Session

MIB = 2**20
PATIENT = SandboxLimits(
    seconds=60,
    grace_seconds=20,
    memory_bytes=400 * MIB,
    disk_bytes=24 * MIB,
    temporary_bytes=16 * MIB,
)
IMPATIENT = SandboxLimits(
    seconds=60, grace_seconds=0.2, memory_bytes=400 * MIB, disk_bytes=24 * MIB, processes=100
)
AT_ONCE = 0.2
"""Seconds that a cell gets which must be stopped."""

OpenSession = Callable[..., Session]
REFUSED = {
    "BlockingIOError",
    "ConnectionRefusedError",
    "FileNotFoundError",
    "gaierror",
    "NotADirectoryError",
    "OSError",
    "PermissionError",
    "ProcessLookupError",
}


@dataclass(frozen=True)
class Place:
    """Folders of a test: what the session may see, and what it must not."""

    readable: Path
    secret: Path
    writable: Path


def run(session: Session, code: str, seconds: float | None = None) -> CellResult:
    """Run a cell that is written indented."""
    return session.execute(textwrap.dedent(code).strip(), seconds=seconds)


def printed(session: Session, code: str) -> str:
    """Run a cell that must end well; return what it gave out."""
    result = run(session, code)
    assert result.status == "ok", result.text
    return result.text


def refused(session: Session, code: str) -> CellResult:
    """Run a cell that the machine must refuse, and not for a mistake in the cell."""
    result = run(session, code)
    assert result.status == "error", result.text
    assert result.exception in REFUSED, result.text
    return result


class Opened:
    """Base of all parts; the fixtures are in conftest.py."""

    @staticmethod
    def open_one(folders: Folders, limits: SandboxLimits) -> Session:
        """Return a session, not yet started; implementations say which."""
        raise NotImplementedError
