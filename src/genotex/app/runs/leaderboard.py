"""Scored runs of a folder side by side: figures, cost and calls, and paired differences.

Runs are compared only where they were scored on the same items in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import polars as pl

from genotex.agents.team.trace import overview
from genotex.app.runs.runs import FoundRun, find_runs, find_scores
from genotex.bench.comparison.run_record import RunRecord, read_run_record
from genotex.bench.evaluation.score_files import read_scores
from genotex.bench.runs.leaderboard import (
    FIGURES,
    AboutRun,
    Entry,
    RunGroup,
    Used,
    group_runs,
    used_by_method,
)
from genotex.errors import FormatError, GenotexError
from genotex.models import Total, dollars
from genotex.studies import Recent, Workspace, state_of

_KEPT = 4
_Money = Total[Decimal]


@dataclass(frozen=True)
class Board:
    """All scored runs of a folder in groups, and the files that cannot be read."""

    groups: tuple[RunGroup, ...]
    problems: tuple[str, ...]

    @property
    def entries(self) -> list[Entry]:
        """All runs."""
        return [entry for group in self.groups for entry in group.entries]

    def frame(self) -> pl.DataFrame:
        """Return a row for each run; cost is empty where it is not fully known."""
        rows = []
        for number, group in enumerate(self.groups, 1):
            for entry in group.entries:
                row = {"run": entry.label, "group": number, "reference": group.reference,
                       "who": entry.who, "problems": entry.problems, "calls": entry.used.calls,
                       "cost (US dollars)": entry.used.cost, "cost": entry.used.words}  # fmt: skip
                for key, figure in FIGURES.items():
                    found = entry.figures.get(key)
                    low, high = (found and found.interval) or (None, None)
                    row |= {figure.name: found and found.average, f"{figure.name}, low": low,
                            f"{figure.name}, high": high}  # fmt: skip
                rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None)


def _board(workspace: Workspace, files: Mapping[str, Path], baseline: str) -> Board:
    runs = {run.name: run for run in find_runs(workspace)}
    named, problems = {}, []
    for name, path in files.items():
        try:
            named[name] = read_scores(path)
        except FormatError as error:
            problems.append(str(error))

    def about(name: str, scored: int) -> AboutRun:
        run = runs.get(name)
        if run is None:
            return AboutRun(_label(name))
        asked = len(run.problems) or scored
        return AboutRun(_label(name), run.who, asked, _used(workspace, run, asked))

    return Board(tuple(group_runs(named, about, baseline)), tuple(problems))


def _label(name: str) -> str:
    return name if name != "." else "this folder"


def _used(workspace: Workspace, run: FoundRun, asked: int) -> Used:
    """Return calls of models and their cost, unknown where neither can be known."""
    try:
        if run.of_agents:
            rows = overview(run.folder)
            cost = _Money(Decimal(0))
            for row in rows:
                cost = cost + row.usage.cost
            known = None if cost.unknown else float(cost.known)
            return Used(sum(row.usage.calls for row in rows), known, dollars(cost))
        table = run.folder / "run" / "problems.csv"
        record = read_run_record(run.folder) if workspace.file(table) else RunRecord()
    except GenotexError:
        return Used()
    return used_by_method(str(run.settings.get("method", "")), record, asked)


class Leaderboards:
    """The boards that were asked for last; computed again when a file has changed."""

    def __init__(self) -> None:
        self._recent = Recent[tuple[object, ...], Board](_KEPT)

    def get(self, workspace: Workspace, baseline: str = "") -> Board:
        """Return the board with differences from one run; without one, from the best."""
        files = find_scores(workspace)
        changed = tuple((name, state_of(path)) for name, path in files.items())
        written = [(run.name, run.written, bool(run.summary)) for run in find_runs(workspace)]
        chosen = baseline if baseline in files else ""
        key = chosen, changed, tuple(written)
        return self._recent.get(key, lambda: _board(workspace, files, chosen))
