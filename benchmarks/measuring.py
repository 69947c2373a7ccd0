"""Commands measured in processes of their own: time, processor time, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(__file__).resolve().parent / "data"
"""Where large inputs are kept between runs; git ignores it."""
GENOTEX = [sys.executable, "-m", "genotex"]


@dataclass(frozen=True)
class Measured:
    """What a command took, and what it printed."""

    seconds: float
    processor: float
    peak_gib: float
    """Resident memory of the largest process."""
    output: str
    stages: dict[str, float]
    """Seconds of its stages, where the last line that it printed is a JSON object."""


def measure(
    command: Sequence[str], *, allowed: Sequence[int] = (0,), kept_in: Path | None = None
) -> Measured:
    """Run a command and return what it took; exit where it ends with a code not `allowed`.

    `kept_in`: folder of what it keeps of the files that it reads; without it files are read anew.
    """
    start = time.monotonic()
    # Compiled modules are kept, as on a user's machine.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment = {"GENOTEX_LIMITS": "kept=0"} | environment
    if kept_in is not None:
        environment |= {"GENOTEX_LIMITS": "", "XDG_CACHE_HOME": str(kept_in)}
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(ROOT), environment.get("PYTHONPATH")))
    )
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if process.returncode not in allowed:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}\n{output}")
    last = output.strip().rsplit("\n", 1)[-1]
    stages = json.loads(last) if last.startswith("{") else {}
    processor = usage.ru_utime + usage.ru_stime
    return Measured(seconds, processor, usage.ru_maxrss / 2**20, output, stages)


def benchmark(name: str, *options: object) -> list[str]:
    """Return the command of a benchmark, for a side that needs a process of its own."""
    return [sys.executable, "-m", "benchmarks", name, *map(str, options)]


def show_starts(console: Console, starts: Mapping[str, str]) -> None:
    """Print what a new Python takes to run each piece of code: imports alone."""
    for name, code in starts.items():
        start = measure([sys.executable, "-c", code])
        console.print(f"start-up, {name}: {start.seconds:.2f} s, processor {start.processor:.2f} s")


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def best(step: Callable[[], object], repeat: int) -> float:
    """Return the shortest of several times, in seconds."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
