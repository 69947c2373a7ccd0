import gzip
import json
import sys
from pathlib import Path

import polars as pl
import pytest

from genotex.analysis import AnalysisOptions, analyze_table, write_result
from genotex.layout import OutputFolder
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups
from tests.geo_text import write_asthma

from .conftest import Run


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "output"
    table = two_groups(genes=120, changed=15)
    result = analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(panel=False))
    write_result(OutputFolder(folder), result)
    return folder


@pytest.fixture
def gmt(tmp_path: Path) -> Path:
    path = tmp_path / "sets.gmt.gz"
    changed = "\t".join(f"GENE{i}" for i in range(12))
    rest = "\t".join(f"GENE{i}" for i in range(40, 70))
    path.write_bytes(gzip.compress(f"CHANGED\t\t{changed}\nREST\t\t{rest}\n".encode()))
    return path


def test_table_and_files(genotex: Run, output: Path, gmt: Path) -> None:
    code, out, err = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    assert code == 0
    assert "2 of 2 gene sets have 10 to 500 tested genes" in out
    assert "1 higher, 0 lower with Asthma" in out
    assert out.index("CHANGED") < out.index("REST")
    assert "Wu and Smyth 2012" in " ".join(err.split())
    table = output / "regress" / "Asthma" / "enrichment_condition_None.csv"
    assert pl.read_csv(table)["Gene Set"].to_list() == ["CHANGED", "REST"]
    assert str(table) in out and table.with_suffix(".json").is_file()
    assert not [p for p in output.rglob("*") if p.name.endswith(".part")]


def test_json_for_machines(genotex: Run, output: Path, gmt: Path) -> None:
    code, out, _ = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt, "--json")
    facts = json.loads(out)
    assert code == 0 and facts["significant"] == {"up": 1, "down": 0, "over_represented": 1}
    assert [row["Gene Set"] for row in facts["significant_sets"]] == ["CHANGED"]
    assert facts["options"]["seed"] == 42 and "report" not in facts["files"]


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


def test_gseapy_missing(
    genotex: Run, output: Path, gmt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gseapy", None)
    code, _, err = genotex("enrich", output, "--trait", "Asthma", "--gmt", gmt)
    assert code == 2 and "pip install 'genotex[enrichment]'" in " ".join(err.split())


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
