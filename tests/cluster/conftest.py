"""A scheduler and workers, started with Dask's own commands."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.runs.conftest import wait_until

ROOT = Path(__file__).parents[2]


class Machines:
    """Dask processes of a test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers: list[subprocess.Popen[bytes]] = []

    def _start(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
        own = {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", **environment}
        with (self._folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--no-dashboard"],
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env={**os.environ, **own},
                start_new_session=True,
            )

    def restart_scheduler(self) -> None:
        kill(self.scheduler)
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def add(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker; without a nanny, so that what is killed stays so."""
        alone = ["--no-nanny", "--nthreads", "1", "--death-timeout", "300"]
        words = [*alone, "--local-directory", str(self._folder), *options]
        worker = self._start("worker", self.address, *words, **environment)
        self.workers.append(worker)
        return worker

    def wait_for(self, number: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False, timeout=60) as client:
            wait_until(lambda: len(client.nthreads()) >= number)
        # Else another scheduler took the port, and its workers are somebody's.
        assert self.scheduler.poll() is None, (self._folder / "dask.log").read_text()

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group at once, as a machine that loses its power."""
    if process.poll() is not None:
        return  # Another process may have its id by now.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)


@contextlib.contextmanager
def started(folder: Path) -> Iterator[Machines]:
    """Start a scheduler without workers; end all of it."""
    machines = Machines(folder)
    try:
        yield machines
    finally:
        machines.close()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    folder = tmp_path / "dask"
    folder.mkdir()
    with started(folder) as machines:
        yield machines


@pytest.fixture
def two(machines: Machines) -> Machines:
    for _ in range(2):
        machines.add()
    machines.wait_for(2)
    return machines


def pause(seconds: float) -> None:
    time.sleep(seconds)
