"""The questions put to models: filled-in prompts, each ending with the task card."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from genotex.agents.action_units import ActionUnit, action_units
from genotex.agents.answers import MOST_SUGGESTIONS
from genotex.agents.context import MOST_SHOWN, Step, TaskContext, cut, fenced
from genotex.agents.models import Message, Request
from genotex.agents.prompts import render_prompt, toolkit_documentation
from genotex.agents.task import NotebookKind, Task, set_up_code
from genotex.clinical import SeriesDescription
from genotex.clinical.description import SHOWN_VALUES
from genotex.errors import BadAnswerError

__all__ = ["Card", "DoneStep", "Occasion", "Questions", "last_attempt", "read_card"]

Occasion = Literal["plan", "write", "revise", "review", "encode", "zero_shot"]

_OPEN = "```json task-card\n"
_CLOSE = "\n```"


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

    def block(self) -> str:
        """Return the card as text for the end of a prompt."""
        return f"{_OPEN}{json.dumps({**asdict(self), 'task': self.task.to_json()})}{_CLOSE}"


def read_card(request: Request) -> Card:
    """Return the card of a request.

    The last one in the first message of the user is ours: texts of files and models are before it,
    or in later messages.
    """
    _, found, rest = _question(request).rpartition(_OPEN)
    try:
        data = json.loads(rest[: rest.rindex(_CLOSE)])
        data["steps"] = tuple(DoneStep(**step) for step in data["steps"])
        data["task"] = Task.from_json(data["task"])
        data["units"], data["attempts"] = tuple(data["units"]), tuple(data["attempts"])
        return Card(**data)
    except (ValueError, KeyError, TypeError) as error:
        what = "cannot be read" if found else "is missing"
        msg = f"the task card of the question {what}, and the rules answer from it alone"
        raise BadAnswerError(msg, model="rules") from error


def _question(request: Request) -> str:
    return next(message.text for message in request.messages if message.author == "user")


def last_attempt(request: Request) -> tuple[str, str]:
    """Return code and output of the attempt that a request is about.

    They are the last two fenced blocks before the card. A text between fences has no run of
    backticks as long as theirs (see `context.fenced`), so that no text can pretend to be a block.
    """
    before = _question(request).rpartition(_OPEN)[0]
    output, before = _last_block(before, "data")
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


_AUTHORS = {"geo": "engineer", "tcga": "engineer", "statistics": "statistician"}


@dataclass(frozen=True)
class Questions:
    """Makes the requests of one notebook."""

    task: Task
    expert: bool = True  # Whether steps that need domain knowledge are the Domain Expert's

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

    def encode(self, series: SeriesDescription) -> Request:
        """Ask for the annotation of a series as data (see `structured`)."""
        others = _other_texts(series) if self.task.procedure.reads_sample_texts else None
        text = render_prompt(
            "team/encode.md.j2",
            task=self.task,
            task_line=_task_line(self.task),
            background=fenced(cut(series.text)),
            characteristics=fenced(cut(_numbered(series.shown()))),
            other_texts=None if others is None else fenced(cut(others)),
            first_ids=fenced(", ".join(series.first_ids) or "none"),
            most_values=SHOWN_VALUES,
        )
        system = render_prompt("team/roles/encoder.md.j2")
        card = Card("expert", "encode", self.task)
        messages = (Message("system", system), Message("user", f"{text}\n{card.block()}\n"))
        return Request("expert", messages)

    def script(self, occasion: Occasion, step: Step, files: str) -> Request:
        """Ask for one script that does the whole task (see `script`)."""
        text = render_prompt(
            "script/ask.md.j2",
            task=self.task,
            task_line=_task_line(self.task),
            set_up=fenced(set_up_code(self.task), "python"),
            instruction=step.instruction,
            files=fenced(files),
            attempts=step.attempts,
        )
        card = Card(
            self.author,
            occasion,
            self.task,
            unit=step.unit.name,
            attempts=tuple(str(attempt.result.status) for attempt in step.attempts),
        )
        return self._request(card, text, role="script/role.md.j2")

    def _about_step(
        self, occasion: Occasion, role: str, context: TaskContext, step: Step
    ) -> Request:
        template = f"expert_{occasion}" if role == "expert" else occasion
        text = self._render(
            template,
            context,
            last=context.last,
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
            attempts=tuple(str(attempt.result.status) for attempt in step.attempts),
        )
        return self._request(card, text, step.unit.functions if role == "expert" else None)

    def _render(self, template: str, context: TaskContext, **values: Any) -> str:
        return render_prompt(
            f"team/{template}.md.j2",
            task=self.task,
            task_line=_task_line(self.task),
            steps=context.steps,
            refused_after=context.refused_after,
            set_up=fenced(set_up_code(self.task), "python"),
            most_suggestions=MOST_SUGGESTIONS,
            **values,
        )

    def _request(
        self,
        card: Card,
        text: str,
        functions: Sequence[str] | None = None,
        role: str | None = None,
    ) -> Request:
        system = render_prompt(
            role or f"team/roles/{card.role}.md.j2",
            task=self.task,
            what=_task_line(self.task),
            guidelines=render_prompt(f"team/guidelines/{self.task.kind}.md.j2", task=self.task),
            toolkit=toolkit_documentation(functions or _functions(self.task.kind)),
            most_shown=MOST_SHOWN,
        )
        messages = (Message("system", system), Message("user", f"{text}\n{card.block()}\n"))
        return Request(card.role, messages)


def _functions(kind: NotebookKind) -> list[str]:
    """Return the functions that any step of a kind of notebook may need."""
    return sorted({name for unit in action_units(kind) for name in unit.functions})


def _numbered(rows: Mapping[int, Sequence[str]]) -> str:
    return "\n".join(f"{number}: {json.dumps(cells)}" for number, cells in rows.items())


def _other_texts(series: SeriesDescription) -> str:
    lines = {
        "title": series.titles,
        "source_name_ch1": series.source_names,
        "description": tuple(cell for line in series.descriptions for cell in line),
    }
    shown = {
        name: [cell for cell in dict.fromkeys(cells) if cell is not None][:SHOWN_VALUES]
        for name, cells in lines.items()
    }
    return "\n".join(f"{name}: {json.dumps(cells)}" for name, cells in shown.items())


def _done(steps: Sequence[Step]) -> tuple[DoneStep, ...]:
    return tuple(DoneStep(step.unit.name, str(step.final.result.status)) for step in steps)


def _task_line(task: Task) -> str:
    if task.kind == "statistics":
        return f"Answer the problem {task.problem}."
    if task.kind == "tcga":
        return f"Prepare the TCGA cohort of the trait {task.trait}."
    return f"Prepare the series {task.cohort} of GEO for the trait {task.trait}."
