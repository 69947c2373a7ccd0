"""`genotex report`, and pages that follow their result."""

import json
import shutil
from pathlib import Path

import pytest

from genotex.layout import OutputFolder
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz

from .conftest import Run, on_one_line


@pytest.fixture
def genotex(genotex: Run) -> Run:
    """Run the command line; standard error comes as one line."""
    return on_one_line(genotex)


@pytest.fixture
def solved(genotex: Run, tmp_path: Path) -> OutputFolder:
    write_asthma(tmp_path / "input", number=24)
    code, _, _ = genotex(
        "solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma", "--no-panel"
    )
    assert code == 0
    return OutputFolder(tmp_path / "o")


def files(folder: OutputFolder) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for name in ("regress", "report")
        for path in (folder.root / name).rglob("*.*")
    }


@pytest.mark.parametrize(
    "wrong", [("--covariates", "Agee"), ("--pair", "wrongkey")], ids=["covariate", "pair"]
)
def test_mistyped_option_leaves_page_table_and_result(
    genotex: Run, solved: OutputFolder, wrong: tuple[str, str]
) -> None:
    before = files(solved)
    source = solved.root.parent / "input"
    code, _, err = genotex("solve", source, solved.root, "--trait", "Asthma", *wrong)
    assert code == 2 and f"Asthma, GSE1: the cohort has no characteristic '{wrong[1]}'" in err
    assert files(solved) == before
    code, out, err = genotex("analyze", solved.root, "--trait", "Asthma", *wrong)
    assert code == 2 and wrong[1] in err and "results are in" not in err
    assert files(solved) == before
    code, out, _ = genotex("analyze", solved.root, "--trait", "Asthma", *wrong, "--json")
    assert code == 2 and json.loads(out)[0]["wrong_use"]


def test_unanswered_page_gives_the_reason_of_the_terminal(genotex: Run, tmp_path: Path) -> None:
    donors = [f"donor: D{i}" for i in range(24)]
    matrix = tmp_path / "input" / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    write_gz(matrix, series_matrix(characteristics=[*asthma(24), donors]))
    command = ("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma", "--pair", "donor")
    code, _, err = genotex(*command)
    page = OutputFolder(tmp_path / "o").report("Asthma", None).read_text()
    why = "Asthma, GSE1: the 24 samples compared cannot be blocked by"
    assert code == 1 and why in err and why in page


def test_report_draws_the_page_again_without_raw_files(genotex: Run, solved: OutputFolder) -> None:
    page = solved.report("Asthma", None)
    first = page.read_bytes()
    for path in (page, page.with_suffix(".csv")):
        path.unlink()
    shutil.rmtree(solved.root.parent / "input")
    code, out, _ = genotex("report", solved.root, "--trait", "Asthma")
    assert code == 0 and f"report: {page}" in out
    assert page.read_bytes() == first and page.with_suffix(".csv").is_file()
    code, out, _ = genotex("report", solved.root, "--trait", "Asthma", "--json")
    assert json.loads(out)["files"] == {"report": str(page)}


def test_report_of_what_was_not_analysed(genotex: Run, solved: OutputFolder) -> None:
    code, out, err = genotex("report", solved.root, "--trait", "Asthma", "--condition", "Age")
    assert code == 2 and "run analyze first" in err and out == ""
    code, _, err = genotex("report", solved.root / "absent", "--trait", "Asthma")
    assert code == 2 and "is not a folder" in err


def test_analyze_draws_a_page_again_where_one_stood(genotex: Run, solved: OutputFolder) -> None:
    page = solved.report("Asthma", None)
    command = ("analyze", solved.root, "--trait", "Asthma", "--no-panel")
    code, _, err = genotex(*command, "--covariates", "none")
    assert code == 0 and f"report updated: {page}" in err
    assert "Covariates</dt><dd>none" in page.read_text().replace("\n", "")
    page.unlink()
    code, _, err = genotex(*command)
    assert code == 0 and "report updated" not in err and not page.exists()


def test_analyze_draws_the_page_of_a_problem_that_lost_its_answer(
    genotex: Run, solved: OutputFolder
) -> None:
    info = json.loads(solved.cohort_info("Asthma").read_text())
    info["GSE1"]["is_usable"] = False
    solved.cohort_info("Asthma").write_text(json.dumps(info))
    code, out, _ = genotex("analyze", solved.root, "--trait", "Asthma", "--json")
    page = solved.report("Asthma", None)
    assert code == 1 and json.loads(out)[0]["report"] == str(page)
    text = page.read_text()
    why = json.loads(out)[0]["why"]
    assert why.startswith("no cohort fits Asthma: GSE1") and f"N{why[1:]}." in text
    assert not page.with_suffix(".csv").exists()


def test_both_pages_where_cohorts_were_combined(genotex: Run, tmp_path: Path) -> None:
    for cohort, number, first in (("GSE1", 30, 1), ("GSE2", 24, 101)):
        write_asthma(tmp_path / "input", cohort, number=number, first_sample=first)
    genotex("preprocess", tmp_path / "input", tmp_path / "o")
    code, _, _ = genotex("analyze", tmp_path / "o", "--cohorts", "all", "--no-panel")
    assert code == 0
    folder = OutputFolder(tmp_path / "o")
    folder.meta_report("Asthma", None).unlink()
    code, out, _ = genotex("report", folder.root, "--trait", "Asthma")
    assert code == 0 and "report over all cohorts: " in out
    assert folder.meta_report("Asthma", None).is_file() and folder.report("Asthma", None).is_file()


def test_mistyped_option_over_all_cohorts_leaves_everything_too(
    genotex: Run, solved: OutputFolder
) -> None:
    before = files(solved)
    source = solved.root.parent / "input"
    command = ("solve", source, solved.root, "--trait", "Asthma", "--cohorts", "all", "--json")
    code, out, _ = genotex(*command, "--covariates", "Agee")
    facts = json.loads(out)
    assert code == 2 and facts["wrong_use"] and facts["report"] is None
    assert files(solved) == before
