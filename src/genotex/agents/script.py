"""One prompt, one script: an agent without a team, like the CodeAct of the GenoTEX paper.

One call sees the task, the guidelines, the instructions of all steps, the toolkit and the files,
and answers with a script. After an error it is shown the output and may write the script again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from genotex.agents.action_units import usual_steps, whole_task
from genotex.agents.code_shelf import CodeShelf
from genotex.agents.context import Step, TaskContext
from genotex.agents.notebook import Ending, NotebookWork
from genotex.agents.prompts import render_prompt
from genotex.agents.questions import Questions
from genotex.agents.sandbox import Session
from genotex.agents.switches import Switches
from genotex.agents.task import Task
from genotex.models import Model, Request


class ScriptWork(NotebookWork):
    """The work on a notebook of one step, which does all of the task."""

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
        step = Step(unit, _instruction(self._task), before=self._session.snapshot())
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
