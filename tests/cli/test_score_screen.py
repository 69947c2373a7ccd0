"""Scores on a wide screen, a narrow one and in a pipe."""

from __future__ import annotations

import pytest
from rich.console import Console

from genotex.bench import PlainTable, summarise
from genotex.cli import screen
from genotex.cli.benchmark.score_screen import show_scores, show_table
from tests.bench.evaluation.some_scores import some_scores


def shown(monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    console = Console(width=width, force_terminal=True, color_system=None, highlight=False)
    monkeypatch.setattr(screen, "out", console)
    with console.capture() as written:
        show_scores(some_scores(), summarise(some_scores(), draws=20))
    return [line.rstrip() for line in written.get().splitlines()]


def test_wide_screen_explains_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, 140)
    assert "mine against theirs" in lines
    assert any("bootstrap over the items, 20 draws, seed 0." in line for line in lines)
    auroc = next(line for line in lines if line.startswith("AUROC"))
    assert "0.5 is chance" in auroc and "0.667" in auroc.split()
    assert any(line.startswith("selection: accuracy (%)  75.00") for line in lines)
    assert any("not valid JSON" in line and "Asthma given Obesity" in line for line in lines)


@pytest.mark.parametrize("width", [45, 60, 80, 104])
def test_no_line_is_wider_than_the_screen(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    lines = shown(monkeypatch, width)
    assert max(map(len, lines)) <= width
    assert any(line.split()[:2] == ["AUROC", "0.667"] for line in lines)


def test_narrow_screen_does_without_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any("undefined" in line.split() for line in shown(monkeypatch, 45))


def test_notes_go_to_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(monkeypatch, 80)
    assert "1 problem could not be posed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("methods", "second_head"),
    [(("one", "two"), ["method", "F1"]), (("one", "one"), ["method", "source", "F1"])],
)
def test_later_blocks_repeat_only_the_words_that_tell_rows_apart(
    monkeypatch: pytest.MonkeyPatch, methods: tuple[str, str], second_head: list[str]
) -> None:
    rows = tuple(
        (method, f"published in table {i}", f"{i}.00", f"{i}.50")
        for i, method in enumerate(methods)
    )
    table = PlainTable("Genes", ("method", "source", "precision", "F1"), rows, words=2)
    console = Console(width=40, force_terminal=True, color_system=None, highlight=False)
    monkeypatch.setattr(screen, "out", console)
    with console.capture() as written:
        show_table(table)
    heads = [line.split() for line in written.get().splitlines() if line.startswith("method")]
    assert heads == [["method", "source", "precision"], second_head]
