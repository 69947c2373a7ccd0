"""Run a benchmark again and again, killed by SIGKILL each time, until it comes to its end.

Each attempt is a fork of this process, which has imported everything and computed nothing.
"""

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genotex import journal
from genotex.bench import BenchmarkRun, ChosenMethod, run_benchmark
from genotex.problems import TaskInfo

from .first_genes import FirstGenes

LONGEST = 300.0
"""Seconds of an attempt: what waits for a thread of a library that did not survive the fork hangs.
"""


def plan_for(source: Path, target: Path, task_info: Path) -> BenchmarkRun:
    tasks = TaskInfo.load(task_info)
    method = ChosenMethod("first-genes", FirstGenes(), "cohorts")
    return BenchmarkRun(target, tasks, tasks.problems(), method, source)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(moment: str) -> None:
    """Arrange the end: after so many seconds, or at the first new line of the journal."""
    if moment not in ("before", "torn", "after"):
        threading.Timer(float(moment), die).start()
        return
    usual = journal.Journal.add

    def add(self: journal.Journal, entry: Mapping[str, Any]) -> None:
        if moment == "torn":
            os.write(self._handle, b'{"sha256": "12')
        if moment == "after":
            usual(self, entry)
        die()

    journal.Journal.add = add  # type: ignore[method-assign]


def attempt(plan: BenchmarkRun, moment: str) -> int:
    pid = os.fork()
    if pid == 0:
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        die_at(moment)
        run_benchmark(plan)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    source, target, task_info, *moments = sys.argv[1:]
    plan = plan_for(Path(source), Path(target), Path(task_info))
    for moment in moments:
        code = attempt(plan, moment)
        print(moment, code, flush=True)
        if code != -signal.SIGKILL:
            break


if __name__ == "__main__":
    main()
