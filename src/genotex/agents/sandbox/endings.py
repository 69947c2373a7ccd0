"""How a kernel ended, told as a status and a sentence."""

from __future__ import annotations

import re
import signal
from typing import Any

from genotex.agents.sandbox.running_cell import RunningCell
from genotex.agents.sandbox.session import CellStatus, Limits

__all__ = ["ending_of"]

_NO_MEMORY = re.compile(
    r"memory allocation of \d+ bytes failed|std::bad_alloc|cannot allocate memory|out of memory",
    re.IGNORECASE,
)
_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def ending_of(cell: RunningCell, report: dict[str, Any]) -> tuple[CellStatus, str]:
    """Return what a kernel's end makes of the cell that ran, and what happened.

    Parameters
    ----------
    cell : RunningCell
        The cell.
    report : dict
        The supervisor's report of the end.
    """
    if limit := report.get("limit"):
        return _LIMITS[limit], _passed(limit, cell.limits)
    if cell.given_up and cell.stopped is not None:
        return cell.stopped, (
            f"{cell.why_stopped()} It did not react to the interrupt, so the session was ended."
        )
    code = report.get("exit")
    if isinstance(code, int):
        return _exited(code, cell)
    if report.get("killed"):
        return CellStatus.DIED, f"The session was ended: its channel is broken ({cell.broken})."
    return CellStatus.DIED, "The session died: the process that keeps it was ended."


_LIMITS = {
    "memory": CellStatus.OUT_OF_MEMORY,
    "processes": CellStatus.TOO_MANY_PROCESSES,
    "disk": CellStatus.DISK_FULL,
}


def _passed(limit: str, limits: Limits) -> str:
    if limit == "memory":
        return (
            "The session was ended: its processes together held more memory than "
            f"{_size(limits.memory_bytes)}."
        )
    if limit == "processes":
        return f"The session was ended: more than {limits.processes} processes and threads."
    return (
        f"The session was ended: its folder held more than {_size(limits.disk_bytes)}, too many "
        "files or too deep folders, or the disk was nearly full."
    )


def _exited(code: int, cell: RunningCell) -> tuple[CellStatus, str]:
    if code >= 0:
        return CellStatus.DIED, (
            f"The session died: its process exited with code {code} before the cell was done."
        )
    name = _signal_name(-code)
    if _NO_MEMORY.search(cell.last_words):
        return CellStatus.OUT_OF_MEMORY, (
            f"The session died ({name}): memory could not be had; the limit is "
            f"{_size(cell.limits.memory_bytes)}."
        )
    return CellStatus.DIED, f"The session died: its process was ended by {name}."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _size(count: int) -> str:
    for unit, factor in _UNITS:
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} bytes"
