"""The tasks of docs/workbench.md in a browser: a table of clicks, typed words and seconds.

python -m benchmarks workbench_tasks [--data FOLDER] [--times 3]

Needs playwright and Chromium. FOLDER holds real series as docs/workbench.md names them (by default
``../shared/data``). Each task is done in a folder of its own `--times` times; seconds are medians.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from tests.app.served import Running
from tests.app.tasks import (
    TASKS,
    Hands,
    Task,
    combine_cohorts,
    counts_to_gene,
    repeat_with_change,
    series_to_gene,
    tables_to_gene,
    write_odd_tables,
    write_three_groups,
)

from genotex.simulate import simulate_study

DATA = Path(__file__).parents[3] / "shared" / "data"
LONGEST = 300_000


def copy_series(task: Task, data: Path, folder: Path) -> None:
    """Copy the series of a task into a folder, under its trait or without one."""
    found = next(data.glob(f"*/GEO/*/{task.series}"))
    inside = Path() if task.loose else Path("input", "GEO", found.parent.name)
    shutil.copytree(found, folder / inside / found.name, copy_function=shutil.copyfile)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def prepare(task: Task, folder: Path, outside: Path, data: Path) -> tuple[Any, ...]:
    """Write what a task begins with, and return what it is told."""
    if task.do is counts_to_gene:
        return sorted(next(data.glob(f"*/GEO/*/{task.series}")).iterdir()), "Multiple sclerosis"
    if task.series:
        copy_series(task, data, folder)
        return () if task.at_result and task.do is not repeat_with_change else (task.series,)
    if task.do is combine_cohorts:
        simulate_study(folder / "input", seed=3, genes=1000, overwrite=True)
        return ()
    return (
        write_odd_tables(outside) if task.do is tables_to_gene else write_three_groups(outside),
    )


def once(task: Task, chromium: Any, data: Path) -> tuple[Hands, float]:
    """Do a task in a new folder; return what was clicked and typed, and the seconds it took."""
    with tempfile.TemporaryDirectory(prefix="task") as place:
        folder, outside = Path(place, "study"), Path(place, "outside")
        folder.mkdir()
        outside.mkdir()
        given = prepare(task, folder, outside, data)
        server = Running(folder)
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.set_default_timeout(LONGEST)
        try:
            page.goto(server.address)
            page.fill("input[name=code]", server.code)
            page.press("input[name=code]", "Enter")
            page.wait_for_selector("nav a:text-is('Folder')")
            if task.at_result:
                series_to_gene(Hands(page), task.series)
                page.go_back()
                page.wait_for_selector("#plot[data-ready=volcano]")
            hands, begun = Hands(page), time.perf_counter()
            task.do(hands, *given)
            return hands, time.perf_counter() - begun
        finally:
            context.close()
            server.end()


def several(task: Task, chromium: Any, data: Path, times: int) -> str:
    """Return the row of a task."""
    done = [once(task, chromium, data) for _ in range(times)]
    hands = done[0][0]
    seconds = statistics.median(each for _, each in done)
    return f"| {task.title} | {hands.clicks}, {hands.words} | {seconds:.1f} s |"


def main() -> None:
    """Do all tasks, and print their table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default="", help="tasks whose title has this text")
    given = parser.parse_args()
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        print(f"load {os.getloadavg()[0]:.1f}\n\n| task | clicks, words | waiting |\n|---|---|---|")
        for task in TASKS:
            if given.only in task.title:
                print(several(task, browser, given.data, given.times), flush=True)
        browser.close()
