"""What the fetching commands share on the screen: a bar of bytes, and the table at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.acquire.several import Outcome

__all__ = ["bar_of_bytes", "outcomes_json", "show_outcomes"]


@contextmanager
def bar_of_bytes(files: int) -> Iterator[Callable[[str], Callable[[int, int | None], None]]]:
    """Show a bar for one file after another; gives a function (name) that gives (done, total)."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    disable = not screen.talk.is_terminal
    with Progress(*columns, console=screen.talk, transient=True, disable=disable) as bar:
        task = bar.add_task("", total=None)
        number = 0

        def begin(name: str) -> Callable[[int, int | None], None]:
            nonlocal number
            number += 1
            bar.reset(task, total=None, description=f"{number}/{files} {name}")
            return lambda done, total: bar.update(task, completed=done, total=total)

        yield begin


def show_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Print a row for each file, and how many of each kind there are."""
    rows = [
        {
            "state": each.state,
            "file": each.path,
            "MB": None if each.fetched is None else f"{each.fetched.size / 1e6:,.1f}",
            "why": None if each.error is None else str(each.error),
        }
        for each in outcomes
    ]
    failed = any(row["why"] for row in rows)
    columns = ("state", "file", "MB", *(("why",) if failed else ()))
    screen.table(columns, rows, fold=("file", "why"), right=("MB",))
    counts = Counter(each.state for each in outcomes)
    told = ", ".join(f"{counts[state]:,} {state}" for state in counts)
    screen.say(f"\n{told}")


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return what became of each file, for machines."""
    return [
        {
            "path": each.path,
            "state": each.state,
            "size": None if each.fetched is None else each.fetched.size,
            "sha256": None if each.fetched is None else each.fetched.sha256,
            "error": None if each.error is None else str(each.error),
        }
        for each in outcomes
    ]
