"""The folder of a run and its settings, in ``run/`` of an output folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genotex.analysis.results.method_record import versions
from genotex.bench.comparison.run_record import StoredRun
from genotex.bench.comparison.submission import MANIFEST
from genotex.errors import UsageError
from genotex.formats import read_json_object, write_json
from genotex.io import lock, remove_leftovers
from genotex.layout import OutputFolder
from genotex.problems import Problem
from genotex.records import plain


def result_name(problem: Problem) -> Path:
    """Return the path of a problem's result within an output folder."""
    return OutputFolder(Path()).significant_genes(problem.trait, problem.condition)


class RunFolder:
    """The folder of a benchmark run."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.output = OutputFolder(self.root)
        self._own = self.root / "run"
        self.settings = self._own / "run.json"
        self.journal = self._own / "journal.jsonl"
        self.outcomes = self._own / "outcomes.json"
        self.table = self._own / "problems.csv"
        self.summary = self._own / "summary.json"
        self.manifest = self.root / MANIFEST
        self.work = self._own / "work"

    def log(self, problem: Problem) -> Path:
        """Return the path of what a method printed."""
        return self._own / "logs" / f"{_name(problem)}.log"

    def own_cohorts(self, problem: Problem) -> OutputFolder:
        """Return the folder of the cohorts that a plug-in preprocessed for one problem."""
        return OutputFolder(self._own / "cohorts" / _name(problem))

    def relative(self, path: Path) -> str:
        """Return a path of the folder as recorded in the journal."""
        return path.relative_to(self.root).as_posix()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lock the folder, and remove unfinished work of a killed run."""
        with lock(self.settings, wait=False):
            self.remove_work()
            finished = (self.outcomes, self.table, self.summary, self.manifest)
            for path in (self.settings, *finished):
                remove_leftovers(path)
            try:
                yield
            finally:
                self.remove_work()

    def withdraw_outcomes(self) -> None:
        """Remove the files of a finished run while this one is unfinished."""
        for path in (self.manifest, self.outcomes, self.table, self.summary):
            path.unlink(missing_ok=True)

    def begin_work(self) -> Path:
        """Make a folder for running problems, with a new name each time.

        Processes of a killed run may live on for a moment and must not share files with this one.
        """
        self.work.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self.work))

    def remove_work(self) -> None:
        """Remove the folders of running problems."""
        shutil.rmtree(self.work, ignore_errors=True)


def _name(problem: Problem) -> str:
    return f"{problem.trait}_condition_{problem.condition}"


def run_settings(
    target: Path,
    problems: Sequence[Problem],
    *,
    source: Path | None = None,
    preprocessed: Path | None = None,
    **stated: Any,
) -> StoredRun:
    """Return what the answers of a run depend on, with the versions of what computes."""
    return StoredRun(
        name=target.resolve().name,
        versions=versions(),
        input=None if source is None else str(source.resolve()),
        preprocessed=None if preprocessed is None else str(preprocessed.resolve()),
        problems=tuple({"trait": each.trait, "condition": each.condition} for each in problems),
        **stated,
    )


def begin_or_resume(folder: RunFolder, settings: StoredRun) -> None:
    """Write the settings of a new run, or check that they are those of the existing run."""
    wanted = plain(settings)
    if not folder.settings.exists():
        _refuse_results(folder)
        write_json(folder.settings, wanted)
        return
    found = read_json_object(folder.settings, "give another output folder for a new run")
    # The folder of a run may be moved or renamed.
    as_found = {
        "start": settings.start,
        **found,
        "name": settings.name,
        "may_change": wanted["may_change"],
    }
    unlike = _differences(as_found, wanted)
    if unlike:
        msg = (
            f"{folder.root} contains a run with other settings: {'; '.join(unlike)}; repeat its "
            "settings to resume it, or give another output folder for a new run"
        )
        raise UsageError(msg)
    if found.get("may_change") != wanted["may_change"]:
        write_json(folder.settings, {**found, "may_change": wanted["may_change"]})


def _refuse_results(folder: RunFolder) -> None:
    """Refuse a folder that already has results, which would be scored together with the run's."""
    answers = folder.root / "regress"
    if folder.journal.exists() or (answers.is_dir() and any(answers.iterdir())):
        found = folder.journal if folder.journal.exists() else answers
        msg = (
            f"{found} exists without {folder.settings.relative_to(folder.root)}, so the run it "
            "belongs to is unknown; give another output folder"
        )
        raise UsageError(msg)


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any], place: str = "") -> list[str]:
    unlike = []
    for name in dict.fromkeys([*found, *wanted]):
        was, now = found.get(name), wanted.get(name)
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            unlike += _differences(was, now, f"{place}{name} ")
        elif isinstance(was, list) and isinstance(now, list):
            unlike.append(f"{place}{name}: {_listed(was, now)}")
        else:
            unlike.append(f"{place}{name} was {_word(was)}, is {_word(now)}")
    return unlike


def _listed(was: list[Any], now: list[Any]) -> str:
    if len(was) != len(now):
        return f"{len(was)} before, {len(now)} now"
    number = next(i for i, (a, b) in enumerate(zip(was, now, strict=True), start=1) if a != b)
    return f"{len(now)} as before, but number {number} differs"


def _word(value: Any) -> str:
    return "not given" if value is None else str(value)
