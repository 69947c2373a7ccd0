"""Every kind of page in Chromium: accessible, fitting, no errors; a whole path; a big folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from genotex.analysis import analyze_cohorts, enrich_problem, read_meta, read_result, write_meta
from genotex.atlas import build_atlas
from genotex.bench import summarise
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_meta_report, write_scores
from genotex.studies import TablesRecord, run_job
from tests.agents.team.conftest import Played
from tests.app.chromium import Server, chromium, page, server
from tests.atlas.result_folders import GENES, write_cohort
from tests.bench.evaluation.some_scores import some_scores
from tests.cli.test_de import write as write_tables
from tests.fetch.geo_tree import GeoSite, platform_soft
from tests.fetch.server import serving
from tests.geo_text import asthma, series_matrix, write_gz

__all__ = ["chromium", "page", "server"]

axe = pytest.importorskip("axe_playwright_python", reason="pip install 'genotex[browser]'")
GRAVE = ("serious", "critical")
MATRIX = "GSE7_series_matrix.txt.gz"
PAGES = {
    "folder": "/",
    "add data": "/add",
    "analyse": "/analysis",
    "samples": "/samples?trait={trait}&series={series}",
    "quality": "/quality?output=results&trait={trait}&cohort={series}",
    "genes": "/genes?{place}",
    "gene": "/gene?{place}&gene={gene}",
    "gene sets": "/sets?{place}",
    "gene set": "/set?{place}&set=FIRST",
    "cohorts": "/cohorts?{place}",
    "gene in cohorts": "/cohorts/gene?{place}&gene={common}",
    "choice of a comparison": "/compare?{place}",
    "comparison": "/compare?{place}&with=output%3Dagain%26trait%3D{trait}%26condition%3D",
    "own tables": "/tables?name=own",
    "time to event": "/survival?output=analyses/001-own",
    "gene of a time to event": "/survival/gene?output=analyses/001-own&gene={survival_gene}",
    "atlas": "/atlas?atlas=atlas",
    "pairs of traits": "/atlas/pairs?atlas=atlas&trait=Lupus&other=Psoriasis",
    "gene in the atlas": "/atlas/gene?atlas=atlas&gene=GENE001",
    "trait in the atlas": "/atlas/trait?atlas=atlas&trait=Lupus",
    "similar signatures": "/atlas/similar?atlas=atlas",
    "runs": "/runs",
    "run": "/run?run=team",
    "notebook": "/run/notebook?run=team&trait=Asthma&notebook=GSE1",
    "scores": "/scores?of=team",
}


@pytest.fixture(scope="module")
def folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that has something for every kind of page."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(study_folder, folder, dirs_exist_ok=True)
    shutil.copytree(folder / "results", folder / "again")
    output = OutputFolder(folder / "results")
    (trait,) = output.traits()
    genes = read_result(output, trait, None).genes["Variable"].to_list()
    sets = [f"SET_{i}\tmade up\t" + "\t".join(genes[i:400:10]) for i in range(10)]
    sets.append("FIRST\tmade up\t" + "\t".join(genes[:30]))
    (folder / "sets.gmt").write_text("\n".join(sets) + "\n")
    enrich_problem(output, Problem(trait), folder / "sets.gmt")
    write_meta(output, analyze_cohorts(output, Problem(trait), AnalysisOptions(panel=False)))
    write_meta_report(output, trait, None)
    write_own_tables(folder)
    write_atlas(folder, tmp_path_factory.mktemp("collected"))
    for name in ("GSE1", "GSE2"):
        (folder / "team_input" / "GEO" / "Asthma" / name).mkdir(parents=True)
    team = Played(folder / "team", folder / "team_input", (Problem("Asthma", "Age"),))
    team.run()
    scores = some_scores()
    write_scores(team.root / "scores", scores, summarise(scores, draws=20))
    return folder


def write_atlas(folder: Path, place: Path) -> None:
    """Collect the results of the folder, and of small cohorts elsewhere."""
    for seed, trait in enumerate(("Lupus", "Lupus", "Psoriasis", "Gout")):
        changed = {} if trait == "Gout" else dict.fromkeys(GENES[:20], 5.0)
        write_cohort(place / f"GSE{seed}", trait, f"GSE{seed}", seed=seed, changed=changed)
    build_atlas([folder / "results", place], folder / "atlas")


def write_own_tables(folder: Path) -> None:
    (folder / "tables").mkdir()
    table, sheet = write_tables(folder / "tables" / "own")
    record = {"name": "own", "expression": table.name, "samples": sheet.name}
    (table.parent / "tables.json").write_text(json.dumps(record))
    place = folder / "analyses" / "001-own"
    place.mkdir(parents=True)
    asked = TablesRecord(
        name="001-own", created=1.0, tables="own", design="~ age", contrasts=[], traits=["died"],
        block=None, missing="error", order=[], q_cut=0.05, hidden="auto", panel=False,
        survival="months,died", state="done",
    )  # fmt: skip
    (place / "analysis.json").write_text(asked.model_dump_json())
    assert run_job(folder, asked, lambda _: None).solved


@pytest.fixture(scope="module")
def blanks(folder: Path) -> dict[str, str]:
    """Return what the addresses of the pages leave open."""
    output = OutputFolder(folder / "results")
    (trait,) = output.traits()
    result = read_result(output, trait, None)
    survival = (folder / "analyses" / "001-own" / "genes.csv").read_text().splitlines()
    return {
        "trait": trait,
        "series": result.cohort,
        "place": f"output=results&trait={trait}&condition=",
        "gene": result.genes["Variable"][0],
        "common": read_meta(output, trait, None).genes["Variable"][0],
        "survival_gene": survival[1].partition(",")[0],
    }


@pytest.mark.everyday
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("kind", PAGES)
def test_every_page_is_accessible_and_fits(
    page: Any, blanks: dict[str, str], kind: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    here = page.url.split("?")[0].rstrip("/")
    answer = page.goto(here + PAGES[kind].format(**blanks))
    assert answer.status == 200
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The copy of axe-core that the package holds: nothing is loaded from elsewhere.
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("axe.run()")["violations"]
        grave = [each for each in found if each["impact"] in GRAVE]
        shown = [(each["id"], [n["html"] for n in each["nodes"]][:3]) for each in grave]
        assert not grave, (scheme, shown)


def test_the_map_of_traits_leads_to_pairs_and_a_signature_to_traits(page: Any) -> None:
    here = page.url.split("?")[0].rstrip("/")
    page.click("nav a:text-is('Atlas')")
    page.wait_for_selector("#map[data-ready]")
    # The cell of the first two traits of the tree.
    cell = page.evaluate(
        """() => { const place = element("map"), view = place._fullLayout;
        const [x, y] = ["Lupus", "Psoriasis"].map((name) => place.traits.indexOf(name));
        const box = place.getBoundingClientRect();
        return [box.left + view.xaxis._offset + view.xaxis.d2p(x),
                box.top + view.yaxis._offset + view.yaxis.d2p(y)]; }"""
    )
    page.mouse.click(*cell)
    page.wait_for_selector("#pair h3:has-text('Lupus'):has-text('Psoriasis')")
    page.fill("input[name=gene]", "GENE001")
    page.press("input[name=gene]", "Enter")
    page.wait_for_selector("#across[data-ready]")
    page.fill("#cohorts-search", "Psor")
    page.wait_for_selector("#cohorts-table p:has-text('1 to 1 of 1 result')")
    page.goto(f"{here}/atlas/similar?atlas=atlas")
    page.fill("#up", "GENE001 GENE002 GENE003 GENE004")
    page.click("text=Find similar signatures")
    page.wait_for_selector("#table tbody tr")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    grave = [v for v in page.evaluate("axe.run()")["violations"] if v["impact"] in GRAVE]
    assert not grave, grave


@pytest.fixture
def geo(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeoSite]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    with serving() as site:
        yield GeoSite(site)


@pytest.mark.everyday
def test_from_geo_to_the_table_that_the_command_writes(
    chromium: Any, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE7")
    geo.soft_platforms["GPL96"] = platform_soft("GPL96")
    folder, output = tmp_path / "folder", tmp_path / "output"
    folder.mkdir()
    server = Server(folder, geo.addresses)
    context = server.context(chromium, accept_downloads=True)
    tab = context.new_page()
    try:
        tab.goto(server.address)
        tab.click("nav a:text-is('Add data')")
        tab.fill("form[hx-post='/add/fetch'] input[name=accession]", "GSE7")
        tab.fill("form[hx-post='/add/fetch'] input[name=trait]", "Asthma")
        tab.click("text=Fetch the series")
        tab.wait_for_selector("#history tr:has-text('done')")
        tab.click("nav a:text-is('Folder')")
        tab.click("ul.series a:text-is('GSE7')")
        # Until then the table moves as what is above it comes.
        tab.wait_for_selector("#verdict[data-plots]")
        rows = tab.locator("#sheet tbody tr")
        rows.nth(1).click()
        rows.nth(3).click()
        assert tab.inner_text("#selected") == "2 selected"
        tab.click("button[value='group:control']")
        tab.wait_for_selector(".message:has-text('2 samples: group control')")
        tab.click("#steps a:text-is('Design')")
        tab.select_option("select[name=panel]", "no")
        tab.click("button:has-text('Start the analysis')")
        tab.wait_for_selector("#history tr:has-text('001-Asthma'):has-text('done')")
        tab.click("#history tbody th a >> nth=0")
        tab.wait_for_selector("#plot[data-ready=volcano]")
        gene = tab.inner_text("#table tbody th a >> nth=4")
        tab.fill("#search", gene)
        tab.wait_for_selector(f"#table tbody tr:has(th:has-text('{gene}')) >> nth=0")
        tab.fill("#search", "")
        tab.wait_for_selector("#table tbody tr >> nth=20")
        with tab.expect_download() as found:
            tab.click("#table a:has-text('CSV')")
        found.value.save_as(tmp_path / "genes.csv")
    finally:
        context.close()
        server.end()
    sheet = folder / "sheets" / "Asthma" / "GSE7.csv"
    subprocess.run(
        [sys.executable, "-m", "genotex", "solve", str(folder / "input"), str(output), "--trait",
         "Asthma", "--samples", str(sheet), "--no-panel"],
        check=True, capture_output=True,
    )  # fmt: skip
    (written,) = (output / "report").glob("*.csv")
    assert (tmp_path / "genes.csv").read_text() == written.read_text()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with 200 series of four traits."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(200):
        trait, name = ("Asthma", "Gout", "Lupus", "Psoriasis")[number % 4], f"GSE{1000 + number}"
        place = folder / "input" / "GEO" / trait / name
        text = series_matrix(name, characteristics=asthma(6))
        write_gz(place / f"{name}_series_matrix.txt.gz", text)
    return folder


def test_a_folder_of_200_series_is_shown_at_once_and_searched(chromium: Any, many: Path) -> None:
    server = Server(many)
    context = server.context(chromium)
    tab = context.new_page()
    try:
        tab.goto(server.address)
        assert tab.locator("ul.series li").count() == 200
        paints = tab.evaluate("performance.getEntriesByType('paint').map((p) => p.startTime)")
        # A quarter of a second alone; others use the machine as well.
        assert max(paints) < 5000
        tab.fill("#narrow", "gse1042")
        assert tab.locator("ul.series li:visible").all_inner_texts() == ["GSE1042"]
        assert tab.locator("section[aria-labelledby=inputs] h3:visible").count() == 1
        assert tab.inner_text("#narrowed") == "1 shown"
        tab.fill("#narrow", "gout")
        assert tab.locator("ul.series li:visible").count() == 50
        tab.fill("#narrow", "")
        assert tab.locator("ul.series li:visible").count() == 200
        tab.goto(f"{server.address}analysis?trait=Gout")
        assert tab.locator("input[name=series]").count() == 50
    finally:
        context.close()
        server.end()
