"""Runs as named on the command line, and the record that a run keeps of itself."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from genotex.bench.evaluation.score_files import SCORES_FILE
from genotex.errors import FormatError, UsageError
from genotex.formats import decode, original, read_bytes, read_json_object
from genotex.layout import TraitName
from genotex.procedure import Procedure
from genotex.records import PlainName, Sha256, Shape, TypedDict, checked

RAW_FILES = "raw files"
TABLES_OF_GENOTEX = "tables by genotex"
PREPARED_TABLES = "prepared tables"
NO_DATA = "no data"
STARTS = (RAW_FILES, TABLES_OF_GENOTEX, PREPARED_TABLES, NO_DATA)
WITHOUT_COHORTS = (TABLES_OF_GENOTEX, PREPARED_TABLES, NO_DATA)
"""Starting points of runs that do no filtering, selection or preprocessing of their own."""


_RUN_FILE = Path("run", "run.json")
_PROBLEMS_FILE = Path("run", "problems.csv")
_COSTS = (
    "seconds",
    "cohort_seconds",
    "tokens_in",
    "tokens_out",
    "tokens_cached",
    "cost",
    "peak_memory_mb",
)
_HINT = "'genotex bench run' writes it; remove it if another tool wrote it"


class _AskedProblem(TypedDict):
    """A problem of a run."""

    trait: TraitName
    condition: NotRequired[TraitName | None]


class _TaskList(TypedDict, total=False):
    """The task list that a run was given."""

    name: PlainName
    sha256: Sha256
    path: str


@dataclass(frozen=True)
class StoredRun:
    """The ``run.json`` of a run, by any version: what its answers depend on."""

    format: int = 1
    name: str | None = None
    method: str | None = None
    procedure: Procedure | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    may_change: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str | None] = field(default_factory=dict)
    input: str | None = None
    preprocessed: str | None = None
    task_info: Annotated[dict[str, Any], Shape(_TaskList)] = field(default_factory=dict)
    start: str | None = None
    problems: Annotated[tuple[dict[str, Any], ...], Shape(tuple[_AskedProblem, ...])] = ()
    # Whether it states where the method started from: early versions do not.
    tells_input: bool = field(default=True, init=False, metadata={"exclude": True})

    def part(self, name: str) -> Mapping[str, Any]:
        """Return an option that is an object; empty where it is none."""
        found = self.options.get(name)
        return found if isinstance(found, dict) else {}


def read_stored_run(folder: Path, *, hint: str = _HINT, ours: bool = False) -> StoredRun:
    """Read the ``run.json`` of a run; `ours` refuses unknown fields."""
    path = folder / _RUN_FILE
    content = read_json_object(path, hint)
    extra: Literal["ignore", "forbid"] = "forbid" if ours else "ignore"
    found = checked(StoredRun, content, extra=extra, path=path, hint=hint)
    object.__setattr__(found, "tells_input", {"input", "preprocessed"} <= content.keys())
    return found


@dataclass(frozen=True)
class RunRecord:
    """The record of a run folder; None and empty where unknown."""

    name: str | None = None
    method: str | None = None
    procedure: str | None = None
    start: str | None = None  # one of `STARTS`
    per_problem: dict[str, float] = field(default_factory=dict)  # averages; cost in US dollars
    missing: dict[str, int] = field(default_factory=dict)  # cost without average -> problems
    asked: frozenset[tuple[str, str | None]] = frozenset()


def read_run_record(folder: Path) -> RunRecord:
    """Read the record of a run folder; a folder of another tool has none."""
    run, problems = folder / _RUN_FILE, folder / _PROBLEMS_FILE
    name = method = procedure = start = None
    if run.is_file():
        recorded = read_stored_run(folder)
        name, method, start = recorded.name or None, recorded.method or None, _start(recorded)
        procedure = None if recorded.procedure is None else str(recorded.procedure)
    if not problems.is_file():
        return RunRecord(name, method, procedure, start)
    rows = csv.DictReader(io.StringIO(decode(read_bytes(problems)), newline=""))
    if "trait" not in (rows.fieldnames or ()):
        msg = "expected a table with a column 'trait'"
        raise FormatError(msg, path=problems, line=1, hint=_HINT)
    numbered = [
        (rows.line_num, {k: original(v) if isinstance(v, str) else v for k, v in row.items()})
        for row in rows
    ]
    costs, missing = _averages(numbered, problems)
    asked = frozenset((row["trait"], row.get("condition") or None) for _, row in numbered)
    return RunRecord(name, method, procedure, start, costs, missing, asked)


def _start(recorded: StoredRun) -> str | None:
    if recorded.start in STARTS:
        return str(recorded.start)
    # Runs of earlier versions do not record it.
    if not recorded.tells_input:
        return None
    if recorded.preprocessed is not None:
        return PREPARED_TABLES
    if recorded.input is None:
        return NO_DATA
    own = recorded.options.get("own_cohorts")
    built_in = recorded.method in (None, "rules", "agents")
    return RAW_FILES if own or built_in else TABLES_OF_GENOTEX


def _averages(
    rows: Sequence[tuple[int, Mapping[str, str]]], path: Path
) -> tuple[dict[str, float], dict[str, int]]:
    """Return the averages, and for how many problems a cost is missing that others have.

    An average over the others only would be wrong where calls of a model without a price are the
    expensive ones.
    """
    values: dict[str, list[float]] = {name: [] for name in _COSTS}
    problems = len(rows)
    for line, row in rows:
        for name in _COSTS:
            if cell := (row.get(name) or "").strip():
                values[name].append(_number(cell, path, line, name))
    averages = {
        name: math.fsum(found) / problems
        for name, found in values.items()
        if len(found) == problems > 0
    }
    missing = {name: problems - len(v) for name, v in values.items() if 0 < len(v) < problems}
    return averages, missing


def _number(cell: str, path: Path, line: int, name: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        msg = f"{cell!r} is not a number"
        raise FormatError(msg, path=path, line=line, field=name, hint=_HINT)
    return value


def holds_outputs(path: Path) -> bool:
    """Return whether a path is an output folder, which can be scored."""
    return any((path / name).is_dir() for name in ("preprocess", "regress"))


def name_runs(given: Sequence[str]) -> dict[str, Path]:
    """Return the path of every run by a unique name.

    ``NAME=PATH`` names a run. Else its ``run/run.json`` does, else its folder; folders of the same
    name are distinguished by their parents.
    """
    split = [_split(text) for text in given]
    paths = [path for _, path in split]
    typed = [name for name, _ in split if name is not None]
    _refuse_repeats(typed, "two runs are called {}; give each its own name")
    _refuse_repeats([str(p.resolve()) for p in paths], "{} is given twice; once is enough")
    own = [n or (read_run_record(p).name if p.is_dir() else None) for n, p in split]
    parts = [_folder_parts(path) for path in paths]
    for depth in range(1, 1 + max(map(len, parts), default=0)):
        names = [
            name if name is not None and own.count(name) == 1 else "/".join(folders[-depth:])
            for name, folders in zip(own, parts, strict=True)
        ]
        if len(set(names)) == len(names):
            return dict(zip(names, paths, strict=True))
    msg = f"the runs {', '.join(given)} cannot be distinguished; name them with NAME=PATH"
    raise UsageError(msg)


def _refuse_repeats(names: Sequence[str], message: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(message.format(name))


def _split(text: str) -> tuple[str | None, Path]:
    name, equals, rest = text.partition("=")
    path = Path(text)
    if equals and name and rest and not path.exists():
        path = Path(rest)
    else:
        name = ""
    if not path.exists():
        msg = f"{path} does not exist; give an output folder or a {SCORES_FILE}"
        raise UsageError(msg)
    if path.is_dir() and not holds_outputs(path) and not (path / SCORES_FILE).is_file():
        msg = (
            f"{path} contains no run: expected preprocess/ or regress/ of an output folder, or "
            f"{SCORES_FILE} of 'genotex evaluate -o'"
        )
        raise UsageError(msg)
    return name or None, path


def _folder_parts(path: Path) -> tuple[str, ...]:
    """Return the names of a run's folder and those above it; a single file gives its own name."""
    whole = path.resolve()
    if whole.is_file():
        whole = whole.parent if whole.name == SCORES_FILE else whole.with_suffix("")
    return tuple(part for part in whole.parts if part != whole.anchor)
