"""What the screen shows of a run of the team, however narrow it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from genotex.agents import (
    Event,
    NotebookRecord,
    NotebookRow,
    State,
    Tally,
    Task,
    TeamFinished,
    Trace,
    find_notebook,
    overview,
)
from genotex.cli import screen
from genotex.cli.services.agent_screen import (
    overview_json,
    show_finished,
    show_overview,
    show_trace,
    show_usage,
    shown_progress,
)
from genotex.errors import ModelTimeoutError
from genotex.models import Reply, Usage
from genotex.problems import Problem
from tests.agents.team.conftest import Played
from tests.cli.conftest import Shown
from tests.cli.test_shown_screens import tables_on
from tests.models.test_budget import books, spend

TRAIT = "Autoimmune_Lymphoproliferative"


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """A run with names as long as the benchmark has them."""
    (tmp_path / "in" / "GEO" / TRAIT / "GSE123456").mkdir(parents=True)
    return Played(tmp_path / "out", tmp_path / "in", (Problem(TRAIT),))


def shown(monkeypatch: pytest.MonkeyPatch, width: int, show: Callable[[], None]) -> str:
    console = Console(width=width, force_terminal=True, color_system=None, highlight=False)
    monkeypatch.setattr(screen, "out", console)
    with console.capture() as written:
        show()
    return written.get()


@pytest.mark.parametrize("width", [60, 80, 140])
def test_nothing_of_a_table_is_lost_on_a_narrow_screen(
    played: Played, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    finished = played.run()
    rows = overview(played.root)
    tables = [
        shown(monkeypatch, width, lambda: show_overview(rows)),
        shown(monkeypatch, width, lambda: show_finished(finished, played.root)),
    ]
    for table in tables:
        assert max(map(len, table.splitlines())) <= width
        for whole in ("seconds", "state", "steps"):
            assert whole in table
        assert "failed" in table or "done" in table
    assert "cost unknown" in tables[0]


def test_progress_tells_the_cost_first(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = books()
    spend(ledger, Usage(12_000, 0))
    console = Console(width=60, force_terminal=True, color_system=None)
    monkeypatch.setattr(screen, "err", console)
    task = played.plan().work().cohorts[0]
    with console.capture() as written, shown_progress() as progress:
        progress.begin(3, 1)
        progress.event(task, Event("plan", "load_data: it comes first"), ledger)
    assert "$0.012" in written.get()
    assert "1/3" in written.get()


def test_elapsed_and_remaining_time_cannot_be_confused(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(screen, "err", console)
    with console.capture() as written, screen.progress("reading") as step:
        step("GSE1", None)
        step("GSE2", 4)
    text = written.get()
    assert "elapsed 0:00:0" in text and "2/4" in text
    assert "/?" not in text and "-:--:--" not in text
    assert max(map(len, text.replace("\r", "\n").splitlines())) <= 80 + len("\x1b[2K\x1b[?25l")


def test_commands_at_the_end_of_a_run_can_be_pasted(
    played: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    finished = played.run()
    console = Console(width=60, force_terminal=True, color_system=None, highlight=False)
    monkeypatch.setattr(screen, "err", console)
    with console.capture() as written:
        show_finished(finished, played.root)
    lines = [shlex.split(line) for line in written.get().splitlines() if "agent show" in line]
    assert [line[:4] for line in lines] == [["genotex", "agent", "show", str(played.root)]] * 2
    assert find_notebook(played.root, " ".join(lines[1][4:])) == finished.notebooks[0].task


@pytest.mark.parametrize(
    ("tokens", "told"), [(0, "$0"), (10, "under $0.0001"), (100, "$0.0001"), (2_500_000, "$2.5")]
)
def test_little_money_is_not_none(tokens: int, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # One dollar for a million tokens.
    ledger = books()
    spend(ledger, Usage(tokens, 0))
    text = shown(monkeypatch, 80, lambda: show_usage(ledger))
    assert text.strip().endswith(f"; {told}")


def test_failed_calls_are_shown_next_to_the_sum_that_leaves_them_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = books()
    spend(ledger, Usage(1_000_000, 0))
    ledger.book_failure("planner", "a:b", ModelTimeoutError("no answer"))
    text = shown(monkeypatch, 80, lambda: show_usage(ledger))
    assert text.strip().endswith("; $1; 1 more failed, at an unknown cost")


def test_steps_tokens_and_cost_are_those_of_their_columns(shown: Shown) -> None:
    """By hand: one dollar for a million tokens in, ten for a million out."""
    ledger = books()
    ledger.book("planner", Reply("", "a:b", usage=Usage(700_000, 20_000, 50), working=61.25))
    ledger.book("reviewer", Reply("", "a:b", usage=Usage(30_000, 4_000, 6), working=2.06))
    tally = Tally(3.5, 7.25, 1.5, steps=9, reviews=4)
    tasks = [Task("geo", "Gout", "f", "o", cohort="GSE1"), Task("statistics", "Gout", "f", "o")]
    record = NotebookRecord(tasks[0], State.FAILED, why="lost\nway", tally=tally)
    rows = [
        NotebookRow(tasks[0], record, True, ledger.total()),
        NotebookRow(tasks[1], None, True, ledger.by_role()["reviewer"]),
        NotebookRow(tasks[1], None, False, books().total()),
    ]
    (table,) = tables_on(shown(show_overview, rows)[0])
    assert list(table[0]) == [
        "trait", "notebook", "state", "steps", "seconds", "calls", "cost", "why"
    ]  # fmt: skip
    assert [list(row.values()) for row in table] == [
        ["Gout", "GSE1", "failed", "9", "10.8", "2", "$0.97", "lost way"],
        ["Gout", "given None", "under way", "-", "-", "1", "$0.07", "-"],
        ["Gout", "given None", "not begun", "-", "-", "0", "$0", "-"],
    ]
    assert tally.work_seconds == 3.5 + 7.25
    assert overview_json(rows)[0]["usage"]["cached_tokens"]["known"] == 56
    (used, *_) = shown(show_usage, ledger)
    assert used == "2 calls; 730000 tokens in, 24000 out; $0.97\n"
    told = shown(show_trace, Trace(None, rows[0], ledger))[0].splitlines()
    assert told == [
        "Gout GSE1",
        "",
        "failed: lost",
        "way",
        "planner: 1 calls, 700000 tokens in, 20000 out, $0.9, 61.2 s",
        "reviewer: 1 calls, 30000 tokens in, 4000 out, $0.07, 2.1 s",
    ]
    finished = TeamFinished((record,), (), ledger)
    (notebooks,) = tables_on(shown(show_finished, finished, Path("out"))[0])[:1]
    assert notebooks == [{"notebook": "Gout GSE1", "state": "failed", "steps": "9",
                          "reviews": "4", "seconds": "10.8", "why": "lost way"}]  # fmt: skip
