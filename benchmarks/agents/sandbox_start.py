"""How long a session for written code takes to be ready, to run a small cell, and to go back.

    python -m benchmarks sandbox_start [--repeat N]

Each number is the median. Where ``ipykernel`` and ``jupyter_client`` are installed, an unconfined
kernel of theirs over Unix sockets is measured beside, in turn with ours.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from genotex.agents.sandbox import Folders, ForkServer, SandboxLimits, SandboxPolicy, local_session
from genotex.agents.team.sessions import NEEDED

CELL = "1 + 1"
STEPS = ["import numpy", "import polars", "from genotex.formats import read_linked_csv"]
Measured = dict[str, float]


def main() -> None:
    """Measure every kind in turn, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=9)
    repeat = parser.parse_args().repeat
    server = ForkServer(SandboxLimits(), NEEDED)
    kinds: dict[str, Callable[[Path], Measured]] = {
        "all walls": lambda folder: ours(folder, SandboxPolicy.REQUIRE),
        "all walls, from a fork server": lambda folder: ours(folder, SandboxPolicy.REQUIRE, server),
        "no walls": lambda folder: ours(folder, SandboxPolicy.OFF),
    }
    if has_jupyter():
        kinds["ipykernel, no walls"] = jupyter
    found: dict[str, list[Measured]] = {name: [] for name in kinds}
    with server:
        # The first has to wait until everything is imported.
        with tempfile.TemporaryDirectory() as folder:
            ours(Path(folder), SandboxPolicy.REQUIRE, server)
        for _ in range(repeat):
            for name, measure in kinds.items():
                with tempfile.TemporaryDirectory() as folder:
                    found[name].append(measure(Path(folder)))
    show(found)


def ours(folder: Path, policy: SandboxPolicy, server: ForkServer | None = None) -> Measured:
    """Measure one session of genotex."""
    session = local_session(Folders(folder / "out"), policy=policy, fork_server=server)
    with taking() as ready:
        session.start()
    session.execute(CELL)
    with taking() as cell:
        peak = session.execute(CELL).peak_bytes
    threads = session.execute("len(__import__('os').listdir('/proc/self/task'))").text
    session.restore(0)
    with taking() as steps:
        for code in STEPS:
            session.execute(code)
    session.execute("import os; os._exit(0)")
    with taking() as back:
        session.restore(len(STEPS))
    session.close()
    return {
        "ready, s": next(ready),
        "cell, ms": 1000 * next(cell),
        "memory, MiB": peak / 2**20,
        "threads": float(threads),
        "three imports, s": next(steps),
        "back behind them, s": next(back),
    }


def jupyter(folder: Path) -> Measured:
    """Measure one kernel of ipykernel."""
    from jupyter_client import KernelManager

    manager = KernelManager(transport="ipc", ip=str(folder / "kernel"))
    with taking() as ready:
        manager.start_kernel()
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
    client.execute_interactive(CELL, silent=True)
    with taking() as cell:
        client.execute_interactive(CELL, silent=True)
    status = Path(f"/proc/{manager.provisioner.pid}/status").read_text(encoding="utf-8")
    told = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    return {
        "ready, s": next(ready),
        "cell, ms": 1000 * next(cell),
        "memory, MiB": int(told["VmHWM"].split()[0]) / 2**10,
        "threads": float(told["Threads"]),
    }


def has_jupyter() -> bool:
    """Tell whether ipykernel and jupyter_client are installed."""
    from importlib.util import find_spec

    return find_spec("ipykernel") is not None and find_spec("jupyter_client") is not None


@contextmanager
def taking() -> Iterator[Iterator[float]]:
    """Give an iterator whose next item, after the block, is the seconds that the block took."""
    seconds: list[float] = []
    start = time.perf_counter()
    yield (second for second in seconds)
    seconds.append(time.perf_counter() - start)


def show(found: dict[str, list[Measured]]) -> None:
    """Print medians, one row a kind."""
    columns = list(next(iter(found.values()))[0])
    table = Table("", *columns)
    for name, runs in found.items():
        medians = [
            f"{statistics.median(run[column] for run in runs):.3g}" if column in runs[0] else "-"
            for column in columns
        ]
        table.add_row(name, *medians)
    Console().print(table)
