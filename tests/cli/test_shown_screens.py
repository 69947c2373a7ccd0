"""Numbers on the screen are below the name that the JSON and the files of a command give them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from genotex.analysis import gene_stories, read_meta
from genotex.layout import OutputFolder
from tests.analysis.meta.cohort_folder import groups, put_cohort
from tests.atlas.conftest import ASTHMA
from tests.atlas.result_folders import GENES
from tests.cli.answer_folders import write_three
from tests.cli.conftest import Run
from tests.cli.test_atlas import atlas
from tests.cli.test_bench_leaderboard import runs
from tests.cli.test_de import DESIGN
from tests.cli.test_de import write as write_tables
from tests.html_tables import table_with
from tests.shown import agrees

__all__ = ["atlas", "runs"]


def tables_on(screen: str) -> list[list[dict[str, str]]]:
    """Return the tables of a screen: below each header, its cells by name."""
    tables = []
    for block in re.split(r"\n\s*\n", screen):
        lines = [re.split(r" {2,}", line.strip()) for line in block.strip().splitlines()]
        # A title stands above some, a sentence below others.
        start = next((i for i, cells in enumerate(lines) if len(cells) > 1), len(lines))
        head, *rows = lines[start:] or [[]]
        while rows and len(rows[-1]) == 1:
            rows.pop()
        if rows and all(len(row) == len(head) for row in rows):
            tables.append([dict(zip(head, row, strict=True)) for row in rows])
    return tables


def assert_listed(rows: list[dict[str, str]], stored: list[dict[str, Any]]) -> None:
    """Check that rows are the first of the stored ones, each cell under the name of its value."""
    assert rows and len(rows) <= len(stored)
    for row, values in zip(rows, stored, strict=False):
        for name, text in row.items():
            wanted = values[name.replace(" ", "_")]
            assert text == "-" if wanted is None else agrees(text, wanted), (name, text, wanted)


@pytest.mark.parametrize(
    ("words", "lists"),
    [
        (("gene", GENES[1]), ("traits", "cohorts")),
        (("trait", "asthma"), ("cohorts", "genes")),
        (("similar", "--genes", "up.txt", "--down", "down.txt"), ("traits", "cohorts")),
        (("traits",), ("pairs",)),
    ],
    ids=lambda value: value[0],
)
def test_tables_of_an_atlas(
    atlas: Path, tmp_path: Path, genotex: Run, words: tuple[str, ...], lists: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name, sign in (("up.txt", 1), ("down.txt", -1)):
        Path(name).write_text("\n".join(g for g, size in ASTHMA.items() if sign * size > 0))
    code, screen, _ = genotex("atlas", *words, "-a", atlas)
    stored = json.loads(genotex("atlas", *words, "-a", atlas, "--json")[1])
    tables = tables_on(screen)
    assert code == 0 and len(tables) == len(lists)
    for rows, name in zip(tables, lists, strict=True):
        assert len(rows) == min(20, len(stored[name])), name
        assert_listed(rows, stored[name])


def test_first_genes_of_a_design_are_those_of_its_file(genotex: Run, tmp_path: Path) -> None:
    code, screen, _ = genotex("de", *write_tables(tmp_path), tmp_path / "o", *DESIGN)
    genes = pl.read_csv(tmp_path / "o" / "genes.csv").rename({"log2_fold_change": "effect"})
    (rows,) = tables_on(screen)
    assert code == 0 and len(rows) == 10
    assert_listed(rows, genes.to_dicts())
    hits = genes.filter(pl.col("q") < 0.05).height
    assert f"{hits} of {genes['p'].count()} genes significant" in screen


def test_hazard_ratios_have_their_own_interval(genotex: Run, tmp_path: Path) -> None:
    asked = ("--survival", "months,died")
    code, screen, _ = genotex("de", *write_tables(tmp_path), tmp_path / "o", *asked)
    genes = pl.read_csv(tmp_path / "o" / "genes.csv")
    ratios = genes.with_columns(pl.col("ci_low", "ci_high").exp())
    (rows,) = tables_on(screen)
    assert code == 0 and len(rows) == 10
    assert_listed(rows, ratios.to_dicts())
    samples = pl.read_csv(tmp_path / "study_samples.csv")
    events = samples["died"].sum()
    assert f"{samples.height} samples, {events} events" in screen


NAMES = {
    "success (%)": "success", "precision (%)": "precision", "recall (%)": "recall",
    "F1 (%)": "f1", "AUROC": "auroc", "AUPRC": "auprc", "GSEA ES": "gsea_es",
    "trait accuracy (%)": "trait_accuracy", "trait F1 (%)": "trait_f1",
}  # fmt: skip

ALSO = {
    "ES within list": "gsea_es_within", "trait R2": "trait_r2", "genes predicted": "predicted",
    "genes in reference": "reference", "interaction F1 (%)": "interaction_f1",
}  # fmt: skip


def number(text: str) -> str:
    """Return a number without the interval behind it."""
    return text.split(" (")[0]


def test_compared_runs_and_their_differences(genotex: Run, tmp_path: Path) -> None:
    reference, half, one = write_three(tmp_path)
    given = ("compare", half, one, "-r", reference, "-t", "analysis")
    code, screen, _ = genotex(*given)
    stored = json.loads(genotex(*given, "--json")[1])
    averages, differences = tables_on(screen)
    averaged = {run["name"]: run["average"]["analysis"] for run in stored["runs"]}
    averaged["mean of runs"] = stored["mean"]["average"]["analysis"]
    assert code == 0 and {row["figure"] for row in averages[1:]} == {*NAMES}
    for row in averages[1:]:
        for name, found in averaged.items():
            wanted = found.get(NAMES[row["figure"]])
            assert row[name] == "-" if wanted is None else agrees(number(row[name]), wanted), row
    of_one = stored["differences"]["one"]["analysis"]
    for row in differences:
        found = of_one[NAMES[row["figure"]]]
        for header in ("difference", "p", "compared", "left out"):
            wanted, text = found[header.replace(" ", "_")], row[header]
            assert text == "-" if wanted is None else agrees(text, wanted), (row, header)
        if found["difference"] is not None:
            ends = found.get("interval") or [found["ci_low"], found["ci_high"]]
            assert agrees(row["95 % interval"], *ends), row


def test_averages_of_an_evaluation(genotex: Run, tmp_path: Path) -> None:
    reference, half, _ = write_three(tmp_path)
    given = ("evaluate", "-p", half, "-r", reference, "-t", "analysis")
    code, screen, _ = genotex(*given)
    stored = json.loads(genotex(*given, "--json")[1])
    tables = [table for table in tables_on(screen) if "average" in table[0]]
    found = stored["average"]["analysis"]
    assert code == 0 and tables
    for row in tables[0]:
        wanted = found.get((NAMES | ALSO)[next(iter(row.values()))])
        text = number(row["average"])
        assert text == "-" if wanted is None else agrees(text, wanted), row


@pytest.mark.parametrize("cohorts", [2, 3])
def test_genes_of_one_cohort_and_of_all(genotex: Run, tmp_path: Path, cohorts: int) -> None:
    output = OutputFolder(tmp_path / "output")
    for number_ in range(1, cohorts + 1):
        put_cohort(output, f"GSE{number_}", groups(number_, 24))
    asked = ("--trait", "Asthma", "--cohorts", "all", "--no-panel")
    code, screen, _ = genotex("analyze", output.root, *asked)
    (table,) = output.significant_genes("Asthma", None).parent.glob("all_genes_*None.parquet")
    one = pl.read_parquet(table).rename(
        {
            "Variable": "gene",
            "Coefficient": "effect",
            "Grade": "grade",
            "Replication": "replication",
        }
    )
    every = pl.read_parquet(output.meta_table("Asthma", None)).rename(
        {"Variable": "gene", "Combined Effect": "effect", "Random p": "strict_p",
         "Replication q": "replication_q", "Replication": "next_cohort"}
    )  # fmt: skip
    first, combined = tables_on(screen)
    assert code == 0
    assert_listed(first, one.to_dicts())
    stored = every.to_dicts()
    for row, values in zip(combined, stored, strict=False):
        assert agrees(row.pop("95 % interval"), values["CI Lower"], values["CI Upper"])
        assert row.pop("replicates") == ("yes" if values["Replicates"] else "no")
    assert ("strict p" in combined[0]) == (cohorts == 3)
    assert_listed(combined, stored)
    significant, replicating = (int(every[name].sum()) for name in ("Significant", "Replicates"))
    words = f"{replicating} of {every.height} genes replicate, {significant} are significant at q <"
    assert words in screen
    stories = gene_stories(read_meta(output, "Asthma", None))[:5]
    for gene, story in zip(every["gene"][:5], stories, strict=True):
        assert f"{gene}: {story}" in screen


def test_the_ranking_of_a_leaderboard_is_that_of_its_files(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    reference, half, one = runs
    site = tmp_path / "site"
    code, _, _ = genotex("bench", "leaderboard", one, half, "-r", reference, "-o", site)
    stored = {
        row["run"]: row for row in json.loads((site / "leaderboard.json").read_text())["runs"]
    }
    rows = table_with((site / "index.html").read_text(), "cost per problem ($)")
    assert code == 0 and [row["run"].split(" (")[0] for row in rows] == ["half", "one"]
    for row in rows:
        found = stored[row["run"].split(" (")[0]]
        for name, text in row.items():
            if name == "run":
                continue
            if name == "cost per problem ($)":
                wanted = found["cost_per_problem"]
                assert text == "unknown" if wanted is None else agrees(text, wanted)
                continue
            key = NAMES[name]
            value, *interval = text.rstrip(")").split(" (")
            assert value == "-" if found[key] is None else agrees(value, found[key]), (row, name)
            if interval:
                low, high = re.split(" to |, ", interval[0])
                assert agrees(low, found[f"{key}_low"]) and agrees(high, found[f"{key}_high"])
    written = pl.read_csv(site / "leaderboard.csv").rows_by_key("run", named=True, unique=True)
    for name, line in written.items():
        for key, value in line.items():
            if isinstance(stored[name].get(key), float):
                assert value == pytest.approx(stored[name][key]), (name, key)
