"""Hard limits of cost, tokens and time: no call starts once one of them is reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from genotex.agents.models.prices import PriceSnapshot
from genotex.agents.models.usage import Total, UsageLedger
from genotex.errors import BudgetReachedError, UsageError

__all__ = ["Budget", "Limits"]

_RAISE = "what was done is kept; resume with a higher"


@dataclass(frozen=True)
class Limits:
    """What a run may spend; None: no limit.

    Attributes
    ----------
    max_cost : Decimal or None
        US dollars.
    max_tokens : int or None
        Input and output together.
    max_time : float or None
        Seconds on the clock, waiting included.
    allow_unknown : bool
        Go on where cost or tokens are not known, so that the limit holds for the known part only.
    """

    max_cost: Decimal | None = None
    max_tokens: int | None = None
    max_time: float | None = None
    allow_unknown: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the limits as plain JSON values, dollars as text."""
        cost = self.max_cost
        return {**asdict(self), "max_cost": None if cost is None else f"{cost:f}"}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Limits:
        """Return the limits that `to_json` described; what is not there is no limit."""
        cost = data.get("max_cost")
        return cls(
            None if cost is None else Decimal(cost),
            data.get("max_tokens"),
            data.get("max_time"),
            bool(data.get("allow_unknown")),
        )


class Budget:
    """Says before each call whether it may start.

    A call that has started is never cut, so that several calls at once go beyond a limit by what
    they are about to use.

    Parameters
    ----------
    limits : Limits
    ledger : UsageLedger
        What was spent.
    clock : callable
        Seconds of a clock that never goes back.
    spent_time : float
        Seconds that a resumed run has taken before.

    Raises
    ------
    UsageError
        If there is a limit of cost, a model's price is not known, and that is not allowed.
    """

    def __init__(
        self,
        limits: Limits,
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
        """Seconds that the run has taken, also before it was resumed."""
        return self._clock() - self._start

    def check(self) -> None:
        """Let a call start, or not.

        Raises
        ------
        BudgetReachedError
            If a limit is reached, or what was spent is not known and that is not allowed.
        """
        limits, spent = self._limits, self._ledger.total()
        self._hold("max_cost", "--max-cost", spent.cost, limits.max_cost, "US dollars")
        self._hold("max_tokens", "--max-tokens", spent.tokens, limits.max_tokens, "tokens")
        if limits.max_time is not None and self.time >= limits.max_time:
            msg = (
                f"the limit of time is reached: {self.time:.0f} of {limits.max_time:g} seconds; "
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
                f"the limit {option} cannot be held: {spent} {unit} were spent; resume with "
                "--allow-unknown-cost to let it hold for the known part only"
            )
            raise BudgetReachedError(msg, name)


def _refuse_unpriced(limits: Limits, prices: PriceSnapshot) -> None:
    unknown = prices.unknown()
    if limits.max_cost is None or limits.allow_unknown or not unknown:
        return
    listed = "; ".join(f"{name}: {why}" for name, why in unknown.items())
    msg = (
        f"--max-cost cannot be held, the price is not known ({listed}); state it in the settings "
        'under [price."MODEL"], use --max-tokens instead, or add --allow-unknown-cost'
    )
    raise UsageError(msg)
