"""Progress of a fetch, and the table of its outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.fetch import Outcome

LONG = 2.0
"""Seconds from which a pause is announced, so that the command does not seem to hang."""

FileBar = Callable[[int, int | None], None]


def note_pause(why: str, seconds: float) -> None:
    """Note that a server failed, and that the request is repeated after a pause."""
    if seconds >= LONG:
        screen.notify(f"{why}; next attempt in {seconds:,.0f} s", "waiting")


@contextmanager
def progress_of_files(
    total_bytes: int | None, items: int
) -> Iterator[Callable[[str, int, str], FileBar]]:
    """Show a bar for all bytes (None: unknown) of `items` groups of files, and one for each file.

    Yields a function of the name of a group, its number and the name of a file. It returns what to
    call with the bytes so far and those of the whole file.
    """
    screen.resumes.set()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=screen.err,
        transient=True,
        disable=not screen.err.is_terminal,
    ) as bar:
        whole = bar.add_task("all", total=total_bytes)
        single = bar.add_task("", total=None)

        def start(group: str, number: int, name: str) -> FileBar:
            bar.update(whole, description=f"{group} ({number} of {items})")
            bar.reset(single, description=name, total=None)
            before: int | None = None

            def step(done: int, size: int | None) -> None:
                nonlocal before
                # What an earlier run fetched does not count as fetched now.
                bar.update(whole, advance=0 if before is None else max(0, done - before))
                bar.update(single, completed=done, total=size)
                before = done

            return step

        try:
            yield start
        except SystemExit as end:
            if end.code == screen.INTERRUPTED:
                screen.notify("the part of the current file that was fetched is kept as NAME.part")
            raise


def show_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Print a row for each file, and the number of files in each state."""
    columns: dict[str, screen.Column] = {
        "state": "state",
        "file": "path",
        "MB": lambda each: None if each.fetched is None else f"{each.fetched.size / 1e6:,.1f}",
        "why": _error,
    }
    screen.records(outcomes, columns, fold=("file", "why"), right=("MB",), optional=("why",))
    counts = Counter(each.state for each in outcomes)
    parts = ", ".join(f"{counts[state]:,} {state}" for state in counts)
    screen.show(f"\n{parts}")


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return the outcome of each file, for machines."""
    columns: dict[str, screen.Column] = {
        "path": "path",
        "state": "state",
        "size": lambda each: each.fetched and each.fetched.size,
        "sha256": lambda each: each.fetched and each.fetched.sha256,
        "error": _error,
    }
    return screen.rows(outcomes, columns)


def _error(outcome: Outcome) -> str | None:
    return None if outcome.error is None else str(outcome.error)
