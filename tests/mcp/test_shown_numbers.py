"""Numbers that an assistant is told are those of the results, under their names."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("mcp", reason="the server needs genotex[mcp]")

from genotex.analysis import solve_problems
from genotex.layout import OutputFolder
from genotex.mcp import ConfinedFolder, GeneEntry, Tools
from genotex.options import AnalysisOptions
from genotex.problems import Problem

TRAIT = "Simulated_Arthritis"
NAMES = (f"one:{TRAIT}", f"two:{TRAIT}")


@pytest.fixture(scope="module")
def both_folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two analyses of a cohort that find different genes."""
    folder = tmp_path_factory.mktemp("both")
    for name in ("one", "two"):
        shutil.copytree(study_folder / "results" / "preprocess", folder / name / "preprocess")
    plain = AnalysisOptions(panel=False, covariates=(), hidden="none", q_cut=0.2)
    solve_problems(OutputFolder(folder / "one"), [Problem(TRAIT)], AnalysisOptions(panel=False))
    solve_problems(OutputFolder(folder / "two"), [Problem(TRAIT)], plain)
    return folder


@pytest.fixture
def tools(both_folder: Path) -> Tools:
    return Tools(ConfinedFolder(both_folder))


@pytest.fixture
def stored(both_folder: Path) -> dict[str, pl.DataFrame]:
    """Return all genes of both analyses, as their files hold them."""
    found = {}
    for name in NAMES:
        output = OutputFolder(both_folder / name.split(":")[0])
        folder = output.significant_genes(TRAIT, None).parent
        found[name] = pl.read_parquet(folder / "all_genes_condition_None.parquet")
    return found


def assert_told(entry: GeneEntry, genes: pl.DataFrame) -> None:
    row = genes.with_row_index("rank", 1).filter(pl.col("Variable") == entry.gene)
    wanted = row.row(0, named=True)
    for told, name in ((entry.effect, "Coefficient"), (entry.p, "p"), (entry.q, "q")):
        assert told == pytest.approx(wanted[name], rel=1e-3), (entry, name)
    assert entry.significant == wanted["Significant"] and entry.of == genes.height
    assert entry.rank == wanted["rank"]


def test_first_genes_and_counts_of_an_analysis(
    tools: Tools, stored: dict[str, pl.DataFrame]
) -> None:
    for name, genes in stored.items():
        answer = tools.summary(name, 7)
        assert [e.gene for e in answer.first_genes] == genes["Variable"].head(7).to_list()
        for entry in answer.first_genes:
            assert_told(entry, genes)
        assert answer.analysis is not None
        tested = genes.filter(pl.col("Status") == "tested").height
        told = (answer.analysis.tested, answer.analysis.significant)
        assert told == (tested, int(genes["Significant"].sum()))


def test_a_gene_in_each_analysis(tools: Tools, stored: dict[str, pl.DataFrame]) -> None:
    genes = stored[NAMES[0]]["Variable"]
    for place in (0, 17, 200):
        answer = tools.gene(genes[place].lower(), [])
        assert {entry.analysis for entry in answer.found} == {*NAMES}
        for entry in answer.found:
            assert entry.gene == genes[place]
            assert_told(entry, stored[entry.analysis])


def test_a_gene_is_found_by_an_alias_and_nonsense_is_no_gene(tools: Tools) -> None:
    assert tools.gene("IL8", []).official == "CXCL8"
    nonsense = tools.gene("IL8x", [])
    assert (nonsense.official, nonsense.found) == (None, [])


def test_two_analyses_side_by_side(tools: Tools, stored: dict[str, pl.DataFrame]) -> None:
    one, two = stored.values()
    answer = tools.comparison(*NAMES, 20)
    both = one.join(two, on="Variable", suffix=" 2")
    first, second = both["Significant"], both["Significant 2"]
    assert (first & ~second).sum() != (~first & second).sum()
    same = both["Coefficient"] * both["Coefficient 2"] > 0
    told = (answer.genes_in_both, answer.significant_in_both, answer.significant_in_first_only,
            answer.significant_in_second_only, answer.same_direction)  # fmt: skip
    assert told == (
        both.height, (first & second).sum(), (first & ~second).sum(), (~first & second).sum(),
        (first & second & same).sum(),
    )  # fmt: skip
    rows = both.rows_by_key("Variable", named=True, unique=True)
    for entry in answer.first_genes:
        row = rows[entry.gene]
        for value, name in (
            (entry.effect_first, "Coefficient"), (entry.effect_second, "Coefficient 2"),
            (entry.q_first, "q"), (entry.q_second, "q 2"),
        ):  # fmt: skip
            assert value == pytest.approx(row[name], rel=1e-3), name
        where = {(True, True): "both", (True, False): "first only", (False, True): "second only"}
        assert entry.significant_in == where[row["Significant"], row["Significant 2"]]
        aligned = row["Coefficient"] * row["Coefficient 2"] > 0
        assert entry.direction == ("same" if aligned else "opposite")
