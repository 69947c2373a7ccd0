"""Plots, table and downloads of the genes of an analysis."""

from __future__ import annotations

import csv
import io
import re
import sys
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest

from genotex.app.downloads import send_table
from genotex.app.genes.plots import inside, names_in
from genotex.layout import OutputFolder
from genotex.studies import LoadedAnalysis
from tests.app.conftest import Browser
from tests.app.drawn import marks_of, series_of


@pytest.fixture(scope="module")
def analysis(study_folder: Path) -> LoadedAnalysis:
    output = OutputFolder(study_folder / "results")
    return LoadedAnalysis.read(output, output.traits()[0], None)


def test_the_page_shows_the_first_genes(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    page = browser.get("/genes", params=place).text
    for symbol in analysis.genes["Variable"].head(50):
        assert f">{symbol}</a>" in page
    assert analysis.genes["Variable"][50] not in page
    hidden = analysis.result.hidden_summary
    assert "robust (significant with and without adjustment)" in hidden and hidden in page


def listed(browser: Browser, place: dict[str, str], **query: str) -> pl.DataFrame:
    """Return the genes that a query of the table has, on all pages."""
    answer = browser.get("/genes.csv", params=place | query)
    assert answer.status_code == 200, answer.text
    return pl.read_csv(io.BytesIO(answer.content), infer_schema_length=None)


def test_search_filter_order_and_pages(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    some = analysis.genes["Variable"][3]
    assert some in listed(browser, place, search=some.lower())["gene"]
    hits = listed(browser, place, only="significant")
    assert hits.height == analysis.result.significant.height > 0
    up = listed(browser, place, only="significant, higher")["log2_fold_change"]
    down = listed(browser, place, only="significant, lower")["log2_fold_change"]
    assert (up > 0).all() and (down < 0).all() and len(up) + len(down) == hits.height
    by_mean = listed(browser, place, sort="Mean Expression", order="descending")
    assert by_mean["mean"].drop_nulls().is_sorted(descending=True)
    second = browser.get("/genes/table", params=place | {"page": "2"}).text
    assert f">{analysis.genes['Variable'][50]}</a>" in second


def test_a_table_is_the_same_as_csv_and_json(browser: Browser, place: dict[str, str]) -> None:
    query = place | {"only": "significant", "sort": "p"}
    answer = browser.get("/genes.json", params=query)
    assert answer.headers["content-type"] == "application/json"
    written = listed(browser, place, only="significant", sort="p")
    assert [row["gene"] for row in answer.json()] == written["gene"].to_list()
    assert answer.json()[0]["p"] == pytest.approx(written["p"][0])


@pytest.mark.parametrize(
    "query",
    [
        {"search": ".*["},
        {"sort": "no such column"},
        {"page": "99999"},
        {"page": "-1"},
        {"only": "x"},
        {"lasso": "1,2,3"},
        {"lasso": "nan,1,2,3,4,5"},
        {"lasso": "a,b"},
    ],
)
def test_a_query_that_makes_no_sense_is_no_error(
    browser: Browser, place: dict[str, str], query: dict[str, str]
) -> None:
    assert browser.get("/genes/table", params=place | query).status_code == 200


def test_a_polygon_holds_what_is_inside() -> None:
    axes = np.array([0.5, 2.0, 0.5, np.nan]), np.array([0.5, 0.5, -1.0, 0.5])
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    assert inside(axes, corners).tolist() == [True, False, False, False]


def test_the_lasso_selects_among_all_genes(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    everything = listed(browser, place, lasso="-99,-1,99,-1,99,999,-99,999")
    assert everything.height == np.isfinite(analysis.subject.log_p).sum()
    right = listed(browser, place, lasso="0,-1,99,-1,99,999,0,999", plot="volcano")
    assert (right["log2_fold_change"] >= 0).all() and 0 < right.height < everything.height
    page = browser.get("/genes/table", params=place | {"lasso": "0,-1,99,-1,99,999,0,999"}).text
    assert f"of {right.height} genes (of {analysis.genes.height}" in page.replace(",", "")


def test_every_significant_gene_is_drawn_and_zooming_shows_the_rest(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    whole = browser.get("/genes/points", params=place).json()
    drawn = set(marks_of(whole))
    assert set(analysis.result.significant["Variable"]) <= drawn
    assert whole["drawn"] <= whole["total"] == np.isfinite(analysis.subject.p).sum()
    left, right, low, high = window = (-0.05, 0.05, 0.0, 0.1)
    before = sum(
        left <= x <= right and low <= y <= high
        for series in series_of(whole).values()
        for x, y in zip(series["x"], series["y"], strict=True)
    )
    view = {"window": ",".join(map(str, window))}
    part = browser.get("/genes/points", params=place | view).json()
    assert before < part["drawn"] <= part["seen"]


def test_pasted_genes_are_highlighted_everywhere(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    first = analysis.genes["Variable"][0]
    data = {"genes": f"{first.lower()}; NOSUCHGENE\n"}
    answer = browser.post("/genes/mark", params=place, data=data, headers=browser.own)
    assert "1 of 2 genes highlighted; not in this analysis: NOSUCHGENE" in answer.text
    assert answer.headers["hx-trigger"] == "marked"
    assert "listed" in browser.get("/genes/table", params=place).text
    drawn = series_of(browser.get("/genes/points", params=place).json())
    assert drawn["marked"]["ids"] == [first]
    listed = browser.get("/genes.csv", params=place | {"only": "highlighted"}).text
    assert len(listed.splitlines()) == 2


def test_names_are_taken_from_any_text() -> None:
    assert names_in(" TP53,EGFR\nTP53\tMYC;; ") == ("TP53", "EGFR", "MYC")


def test_the_csv_is_the_table_of_the_report(
    browser: Browser, place: dict[str, str], study_folder: Path
) -> None:
    (report,) = (study_folder / "results" / "report").glob("*.csv")
    assert browser.get("/genes.csv", params=place).text == report.read_text(encoding="utf-8")


def test_the_workbook_holds_the_same_numbers(browser: Browser, place: dict[str, str]) -> None:
    query = place | {"only": "significant"}
    rows = list(csv.reader(io.StringIO(browser.get("/genes.csv", params=query).text)))
    content = browser.get("/genes.xlsx", params=query).content
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert sheet is not None
    cells = list(sheet.values)
    assert list(cells[0]) == rows[0] and len(cells) == len(rows)
    assert [row[0] for row in cells] == [row[0] for row in rows]
    assert float(cells[1][1]) == pytest.approx(float(rows[1][1]))  # type: ignore[arg-type]


def test_a_workbook_holds_what_excel_accepts() -> None:
    frame = pl.DataFrame({"gene": ["x" * 40_000, "a\x00&<b>"], "n": [1, None], "y": [True, False]})
    content = send_table(frame, "x", "x.xlsx").body
    sheet = openpyxl.load_workbook(io.BytesIO(bytes(content))).active
    assert sheet is not None
    _, first, second = list(sheet.values)
    assert len(str(first[0])) == 32_767
    assert second == ("a&<b>", None, False)


def test_the_p_values_are_counted(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    drawn = browser.get("/genes/points", params=place | {"plot": "histogram"}).json()
    assert sum(series_of(drawn, "bars")["one"]["y"]) == np.isfinite(analysis.subject.p).sum()


def test_samples_are_placed_by_their_components_and_coloured_by_group_or_covariate(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    query = place | {"plot": "pca"}
    by_group = browser.get("/genes/points", params=query).json()
    assert sorted(marks_of(by_group)) == sorted(analysis.marks.names)
    by_age = browser.get("/genes/points", params=query | {"by": "Age"}).json()
    ages = analysis.covariates["Age"].tolist()
    levels = series_of(by_age)["one"]["levels"]
    assert levels == [None if np.isnan(age) else age for age in ages]
    by_sex = browser.get("/genes/points", params=query | {"by": "Gender"}).json()
    labels = {series["label"].split(" (")[0] for series in series_of(by_sex).values()}
    assert labels == {"female", "male"}


def test_a_gene_has_a_page_with_its_samples_and_effect(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    symbol = analysis.genes["Variable"][0]
    there = place | {"gene": symbol.lower()}
    page = browser.get("/gene", params=there).text
    assert "ncbi.nlm.nih.gov/gene" in page and "ensembl.org" in page and "opentargets" in page
    values = browser.get("/gene/values", params=there).json()
    assert len(marks_of(values, "strip", "y")) == len(analysis.marks.names)
    drawn = browser.get("/gene/forest", params=there).json()
    assert series_of(drawn)["cohort"]["x"] == pytest.approx(
        [analysis.genes["Coefficient"][0]], rel=1e-5
    )


@pytest.mark.parametrize(
    ("ending", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_a_figure_is_sent_as_a_file_in_the_size_asked_for(
    browser: Browser, place: dict[str, str], ending: str, start: bytes
) -> None:
    asked = place | {"plot": "histogram", "format": ending, "width": "3", "text": "7"}
    answer = browser.get("/genes/points", params=asked)
    assert answer.content.startswith(start)
    assert answer.headers["content-disposition"] == f'attachment; filename="histogram.{ending}"'
    if ending == "png":
        assert int.from_bytes(answer.content[16:20], "big") == 900
    assert browser.get("/genes/points", params=place | {"format": "exe"}).status_code == 404


def test_a_page_offers_the_files_that_can_be_written_with_what_is_installed(
    browser: Browser, place: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def offered() -> tuple[list[str], bool]:
        page = browser.get("/genes", params=place).text
        return re.findall(r'data-save="(\w+)"', page), "/genes.h5ad?" in page

    assert offered() == (["pdf", "svg", "png"], True)
    for package in ("matplotlib", "anndata"):
        monkeypatch.setitem(sys.modules, package, None)
    assert offered() == (["svg"], False)
    asked = place | {"plot": "histogram", "format": "pdf"}
    assert browser.get("/genes/points", params=asked).status_code == 404


def test_an_unknown_gene_or_plot_is_not_found(browser: Browser, place: dict[str, str]) -> None:
    assert browser.get("/gene", params=place | {"gene": "<b>"}).status_code == 404
    assert "<b>" not in browser.get("/gene", params=place | {"gene": "<b>"}).text
    assert browser.get("/genes/points", params=place | {"plot": "x"}).status_code == 404


def test_cut_offs_act_on_counts_plot_and_file_alike(
    browser: Browser, place: dict[str, str], analysis: LoadedAnalysis
) -> None:
    genes, cut = analysis.genes, {"q": "0.2", "change": "0.3"}
    passing = genes.filter((pl.col("rank_q") < 0.2) & (pl.col("Coefficient").abs() >= 0.3))
    hits = set(passing["Variable"])
    assert hits != set(genes.filter(pl.col("Significant"))["Variable"])
    data = browser.get("/genes/points", params=place | cut | {"plot": "volcano"}).json()
    drawn = series_of(data, "points")
    assert set(drawn["up"]["ids"]) | set(drawn["down"]["ids"]) == hits
    assert data["hits"] == f"{len(hits):,} genes"
    assert sorted(line["at"] for line in data["rows"][0][0]["lines"] if line["along"] == "x") == [
        -0.3,
        0,
        0.3,
    ]
    file = listed(browser, place, only="significant", **cut)
    assert set(file[file.columns[0]]) == hits and file["significant"].all()
