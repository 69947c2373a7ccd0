from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from genotex.agents.models import ModelPrice, PriceSnapshot, Rate, Reply, Unpriced, Usage
from genotex.errors import FormatError

PRICE = ModelPrice(
    Rate(((0, Decimal("1.25")), (200_000, Decimal("2.5")))),
    Rate(((0, Decimal("10")), (200_000, Decimal("15")))),
    cached=Rate.flat("0.125"),
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
    price = ModelPrice(Rate.flat("2"), Rate.flat("4"))
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
