"""Cells of CSV files for people: no formula, and every text comes back."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.formats import inert, inert_frame, original, original_frame

FORMULAS = [
    '=HYPERLINK("http://example.org")', "+SUM(A1)", "-2+3+cmd|' /C calc'!A0", "@SUM(1)", "\t=1",
    "\r=1", "\n=1", "=1", "-A1", "--1", "\uff1d1+1", "'=1", "''@a",
]  # fmt: skip
PLAIN = [
    "TP53", "HLA-A", "-1.5", "+3", "-1,5", "-1e-5", "-.5", "-", "--", "+", "+/-", "+/+", "=", "",
    "1-Dec", "a=b", " =1", "'quoted'", "-5", "'-5", "MT-CO1", "\N{GREEK SMALL LETTER ALPHA}",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_compute_is_marked_as_text(text: str) -> None:
    assert inert(text) == f"'{text}" and original(inert(text)) == text


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_names_and_signs_stay(text: str) -> None:
    assert inert(text) == text and original(text) == text


@given(st.text("=+-@'\t\r\n \uff1d1.5e,aA/(") | st.text())
def test_every_text_comes_back(text: str) -> None:
    assert original(inert(text)) == text


def test_a_table_is_marked_as_its_cells_are() -> None:
    cells = [*FORMULAS, *PLAIN, None]
    frame = pl.DataFrame(
        {
            "gene": cells,
            "=kind": pl.Series(cells).cast(pl.Categorical),
            "effect": [-1.5] * len(cells),
            "rank": range(len(cells)),
        }
    )
    found = inert_frame(frame)
    expected = [None if cell is None else inert(cell) for cell in cells]
    assert found.columns == ["gene", "'=kind", "effect", "rank"]
    assert found["gene"].to_list() == found["'=kind"].to_list() == expected
    assert found["effect"].to_list() == frame["effect"].to_list()
    assert original_frame(found)["gene"].to_list() == cells


def test_an_ordinary_table_is_written_as_before() -> None:
    frame = pl.DataFrame({"gene": ["TP53", None, "HLA-A"], "effect": [-0.5, 1.0, None]})
    assert inert_frame(frame).write_csv() == frame.write_csv()
