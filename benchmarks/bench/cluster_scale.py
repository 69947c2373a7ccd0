"""The cost of scheduling alone: 100,000 pieces of work that do nothing, and their journal.

    python -m benchmarks cluster_scale --pieces 100000

Two workers on this machine; every piece goes through the real scheduler and a process of its
worker. The journal gets an entry of the size of a cohort's for each.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from genotex.cluster.address import read_address
from genotex.cluster.executor import DaskExecutor
from genotex.cluster.worker import identity
from genotex.journal import open_journal
from genotex.parallel import Piece


def entry(number: int) -> dict[str, object]:
    """Return what the journal states of a cohort."""
    return {
        "step": "cohort",
        "trait": "Simulated_Carcinoma",
        "cohort": f"GSE{number}",
        "usable": True,
        "error": None,
        "seconds": 1.234,
    }


def journal_costs(entries: int, folder: Path) -> dict[str, object]:
    """Append entries as a run does, and open the journal as a resumed run does."""
    path, start = folder / "journal.jsonl", time.process_time()
    with open_journal(path) as journal:
        for number in range(entries):
            journal.add(entry(number), at_once=False)
    appended, start = time.process_time() - start, time.process_time()
    with open_journal(path) as journal:
        found = len(journal.entries)
    opened = time.process_time() - start
    with open_journal(folder / "synced.jsonl") as journal:
        before = time.monotonic()
        for number in range(100):
            journal.add(entry(number))
        synced = time.monotonic() - before
    return {
        "entries": found,
        "mb": round(path.stat().st_size / 1e6, 1),
        "append_cpu_ms": round(1000 * appended / entries, 3),
        "append_synced_ms": round(1000 * synced / 100, 2),
        "open_cpu_seconds": round(opened, 2),
    }


def scheduling_costs(pieces: int, scheduler: str) -> None:
    """Print the cost of a piece, after every twentieth part and at the end."""
    work = [Piece(number, 10**6) for number in range(pieces)]
    with DaskExecutor(read_address(scheduler)) as executor:
        outcomes = executor.run(identity, None, work)
        next(outcomes)
        start, cpu, own = time.monotonic(), time.process_time(), time.thread_time()
        for done, _ in enumerate(outcomes, start=1):
            if done % max(1, pieces // 20) and done != pieces - 1:
                continue
            row = {
                "pieces": done + 1,
                "seconds": round(time.monotonic() - start, 1),
                "ms_a_piece": round(1000 * (time.monotonic() - start) / done, 2),
                # Of the submitting process, which is also the scheduler of local:N.
                "cpu_ms_a_piece": round(1000 * (time.process_time() - cpu) / done, 2),
                "cpu_ms_submitting": round(1000 * (time.thread_time() - own) / done, 2),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
            }
            print(json.dumps(row), flush=True)


def main() -> None:
    """Measure the journal, then the scheduler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", type=int, default=100_000)
    parser.add_argument("--scheduler", default="local:2")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(journal_costs(chosen.pieces, Path(name))), flush=True)
    scheduling_costs(chosen.pieces, chosen.scheduler)
