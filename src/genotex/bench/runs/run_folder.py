"""Where the files of a run lie: in an output folder of the benchmark's layout, in ``run/``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from genotex.bench.problems import Problem
from genotex.io import lock, remove_leftovers
from genotex.layout import OutputFolder

__all__ = ["RunFolder", "result_name"]


def result_name(problem: Problem) -> Path:
    """Return the path of a problem's result within an output folder."""
    return OutputFolder(Path()).significant_genes(problem.trait, problem.condition)


class RunFolder:
    """The folder of a benchmark run.

    Parameters
    ----------
    root : Path
        The output folder; it need not exist yet.

    Attributes
    ----------
    output : OutputFolder
        ``preprocess/`` and ``regress/``.
    settings, journal, outcomes, table, summary : Path
        Files of the run: what it is, its finished steps, what became of each problem (the same
        whenever the run is done again), the same with times and memory, and counts.
    work : Path
        Where problems are being solved; gone when nothing runs.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.output = OutputFolder(self.root)
        self._own = self.root / "run"
        self.settings = self._own / "run.json"
        self.journal = self._own / "journal.jsonl"
        self.outcomes = self._own / "outcomes.json"
        self.table = self._own / "problems.csv"
        self.summary = self._own / "summary.json"
        self.work = self._own / "work"

    def log(self, problem: Problem) -> Path:
        """Return the path of what a method printed."""
        return self._own / "logs" / f"{_name(problem)}.log"

    def own_cohorts(self, problem: Problem) -> OutputFolder:
        """Return where the cohorts lie that a plug-in preprocessed for one problem."""
        return OutputFolder(self._own / "cohorts" / _name(problem))

    def relative(self, path: Path) -> str:
        """Return a path of the folder as it stands in the journal."""
        return path.relative_to(self.root).as_posix()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep other runs out, and remove what a killed one left under way.

        Raises
        ------
        UsageError
            If another run is going on in the folder.
        """
        with lock(self.settings, wait=False):
            self.remove_work()
            for path in (self.settings, self.outcomes, self.table, self.summary):
                remove_leftovers(path)
            try:
                yield
            finally:
                self.remove_work()

    def withdraw_outcomes(self) -> None:
        """Remove what tells of a finished run, where this one is not for now."""
        for path in (self.outcomes, self.table, self.summary):
            path.unlink(missing_ok=True)

    def begin_work(self) -> Path:
        """Make a folder for problems under way, with another name each time.

        Processes of a killed run may live on for a moment, and must not meet those of this one.
        """
        self.work.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self.work))

    def remove_work(self) -> None:
        """Remove the folders of problems under way."""
        shutil.rmtree(self.work, ignore_errors=True)


def _name(problem: Problem) -> str:
    return f"{problem.trait}_condition_{problem.condition}"
