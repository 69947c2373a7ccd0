"""What a notebook took: time of calls and cells, and what went how often otherwise than planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from genotex.agents.models import Model, Reply, Request
from genotex.agents.sandbox import CellResult, CellStatus
from genotex.errors import ModelError

__all__ = ["TalliedModel", "Tally"]


@dataclass
class Tally:
    """Counts of one notebook.

    Attributes
    ----------
    model_seconds, cell_seconds, waiting_seconds : float
        Of calls; of cells; between calls, as for a rate limit.
    steps : int
        Steps that were begun, also those dropped later.
    reviews, rejections, revisions : int
    kept : int
        Revisions in which the author kept the code as it was.
    overruled : int
        Approvals of code that did not run, which did not count.
    retractions : int
    refused_ends : int
        Plans to end the notebook that did not count, as nothing was recorded.
    unreadable_plans, unreadable_reviews, unwritten : int
        Answers that could not be used, also when asked again.
    reused : int
        Steps whose code was taken over and ran.
    timeouts : int
        Cells stopped by their time limit.
    peak_bytes : int
        Most memory that the session held during a cell; 0 where it is not known.
    """

    model_seconds: float = 0.0
    cell_seconds: float = 0.0
    waiting_seconds: float = 0.0
    steps: int = 0
    reviews: int = 0
    rejections: int = 0
    revisions: int = 0
    kept: int = 0
    overruled: int = 0
    retractions: int = 0
    refused_ends: int = 0
    unreadable_plans: int = 0
    unreadable_reviews: int = 0
    unwritten: int = 0
    reused: int = 0
    timeouts: int = 0
    peak_bytes: int = 0

    @property
    def work_seconds(self) -> float:
        """Time of calls and cells, without waiting."""
        return self.model_seconds + self.cell_seconds

    def count_cell(self, result: CellResult) -> None:
        """Count a cell."""
        self.cell_seconds += result.seconds
        self.peak_bytes = max(self.peak_bytes, result.peak_bytes)
        self.timeouts += result.status is CellStatus.TIMED_OUT

    def count_call(self, call: Reply | ModelError) -> None:
        """Count a call, also one that failed."""
        self.model_seconds += call.working
        self.waiting_seconds += call.waiting

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain JSON values."""
        return {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Tally:
        """Return the counts that `to_json` described."""
        return cls(**data)


class TalliedModel:
    """A model whose time is counted for one notebook.

    Parameters
    ----------
    model : Model
        Who answers.
    tally : Tally
    """

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
