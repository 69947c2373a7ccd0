"""The questions put to models: filled-in prompts, each with its task card as facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from genotex.agents.action_units import ActionUnit, action_units
from genotex.agents.answers import MOST_SUGGESTIONS
from genotex.agents.context import Step, TaskContext
from genotex.agents.prompts import PACKAGES, render_prompt, toolkit_reference
from genotex.agents.task import Task, set_up_code
from genotex.errors import BadAnswerError
from genotex.models import MOST_SHOWN, Message, Request, cut, fenced

Occasion = Literal["plan", "write", "revise", "review", "encode", "zero_shot"]


@dataclass(frozen=True)
class DoneStep:
    """A step that was done: its unit, and how its last attempt ended."""

    unit: str
    status: str


@dataclass(frozen=True)
class Card:
    """What a prompt is about."""

    # role, occasion: Who is asked, and for what.
    role: str
    occasion: Occasion
    task: Task
    unit: str | None = None  # The step that is asked about
    steps: Sequence[DoneStep] = ()  # Steps done before
    units: Sequence[str] = ()  # Steps there are, in their usual order
    retractions_left: int = 0  # How often the notebook may still go back
    attempts: Sequence[str] = ()  # How each attempt at the step ended so far
    # Number of steps after which the notebook was to end with nothing recorded.
    refused_after: int | None = None

    def facts(self) -> dict[str, Any]:
        """Return the card as plain data, for programs that answer, and for the record."""
        return {**asdict(self), "task": self.task.to_json()}


def read_card(request: Request) -> Card:
    """Return the card of a request; the built-in rules answer from it alone."""
    try:
        data = dict(request.facts or {})
        data["steps"] = tuple(DoneStep(**step) for step in data["steps"])
        data["task"] = Task.from_json(data["task"])
        data["units"], data["attempts"] = tuple(data["units"]), tuple(data["attempts"])
        return Card(**data)
    except (ValueError, KeyError, TypeError) as error:
        what = "cannot be read" if request.facts else "is missing"
        msg = f"the task card of the question {what}, and the rules answer from it alone"
        raise BadAnswerError(msg, model="rules") from error


def last_attempt(request: Request) -> tuple[str, str]:
    """Return code and output of the attempt that a request is about.

    They are the last fenced blocks of their kind. A text between fences has no run of backticks as
    long as theirs (see `context.fenced`), so that no text can pretend to be a block.
    """
    question = next(message.text for message in request.messages if message.author == "user")
    output, before = _last_block(question, "data")
    code, _ = _last_block(before, "python")
    return code, output


def _last_block(text: str, kind: str) -> tuple[str, str]:
    """Return the content of the last fenced block, and the text before it."""
    closing = [found[0] for found in re.finditer(r"^`{3,}$", text, re.MULTILINE)]
    if not closing:
        return "", text
    fence = closing[-1]
    inside, _, _ = text.rpartition(f"\n{fence}")
    before, _, block = inside.rpartition(f"{fence}{kind}\n")
    return block, before


_SHORTER = (3_000, 1_000)
"""Characters of an output that are shown to models that cannot read the usual number."""
_EARLIER = 600
"""Characters that are shown of outputs and code before the last step."""

_AUTHORS = {"geo": "engineer", "tcga": "engineer", "statistics": "statistician"}


@dataclass(frozen=True)
class Questions:
    """Makes the requests of one notebook."""

    task: Task
    expert: bool = True  # Whether steps that need domain knowledge are the Domain Expert's
    most_shown: int = MOST_SHOWN  # Characters of an output that are shown

    def shorter(self) -> Questions | None:
        """Return questions for a model that cannot read these; None where nothing can be cut."""
        most = next((each for each in _SHORTER if each < self.most_shown), None)
        return None if most is None else replace(self, most_shown=most)

    @property
    def _shortest(self) -> bool:
        return self.most_shown <= _SHORTER[-1]

    @property
    def author(self) -> str:
        """The role that writes the notebook's code."""
        return _AUTHORS[self.task.kind]

    def author_of(self, unit: ActionUnit) -> str:
        """Return the role that writes a step."""
        return "expert" if self._is_experts(unit) else self.author

    def reviewer_of(self, unit: ActionUnit) -> str:
        """Return the role that judges a step."""
        return "expert" if self._is_experts(unit) else "reviewer"

    def _is_experts(self, unit: ActionUnit) -> bool:
        return self.expert and unit.needs_domain_knowledge

    def plan(self, context: TaskContext, retractions_left: int) -> Request:
        """Ask for the next step."""
        units = action_units(self.task.kind)
        text = self._render("plan", context, units=units, retractions_left=retractions_left)
        card = Card(
            "planner",
            "plan",
            self.task,
            steps=_done(context.steps),
            units=tuple(unit.name for unit in units),
            retractions_left=retractions_left,
            refused_after=context.refused_after,
        )
        return self._request(card, text)

    def write(self, context: TaskContext, step: Step) -> Request:
        """Ask for the code of a step."""
        return self._about_step("write", self.author_of(step.unit), context, step)

    def revise(self, context: TaskContext, step: Step) -> Request:
        """Ask for better code, after a review."""
        return self._about_step("revise", self.author_of(step.unit), context, step)

    def review(self, context: TaskContext, step: Step) -> Request:
        """Ask for a judgement of a step's last attempt."""
        return self._about_step("review", self.reviewer_of(step.unit), context, step)

    def script(self, occasion: Occasion, step: Step, files: str) -> Request:
        """Ask for one script that does the whole task (see `script`)."""
        text = render_prompt(
            "script/ask.md.j2",
            task=self.task,
            task_line=_task_line(self.task),
            set_up=fenced(set_up_code(self.task), "python"),
            instruction=step.instruction,
            files=fenced(cut(files, 2 * self.most_shown)),
            attempts=step.attempts,
            most_shown=self.most_shown,
        )
        card = Card(
            self.author,
            occasion,
            self.task,
            unit=step.unit.name,
            attempts=tuple(attempt.end for attempt in step.attempts),
        )
        return self._request(card, text, role="script/role.md.j2")

    def _about_step(
        self, occasion: Occasion, role: str, context: TaskContext, step: Step
    ) -> Request:
        before = [s for s in context.steps if s is context.last or s.unit.name in step.unit.shows]
        variables = (f"{found.name}: {found.kind}; {found.text}" for found in context.variables)
        text = self._render(
            occasion,
            context,
            before=before,
            steps=() if role in ("expert", "reviewer") or self._shortest else context.steps,
            variables=fenced("\n".join(variables)),
            unit=step.unit,
            instruction=step.instruction,
            attempts=step.attempts,
        )
        card = Card(
            role,
            occasion,
            self.task,
            unit=step.unit.name,
            steps=_done(context.steps),
            attempts=tuple(attempt.end for attempt in step.attempts),
        )
        return self._request(card, text, step.unit.functions)

    def _render(self, template: str, context: TaskContext, **values: Any) -> str:
        given = {
            "task": self.task,
            "task_line": _task_line(self.task),
            "steps": context.steps,
            "refused_after": context.refused_after,
            "set_up": fenced(set_up_code(self.task), "python"),
            "most_suggestions": MOST_SUGGESTIONS,
            "most_shown": self.most_shown,
            "earlier": min(_EARLIER, self.most_shown),
        }
        return render_prompt(f"team/{template}.md.j2", **(given | values))

    def _request(
        self, card: Card, text: str, functions: Sequence[str] = (), role: str | None = None
    ) -> Request:
        units = action_units(self.task.kind)
        known = sorted({name for unit in units for name in unit.functions})
        # Authors know of all functions, in a line each, so that they do not write their own.
        others = known if card.role in _AUTHORS.values() and not self._shortest else ()
        system = render_prompt(
            role or f"team/roles/{card.role}.md.j2",
            task=self.task,
            what=_task_line(self.task),
            guidelines=render_prompt(f"team/guidelines/{self.task.kind}.md.j2", task=self.task),
            toolkit=toolkit_reference(functions or known, others),
            packages=PACKAGES,
            most_shown=self.most_shown,
        )
        messages = (Message("system", system), Message("user", text))
        return Request(card.role, messages, facts=card.facts())


def _done(steps: Sequence[Step]) -> tuple[DoneStep, ...]:
    return tuple(DoneStep(step.unit.name, step.final.end) for step in steps)


def _task_line(task: Task) -> str:
    if task.kind == "statistics":
        return f"Answer the problem {task.problem}."
    if task.kind == "tcga":
        return f"Prepare the TCGA cohort of the trait {task.trait}."
    return f"Prepare the series {task.cohort} of GEO for the trait {task.trait}."
