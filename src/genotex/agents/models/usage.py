"""Who used how many tokens, for how much, in what time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

from genotex.agents.models.model import Reply
from genotex.agents.models.prices import PriceSnapshot
from genotex.errors import ModelError

__all__ = ["Total", "UsageLedger", "UsageRow"]

Number = TypeVar("Number", int, Decimal)


@dataclass(frozen=True)
class Total(Generic[Number]):
    """A sum over calls of which some may not tell their part.

    Attributes
    ----------
    known : number
        Sum of the parts that are known.
    unknown : int
        Calls whose part is not known.
    """

    known: Number
    unknown: int = 0

    @property
    def exact(self) -> Number | None:
        """The sum, or None where it is not known in full."""
        return None if self.unknown else self.known

    def plus(self, part: Number | None) -> Total[Number]:
        """Return the sum with one more call; None: it does not tell."""
        if part is None:
            return Total(self.known, self.unknown + 1)
        return Total(self.known + part, self.unknown)

    def and_all_of(self, other: Total[Number]) -> Total[Number]:
        """Return the sum over the calls of both."""
        return Total(self.known + other.known, self.unknown + other.unknown)

    def to_json(self) -> dict[str, Any]:
        """Return the sum as plain JSON values; a sum of money as a text, so that none is lost."""
        known = f"{self.known:f}" if isinstance(self.known, Decimal) else self.known
        return {"known": known, "unknown_calls": self.unknown}

    def __str__(self) -> str:
        """Return the sum in words: what is not known in full says so."""
        if not self.unknown:
            return f"{self.known}"
        calls = f"{self.unknown} call{'s' if self.unknown > 1 else ''}"
        return f"at least {self.known} ({calls} unknown)" if self.known else f"unknown ({calls})"


@dataclass(frozen=True)
class UsageRow:
    """The sums of some calls.

    Attributes
    ----------
    calls : int
        Calls that were answered.
    failed : int
        Calls that ended in an error; what they cost is not known and in no sum.
    input_tokens, output_tokens, cached_tokens : Total of int
    cost : Total of Decimal
        US dollars.
    working, waiting : float
        Seconds on calls, and between them, also of failed ones.
    """

    calls: int = 0
    failed: int = 0
    input_tokens: Total[int] = field(default_factory=lambda: Total(0))
    output_tokens: Total[int] = field(default_factory=lambda: Total(0))
    cached_tokens: Total[int] = field(default_factory=lambda: Total(0))
    cost: Total[Decimal] = field(default_factory=lambda: Total(Decimal(0)))
    working: float = 0.0
    waiting: float = 0.0

    @property
    def tokens(self) -> Total[int]:
        """Input and output together."""
        both = self.input_tokens.and_all_of(self.output_tokens)
        # A call that tells neither is one call.
        return Total(both.known, max(self.input_tokens.unknown, self.output_tokens.unknown))

    def and_all_of(self, other: UsageRow) -> UsageRow:
        """Return the sums over the calls of both."""
        return UsageRow(
            self.calls + other.calls,
            self.failed + other.failed,
            self.input_tokens.and_all_of(other.input_tokens),
            self.output_tokens.and_all_of(other.output_tokens),
            self.cached_tokens.and_all_of(other.cached_tokens),
            self.cost.and_all_of(other.cost),
            self.working + other.working,
            self.waiting + other.waiting,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the sums as plain JSON values."""
        return {
            "calls": self.calls,
            "failed": self.failed,
            "input_tokens": self.input_tokens.to_json(),
            "output_tokens": self.output_tokens.to_json(),
            "cached_tokens": self.cached_tokens.to_json(),
            "cost_usd": self.cost.to_json(),
            "working_seconds": round(self.working, 3),
            "waiting_seconds": round(self.waiting, 3),
        }


class UsageLedger:
    """Books every call on the role that asked and the model that answered; for several threads.

    Parameters
    ----------
    prices : PriceSnapshot
        What calls cost.
    """

    def __init__(self, prices: PriceSnapshot) -> None:
        self.prices = prices
        self._rows: dict[tuple[str, str], UsageRow] = {}
        self._turn = threading.Lock()

    def book(self, role: str, reply: Reply) -> None:
        """Book an answered call, also one that is answered again from a journal."""
        usage = reply.usage
        row = UsageRow(
            calls=1,
            input_tokens=Total(0).plus(usage.input_tokens),
            output_tokens=Total(0).plus(usage.output_tokens),
            cached_tokens=Total(0).plus(usage.cached_tokens),
            cost=Total(Decimal(0)).plus(self.prices.cost(reply)),
            working=reply.working,
            waiting=reply.waiting,
        )
        self._add(role, reply.model, row)

    def book_failure(self, role: str, model: str, error: ModelError) -> None:
        """Book a call that ended in an error."""
        self._add(role, model, UsageRow(failed=1, working=error.working, waiting=error.waiting))

    def _add(self, role: str, model: str, row: UsageRow) -> None:
        with self._turn:
            self._rows[role, model] = self._rows.get((role, model), UsageRow()).and_all_of(row)

    def total(self) -> UsageRow:
        """Return the sums over all calls."""
        return self._sums(lambda role, model: "").get("", UsageRow())

    def by_role(self) -> dict[str, UsageRow]:
        """Return the sums of every role, by its name."""
        return self._sums(lambda role, model: role)

    def by_model(self) -> dict[str, UsageRow]:
        """Return the sums of every model, by its name."""
        return self._sums(lambda role, model: model)

    def _sums(self, group: Callable[[str, str], str]) -> dict[str, UsageRow]:
        with self._turn:
            rows = sorted(self._rows.items())
        sums: dict[str, UsageRow] = {}
        for (role, model), row in rows:
            name = group(role, model)
            sums[name] = sums.get(name, UsageRow()).and_all_of(row)
        return dict(sorted(sums.items()))

    def to_json(self) -> dict[str, Any]:
        """Return all sums as plain JSON values, with the date of the prices."""
        return {
            "prices": {"date": self.prices.day.isoformat(), "source": self.prices.source},
            "total": self.total().to_json(),
            "roles": {name: row.to_json() for name, row in self.by_role().items()},
            "models": {name: row.to_json() for name, row in self.by_model().items()},
        }
