from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from genai_prices import Usage as TheirUsage
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot

from genotex.errors import FormatError
from genotex.models import (
    ModelPrice,
    PriceSnapshot,
    PriceStep,
    Reply,
    Unpriced,
    Usage,
    flat_rate,
    take_prices,
)

PRICE = ModelPrice(
    (PriceStep(0, Decimal("1.25")), PriceStep(200_000, Decimal("2.5"))),
    (PriceStep(0, Decimal("10")), PriceStep(200_000, Decimal("15"))),
    cached=flat_rate("0.125"),
    source="made up",
)
SNAPSHOT = PriceSnapshot(
    date(2026, 11, 1), "by hand", {"a:b": PRICE, "ollama:c": Unpriced("not in the list")}
)


def test_the_cost_of_a_call_by_hand() -> None:
    # 1,000 read anew at 1.25, 3,000 from the cache at 0.125, 500 written at 10 dollars a million:
    # 0.00125 + 0.000375 + 0.005.
    assert PRICE.cost(Usage(4000, 500, 3000)) == Decimal("0.006625")


def test_a_long_call_costs_more_for_all_its_tokens() -> None:
    # 200,000 is not yet more than 200,000.
    assert PRICE.cost(Usage(200_000, 0, 0)) == Decimal("0.25")
    # 200,001 at 2.5 and 1,000 at 15 dollars a million.
    assert PRICE.cost(Usage(200_001, 1000, 0)) == Decimal("0.5000025") + Decimal("0.015")


def test_input_that_may_be_cached_is_counted_in_full() -> None:
    assert PRICE.cost(Usage(4000, 0, None)) == Decimal("0.005")


def test_cached_input_without_a_price_of_its_own_costs_as_other_input() -> None:
    price = ModelPrice(flat_rate("2"), flat_rate("4"))
    assert price.cost(Usage(1000, 0, 600, 100)) == Decimal("0.002")


@pytest.mark.parametrize("usage", [Usage(), Usage(10, None), Usage(None, 10)])
def test_unknown_tokens_have_an_unknown_cost(usage: Usage) -> None:
    assert PRICE.cost(usage) is None


@pytest.mark.parametrize("usage", [Usage(10, 5, 1000), Usage(10, -5, 0), Usage(-10, 5)])
def test_counts_that_cannot_be_have_an_unknown_cost_and_none_below_0(usage: Usage) -> None:
    assert PRICE.cost(usage) is None


def test_a_model_without_a_price_has_an_unknown_cost() -> None:
    usage = Usage(10, 10, 0)
    assert SNAPSHOT.cost(Reply("", "a:b", usage=usage)) is not None
    assert SNAPSHOT.cost(Reply("", "ollama:c", usage=usage)) is None
    assert SNAPSHOT.cost(Reply("", "never:heard", usage=usage)) is None
    assert SNAPSHOT.unknown() == {"ollama:c": "not in the list"}


def test_a_snapshot_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = SNAPSHOT.write(tmp_path / "prices.json")
    assert PriceSnapshot.read(path) == SNAPSHOT
    first = path.read_bytes()
    SNAPSHOT.write(path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"date": "x", "source": "", "models": {}}',
        '{"date": "2026-01-01", "source": "", "models": {"a": {"source": ""}}}',
        '{"date": "2026-01-01", "source": "", "models": {"a": {"source": "", "input": [{}]}}}',
    ],
)
def test_another_file_is_no_snapshot(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(content)
    with pytest.raises(FormatError, match="not a price snapshot"):
        PriceSnapshot.read(path)


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
    stated = ModelPrice(flat_rate("1"), flat_rate("2"), source="settings")
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
