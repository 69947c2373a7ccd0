"""Take the prices of a day from the package genai-prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from genotex.agents.models.prices import ModelPrice, PriceSnapshot, Rate, Unpriced
from genotex.agents.models.providers.catalogue import PROVIDERS
from genotex.agents.models.providers.names import ProviderModelName, parse_name
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

__all__ = ["take_prices"]

_INSTALL = "genai-prices is not installed; pip install 'genotex[agents]'"
_HALF_HOURS = [time(hour, minute) for hour in range(24) for minute in (0, 30)]


def take_prices(
    names: Iterable[str], day: date, stated: Mapping[str, ModelPrice] | None = None
) -> PriceSnapshot:
    """Return the prices of some models on a day.

    Where the price depends on the hour, it is that of the dearest hour, so that a limit of cost
    holds.

    Parameters
    ----------
    names : iterable of str
        Names of models. A name without a provider is answered by this package itself and costs
        nothing; one on an address of the user's own has no known price.
    day : date
        Prices change: the day that counts.
    stated : mapping of str to ModelPrice, optional
        Prices that the user states; they win.
    """
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
        return Unpriced(f"genai-prices knows {source}, but no price of its tokens")
    return ModelPrice(
        dearest["input"],
        dearest["output"],
        dearest["cache_read"],
        dearest["cache_write"],
        source=source,
    )


_UNITS = ("input", "output", "cache_read", "cache_write")


def _find(name: ProviderModelName) -> tuple[ModelInfo, str]:
    """Return genai-prices' entry of a model, and its name there.

    Raises
    ------
    LookupError
        If there is none.
    """
    from genai_prices.data_snapshot import get_snapshot

    at_address = {"provider_api_url": name.address, "provider_id": None}
    at_provider = {"provider_api_url": None, "provider_id": name.provider}
    where = at_address if name.address else at_provider
    provider, model = get_snapshot().find_provider_model(name.model, None, **where)
    return model, f"{provider.id}/{model.id}"


def _rate(price: Any) -> Rate | None:
    """Return a price of genai-prices: none, one number, or one by the length of the input."""
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate.flat(price)
    return Rate(((0, price.base), *((tier.start, tier.price) for tier in price.tiers)))
