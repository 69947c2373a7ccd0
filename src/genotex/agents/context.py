"""What has happened in a notebook: steps with their attempts, and counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from genotex.agents.action_units import ActionUnit
from genotex.agents.answers import Verdict
from genotex.agents.promises import CellState, Variable
from genotex.agents.sandbox import CellResult, CellStatus
from genotex.errors import ModelError
from genotex.models import MOST_SHOWN, Model, Reply, Request, cut, fenced
from genotex.records import Rounded, plain


@dataclass
class Tally:
    """Counts of one notebook."""

    model_seconds: Annotated[float, Rounded(3)] = 0.0
    cell_seconds: Annotated[float, Rounded(3)] = 0.0
    waiting_seconds: Annotated[float, Rounded(3)] = 0.0  # Between calls, as for a rate limit
    steps: int = 0  # Steps that were begun, also those dropped later
    reviews: int = 0
    rejections: int = 0
    revisions: int = 0
    kept: int = 0  # Revisions in which the author kept the code as it was
    # Approvals that did not count: of code that did not run, or lacks promised variables.
    overruled: int = 0
    incomplete: int = 0  # Attempts that ran, but did not leave the variables of their step
    shortened: int = 0  # How often prompts were made shorter, as the model reads no more
    retractions: int = 0
    refused_ends: int = 0  # Plans to end the notebook that did not count, as nothing was recorded
    # unreadable_plans, unreadable_reviews, unwritten: Answers that could not be used, also
    # when asked again.
    unreadable_plans: int = 0
    unreadable_reviews: int = 0
    unwritten: int = 0
    reused: int = 0  # Steps whose code was taken over and ran
    timeouts: int = 0  # Cells stopped by their time limit
    reruns: int = 0  # Cells that ran a second time, as the session was ended from outside
    peak_bytes: int = 0  # Most memory that the session held during a cell; 0 where it is not known

    @property
    def work_seconds(self) -> float:
        """Time of calls and cells, without waiting."""
        return self.model_seconds + self.cell_seconds

    def count_cell(self, result: CellResult) -> None:
        """Count a cell."""
        self.cell_seconds += result.seconds
        self.peak_bytes = max(self.peak_bytes, result.peak_bytes)
        self.timeouts += result.status is CellStatus.TIMED_OUT
        self.reruns += bool(result.rerun_after)

    def count_call(self, call: Reply | ModelError) -> None:
        """Count a call, also one that failed."""
        self.model_seconds += call.working
        self.waiting_seconds += call.waiting

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain JSON values."""
        return plain(self)


class TalliedModel:
    """A model whose time is counted for one notebook."""

    def __init__(self, model: Model, tally: Tally) -> None:
        self._model = model
        self._tally = tally

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self._model.name

    def answer(self, request: Request) -> Reply:
        """Pass on, and count the time (see `Model`)."""
        try:
            reply = self._model.answer(request)
        except ModelError as error:
            self._tally.count_call(error)
            raise
        self._tally.count_call(reply)
        return reply


_SESSION_FOLDER = re.compile(r"\S*genotex-session-\w+/(?:lib/)?")
"""In tracebacks; its name differs between sessions and means nothing."""


@dataclass(frozen=True)
class Attempt:
    """Code for a step, and its result."""

    code: str  # Empty where the author gave none
    result: CellResult
    # None where it was not reviewed, or the reviewer's answer could not be read.
    verdict: Verdict | None = None
    author: str = ""  # Role that wrote it; empty for code that was taken over from another notebook
    # Whether the reviewer approved of code that did not run, or does not leave its variables.
    overruled: bool = False
    note: str = ""  # How the code was found in the answer, where that was not plain
    state: CellState | None = None  # Variables that it leaves; None where they were not checked

    @property
    def ran(self) -> bool:
        """Whether it ran to its end without an error."""
        return self.result.status is CellStatus.OK

    @property
    def lacking(self) -> tuple[str, ...]:
        """What is wrong with the variables that later steps need."""
        return () if self.state is None else self.state.lacking

    @property
    def complete(self) -> bool:
        """Whether it ran, and left the variables that its step has promised."""
        return self.ran and not self.lacking

    @property
    def approved(self) -> bool:
        """Whether it was approved of, and is complete."""
        return self.verdict is not None and self.verdict.approve and self.complete

    @property
    def remarks(self) -> tuple[str, ...]:
        """What of the answer was run where that was not plain, and what the cell lacks."""
        return tuple(filter(None, (self.note, *self.lacking)))

    @property
    def end(self) -> str:
        """How it ended, in a word or two."""
        return "incomplete" if self.ran and self.lacking else str(self.result.status)

    @property
    def shown(self) -> str:
        """The output as prompts show it."""
        return self.shown_output(MOST_SHOWN)

    def shown_output(self, most: int) -> str:
        """Return the output cut to a length."""
        text = cut(_SESSION_FOLDER.sub("", self.result.text), most)
        return fenced(text if text.strip() else "(nothing was printed)")

    def shown_code(self, most: int = MOST_SHOWN) -> str:
        """Return the code cut to a length."""
        return fenced(cut(self.code, most), "python") if self.code else "(no code)"


@dataclass(frozen=True)
class Step:
    """One step of a notebook."""

    unit: ActionUnit
    instruction: str
    attempts: tuple[Attempt, ...] = ()  # In order; the last one counts
    before: int = 0  # Step of the session before it

    @property
    def final(self) -> Attempt:
        """The attempt that counts."""
        return self.attempts[-1]

    @property
    def reused(self) -> bool:
        """Whether its code was taken over from another notebook."""
        return bool(self.attempts) and not self.final.author

    def with_attempt(self, attempt: Attempt) -> Step:
        """Return the step with one more attempt."""
        return replace(self, attempts=(*self.attempts, attempt))

    def judged(self, verdict: Verdict, *, overruled: bool) -> Step:
        """Return the step with a verdict on its last attempt."""
        last = replace(self.final, verdict=verdict, overruled=overruled)
        return replace(self, attempts=(*self.attempts[:-1], last))


@dataclass
class TaskContext:
    """What a notebook has come to."""

    steps: list[Step] = field(default_factory=list)  # Those that count, in order
    # How many there were when the notebook was to end with nothing recorded; None if it never
    # was.
    refused_after: int | None = None

    def add(self, step: Step) -> None:
        """Add a finished step."""
        self.steps.append(step)

    def drop_from(self, number: int) -> Sequence[Step]:
        """Drop a step and all after it, counted from 1; return what was dropped."""
        dropped = self.steps[number - 1 :]
        del self.steps[number - 1 :]
        return dropped

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the units done, in order."""
        return tuple(step.unit.name for step in self.steps)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that the steps have left, in order; a later one replaces an earlier one."""
        found: dict[str, Variable] = {}
        for step in self.steps:
            for each in () if step.final.state is None else step.final.state.found:
                found[each.name] = each
        return tuple(found.values())

    @property
    def last(self) -> Step | None:
        """The step before the next one."""
        return self.steps[-1] if self.steps else None
