"""Results of `genotex bench run` on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.bench.runs.problem_record import ProblemRecord
    from genotex.bench.runs.summary import RunSummary

__all__ = ["run_json", "show_run"]

MOST_FAILURES = 3
"""Failures that are printed one by one; all are in problems.csv."""


def run_json(summary: RunSummary | None, records: Sequence[ProblemRecord]) -> dict[str, Any]:
    """Return a run's end as plain JSON values; it has no summary where it stopped before."""
    rows = [
        record.outcome() | {"seconds": record.seconds, "peak_memory_mb": record.peak_memory_mb}
        for record in records
    ]
    return {"summary": None if summary is None else summary.to_json(), "problems": rows}


def show_run(
    summary: RunSummary, records: Sequence[ProblemRecord], output: Path, solved_now: int
) -> None:
    """Print the outcome of the problems, `solved_now` of them new, and time and memory."""
    kinds = [{"kind": kind, **counts} for kind, counts in summary.by_kind.items()]
    total = {"kind": "all", "problems": summary.problems, "answered": summary.answered}
    screen.table(["kind", "problems", "answered"], [*kinds, total] if len(kinds) > 1 else [total])
    screen.say(f"\n{_costs(summary)}")
    for cohort, error in summary.cohorts_not_read.items():
        screen.tell(f"{cohort}: {screen.one_line(error)}", "not read")
    failed = [record for record in records if not record.success]
    for kind, count in summary.by_error_class.items():
        screen.tell(f"{count} problem{'s' if count > 1 else ''}", kind)
    for record in failed if len(failed) <= MOST_FAILURES else ():
        screen.tell(f"{record.problem}: {screen.one_line(record.error)}", "not answered")
    before = summary.problems - solved_now
    if before:
        screen.tell(f"{before} of the problems were finished before")
    screen.tell(
        f"results are in {output / 'regress'}, the outcome of each problem in {output / 'run'}"
    )


def _costs(summary: RunSummary) -> str:
    cohorts, seconds = summary.cohorts, summary.seconds
    parts = [
        f"{seconds['median']:.3g} s a problem (median), {seconds['longest']:.3g} s the longest",
    ]
    if summary.peak_memory_mb:
        parts.append(f"peak memory {summary.peak_memory_mb:,.0f} MB")
    if cohorts["read"]:
        parts.insert(0, f"{cohorts['read']} cohorts, {cohorts['usable']} usable")
    return "; ".join(parts)
