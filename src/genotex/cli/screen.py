"""What all commands share on the screen: console, progress, tables, JSON, exit codes."""

from __future__ import annotations

import datetime
import json
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column as RichColumn
from rich.table import Table
from rich.text import Text

DONE, NOTHING_USABLE, WRONG_USE, STOPPED, INTERRUPTED = 0, 1, 2, 3, 130

_OBEYED = ("Cc", "Cf", "Cs")
_REPLACED = "\N{REPLACEMENT CHARACTER}"

WIDE = 10_000
"""Columns of a table that goes to a file or a pipe, where nothing is folded."""

REST_OF_BAR = 59
"""Columns of a progress bar without its label: bar, count, elapsed and remaining time."""

_on_screen = sys.stdout is not None and sys.stdout.isatty()
out = Console(highlight=False, width=None if _on_screen else WIDE)
"""Results go here: standard output."""
err = Console(stderr=True, highlight=False)
"""Progress, warnings and errors go here: standard error."""

interrupted = threading.Event()
"""Set by Ctrl-C, before the command exits."""
resumes = threading.Event()
"""Set by a command that resumes when it is repeated after a Ctrl-C."""


def print_json(data: Any) -> None:
    """Print data for machines, and nothing else, on standard output."""
    text = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False)
    # Output of code may contain lone surrogates, which no stream accepts.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[str, int | None], None]]:
    """Show a bar with the time left; gives a function that takes one step (label, total)."""
    with _bar() as bar:
        task = bar.add_task(what, total=total)

        def step(label: str, count: int | None) -> None:
            bar.update(task, advance=1, total=count, description=label)

        yield step


@contextmanager
def work() -> Iterator[Callable[[str, int, int | None, str], None]]:
    """Show a bar for each stage of a workflow (see `genotex.workflows.Progress`)."""
    with _bar() as bar:
        task, under_way = bar.add_task("", total=None), ""

        def show(stage: str, done: int, total: int | None, last: str) -> None:
            nonlocal under_way
            if stage != under_way:
                bar.reset(task)
                under_way = stage
            bar.update(task, completed=done, total=total, description=last or stage)

        yield show


@contextmanager
def progress_by_stage(what: str) -> Iterator[Callable[[str, str, int], None]]:
    """Show a bar that restarts with each stage; gives a function (stage, label, total)."""
    with _bar() as bar:
        task = bar.add_task(what, total=None)
        under_way = what

        def step(stage: str, label: str, count: int) -> None:
            nonlocal under_way
            if stage != under_way:
                bar.reset(task)
                under_way = stage
            bar.update(task, advance=1, total=count, description=f"{stage}: {label}")

        yield step


@contextmanager
def progress_with_label(
    what: str,
) -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """Show a bar with a changing label; gives two functions (done, total) and (label)."""
    with _bar() as bar:
        task = bar.add_task(what, total=None)
        yield (
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda label: bar.update(task, description=label),
        )


class _Bar(Progress):
    """A bar that exits again if a library swallowed the exception of a Ctrl-C."""

    def update(self, *args: Any, **changes: Any) -> None:
        if interrupted.is_set():
            sys.exit(INTERRUPTED)
        super().update(*args, **changes)


class _CountAndTimes(ProgressColumn):
    """``3/9 elapsed 0:00:07, left 0:00:14``; what is not known yet is left out."""

    def render(self, task: Task) -> Text:
        total = f"/{int(task.total)} " if task.total is not None else " "
        count = f"{int(task.completed)}{total}" if task.total or task.completed else ""
        parts = [
            f"{word} {datetime.timedelta(seconds=int(seconds))}"
            for word, seconds in (("elapsed", task.elapsed), ("left", task.time_remaining))
            if seconds is not None
        ]
        return Text(count + ", ".join(parts), no_wrap=True)


def _bar() -> Progress:
    # A long label is cut, so that bar, count and times are whole on any screen.
    label = RichColumn(
        no_wrap=True, overflow="ellipsis", max_width=max(10, err.width - REST_OF_BAR)
    )
    return _Bar(
        TextColumn("{task.description}", table_column=label),
        BarColumn(bar_width=16),
        _CountAndTimes(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


def show(text: str) -> None:
    """Print a line of the result as it is; on a screen it is wrapped with its indent."""
    text = _harmless(text)
    inside = len(text) - len(text.lstrip(" "))
    if inside and not _keep_whole(out, text):
        out.print(Padding(escape(text.strip()), (0, 0, 0, inside)))
    else:
        out.print(escape(text), soft_wrap=_keep_whole(out, text))


def notify(text: str, label: str = "", colour: str = "yellow", *, whole: bool = False) -> None:
    """Print a message on standard error, with a coloured label; `whole` lines are not wrapped."""
    front = f"[{colour} bold]{label}[/] " if label else ""
    text = _harmless(text)
    err.print(front + escape(text), soft_wrap=whole or _keep_whole(err, text))


def show_marked(text: str, label: str, colour: str) -> None:
    """Print a line of the result after a coloured label."""
    text = _harmless(text)
    out.print(f"[{colour} bold]{label}[/] {escape(text)}", soft_wrap=_keep_whole(out, text))


def show_warnings(warnings: Iterable[str], *traits: str | None) -> None:
    """Print warnings of a result, with the names of traits in plain words."""
    for warning in warnings:
        for trait in filter(None, traits):
            warning = warning.replace(trait, trait.replace("_", " "))
        notify(warning, "warning")


def one_line(text: str) -> str:
    """Return a text from elsewhere as one line."""
    return " ".join(text.splitlines())


def _harmless(text: str) -> str:
    """Replace control characters and those that reverse a line: texts come from files."""
    return "".join(
        sign if sign == "\n" or unicodedata.category(sign) not in _OBEYED else _REPLACED
        for sign in text.expandtabs()
    )


def _keep_whole(console: Console, text: str) -> bool:
    """Return whether a line must not be wrapped: in a pipe, or with a path to copy."""
    return not console.is_terminal or max(map(len, text.split()), default=0) > console.width // 2


def table(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    *,
    fold: Sequence[str] = (),
    right: Sequence[str] = (),
) -> None:
    """Print rows as a table; a missing value is a dash, yes and no are words.

    The columns named by `fold`, else the last one, take several lines where the screen is narrow.
    Columns of numbers are right-aligned, and so are those named by `right`.
    """
    fold = fold or columns[-1:]
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        numbers = any(isinstance(r.get(name), int | float) for r in rows) and not any(
            isinstance(r.get(name), bool | str) for r in rows
        )
        grid.add_column(
            name,
            justify="right" if numbers or name in right else "left",
            overflow="fold",
            no_wrap=name not in fold,
        )
    for row in rows:
        grid.add_row(*(_cell(row.get(name)) for name in columns))
    if out.is_terminal:
        out.print(grid)
        return
    # In a pipe nothing is folded, and lines have no trailing blanks.
    with out.capture() as written:
        out.print(grid)
    for line in written.get().splitlines():
        out.print(line.rstrip(), markup=False, soft_wrap=True)


Column = str | Callable[[Any], Any]
"""What a column shows of an item: an attribute such as ``problem.trait``, or a function's value."""


def rows(items: Iterable[Any], columns: Mapping[str, Column]) -> list[dict[str, Any]]:
    """Return what the columns show of each item, as for `print_json`."""
    get = {name: attrgetter(c) if isinstance(c, str) else c for name, c in columns.items()}
    return [{name: value(item) for name, value in get.items()} for item in items]


def records(
    items: Iterable[Any],
    columns: Mapping[str, Column],
    *,
    fold: Sequence[str] = (),
    right: Sequence[str] = (),
    optional: Sequence[str] = (),
) -> None:
    """Print items as `table` does, a row each; nothing where there is none.

    Columns that are `optional` are left out where they are empty for every item.
    """
    found = rows(items, columns)
    shown = [name for name in columns if name not in optional or any(row[name] for row in found)]
    if found:
        table(shown, found, fold=fold, right=right)


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return escape(_harmless(str(value)))
