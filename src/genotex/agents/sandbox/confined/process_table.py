"""Processes below one of ours: who they are, what memory they hold, and ending them all."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ProcessInfo", "below", "children_of", "end_all", "held_memory", "information"]

_PAGE = os.sysconf("SC_PAGE_SIZE")
_ROUNDS = 50


@dataclass(frozen=True)
class ProcessInfo:
    """A process at one moment: its threads and the memory it has in use, in bytes."""

    number: int
    threads: int
    resident_bytes: int


def children_of(process: int) -> list[int]:
    """Return the children of a process, also those that only its threads know."""
    found: list[int] = []
    try:
        for thread in (Path("/proc") / str(process) / "task").iterdir():
            found += map(int, (thread / "children").read_text(encoding="ascii").split())
    except (OSError, ValueError):
        pass  # ended while we looked
    return found


def below(process: int, most: int | None = None) -> list[int]:
    """Return the processes below one, nearest first, without itself.

    All of them, or not many more than `most`: who only has to know that they are too many need not
    find all, which takes long while they hold the processor.
    """
    found: list[int] = []
    waiting = children_of(process)
    while waiting and not (most and len(found) > most):
        number = waiting.pop(0)
        found.append(number)
        waiting += children_of(number)
    return found


def information(processes: Iterable[int]) -> Iterator[ProcessInfo]:
    """Give what is known of each process that still is there."""
    for number in processes:
        try:
            text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        # The name in brackets may itself hold brackets and blanks.
        fields = text.rpartition(")")[2].split()
        if fields[0] not in "ZX":
            yield ProcessInfo(number, int(fields[17]), int(fields[21]) * _PAGE)


def held_memory(processes: Iterable[int]) -> int:
    """Return the memory of processes in bytes, where what they share counts once."""
    total = 0
    for number in processes:
        try:
            text = Path(f"/proc/{number}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue
        total += sum(
            int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")
        )
    return total


def end_all(process: int, spare: Iterable[int] = ()) -> bool:
    """Kill everything below a process but those spared; tell whether nothing is left.

    They are stopped before they are killed, so that a process that only makes new ones cannot
    outrun the list.
    """
    spared = set(spare)
    for _ in range(_ROUNDS):
        left = [info.number for info in information(below(process)) if info.number not in spared]
        if not left:
            return True
        for kind in (signal.SIGSTOP, signal.SIGKILL):
            for number in left:
                try:
                    os.kill(number, kind)
                except OSError:
                    continue
        _reap(spared)
        time.sleep(0.002)
    return False


def _reap(spared: set[int]) -> None:
    """Collect ended children of our own, other than those somebody else waits for."""
    for number in children_of(os.getpid()):
        if number not in spared:
            try:
                os.waitpid(number, os.WNOHANG)
            except OSError:
                continue
