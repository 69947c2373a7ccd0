"""The outcome of a run: one row for each problem, and counts."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

from genotex.bench.comparison.submission import write_manifest
from genotex.bench.runs.problem_record import ProblemRecord
from genotex.bench.runs.run_folder import RunFolder
from genotex.formats import inert, read_cohort_info
from genotex.io import atomic_write
from genotex.journal import Entry, Journal
from genotex.layout import OutputFolder
from genotex.problems import Problem, ProblemKind

Amounts = Mapping[str, Fraction | None]
"""Amount by the name of its column; None: not known. What is missing was not used."""

_COSTS: Mapping[str, int] = {
    "cohort_seconds": 3,
    "tokens_in": 3,
    "tokens_out": 3,
    "tokens_cached": 3,
    "cost": 9,
}
"""Columns of what problems took, and their decimals; cost in US dollars."""


def _cohort_entries(journal: Journal) -> dict[tuple[str, str], Entry]:
    """Return the entry of each cohort by trait and cohort; of several attempts the last."""
    entries = (entry for entry in journal.entries if entry["step"] == "cohort")
    return {(entry["trait"], entry["cohort"]): entry for entry in entries}


def cohort_times(journal: Journal) -> dict[tuple[str, str], Amounts]:
    """Return how long each cohort took, by trait and cohort."""
    return {
        name: {"cohort_seconds": Fraction(str(entry["seconds"]))}
        for name, entry in _cohort_entries(journal).items()
        if entry["seconds"] is not None
    }


def divide(
    problems: Sequence[Problem],
    cohorts: Mapping[tuple[str, str], Amounts],
    own: Mapping[Problem, Amounts] | None = None,
) -> dict[Problem, dict[str, str]]:
    """Return the cells of what each problem took."""
    needed = {
        trait: sum(trait in problem.traits for problem in problems)
        for problem in problems
        for trait in problem.traits
    }
    of_trait: dict[str, Amounts] = {}
    for (trait, _), amounts in cohorts.items():
        of_trait[trait] = _sum(of_trait.get(trait, {}), amounts)
    known = (*of_trait.values(), *(own or {}).values())
    columns = [name for name in _COSTS if any(name in each for each in known)]
    cells = {}
    for problem in problems:
        total = (own or {}).get(problem, {})
        for trait in problem.traits:
            total = _sum(total, of_trait.get(trait, {}), Fraction(1, needed[trait]))
        cells[problem] = {
            name: _text(total.get(name, Fraction(0)), _COSTS[name]) for name in columns
        }
    return cells


def _sum(one: Amounts, other: Amounts, part: Fraction = Fraction(1)) -> dict[str, Fraction | None]:
    """Return one plus a part of another; what is unknown in either is unknown."""
    both = dict(one)
    for name, amount in other.items():
        have = both.get(name, Fraction(0))
        both[name] = None if have is None or amount is None else have + part * amount
    return both


def _text(amount: Fraction | None, decimals: int) -> str:
    if amount is None:
        return ""
    text = f"{float(amount):.{decimals}f}"
    return text.rstrip("0").rstrip(".")


_COLUMNS = (
    "trait",
    "condition",
    "kind",
    "success",
    "seconds",
    *_COSTS,
    "peak_memory_mb",
    "error_class",
    "error",
)


@dataclass(frozen=True)
class RunSummary:
    """Counts of a run."""

    problems: int
    answered: int
    # for each kind of problem that there is `problems` and `answered`
    by_kind: dict[str, dict[str, int]]
    # problems that were not answered, the most frequent reason first
    by_error_class: dict[str, int]
    cohorts: dict[str, int]  # `read` and `usable`
    cohorts_not_read: dict[str, str]  # cohorts that could not be read, and why
    # `total` over the processes of all problems, `median` and `longest` of one, and `cohorts`: of
    # preprocessing
    seconds: dict[str, float]
    # the largest of a problem, in 10^6 bytes; None where none was measured
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
    records
        One for each problem.
    journal
        What preprocessing took.
    cohorts
        The preprocessed cohorts.
    """
    seconds = [record.seconds for record in records]
    read = _cohort_entries(journal)
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
            "cohorts": round(sum(entry["seconds"] or 0 for entry in read.values()), 3),
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
    """Write what became of each problem, the counts, and the digests of all outputs."""
    with atomic_write(run.outcomes) as part:
        outcomes = [record.outcome() for record in records]
        part.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
    with atomic_write(run.table) as part, part.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, _COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for record in records:
            row = {**record.to_json(), **costs[record.problem]}
            writer.writerow({k: inert(v) if isinstance(v, str) else v for k, v in row.items()})
    with atomic_write(run.summary) as part:
        part.write_text(json.dumps(summary.to_json(), indent=1) + "\n", encoding="utf-8")
    write_manifest(run.root)
