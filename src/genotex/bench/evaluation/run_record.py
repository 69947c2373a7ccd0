"""What a run tells of itself: its name and method, and what a problem took on average."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genotex.errors import FormatError
from genotex.formats import decode, read_bytes, read_json_object

__all__ = ["RunRecord", "read_run_record"]

RUN_FILE = Path("run", "run.json")
PROBLEMS_FILE = Path("run", "problems.csv")
COSTS = (
    "seconds",
    "cohort_seconds",
    "tokens_in",
    "tokens_out",
    "tokens_cached",
    "cost",
    "peak_memory_mb",
)
HINT = "'genotex bench run' writes it; remove it where another tool wrote it"


@dataclass(frozen=True)
class RunRecord:
    """A run folder's own words; None and empty where it does not tell.

    Attributes
    ----------
    name, method, procedure : str or None
        From ``run/run.json``.
    start : str or None
        What the run started from: ``raw files``, ``prepared tables`` or ``no data``.
    per_problem : dict of str to float
        Averages over all problems of ``run/problems.csv``: ``seconds`` on a problem and its share
        of ``cohort_seconds``, ``tokens_in``, ``tokens_out``, ``tokens_cached``, ``cost`` (US
        dollars), ``peak_memory_mb``.
    untold : dict of str to int
        Of what has no average, though some problems tell it: how many do not.
    asked : frozenset of (str, str or None)
        Trait and condition of its problems; empty where it does not tell.
    """

    name: str | None = None
    method: str | None = None
    procedure: str | None = None
    start: str | None = None
    per_problem: dict[str, float] = field(default_factory=dict)
    untold: dict[str, int] = field(default_factory=dict)
    asked: frozenset[tuple[str, str | None]] = frozenset()


def read_run_record(folder: Path) -> RunRecord:
    """Read what a run folder tells of itself; a folder of another tool tells nothing.

    Raises
    ------
    FormatError
        If a file of the run is there and holds something else.
    """
    run, problems = folder / RUN_FILE, folder / PROBLEMS_FILE
    told = read_json_object(run, HINT) if run.is_file() else {}
    name, method, procedure = (_text(told, key) for key in ("name", "method", "procedure"))
    start = _start(told)
    if not problems.is_file():
        return RunRecord(name, method, procedure, start)
    rows = csv.DictReader(io.StringIO(decode(read_bytes(problems)), newline=""))
    if "trait" not in (rows.fieldnames or ()):
        msg = "expected a table with a column 'trait'"
        raise FormatError(msg, path=problems, line=1, hint=HINT)
    told_of = [(rows.line_num, row) for row in rows]
    costs, untold = _averages(told_of, problems)
    asked = frozenset((row["trait"], row.get("condition") or None) for _, row in told_of)
    return RunRecord(name, method, procedure, start, costs, untold, asked)


def _text(told: Mapping[str, Any], key: str) -> str | None:
    return str(told[key]) if told.get(key) else None


def _start(told: Mapping[str, Any]) -> str | None:
    if "input" not in told or "preprocessed" not in told:
        return None
    if told["preprocessed"] is not None:
        return "prepared tables"
    return "no data" if told["input"] is None else "raw files"


def _averages(
    rows: Sequence[tuple[int, Mapping[str, str]]], path: Path
) -> tuple[dict[str, float], dict[str, int]]:
    """Return the averages, and how many problems do not tell what others do.

    An average over those that tell would stand for all, and be wrong where calls of a model
    without a price are the expensive ones.
    """
    values: dict[str, list[float]] = {name: [] for name in COSTS}
    problems = len(rows)
    for line, row in rows:
        for name in COSTS:
            if cell := (row.get(name) or "").strip():
                values[name].append(_number(cell, path, line, name))
    told = {name: _mean(found) for name, found in values.items() if len(found) == problems > 0}
    untold = {name: problems - len(v) for name, v in values.items() if 0 < len(v) < problems}
    return told, untold


def _number(cell: str, path: Path, line: int, name: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        msg = f"{cell!r} is no number"
        raise FormatError(msg, path=path, line=line, field=name, hint=HINT)
    return value


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
