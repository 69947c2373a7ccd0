"""A column that someone declares in the gene table is on every surface, without another change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import genotex as gx
from genotex.analysis import GENE_TABLE, GeneColumn, TableLevel
from genotex.app import Access
from genotex.cli import main
from genotex.simulate import simulate_study
from tests.app.conftest import PORT, opened

NEWCOMER = GeneColumn(
    "Ratio", pl.Float64, "change", "ratio", "ratio", "change as a ratio of expression", "plain",
    level=TableLevel.SHORT, derived=pl.lit(2.0) ** pl.col("Coefficient"),
)  # fmt: skip


@pytest.fixture(scope="module")
def declared() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("genotex.analysis.results.columns.GENE_TABLE", (*GENE_TABLE, NEWCOMER))
        yield


def run(*words: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["genotex", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
    assert not left.value.code


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory, declared: None) -> Path:
    """Return a folder with the results of `solve` and of `de`."""
    root = tmp_path_factory.mktemp("column")
    study = simulate_study(root / "input", genes=400, samples=24, seed=3)
    run("solve", root / "input", root / "results", "--trait", study.truth.trait, "--r-script",
        "--no-panel")  # fmt: skip
    evidence = next((root / "results" / "preprocess").glob("*/gene_data/*.csv"))
    samples = pl.read_csv(evidence, n_rows=1).columns[1:]
    sheet = pl.DataFrame({"sample": samples, "group": ["case", "control"] * (len(samples) // 2)})
    sheet.write_csv(root / "samples.csv")
    run("de", evidence, root / "samples.csv", root / "own", "--design", "~ group",
        "--contrast", "group: case - control")  # fmt: skip
    return root


def ratio_of(table: pl.DataFrame) -> None:
    """Check that a table has the column, and that it says what was declared."""
    known = table.filter(pl.col("log2_fold_change").is_not_null())
    assert known.height
    assert (known["ratio"] / 2 ** known["log2_fold_change"] - 1).abs().max() < 1e-9


def test_it_is_in_genes_csv_of_solve_and_of_de(solved: Path) -> None:
    (of_solve,) = (solved / "results").rglob("genes.csv")
    for path in (of_solve, solved / "own" / "genes.csv"):
        ratio_of(pl.read_csv(path))


def test_it_is_in_the_report(solved: Path) -> None:
    for page in (*(solved / "results" / "report").glob("*.html"),
                 *(solved / "own" / "report").glob("*.html")):  # fmt: skip
        if page.stem.endswith("_cohorts"):
            continue
        ratio_of(pl.read_csv(page.with_suffix(".csv")))
        assert NEWCOMER.help in page.read_text()


def test_it_is_in_the_table_of_the_workbench(solved: Path) -> None:
    (trait,) = (path.name for path in (solved / "results" / "regress").iterdir())
    place = {"output": "results", "trait": trait, "condition": ""}
    with opened(solved, Access(PORT)) as browser:
        assert NEWCOMER.help in browser.get("/genes/table", params=place).text
        ratio_of(pl.read_csv(browser.get("/genes.csv", params=place).content))


def test_it_is_in_python(solved: Path, tmp_path: Path) -> None:
    table = next((solved / "results" / "preprocess").glob("*/gene_data/*.csv"))
    found = gx.de(
        gx.read_tables(table, solved / "samples.csv"),
        design="~ group", contrast="group: case - control",
    )  # fmt: skip
    for frame in (found.table, found.genes):
        plain = frame.reset_index().drop(columns="grade", errors="ignore")
        ratio_of(pl.DataFrame(plain.to_dict("list"), nan_to_null=True))
    assert "ratio" in found.to_anndata().var.columns
    ratio_of(pl.read_excel(found.to_excel(tmp_path / "genes.xlsx"), engine="openpyxl"))
