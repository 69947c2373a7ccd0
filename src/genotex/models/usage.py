"""Tokens, cost and time of calls: the ledger, hard limits, and a model that keeps both."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, Generic, TypeVar

from genotex.errors import BudgetReachedError, ModelError, UsageError
from genotex.models.model import Model, Reply, Request
from genotex.models.prices import PriceSnapshot

_Number = TypeVar("_Number", int, Decimal)


@dataclass(frozen=True)
class Total(Generic[_Number]):
    """A sum over calls, some of which may be unknown."""

    known: _Number  # Sum over the known calls
    unknown: int = 0  # Number of calls whose value is unknown

    @property
    def exact(self) -> _Number | None:
        """The sum, or None if part of it is unknown."""
        return None if self.unknown else self.known

    def plus(self, part: _Number | None) -> Total[_Number]:
        """Return the sum with one more call; None: unknown."""
        if part is None:
            return Total(self.known, self.unknown + 1)
        return Total(self.known + part, self.unknown)

    def __add__(self, other: Total[_Number]) -> Total[_Number]:
        """Return the sum over the calls of both."""
        return Total(self.known + other.known, self.unknown + other.unknown)

    def to_json(self) -> dict[str, Any]:
        """Return the sum as plain JSON values; money as text, so that no digit is lost."""
        known = f"{self.known:f}" if isinstance(self.known, Decimal) else self.known
        return {"known": known, "unknown_calls": self.unknown}

    def __str__(self) -> str:
        """Return the sum as text, marked where part of it is unknown."""
        if not self.unknown:
            return f"{self.known}"
        calls = f"{self.unknown} call{'s' if self.unknown > 1 else ''}"
        return f"at least {self.known} ({calls} unknown)" if self.known else f"unknown ({calls})"


def dollars(cost: Total[Any]) -> str:
    """Return a cost in words, marked if it is not fully known."""
    known = f"${cost.known:.4f}".rstrip("0").rstrip(".")
    if known == "$0" and cost.known:
        known = "under $0.0001"
    if not cost.unknown:
        return known
    return f"at least {known}" if cost.known else "cost unknown"


@dataclass(frozen=True)
class UsageRow:
    """The sums of some calls."""

    calls: int = 0  # Answered calls
    failed: int = 0  # Calls that ended in an error; their cost is unknown and not part of any sum
    input_tokens: Total[int] = field(default_factory=lambda: Total(0))
    output_tokens: Total[int] = field(default_factory=lambda: Total(0))
    cached_tokens: Total[int] = field(default_factory=lambda: Total(0))
    cost: Total[Decimal] = field(default_factory=lambda: Total(Decimal(0)))  # US dollars
    # working, waiting: Seconds spent on calls and waiting, including failed ones
    working: float = 0.0
    waiting: float = 0.0

    @property
    def tokens(self) -> Total[int]:
        """Input and output together."""
        both = self.input_tokens + self.output_tokens
        # A call that reports neither counts once.
        return Total(both.known, max(self.input_tokens.unknown, self.output_tokens.unknown))

    def __add__(self, other: UsageRow) -> UsageRow:
        """Return the sums over the calls of both."""
        both = ((getattr(row, each.name) for row in (self, other)) for each in fields(self))
        return UsageRow(*(mine + theirs for mine, theirs in both))

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
    """Records the usage of every call by role and by model; thread-safe."""

    def __init__(self, prices: PriceSnapshot) -> None:
        self.prices = prices
        self._rows: dict[tuple[str, str], UsageRow] = {}
        self._turn = threading.Lock()

    def book(self, role: str, reply: Reply) -> None:
        """Add an answered call, including one that is answered again from a journal."""
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
        """Add a call that ended in an error."""
        self._add(role, model, UsageRow(failed=1, working=error.working, waiting=error.waiting))

    def _add(self, role: str, model: str, row: UsageRow) -> None:
        with self._turn:
            self._rows[role, model] = self._rows.get((role, model), UsageRow()) + row

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
            sums[name] = sums.get(name, UsageRow()) + row
        return dict(sorted(sums.items()))

    def to_json(self) -> dict[str, Any]:
        """Return all sums as plain JSON values, with the date of the prices."""
        return {
            "prices": {"date": self.prices.day.isoformat(), "source": self.prices.source},
            "total": self.total().to_json(),
            "roles": {name: row.to_json() for name, row in self.by_role().items()},
            "models": {name: row.to_json() for name, row in self.by_model().items()},
        }


_RAISE = "completed work is kept; resume with a higher"


@dataclass(frozen=True)
class SpendingLimits:
    """What a run may spend; None: no limit."""

    max_cost: Decimal | None = field(default=None, metadata={"gt": 0})  # US dollars
    max_tokens: int | None = field(default=None, metadata={"gt": 0})  # Input and output together
    # Wall-clock seconds, including waiting
    max_time: float | None = field(default=None, metadata={"gt": 0})
    # Continue if cost or tokens are unknown: the limit then covers the known part only
    allow_unknown: bool = False
    max_calls: int | None = field(default=None, metadata={"gt": 0})  # Failed ones count


class Budget:
    """Checks before each call whether it may start.

    A call that has started is never interrupted, so concurrent calls may exceed a limit.
    """

    def __init__(
        self,
        limits: SpendingLimits,
        ledger: UsageLedger,
        clock: Callable[[], float] = time.monotonic,
        spent_time: float = 0.0,
    ) -> None:
        _refuse_unpriced(limits, ledger.prices)
        self._limits = limits
        self._ledger = ledger
        self._clock = clock
        self._start = clock() - spent_time

    @property
    def time(self) -> float:
        """Seconds that the run has taken, including before it was resumed."""
        return self._clock() - self._start

    def check(self) -> None:
        """Raise if a limit is reached, or usage is unknown and that is not allowed."""
        limits, spent = self._limits, self._ledger.total()
        self._hold("max_cost", "--max-cost", spent.cost, limits.max_cost, "US dollars")
        self._hold("max_tokens", "--max-tokens", spent.tokens, limits.max_tokens, "tokens")
        calls = Total(spent.calls + spent.failed)
        self._hold("max_calls", "--max-calls", calls, limits.max_calls, "calls")
        if limits.max_time is not None and self.time >= limits.max_time:
            msg = (
                f"the time limit is reached: {self.time:.0f} of {limits.max_time:g} seconds; "
                f"{_RAISE} --max-time"
            )
            raise BudgetReachedError(msg, "max_time")

    def _hold(
        self,
        name: str,
        option: str,
        spent: Total[Decimal] | Total[int],
        limit: Decimal | int | None,
        unit: str,
    ) -> None:
        if limit is None:
            return
        if spent.known >= limit:
            msg = f"the limit {option} is reached: {spent} of {limit} {unit}; {_RAISE} {option}"
            raise BudgetReachedError(msg, name)
        if spent.unknown and not self._limits.allow_unknown:
            msg = (
                f"the limit {option} cannot be enforced: {spent} {unit} were spent; resume with "
                "--allow-unknown-cost to apply it to the known part only"
            )
            raise BudgetReachedError(msg, name)


def _refuse_unpriced(limits: SpendingLimits, prices: PriceSnapshot) -> None:
    unknown = prices.unknown()
    if limits.max_cost is None or limits.allow_unknown or not unknown:
        return
    listed = "; ".join(f"{name}: {why}" for name, why in unknown.items())
    msg = (
        f"--max-cost cannot be enforced, the price is unknown ({listed}); state it in the settings "
        'under [price."MODEL"], use --max-calls or --max-tokens instead, or add '
        "--allow-unknown-cost"
    )
    raise UsageError(msg)


class MeteredModel:
    """Waits for a free slot, checks the budget, calls the model and records the usage."""

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
        """Answer when a slot is free and the budget allows it (see `Model`)."""
        if self._slots is None:
            return self._answer(request, 0.0)
        start = self._clock()
        with self._slots:
            return self._answer(request, self._clock() - start)

    def _answer(self, request: Request, waited: float) -> Reply:
        # Only now, to include what others spent while this call waited for its slot.
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
