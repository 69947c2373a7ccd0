"""Benchmark runs on Dask workers that are killed at random: the bytes must be those of one machine.

    genotex simulate world --world --small
    python -m benchmarks cluster_kills world --runs 10

Workers are processes of their own. A worker, or in every other run also the submitting process, is
killed by SIGKILL every few seconds; the command is repeated until it ends by itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from distributed import LocalCluster

from benchmarks.measuring import GENOTEX


def digests(root: Path) -> dict[str, str]:
    """Return the digest of every file that must not depend on how the run went."""
    found = [p for part in ("preprocess", "regress") for p in (root / part).rglob("*")]
    files = [p for p in found if p.is_file() and not p.name.startswith(".")]
    files.append(root / "run" / "outcomes.json")
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
    }


WORKERS = 3


class Killer(threading.Thread):
    """Kills workers, and perhaps the submitting process, until it is told to stop."""

    def __init__(self, cluster: LocalCluster, stream: random.Random, every: float) -> None:
        super().__init__(daemon=True)
        self.cluster, self.stream, self.every = cluster, stream, every
        self.over = threading.Event()
        self.submitter: subprocess.Popen[bytes] | None = None
        self.workers_killed = self.submitters_killed = 0

    def run(self) -> None:
        """Kill one after another."""
        while not self.over.wait(self.stream.uniform(0.3, 2 * self.every)):
            if self.submitter is not None and self.stream.random() < 0.25:
                self.submitter.kill()
                self.submitter = None
                self.submitters_killed += 1
                continue
            # A nanny gives up when its worker is killed again and again while it starts.
            self.cluster.scale(WORKERS)
            nanny = self.stream.choice([*self.cluster.workers.values()] or [None])
            with suppress(AttributeError, TypeError, ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)
                self.workers_killed += 1


def command(chosen: argparse.Namespace, target: Path, *options: str) -> list[str]:
    """Return the command of a run."""
    run = [*GENOTEX, "bench", "run", str(chosen.world), str(target)]
    which = ["--task-info", str(chosen.world / "task_info.json"), "--sample", chosen.sample]
    return [*run, *which, "--json", *options]


def killed_run(chosen: argparse.Namespace, target: Path, number: int) -> dict[str, object]:
    """Run once while workers are killed; return what was killed."""
    start, attempts = time.monotonic(), 0
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster:
        killer = Killer(cluster, random.Random(number), chosen.every)
        killer.start()
        code = -signal.SIGKILL
        while code == -signal.SIGKILL:
            attempts += 1
            words = command(chosen, target, "--scheduler", cluster.scheduler_address)
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if number % 2 and attempts < 4:
                killer.submitter = process
            errors = process.communicate()[1]
            code = process.returncode
        killer.over.set()
        killer.join()
    if code:
        raise SystemExit(f"exit code {code}: {errors.decode()}")
    return {
        "run": number,
        "workers_killed": killer.workers_killed,
        "submitters_killed": killer.submitters_killed,
        "seconds": round(time.monotonic() - start, 1),
    }


def main() -> None:
    """Compare runs with the one of this machine alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("world", type=Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="number, and seed, of the first run")
    parser.add_argument("--sample", default="24", help="problems of a run")
    parser.add_argument("--every", type=float, default=6, help="mean seconds between kills")
    chosen = parser.parse_args()
    same = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(command(chosen, folder / "one"), check=True, stdout=subprocess.DEVNULL)
        expected = digests(folder / "one")
        for number in range(chosen.first, chosen.first + chosen.runs):
            target = folder / f"killed{number}"
            row = killed_run(chosen, target, number)
            found = digests(target)
            row["same"] = found == expected
            same += found == expected
            unlike = [n for n in {*found, *expected} if found.get(n) != expected.get(n)]
            print(json.dumps(row), *unlike[:5], flush=True)
    print(f"{same} of {chosen.runs} runs with the same {len(expected)} files")
    sys.exit(same != chosen.runs)
