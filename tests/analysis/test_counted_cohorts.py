"""Cohorts whose expression was counted: voom's weights in the whole procedure, and without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from genotex.analysis import AnalysisResult, analyze_table, combine_results
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups
from tests.analysis.counted_tables import counted_table, counts_record, draw_counted, permuted
from tests.analysis.test_against_voom import counts_and_libraries, read

ALONE = AnalysisOptions(panel=False, hidden="none")


def solve(
    table: LinkedTable,
    counts: dict[str, Any] | None,
    options: AnalysisOptions = ALONE,
    condition: str | None = None,
    **others: Any,
) -> AnalysisResult:
    return analyze_table(table, {}, Problem("Asthma", condition), options, counts=counts, **others)


def golden_cohort(name: str) -> tuple[LinkedTable, dict[str, Any]]:
    counts, libraries = counts_and_libraries(name, "case")
    clinical = read(f"{name}_clinical.csv")
    covariates = {"Age": clinical["age"].to_numpy(), "Gender": clinical["gender"].to_numpy()}
    table = counted_table(counts, libraries, clinical["case"].to_numpy(), covariates)
    return table, counts_record(table, libraries)


@pytest.mark.parametrize("name", ["small", "large"])
def test_whole_procedure_gives_what_voom_and_ebayes_give(name: str) -> None:
    table, counts = golden_cohort(name)
    result = solve(table, counts)
    golden = read(f"{name}_case_limma.csv").with_columns(Variable=pl.Series(table.genes))
    both = result.genes.join(golden, on="Variable", suffix="_r")
    assert both.height == golden.height == result.method["filter"]["tested"]
    pairs = {"Coefficient": "coefficient", "t": "t_r", "p": "p_r", "q": "q_r", "CI Lower": "lower"}
    for ours, theirs in pairs.items():
        np.testing.assert_allclose(both[ours], both[theirs], rtol=1e-6, atol=1e-9)
    assert result.method["prior"]["df"] == pytest.approx(golden["prior_df"][0], rel=1e-6)


def test_changed_genes_are_found_and_the_record_shows_how() -> None:
    table, counts = draw_counted()
    result = solve(table, counts)
    found = set(result.significant["Variable"])
    planted = {f"GENE{j}" for j in range(20)}
    assert len(found & planted) >= 18 and len(found - planted) <= 2
    record = result.method["counts"]
    assert record["weights"] == "voom" and record["kept"] == 400 and record["span"] == 0.5
    assert record["reads"]["lowest"] == min(counts["totals"].values())
    assert result.method["model"].endswith("weighted by voom (Law et al. 2014)")
    assert result.counts_summary.startswith(
        "RNA-seq counts, TMM, voom weights: 7 of 407 genes left out for few counts; "
    )


def test_p_values_are_uniform_when_the_trait_is_given_at_random() -> None:
    table, counts = draw_counted(genes=800, changed=0, seed=5)
    p = np.concatenate(
        [solve(permuted(table, seed), counts).genes["p"].to_numpy() for seed in range(8)]
    )
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.015)
    assert np.mean(p < 0.005) == pytest.approx(0.005, abs=0.004)
    assert stats.kstest(p, "uniform").statistic < 0.05


def test_standardised_effect_is_in_deviations_of_log_counts() -> None:
    """So that it can be combined with that of arrays: weighted deviations have no unit."""
    table, counts = draw_counted()
    table = replace(table, covariates={})
    result = solve(table, counts)
    row = result.genes.row(by_predicate=pl.col("Variable") == "GENE0", named=True)
    cases, controls = table.expression[1::2, 0], table.expression[::2, 0]
    pooled = np.sqrt((cases.var(ddof=1) + controls.var(ddof=1)) / 2)
    expected = row["Coefficient"] / pooled * (1 - 3 / (4 * 22 - 1))
    assert row["Standardised Effect"] == pytest.approx(expected, rel=1e-3)
    assert result.method["standardised_effect"].endswith("by the deviations left without weights")


def test_effect_alongside_that_of_arrays() -> None:
    counted = solve(*draw_counted(samples=40))
    table = two_groups(samples=40, genes=400, changed=20)
    arrays = solve(replace(table, samples=tuple(f"X{s}" for s in table.samples)), None)
    both = combine_results(Problem("Asthma", None), {"GSE1": counted, "GSE2": arrays})
    found = set(both.genes.filter(pl.col("Significant"))["Variable"])
    assert len(found & {f"GENE{j}" for j in range(20)}) >= 18
    assert {cohort.name: cohort.counts for cohort in both.cohorts} == {
        "GSE1": "RNA-seq counts, TMM, voom weights",
        "GSE2": "",
    }
    assert both.summary()["counted"] == "GSE1"


def test_arrays_are_not_touched_by_weights() -> None:
    table = two_groups()
    plain, empty = solve(table, None), solve(table, {})
    assert plain.genes.equals(empty.genes)
    assert "counts" not in plain.method and plain.method == empty.method
    assert plain.counts_summary == ""


def test_every_regression_is_weighted() -> None:
    """With surrogate variables, without them and with the interaction."""
    table, counts = draw_counted(samples=60, genes=600, seed=3, batch=True)
    options = AnalysisOptions(panel=False)
    weighted = solve(table, counts, options, "Age")
    plain = solve(table, None, options, "Age")
    assert weighted.method["hidden"]["used"] and weighted.method["counts"]["weights"] == "voom"
    both = weighted.genes.join(plain.genes, on="Variable", suffix="_plain")
    for column in ("p", "With SV p", "Interaction p"):
        assert (both[column] - both[f"{column}_plain"]).abs().max() > 1e-3, column


def test_genes_with_fewer_than_15_reads_are_not_tested() -> None:
    table, counts = draw_counted()
    libraries = np.array(list(counts["effective_library_sizes"].values()))
    few = np.zeros(24)
    few[:14] = 1
    table.expression[:, 3] = np.log2((few + 0.5) / (libraries + 1) * 1e6)
    result = solve(table, counts)
    status = dict(zip(result.genes["Variable"], result.genes["Status"], strict=True))
    assert status["GENE3"] == "low" and result.method["filter"]["low"] == 1
    assert result.method["filter"]["rule"].startswith("low: fewer than 15 reads")
    kept = solve(table, counts, replace(ALONE, filter_low=False))
    assert kept.method["filter"]["low"] == 0


def test_repeats_that_were_averaged_go_without_weights() -> None:
    table, counts = draw_counted()
    donors = {sample: str(i // 4 * 2 + i % 2) for i, sample in enumerate(table.samples)}
    options = replace(ALONE, pair="donor")
    result = solve(table, counts, options, sample_facts={"donor": donors})
    assert result.method["counts"]["weights"] == "none"
    assert "no weights" in result.counts_summary
    assert any("repeated samples were averaged" in warning for warning in result.warnings)


def test_table_that_does_not_fit_the_record_goes_without_weights() -> None:
    table, counts = draw_counted()
    for changed, why in (
        (replace(table, expression=table.expression - 30), "does not hold the log2 counts"),
        (replace(table, samples=tuple(f"X{s}" for s in table.samples)), "lacks library sizes"),
    ):
        result = solve(changed, counts)
        assert result.method["counts"]["weights"] == "none"
        assert any(why in warning for warning in result.warnings)


def test_missing_values_go_without_weights() -> None:
    table, counts = draw_counted()
    table.expression[2, 5] = np.nan
    result = solve(table, counts)
    assert result.method["counts"]["weights"] == "none"
    assert result.method["filter"]["tested"] == 400


def test_depth_that_goes_with_the_trait_is_warned_of() -> None:
    table, counts = draw_counted()
    counts["totals"] = {s: 2_000_000 + 9_000_000 * (i % 2) + i for i, s in enumerate(table.samples)}
    warned = [w for w in solve(table, counts).warnings if "number of reads" in w]
    assert len(warned) == 1 and "Asthma is confounded with the number of reads" in warned[0]


def test_tiny_libraries_are_warned_of() -> None:
    table, counts = draw_counted()
    counts["totals"]["GSM4"] = 80_000
    (warned,) = [w for w in solve(table, counts).warnings if "fewer than" in w]
    assert warned.startswith("1 library compared holds fewer than 1,000,000 reads")


def test_few_genes_are_warned_of() -> None:
    warnings = solve(*draw_counted(genes=40)).warnings
    assert sum(w.startswith("Only 40 genes have enough counts") for w in warnings) == 1
    assert not any("enough counts" in w for w in solve(*draw_counted(genes=1000)).warnings)


@pytest.mark.parametrize("genes", [1, 2, 3, 12])
def test_few_genes_make_no_curve_but_an_answer(genes: int) -> None:
    table, counts = draw_counted(genes=genes, changed=1)
    p = solve(table, counts).genes["p"].to_numpy()
    assert np.isfinite(p).all()


def test_gene_without_any_scatter_gets_no_endless_weight() -> None:
    table, counts = draw_counted(genes=30, changed=0)
    table.expression[:] = table.expression[:1] + 0.001 * table.trait_values[:, None]
    table.expression[:, 0] += np.linspace(0, 1e-9, 24)
    genes = solve(table, counts).genes
    assert np.isfinite(genes["Coefficient"].drop_nulls().to_numpy()).all()
    assert np.isfinite(genes["p"].drop_nulls().to_numpy()).all()


def test_mixed_model_and_panel_take_the_log_counts_as_they_are() -> None:
    table, counts = draw_counted(genes=120)
    options = AnalysisOptions(hidden="none", model="all", filter_low=False)
    weighted, plain = solve(table, counts, options), solve(table, None, options)
    both = weighted.genes.join(plain.genes, on="Variable", suffix="_plain")
    for column in ("Mixed p", "Panel Coefficient"):
        np.testing.assert_array_equal(both[column], both[f"{column}_plain"])
    assert (both["p"] - both["p_plain"]).abs().max() > 1e-3
    unweighted = weighted.method["counts"]["unweighted"]
    assert unweighted == ["surrogate variables", "mixed model", "sparse panel"]
