import pytest

from genotex.agents import Switches
from genotex.errors import UsageError
from genotex.records import as_json, checked


def test_switches_are_read_as_they_were_written() -> None:
    switches = Switches(planning=False, max_rounds=1, work_seconds=30.0)
    assert checked(Switches, as_json(switches), extra="forbid") == switches


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"max_rounds": 0}, "--max-rounds 0"),
        ({"max_retract": -1}, "--max-retract -1"),
        ({"work_seconds": 0.0}, "--time-limit 0 is"),
        ({"cell_seconds": float("inf")}, "--cell-time inf is"),
    ],
)
def test_numbers_that_permit_nothing_are_refused(wrong: dict[str, float], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Switches(**wrong)  # type: ignore[arg-type]
