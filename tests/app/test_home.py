"""What the first page finds in a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from genotex.app import Access, plainly
from genotex.errors import UsageError
from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder
from genotex.studies import Workspace
from tests.app.conftest import Browser, opened
from tests.html_tables import table_with
from tests.shown import agrees


def test_inputs_cohorts_and_analyses_are_listed(browser: Browser, place: dict[str, str]) -> None:
    page = browser.get("/").text
    trait = place["trait"].replace("_", " ")
    assert trait in page and "GSE" in page and "/genes?output=results" in page
    assert "/report?output=results" in page


def test_an_analysis_is_listed_with_its_numbers(
    browser: Browser, study_folder: Path, place: dict[str, str]
) -> None:
    output = OutputFolder(study_folder / "results")
    folder = output.significant_genes(place["trait"], None).parent
    genes = pl.read_parquet(folder / "all_genes_condition_None.parquet")
    page = browser.get("/").text
    (row,) = table_with(page, "Trait", "Significant", "Tested")
    assert agrees(row["Trait"], place["trait"]) and row["Condition"] == ""
    assert agrees(row["Significant"], int(genes["Significant"].sum()))
    assert agrees(row["Tested"], genes.filter(pl.col("Status") == "tested").height)
    assert row["Folder"] == "results" and row["Report"].split() == ["report"]
    stored = read_cohort_info(output.cohort_info(place["trait"]))
    for line in table_with(page, "Cohort", "Usable", "Samples"):
        info = stored[line["Cohort"].removesuffix(": sample quality")]
        assert line["Samples"] == str(info.sample_size or "")
        shown = (line["Usable"] == "yes", line["Age"] == "yes", line["Sex"] == "yes")
        assert shown == (info.is_usable, bool(info.has_age), bool(info.has_gender))


def test_the_folder_may_be_an_output_folder_itself(study_folder: Path) -> None:
    (output,) = Workspace(study_folder / "results").outputs()
    assert output.name == "." and len(output.analyses) == 1


def test_a_result_that_is_damaged_is_named_and_the_others_are_shown(tmp_path: Path) -> None:
    folder = tmp_path / "regress" / "Gout"
    folder.mkdir(parents=True)
    (folder / "significant_genes_condition_None.json").write_text("{", encoding="utf-8")
    (output,) = Workspace(tmp_path).outputs()
    assert output.analyses == () and "significant_genes" in output.problems[0]


def test_two_hundred_series_are_listed(tmp_path: Path, access: Access) -> None:
    for number in range(200):
        (tmp_path / "GEO" / "Gout" / f"GSE{number}").mkdir(parents=True)
    with opened(tmp_path, access) as browser:
        assert browser.get("/").text.count("GSE") >= 200


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(json.dumps({}), encoding="utf-8")
    with pytest.raises(UsageError, match="is not a folder"):
        Workspace(path)


def test_an_empty_folder_says_what_this_is_and_offers_a_demonstration_and_data(
    tmp_path: Path, access: Access
) -> None:
    with opened(tmp_path, access) as browser:
        page = browser.get("/").text
        others = [browser.get(path).text for path in ("/add", "/analysis", "/atlas")]
    assert "finds the genes whose expression differs between groups of samples" in page
    for action in ("/add/demo", "/add/fetch", "/add/plan", "/add/series", "/add/tables"):
        assert f'hx-post="{action}"' in page
    assert "Drop files here" in page
    for text in (page, *others):
        shown = re.sub(r"<[^>]*>", " ", text)
        assert "--" not in shown and not re.search(r"genotex (fetch|solve|de|atlas) ", shown)


def test_options_of_commands_have_the_labels_of_forms_on_pages() -> None:
    assert plainly("--controls all takes every control; --pair 'x'") == (
        "\u2018Compared with\u2019 all takes every control; \u2018Same person\u2019 'x'"
    )
