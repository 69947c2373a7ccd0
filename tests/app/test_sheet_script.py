"""The script of the sheet of samples: what a person selects by a column is what it holds."""

from __future__ import annotations

import shutil
from importlib.resources import files
from typing import Any

import pytest

from tests.app.conftest import run_in_node

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

HEAD = ["sample", "group", "age", "tissue"]
ROWS = [
    ["GSM1", "case", "40", "lung"],
    ["GSM2", "control", "50", "lung"],
    ["GSM3", "case", "50", ""],
    ["GSM4", "", "40", "blood"],
]


def selected(acts: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return what the sheet offers and selects after each act, which begins without a selection."""
    source = (files("genotex.app") / "static" / "samples.js").read_text(encoding="utf-8")
    given = {"source": source, "head": HEAD, "rows": ROWS, "acts": acts}
    return run_in_node("sheet_in_node.js", given)


@pytest.mark.parametrize("column", HEAD)
def test_a_column_offers_its_values_and_selects_the_samples_that_have_one(column: str) -> None:
    cells = [row[HEAD.index(column)] for row in ROWS]
    values = sorted(set(cells))
    for value, found in zip(values, selected([(column, v) for v in values]), strict=True):
        assert sorted(found["offered"]) == values
        assert found["chosen"] == [i for i, cell in enumerate(cells) if cell == value]
        assert found["selected"] == f"{cells.count(value)} selected"


def test_a_double_click_selects_the_samples_with_the_value_of_the_cell() -> None:
    places = [(row, column) for row in range(len(ROWS)) for column in range(len(HEAD))]
    found = selected([("double-click", *place) for place in places])
    for (row, column), after in zip(places, found, strict=True):
        value = ROWS[row][column]
        assert after["chosen"] == [i for i, each in enumerate(ROWS) if each[column] == value]


@pytest.mark.parametrize(
    ("clicks", "chosen"),
    [
        ([(1, False)], [1]),
        ([(1, False), (1, False)], []),
        ([("2", False)], [2]),
        ([(0, False), (2, True)], [0, 1, 2]),
        ([(3, False), ("1", True)], [1, 2, 3]),
        ([(3, False), (3, False), (1, True)], [1, 2, 3]),
        ([(True, False), (3, False), (1, True)], [0]),
        ([(True, False)], [0, 1, 2, 3]),
        ([(True, False), (False, False)], []),
        ([(2, False), ("none", False)], []),
    ],
)
def test_clicks_select_rows_and_with_shift_all_between(
    clicks: list[Any], chosen: list[int]
) -> None:
    (after,) = selected([("clicks", clicks)])
    assert after["chosen"] == after["marked"] == chosen
    assert after["selected"] == f"{len(chosen)} selected"
