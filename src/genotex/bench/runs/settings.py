"""What a run is: written first, and compared when the run is gone on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genotex.analysis.method_record import versions
from genotex.bench.problems import Problem
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import UsageError
from genotex.formats import read_json_object, write_json
from genotex.layout import Procedure

__all__ = ["RunSettings", "begin_or_go_on"]

FORMAT = 1


@dataclass(frozen=True)
class RunSettings:
    """What the answers of a run depend on.

    Attributes
    ----------
    name : str
        Name of the run: that of its folder.
    method : str
        Name of the method.
    procedure : {"sound", "benchmark"} or None
        None for a method that uses none.
    options : mapping
        What else was chosen, as plain JSON values.
    problems : sequence of Problem
        In the order of the results.
    input, preprocessed : Path or None
        Folder of the raw files; folder of the cohorts of somebody else.
    task_info : mapping of str to str
        ``name`` and ``sha256`` of the task list.
    may_change : mapping
        What no answer depends on, as how long is waited for one: it may be something else when the
        run is gone on with.
    """

    name: str
    method: str
    procedure: Procedure | None
    options: Mapping[str, Any]
    problems: Sequence[Problem]
    input: Path | None = None
    preprocessed: Path | None = None
    task_info: Mapping[str, str] = field(default_factory=dict)
    may_change: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the settings, and the versions of what computes, as plain JSON values."""
        return {
            "format": FORMAT,
            "name": self.name,
            "method": self.method,
            "procedure": self.procedure,
            "options": dict(self.options),
            "may_change": dict(self.may_change),
            "versions": versions(),
            "input": None if self.input is None else str(self.input.resolve()),
            "preprocessed": None if self.preprocessed is None else str(self.preprocessed.resolve()),
            "task_info": dict(self.task_info),
            "problems": [{"trait": p.trait, "condition": p.condition} for p in self.problems],
        }


def begin_or_go_on(folder: RunFolder, settings: RunSettings) -> None:
    """Write the settings of a new run, or see that they are those of the run that is there.

    Raises
    ------
    UsageError
        If the folder holds a run with other settings, or results that are of no run.
    FormatError
        If the settings that are there cannot be read.
    """
    wanted = settings.to_json()
    if not folder.settings.exists():
        _refuse_results(folder)
        write_json(folder.settings, wanted)
        return
    found = read_json_object(folder.settings, "name another output folder for a new run")
    # The folder of a run may be moved or renamed.
    as_found = {**found, "name": settings.name, "may_change": wanted["may_change"]}
    unlike = _differences(as_found, wanted)
    if unlike:
        msg = (
            f"{folder.root} holds a run with other settings: {'; '.join(unlike)}; repeat its own "
            "settings to go on with it, or name another output folder for a new run"
        )
        raise UsageError(msg)
    if found.get("may_change") != wanted["may_change"]:
        write_json(folder.settings, {**found, "may_change": wanted["may_change"]})


def _refuse_results(folder: RunFolder) -> None:
    """Refuse a folder whose results would be scored together with those of the run."""
    beside = folder.root / "regress"
    if folder.journal.exists() or (beside.is_dir() and any(beside.iterdir())):
        there = folder.journal if folder.journal.exists() else beside
        msg = (
            f"{there} is there, but no {folder.settings.relative_to(folder.root)} that tells of "
            "which run; name another output folder"
        )
        raise UsageError(msg)


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any], place: str = "") -> list[str]:
    told = []
    for name in dict.fromkeys([*found, *wanted]):
        was, now = found.get(name), wanted.get(name)
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            told += _differences(was, now, f"{place}{name} ")
        elif isinstance(was, list) and isinstance(now, list):
            told.append(f"{place}{name}: {_listed(was, now)}")
        else:
            told.append(f"{place}{name} was {_word(was)}, is {_word(now)}")
    return told


def _listed(was: list[Any], now: list[Any]) -> str:
    if len(was) != len(now):
        return f"{len(was)} then, {len(now)} now"
    number = next(i for i, (a, b) in enumerate(zip(was, now, strict=True), start=1) if a != b)
    return f"{len(now)} as then, but number {number} is another"


def _word(value: Any) -> str:
    return "not given" if value is None else str(value)
