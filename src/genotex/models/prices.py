"""What tokens cost: prices of one day, from genai-prices or the settings, kept with a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object, write_json
from genotex.models.catalogue import PROVIDERS, ProviderModelName, parse_name
from genotex.models.model import Reply, Usage
from genotex.records import checked, plain

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo


_MILLION = 1_000_000


@dataclass(frozen=True, order=True)
class PriceStep:
    """A price in US dollars for a million tokens."""

    above: int  # in a call with more input tokens than this, all tokens have this price
    price: Decimal


Rate = tuple[PriceStep, ...]
"""A price by the length of the call: thresholds, ascending from 0."""


def flat_rate(price: Decimal | str) -> Rate:
    """Return a rate that does not depend on the length of the call."""
    return (PriceStep(0, Decimal(price)),)


def price_at(rate: Rate, input_tokens: int) -> Decimal:
    """Return the price for a million tokens in a call with so many input tokens."""
    return [rate[0], *(step for step in rate[1:] if input_tokens > step.above)][-1].price


RATES = ("input", "output", "cached", "written")
_WHERE_THERE = {"exclude_if": lambda rate: rate is None}


@dataclass(frozen=True)
class ModelPrice:
    """The price of a model."""

    input: Rate
    output: Rate
    # cached, written: For input read from, or written to, the provider's cache; None: as other
    # input
    cached: Rate | None = field(default=None, metadata=_WHERE_THERE)
    written: Rate | None = field(default=None, metadata=_WHERE_THERE)
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
        costs = (price_at(rate, usage.input_tokens) * count for rate, count in parts)
        return sum(costs, Decimal(0)) / _MILLION


@dataclass(frozen=True)
class Unpriced:
    """A model without a known price, and why."""

    why: str = field(metadata={"alias": "unknown"})


@dataclass(frozen=True)
class PriceSnapshot:
    """The prices of the models of a run."""

    day: date = field(metadata={"alias": "date"})
    source: str  # Where they are from, with its version
    # By name of the model, such as ``openai:gpt-4o``.
    prices: Mapping[str, ModelPrice | Unpriced] = field(metadata={"alias": "models"})

    def cost(self, reply: Reply) -> Decimal | None:
        """Return what a reply cost in US dollars, or None if unknown."""
        price = self.prices.get(reply.model)
        return price.cost(reply.usage) if isinstance(price, ModelPrice) else None

    def unknown(self) -> dict[str, str]:
        """Return the models without a price, and why."""
        return {
            name: price.why for name, price in self.prices.items() if isinstance(price, Unpriced)
        }

    def write(self, path: Path) -> Path:
        """Write the snapshot as JSON."""
        content = plain(replace(self, prices=dict(sorted(self.prices.items()))))
        write_json(path, {**content, "unit": "US dollars for a million tokens"})
        return path

    @classmethod
    def read(cls, path: Path) -> PriceSnapshot:
        """Read a snapshot that `write` wrote."""
        hint = "it is written by a run"
        try:
            content = read_json_object(path, hint, words="is not a price snapshot")
            return checked(cls, content, path=path, hint=hint)
        except FormatError as error:
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
        nothing = flat_rate("0")
        return ModelPrice(nothing, nothing, source="answered by genotex itself, at no cost")
    try:
        model, source = _find(parse_name(name))
    except (LookupError, UsageError) as error:
        return Unpriced(str(error))
    except ImportError:
        return Unpriced(_INSTALL)
    hours = [model.get_prices(datetime.combine(day, hour, UTC)) for hour in _HALF_HOURS]
    rates = [{unit: _rate(getattr(each, f"{unit}_mtok")) for unit in _UNITS} for each in hours]
    dearest = max(rates, key=lambda each: [rate or () for rate in each.values()])
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
        return flat_rate(price)
    return (PriceStep(0, price.base), *(PriceStep(tier.start, tier.price) for tier in price.tiers))
