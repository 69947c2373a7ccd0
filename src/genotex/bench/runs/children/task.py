"""What the process of a problem is told, and what it tells."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from genotex.bench.problems import Problem, TaskInfo
from genotex.bench.runs.methods.method import Method
from genotex.layout import Procedure

__all__ = ["Report", "Setup", "Task"]


@dataclass(frozen=True)
class Setup:
    """What is the same for all problems of a run.

    Attributes
    ----------
    method : Method
        Who solves.
    source, cohorts : Path or None
        Input folder; folder of the preprocessed cohorts.
    tasks : TaskInfo
    procedure : {"sound", "benchmark"}
    seed, threads : int
    time_limit : float or None
        Seconds for a problem.
    secrets : tuple of str
        Names of environment variables whose values must stand in no log.
    """

    method: Method
    source: Path | None
    cohorts: Path | None
    tasks: TaskInfo
    procedure: Procedure
    seed: int
    threads: int
    time_limit: float | None = None
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One problem.

    Attributes
    ----------
    number : int
        By which it is told from the others.
    problem : Problem
    folder : Path
        An empty folder for its process.
    log : Path
        What it prints goes there.
    """

    number: int
    problem: Problem
    folder: Path
    log: Path

    @property
    def output(self) -> Path:
        """Where the method writes its answer."""
        return self.folder / "output"

    @property
    def scratch(self) -> Path:
        """Where the method may write what it likes."""
        return self.folder / "scratch"

    @property
    def report(self) -> Path:
        """Where the process tells how it went."""
        return self.folder / "report.json"


@dataclass(frozen=True)
class Report:
    """How a problem went, by the process that solved it.

    Attributes
    ----------
    error_class : str or None
        None when the method ended well.
    error : str
        What went wrong.
    """

    error_class: str | None = None
    error: str = ""

    def write(self, path: Path) -> None:
        """Write the report."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read the report; raises OSError or ValueError when there is no whole one."""
        found = json.loads(path.read_bytes())
        return cls(found["error_class"], found["error"])
