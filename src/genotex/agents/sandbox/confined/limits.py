"""Limits of a whole session: who its processes are, what they use, and ending them all."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .protocol import Mechanism, SandboxPlan
from .removing import is_too_far

_PAGE = os.sysconf("SC_PAGE_SIZE")
_ROUNDS = 50


@dataclass(frozen=True)
class _ProcessInfo:
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


def information(processes: Iterable[int]) -> Iterator[_ProcessInfo]:
    """Give what is known of each process that still is there."""
    for number in processes:
        try:
            text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        # The name in brackets may itself hold brackets and blanks.
        fields = text.rpartition(")")[2].split()
        if fields[0] not in "ZX":
            yield _ProcessInfo(number, int(fields[17]), int(fields[21]) * _PAGE)


def _held_memory(processes: Iterable[_ProcessInfo]) -> int:
    """Return the memory of processes in bytes, where what they share counts once."""
    total = 0
    for process in processes:
        try:
            text = Path(f"/proc/{process.number}/smaps_rollup").read_text(encoding="ascii")
        except PermissionError:
            # A program that may be run but not read keeps its memory map to itself.
            total += process.resident_bytes
            continue
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


RESERVE_OF_DISK = 128 * 2**20
"""Free bytes below which a disk counts as full: a session on it ends, and so does the run."""
_LEAST_FREE_FILES = 100
_MANY_IN_SOCKETS = 64 * 2**20
_CLOSER_SECONDS = 2.0
_DISK_EVERY = 3
"""Checks of the processes per check of the disk, which costs more."""
_START_OVER = "5"


def in_force() -> Mechanism:
    """Return whether this machine shows what is to be watched."""
    own = os.getpid()
    if Path(f"/proc/{own}/task/{own}/children").exists():
        return Mechanism("watch", True, "memory, processes and disk of the whole session")
    return Mechanism("watch", False, "needs Linux with /proc/PID/task/TID/children")


def socket_bytes(*, enlarged: bool) -> int:
    """Return the most memory that one Unix socket holds, in its own buffer and the last message."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        if enlarged:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
        return 2 * ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


def _is_nearly_full(folder: Path) -> bool:
    """Return whether the disk of a folder has no room left, for bytes or for files."""
    free = os.statvfs(folder)
    no_names = bool(free.f_files) and free.f_favail < _LEAST_FREE_FILES
    return free.f_bavail * free.f_frsize < RESERVE_OF_DISK or no_names


class LimitMonitor:
    """Checks a session from outside, several times per second."""

    def __init__(self, plan: SandboxPlan, init: int) -> None:
        self.plan = plan
        self.init = init
        self.worker: int | None = None
        self.peak = 0
        self.others = 0
        self._checks = 0
        self._closer: _CloserCount | None = None
        self._own_network = False
        self._socket_bytes = socket_bytes(enlarged=True)

    def learn(self, active: Iterable[str]) -> Mechanism:
        """Learn which mechanisms are active; return how the memory of sockets is bounded."""
        kept = set(active)
        self._own_network = "network namespace" in kept
        self._socket_bytes = socket_bytes(enlarged="call filter" not in kept)
        size = f"each socket counts as {self._socket_bytes // 1024} KiB of the memory limit"
        how = "by network namespace" if self._own_network else "by open files"
        return Mechanism("socket memory", True, f"{size}; counted {how}")

    def start_over(self) -> None:
        """Forget the peak; a cell begins."""
        self.peak = 0
        if self.worker is not None:
            _write(Path(f"/proc/{self.worker}/clear_refs"), _START_OVER)

    def check(self, *, all_of_it: bool = False) -> str | None:
        """Return which limit is passed, or None: ``memory``, ``processes``, ``disk`` and more.

        The disk, which costs more, is checked only now and then unless `all_of_it` is asked for.
        """
        numbers = below(self.init, self.plan.processes)
        if len(numbers) > self.plan.processes:
            return "processes"
        if self.worker is None and numbers:
            # The init process starts the worker before anything else exists.
            self.worker = numbers[0]
        processes = list(information(numbers))
        self.others = len(processes) - 1
        if sum(p.threads for p in processes) > self.plan.processes:
            return "processes"
        if self._memory_is_full(processes, at_once=all_of_it):
            return "memory"
        self._checks += 1
        if all_of_it or self._checks % _DISK_EVERY == 0:
            return self._passed_on_disk(numbers)
        return None

    def _memory_is_full(self, processes: list[_ProcessInfo], *, at_once: bool) -> bool:
        in_sockets = self._sockets([p.number for p in processes]) * self._socket_bytes
        held = sum(p.resident_bytes for p in processes) + in_sockets
        if held <= self.plan.memory_bytes:
            self.peak = max(self.peak, held)
            self._closer = None
            return False
        # Pages that several processes share were counted several times. A closer count waits for
        # each process's memory map, which a process that only forks hardly ever lets go of; so the
        # closer count runs in a thread, and this one goes on counting processes.
        # Sockets fill in no time: a cell must not end well before the next check.
        waits = at_once and in_sockets > _MANY_IN_SOCKETS
        if self._closer is not None and self._closer.running and not waits:
            return False
        seen = 0 if self._closer is None else self._closer.held
        self._closer = _CloserCount(processes, in_sockets)
        if waits:
            self._closer.wait(_CLOSER_SECONDS)
            seen = self._closer.held
        self.peak = max(self.peak, seen)
        return seen > self.plan.memory_bytes

    def peak_bytes(self) -> int:
        """Return the most memory held at once since ``start_over``."""
        if self.worker is not None:
            self.peak = max(self.peak, _high_water_mark(self.worker))
        return self.peak

    def _sockets(self, numbers: list[int]) -> int:
        """Return how many sockets there are; with a network of its own also those in transit."""
        if self._own_network:
            try:
                with Path(f"/proc/{self.init}/net/unix").open("rb") as lines:
                    return sum(1 for _ in lines) - 1
            except OSError:
                pass
        return len({name for number in numbers for name in _open_sockets(number)})

    def _passed_on_disk(self, numbers: list[int]) -> str | None:
        folder, temporary = Path(self.plan.writable), Path(self.plan.private) / "tmp"
        if not folder.is_dir():
            return None
        if _is_nearly_full(folder):
            return "room"
        unseen = sum(_deleted_but_open(number) for number in numbers)
        most = self.plan.files
        return _excess(folder, self.plan.disk_bytes - unseen, most) or _excess(
            temporary, self.plan.temporary_bytes, most
        )


class _CloserCount:
    """Memory that processes hold together, counted in a thread."""

    def __init__(self, processes: list[_ProcessInfo], in_sockets: int) -> None:
        self.held = 0
        arguments = (processes, in_sockets)
        self._thread = threading.Thread(target=self._look, args=arguments, daemon=True)
        self._thread.start()

    def _look(self, processes: list[_ProcessInfo], in_sockets: int) -> None:
        self.held = _held_memory(processes) + in_sockets

    def wait(self, seconds: float) -> None:
        """Wait for the count, but no longer than this."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()


def _excess(folder: Path, most_bytes: int, most_files: int) -> str | None:
    """Return what a folder holds too much of: ``disk`` (bytes), ``files``, ``depth``, or None."""
    held, files = 0, 0
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            with os.scandir(folder / above) as entries:
                for entry in entries:
                    files += 1
                    held += entry.stat(follow_symlinks=False).st_blocks * 512
                    if files > most_files:
                        return "files"
                    if entry.is_dir(follow_symlinks=False):
                        if is_too_far(f"{above}{entry.name}"):
                            return "depth"
                        waiting.append(f"{above}{entry.name}/")
        except OSError:
            continue  # removed meanwhile, or not accessible
        if held > most_bytes:
            return "disk"
    return None


def _open_sockets(number: int) -> list[str]:
    """Return the sockets that a process holds open, by name."""
    found = []
    # Files come and go meanwhile, or the process ends.
    with contextlib.suppress(OSError):
        for handle in Path(f"/proc/{number}/fd").iterdir():
            with contextlib.suppress(OSError):
                found.append(str(handle.readlink()))
    return [name for name in found if name.startswith("socket:")]


def _deleted_but_open(number: int) -> int:
    """Return the bytes of files that a process holds open and that no folder shows any more."""
    held = 0
    with contextlib.suppress(OSError):
        for handle in Path(f"/proc/{number}/fd").iterdir():
            with contextlib.suppress(OSError):
                facts = handle.stat()
                if facts.st_nlink == 0 and stat.S_ISREG(facts.st_mode):
                    held += facts.st_blocks * 512
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
