from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import changed_limits, read_limits, write_limits
from genotex.errors import FormatError, UsageError
from genotex.models import SpendingLimits

KEPT = SpendingLimits(Decimal("2.50"), 1500, 60.0, allow_unknown=True)


def test_limits_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    assert read_limits(path) == SpendingLimits()
    for limits in (KEPT, SpendingLimits()):
        write_limits(path, limits)
        assert read_limits(path) == limits


@pytest.mark.parametrize(
    "content",
    [
        '{"max_cost": "x"}',
        '{"max_cost": "NaN"}',
        '{"max_tokens": 1.5}',
        '{"max_tokens": true}',
        '{"max_time": "soon"}',
        '{"max_time": -1}',
        '{"allow_unknown": 7}',
    ],
)
def test_damaged_limits_are_named_with_their_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "limits.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=r"limits\.json, \w+: must be"):
        read_limits(path)


def test_what_is_stated_again_wins_and_the_rest_stays() -> None:
    assert changed_limits(KEPT) == KEPT
    assert changed_limits(KEPT, max_cost=10.0).max_cost == 10
    assert changed_limits(KEPT, max_tokens=7) == SpendingLimits(
        Decimal("2.50"), 7, 60.0, allow_unknown=True
    )
    assert changed_limits(SpendingLimits(), max_time=5.0, allow_unknown=True) == SpendingLimits(
        max_time=5.0, allow_unknown=True
    )


@pytest.mark.parametrize(
    ("said", "option"),
    [
        ({"max_cost": float("nan")}, "--max-cost"),
        ({"max_cost": -1.0}, "--max-cost"),
        ({"max_cost": 0.0}, "--max-cost"),
        ({"max_tokens": -5}, "--max-tokens"),
        ({"max_time": float("inf")}, "--max-time"),
    ],
)
def test_limit_that_makes_no_sense_is_refused_by_its_option(
    said: dict[str, Any], option: str
) -> None:
    with pytest.raises(UsageError, match=f"{option}: must be"):
        changed_limits(KEPT, **said)
