"""Designs that are checked in a process with limits."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from genotex.cohorts import OwnTables
from genotex.errors import UsageError
from genotex.studies import Previews, TablesRecord, previews


def own_tables(samples: int = 40, counts: bool = False) -> OwnTables:
    rng = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "sample": [f"s{i}" for i in range(samples)],
            "group": [("case", "control")[i % 2] for i in range(samples)],
            "age": rng.normal(50, 10, samples),
            "person": [f"p{i // 3}" for i in range(samples)],
        }
    )
    raw = rng.poisson(20, (samples, 60)).astype(float) * (np.arange(60) < 50)
    return OwnTables(
        "own", tuple(f"G{i}" for i in range(60)), tuple(table["sample"]), np.log2(raw + 1), table,
        {"genes": 60} if counts else {}, (), (), {}, raw if counts else None,
    )  # fmt: skip


def asked(design: str, contrast: str = "group: case - control") -> TablesRecord:
    return TablesRecord(
        name="", created=1.0, tables="own", design=design, contrasts=[contrast], traits=[contrast],
        block=None, missing="error", order=[], q_cut=0.05, hidden="auto", panel=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def checks() -> Iterator[Previews]:
    found = Previews()
    yield found
    found.close()


def test_a_design_is_checked_and_the_process_is_kept(checks: Previews) -> None:
    found = checks.check(own_tables(), asked("~ group + age"))
    (row,) = found.rows
    assert (row.samples, row.trait) == (40, "group_case_vs_control")
    assert "20 cases against 20 controls" in row.text
    first = checks._child
    with pytest.raises(UsageError, match="nothing"):
        checks.check(own_tables(), asked("~ nothing"))
    assert first is not None and checks._child is first


def test_genes_with_few_counts_are_counted(checks: Previews) -> None:
    tables = own_tables(counts=True)
    (row,) = checks.check(tables, asked("~ group")).rows
    assert row.group_size == pytest.approx(20)
    (note,) = previews.genes_left_out(tables, [20.0])
    assert "10 of 60 genes have too few counts" in note


def test_a_design_that_takes_too_long_is_stopped_and_the_next_is_checked() -> None:
    checks = Previews(seconds=0.0)
    with pytest.raises(UsageError, match="took more than 0 s; simplify it"):
        checks.check(own_tables(), asked("~ group"))
    checks._seconds = 60.0
    assert checks.check(own_tables(), asked("~ group")).rows
    checks.close()


def test_a_design_that_needs_too_much_memory_is_stopped(caplog: pytest.LogCaptureFixture) -> None:
    checks = Previews(memory=500 << 20)
    # 8,900 samples x 2,967 persons: 211 MB for the matrix alone.
    with pytest.raises(UsageError, match="needs more than 500 MiB of memory"):
        checks.check(own_tables(8900), asked("~ person", "person: p1 - p0"))
    assert checks.check(own_tables(), asked("~ group")).rows
    checks.close()


def test_without_memory_for_the_process_the_reason_is_given() -> None:
    checks = Previews(memory=20 << 20)
    with pytest.raises(UsageError, match="did not start; is there enough memory"):
        checks.check(own_tables(), asked("~ group"))


def test_one_design_at_a_time() -> None:
    checks = Previews(seconds=0.01)
    with checks._lock, pytest.raises(UsageError, match="another design is still being checked"):
        checks.check(own_tables(), asked("~ group"))


def test_the_end_does_not_wait_for_a_design() -> None:
    checks = Previews()
    assert checks.check(own_tables(), asked("~ group")).rows
    child = checks._child
    assert child is not None
    with checks._lock:
        checks.close()
    child.process.join()
    with pytest.raises(UsageError, match="ending"):
        checks.check(own_tables(), asked("~ group"))


def test_a_mistake_of_ours_is_logged_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("in /usr/lib")

    monkeypatch.setattr(previews, "_checked", fail)
    found = previews._answer_of(own_tables(), asked("~ group"))
    assert found.refused.startswith("this design could not be checked") and "/" not in found.refused
    assert "ZeroDivisionError" in found.trouble
    checks = Previews()
    monkeypatch.setattr(checks, "_ask", lambda *_: found)
    with caplog.at_level(logging.ERROR), pytest.raises(UsageError, match="the log of genotex"):
        checks.check(own_tables(), asked("~ group"))
    assert "ZeroDivisionError" in caplog.text


def test_answers_that_are_no_answers_are_not_taken() -> None:
    checks = Previews()
    child = checks._started()
    child.messages.send("nonsense")
    deadline = time.monotonic() + 60
    while child.process.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # The process ended; the next design gets a new one.
    assert checks.check(own_tables(), asked("~ group")).rows
    checks.close()
