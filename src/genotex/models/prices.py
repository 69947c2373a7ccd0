"""What tokens cost: prices of one day, from genai-prices or the settings, kept with a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.io import atomic_write
from genotex.models.catalogue import PROVIDERS, ProviderModelName, parse_name
from genotex.models.model import Reply, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo


_MILLION = 1_000_000


@dataclass(frozen=True)
class Rate:
    """A price in US dollars for a million tokens."""

    # Thresholds and prices, ascending from 0: in a call with more input tokens than the threshold,
    # all tokens have this price
    steps: tuple[tuple[int, Decimal], ...]

    @classmethod
    def flat(cls, price: Decimal | str) -> Rate:
        """Return a rate that does not depend on the length of the call."""
        return cls(((0, Decimal(price)),))

    def at(self, input_tokens: int) -> Decimal:
        """Return the price for a million tokens in a call with so many input tokens."""
        first, *rest = self.steps
        return [first, *(step for step in rest if input_tokens > step[0])][-1][1]

    def to_json(self) -> list[dict[str, Any]]:
        """Return the steps as plain JSON values; prices as text, so that none is rounded."""
        return [{"above": above, "price": str(price)} for above, price in self.steps]

    @classmethod
    def from_json(cls, steps: list[Mapping[str, Any]]) -> Rate:
        """Return the rate that `to_json` described."""
        return cls(tuple((int(step["above"]), Decimal(step["price"])) for step in steps))


@dataclass(frozen=True)
class ModelPrice:
    """The price of a model."""

    input: Rate
    output: Rate
    # cached, written: For input read from, or written to, the provider's cache; None: as other
    # input
    cached: Rate | None = None
    written: Rate | None = None
    source: str = ""  # Source of the price

    def cost(self, usage: Usage) -> Decimal | None:
        """Return the price of one call in US dollars, or None if its tokens are unknown.

        Unreported cached tokens count as none, which never underestimates the cost. If the cache
        counts exceed the input, the cost is unknown.
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
        return total / _MILLION

    def to_json(self) -> dict[str, Any]:
        """Return the price as plain JSON values."""
        rates = {name: getattr(self, name) for name in RATES}
        return {"source": self.source} | {
            name: rate.to_json() for name, rate in rates.items() if rate is not None
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelPrice:
        """Return the price that `to_json` described."""
        rates = {name: Rate.from_json(data[name]) for name in RATES if name in data}
        return cls(**rates, source=data["source"])


RATES = ("input", "output", "cached", "written")


@dataclass(frozen=True)
class Unpriced:
    """A model without a known price, and why."""

    why: str


@dataclass(frozen=True)
class PriceSnapshot:
    """The prices of the models of a run."""

    day: date  # Date of the prices
    source: str  # Where they are from, with its version
    prices: Mapping[str, ModelPrice | Unpriced]  # By name of the model, such as ``openai:gpt-4o``

    def cost(self, reply: Reply) -> Decimal | None:
        """Return what a reply cost in US dollars, or None if unknown."""
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
        """Read a snapshot that `write` wrote."""
        try:
            hint = "it is written by a run"
            data = read_json_object(path, hint, words="is not a price snapshot")
            prices = {
                name: Unpriced(each["unknown"]) if "unknown" in each else ModelPrice.from_json(each)
                for name, each in data["models"].items()
            }
            return cls(date.fromisoformat(data["date"]), data["source"], prices)
        except (
            FormatError, ValueError, KeyError, TypeError, AttributeError, InvalidOperation,
        ) as error:  # fmt: skip
            msg = f"is not a price snapshot: {error}"
            raise FormatError(msg, path=path, hint=hint) from error


_INSTALL = "genai-prices is not installed; pip install 'genotex[agents]'"
_HALF_HOURS = [time(hour, minute) for hour in range(24) for minute in (0, 30)]


def take_prices(
    names: Iterable[str], day: date, stated: Mapping[str, ModelPrice] | None = None
) -> PriceSnapshot:
    """Return the prices of some models on a day."""
    # If the price depends on the hour, the highest one counts, so that a cost limit holds.
    stated = stated or {}
    prices = {name: stated.get(name) or _price(name, day) for name in names}
    return PriceSnapshot(day, _source(), prices)


def _source() -> str:
    try:
        import genai_prices
    except ImportError:
        return "genai-prices is not installed"
    return f"genai-prices {version(genai_prices.__name__)}"


def _price(name: str, day: date) -> ModelPrice | Unpriced:
    if name.partition(":")[0] not in PROVIDERS:
        nothing = Rate.flat("0")
        return ModelPrice(nothing, nothing, source="answered by genotex itself, at no cost")
    try:
        model, source = _find(parse_name(name))
    except (LookupError, UsageError) as error:
        return Unpriced(str(error))
    except ImportError:
        return Unpriced(_INSTALL)
    hours = [model.get_prices(datetime.combine(day, hour, UTC)) for hour in _HALF_HOURS]
    rates = [{unit: _rate(getattr(each, f"{unit}_mtok")) for unit in _UNITS} for each in hours]
    dearest = max(rates, key=lambda each: [rate.steps if rate else () for rate in each.values()])
    if dearest["input"] is None or dearest["output"] is None:
        return Unpriced(f"genai-prices lists {source} without token prices")
    return ModelPrice(
        dearest["input"],
        dearest["output"],
        dearest["cache_read"],
        dearest["cache_write"],
        source=source,
    )


_UNITS = ("input", "output", "cache_read", "cache_write")


def _find(name: ProviderModelName) -> tuple[ModelInfo, str]:
    """Return genai-prices' entry of a model, and its name there."""
    from genai_prices.data_snapshot import get_snapshot

    at_address = {"provider_api_url": name.address, "provider_id": None}
    at_provider = {"provider_api_url": None, "provider_id": name.provider}
    where = at_address if name.address else at_provider
    provider, model = get_snapshot().find_provider_model(name.model, None, **where)
    return model, f"{provider.id}/{model.id}"


def _rate(price: Any) -> Rate | None:
    """Return a price of genai-prices: None, a number, or steps by input length."""
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate.flat(price)
    return Rate(((0, price.base), *((tier.start, tier.price) for tier in price.tiers)))
