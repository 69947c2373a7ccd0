"""The samples of a cohort as a whole: what the plots are sent."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from genotex.app import Access, StoredQuality
from genotex.app.quality.cohorts import marks_of as mark_cells
from genotex.cohorts import preprocess
from genotex.figures import COLOURS
from genotex.formats import read_linked, read_series_matrix
from genotex.layout import InputFolder, OutputFolder
from genotex.studies import Apart
from tests.app.conftest import Browser, opened, read_before
from tests.app.drawn import marks_of, series_of
from tests.cohorts.test_submitted import table, write_series
from tests.geo_text import write_asthma, write_gz
from tests.rna_seq_text import count_rows, write_counted

KINDS = {"box": ("boxes", "ids"), "density": ("curves", "texts"), "correlation": ("cells", "texts")}
"""Marks of a plot, and where the names of its samples are."""


@pytest.fixture
def cohort(study_folder: Path, place: dict[str, str]) -> dict[str, str]:
    """Return what names a usable cohort in an address."""
    table = OutputFolder(study_folder / "results").cohort_info(place["trait"]).parent
    name = next(path.stem for path in sorted(table.glob("GSE*.csv")))
    return {"output": "results", "trait": place["trait"], "cohort": name}


def test_checks_and_columns_are_shown_and_home_leads_there(
    browser: Browser, cohort: dict[str, str]
) -> None:
    assert f"cohort={cohort['cohort']}" in browser.get("/").text
    page = browser.get("/quality", params=cohort).text
    assert "Outliers" in page and "Checking the samples" in page
    asked = cohort | {"judge": 1}
    judged = browser.post("/quality/read", params=asked, headers=browser.own).text
    assert "Sex by expression" in judged and 'id="verdict"' in page and 'id="verdict"' in judged
    assert "<option>group</option>" in page and "<option>age</option>" in page


def test_the_sheet_leads_to_the_quality_of_its_series(
    browser: Browser, cohort: dict[str, str]
) -> None:
    place = {"trait": cohort["trait"], "series": cohort["cohort"]}
    page = browser.get("/samples", params=place).text
    assert f"series={cohort['cohort']}#samples-quality" in page and 'id="samples-quality"' in page


@pytest.mark.parametrize("plot", ["pca", "mds", "correlation", "box", "density", "distance"])
def test_a_plot_has_each_sample_with_its_colour(
    browser: Browser, cohort: dict[str, str], plot: str
) -> None:
    data = browser.get("/quality/points", params=cohort | {"plot": plot, "by": "group"}).json()
    kind, name = KINDS.get(plot, ("points", "ids"))
    names = marks_of(data, kind, name)
    assert len(set(names)) == len(names) > 0 and data["by"] == "group"
    shown = series_of(data, "points" if plot == "correlation" else kind)
    assert {s["label"].split(" (")[0] for s in shown.values()} >= {"case"}
    assert shown["case"]["colour"] == COLOURS["case"]
    age = browser.get("/quality/points", params=cohort | {"plot": plot, "by": "age"}).json()
    levels = {"correlation": "cells"}.get(plot, kind)
    assert age["by"] == "age" and list(series_of(age, levels)) == ["one"]


def test_distances_of_the_scaling_are_those_of_the_correlation(
    study_folder: Path, cohort: dict[str, str]
) -> None:
    output = OutputFolder(study_folder / "results")
    found = StoredQuality(output, cohort["trait"], cohort["cohort"], Apart()).quality
    table = read_linked(output, cohort["trait"], cohort["cohort"])
    chosen = np.argsort(np.nanvar(table.expression, axis=0))[::-1][:5000]
    expected = np.corrcoef(table.expression[:, chosen])
    drawn = np.ix_(found.drawn, found.drawn)
    assert np.allclose(found.correlation, expected[drawn], atol=1e-3)
    assert np.allclose(found.mds.mean(axis=0), 0, atol=1e-8)
    assert np.allclose(found.quantiles[:, 2], np.nanmedian(table.expression, axis=1))


def test_a_change_in_the_sheet_is_seen_at_once(
    browser: Browser, cohort: dict[str, str], study_folder: Path
) -> None:
    place = {"trait": cohort["trait"], "series": cohort["cohort"]}
    sample = marks_of(browser.get("/quality/points", params=cohort).json())[0]
    given = {"change": "exclude:yes", "version": "0", "sample": sample}
    assert browser.post("/samples/assign", params=place, data=given, headers=browser.own).is_success
    try:
        data = browser.get("/quality/points", params=cohort | {"by": "exclude"}).json()
        labels = [series["label"] for series in series_of(data).values()]
        assert data["by"] == "exclude" and "yes (1)" in labels
    finally:
        (study_folder / "sheets" / place["trait"] / f"{place['series']}.csv").unlink()


@pytest.mark.parametrize("plot", ["box", "density"])
def test_values_before_are_those_of_the_file(
    browser: Browser, cohort: dict[str, str], study_folder: Path, plot: str
) -> None:
    asked = cohort | {"plot": plot, "by": "group"}
    before = read_before(browser, asked).json()
    after = browser.get("/quality/points", params=asked).json()
    kind, name = KINDS[plot]
    assert marks_of(before, kind, name) == marks_of(after, kind, name)
    assert list(series_of(before, kind)) == list(series_of(after, kind))
    page = browser.get("/quality", params=cohort).text
    name = f"{cohort['cohort']}_series_matrix.txt.gz"
    assert f"Before: {name}" in page and "rows became" in page
    if plot == "box":
        files = InputFolder(study_folder / "input").geo_cohorts(cohort["trait"])
        path = next(each for each in files if each.cohort == cohort["cohort"]).matrices[0]
        matrix = read_series_matrix(path).expression
        assert matrix is not None
        column = matrix.samples.index(marks_of(before, "boxes")[0])
        expected = np.nanpercentile(matrix.values[:, column], (5, 25, 50, 75, 95))
        logged = before["note"].startswith("Linear")
        drawn = marks_of(before, "boxes", "y")[0]
        assert np.allclose(drawn, np.log2(expected) if logged else expected, 1e-2)


def test_without_the_input_the_reason_is_given(
    cohort: dict[str, str], study_folder: Path, tmp_path: Path, access: Access
) -> None:
    shutil.copytree(study_folder / "results", tmp_path / "results")
    with opened(tmp_path, access) as alone:
        data = read_before(alone, cohort | {"plot": "box"}).json()
        assert "does not hold the input" in data["note"] and "rows" not in data


@pytest.mark.parametrize("counted_by", ["ncbi", "submitter"])
def test_counts_are_drawn_as_logarithms(tmp_path: Path, access: Access, counted_by: str) -> None:
    if counted_by == "ncbi":
        write_counted(tmp_path / "input")
    else:
        folder = write_series(tmp_path / "input")
        write_gz(folder / "GSE1_raw_counts.txt.gz", table([f"GSM{1 + i}" for i in range(12)]))
    preprocess(tmp_path / "input", tmp_path / "results")
    with opened(tmp_path, access) as browser:
        place = {"output": "results", "trait": "Asthma", "cohort": "GSE1", "plot": "box"}
        data = read_before(browser, place).json()
        assert data["note"].startswith("Counts, drawn as log2(count + 1)")
        counts = np.array(list(count_rows(12).values()), dtype=float)
        place_of = marks_of(data, "boxes").index("GSM1")
        values = np.log2(counts[:, 0] + 1)
        drawn = marks_of(data, "boxes", "y")[place_of][2]
        assert np.allclose(drawn, np.median(values), atol=1e-3)
        assert (
            "log2 counts per million, normalised: TMM" in browser.get("/quality", params=place).text
        )


@pytest.mark.parametrize("name", ["../x", "GSE0", "", "/etc/passwd", "cohort_info"])
def test_only_cohorts_of_the_folder_are_found(
    browser: Browser, cohort: dict[str, str], name: str
) -> None:
    for path in ("/quality", "/quality/points"):
        assert browser.get(path, params=cohort | {"cohort": name}).status_code == 404
    assert read_before(browser, cohort | {"cohort": name}).status_code == 404
    assert browser.get("/quality/points", params=cohort | {"plot": "x"}).status_code == 404
    assert read_before(browser, cohort | {"plot": "x"}).status_code == 404


def test_numbers_are_a_scale_and_few_or_rare_values_are_levels() -> None:
    def levels(cells: list[str]) -> list[str] | None:
        marks = mark_cells([f"S{i}" for i in range(len(cells))], "tissue", cells)
        return None if marks.levels is not None else list(marks.labels.values())

    assert levels([str(i) for i in range(9)]) is None
    assert levels(["1", "2", "1", ""]) == ["1", "2", "not recorded"]
    many = levels([f"a{i}" for i in range(40)])
    assert many is not None and len(many) == 12 and many[-1] == "other"


@pytest.mark.everyday
def test_the_samples_of_a_series_are_judged_before_any_analysis_and_as_the_sheet_changes(
    input_folder: Path, access: Access, cohort: dict[str, str]
) -> None:
    place = {"trait": cohort["trait"], "cohort": cohort["cohort"]}
    sheet = {"trait": cohort["trait"], "series": cohort["cohort"]}
    with opened(input_folder, access) as browser:
        assert browser.get("/quality/points", params=place).status_code == 404
        page = browser.post("/quality/read", params=place, headers=browser.own).text
        # The plots do not wait for the checks.
        assert "Checking the samples" in page and "Sex by expression" not in page
        assert browser.get("/quality/points", params=place).json()["rows"]
        judge = place | {"judge": 1}
        page = browser.post("/quality/read", params=judge, headers=browser.own).text
        assert "before any analysis" in page and "Sex by expression" in page
        drawn = browser.get("/quality/points", params=place | {"by": "group"}).json()
        names = marks_of(drawn, "points", "ids")
        assert f"{len(names)} samples" in page
        data = {"change": "exclude:yes", "sample": names[:2], "version": 0}
        browser.post("/samples/assign", params=sheet, data=data, headers=browser.own)
        drawn = browser.get("/quality/points", params=place | {"by": "group"}).json()
        excluded = series_of(drawn, "points")["absent"]
        assert sorted(excluded["ids"]) == sorted(names[:2])
        assert len(marks_of(drawn, "points", "ids")) == len(names)
        browser.post("/quality/read", params=judge, headers=browser.own)
        judged = browser.get("/quality/points", params=place | {"plot": "distance"}).json()
        assert not set(names[:2]) & set(marks_of(judged, "points", "ids"))
        box = browser.post("/quality/before", params=place | {"plot": "box"}, headers=browser.own)
        assert box.json()["rows"]
        # An analysis was never started.
        assert not (input_folder / "analyses").exists()


def test_a_series_without_expression_says_why_its_samples_cannot_be_judged(
    tmp_path: Path, access: Access
) -> None:
    write_asthma(tmp_path / "input", ids=())
    place = {"trait": "Asthma", "cohort": "GSE1"}
    with opened(tmp_path, access) as browser:
        page = browser.post("/quality/read", params=place, headers=browser.own)
    assert page.is_success and "no expression table" in page.text
