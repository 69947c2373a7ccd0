"""Functions that workers call in the tests."""

import os
import signal
import time
from pathlib import Path


def double(shared: int, work: int) -> int:
    return shared * work


def fail(shared: None, work: int) -> int:
    msg = f"{work} cannot be done"
    raise ValueError(msg)


def where(shared: None, work: float) -> tuple[int, str]:
    """Return the worker's process, and the current folder."""
    time.sleep(work)
    return os.getppid(), str(Path.cwd())


def end_suddenly(shared: Path, work: int) -> int:
    """Note the attempt; be killed as by the kernel when memory runs out."""
    _note(shared, work)
    os.kill(os.getpid(), signal.SIGKILL)
    return work


def end_at_first(shared: Path, work: int) -> int:
    """Be killed in the first attempt alone."""
    if _note(shared, work) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return work


def leave_a_process_behind(shared: Path, work: int) -> int:
    """End suddenly, while a process that was forked lives on."""
    pid = os.fork()
    if pid == 0:
        time.sleep(300)
        os._exit(0)
    shared.write_text(str(pid))
    os._exit(7)


def fill_memory(shared: Path, work: int) -> int:
    """Take so many megabytes, and keep them for a while."""
    _note(shared, work)
    content = b"1" * (work * 10**6)
    time.sleep(3)
    return len(content)


def at_a_time(shared: Path, work: int) -> int:
    """Return how many of these were under way at most."""
    own = shared / f"{work}.running"
    own.touch()
    time.sleep(0.5)
    most = len(list(shared.glob("*.running")))
    time.sleep(0.5)
    own.unlink()
    return most


def slow_on_one(shared: Path, work: int) -> int:
    """Hang where the file says so, at the first attempt at the last piece."""
    if work == 7 and _note(shared, work) == 1:
        time.sleep(600)
    return work


def slow(shared: Path, work: int) -> int:
    """Take a moment, and note the attempt."""
    time.sleep(0.3)
    _note(shared, work)
    return work


def _note(folder: Path, work: int) -> int:
    """Note an attempt; return how many there were."""
    (folder / f"{work}.{os.getpid()}.{time.monotonic_ns()}").touch()
    return len(list(folder.glob(f"{work}.*")))
