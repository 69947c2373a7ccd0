"""The samples of a cohort as a whole: what the plots are sent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genotex.app.cohort_quality import CohortQuality, colours_of
from genotex.formats import read_linked
from genotex.layout import OutputFolder
from tests.app.conftest import Browser


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
    assert "Outliers" in page and "Sex by expression" in page
    assert "<option>group</option>" in page and "<option>age</option>" in page


def test_the_sheet_leads_to_the_quality_of_its_series(
    browser: Browser, cohort: dict[str, str]
) -> None:
    place = {"trait": cohort["trait"], "series": cohort["cohort"]}
    assert "/quality?output=results" in browser.get("/samples", params=place).text


@pytest.mark.parametrize("plot", ["pca", "mds", "correlation", "box", "density", "distance"])
def test_a_plot_has_each_sample_with_its_colour(
    browser: Browser, cohort: dict[str, str], plot: str
) -> None:
    data = browser.get("/quality/points", params=cohort | {"plot": plot, "by": "group"}).json()
    assert data["of"] >= len(data["sample"]) > 0
    assert len(data["colours"]["values"]) == len(data["sample"]) == len(data["ringed"])
    assert not data["colours"]["numeric"]
    age = browser.get("/quality/points", params=cohort | {"plot": plot, "by": "age"}).json()
    assert age["colours"]["numeric"]


def test_distances_of_the_scaling_are_those_of_the_correlation(
    study_folder: Path, cohort: dict[str, str]
) -> None:
    output = OutputFolder(study_folder / "results")
    found = CohortQuality.read(output, cohort["trait"], cohort["cohort"])
    table = read_linked(output, cohort["trait"], cohort["cohort"])
    chosen = np.argsort(np.nanvar(table.expression, axis=0))[::-1][:5000]
    expected = np.corrcoef(table.expression[:, chosen])
    assert np.allclose(found.correlation, expected, atol=1e-3)
    assert np.allclose(found.mds.mean(axis=0), 0, atol=1e-8)
    assert np.allclose(found.quantiles[:, 2], np.nanmedian(table.expression, axis=1))


def test_a_change_in_the_sheet_is_seen_at_once(
    browser: Browser, cohort: dict[str, str], study_folder: Path
) -> None:
    place = {"trait": cohort["trait"], "series": cohort["cohort"]}
    sample = browser.get("/quality/points", params=cohort).json()["sample"][0]
    given = {"change": "exclude:yes", "version": "0", "sample": sample}
    assert browser.post("/samples/assign", params=place, data=given, headers=browser.own).is_success
    try:
        data = browser.get("/quality/points", params=cohort | {"by": "exclude"}).json()
        assert data["by"] == "exclude" and data["colours"]["values"].count("yes") == 1
    finally:
        (study_folder / "sheets" / place["trait"] / f"{place['series']}.csv").unlink()


@pytest.mark.parametrize("name", ["../x", "GSE0", "", "/etc/passwd", "cohort_info"])
def test_only_cohorts_of_the_folder_are_found(
    browser: Browser, cohort: dict[str, str], name: str
) -> None:
    for path in ("/quality", "/quality/points"):
        assert browser.get(path, params=cohort | {"cohort": name}).status_code == 404
    assert browser.get("/quality/points", params=cohort | {"plot": "x"}).status_code == 404


def test_numbers_are_a_scale_and_few_or_rare_values_are_levels() -> None:
    assert colours_of([str(i) for i in range(9)])["numeric"]
    assert colours_of(["1", "2", "1", ""])["levels"] == ["1", "2", "not recorded"]
    many = colours_of([f"a{i}" for i in range(40)])
    assert len(many["levels"]) == 12 and many["levels"][-1] == "other"
