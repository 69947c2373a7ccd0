"""A model whose calls are counted, limited, and so many at once and no more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from genotex.agents.models.budget import Budget
from genotex.agents.models.model import Model, Reply, Request
from genotex.agents.models.usage import UsageLedger
from genotex.errors import ModelError

__all__ = ["MeteredModel"]


class MeteredModel:
    """Waits for a free slot, asks the budget, calls, and books the call.

    Parameters
    ----------
    model : Model
        Who answers.
    ledger : UsageLedger
        Where calls are booked; the wait for a slot counts as waiting.
    budget : Budget, optional
        What may be spent; without it all may.
    slots : semaphore, optional
        How many calls may be under way at once; models of one provider share it.
    clock : callable
        Seconds of a clock that never goes back.
    """

    def __init__(
        self,
        model: Model,
        ledger: UsageLedger,
        budget: Budget | None = None,
        slots: threading.Semaphore | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._ledger = ledger
        self._budget = budget
        self._slots = slots
        self._clock = clock

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self._model.name

    def answer(self, request: Request) -> Reply:
        """Pass on when a slot is free and the budget allows, and book (see `Model`)."""
        if self._slots is None:
            return self._answer(request, 0.0)
        start = self._clock()
        with self._slots:
            return self._answer(request, self._clock() - start)

    def _answer(self, request: Request, waited: float) -> Reply:
        # Only now: what others spent while this call waited for its slot is booked.
        if self._budget is not None:
            self._budget.check()
        try:
            reply = self._model.answer(request)
        except ModelError as error:
            error.waiting += waited
            self._ledger.book_failure(request.role, self.name, error)
            raise
        reply = replace(reply, waiting=reply.waiting + waited)
        self._ledger.book(request.role, reply)
        return reply
