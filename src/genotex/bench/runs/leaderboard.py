"""Scored runs side by side: ranked, grouped where they were scored alike, score against cost."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from genotex.bench.comparison.paired import RunComparison, compare_runs
from genotex.bench.comparison.run_record import (
    NO_DATA,
    PREPARED_TABLES,
    RunRecord,
    StoredRun,
    read_run_record,
    read_stored_run,
)
from genotex.bench.evaluation.figures import ScoreFigure
from genotex.bench.evaluation.scores import Scores, headline_figures
from genotex.bench.evaluation.summary import Average
from genotex.bench.runs.choosing import BUILT_IN
from genotex.models import Total, dollars

FIGURES: Mapping[str, ScoreFigure] = {figure.key: figure for figure in headline_figures("analysis")}
"""What runs can be ranked and drawn by."""
MAIN = "f1"
SHOWN = ("f1", "auroc", "auprc", "success")
"""Figures of the table; all others are on the page of a run's scores."""
_ANSWERED_ELSEWHERE = "zero-shot"
_OF_AGENTS = "agents"


@dataclass(frozen=True)
class Used:
    """Calls of models and their cost in US dollars; None where unknown, which is not 0."""

    calls: int | None = None
    cost: float | None = None
    words: str = "not recorded"


@dataclass(frozen=True)
class Entry:
    """A scored run."""

    name: str
    label: str
    who: str
    problems: int
    used: Used
    figures: Mapping[str, Average]

    @property
    def per_problem(self) -> float | None:
        """US dollars for each problem; None unless the price of every call is known."""
        cost = self.used.cost
        return None if cost is None or not self.problems else cost / self.problems

    def average(self, by: str) -> float | None:
        """Return the average of a figure."""
        found = self.figures.get(by)
        return None if found is None else found.average

    def cell(self, by: str) -> str:
        """Return the average of a figure with its interval, as text."""
        found = self.figures.get(by)
        if found is None:
            return "-"
        return FIGURES[by].write_with_interval(found.average, found.interval)


@dataclass(frozen=True)
class RunGroup:
    """Runs that were scored alike: the best first; `comparison` where there are several."""

    reference: str
    items: str
    entries: tuple[Entry, ...]
    comparison: RunComparison | None

    def difference(self, entry: Entry, by: str) -> str:
        """Return how a figure of a run differs from that of the baseline, as text."""
        if self.comparison is None or entry.label == self.comparison.baseline:
            return ""
        found = self.comparison.differences[entry.label].get("analysis", {}).get(by)
        if found is None:
            return "-"
        return FIGURES[by].write_with_interval(found.difference, found.interval, signed=True)


@dataclass(frozen=True)
class AboutRun:
    """What is known of a run besides its scores; 0 problems: as many as were scored."""

    label: str
    who: str = ""
    problems: int = 0
    used: Used = Used()


def group_runs(
    named: Mapping[str, Scores],
    about: Callable[[str, int], AboutRun],
    baseline: str = "",
    seed: int = 0,
) -> list[RunGroup]:
    """Return the runs in groups that were scored alike, the largest first."""
    grouped: dict[tuple[object, ...], dict[str, Scores]] = {}
    for name, scores in named.items():
        grouped.setdefault(_kind(scores), {})[name] = scores
    groups = [_group(members, about, baseline, seed) for members in grouped.values()]
    return sorted(groups, key=lambda group: -len(group.entries))


def _kind(scores: Scores) -> tuple[object, ...]:
    """Return what has to agree for two runs to be compared."""
    return (
        scores.reference,
        tuple(sorted(scores.tasks)),
        tuple(sorted((key, str(value)) for key, value in scores.settings.items())),
        frozenset((item.trait, item.condition) for item in scores.analysis),
        frozenset((item.trait, item.condition) for item in scores.selection),
        frozenset(item.trait for item in scores.filtering),
    )


def _group(
    named: Mapping[str, Scores], about: Callable[[str, int], AboutRun], baseline: str, seed: int
) -> RunGroup:
    ranked = sorted(named, key=lambda name: _rank(name, named[name]))
    known = {name: about(name, _problems(named[name])) for name in ranked}
    labels = {name: each.label for name, each in known.items()}
    first = labels.get(baseline, labels[ranked[0]])
    compared = compare_runs({labels[name]: named[name] for name in ranked}, first, seed=seed)
    entries = [
        Entry(
            name,
            labels[name],
            known[name].who,
            known[name].problems or _problems(named[name]),
            known[name].used,
            run.summary.sections.get("analysis", {}),
        )
        for name, run in zip(ranked, compared.runs, strict=True)
    ]
    scores = named[ranked[0]]
    several = compared if len(entries) > 1 else None
    return RunGroup(scores.reference, _items(scores), tuple(entries), several)


def _rank(name: str, scores: Scores) -> tuple[bool, float, str]:
    """Return what runs are ordered by: the best first, those without the figure last."""
    values = [getattr(item, MAIN) for item in scores.analysis]
    return not values, -math.fsum(values) / max(1, len(values)), name


def _problems(scores: Scores) -> int:
    return len(scores.analysis or scores.selection)


def _items(scores: Scores) -> str:
    count = _problems(scores)
    if count:
        return f"{count:,} problem{'' if count == 1 else 's'}"
    return "tables of preprocessing"


def pareto_front(entries: Sequence[Entry]) -> list[Entry]:
    """Return the runs that no other beats in cost and score, the cheapest first.

    Runs whose cost is unknown are neither on the front nor do they beat others.
    """
    priced = [e for e in entries if e.per_problem is not None and e.average(MAIN) is not None]
    priced.sort(key=lambda e: (e.per_problem or 0.0, -(e.average(MAIN) or 0.0)))
    front: list[Entry] = []
    for entry in priced:
        if not front or (entry.average(MAIN) or 0.0) > (front[-1].average(MAIN) or 0.0):
            front.append(entry)
    return front


def used_by_method(method: str, record: RunRecord, problems: int) -> Used:
    """Return what a run spent on models; built-in methods ask none."""
    if method in BUILT_IN and method != _ANSWERED_ELSEWHERE:
        return Used(0, 0.0, "$0")
    average = record.per_problem.get("cost")
    if average is None:
        return Used()
    cost = average * problems
    return Used(None, cost, dollars(Total(Decimal(cost))))


@dataclass(frozen=True)
class RunSetup:
    """What a run used, by its own record; empty where it does not state it."""

    method: str
    model: str
    version: str
    start: str
    procedure: str
    task_info: str
    problems: int
    options: Mapping[str, Any]
    command: str
    used: Used

    @property
    def who(self) -> str:
        """Who answers: the method, or the agent and its model."""
        name = str(self.options.get("preset") or self.options.get("agent") or self.method)
        return ", ".join(part for part in (name, self.model) if part)


def read_setup(folder: Path) -> RunSetup:
    """Read what a run folder states of its method, and the command that repeats it."""
    recorded, record = read_stored_run(folder), read_run_record(folder)
    method, problems = recorded.method or "", len(recorded.problems)
    digest = str(recorded.task_info.get("sha256") or "")[:12]
    start = record.start or ""
    return RunSetup(
        method=method,
        model=str(recorded.part("models").get("model") or ""),
        version=str(recorded.versions.get("genotex") or ""),
        start=start,
        procedure="" if recorded.procedure is None else str(recorded.procedure),
        task_info=" ".join(filter(None, (str(recorded.task_info.get("name") or ""), digest))),
        problems=problems,
        options=recorded.options,
        command=_command(recorded, start),
        used=used_by_method(method, record, problems),
    )


def _command(recorded: StoredRun, start: str) -> str:
    """Return the command of the run; folders are placeholders, since they differ by machine."""
    method, options = recorded.method or "", recorded.options
    needs_input = start not in (NO_DATA, PREPARED_TABLES)
    words = ["genotex", "bench", "run", "INPUT" if needs_input else "-", "OUTPUT"]
    words += ["--task-info", str(recorded.task_info.get("name") or "task_info.json")]
    words += ["--problems", "problems.csv"]
    if method == _OF_AGENTS:
        words += ["--preset", str(options.get("preset") or "full")]
        model = recorded.part("models").get("model")
        words += ["--model", str(model)] if model else []
    elif method == "command":
        words += ["--command", str(options.get("command"))]
    else:
        words += ["--method", method]
    if recorded.procedure is not None:
        words += ["--procedure", str(recorded.procedure)]
    for name in ("genes", "seed"):
        words += [f"--{name}", str(options[name])] if options.get(name) is not None else []
    if answers := recorded.part("answers"):
        words += ["--answers", str(answers.get("name"))]
    words += ["--own-cohorts"] if options.get("own_cohorts") else []
    words += ["--preprocessed", "FOLDER"] if start == PREPARED_TABLES else []
    return shlex.join(words)
