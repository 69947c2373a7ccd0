"""The work on one notebook: plan, write, execute, review, until the task is completed.

GenoTEX paper, section 4. Nothing here knows a file, a clock or a network: models answer, a session
runs the code, and both may be recordings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from genotex.agents.action_units import (
    ActionUnit,
    action_units,
    usual_next,
    usual_steps,
    whole_task,
)
from genotex.agents.answers import StepChoice, Verdict, WrittenCode, ask_for_code, choose_step
from genotex.agents.code_shelf import CodeShelf, Shelf, is_general, may_be_reused
from genotex.agents.context import Attempt, Step, TalliedModel, Tally, TaskContext
from genotex.agents.promises import CellState, check_code, read_state
from genotex.agents.prompts import render_prompt
from genotex.agents.questions import Questions
from genotex.agents.sandbox import CellResult, CellStatus, Session
from genotex.agents.switches import Switches
from genotex.agents.task import Task, set_up_code
from genotex.errors import BadAnswerError, ContextTooLongError, RefusedError, SandboxError
from genotex.models import Model, Request, RoleModels

STEPS_PER_UNIT = 2
"""A notebook has at most so many steps for each kind of step there is."""

Answer = TypeVar("Answer")

NOTHING_TO_DO = "nothing to do"
"""What a step prints that turns out not to be needed; it has no variables to leave then."""

_CHECK_SECONDS = 20.0
"""Time for the check of a step's variables."""

_NO_STATE_TO_CONTINUE_FROM = (
    CellStatus.TIMED_OUT,
    CellStatus.INTERRUPTED,
    CellStatus.TOO_MUCH_OUTPUT,
)


class Ending(StrEnum):
    """Why the work on a notebook ended."""

    COMPLETED = "task completed"
    TIME = "time limit"
    STEPS = "step limit"
    UNRECORDED = "nothing recorded"
    """The planner declared the task completed, also after this had been refused once."""


@dataclass(frozen=True)
class Event:
    """Something that happened, for a trace."""

    kind: str  # ``plan``, ``retract``, ``refusal``, ``attempt``, ``verdict``
    text: str  # In a line


@dataclass
class Notebook:
    """A notebook, finished or not."""

    task: Task
    set_up: str  # The cell it begins with
    context: TaskContext = field(default_factory=TaskContext)  # The steps that count
    tally: Tally = field(default_factory=Tally)
    ending: Ending | None = None  # None while it is unfinished
    dropped: list[Step] = field(default_factory=list)  # Steps that were dropped
    plans: list[StepChoice] = field(default_factory=list)
    under_way: Step | None = None  # The step that is being done


class NotebookWork:
    """The team at work on one notebook."""

    def __init__(
        self,
        task: Task,
        switches: Switches,
        model: Model,
        session: Session,
        shelf: Shelf,
        *,
        temperature: float | None = None,
        max_output: int | None = None,
        is_recorded: Callable[[], bool] = lambda: True,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        self.notebook = Notebook(task, set_up_code(task))
        self._switches = switches
        self._session = session
        self._shelf = shelf
        self._is_recorded = is_recorded
        self._report = on_event or (lambda event: None)
        self._questions = Questions(task, switches.expert)
        self._models = RoleModels(
            TalliedModel(model, self._tally), temperature=temperature, max_output=max_output
        )

    @property
    def _tally(self) -> Tally:
        return self.notebook.tally

    @property
    def _context(self) -> TaskContext:
        return self.notebook.context

    @property
    def _task(self) -> Task:
        return self.notebook.task

    def run(self) -> Notebook:
        """Work until the task is completed, or a limit is reached."""
        self._set_up()
        while self.notebook.ending is None:
            self.notebook.ending = self._limit() or self._next_step()
        return self.notebook

    def _set_up(self) -> None:
        result = self._execute(self.notebook.set_up)
        if result.status is not CellStatus.OK:
            msg = f"the notebook's first cell does not run: {result.text.strip()[-500:]}"
            raise SandboxError(msg)

    def _limit(self) -> Ending | None:
        if self._tally.work_seconds >= self._switches.work_seconds:
            return Ending.TIME
        if self._tally.steps >= STEPS_PER_UNIT * len(action_units(self._task.kind)):
            return Ending.STEPS
        return None

    def _next_step(self) -> Ending | None:
        choice = self._plan()
        if choice.retract_to is not None:
            self._retract(choice.retract_to)
        if choice.unit.completes:
            return self._completed()
        self._tally.steps += 1
        self._context.add(self._do(choice.unit))
        self.notebook.under_way = None
        return None

    def _completed(self) -> Ending | None:
        """End the notebook; where nothing is recorded, the first such plan is refused."""
        if self._is_recorded():
            return Ending.COMPLETED
        if self._context.refused_after is not None:
            return Ending.UNRECORDED
        self._context.refused_after = len(self._context.steps)
        self._tally.refused_ends += 1
        self._report(Event("refusal", "the task is not completed: nothing is recorded"))
        return None

    def _plan(self) -> StepChoice:
        if self._switches.planning:
            left = self._switches.max_retract - self._tally.retractions
            droppable = len(self._context.steps) if left else 0
            names = self._context.names
            choice = self._asked(
                lambda: choose_step(
                    self._models,
                    self._questions.plan(self._context, left),
                    self._task,
                    names,
                    droppable,
                )
            )
        else:
            choice = StepChoice(usual_next(self._task, self._context.names))
        self._tally.unreadable_plans += choice.unreadable
        self.notebook.plans.append(choice)
        self._report(Event("plan", f"{choice.unit.name}: {choice.why}"))
        return choice

    def _retract(self, number: int) -> None:
        before = self._context.steps[number - 1].before
        self.notebook.dropped += self._context.drop_from(number)
        self._tally.retractions += 1
        self._session.restore(before)
        self._report(Event("retract", f"back to step {number}"))

    def _do(self, unit: ActionUnit) -> Step:
        step = Step(unit, unit.instruction(self._task), before=self._session.step)
        step = self._first_attempt(step)
        if self._switches.reviewer and not (step.reused and step.final.complete):
            step = self._reviewed(step)
        code = step.final.code
        if step.final.approved and may_be_reused(unit) and is_general(code, self._task):
            self._shelf.keep(self._task, unit, self._context.names, code)
        return step

    def _first_attempt(self, step: Step) -> Step:
        code = self._offered(step.unit)
        if code is not None:
            step = self._attempted(step, code, author="")
            self._tally.reused += step.final.complete
            return step
        try:
            written = self._code(lambda questions: questions.write(self._context, step))
        except (BadAnswerError, RefusedError) as error:
            return step.with_attempt(self._no_code(error, self._questions.author_of(step.unit)))
        author = self._questions.author_of(step.unit)
        return self._attempted(step, written.code, author, written.note)

    def _code(self, make: Callable[[Questions], Request]) -> WrittenCode:
        return self._asked(lambda: ask_for_code(self._models.ask, make(self._questions)))

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        """Ask, with shorter prompts from now on if the model cannot read so much."""
        while True:
            try:
                return ask()
            except ContextTooLongError:
                shorter = self._questions.shorter()
                if shorter is None:
                    raise
                self._questions = shorter
                self._tally.shortened += 1

    def _offered(self, unit: ActionUnit) -> str | None:
        # A step that was dropped is not tried with the same code.
        dropped = unit.name in (step.unit.name for step in self.notebook.dropped)
        if not self._switches.reuse or not may_be_reused(unit) or dropped:
            return None
        return self._shelf.offer(self._task, unit, self._context.names)

    def _no_code(self, error: BadAnswerError | RefusedError, author: str) -> Attempt:
        self._tally.unwritten += 1
        result = CellResult(
            CellStatus.ERROR, explanation=f"There is no code: {error}", step=self._session.step
        )
        return Attempt("", result, author=author)

    def _attempted(self, step: Step, code: str, author: str, note: str = "") -> Step:
        result = self._execute(code)
        if result.state_kept and result.status in _NO_STATE_TO_CONTINUE_FROM:
            # Half a cell cannot be rerun with the same result.
            self._session.restore(step.before)
            result = replace(result, state_kept=False)
        state = self._checked(step.unit, result) if result.status is CellStatus.OK else None
        attempt = Attempt(code, result, author=author, note=note, state=state)
        self._tally.incomplete += bool(attempt.lacking)
        self._report(Event("attempt", f"{step.unit.name}: {attempt.end}"))
        return self._now(step.with_attempt(attempt))

    def _checked(self, unit: ActionUnit, said: CellResult) -> CellState | None:
        """Return the variables that a step has left; None where they cannot be checked."""
        if not unit.promises or (unit.may_skip and NOTHING_TO_DO in said.text.lower()):
            return None
        after = self._session.step
        result = self._session.execute(check_code(unit.promises), seconds=_CHECK_SECONDS)
        if result.status is not CellStatus.OK:
            self._session.restore(after)
            return None
        return read_state(result.text, unit.promises)

    def _now(self, step: Step) -> Step:
        self.notebook.under_way = step
        return step

    def _execute(self, code: str) -> CellResult:
        left = self._switches.work_seconds - self._tally.work_seconds
        result = self._session.execute(code, seconds=min(self._switches.cell_seconds, max(left, 1)))
        self._tally.count_cell(result)
        return result

    def _reviewed(self, step: Step) -> Step:
        for _ in range(self._switches.max_rounds):
            if not step.final.code or self._limit() is Ending.TIME:
                break
            step = self._judged(step)
            if step.final.approved or (step.final.verdict is None and step.final.complete):
                break
            revised = self._revised(step)
            if revised is None:
                break
            step = revised
        return step

    def _judged(self, step: Step) -> Step:
        """Ask for a verdict; where it cannot be read, whether the code ran decides."""
        self._tally.reviews += 1
        try:
            verdict = self._asked(
                lambda: self._models.ask_for(self._questions.review(self._context, step), Verdict)
            ).value
        except (BadAnswerError, RefusedError) as error:
            self._tally.unreadable_reviews += 1
            self._report(Event("verdict", f"{step.unit.name}: {error}"))
            return step
        # Whether code runs and leaves its variables is a fact, not an opinion.
        overruled = verdict.approve and not step.final.complete
        self._tally.overruled += overruled
        step = step.judged(verdict, overruled=overruled)
        self._tally.rejections += not step.final.approved
        word = "approved" if step.final.approved else "rejected"
        self._report(Event("verdict", f"{step.unit.name} {word}: {verdict.reasoning}"))
        return self._now(step)

    def _revised(self, step: Step) -> Step | None:
        """Have the code revised and run; None where the author keeps it, or gives none."""
        self._tally.revisions += 1
        try:
            written = self._code(lambda questions: questions.revise(self._context, step))
        except (BadAnswerError, RefusedError):
            self._tally.unwritten += 1
            return None
        if written.code == step.final.code:
            self._tally.kept += 1
            return None
        self._session.restore(step.before)
        author = self._questions.author_of(step.unit)
        return self._attempted(step, written.code, author, written.note)


class ScriptWork(NotebookWork):
    """The work on a notebook of one step: an agent without a team, like the paper's CodeAct.

    One call sees the task, the guidelines, the instructions of all steps, the toolkit and the
    files, and answers with a script. After an error it is shown the output and may write the script
    again.
    """

    def __init__(
        self,
        task: Task,
        switches: Switches,
        model: Model,
        session: Session,
        show_files: Callable[[], str],
        **options: Any,
    ) -> None:
        # Nothing is taken over from other notebooks.
        super().__init__(task, switches, model, session, CodeShelf(), **options)
        self._questions = _ScriptQuestions(task, show_files)

    def _next_step(self) -> Ending:
        unit = whole_task(self._task.kind)
        self._tally.steps += 1
        step = Step(unit, _instruction(self._task), before=self._session.step)
        step = self._debugged(self._first_attempt(step))
        self._context.add(step)
        self.notebook.under_way = None
        return Ending.COMPLETED

    def _debugged(self, step: Step) -> Step:
        """Have the script written again while it fails, and while it is another one."""
        for _ in range(self._switches.max_rounds):
            if step.final.ran or not step.final.code or self._limit() is Ending.TIME:
                break
            revised = self._revised(step)
            if revised is None:
                break
            step = revised
        return step


def _instruction(task: Task) -> str:
    steps = [
        {"unit": unit, "instruction": unit.instruction(task)}
        for unit in usual_steps(task)
        if not unit.completes
    ]
    return render_prompt("script/steps.md.j2", steps=steps)


class _ScriptQuestions(Questions):
    """Asks for the script of a whole task."""

    def __init__(self, task: Task, show_files: Callable[[], str]) -> None:
        super().__init__(task, expert=False)
        self._show_files = show_files

    def write(self, context: TaskContext, step: Step) -> Request:
        return self.script("write", step, self._show_files())

    def revise(self, context: TaskContext, step: Step) -> Request:
        return self.script("revise", step, self._show_files())
