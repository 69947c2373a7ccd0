"""`genotex audit`: folders, series and tables to a page and a verdict."""

import json
import shutil
from pathlib import Path

import pytest

from genotex.layout import InputFolder
from tests.geo_text import write_asthma
from tests.tcga_text import STUDIES, write_melanoma

from .conftest import Run, on_one_line
from .test_de import write


@pytest.fixture
def genotex(genotex: Run) -> Run:
    """Run the command line; standard error comes as one line."""
    return on_one_line(genotex)


def test_a_folder_of_tables_is_audited_and_a_page_written(genotex: Run, tmp_path: Path) -> None:
    write(tmp_path / "tables")
    page = tmp_path / "audit.html"
    code, out, _ = genotex("audit", tmp_path / "tables", "-o", page)
    assert code == 0
    assert "study" in out
    assert "verdict: " in out
    html = page.read_text()
    assert "Audit of study" in html
    assert "Sex by expression" in html


def test_dates_in_a_table_end_with_exit_code_1_and_the_cell(genotex: Run, tmp_path: Path) -> None:
    table, sheet = write(tmp_path)
    lines = table.read_text().splitlines()
    name, first, *rest = lines[5].split(",")
    del first
    lines[5] = ",".join([name, "5-Nov", *rest])
    table.write_text("\n".join(lines) + "\n")
    code, out, _ = genotex("audit", table, sheet, "--json", "-o", tmp_path / "a.html")
    record = json.loads(out)
    assert code == 1
    assert record["verdict"] == "do not use"
    checks = {check["check"]: check for check in record["cohorts"][0]["checks"]}
    assert f"'5-Nov' ({name}, study_0)" in checks["cells"]["findings"][0]["seen"]


def test_a_folder_of_series_is_audited_by_accession(genotex: Run, tmp_path: Path) -> None:
    write_asthma(tmp_path)
    write_asthma(tmp_path, "GSE2", first_sample=50)
    asked = ("--cohort", "GSE2", "--json", "-o", tmp_path / "a.html")
    _, out, _ = genotex("audit", tmp_path, *asked)
    (found,) = json.loads(out)["cohorts"]
    assert found["cohort"] == "GSE2"
    assert found["facts"]["Groups"].startswith("6 cases against 6")
    folder = InputFolder(tmp_path).geo_cohorts("Asthma")[0].folder
    _, alone, _ = genotex("audit", folder, "--json", "-o", tmp_path / "b.html")
    assert json.loads(alone)["cohorts"][0]["cohort"] == "GSE1"


def test_a_table_that_cannot_be_read_is_a_finding(genotex: Run, tmp_path: Path) -> None:
    table, sheet = tmp_path / "values.csv", tmp_path / "values_samples.csv"
    table.write_text("gene,a,b\n")
    sheet.write_text("sample,group\na,case\nb,control\n")
    code, out, _ = genotex("audit", tmp_path, "-o", tmp_path / "a.html")
    assert code == 1
    assert "It cannot be read" in out
    assert "no rows" in out


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("GSE123456", "genotex fetch geo GSE123456"),
        ("nowhere", "does not exist; give a folder"),
        (".", "holds no cohort to audit"),
    ],
)
def test_a_place_without_cohorts_says_what_to_give(
    genotex: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = genotex("audit", place)
    assert code == 2
    assert words in err


def test_an_unknown_column_of_groups_is_refused_with_those_there_are(
    genotex: Run, tmp_path: Path
) -> None:
    table, sheet = write(tmp_path)
    page = tmp_path / "a.html"
    code, _, err = genotex("audit", table, sheet, "--group", "dose", "-o", page)
    assert (code, page.exists()) == (2, False)
    assert "--group dose: the sample table has sample, group" in err


def test_a_mistyped_sample_table_is_refused_without_a_page(genotex: Run, tmp_path: Path) -> None:
    table, _ = write(tmp_path)
    page = tmp_path / "a.html"
    code, _, err = genotex("audit", table, tmp_path / "sampels.csv", "-o", page)
    assert (code, page.exists()) == (2, False)
    assert "sampels.csv does not exist" in err


def test_tcga_studies_are_audited_by_the_names_of_their_folders(
    genotex: Run, tmp_path: Path
) -> None:
    write_melanoma(tmp_path)
    _, out, _ = genotex("audit", tmp_path, "--json", "-o", tmp_path / "a.html")
    found = json.loads(out)["cohorts"]
    assert [each["cohort"] for each in found] == list(STUDIES)
    assert found[0]["facts"]["Groups"].startswith("12 cases against 12")


def test_preprocessed_cohorts_are_audited_from_the_output_folder(
    genotex: Run, tmp_path: Path
) -> None:
    write_asthma(tmp_path / "input", number=24)
    genotex("preprocess", tmp_path / "input", tmp_path / "out")
    _, out, _ = genotex("audit", tmp_path / "out", "--json", "-o", tmp_path / "a.html")
    (found,) = json.loads(out)["cohorts"]
    assert found["cohort"] == "GSE1"
    assert "by Asthma" in found["facts"]["Groups"]


def test_a_series_of_two_traits_is_audited_for_either(genotex: Run, tmp_path: Path) -> None:
    write_asthma(tmp_path)
    shutil.copytree(tmp_path / "GEO/Asthma", tmp_path / "GEO/Hay_fever")
    for trait in ("Asthma", "hay fever"):
        _, out, _ = genotex(
            "audit", tmp_path, "--trait", trait, "--json", "-o", tmp_path / "a.html"
        )
        assert [each["cohort"] for each in json.loads(out)["cohorts"]] == ["GSE1"]
