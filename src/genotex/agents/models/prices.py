"""What tokens cost: the prices of one day, kept with the run that they were used for.

A price that is not known stays unknown: it is never counted as 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from genotex.agents.models.model import Reply, Usage
from genotex.errors import FormatError
from genotex.io import atomic_write

__all__ = ["ModelPrice", "PriceSnapshot", "Rate", "Unpriced"]

MILLION = 1_000_000


@dataclass(frozen=True)
class Rate:
    """A price in US dollars for a million tokens.

    Attributes
    ----------
    steps : tuple of (int, Decimal)
        From more than so many input tokens in one call on, all tokens of the call cost so much;
        ascending, the first step starts at 0.
    """

    steps: tuple[tuple[int, Decimal], ...]

    @classmethod
    def flat(cls, price: Decimal | str) -> Rate:
        """Return a rate that does not depend on the length of the call."""
        return cls(((0, Decimal(price)),))

    def at(self, input_tokens: int) -> Decimal:
        """Return the price for a million tokens in a call that reads so many."""
        first, *rest = self.steps
        return [first, *(step for step in rest if input_tokens > step[0])][-1][1]

    def to_json(self) -> list[dict[str, Any]]:
        """Return the steps as plain JSON values; prices as texts, so that none is rounded."""
        return [{"above": above, "price": str(price)} for above, price in self.steps]

    @classmethod
    def from_json(cls, steps: list[Mapping[str, Any]]) -> Rate:
        """Return the rate that `to_json` described."""
        return cls(tuple((int(step["above"]), Decimal(step["price"])) for step in steps))


@dataclass(frozen=True)
class ModelPrice:
    """What a model costs.

    Attributes
    ----------
    input, output : Rate
    cached, written : Rate or None
        For input read from, and written to, the provider's cache; None: as other input.
    source : str
        Where the price is from.
    """

    input: Rate
    output: Rate
    cached: Rate | None = None
    written: Rate | None = None
    source: str = ""

    def cost(self, usage: Usage) -> Decimal | None:
        """Return the price of one call in US dollars, or None where its tokens are not known.

        Cached tokens that the provider does not tell are taken as none, which is never too cheap.
        Counts of the cache that are more than all input tell nothing.
        """
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached, written = usage.cached_tokens or 0, usage.written_tokens or 0
        plain = usage.input_tokens - cached - written
        if min(plain, cached, written, usage.output_tokens) < 0:
            return None
        parts = (
            (self.input, plain),
            (self.cached or self.input, cached),
            (self.written or self.input, written),
            (self.output, usage.output_tokens),
        )
        total = sum((rate.at(usage.input_tokens) * count for rate, count in parts), Decimal(0))
        return total / MILLION

    def to_json(self) -> dict[str, Any]:
        """Return the price as plain JSON values."""
        rates = {name: getattr(self, name) for name in _RATES}
        return {"source": self.source} | {
            name: rate.to_json() for name, rate in rates.items() if rate is not None
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelPrice:
        """Return the price that `to_json` described."""
        rates = {name: Rate.from_json(data[name]) for name in _RATES if name in data}
        return cls(**rates, source=data["source"])


_RATES = ("input", "output", "cached", "written")


@dataclass(frozen=True)
class Unpriced:
    """A model whose price is not known, and why."""

    why: str


@dataclass(frozen=True)
class PriceSnapshot:
    """The prices of the models of a run.

    Attributes
    ----------
    day : date
        The day whose prices these are.
    source : str
        Where they are from, with its version.
    prices : mapping of str to ModelPrice or Unpriced
        By the name of the model, as ``openai:gpt-4o``.
    """

    day: date
    source: str
    prices: Mapping[str, ModelPrice | Unpriced]

    def cost(self, reply: Reply) -> Decimal | None:
        """Return what a reply cost in US dollars, or None where that is not known."""
        price = self.prices.get(reply.model)
        return price.cost(reply.usage) if isinstance(price, ModelPrice) else None

    def unknown(self) -> dict[str, str]:
        """Return the models without a price, and why."""
        return {
            name: price.why for name, price in self.prices.items() if isinstance(price, Unpriced)
        }

    def to_json(self) -> dict[str, Any]:
        """Return the snapshot as plain JSON values."""
        return {
            "date": self.day.isoformat(),
            "source": self.source,
            "unit": "US dollars for a million tokens",
            "models": {
                name: {"unknown": price.why} if isinstance(price, Unpriced) else price.to_json()
                for name, price in sorted(self.prices.items())
            },
        }

    def write(self, path: Path) -> Path:
        """Write the snapshot as JSON."""
        with atomic_write(path) as part:
            text = json.dumps(self.to_json(), indent=4, ensure_ascii=False)
            part.write_text(text + "\n", encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path) -> PriceSnapshot:
        """Read a snapshot that `write` wrote.

        Raises
        ------
        FormatError
            If it is none.
        """
        try:
            data = json.loads(path.read_bytes())
            prices = {
                name: Unpriced(each["unknown"]) if "unknown" in each else ModelPrice.from_json(each)
                for name, each in data["models"].items()
            }
            return cls(date.fromisoformat(data["date"]), data["source"], prices)
        except (ValueError, KeyError, TypeError, AttributeError, InvalidOperation) as error:
            msg = f"is no price snapshot: {error}"
            raise FormatError(msg, path=path, hint="it is written by a run") from error
