"""All cohorts of a trait combined, and two analyses compared."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import polars as pl
import pytest

from genotex.analysis import MetaResult, analyze_cohorts, read_meta, solve_problems
from genotex.app import Access
from genotex.app.genes.cohort_pages import leave_one_out
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import forest_rows
from tests.app.conftest import Browser, opened, queue_of, wait
from tests.app.drawn import series_of
from tests.html_tables import table_with


@pytest.fixture(scope="module")
def own_folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cohorts")
    shutil.copytree(study_folder / "results", folder / "results")
    output = OutputFolder(shutil.copytree(study_folder / "results", folder / "other"))
    options = AnalysisOptions(panel=False, covariates=(), hidden="none")
    solve_problems(output, [Problem(output.traits()[0])], options)
    return folder


@pytest.fixture
def page(own_folder: Path, access: Access) -> Iterator[Browser]:
    with opened(own_folder, access) as browser:
        yield browser


def combined(page: Browser, place: dict[str, str], own_folder: Path) -> MetaResult:
    """Combine the cohorts in the workbench, and return what was written."""
    output = OutputFolder(own_folder / "results")
    if not output.meta_genes(place["trait"], None).is_file():
        assert "Combine the cohorts" in page.get("/cohorts", params=place).text
        assert page.post("/cohorts", params=place).status_code == 403
        answer = page.post("/cohorts", params=place, headers=page.own)
        assert answer.headers["hx-redirect"] == "/analysis"
        end = time.monotonic() + 240
        while "waiting" in (text := page.get("/analysis/history").text) or "running" in text:
            assert time.monotonic() < end
            time.sleep(0.5)
        assert "/cohorts?" in text and re.search(r"\d+ genes replicate over \d cohorts", text)
    return read_meta(output, place["trait"], None)


def test_cohorts_are_combined_as_by_the_command(
    page: Browser, place: dict[str, str], own_folder: Path
) -> None:
    meta = combined(page, place, own_folder)
    output = OutputFolder(own_folder / "results")
    same = analyze_cohorts(output, Problem(place["trait"]), AnalysisOptions(panel=False))
    assert meta.genes.equals(same.genes)
    first = meta.genes["Variable"][0]
    assert f">{first}</a>" in page.get("/cohorts", params=place).text
    csv = page.get("/cohorts.csv", params=place | {"only": "significant"}).text
    assert len(csv.splitlines()) == meta.significant.height + 1
    again = page.post("/cohorts", params=place, headers=page.own)
    assert again.status_code == 400


def test_the_page_says_how_far_cohorts_agree(
    page: Browser, place: dict[str, str], own_folder: Path
) -> None:
    meta = combined(page, place, own_folder)
    text = page.get("/cohorts", params=place).text
    rows = table_with(text, "Significant in", *(cohort.name for cohort in meta.cohorts))
    found = pd.DataFrame(meta.effects.to_dict(as_series=False))
    for row in rows:
        one = row["Significant in"]
        hits = found[found[f"{one} q"] < 0.05]
        for other in {cohort.name for cohort in meta.cohorts} - {one}:
            both = hits[[f"{one} Effect", f"{other} Effect"]].dropna()
            same = (both.prod(axis=1) > 0).mean()
            assert row[other] == (f"{100 * same:.0f} % of {len(both):,}" if len(both) else "")
        assert row[one] == ""
    assert len(rows) == len(meta.cohorts) and 'id="forest"' in text


def test_chosen_series_of_a_trait_lead_to_one_page(
    input_folder: Path, access: Access, place: dict[str, str]
) -> None:
    with opened(input_folder, access) as browser:
        names = re.findall(r'name="series" value="(GSE\d+)"', browser.get("/").text)
        assert len(names) > 2
        sent = {"trait": place["trait"], "sent": "1", "series": names[:2]}
        answer = browser.post("/analysis/together", data=sent, headers=browser.own)
        (record,) = wait(queue_of(browser))
        assert "/cohorts/job" in answer.text and record.state == "done", record
        ended = browser.get("/cohorts/job", params={**place, "name": record.name})
        shown = browser.get(ended.headers["hx-redirect"]).text
        assert all(name in shown for name in names[:2]) and names[2] not in shown
        one = sent | {"series": names[:1]}
        answer = browser.post("/analysis/together", data=one, headers=browser.own)
        assert answer.status_code == 400 and "at least two series" in answer.text


def test_a_gene_has_its_forest_plot(page: Browser, place: dict[str, str], own_folder: Path) -> None:
    meta = combined(page, place, own_folder)
    there = place | {"gene": meta.genes["Variable"][0]}
    assert page.get("/cohorts/gene", params=there).status_code == 200
    drawn = page.get("/cohorts/forest", params=there).json()
    rows = forest_rows(meta, 0)
    assert [name for _, name in drawn["rows"][0][0]["y"]["ticks"]] == [row.label for row in rows]
    assert series_of(drawn)["cohort"]["x"] == pytest.approx(
        [row.effect for row in rows if row.weight is not None], rel=1e-5
    )
    unknown = page.get("/cohorts/gene", params=place | {"gene": "<b>"})
    assert unknown.status_code == 404 and "<b>" not in unknown.text


def test_leaving_each_cohort_out_gives_the_worst_p_of_the_table(
    page: Browser, place: dict[str, str], own_folder: Path
) -> None:
    meta = combined(page, place, own_folder)
    known = meta.genes.filter(pl.col("Leave-One-Out p").is_not_null())
    assert len(meta.cohorts) > 2 and known.height
    for row in (0, known.height // 2):
        gene = known["Variable"][row]
        lines = leave_one_out(meta, gene)
        assert len(lines) == known["Cohorts"][row]
        worst = known["Leave-One-Out p"][row]
        assert max(line["p_value"] for line in lines) == pytest.approx(worst)
    two = meta.genes.filter(pl.col("Cohorts") == 2)["Variable"]
    assert not len(two) or leave_one_out(meta, two[0]) == []


def test_two_analyses_are_compared_gene_by_gene(page: Browser, place: dict[str, str]) -> None:
    there = place | {"with": urlencode(place | {"output": "other"})}
    assert "Compare" in page.get("/compare", params=place).text
    assert "Concordance" in page.get("/compare", params=there).text
    rows = page.get("/compare.csv", params=there).text.splitlines()
    frame = pl.read_csv("\n".join(rows).encode())
    one = set(frame.filter(pl.col("significant 1"))["Variable"])
    two = set(frame.filter(pl.col("significant 2"))["Variable"])
    both = page.get("/compare.csv", params=there | {"only": "significant in both"}).text
    assert len(both.splitlines()) - 1 == len(one & two) > 0
    for by in ("effect", "t"):
        drawn = series_of(page.get("/compare/points", params=there | {"by": by}).json())
        assert set(drawn["both"]["ids"]) == one & two
        assert set(drawn.get("first", {}).get("ids", ())) == one - two
    assert page.get("/compare/points", params=there | {"by": "x"}).status_code == 404
    assert page.get("/compare/table", params=there | {"sort": "q 2"}).status_code == 200


@pytest.mark.parametrize("second", ["output=../..&trait=x", "output=nowhere&trait=a", "x", "=&=&;"])
def test_a_second_analysis_is_looked_up(page: Browser, place: dict[str, str], second: str) -> None:
    assert page.get("/compare", params=place | {"with": second}).status_code == 404
