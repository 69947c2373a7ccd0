from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from genai_prices import Usage as TheirUsage
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot

from genotex.agents.models import ModelPrice, Rate, Unpriced, Usage
from genotex.agents.models.prices import take_prices

DAY = date(2026, 11, 1)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("openai:gpt-4o", Usage(12_345, 678, 0, 0)),
        ("openai:gpt-4o", Usage(12_345, 678, 10_000, 0)),
        ("openai:gpt-4o-2024-08-06", Usage(100, 1, 0, 0)),
        ("anthropic:claude-sonnet-4-5", Usage(150_000, 2_000, 100_000, 20_000)),
        ("google:gemini-2.5-pro", Usage(150_000, 2_000, 1_000, 0)),
        ("google:gemini-2.5-pro", Usage(250_000, 2_000, 1_000, 0)),
    ],
)
def test_costs_are_those_of_genai_prices(name: str, usage: Usage) -> None:
    price = take_prices([name], DAY).prices[name]
    assert isinstance(price, ModelPrice)
    provider, model = name.split(":")
    theirs = calc_price(
        TheirUsage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens,
            cache_write_tokens=usage.written_tokens,
        ),
        model,
        provider_id=provider,
        genai_request_timestamp=NOON,
    )
    assert price.cost(usage) == theirs.total_price
    assert price.source.startswith(f"{provider}/")


def test_where_the_hour_counts_the_dearest_one_does() -> None:
    usage = TheirUsage(input_tokens=1_000_000, output_tokens=1_000_000)
    service = next(each for each in get_snapshot().providers if each.id == "deepseek")
    for model in service.models:
        name = f"deepseek:{model.id}"
        price = take_prices([name], DAY).prices[name]
        assert isinstance(price, ModelPrice)
        by_hour = [
            model.calc_price(
                usage, service, genai_request_timestamp=NOON.replace(hour=hour)
            ).total_price
            for hour in range(24)
        ]
        assert price.cost(Usage(1_000_000, 1_000_000, 0, 0)) == max(by_hour)


@pytest.mark.parametrize(
    "name",
    ["openai:no-such-model", "ollama:llama3", "openai-compatible:m@http://localhost:8000/v1"],
)
def test_what_is_not_in_the_list_is_unknown_and_says_why(name: str) -> None:
    price = take_prices([name], DAY).prices[name]
    assert isinstance(price, Unpriced)
    assert "Unable to find" in price.why


def test_a_known_service_at_its_address_has_its_price() -> None:
    name = "openai-compatible:deepseek-chat@https://api.deepseek.com/v1"
    assert isinstance(take_prices([name], DAY).prices[name], ModelPrice)


def test_a_price_that_the_user_states_wins() -> None:
    stated = ModelPrice(Rate.flat("1"), Rate.flat("2"), source="settings")
    snapshot = take_prices(["ollama:llama3"], DAY, {"ollama:llama3": stated, "other": stated})
    assert snapshot.prices == {"ollama:llama3": stated}


def test_what_genotex_answers_itself_costs_nothing() -> None:
    price = take_prices(["scripted"], DAY).prices["scripted"]
    assert isinstance(price, ModelPrice)
    assert price.cost(Usage(10, 10, 0)) == Decimal(0)


def test_the_snapshot_says_its_day_and_source() -> None:
    snapshot = take_prices([], DAY)
    assert snapshot.day == DAY
    assert snapshot.source.startswith("genai-prices ")
