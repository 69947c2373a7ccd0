import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import false_discovery_control

from genotex.analysis import (
    AnalysisResult,
    GeneSet,
    TraitEffects,
    enrich,
    enrich_problem,
    read_enrichment,
    read_result,
    read_trait_effects,
)
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.formats import LinkedTable
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, EnrichmentOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups
from tests.analysis.stored_cohorts import solve_stored, store

PROBLEM = Problem("Asthma")
FAST = AnalysisOptions(panel=False)
CHANGED = 30
GENES = 600


def cohort() -> LinkedTable:
    """The first genes higher in cases, the next ones lower."""
    table = two_groups(genes=GENES, changed=CHANGED, shift=1.5)
    table.expression[1::2, CHANGED : 2 * CHANGED] -= 1.5
    return table


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    """A cohort and its result; tests do not change them."""
    output = OutputFolder(tmp_path_factory.mktemp("output"))
    store(output, "GSE1", cohort())
    solve_stored(output, PROBLEM, FAST)
    return output


@pytest.fixture(scope="module")
def result(output: OutputFolder) -> AnalysisResult:
    return read_result(output, "Asthma", None)


@pytest.fixture(scope="module")
def effects(output: OutputFolder, result: AnalysisResult) -> TraitEffects:
    return read_trait_effects(output, result)


def sets(seed: int = 0) -> list[GeneSet]:
    rng = np.random.default_rng(seed)

    def some(among: range, count: int) -> list[int]:
        return rng.choice(among, count, replace=False).tolist()

    chosen = {
        "HIGHER": [*some(range(CHANGED), 18), *some(range(100, GENES), 6)],
        "LOWER": [*some(range(CHANGED, 2 * CHANGED), 18), *some(range(100, GENES), 6)],
        **{f"RANDOM{i}": some(range(2 * CHANGED, GENES), 24) for i in range(40)},
    }
    return [GeneSet(name, "", tuple(f"GENE{i}" for i in places)) for name, places in chosen.items()]


def test_planted_sets_are_found_and_random_ones_are_not(
    result: AnalysisResult, effects: TraitEffects
) -> None:
    found = enrich(result, sets(), effects=effects)
    by_name = {row["Gene Set"]: row for row in found.sets.to_dicts()}
    assert set(found.sets["Gene Set"].head(2)) == {"HIGHER", "LOWER"}
    for name, direction in (("HIGHER", "up"), ("LOWER", "down")):
        row = by_name[name]
        assert row["Direction"] == row["Fry Direction"] == direction
        assert max(row["q"], row["Fry q"], row["Mixed q"]) < 0.05
        assert np.sign(row["Normalised Score"]) == (1 if direction == "up" else -1)
        assert row["Significant Genes"] > 5 * row["Expected"]
    random = found.sets.filter(pl.col("Gene Set").str.starts_with("RANDOM"))
    for q in ("q", "Fry q", "Mixed q"):
        assert random[q].min() > 0.05
    both = {"up": 1, "down": 1}
    assert found.record["significant"] == {"camera": both, "fry": both, "fry-mixed": 2}
    assert found.significant["Gene Set"].sort().to_list() == ["HIGHER", "LOWER"]
    assert found.record["notes"] == [] and found.record["not_tested"] == ""


def test_genes_that_rise_and_fall_together_do_not_make_a_finding(tmp_path: Path) -> None:
    """One factor moves the genes of a set, and differs between the groups by chance (t = 1.5)."""
    rng = np.random.default_rng(7)
    table = two_groups(genes=GENES, changed=0)
    factor, case = rng.normal(size=24), table.trait_values == 1
    for group in (case, ~case):
        factor[group] = (factor[group] - factor[group].mean()) / factor[group].std(ddof=1)
    table.expression[:, :40] += 1.5 * (factor + 0.6 * case)[:, None]
    output = OutputFolder(tmp_path)
    store(output, "GSE1", table)
    found = solve_stored(output, PROBLEM, replace(FAST, hidden="none"))
    together = GeneSet("TOGETHER", "", tuple(f"GENE{i}" for i in range(40)))
    done = enrich(found, [together, *sets()[2:]], effects=read_trait_effects(output, found))
    row = done.sets.row(by_predicate=pl.col("Gene Set") == "TOGETHER", named=True)
    assert row["Inter-gene Correlation"] > 0.4
    assert row["q"] > 0.05
    assert abs(row["Normalised Score"]) > 2, "what genes taken as independent would give"


def test_the_other_test_may_decide(result: AnalysisResult, effects: TraitEffects) -> None:
    options = EnrichmentOptions(test="camera", q_cut=0.2)
    found = enrich(result, sets(), options, effects)
    p = found.sets["p"].to_list()
    assert p == sorted(p)
    assert found.significant.equals(found.sets.filter(pl.col("q") < 0.2))


def test_sets_that_change_come_first_by_how_much_more_than_others(
    result: AnalysisResult, effects: TraitEffects
) -> None:
    found = enrich(result, sets(), EnrichmentOptions(q_cut=0.9), effects).sets
    changed = found["Fry q"] < 0.9
    assert changed.any() and not changed.all()
    assert changed.to_list() == sorted(changed, reverse=True)
    for part in (changed, ~changed):
        assert found.filter(part)["Shift"].abs().is_sorted(descending=True)


def test_q_values_and_overlap(result: AnalysisResult, effects: TraitEffects) -> None:
    found = enrich(result, sets(), effects=effects).sets
    tested = set(result.genes.filter(pl.col("Status") == "tested")["Variable"])
    listed = set(result.significant["Variable"])
    for row, gene_set in zip(
        found.sort("Gene Set").to_dicts(), sorted(sets(), key=lambda s: s.name), strict=True
    ):
        both = set(gene_set.genes) & listed
        assert row["Tested Genes"] == len(set(gene_set.genes) & tested)
        assert row["Significant Genes"] == len(both) and set(row["Overlap"].split()) == both
        expected = row["Tested Genes"] * len(listed) / len(tested)
        assert row["Expected"] == pytest.approx(expected, rel=1e-9)
    for name in ("", "Fry ", "Mixed ", "Overlap "):
        p, q = f"{name}p", f"{name}q"
        assert found[q].to_numpy() == pytest.approx(false_discovery_control(found[p]), rel=1e-9)


def test_leading_genes_are_those_of_the_ranking(
    result: AnalysisResult, effects: TraitEffects
) -> None:
    (row,) = (
        enrich(result, sets(), effects=effects)
        .sets.filter(pl.col("Gene Set") == "LOWER")
        .to_dicts()
    )
    order = result.genes.drop_nulls("t").sort("t")["Variable"].to_list()
    leading = [order.index(gene) for gene in row["Leading Edge"].split()]
    assert leading == sorted(leading), "the lowest t first"
    assert len(leading) >= 12


def test_same_seed_same_answer(result: AnalysisResult, effects: TraitEffects) -> None:
    first, again = (enrich(result, sets(), effects=effects).sets for _ in range(2))
    assert first.equals(again)


def test_tests_need_no_gseapy(
    result: AnalysisResult, effects: TraitEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_scores = enrich(result, sets(), effects=effects)
    monkeypatch.setitem(sys.modules, "gseapy", None)
    found = enrich(result, sets(), effects=effects)
    assert found.record["ranking"] is None
    assert any("pip install 'genotex[enrichment]'" in note for note in found.record["notes"])
    scores = ["Enrichment Score", "Normalised Score", "Leading Edge"]
    assert all(found.sets[name].null_count() == found.sets.height for name in scores)
    assert found.sets.drop(scores).equals(with_scores.sets.drop(scores))


def test_genes_with_missing_values_are_left_out_and_counted(tmp_path: Path) -> None:
    table = cohort()
    table.expression[2, 5:9] = np.nan
    output = OutputFolder(tmp_path)
    store(output, "GSE1", table)
    found = solve_stored(output, PROBLEM, FAST)
    gmt = tmp_path / "sets.gmt"
    genes = [f"GENE{i}" for i in range(CHANGED)]
    gmt.write_text("\t".join(["FIRST", "", *genes]) + "\n")
    done = enrich_problem(output, PROBLEM, gmt)
    tested = set(found.genes.filter(pl.col("Status") == "tested")["Variable"])
    gaps = {f"GENE{i}" for i in range(5, 9)}
    assert done.record["tests"]["genes"] == len(tested - gaps)
    assert done.record["tests"]["genes_with_missing_values"] == len(gaps)
    assert done.sets["Tested Genes"].item() == len((set(genes) & tested) - gaps)
    assert any("4 tested genes have missing values" in n for n in done.record["notes"])


def test_ranking_by_the_mixed_model_is_only_described(output: OutputFolder, gmt: Path) -> None:
    solved = OutputFolder(gmt.parent / "mixed")
    store(solved, "GSE1", cohort())
    solve_stored(solved, PROBLEM, replace(FAST, model="mixed"))
    found = enrich_problem(solved, PROBLEM, gmt)
    assert found.record["tests"] is None and found.record["ranking"]["column"] == "Mixed t"
    assert "ranked by the mixed model" in found.record["not_tested"]
    assert any("--test moderated" in note for note in found.record["notes"])
    assert found.sets["q"].null_count() == found.sets.height
    assert found.significant.is_empty() and found.record["significant"] == {}
    assert set(found.sets["Gene Set"].head(2)) == {"HIGHER", "LOWER"}


def test_levels_as_a_factor_are_only_described(gmt: Path) -> None:
    table = cohort()
    levels = np.arange(24) % 3
    table.expression[:, :CHANGED] += levels[:, None]
    solved = OutputFolder(gmt.parent / "levels")
    store(solved, "GSE1", replace(table, trait_values=levels.astype(float)))
    solve_stored(solved, PROBLEM, replace(FAST, levels="factor"))
    found = enrich_problem(solved, PROBLEM, gmt)
    assert found.record["tests"] is None and found.record["ranking"] is None
    assert "F statistic of differences among levels" in found.record["not_tested"]
    solve_stored(solved, PROBLEM, replace(FAST, levels="ordered"))
    assert enrich_problem(solved, PROBLEM, gmt).record["tests"] is not None


def test_both_models_are_tested_by_the_one_that_ranks(gmt: Path) -> None:
    solved = OutputFolder(gmt.parent / "all")
    store(solved, "GSE1", cohort())
    solve_stored(solved, PROBLEM, replace(FAST, model="all"))
    assert enrich_problem(solved, PROBLEM, gmt).significant.height == 2


def benchmark(result: AnalysisResult) -> AnalysisResult:
    status = pl.when(pl.col("Significant")).then(pl.lit("selected")).otherwise(
        pl.lit("not selected")
    )  # fmt: skip
    genes = result.genes.with_columns(status.alias("Status"), pl.lit(None, pl.Float64).alias("t"))
    return replace(result, genes=genes, method={**result.method, "procedure": "benchmark"})


def test_benchmark_result_is_only_described_and_needs_no_gseapy(
    result: AnalysisResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gseapy", None)
    found = enrich(benchmark(result), sets())
    assert found.record["ranking"] is None and found.record["tests"] is None
    assert any("procedure 'benchmark' selects genes" in note for note in found.record["notes"])
    assert found.sets["q"].null_count() == found.sets.height
    assert set(found.sets["Gene Set"].head(2)) == {"HIGHER", "LOWER"}
    assert found.significant.is_empty()


def test_result_without_its_expression_is_only_described(result: AnalysisResult) -> None:
    found = enrich(result, sets())
    assert "expression of the cohort was not given" in found.record["not_tested"]
    assert found.significant.is_empty() and found.sets["Normalised Score"].null_count() == 0


def test_no_significant_gene(result: AnalysisResult, effects: TraitEffects) -> None:
    none = replace(result, genes=result.genes.with_columns(Significant=pl.lit(False)))
    found = enrich(none, sets(), effects=effects)
    assert found.record["over_representation"] is None
    assert found.sets["Overlap"].null_count() == found.sets.height
    assert any("no overlap to show" in note for note in found.record["notes"])
    assert found.significant.height == 2
    with pytest.raises(AnalysisError, match="no gene is significant and none is ranked"):
        enrich(benchmark(none), sets())


def test_genes_twice_and_infinite_statistics_are_defined(result: AnalysisResult) -> None:
    odd = result.genes.with_columns(
        pl.when(pl.col("Variable") == "GENE0").then(float("inf")).otherwise(pl.col("t")).alias("t")
    )
    doubled = replace(result, genes=pl.concat([odd, odd.head(5)]))
    found = enrich(doubled, sets())
    assert found.record["ranking"]["genes"] == (result.genes["Status"] == "tested").sum()
    assert found.sets["Normalised Score"].null_count() == 0


def test_many_tied_genes_are_noted(result: AnalysisResult, effects: TraitEffects) -> None:
    tied = replace(result, genes=result.genes.with_columns(pl.col("t").round(0)))
    notes = enrich(tied, sets(), effects=effects).record["notes"]
    assert any("share their place" in note for note in notes)


def test_few_known_genes_are_noted(result: AnalysisResult, effects: TraitEffects) -> None:
    stranger = GeneSet("STRANGE", "", tuple(f"OTHER{i}" for i in range(5000)))
    notes = enrich(result, [*sets(), stranger], effects=effects).record["notes"]
    assert any(re.search(r"Only \d+ of the 5,\d+ genes .* by other names", note) for note in notes)


@pytest.mark.parametrize(
    "wrong",
    [
        {"q_cut": 0.0},
        {"min_size": 0},
        {"min_size": 20, "max_size": 10},
        {"permutations": 10},
        {"seed": -1},
        {"test": "prerank"},
    ],
)
def test_options_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        EnrichmentOptions(**wrong)


@pytest.fixture
def solved(tmp_path: Path, output: OutputFolder) -> OutputFolder:
    """A copy of the output folder, to write gene sets into."""
    shutil.copytree(output.root, tmp_path / "output")
    return OutputFolder(tmp_path / "output")


@pytest.fixture
def gmt(tmp_path: Path) -> Path:
    path = tmp_path / "sets.gmt"
    lines = ["\t".join([s.name, 'a, "quoted" description', *s.genes]) for s in sets()]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_files_are_read_back_as_they_were_written(solved: OutputFolder, gmt: Path) -> None:
    found = enrich_problem(solved, PROBLEM, gmt)
    back = read_enrichment(solved, "Asthma", None)
    assert back is not None and back.record == found.record
    assert back.sets.equals(found.sets)
    content = json.loads(solved.enrichment("Asthma", None).read_text())
    assert content["gene_sets"]["file"] == "sets.gmt" and len(content["gene_sets"]["sha256"]) == 64
    assert content["versions"]["gseapy"]


def test_null_and_empty_cells_survive(solved: OutputFolder, gmt: Path) -> None:
    enrich_problem(solved, PROBLEM, gmt)
    back = read_enrichment(solved, "Asthma", None)
    assert back is not None
    empty = back.sets.filter(pl.col("Significant Genes") == 0)["Overlap"]
    assert len(empty) and (empty == "").all()


def test_another_result_has_no_gene_sets(solved: OutputFolder, gmt: Path) -> None:
    assert read_enrichment(solved, "Asthma", None) is None
    enrich_problem(solved, PROBLEM, gmt)
    solve_stored(solved, PROBLEM, replace(FAST, trend=True))
    assert read_enrichment(solved, "Asthma", None) is None


def test_files_that_are_no_pair(solved: OutputFolder, gmt: Path) -> None:
    enrich_problem(solved, PROBLEM, gmt)
    path = solved.enrichment("Asthma", None)
    table = path.with_suffix(".csv")
    table.write_text(table.read_text().replace("HIGHER", "HIGHEST"))
    with pytest.raises(FormatError, match=r"digests differ.*run enrich again"):
        read_enrichment(solved, "Asthma", None)
    table.unlink()
    with pytest.raises(FormatError, match="cannot be read"):
        read_enrichment(solved, "Asthma", None)
    path.write_text("{}")
    with pytest.raises(FormatError, match="not written by genotex"):
        read_enrichment(solved, "Asthma", None)
    path.write_text("{")
    with pytest.raises(FormatError, match="not valid JSON"):
        read_enrichment(solved, "Asthma", None)


def test_files_of_an_earlier_version_are_made_again(solved: OutputFolder, gmt: Path) -> None:
    enrich_problem(solved, PROBLEM, gmt)
    path = solved.enrichment("Asthma", None)
    old = {name: value for name, value in json.loads(path.read_text()).items() if name != "tests"}
    path.write_text(json.dumps(old))
    with pytest.raises(FormatError, match=r"earlier version of genotex.*run enrich again"):
        read_enrichment(solved, "Asthma", None)
    enrich_problem(solved, PROBLEM, gmt)
    assert read_enrichment(solved, "Asthma", None) is not None


def test_table_that_changed_leaves_no_files(solved: OutputFolder, gmt: Path) -> None:
    table = cohort()
    table.expression[0, 0] += 1.0
    store(solved, "GSE1", table)
    with pytest.raises(AnalysisError, match="run analyze again"):
        enrich_problem(solved, PROBLEM, gmt)
    assert not solved.enrichment("Asthma", None).exists()


def test_problem_that_was_not_analysed(tmp_path: Path, gmt: Path) -> None:
    with pytest.raises(AnalysisError, match="run analyze first"):
        enrich_problem(OutputFolder(tmp_path), PROBLEM, gmt)


def test_a_failed_try_leaves_the_earlier_files(
    solved: OutputFolder, gmt: Path, tmp_path: Path
) -> None:
    enrich_problem(solved, PROBLEM, gmt)
    before = solved.enrichment("Asthma", None).read_bytes()
    numbers = tmp_path / "entrez.gmt"
    numbers.write_text("A\t\t" + "\t".join(map(str, range(1000, 1020))) + "\n")
    with pytest.raises(AnalysisError, match="Entrez"):
        enrich_problem(solved, PROBLEM, numbers)
    assert solved.enrichment("Asthma", None).read_bytes() == before
