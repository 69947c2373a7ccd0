import gzip
import json
import sys
from pathlib import Path

import polars as pl
import pytest

from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.simulate import simulate_study
from tests.analysis.cohort_tables import two_groups
from tests.analysis.stored_cohorts import solve_stored, store
from tests.geo_text import write_asthma

from .conftest import Run


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = OutputFolder(tmp_path / "output")
    store(folder, "GSE1", two_groups(genes=120, changed=15, shift=1.5))
    solve_stored(folder, Problem("Asthma"), AnalysisOptions(panel=False))
    return folder.root


@pytest.fixture
def gmt(tmp_path: Path) -> Path:
    path = tmp_path / "sets.gmt.gz"
    changed = "\t".join(f"GENE{i}" for i in range(12))
    rest = "\t".join(f"GENE{i}" for i in range(40, 70))
    path.write_bytes(gzip.compress(f"CHANGED\t\t{changed}\nREST\t\t{rest}\n".encode()))
    return path


def test_table_and_files(genotex: Run, output: Path, gmt: Path) -> None:
    code, out, err = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    assert code == 0 and err == ""
    assert "2 of 2 gene sets have 10 to 500 tested genes" in out
    question = "fry (decides), does a set change at all, in one direction? q < 0.05"
    assert f"{question}: 1 higher, 0 lower with Asthma" in out
    assert "camera, does a set change more than the other genes? q < 0.05: 1 higher, 0" in out
    assert "fry-mixed, does a set change at all, in either? q < 0.05: 1\n" in out
    assert out.index("CHANGED") < out.index("REST")
    table = output / "regress" / "Asthma" / "enrichment_condition_None.csv"
    assert pl.read_csv(table)["Gene Set"].to_list() == ["CHANGED", "REST"]
    assert str(table) in out and table.with_suffix(".json").is_file()
    assert not [p for p in output.rglob("*") if p.name.endswith(".part")]


def test_columns_of_the_table(genotex: Run, output: Path, gmt: Path) -> None:
    genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    table = output / "regress" / "Asthma" / "enrichment_condition_None.csv"
    assert table.read_text().splitlines()[0].split(",") == [
        *("Gene Set", "Description", "Genes", "Tested Genes"),
        *("Shift", "Direction", "Inter-gene Correlation", "p", "q"),
        *("Fry Direction", "Fry p", "Fry q", "Mixed p", "Mixed q"),
        *("Enrichment Score", "Normalised Score", "Leading Edge"),
        *("Significant Genes", "Expected", "Overlap", "Overlap p", "Overlap q"),
    ]


def test_json_for_machines(genotex: Run, output: Path, gmt: Path) -> None:
    code, out, _ = genotex(
        "enrich", output, "--trait", "Asthma", "--gmt", gmt, "--test", "camera", "--json"
    )
    facts = json.loads(out)
    one = {"up": 1, "down": 0}
    assert code == 0 and facts["significant"] == {"camera": one, "fry": one, "fry-mixed": 1}
    assert [row["Gene Set"] for row in facts["significant_sets"]] == ["CHANGED"]
    assert facts["options"]["test"] == "camera" and "report" not in facts["files"]


def test_planted_sets_of_a_simulated_study(genotex: Run, tmp_path: Path) -> None:
    """Planted genes change in either direction: all of them together, and those that rise."""
    study = simulate_study(tmp_path / "input", seed=1, samples=40, genes=400)
    truth, output = json.loads(study.truth_file.read_text()), tmp_path / "output"
    trait = truth["trait"]
    code, _, _ = genotex("preprocess", study.folder, output, "--trait", trait)
    assert code == 0
    assert genotex("analyze", output, "--trait", trait, "--no-panel")[0] == 0
    result = json.loads(OutputFolder(output).significant_genes(trait, None).read_text())
    effects = truth["cohorts"][result["cohort"]["id"]]["effects"]
    genes = OutputFolder(output).all_genes(trait, None)
    rest = sorted(set(pl.read_parquet(genes)["Variable"]) - set(effects))
    sets = {
        "PLANTED": list(effects),
        "RISING": [gene for gene, effect in effects.items() if effect > 0],
        **{f"REST{i}": rest[i::12] for i in range(12)},
    }
    gmt = tmp_path / "sets.gmt"
    gmt.write_text("".join("\t".join([name, "", *sets[name]]) + "\n" for name in sets))
    arguments = ("enrich", output, "--trait", trait, "--gmt", gmt, "--min-size", 5, "--json")
    found = {
        test: [row["Gene Set"] for row in json.loads(out)["significant_sets"]]
        for test in ("camera", "fry", "fry-mixed")
        for _, out, _ in [genotex(*arguments, "--test", test)]
    }
    assert found["camera"] == found["fry"] == ["RISING"]
    assert found["fry-mixed"][:2] == ["PLANTED", "RISING"]


def test_mistakes_end_in_a_message(genotex: Run, output: Path, gmt: Path, tmp_path: Path) -> None:
    wrong = {
        ("--trait", "Asthma", "--gmt", tmp_path / "none.gmt"): "cannot be read",
        ("--trait", "Obesity", "--gmt", gmt): "run analyze first",
        ("--trait", "Asthma", "--gmt", gmt, "--min-size", 40, "--max-size", 50): "none of the 2",
        ("--trait", "Asthma", "--gmt", gmt, "--min-size", 9, "--max-size", 5): "no set has",
    }
    for arguments, words in wrong.items():
        code, out, err = genotex("enrich", output, *arguments)
        assert code == 2 and words in " ".join(err.split()) and out == ""
    code, _, err = genotex("enrich", tmp_path / "no", "--trait", "Asthma", "--gmt", gmt)
    assert code == 2 and "is not a folder" in err


def test_changed_table_asks_for_a_new_analysis(genotex: Run, output: Path, gmt: Path) -> None:
    store(OutputFolder(output), "GSE1", two_groups(genes=120, changed=15, seed=3))
    code, out, err = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    assert code == 2 and out == ""
    assert "Asthma, GSE1: the analysis cannot be repeated" in " ".join(err.split())
    assert "run analyze again" in " ".join(err.split())
    assert not (output / "regress" / "Asthma" / "enrichment_condition_None.csv").exists()


def test_without_gseapy_the_sets_are_tested(
    genotex: Run, output: Path, gmt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gseapy", None)
    code, out, err = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    assert code == 0 and "1 higher, 0 lower with Asthma" in out and "score" not in out
    assert "pip install 'genotex[enrichment]'" in " ".join(err.split())


def test_missing_values_are_stated(genotex: Run, tmp_path: Path, gmt: Path) -> None:
    table = two_groups(genes=120, changed=15)
    table.expression[0, 50] = float("nan")
    folder = OutputFolder(tmp_path / "gaps")
    store(folder, "GSE1", table)
    solve_stored(folder, Problem("Asthma"), AnalysisOptions(panel=False))
    code, _, err = genotex("enrich", folder.root, "--trait", "Asthma", "--gmt", gmt)
    assert code == 0 and "1 tested gene has missing values" in " ".join(err.split())


@pytest.mark.everyday
def test_report_page_that_is_there_is_written_again(genotex: Run, tmp_path: Path) -> None:
    write_asthma(tmp_path / "input", number=24)
    output = tmp_path / "output"
    genotex("solve", tmp_path / "input", output, "--trait", "Asthma")
    page = output / "report" / "Asthma_condition_None.html"
    assert 'id="gene-sets"' not in page.read_text()
    genes = pl.read_csv(page.with_suffix(".csv"))["gene"].to_list()
    gmt = tmp_path / "sets.gmt"
    gmt.write_text("\t".join(["SOME", "", *genes[:12]]) + "\n")
    code, out, _ = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    assert code == 0 and f"report: {page}" in out
    assert 'id="gene-sets"' in page.read_text()


def test_sets_are_described_along_results_of_deseq2(
    genotex: Run, tmp_path: Path, gmt: Path
) -> None:
    rows = ["gene,baseMean,log2FoldChange,lfcSE,stat,pvalue,padj"]
    for i in range(90):
        stat, p = (5 + i / 10, 1e-4) if i < 12 else ((i - 50) / 40, 0.5)
        rows.append(f"GENE{i},100,{stat / 2},0.5,{stat},{p},{p}")
    table = tmp_path / "deseq2.csv"
    table.write_text("\n".join(rows))
    code, _, err = genotex("enrich", table, "--trait", "Asthma", "--gmt", gmt)
    assert code == 0
    assert "The sets were not tested: the expression of the cohort was not given." in err
    sets = pl.read_csv(tmp_path / "deseq2_gene_sets.csv")
    assert sets["Gene Set"].to_list() == ["CHANGED", "REST"]
    assert sets["Significant Genes"].to_list() == [12, 0]
    assert sets["p"].null_count() == 2
