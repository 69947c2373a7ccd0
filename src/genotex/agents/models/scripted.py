"""A model that answers from a list or by a function: for tests and worked examples."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, is_dataclass, replace
from typing import Any

from genotex.agents.models.model import Reply, Request, Usage
from genotex.errors import BadAnswerError

__all__ = ["ScriptedModel"]

_NOTHING = Usage(0, 0, 0, 0)


class ScriptedModel:
    """Answers with what it was given.

    Parameters
    ----------
    answers : iterable or callable
        The answers in order, or a function from the request to the answer. An answer is a text, a
        dataclass or JSON value (a structured answer), a whole `Reply`, or an exception to raise.
    name : str
        Its name.

    Attributes
    ----------
    requests : list of Request
        What was asked so far.
    """

    def __init__(
        self, answers: Iterable[Any] | Callable[[Request], Any], name: str = "scripted"
    ) -> None:
        self._function = answers if callable(answers) else None
        self._answers: Iterator[Any] = iter(() if callable(answers) else answers)
        self._name = name
        self._turn = threading.Lock()
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def answer(self, request: Request) -> Reply:
        """Give the next answer (see `Model`).

        Raises
        ------
        BadAnswerError
            If all answers have been given.
        """
        with self._turn:
            self.requests.append(request)
            answer = self._next(request)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Reply):
            return replace(answer, model=answer.model or self._name)
        if is_dataclass(answer) and not isinstance(answer, type):
            answer = asdict(answer)
        if isinstance(answer, str):
            return Reply(answer, self._name, usage=_NOTHING, provider="scripted")
        return Reply("", self._name, data=answer, usage=_NOTHING, provider="scripted")

    def _next(self, request: Request) -> Any:
        if self._function is not None:
            return self._function(request)
        try:
            return next(self._answers)
        except StopIteration:
            msg = f"the script has no answer {len(self.requests)}, asked by {request.role}"
            raise BadAnswerError(msg, model=self._name, hint="give it more answers") from None
