"""What runs on a Dask worker, and the versions that it must have."""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from genotex.cluster.task_process import PieceReply, SharedCall, TaskProcess, memory_of
from genotex.errors import UsageError

MEMORY = "memory"
"""The Dask resource, in bytes, of which every task takes what it is expected to need."""

PACKAGES = ("genotex", "numpy", "scipy", "scikit-learn", "polars", "pandas")
"""Their versions decide about results."""

_turn = threading.Lock()
_idle: list[TaskProcess] = []
_busy: dict[int, int] = {}  # process id -> declared bytes


class DeclaredMemory(WorkerPlugin):
    """Declares the memory limit of a worker as its resource, unless it was started with one."""

    name = "genotex-memory"

    async def setup(self, worker: Worker) -> None:
        """Declare it when the worker joins."""
        limit = worker.memory_manager.memory_limit
        if MEMORY not in worker.state.total_resources and limit:
            await worker.set_resources(**{MEMORY: limit})


def hold(call: SharedCall) -> SharedCall:
    """Return its argument: a task, so that Dask copies it to workers as they need it."""
    return call


def run_piece(call: SharedCall, work: bytes, memory: int) -> PieceReply:
    """Do a piece of work in a process of its own."""
    worker = get_worker()
    if why := _why_not(call, worker.address):
        return PieceReply(refused=why)
    limit = worker.memory_manager.memory_limit or 0
    key = worker.get_current_task()
    process = _take(worker.state.nthreads, memory, worker.local_directory)

    def why_end(used: int) -> str:
        # Dask waits for a piece that it has begun, also where nobody waits for the result.
        task = worker.state.tasks.get(key)
        unwanted = task is None or task.state == "cancelled"
        return "it was cancelled" if unwanted else _excess(process.pid, used, limit)

    try:
        return process.do(call, work, why_end)
    except BaseException:
        # Its reply may still come, and would be taken for that of the next piece.
        process.end()
        raise
    finally:
        with _turn:
            del _busy[process.pid]
            if process.alive:
                _idle.append(process)


def _why_not(call: SharedCall, worker: str) -> str:
    unlike = _difference(worker, dict(call.versions), own_versions())
    if unlike:
        return unlike
    paths = [Path(call.folder, path) for path in (call.folder, *call.needed)]
    missing = [path for path in paths if not path.exists()]
    return (
        f"worker {worker} does not see {missing[0]}; all workers need the folders of the command "
        "at the same place"
        if missing
        else ""
    )


def _take(threads: int, memory: int, scratch: str) -> TaskProcess:
    with _turn:
        process = next((each for each in _idle if each.alive), None)
        if process is None:
            process = TaskProcess(max(1, (os.cpu_count() or 1) // max(1, threads)), scratch)
        _idle[:] = [each for each in _idle if each is not process and each.alive]
        _busy[process.pid] = memory
        return process


def _excess(pid: int, used: int, limit: int) -> str:
    """Return why a task must end: the worker's memory is used up, and it is furthest over."""
    if not limit or used <= _busy.get(pid, 0):
        return ""
    with _turn:
        others = {other: declared for other, declared in _busy.items() if other != pid}
        own = used - _busy[pid]
    use = {other: memory_of(other) for other in others}
    if used + sum(use.values()) <= limit or any(use[o] - others[o] > own for o in others):
        return ""
    return f"out of memory: it needed {used / 1e9:.1f} GB, its worker has {limit / 1e9:.1f} GB"


def identity(shared: Any, work: Any) -> Any:
    """Do nothing; for measurements."""
    return work


@cache
def own_versions() -> dict[str, str]:
    """Return the version of Python, without its last part, and of what computes."""
    return {"python": _minor(platform.python_version())} | {name: _own(name) for name in PACKAGES}


def check_versions(reported: Mapping[str, Mapping[str, str | None]]) -> None:
    """Refuse workers, by what Dask reports of each, that have other versions than this process."""
    for worker, versions in reported.items():
        found = {name: versions.get(name) or "none" for name in PACKAGES}
        found["python"] = _minor(str(versions.get("python")))
        if unlike := _difference(worker, own_versions(), found):
            raise UsageError(unlike)


def _difference(worker: str, asked: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Return how the versions of a worker differ from the submitter's; empty if they do not."""
    unlike = [
        f"{name} {found.get(name, 'none')} there, {version} here"
        for name, version in asked.items()
        if found.get(name, "none") != version
    ]
    return (
        f"worker {worker} has other versions than this process: {'; '.join(unlike)}; install the "
        "same versions on all machines"
        if unlike
        else ""
    )


def _own(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _minor(text: str) -> str:
    return ".".join(text.split(".")[:2])
