"""`genotex de`: own tables and a design to genes."""

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.genes import GeneTable
from genotex.layout import OutputFolder
from tests.geo_text import write_asthma

from .conftest import Run, on_one_line

# Those of today: a new one comes behind them.
COLUMNS = [
    "gene", "log2_fold_change", "ci_low", "ci_high", "mean", "t", "p", "q",
    "grade", "replication", "hedges_g", "hedges_g_ci_low", "hedges_g_ci_high",
]  # fmt: skip


@pytest.fixture
def genotex(genotex: Run) -> Run:
    """Run the command line; standard error comes as one line."""
    return on_one_line(genotex)


def write(folder: Path, name: str = "study", samples: int = 16, seed: int = 3) -> tuple[Path, Path]:
    """Write 150 genes, of which the first ten are higher in cases, and the samples."""
    rng = np.random.default_rng(seed)
    genes = sorted(GeneTable.load().official.values())[1000:1150]
    group = np.arange(samples) % 2
    values = rng.normal(8, 1, (len(genes), 1)) + rng.normal(0, 0.5, (len(genes), samples))
    values[:10] += 2 * group
    names = [f"{name}_{i}" for i in range(samples)]
    folder.mkdir(exist_ok=True)
    table, sheet = folder / f"{name}.csv", folder / f"{name}_samples.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["gene", *names])
        writer.writerows([gene, *map(str, row)] for gene, row in zip(genes, values, strict=True))
    with sheet.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "group", "age", "sex", "months", "died"])
        for i, sample in enumerate(names):
            word = "case" if group[i] else "control"
            sex = "female" if i % 3 else "male"
            months = float(rng.exponential(20 - 12 * group[i])) + 0.5
            writer.writerow([sample, word, 40 + 3 * (i % 7), sex, round(months, 1), i % 4 > 0])
    return table, sheet


DESIGN = ("--design", "~ group + age", "--contrast", "group: case - control")


@pytest.mark.everyday
def test_tables_and_a_design_become_genes_records_and_a_report(
    genotex: Run, tmp_path: Path
) -> None:
    table, sheet = write(tmp_path)

    code, out, err = genotex("de", table, sheet, tmp_path / "o", *DESIGN)

    assert code == 0
    genes = pl.read_csv(tmp_path / "o" / "genes.csv")
    assert genes.columns[: len(COLUMNS)] == COLUMNS
    assert genes["q"].head(10).max() < 0.05
    assert "8 cases against 8 controls" in " ".join(out.split())
    assert "group: case - control in ~ group + age" in out
    assert "16 by column 'sample'" in err or "matched 16 exactly" in err
    assert (tmp_path / "o" / "report" / "group_case_vs_control_condition_None.html").is_file()


def test_several_contrasts_give_a_file_each(genotex: Run, tmp_path: Path) -> None:
    table, sheet = write(tmp_path)

    code, out, _ = genotex(
        "de", table, sheet, tmp_path / "o", *DESIGN, "--contrast", "age", "--json"
    )

    assert code == 0
    rows = json.loads(out)["contrasts"]
    assert [Path(row["genes.csv"]).name for row in rows] == ["genes.csv", "genes_age.csv"]
    columns = [name.replace("hedges_g", "partial_r") for name in COLUMNS]
    assert pl.read_csv(tmp_path / "o" / "genes_age.csv").columns[: len(columns)] == columns


def test_the_result_can_be_analysed_again_and_gives_gene_sets(genotex: Run, tmp_path: Path) -> None:
    table, sheet = write(tmp_path)
    first = pl.read_csv(table)["gene"].head(10).to_list()
    sets = tmp_path / "sets.gmt"
    sets.write_text("up\tx\t" + "\t".join(first) + "\n")
    genotex("de", table, sheet, tmp_path / "o", *DESIGN, "--trait", "Disease")

    code, out, _ = genotex("enrich", tmp_path / "o", "--trait", "Disease", "--gmt", sets)
    assert code == 0 and "up" in out

    before = pl.read_csv(tmp_path / "o" / "genes.csv")
    code, out, _ = genotex("analyze", tmp_path / "o", "--trait", "Disease", "--json")
    assert code == 0
    again = pl.read_parquet(OutputFolder(tmp_path / "o").all_genes("Disease", None))
    assert again["p"].head(10).to_list() == before["p"].head(10).to_list()


def test_own_tables_and_a_geo_series_are_combined(genotex: Run, tmp_path: Path) -> None:
    write_asthma(tmp_path / "input", number=24)
    assert genotex("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma")[0] == 0
    linked = pl.read_csv(tmp_path / "o" / "preprocess" / "Asthma" / "GSE1.csv")
    genes = [name for name in linked.columns if name not in ("", "Asthma", "Age", "Gender")]
    rng = np.random.default_rng(1)
    table, sheet = tmp_path / "own.csv", tmp_path / "own_samples.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["gene", *(f"P{i}" for i in range(14))])
        for gene in genes:
            writer.writerow([gene, *map(str, rng.normal(8, 1, 14))])
    sheet.write_text(
        "sample,group\n" + "".join(f"P{i},{'case' if i % 2 else 'control'}\n" for i in range(14))
    )

    code, out, _ = genotex(
        "de", table, sheet, tmp_path / "o", "--trait", "Asthma", "--cohort", "own",
        "--design", "~ group", "--contrast", "group: case - control", "--cohorts", "all",
    )  # fmt: skip

    assert code == 0
    assert "2 cohorts together (GSE1, own)" in " ".join(out.split())


def test_time_to_event(genotex: Run, tmp_path: Path) -> None:
    table, sheet = write(tmp_path, samples=40)

    code, out, _ = genotex(
        "de", table, sheet, tmp_path / "o", "--survival", "months,died", "--design", "~ age"
    )

    assert code == 0
    genes = pl.read_csv(tmp_path / "o" / "genes.csv")
    assert genes.columns[:5] == ["gene", "log_hazard_ratio", "ci_low", "ci_high", "hazard_ratio"]
    first = set(pl.read_csv(table)["gene"].head(10))
    assert len(first & set(genes["gene"].head(10))) >= 8
    assert "40 samples, 30 events" in " ".join(out.split())
    page = (tmp_path / "o" / "survival.html").read_text(encoding="utf-8")
    assert "40 samples, 30 events" in page and str(tmp_path) not in page
    assert all(f'<th scope="row">{gene}</th>' in page for gene in genes["gene"].head(10))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--design", "~ group"), "a design and a contrast are needed"),
        (("--design", "~ grup", "--contrast", "grup: case - control"), "perhaps 'group'"),
        (("--design", "~ group", "--contrast", "group: cases - control"), "perhaps 'case'"),
        ((*DESIGN, "--order", "group"), "write 'stage: I < II < III'"),
        ((*DESIGN, "--block", "patient"), "no column 'patient' to block on"),
        (("--survival", "months"), "names no two columns"),
        (("--survival", "months,dead"), "'dead', which is not a column"),
        (("--survival", "months,group"), "values other than 0 and 1: 'control'"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_written(
    genotex: Run, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    table, sheet = write(tmp_path)

    code, _, err = genotex("de", table, sheet, tmp_path / "o", *options)

    assert code != 0
    assert words in err
    assert not (tmp_path / "o").exists()


def test_an_earlier_result_stays_when_a_later_design_is_wrong(genotex: Run, tmp_path: Path) -> None:
    table, sheet = write(tmp_path)
    genotex("de", table, sheet, tmp_path / "o", *DESIGN)
    before = (tmp_path / "o" / "genes.csv").read_bytes()

    code, _, _ = genotex(
        "de", table, sheet, tmp_path / "o", "--design", "~ group + sex:sex + nope",
        "--contrast", "group: case - control",
    )  # fmt: skip

    assert code != 0
    assert (tmp_path / "o" / "genes.csv").read_bytes() == before


def test_the_tables_are_not_read_again_for_the_r_script(
    genotex: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("genotex.analysis.designs.files.read_linked", refused)
    code, _, err = genotex("de", *write(tmp_path), tmp_path / "o", *DESIGN)
    assert code == 0, err
    assert (tmp_path / "o" / "analysis.R").is_file()


def test_solve_writes_the_r_script_where_asked(genotex: Run, tmp_path: Path) -> None:
    write_asthma(tmp_path / "input", number=20)
    asked = ("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma", "--no-panel")
    code, _, err = genotex(*asked)
    assert code == 0, err
    assert not list((tmp_path / "o").glob("*.R"))

    code, out, err = genotex(*asked, "--r-script")

    assert code == 0, err
    script = (tmp_path / "o" / "analysis.R").read_text()
    assert "# Contrast: group: case - control" in script and " for Asthma in GSE" in script
    genes = pl.read_csv(tmp_path / "o" / "genes.csv")
    assert genes.columns[: len(COLUMNS)] == COLUMNS and genes["p"].is_sorted()
    assert pl.read_csv(tmp_path / "o" / "design.csv").columns[0] == "sample"
    assert f"in R:   {tmp_path / 'o' / 'analysis.R'}" in out

    code, out, err = genotex(*asked, "--r-script", "--test", "mixed", "--json")
    assert code == 0 and json.loads(out)["analysis.R"] is None and "mixed model" in err
