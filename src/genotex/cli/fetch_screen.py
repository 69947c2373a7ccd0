"""What is seen while files come in: how many of them, how fast, and how long it takes yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from genotex.cli import screen

__all__ = ["FileBar", "progress_of_files", "tell_wait"]

LONG = 2.0
"""Seconds from which on a pause is told, lest the command seem to hang."""

FileBar = Callable[[int, int | None], None]


def tell_wait(why: str, seconds: float) -> None:
    """Say that a server failed and is asked again after a pause."""
    if seconds >= LONG:
        screen.tell(f"{why}; asked again in {seconds:,.0f} s", "waiting")


@contextmanager
def progress_of_files(
    total_bytes: int | None, items: int
) -> Iterator[Callable[[str, int, str], FileBar]]:
    """Show a bar for all bytes that are to come, and one for the file under way.

    Parameters
    ----------
    total_bytes : int or None
        As far as it is known.
    items : int
        How many series, or other groups of files, are to come.

    Yields
    ------
    callable
        Takes the name of a group, its number and the name of a file; gives what is called with the
        bytes at hand and those of the whole file.
    """
    screen.resumes.set()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=screen.talk,
        transient=True,
        disable=not screen.talk.is_terminal,
    ) as bar:
        whole = bar.add_task("all", total=total_bytes)
        single = bar.add_task("", total=None)

        def start(group: str, number: int, name: str) -> FileBar:
            bar.update(whole, description=f"{group} ({number} of {items})")
            bar.reset(single, description=name, total=None)
            before: int | None = None

            def step(done: int, size: int | None) -> None:
                nonlocal before
                # What an earlier run left is not counted as having come now.
                bar.update(whole, advance=0 if before is None else max(0, done - before))
                bar.update(single, completed=done, total=size)
                before = done

            return step

        try:
            yield start
        except SystemExit as end:
            if end.code == screen.INTERRUPTED:
                screen.tell("what had come of the file under way is kept beside it, as NAME.part")
            raise
