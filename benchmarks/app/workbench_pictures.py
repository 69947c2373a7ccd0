"""Pictures of the five steps of a study, at 1280 and 400 pixels, and a dark one, for the docs.

python -m benchmarks workbench_pictures [FOLDER]

A study is simulated and analysed in the workbench, in Chromium (needs playwright). FOLDER is
``docs/figures`` unless given; it gets ``workbench-STEP-WIDTH.webp``.
"""

from __future__ import annotations

import argparse
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.app.served import Running

from genotex.simulate import simulate_study

FOLDER = Path(__file__).parents[2] / "docs" / "figures"
WIDTHS = {1280: 860, 400: 860}
LONGEST = 300_000
STEPS = {
    "data": ("Data", "#quality[data-ready]", "#steps"),
    "samples": ("Samples", "#sheet tbody tr", "#samples-title"),
    "quality": ("Quality", "#quality[data-ready]", "#samples-quality"),
    "design": ("Design", "#design code", "#design"),
    "result": ("Result", "#plot[data-ready]", ".cuts"),
}
"""What a step is called, what it waits for, and what its picture begins with."""


def take(page: Any, folder: Path, name: str, width: int) -> None:
    """Save what a page shows at a width."""
    page.locator(".where").evaluate("folder => { folder.textContent = 'study'; }")
    content = page.screenshot()
    path = folder / f"workbench-{name}-{width}.webp"
    Image.open(io.BytesIO(content)).save(path, "WEBP", quality=75, method=6)
    print(path.name, path.stat().st_size)


def walk(page: Any, folder: Path, series: str) -> None:
    """Analyse a series, and take a picture of each step at each width."""
    page.click(f"ul.series a:text-is('{series}')")
    page.wait_for_selector("#quality[data-ready]")
    page.click("#steps a:text-is('Design')")
    page.wait_for_selector("#steps li.done:has-text('Design')")
    page.click("#go button")
    page.wait_for_selector("#steps li.done:has-text('Result')")
    for name, (step, there, first) in STEPS.items():
        page.click(f"#steps a:text-is('{step}')")
        page.wait_for_selector(there)
        if name == "quality":
            page.click("[data-quality=box]")
            page.wait_for_selector("#quality[data-ready^=box]")
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(2000)
            page.locator(first).evaluate("part => part.scrollIntoView()")
            page.wait_for_timeout(300)
            take(page, folder, name, width)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1280, "height": WIDTHS[1280]})
    page.wait_for_timeout(2000)
    page.locator(STEPS["result"][2]).evaluate("part => part.scrollIntoView()")
    take(page, folder, "dark", 1280)


def main() -> None:
    """Simulate a study, and walk through its steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory(prefix="study") as place, sync_playwright() as playwright:
        study = simulate_study(Path(place) / "input", seed=3, genes=1000, overwrite=True)
        series = min(path.name for path in (study.folder / "GEO" / study.truth.trait).iterdir())
        server = Running(Path(place))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(LONGEST)
        page.goto(server.address)
        page.fill("input[name=code]", server.code)
        page.keyboard.press("Enter")
        walk(page, folder, series)
        browser.close()
        server.end()
