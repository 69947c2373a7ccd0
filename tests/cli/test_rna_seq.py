"""RNA-seq cohorts on the command line: from simulated files to the page."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, on_one_line

COHORT, TRAIT = "GSE90000007", "Simulated_Arthritis"
COUNTS = f"GEO/{TRAIT}/{COHORT}/{COHORT}_raw_counts_GRCh38.p13_NCBI.tsv.gz"


@pytest.fixture
def study(genotex: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    code, out, _ = genotex(
        "simulate", folder, "--rna-seq", "--samples", 24, "--genes", 400, "--seed", 4
    )
    assert code == 0 and "8 cohorts" in out
    return folder


def test_counted_cohort_from_files_to_page(genotex: Run, study: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    code, out, _ = on_one_line(genotex)(
        "solve", study, results, "--trait", TRAIT, "--cohort", COHORT
    )
    assert code == 0
    assert "RNA-seq counts, TMM, voom weights:" in out
    assert "genes left out for few counts" in out and "million reads a library." in out
    page = (results / "report" / f"{TRAIT}_condition_None.html").read_text()
    assert "RNA-seq counts, TMM, voom weights" in page
    record = json.loads(
        (results / "regress" / TRAIT / "significant_genes_condition_None.json").read_text()
    )
    assert record["method"]["counts"]["weights"] == "voom"


def test_empty_matrix_without_counts_says_what_to_do(
    genotex: Run, study: Path, tmp_path: Path
) -> None:
    (study / COUNTS).unlink()
    results = tmp_path / "results"
    run = on_one_line(genotex)
    _, out, err = run("preprocess", study, results, "--trait", TRAIT, "--cohort", COHORT)
    told = out + err
    assert "'genotex fetch geo'" in told and "_raw_counts_GRCh38.p13_NCBI.tsv.gz" in told
    code, out, err = run("solve", study, results, "--trait", TRAIT, "--cohort", COHORT)
    assert code != 0
    assert "'genotex fetch geo'" in out + err


def test_world_has_no_such_cohort(genotex: Run, tmp_path: Path) -> None:
    code, _, err = on_one_line(genotex)("simulate", tmp_path / "world", "--world", "--rna-seq")
    assert code == 2 and "--rna-seq" in err
    assert list(tmp_path.iterdir()) == []


def test_analyze_marks_the_counted_cohort(genotex: Run, study: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    run = on_one_line(genotex)
    assert run("preprocess", study, results, "--trait", TRAIT, "--cohort", COHORT)[0] == 0
    code, out, err = run("analyze", results, "--trait", TRAIT)
    assert code == 0 and "RNA-seq counts, TMM, voom weights:" in out + err
    (row,) = json.loads(genotex("analyze", results, "--trait", TRAIT, "--json")[1])
    assert row["counts"].startswith("RNA-seq counts, TMM, voom weights:")
