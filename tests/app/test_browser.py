"""The workbench as a person uses it: in Chromium, with mouse and keyboard."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.app.chromium import Server, chromium, page, server
from tests.app.conftest import scored

__all__ = ["chromium", "page", "server"]


@pytest.fixture(scope="module")
def folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(study_folder, folder, dirs_exist_ok=True)
    return folder


def open_genes(page: Any) -> None:
    page.click("section[aria-labelledby=analyses] tbody tr:has-text('results') th a")
    page.wait_for_selector("#plot[data-ready=volcano]")
    page.locator("#plot").scroll_into_view_if_needed()


def open_samples(page: Any, place: dict[str, str]) -> None:
    page.click(f"ul.series a[href*='{place['trait']}']")
    page.wait_for_selector("#sheet tbody tr")
    page.wait_for_selector("#quality[data-ready]")


@pytest.mark.everyday
def test_from_two_samples_to_a_gene_and_its_table(
    page: Any, folder: Path, place: dict[str, str], tmp_path: Path
) -> None:
    open_samples(page, place)
    rows = page.locator("#sheet tbody tr")
    rows.nth(0).click()
    rows.nth(1).click(modifiers=["Shift"])
    assert page.inner_text("#selected") == "2 selected"
    page.click("button[value='exclude:yes']")
    page.wait_for_selector(".message:has-text('2 samples: exclude yes')")
    page.click("#steps a:text-is('Design')")
    page.select_option("select[name=panel]", "no")
    # The newest is first; other tests may have left jobs in the history.
    page.wait_for_load_state()
    earlier = page.locator("#history tbody tr").count()
    page.click("text=Start the analysis")
    page.wait_for_selector(f"#history tbody tr >> nth={earlier}")
    name = page.inner_text("#history tbody th >> nth=0")
    page.click(f"#history th a:text-is('{name}')")
    page.wait_for_selector("#plot[data-ready=volcano]")
    first = page.inner_text("#table tbody th a >> nth=0")
    page.fill("#search", first)
    page.wait_for_selector(f"#table tbody tr:only-child th:has-text('{first}')")
    page.fill("#search", "")
    page.wait_for_selector("#table tbody tr >> nth=20")
    with page.expect_download() as found:
        page.click("#table a:has-text('CSV')")
    found.value.save_as(tmp_path / "genes.csv")
    (written,) = (folder / "analyses" / name / "report").glob("*_None.csv")
    assert (tmp_path / "genes.csv").read_text() == written.read_text()


def test_arrows_go_from_point_to_point_in_a_plot_and_enter_opens_one(page: Any) -> None:
    open_genes(page)
    page.focus("#plot")
    page.keyboard.press("ArrowRight")
    first = page.inner_text("#plot + .sr")
    page.keyboard.press("ArrowDown")
    second = page.inner_text("#plot + .sr")
    assert first and second != first
    page.wait_for_selector("#plot .hoverlayer .hovertext")
    page.keyboard.press("Escape")
    page.wait_for_selector("#plot .hoverlayer .hovertext", state="detached")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#plot + .sr") == first
    page.keyboard.press("Enter")
    page.wait_for_selector("#values[data-ready]")
    assert first.startswith(page.inner_text("h1"))


def test_a_click_in_the_volcano_opens_the_gene(page: Any) -> None:
    open_genes(page)
    # What a figure shows is private.
    assert not page.locator("#plot .modebar-btn[data-title^=Share]").count()
    # Which traces there are depends on what other tests have marked.
    box = page.locator("#plot .scatterlayer .trace path.point").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#plot .hoverlayer .hovertext")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#values[data-ready]")
    page.wait_for_selector("#forest[data-ready]")
    page.select_option("#by", "Gender")
    page.wait_for_selector("#values[data-ready=Gender]")


def test_zoom_draws_more_and_the_lasso_filters_the_table(page: Any) -> None:
    open_genes(page)
    before = page.inner_text("#plot-note")
    box = page.locator("#plot .nsewdrag").first.bounding_box()
    left, top = box["x"] + box["width"] * 0.45, box["y"] + box["height"] * 0.8
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + box["width"] * 0.1, top + box["height"] * 0.15, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "text => document.getElementById('plot-note').textContent !== text", arg=before
    )
    page.mouse.dblclick(left, top)
    page.wait_for_function(
        "text => document.getElementById('plot-note').textContent === text", arg=before
    )
    page.hover("#plot")
    page.click("#plot [data-title='Lasso Select']")
    x, y = box["x"] + box["width"] * 0.55, box["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    for dx, dy in ((0.4, 0), (0.4, 0.6), (0, 0.6), (0, 0.01)):
        page.mouse.move(x + box["width"] * dx, y + box["height"] * dy, steps=4)
    page.mouse.up()
    page.wait_for_selector("#unlasso:visible")
    page.wait_for_selector("#table p:has-text('(of ')")
    page.click("#unlasso")
    page.wait_for_selector("#table p:not(:has-text('(of '))")


def test_samples_of_a_cohort_are_drawn_in_each_way_and_by_any_column(
    page: Any, place: dict[str, str]
) -> None:
    page.click("section[aria-labelledby=cohorts] a >> nth=0")
    page.wait_for_selector("#quality[data-ready='pca group']")
    page.select_option("#colour-by", "age")
    page.wait_for_selector("#quality[data-ready='pca age']")
    for plot in ("mds", "correlation", "box", "density", "distance"):
        page.click(f"[data-quality={plot}]")
        page.wait_for_selector(f"#quality[data-ready='{plot} age']")


def test_the_keyboard_alone_sorts_searches_and_opens(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    open_genes(page)
    page.focus("#sort-2")
    page.keyboard.press("Enter")
    page.wait_for_selector("th[aria-sort=ascending]")
    assert page.evaluate("document.activeElement.id") == "sort-2"
    page.focus("#search")
    page.keyboard.type(page.inner_text("#table tbody th a >> nth=0"))
    page.wait_for_selector("#table tbody tr:only-child")
    page.wait_for_load_state("networkidle")
    page.focus("#table tbody th a")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.activeElement.tagName") == "A"
    page.focus("#table tbody th a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#values[data-ready]")


def test_samples_are_selected_and_assigned_by_keyboard(page: Any, place: dict[str, str]) -> None:
    open_samples(page, place)
    page.focus("#sheet tbody input >> nth=3")
    page.keyboard.press("Space")
    assert page.inner_text("#selected") == "1 selected"
    page.focus("button[value='group:other control']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".message:has-text('1 sample: group other control')")
    page.focus("button[value=undo]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".message:has-text('Undone')")


def test_two_tabs_do_not_overwrite_each_other(page: Any, place: dict[str, str]) -> None:
    open_samples(page, place)
    other = page.context.new_page()
    other.goto(page.url)
    for tab, value in ((page, "exclude:yes"), (other, "exclude:yes")):
        tab.check("#sheet tbody input >> nth=5")
        tab.click(f"button[value='{value}']")
        tab.wait_for_selector(".message")
    assert "changed in another tab" in other.inner_text(".message")
    other.close()


MOVES = """
    window.moved = new Set();
    const at = new WeakMap();
    (function look() {
      const parts = "main :is(h1, h2, form, table, button, .plot)";
      for (const each of document.querySelectorAll(parts)) {
        if (!each.offsetParent || each.closest("#verdict *, #design *, .tools")) continue;
        const top = Math.round(each.getBoundingClientRect().top + scrollY);
        if (at.has(each) && at.get(each) !== top) {
          const name = each.id || each.textContent.trim().slice(0, 30);
          moved.add(`${name}: ${at.get(each)} to ${top}`);
        }
        at.set(each, top);
      }
      requestAnimationFrame(look);
    })();
"""
"""Notes what is elsewhere on the page than when it came."""


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_moves_while_a_step_opens(page: Any, place: dict[str, str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.add_init_script(MOVES)
    here = page.url.split("?")[0].rstrip("/")
    listed = page.locator(f"ul.series a[href*='{place['trait']}']")
    # Another series for each width: the first visit is the one that reads it.
    series = f"trait={place['trait']}&series={listed.nth(2 if width == 400 else 3).inner_text()}"
    query = "&".join(f"{name}={value}" for name, value in place.items())
    steps = {
        f"/samples?{series}": "#verdict[data-plots]", f"/analysis?{series}&sent=1": "#design h3",
        f"/genes?{query}": "#plot[data-ready]", "/add": "#drop",
    }  # fmt: skip
    for path, there in steps.items():
        page.goto(here + path)
        page.wait_for_selector(there)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("[...moved]") == [], path


@pytest.mark.everyday
@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_the_window(page: Any, place: dict[str, str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    here = page.url.split("?")[0].rstrip("/")
    query = "&".join(f"{name}={value}" for name, value in place.items())
    open_genes(page)
    gene = page.inner_text("#table tbody th a >> nth=0")
    series = f"trait={place['trait']}&series="
    page.goto(here)
    series += page.inner_text(f"ul.series a[href*='{place['trait']}'] >> nth=0")
    paths = (
        "/",
        f"/genes?{query}",
        f"/gene?{query}&gene={gene}",
        f"/samples?{series}",
        f"/quality?output=results&{series.replace('series', 'cohort')}",
        "/runs",
        "/analysis",
        f"/sets?{query}",
        f"/cohorts?{query}",
        f"/compare?{query}",
    )
    for path in paths:
        page.goto(here + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_a_gene_set_is_tested_drawn_and_highlighted(
    page: Any, folder: Path, place: dict[str, str], tmp_path: Path
) -> None:
    open_genes(page)
    genes = page.locator("#table tbody th a").all_inner_texts()
    (tmp_path / "mine.gmt").write_text("\t".join(["FIRST", "", *genes]) + "\n")
    page.click("a:text-is('other sets')")
    page.set_input_files("input[name=sent]", tmp_path / "mine.gmt")
    page.click("button.main")
    page.click("#table tbody th a:has-text('FIRST')")
    page.wait_for_selector("#running[data-ready]")
    with page.expect_download() as found:
        page.click("[data-save=svg]")
    assert b"<svg" in found.value.path().read_bytes()
    page.click("text=Highlight its genes")
    page.wait_for_selector("#plot[data-ready=volcano]")
    page.wait_for_selector(f"#marked-text:has-text('{len(genes)} of {len(genes)}')")


def test_values_before_and_after_processing_are_drawn_side_by_side(
    page: Any, place: dict[str, str]
) -> None:
    page.click("a[href*='/quality?'] >> nth=0")
    page.wait_for_selector("#quality[data-ready]")
    assert not page.is_visible("#before")
    for plot in ("box", "density"):
        page.click(f"[data-quality={plot}]")
        page.wait_for_selector(f"#before[data-ready^={plot}]")
        boxes = [page.locator(name).bounding_box() for name in ("#before", "#quality")]
        assert abs(boxes[0]["y"] - boxes[1]["y"]) < 40 and boxes[0]["height"] == boxes[1]["height"]
    page.click("[data-quality=pca]")
    page.wait_for_selector("#quality[data-ready^=pca]")
    assert not page.is_visible("#before")


def test_a_sample_selected_in_the_plot_is_excluded_before_any_analysis(
    page: Any, folder: Path, place: dict[str, str]
) -> None:
    open_samples(page, place)
    # Other tests may have excluded samples.
    before = page.text_content("#quality .legend")
    is_legend = "text => (document.querySelector('#quality .legend').textContent === text)"
    page.locator("#quality").scroll_into_view_if_needed()
    point = page.locator("#quality .scatterlayer .trace path.point").first
    box = point.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#selected:has-text('1 selected')")
    name = page.locator("#sheet tr.chosen input").get_attribute("value")
    page.click("button[value='exclude:yes']")
    page.wait_for_selector(f"#sheet tr.excluded:has-text('{name}')")
    page.wait_for_function(f"text => !({is_legend})(text)", arg=before)
    assert "excluded" in page.text_content("#quality .legend")
    page.click("button[value='undo']")
    page.wait_for_function(is_legend, arg=before)


def test_the_leaderboard_compares_with_the_chosen_run(page: Any, folder: Path) -> None:
    for name, f1 in (("one", 40.0), ("two", 80.0)):
        scored(folder / name, f1=f1)
    page.click("nav a:text-is('Runs')")
    page.click("text=Paired differences from two")
    page.wait_for_selector("#costs[data-ready=f1]", state="attached")
    page.select_option("select[name=baseline]", "one")
    page.wait_for_selector("text=Paired differences from one")


def test_an_analysis_is_cancelled(page: Any) -> None:
    page.click("nav a:text-is('Analyse')")
    page.click("text=Start the analysis")
    page.click("#history button:has-text('Cancel')")
    page.wait_for_selector("#history tr:has-text('cancelled')")


def test_a_killed_server_is_started_again(chromium: Any, input_folder: Path) -> None:
    first = Server(input_folder)
    context = first.context(chromium)
    page = context.new_page()
    page.goto(first.address)
    page.click("nav a:text-is('Analyse')")
    page.click("text=Start the analysis")
    page.wait_for_selector("#history tr:has-text('running')")
    first.end(signal.SIGKILL)
    context.close()
    second = Server(input_folder)
    context = second.context(chromium)
    try:
        page = context.new_page()
        page.goto(second.address)
        page.click("nav a:text-is('Analyse')")
        page.wait_for_selector("#history tr:has-text('interrupted')")
    finally:
        context.close()
        second.end()
