"""Limits: their defaults, how a user sets them, and what a refusal says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.cohorts import read_own_tables
from genotex.errors import FileLimitError, UsageError
from genotex.outside import VARIABLE, Gauge, Limits, current_limits, use_limits
from tests.own_tables import GENES, log2_values, write_samples, write_table

GIB = 1 << 30


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Limits()),
        ("unpacked=16GiB,cells=2e9", Limits(unpacked=16 * GIB, cells=2_000_000_000)),
        (" ratio = 1000 ; depth=7, ", Limits(ratio=1000, depth=7)),
        ("memory=1.5g,line=2MB", Limits(memory=3 * GIB // 2, line=2_000_000)),
        ("rows=10", Limits(rows=10)),
    ],
)
def test_limits_are_set_by_the_environment(text: str, expected: Limits) -> None:
    assert Limits.from_environment({VARIABLE: text}) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("size=3", "'size' is not a limit; there are unpacked, ratio"),
        ("uploaded=1", "'uploaded' is not a limit"),
        ("cells=1e9,cells=2e9", "cells is set twice"),
        ("cells=", "is not a number above 0"),
        ("cells=0", "is not a number above 0"),
        ("cells=-5", "is not a number above 0"),
        ("cells=nan", "is not a number above 0"),
        ("cells=1e999", "is not a number above 0"),
        ("cells=__import__('os')", "is not a number above 0"),
        ("cells", "is not a number above 0"),
    ],
)
def test_a_setting_with_a_mistake_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        Limits.from_environment({VARIABLE: text})


def test_honest_tables_are_within_the_limits() -> None:
    limits = Limits()
    limits.check_table(60_000, 1_000, None)
    limits.check_table(10_000, 20_001, None)
    limits.check_table(1_000, 60_001, None)
    for packed, unpacked in ((60 << 20, GIB), (5 << 20, 200 * (5 << 20)), (1000, 64 << 20)):
        Gauge(packed, None, limits).add(unpacked)


def test_a_refusal_names_limit_value_what_the_file_has_and_how_to_raise_it() -> None:
    with pytest.raises(FileLimitError) as refused:
        Limits().check_table(300_000, 20_000, Path("t.csv"))
    assert str(refused.value) == (
        "t.csv: has 300,000 rows x 20,000 columns, which are 6,000,000,000 cells; the limit 'cells'"
        " (cells of a table: rows times columns) is 500,000,000 (if you trust the file, raise the "
        "limit: GENOTEX_LIMITS=cells=6e9)"
    )
    with pytest.raises(FileLimitError, match=r"is 8 GiB .*GENOTEX_LIMITS=unpacked=32GiB"):
        Gauge(9 * GIB, Path("t.csv")).add(9 * GIB)


@pytest.mark.parametrize("name", Limits.named())
def test_the_setting_that_a_refusal_proposes_is_understood_and_is_enough(name: str) -> None:
    limits = Limits()
    wanted = getattr(limits, name) * 3 + 1
    with pytest.raises(FileLimitError) as refused:
        limits.check(name, wanted, "has more", None)
    found = re.search(rf"{VARIABLE}=(\S+)\)", str(refused.value))
    assert found is not None
    assert getattr(Limits.from_environment({VARIABLE: found[1]}), name) >= wanted


def test_uploads_have_the_default_limits_or_lower_ones() -> None:
    raised = Limits(**dict.fromkeys(Limits.named(), 1 << 60)).for_uploads()
    usual = Limits()
    for name in Limits.named():
        assert getattr(raised, name) <= getattr(usual, name)
    assert raised.unpacked == usual.upload
    assert Limits(cells=100).for_uploads().cells == 100
    with pytest.raises(FileLimitError) as refused:
        raised.check("cells", 1 << 40, "has many cells", None)
    assert VARIABLE not in str(refused.value) and "use the commands" in str(refused.value)


def test_other_limits_hold_in_a_block_alone() -> None:
    before = current_limits()
    with use_limits(Limits(cells=5)):
        assert current_limits().cells == 5
    assert current_limits() is before


def test_limits_hold_for_a_command_of_the_library(
    tmp_path: Path, set_limits: Callable[..., None]
) -> None:
    table = write_table(tmp_path / "e.csv", log2_values())
    samples = write_samples(tmp_path / "s.csv")
    assert read_own_tables(table, samples).genes == GENES
    set_limits(columns=5)
    with pytest.raises(FileLimitError, match="has up to 7 columns"):
        read_own_tables(table, samples)


@pytest.mark.parametrize(("written", "fits"), [(2_000_000, True), (100_000, False)])
def test_rows_may_leave_out_some_cells_but_not_nearly_all(written: int, fits: bool) -> None:
    limits = Limits()
    limits.check_padding(8_000_000, 1, None)
    if fits:
        limits.check_padding(20_000_000, written, None)
        return
    with pytest.raises(FileLimitError, match="20,000,000 cells, of which the file holds 100,000"):
        limits.check_padding(20_000_000, written, None)


def test_the_page_of_limits_lists_each_with_its_value() -> None:
    page = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()
    usual = Limits()
    rows = [f"| `{name}` | {usual.shown(name)} | {what} |" for name, what in Limits.named().items()]
    assert re.findall(r"^\| `.*$", page, re.MULTILINE) == rows
