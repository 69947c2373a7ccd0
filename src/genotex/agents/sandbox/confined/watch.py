"""Processes of a session: who they are, what they use, and ending them all."""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .protocol import Mechanism, SandboxPlan
from .removing import DEEPEST

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
        pass  # ended meanwhile
    return found


def below(process: int, most: int | None = None) -> list[int]:
    """Return the processes below one, nearest first, without itself."""
    # All of them, or not many more than `most`: who only has to know that they are too many need
    # not find all, which takes long while they hold the processor.
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


def _held_memory(processes: Iterable[int]) -> int:
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
    """Kill everything below a process but those spared; return whether nothing is left."""
    # They are stopped before they are killed, so that a process that only makes new ones cannot
    # outrun the list.
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
    """Collect ended children of our own, other than those that are waited for elsewhere."""
    for number in children_of(os.getpid()):
        if number not in spared:
            try:
                os.waitpid(number, os.WNOHANG)
            except OSError:
                continue


_RESERVE_OF_DISK = 128 * 2**20
_MOST_FILES = 100_000
_DISK_EVERY = 3
"""Checks of the processes per check of the disk, which costs more."""
_START_OVER = "5"


def in_force() -> Mechanism:
    """Return whether this machine shows what is to be watched."""
    own = os.getpid()
    if Path(f"/proc/{own}/task/{own}/children").exists():
        return Mechanism("watch", True, "memory, processes and disk of the whole session")
    return Mechanism("watch", False, "needs Linux with /proc/PID/task/TID/children")


class Watch:
    """Checks a session from outside, several times per second."""

    # `plan`: The limits and the folder that may be written.
    # `first`: The first process of the session; all others are below it.

    def __init__(self, plan: SandboxPlan, first: int) -> None:
        self.plan = plan
        self.first = first
        self.kernel: int | None = None
        self.peak = 0
        self.others = 0
        self._checks = 0
        self._closer: _CloserCount | None = None

    def start_over(self) -> None:
        """Forget the peak; a cell begins."""
        self.peak = 0
        if self.kernel is not None:
            _write(Path(f"/proc/{self.kernel}/clear_refs"), _START_OVER)

    def check(self) -> str | None:
        """Return which limit is passed: ``memory``, ``processes``, ``disk``, or None."""
        numbers = below(self.first, self.plan.processes)
        if len(numbers) > self.plan.processes:
            return "processes"
        if self.kernel is None and numbers:
            # The first process starts the kernel before anything else exists.
            self.kernel = numbers[0]
        processes = list(information(numbers))
        self.others = len(processes) - 1
        if sum(p.threads for p in processes) > self.plan.processes:
            return "processes"
        if self._memory_is_full(processes):
            return "memory"
        self._checks += 1
        if self._checks % _DISK_EVERY == 0 and self._disk_is_full(numbers):
            return "disk"
        return None

    def _memory_is_full(self, processes: list[ProcessInfo]) -> bool:
        held = sum(p.resident_bytes for p in processes)
        if held <= self.plan.memory_bytes:
            self.peak = max(self.peak, held)
            self._closer = None
            return False
        # Pages that several processes share were counted several times. A closer count waits for
        # each process's memory map, which a process that only forks hardly ever lets go of; so the
        # closer count runs in a thread, and this one goes on counting processes.
        if self._closer is not None and self._closer.running:
            return False
        seen = 0 if self._closer is None else self._closer.held
        self._closer = _CloserCount([p.number for p in processes])
        self.peak = max(self.peak, seen)
        return seen > self.plan.memory_bytes

    def peak_bytes(self) -> int:
        """Return the most memory held at once since ``start_over``."""
        if self.kernel is not None:
            self.peak = max(self.peak, _high_water_mark(self.kernel))
        return self.peak

    def _disk_is_full(self, numbers: list[int]) -> bool:
        folder = Path(self.plan.writable)
        if not folder.is_dir():
            return False
        free = os.statvfs(folder)
        if free.f_bavail * free.f_frsize < _RESERVE_OF_DISK:
            return True
        unseen = sum(_deleted_but_open(number) for number in numbers)
        return _is_too_large(folder, self.plan.disk_bytes - unseen)


class _CloserCount:
    """Memory that processes hold together, counted in a thread."""

    def __init__(self, numbers: list[int]) -> None:
        self.held = 0
        self._thread = threading.Thread(target=self._look, args=(numbers,), daemon=True)
        self._thread.start()

    def _look(self, numbers: list[int]) -> None:
        self.held = _held_memory(numbers)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()


def _is_too_large(folder: Path, most_bytes: int) -> bool:
    """Return whether a folder holds too much, too many files or too deep folders."""
    held, files = 0, 0
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    files += 1
                    held += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((Path(entry.path), depth + 1))
        except OSError:
            continue  # removed meanwhile, or not accessible
        if held > most_bytes or files > _MOST_FILES or depth > DEEPEST:
            return True
    return False


def _deleted_but_open(number: int) -> int:
    """Return the bytes of files that a process holds open and that no folder shows any more."""
    held = 0
    try:
        for handle in Path(f"/proc/{number}/fd").iterdir():
            facts = handle.stat()
            if facts.st_nlink == 0 and stat.S_ISREG(facts.st_mode):
                held += facts.st_blocks * 512
    except OSError:
        return held  # ended meanwhile
    return held


def _high_water_mark(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="ascii")
    except OSError:
        return  # ended, or a kernel without it: the peak is then the highest count
