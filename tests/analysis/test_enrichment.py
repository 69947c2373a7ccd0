import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import false_discovery_control, hypergeom

from genotex.analysis import (
    AnalysisOptions,
    AnalysisResult,
    EnrichmentOptions,
    analyze_table,
    enrich,
    enrich_problem,
    read_enrichment,
    write_result,
)
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.formats import GeneSet
from genotex.layout import OutputFolder
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups

PROBLEM = Problem("Asthma")
CHANGED = 30
GENES = 600


def solve(**changes: Any) -> AnalysisResult:
    """The first genes higher in cases, the next ones lower."""
    table = two_groups(genes=GENES, changed=CHANGED)
    table.expression[1::2, CHANGED : 2 * CHANGED] -= 3.0
    return analyze_table(table, {}, PROBLEM, AnalysisOptions(panel=False, **changes))


@pytest.fixture(scope="module")
def result() -> AnalysisResult:
    return solve()


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


def test_planted_sets_are_found_and_random_ones_are_not(result: AnalysisResult) -> None:
    found = enrich(result, sets())
    by_name = {row["Gene Set"]: row for row in found.sets.to_dicts()}
    assert set(found.sets["Gene Set"].head(2)) == {"HIGHER", "LOWER"}
    assert by_name["HIGHER"]["Normalised Score"] > 1.5 and by_name["HIGHER"]["q"] < 0.05
    assert by_name["LOWER"]["Normalised Score"] < -1.5 and by_name["LOWER"]["q"] < 0.05
    assert found.sets.filter(pl.col("Gene Set").str.starts_with("RANDOM"))["q"].min() > 0.05
    assert found.record["significant"] == {"up": 1, "down": 1, "over_represented": 2}
    assert found.significant["Gene Set"].sort().to_list() == ["HIGHER", "LOWER"]


def test_numbers_of_over_representation(result: AnalysisResult) -> None:
    found = enrich(result, sets()).sets
    tested = set(result.genes.filter(pl.col("Status") == "tested")["Variable"])
    listed = set(result.significant["Variable"])
    for row, gene_set in zip(
        found.sort("Gene Set").to_dicts(), sorted(sets(), key=lambda s: s.name), strict=True
    ):
        both = set(gene_set.genes) & listed
        assert row["Tested Genes"] == len(set(gene_set.genes) & tested)
        assert row["Significant Genes"] == len(both) and set(row["Overlap"].split()) == both
        p = hypergeom.sf(len(both) - 1, len(tested), row["Tested Genes"], len(listed))
        assert row["Over-representation p"] == pytest.approx(min(p, 1), rel=1e-9)
    for p, q in (("p", "q"), ("Over-representation p", "Over-representation q")):
        assert found[q].to_numpy() == pytest.approx(false_discovery_control(found[p]), rel=1e-9)


def test_leading_genes_are_those_of_the_ranking(result: AnalysisResult) -> None:
    (row,) = enrich(result, sets()).sets.filter(pl.col("Gene Set") == "LOWER").to_dicts()
    order = result.genes.drop_nulls("t").sort("t")["Variable"].to_list()
    leading = [order.index(gene) for gene in row["Leading Edge"].split()]
    assert leading == sorted(leading), "the lowest t first"
    assert len(leading) >= 12


def test_same_seed_same_answer(result: AnalysisResult) -> None:
    assert enrich(result, sets()).sets.equals(enrich(result, sets()).sets)


def test_ranking_by_the_mixed_model(result: AnalysisResult) -> None:
    method = {**result.method, "options": {**result.method["options"], "model": "mixed"}}
    turned = result.genes.with_columns((-pl.col("t")).alias("Mixed t"))
    found = enrich(replace(result, genes=turned, method=method), sets())
    assert found.record["ranking"]["column"] == "Mixed t"
    (row,) = found.sets.filter(pl.col("Gene Set") == "HIGHER").to_dicts()
    assert row["Normalised Score"] < 0


def benchmark(result: AnalysisResult) -> AnalysisResult:
    status = pl.when(pl.col("Significant")).then(pl.lit("selected")).otherwise(
        pl.lit("not selected")
    )  # fmt: skip
    genes = result.genes.with_columns(status.alias("Status"), pl.lit(None, pl.Float64).alias("t"))
    return replace(result, genes=genes, method={**result.method, "procedure": "benchmark"})


def test_benchmark_result_has_over_representation_only_and_needs_no_gseapy(
    result: AnalysisResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gseapy", None)
    found = enrich(benchmark(result), sets())
    assert found.record["ranking"] is None
    assert any("only over-representation was tested" in note for note in found.record["notes"])
    assert found.sets["q"].null_count() == found.sets.height
    assert set(found.sets["Gene Set"].head(2)) == {"HIGHER", "LOWER"}
    assert found.record["significant"] == {"up": 0, "down": 0, "over_represented": 2}


def test_no_significant_gene(result: AnalysisResult) -> None:
    none = replace(result, genes=result.genes.with_columns(Significant=pl.lit(False)))
    found = enrich(none, sets())
    assert found.record["over_representation"] is None
    assert found.sets["Overlap"].null_count() == found.sets.height
    assert any("over-representation was not tested" in note for note in found.record["notes"])
    with pytest.raises(AnalysisError, match="no gene is significant and none is ranked"):
        enrich(benchmark(none), sets())


def test_genes_twice_and_infinite_statistics_are_defined(result: AnalysisResult) -> None:
    odd = result.genes.with_columns(
        pl.when(pl.col("Variable") == "GENE0").then(float("inf")).otherwise(pl.col("t")).alias("t")
    )
    doubled = replace(result, genes=pl.concat([odd, odd.head(5)]))
    found = enrich(doubled, sets())
    assert found.record["ranking"]["genes"] == (result.genes["Status"] == "tested").sum()
    assert found.sets.null_count().sum_horizontal().item() == 0


def test_many_tied_genes_are_told(result: AnalysisResult) -> None:
    tied = replace(result, genes=result.genes.with_columns(pl.col("t").round(0)))
    assert any("share their place" in note for note in enrich(tied, sets()).record["notes"])


def test_few_known_genes_are_told(result: AnalysisResult) -> None:
    stranger = GeneSet("STRANGE", "", tuple(f"OTHER{i}" for i in range(5000)))
    notes = enrich(result, [*sets(), stranger]).record["notes"]
    assert any(re.search(r"Only \d+ of the 5,\d+ genes .* by other names", note) for note in notes)


@pytest.mark.parametrize(
    "wrong",
    [
        {"q_cut": 0.0},
        {"min_size": 0},
        {"min_size": 20, "max_size": 10},
        {"permutations": 10},
        {"seed": -1},
    ],
)
def test_options_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        EnrichmentOptions(**wrong)


@pytest.fixture
def solved(tmp_path: Path, result: AnalysisResult) -> OutputFolder:
    output = OutputFolder(tmp_path / "output")
    write_result(output, result)
    return output


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
    write_result(solved, solve(trend=True))
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
    with pytest.raises(FormatError, match="is not JSON"):
        read_enrichment(solved, "Asthma", None)


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
