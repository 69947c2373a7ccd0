"""The section on gene sets, through real results."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from genotex.analysis import enrich_problem, read_enrichment, solve_problem, write_result
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_report
from genotex.words import number
from tests.html_tables import rows_of
from tests.reports.report_cohort import make_table
from tests.reports.test_report_writing import TRAIT, prepare

PROBLEM = Problem(TRAIT)


pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def solved(tmp_path: Path) -> OutputFolder:
    return prepare(tmp_path / "output", *make_table(genes=60))


def enrich(output: OutputFolder, path: Path, name: str = "FIRST_GENES") -> None:
    genes = solve_problem(output, PROBLEM, AnalysisOptions(panel=False)).genes["Variable"]
    lines = [[name, "https://example.org/<first>", *genes[:12]], ["LAST", "", *genes[-20:]]]
    path.write_text("".join("\t".join(line) + "\n" for line in lines))
    enrich_problem(output, PROBLEM, path)


def section(page: Path) -> str:
    found = re.search(r'<section id="gene-sets">.*?</section>', page.read_text(), re.S)
    return found.group() if found else ""


def test_no_section_before_sets_are_tested(solved: OutputFolder) -> None:
    page = write_report(solved, TRAIT, None)
    assert section(page) == "" and 'href="#gene-sets"' not in page.read_text()


def test_section_with_the_sets(solved: OutputFolder, tmp_path: Path) -> None:
    enrich(solved, tmp_path / "my.gmt")
    page = write_report(solved, TRAIT, None)
    text = section(page)
    assert 'href="#gene-sets"' in page.read_text()
    assert "2 gene sets of my.gmt with 10 to 500 tested genes." in text
    assert "FIRST GENES" in text and "&lt;first&gt;" in text
    assert f"regress/{TRAIT}/enrichment_condition_None.csv" in text
    for part in (
        "Changed more than the other genes (q &lt; 0.05, camera): 0 sets with genes higher",
        '<th scope="col" class="num">camera q</th>',
        "fry q decides which sets are significant.",
        "a description, which takes genes as independent",
    ):
        assert part in text


def test_each_q_of_a_set_is_below_the_name_of_its_test(
    solved: OutputFolder, tmp_path: Path
) -> None:
    enrich(solved, tmp_path / "my.gmt")
    found = read_enrichment(solved, TRAIT, None)
    assert found is not None
    text = section(write_report(solved, TRAIT, None))
    shown = {row["Gene set"]: row for row in rows_of(text)}
    for row in found.sets.iter_rows(named=True):
        of = shown[row["Gene Set"].replace("_", " ")]
        for label, column in (("camera q", "q"), ("fry q", "Fry q"), ("mixed q", "Mixed q")):
            assert of[label] == number(row[column], "p"), label
    assert (found.sets["Fry q"] != found.sets["Mixed q"]).any()


def test_sets_of_a_result_that_is_ranked_by_the_mixed_model(
    solved: OutputFolder, tmp_path: Path
) -> None:
    options = AnalysisOptions(panel=False, model="mixed")
    write_result(solved, solve_problem(solved, PROBLEM, options))
    enrich(solved, tmp_path / "my.gmt")
    page = write_report(solved, TRAIT, None)
    text = section(page)
    assert "camera" not in text and "The sets were not tested: the result is ranked by" in text
    assert "; they were not tested." in " ".join(page.read_text().split())


def test_methods_state_how_the_sets_were_tested(solved: OutputFolder, tmp_path: Path) -> None:
    enrich(solved, tmp_path / "my.gmt")
    record = read_enrichment(solved, TRAIT, None).record  # type: ignore[union-attr]
    listed = record["over_representation"]["significant_genes"]
    text = " ".join(write_report(solved, TRAIT, None).read_text().split())
    methods = re.search(r'<section id="methods">.*?</section>', text)
    assert methods is not None
    for part in (
        "Of the 2 gene sets in my.gmt, those with 10 to 500 tested genes (2) were tested on the "
        f"{record['tests']['genes']} tested genes with the design and weights of the analysis",
        "by camera, with the correlation between the genes of each set estimated",
        "sets with q &lt; 0.05 by fry (directional) were called significant",
        "normalised enrichment score along the moderated t",
        f"gseapy {version('gseapy')}, 1,000 random sets of each size, seed 42",
        f"their overlap with the {listed} significant genes",
    ):
        assert part in methods.group()


def test_names_from_the_file_are_escaped(solved: OutputFolder, tmp_path: Path) -> None:
    enrich(solved, tmp_path / "my.gmt", name="A <script>alert(1)</script>")
    text = write_report(solved, TRAIT, None).read_text()
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


def test_sets_of_another_result_are_not_shown(solved: OutputFolder, tmp_path: Path) -> None:
    enrich(solved, tmp_path / "my.gmt")
    options = AnalysisOptions(panel=False, trend=True)
    write_result(solved, solve_problem(solved, PROBLEM, options))
    assert section(write_report(solved, TRAIT, None)) == ""
