"""What a run came to: one row for each problem, and counts."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from genotex.bench.problems import Problem, ProblemKind
from genotex.bench.runs.problem_record import ProblemRecord
from genotex.bench.runs.run_folder import RunFolder
from genotex.bench.runs.shares import COSTS, cohort_entries
from genotex.formats import read_cohort_info
from genotex.io import atomic_write
from genotex.journal import Journal
from genotex.layout import OutputFolder

__all__ = ["RunSummary", "summarise", "write_outcomes"]

COLUMNS = (
    "trait",
    "condition",
    "kind",
    "success",
    "seconds",
    *COSTS,
    "peak_memory_mb",
    "error_class",
    "error",
)


@dataclass(frozen=True)
class RunSummary:
    """Counts of a run.

    Attributes
    ----------
    problems, answered : int
    by_kind : dict
        For each kind of problem that there is ``problems`` and ``answered``.
    by_error_class : dict of str to int
        Problems that were not answered, the most frequent reason first.
    cohorts : dict of str to int
        ``read`` and ``usable``.
    cohorts_not_read : dict of str to str
        Cohorts that could not be read, and why.
    seconds : dict of str to float
        ``total`` over the processes of all problems, ``median`` and ``longest`` of one, and
        ``cohorts``: of preprocessing.
    peak_memory_mb : float or None
        The largest of a problem, in 10^6 bytes; None where none was measured.
    """

    problems: int
    answered: int
    by_kind: dict[str, dict[str, int]]
    by_error_class: dict[str, int]
    cohorts: dict[str, int]
    cohorts_not_read: dict[str, str]
    seconds: dict[str, float]
    peak_memory_mb: float | None

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        return dict(vars(self))


def summarise(
    records: Sequence[ProblemRecord], journal: Journal, cohorts: OutputFolder | None
) -> RunSummary:
    """Count what became of the problems and the cohorts.

    Parameters
    ----------
    records : sequence of ProblemRecord
        One for each problem.
    journal : Journal
        What preprocessing took.
    cohorts : OutputFolder or None
        The preprocessed cohorts.
    """
    seconds = [record.seconds for record in records]
    read = cohort_entries(journal)
    peaks = [r.peak_memory_mb for r in records if r.peak_memory_mb is not None]
    failed = Counter(r.error_class.value for r in records if r.error_class is not None)
    return RunSummary(
        problems=len(records),
        answered=sum(record.success for record in records),
        by_kind=_by_kind(records),
        by_error_class=dict(failed.most_common()),
        cohorts=_count_cohorts(records, cohorts),
        cohorts_not_read={
            "/".join(name): entry["error"] for name, entry in read.items() if entry["error"]
        },
        seconds={
            "total": round(sum(seconds), 3),
            "median": round(median(seconds), 3),
            "longest": max(seconds),
            "cohorts": round(sum(entry["seconds"] for entry in read.values()), 3),
        },
        peak_memory_mb=max(peaks, default=None),
    )


def _by_kind(records: Sequence[ProblemRecord]) -> dict[str, dict[str, int]]:
    kinds = {}
    for kind in ProblemKind:
        of_kind = [record for record in records if record.problem.kind is kind]
        if of_kind:
            answered = sum(record.success for record in of_kind)
            kinds[kind.value] = {"problems": len(of_kind), "answered": answered}
    return kinds


def _count_cohorts(
    records: Sequence[ProblemRecord], cohorts: OutputFolder | None
) -> dict[str, int]:
    traits = dict.fromkeys(trait for record in records for trait in record.problem.traits)
    files = [] if cohorts is None else [cohorts.cohort_info(trait) for trait in traits]
    infos = [info for f in files if f.is_file() for info in read_cohort_info(f).values()]
    return {"read": len(infos), "usable": sum(info.is_usable for info in infos)}


def write_outcomes(
    run: RunFolder,
    records: Sequence[ProblemRecord],
    summary: RunSummary,
    costs: Mapping[Problem, Mapping[str, str]],
) -> None:
    """Write what became of each problem, as JSON without and as CSV with times, and the counts.

    Parameters
    ----------
    run : RunFolder
    records : sequence of ProblemRecord
        In the order of the run's list.
    summary : RunSummary
    costs : mapping of Problem to mapping of str to str
        What each problem took beside its own time (see `shares.divide`).
    """
    with atomic_write(run.outcomes) as part:
        outcomes = [record.outcome() for record in records]
        part.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
    with atomic_write(run.table) as part, part.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({**record.to_json(), **costs[record.problem]} for record in records)
    with atomic_write(run.summary) as part:
        part.write_text(json.dumps(summary.to_json(), indent=1) + "\n", encoding="utf-8")
