"""The task card: what a prompt is about, as data at its end.

People and models may read it as a summary; the built-in rules answer from it alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from genotex.agents.models import Request
from genotex.agents.task import Task
from genotex.errors import BadAnswerError

__all__ = ["Card", "DoneStep", "Occasion", "last_attempt", "read_card"]

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
    """What a prompt is about.

    Attributes
    ----------
    role, occasion : str
        Who is asked, and for what.
    task : Task
    unit : str or None
        The step that is asked about.
    steps : sequence of DoneStep
        Steps done before.
    units : sequence of str
        Steps there are, in their usual order.
    retractions_left : int
        How often the notebook may still go back.
    attempts : sequence of str
        How each attempt at the step ended so far.
    refused_after : int or None
        Number of steps after which the notebook was to end with nothing recorded.
    """

    role: str
    occasion: Occasion
    task: Task
    unit: str | None = None
    steps: Sequence[DoneStep] = ()
    units: Sequence[str] = ()
    retractions_left: int = 0
    attempts: Sequence[str] = ()
    refused_after: int | None = None

    def block(self) -> str:
        """Return the card as it stands at the end of a prompt."""
        return f"{_OPEN}{json.dumps({**asdict(self), 'task': self.task.to_json()})}{_CLOSE}"


def read_card(request: Request) -> Card:
    """Return the card of a request.

    The last one in the first message of the user is ours: what files and models said stands in
    front of it, or in later messages.

    Raises
    ------
    BadAnswerError
        If there is none.
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

    They are the last two fenced blocks before the card. What stands between two fences has no run
    of backticks as long as theirs (see `context.fenced`), so that no text can pretend to be one.
    """
    before = _question(request).rpartition(_OPEN)[0]
    output, before = _last_block(before, "data")
    code, _ = _last_block(before, "python")
    return code, output


def _last_block(text: str, kind: str) -> tuple[str, str]:
    """Return what stands in the last fenced block, and the text before it."""
    closing = [found[0] for found in re.finditer(r"^`{3,}$", text, re.MULTILINE)]
    if not closing:
        return "", text
    fence = closing[-1]
    inside, _, _ = text.rpartition(f"\n{fence}")
    before, _, block = inside.rpartition(f"{fence}{kind}\n")
    return block, before
