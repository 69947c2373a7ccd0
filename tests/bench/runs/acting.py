"""A method that behaves as the trait of the problem says; it must be importable by its process."""

import ctypes
import itertools
import os
import signal
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from genotex.bench import Context, write_answer
from genotex.errors import AnalysisError
from genotex.problems import Problem

MEGABYTE = 10**6
SLEEP = ["sleep", "600"]


@dataclass(frozen=True)
class Acting:
    marks: Path

    def solve(self, problem: Problem, context: Context) -> None:
        self.note(problem.trait, os.getpid())
        getattr(self, problem.trait.lower())(problem, context)

    def note(self, name: str, pid: int) -> None:
        (self.marks / f"{name}.{pid}").touch()

    def answers(self, problem: Problem, context: Context) -> None:
        write_answer(context.output, problem, ["TP53", "EGFR"], "GSE1")

    def loops(self, problem: Problem, context: Context) -> None:
        while True:
            pass

    def loops_in_c(self, problem: Problem, context: Context) -> None:
        deque(itertools.repeat(0), maxlen=0)

    def sleeps_in_children(self, problem: Problem, context: Context) -> None:
        child = subprocess.Popen(SLEEP)
        self.note("Sleeps_in_children", child.pid)
        child.wait()

    def hides_children(self, problem: Problem, context: Context) -> None:
        child = subprocess.Popen(SLEEP, start_new_session=True)
        self.note("Hides_children", child.pid)
        time.sleep(600)

    def leaves_a_process(self, problem: Problem, context: Context) -> None:
        child = subprocess.Popen(SLEEP, start_new_session=True)
        self.note("Leaves_a_process", child.pid)
        child.returncode = 0  # Forget it, as a careless plug-in does.
        self.answers(problem, context)

    def aborts(self, problem: Problem, context: Context) -> None:
        os.abort()

    def reads_wild_memory(self, problem: Problem, context: Context) -> None:
        ctypes.string_at(0)

    def raises(self, problem: Problem, context: Context) -> None:
        msg = "an odd value"
        raise ValueError(msg)

    def raises_ours(self, problem: Problem, context: Context) -> None:
        msg = f"{context.output.root}/table.csv is too small"
        raise AnalysisError(msg)

    def is_killed(self, problem: Problem, context: Context) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def exits(self, problem: Problem, context: Context) -> None:
        sys.exit(3)

    def vanishes(self, problem: Problem, context: Context) -> None:
        os._exit(0)

    def has_no_disk(self, problem: Problem, context: Context) -> None:
        raise OSError(28, "No space left on device")

    def eats(self, problem: Problem, context: Context) -> None:
        food = bytearray(300 * MEGABYTE)
        food[::4096] = b"x" * len(food[::4096])
        self.answers(problem, context)

    def says_nothing(self, problem: Problem, context: Context) -> None:
        pass

    def writes_text(self, problem: Problem, context: Context) -> None:
        path = context.output.significant_genes(problem.trait, problem.condition)
        path.parent.mkdir(parents=True)
        path.write_text("TP53, EGFR")

    def chatters(self, problem: Problem, context: Context) -> None:
        while True:
            sys.stdout.write("on and on\n" * 10_000)

    def prints(self, problem: Problem, context: Context) -> None:
        print("half of it is", "done")
        print("careful", file=sys.stderr)
        self.answers(problem, context)
