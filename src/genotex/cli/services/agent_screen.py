"""Progress of a team of agents, and what a run or a notebook did, on the screen."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.agents.team.stage import Progress
from genotex.cli import screen
from genotex.models import dollars

if TYPE_CHECKING:
    from genotex.agents.context import Attempt, Step
    from genotex.agents.notebook import Event, Notebook
    from genotex.agents.task import Task
    from genotex.agents.team.folder import NotebookRecord
    from genotex.agents.team.running import TeamFinished
    from genotex.agents.team.trace import NotebookRow, Trace
    from genotex.models import UsageLedger


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show a bar over all notebooks, with the current event and the cost so far."""
    screen.resumes.set()
    with screen.progress_with_label("notebooks") as bar:
        yield _TeamProgress(*bar)


class _TeamProgress(Progress):
    def __init__(self, step: Callable[[int, int], None], label: Callable[[str], None]) -> None:
        self._step, self._label = step, label
        self._total = self._done = 0

    def begin(self, notebooks: int, done: int) -> None:
        self._total, self._done = notebooks, done
        self._step(done, notebooks)

    def event(self, task: Task, event: Event, usage: UsageLedger) -> None:
        where = task.cohort or str(task.problem)
        # The cost first: on a narrow screen the end is cut.
        self._label(f"{dollars(usage.total().cost)} {where}: {event.text.partition(':')[0]}")

    def end(self, record: NotebookRecord, usage: UsageLedger) -> None:
        self._done += 1
        self._step(self._done, self._total)


def finished_json(finished: TeamFinished) -> dict[str, Any]:
    """Return a run's end as plain JSON values."""
    return {
        "stopped": finished.stopped or None,
        "problems": [record.outcome() for record in finished.problems],
        "notebooks": [
            {key: value for key, value in record.to_json().items() if key != "kept"}
            for record in finished.notebooks
        ],
        "usage": finished.usage.to_json(),
    }


def show_finished(finished: TeamFinished, target: Path) -> None:
    """Print the outcome of notebooks and problems, and the usage."""
    rows = [_notebook_row(record) for record in finished.notebooks]
    columns = ["notebook", "state", "steps", "reviews", "seconds", "why"]
    screen.table(columns, rows, fold=("notebook", "why"))
    screen.show("")
    show_usage(finished.usage)
    answered = [record for record in finished.problems if record.success]
    for record in answered:
        where = f" in {record.cohort}" if record.cohort else ""
        screen.show(f"{record.problem}: {record.genes} genes{where}")
    for record in finished.problems:
        if not record.success:
            screen.notify(screen.one_line(f"{record.problem}: {record.error}"), "not answered")
    show_warnings(finished, target)
    screen.notify(f"results are in {target}; how they were made, and a notebook step by step:")
    show = f"  genotex agent show {shlex.quote(str(target))}"
    screen.notify(show, whole=True)
    if finished.notebooks:
        screen.notify(f"{show} {shlex.quote(finished.notebooks[0].name)}", whole=True)


def show_warnings(finished: TeamFinished, target: Path) -> None:
    """Print missing protections, and why the run stopped, if it did."""
    if unprotected := _unprotected(finished):
        screen.notify(f"not protected from generated code: {unprotected}", "warning")
    if finished.stopped:
        resume = f"genotex agent resume {shlex.quote(str(target))}"
        policies = {record.confinement.get("policy") for record in finished.notebooks}
        resume += " --own-run" if "off" in policies else ""
        screen.notify(f"{finished.stopped}; resume with: {resume}", "stopped")


def _unprotected(finished: TeamFinished) -> str:
    """Return the protections that were missing in some notebook."""
    held = (record.confinement.get("protected", {}) for record in finished.notebooks)
    return ", ".join(sorted({name for each in held for name, there in each.items() if not there}))


def _notebook_row(record: NotebookRecord) -> dict[str, Any]:
    tally = record.tally
    return {
        "notebook": record.name,
        "state": record.state.value,
        "steps": tally.steps,
        "reviews": tally.reviews,
        "seconds": tally.work_seconds,
        "why": screen.one_line(record.remark),
    }


def show_usage(usage: UsageLedger) -> None:
    """Print calls, tokens and cost of a run."""
    total = usage.total()
    tokens = f"{total.input_tokens} tokens in, {total.output_tokens} out"
    failed = f"; {total.failed} more failed, at an unknown cost" if total.failed else ""
    screen.show(f"{total.calls} calls; {tokens}; {dollars(total.cost)}{failed}")


def overview_json(rows: Sequence[NotebookRow]) -> list[dict[str, Any]]:
    """Return the notebooks of a run as plain JSON values."""
    return [{**_overview_row(row), "usage": row.usage.to_json()} for row in rows]


def show_overview(rows: Sequence[NotebookRow]) -> None:
    """Print the notebooks of a run."""
    columns = ["trait", "notebook", "state", "steps", "seconds", "calls", "cost", "why"]
    shown = [_overview_row(row) for row in rows]
    screen.table(columns, shown, fold=("trait", "notebook", "why"))


def _overview_row(row: NotebookRow) -> dict[str, Any]:
    record = row.record
    return {
        "trait": row.task.trait,
        "notebook": row.task.cohort or f"given {row.task.condition}",
        "state": row.state,
        "steps": None if record is None else record.tally.steps,
        "seconds": None if record is None else record.tally.work_seconds,
        "calls": row.usage.calls,
        "cost": dollars(row.usage.cost),
        "why": screen.one_line(row.why),
    }


def trace_json(found: Trace) -> dict[str, Any]:
    """Return a notebook, step by step, as plain JSON values."""
    facts = {
        "task": found.row.task.to_json(),
        "state": found.row.state,
        "why": found.row.why or None,
        "usage": found.usage.to_json(),
    }
    notebook = found.notebook
    if notebook is None:
        return facts | {"answers": list(found.answers)}
    return facts | {
        "ending": None if notebook.ending is None else notebook.ending.value,
        "plans": [
            {"step": p.unit.name, "retract_to": p.retract_to, "why": p.why} for p in notebook.plans
        ],
        "steps": [_step_json(step) for step in _steps(notebook)],
        "dropped": [_step_json(step) for step in notebook.dropped],
        "tally": notebook.tally.to_json(),
    }


def _steps(notebook: Notebook) -> list[Step]:
    under_way = notebook.under_way
    return [*notebook.context.steps, *([under_way] if under_way is not None else [])]


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "step": step.unit.name,
        "reused": step.reused,
        "attempts": [
            {
                "author": attempt.author or None,
                "code": attempt.code,
                "status": str(attempt.result.status),
                "note": attempt.note,
                "lacking": list(attempt.lacking),
                "output": attempt.result.text,
                "seconds": attempt.result.seconds,
                "verdict": None if attempt.verdict is None else vars(attempt.verdict),
            }
            for attempt in step.attempts
        ],
    }


def show_trace(found: Trace) -> None:
    """Print a notebook step by step: plan, code, output, review, cost, time."""
    task = found.row.task
    screen.show(f"{task.trait} {task.cohort or task.problem}")
    for answer in found.answers:
        for line in json.dumps(answer, indent=2, ensure_ascii=False).splitlines():
            screen.show(screen.one_line(line))
    if found.notebook is not None:
        _show_notebook(found.notebook)
    screen.show("")
    screen.show(": ".join(part for part in (found.row.state, found.row.why) if part))
    for role, row in found.usage.by_role().items():
        screen.show(
            f"{role}: {row.calls} calls, {row.input_tokens} tokens in, {row.output_tokens} out, "
            f"{dollars(row.cost)}, {row.working:.1f} s"
        )


def _show_notebook(notebook: Notebook) -> None:
    for number, step in enumerate(_steps(notebook), start=1):
        screen.show("")
        screen.show(f"== Step {number}: {step.unit.title} ==")
        for attempt in step.attempts:
            _show_attempt(attempt)
    screen.show("")
    for step in notebook.dropped:
        screen.show(f"dropped: {step.unit.title} ({step.final.result.status})")
    counts = {name: value for name, value in notebook.tally.to_json().items() if value}
    screen.show(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counts.items()))


def _show_attempt(attempt: Attempt) -> None:
    who = attempt.author or "reused from another notebook"
    screen.show(f"-- {who}: {attempt.end}, {attempt.result.seconds:.1f} s")
    for remark in attempt.remarks:
        screen.show(screen.one_line(f"   ({remark})"))
    for line in attempt.code.rstrip().expandtabs().splitlines():
        screen.show(screen.one_line(f"    {line}".rstrip()))
    for line in attempt.result.text.rstrip().expandtabs().splitlines():
        screen.show(screen.one_line(f"  > {line}".rstrip()))
    if attempt.verdict is not None:
        word = "approved" if attempt.approved else "rejected"
        screen.show(screen.one_line(f"-- review: {word}. {attempt.verdict.reasoning}"))
        for suggestion in attempt.verdict.suggestions:
            screen.show(screen.one_line(f"   * {suggestion}"))
