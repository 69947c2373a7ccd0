"""RNA-seq cohorts on the command line: from simulated files to the page."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, on_one_line
from tests.geo_text import write_asthma
from tests.rna_seq_text import SEQUENCING

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


@pytest.mark.everyday
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


def write_tpm(root: Path, low: float) -> None:
    """Write an RNA-seq cohort of Asthma whose matrix holds TPM, its weak genes at `low`."""
    values = [[low if i % 3 else 4 + i for i in range(24)]] * 12
    values += [
        [90 + 7 * ((i * 7 + j * 3) % 5) + 40 * (i % 2) for i in range(24)] for j in range(18)
    ]
    write_asthma(root / "input", number=24, values=values, series_type=SEQUENCING)


def test_zeros_that_were_kept_are_noted_on_screen_and_page(genotex: Run, tmp_path: Path) -> None:
    write_tpm(tmp_path, low=0.0)
    results = tmp_path / "results"
    run = on_one_line(genotex)
    code, _, err = run("preprocess", tmp_path / "input", results)
    note = (
        "note Asthma/GSE1: zeros are kept as measurements (26.7 % of the values): log2(value + 4)"
    )
    assert code == 0 and note in err and "warning" not in err
    code, out, err = run("solve", tmp_path / "input", results, "--trait", "Asthma")
    assert code == 0 and note in err
    # The others are zero in more samples than the smaller group leaves.
    assert "of 18 genes significant" in out
    page = (results / "report" / "Asthma_condition_None.html").read_text()
    assert "where zeros are measurements; they were transformed to log2(value + 4)." in page
    assert "Offset of the logarithm" in page


def test_losses_are_warnings_on_screen_in_json_and_on_the_page(
    genotex: Run, tmp_path: Path
) -> None:
    write_tpm(tmp_path, low=-1.0)
    results = tmp_path / "results"
    run = on_one_line(genotex)
    told = "12 genes missing in more than 20 % of samples dropped"
    why = "192 values at or below 0 have no logarithm and count as missing"
    for command in ("preprocess", "solve"):
        code, _, err = run(command, tmp_path / "input", results, "--trait", "Asthma")
        assert code == 0 and f"warning Asthma/GSE1: {told}; {why}" in err
    _, out, _ = run("preprocess", tmp_path / "input", results, "--json")
    assert json.loads(out)[0]["warnings"] == [told, why]
    page = (results / "report" / "Asthma_condition_None.html").read_text()
    assert told in page.partition('<section id="warnings">')[2].partition("</section>")[0]
