"""When surrogate variables are used, and what is reported of them."""

import gc
import json
import weakref
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from threadpoolctl import threadpool_limits

from genotex.analysis import (
    Adjustment,
    AnalysisResult,
    Blocks,
    CohortData,
    Comparison,
    FactChecks,
    Precision,
    SampleFacts,
    SampleQuality,
    Unmeasured,
    analyze_table,
    build_design,
    choose_contrast,
    compare_rankings,
    find_unmeasured,
    no_blocks,
)
from genotex.analysis.hidden import unmeasured
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked
from tests.analysis.hidden_cohorts import half_confounded_batch, noise, with_batch


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As in an analysis; the threads of small matrices only wait for one another."""
    with threadpool_limits(limits=1):
        yield


def setting(expression: np.ndarray, trait: np.ndarray | None = None, **covariates: np.ndarray):  # type: ignore[no-untyped-def]
    samples = len(expression)
    if trait is None:
        trait = np.repeat([0.0, 1.0], [samples // 2, samples - samples // 2])
    table = linked(trait, expression[:, :1], covariates)
    contrast = choose_contrast(table, {}, "auto")
    design = build_design(table, contrast, tuple(covariates), None)
    return table, contrast, design


def find(
    expression: np.ndarray,
    mode: str = "adjust",
    characteristics: dict[str, list[str | None]] | None = None,
    trait: np.ndarray | None = None,
    precision: Precision | None = None,
    *,
    mixed_ranks: bool = False,
    **covariates: np.ndarray,
) -> Unmeasured:
    table, contrast, design = setting(expression, trait, **covariates)
    facts: SampleFacts = {
        key: dict(zip(table.samples, values, strict=True))
        for key, values in (characteristics or {}).items()
    }
    compared = Comparison(
        cohort=CohortData(table, sample_facts=facts),
        table=table,
        contrast=contrast,
        blocks=Blocks(table, contrast, {}, {}, ()),
        predicted=None,
        adjustment=Adjustment({}, (), {}, None, (), {}, {}, ()),
        design=design,
        facts=FactChecks(),
        quality=SampleQuality({}, no_blocks("not examined"), {}),
    )
    names = [f"GENE{j}" for j in range(expression.shape[1])]
    return find_unmeasured(
        expression, names, compared, precision or Precision(), mode, 0, mixed_ranks=mixed_ranks
    )[1]


def test_mode_none_does_not_look() -> None:
    found = find(with_batch(60, 500, 0), "none")
    assert found.columns == {} and not found.moderated_with and found.warnings == ()
    assert found.record["mode"] == "none"
    assert (found.record["estimated"], found.record["used"]) == (0, 0)


@pytest.mark.parametrize("samples", [24, 36, 40, 60])
def test_a_batch_is_adjusted_for_in_cohorts_of_any_size(samples: int) -> None:
    found = find(with_batch(samples, 500, 0))
    assert found.moderated_with and found.record["ranked_with"]
    used = len(found.columns)
    assert found.record["used"] == used and found.record["residual_df"] == samples - 2 - used
    assert found.record["share"][0] > 0.1 and found.inflation >= 1
    batch = half_confounded_batch(samples)
    assert abs(np.corrcoef(found.columns["SV1"], batch)[0, 1]) > 0.8


def test_mode_sva_warns_below_forty_samples() -> None:
    found = find(with_batch(36, 500, 0), "sva")
    assert found.moderated_with
    assert "with 36 samples only" in found.warnings[0]
    assert not any("samples only" in w for w in find(with_batch(60, 500, 0), "sva").warnings)
    assert not any("samples only" in w for w in find(with_batch(36, 500, 0)).warnings)


@pytest.mark.parametrize("mode", ["auto", "sva", "two-step"])
def test_nothing_unmeasured_gives_no_columns_and_no_warning(mode: str) -> None:
    found = find(noise(60, 500, 1), mode)
    assert found.columns == {} and not found.moderated_with and found.inflation == 1
    assert found.record["associations"] == [] and found.warnings == ()


def test_a_fifth_of_values_missing_does_not_hinder_the_estimate() -> None:
    expression = with_batch(60, 500, 2)
    broken = np.where(np.random.default_rng(2).random(expression.shape) < 0.2, np.nan, expression)
    assert not np.isfinite(broken).all(axis=0).any()
    found, whole = find(broken), find(expression)
    assert found.record["genes_used"] == 500
    assert abs(np.corrcoef(found.columns["SV1"], whole.columns["SV1"])[0, 1]) > 0.95


def test_genes_with_more_than_half_of_their_values_missing_take_no_part() -> None:
    expression = with_batch(60, 500, 2)
    broken = expression.copy()
    broken[3, 300:] = np.nan
    broken[:31, 400:] = np.nan
    assert find(broken).record["genes_used"] == 400


@pytest.mark.parametrize(
    ("samples", "genes", "reason"),
    [
        (60, 99, "99 genes with enough values are too few, 100 are needed"),
        (120, 110, "110 genes with enough values are too few, 120 are needed"),
        (20, 1, "1 genes with enough values are too few"),
    ],
)
def test_too_few_complete_genes_is_said(samples: int, genes: int, reason: str) -> None:
    found = find(noise(samples, genes, 3))
    assert found.columns == {} and found.record["genes_used"] == genes
    assert reason in found.warnings[0] and reason in found.record["notes"][0]


@pytest.mark.parametrize("mode", ["auto", "sva"])
def test_six_samples_leave_no_room_and_that_is_said(mode: str) -> None:
    rng = np.random.default_rng(4)
    expression = noise(6, 800, 4) + np.outer(rng.normal(size=6), rng.normal(0, 3, 800))
    found = find(expression, mode)
    assert found.columns == {} and not found.moderated_with
    assert found.record["limited"] and found.record["estimated"] >= 1
    assert "leave room for no surrogate variables" in found.warnings[0]


def test_when_the_mixed_model_ranks_the_moderated_t_alone_is_adjusted() -> None:
    found = find(with_batch(60, 500, 0), mixed_ranks=True)
    assert found.moderated_with and found.record["moderated_with"]
    assert found.record["ranked_with"] is False


def test_columns_are_found_among_independent_errors_and_given_for_the_samples() -> None:
    """Two samples of each person: the surrogate variable of whitened data, before whitening."""
    expression = with_batch(60, 500, 0)
    precision = Precision(blocks=np.repeat(np.arange(30), 2), correlation=0.4)
    found = find(precision.unwhiten(expression), precision=precision)
    _, _, design = setting(expression)
    white = precision.whiten(design.matrix)
    column = precision.whiten(found.columns["SV1"][:, None])[:, 0]
    rest = column - white @ np.linalg.lstsq(white, column)[0]
    assert abs(np.corrcoef(rest, find(expression).columns["SV1"])[0, 1]) > 0.8


def test_associations_with_batch_covariate_and_scan_date() -> None:
    expression = with_batch(60, 800, 5)
    batch = half_confounded_batch(60)
    rng = np.random.default_rng(5)
    facts: dict[str, list[str | None]] = {
        "scan date": [f"2010-0{1 + int(b)}-05 1{i % 10}:00" for i, b in enumerate(batch)],
        "tissue": ["blood"] * 60,
        "rin": [f"{v:.3f}" for v in 7 + 0.5 * batch + rng.normal(0, 0.1, 60)],
        "title": [f"sample {i}" for i in range(60)],
        "irrelevant": [str(v) for v in rng.integers(0, 3, 60)],
        "unknown": [None] * 60,
    }
    found = find(
        expression, "sva", characteristics=facts, Age=50 + 10 * batch + rng.normal(0, 3, 60)
    )
    reported = [t for t in found.record["associations"] if t["kind"] != "measure"]
    assert {(t["with"], t["kind"]) for t in reported} == {
        ("scan date", "characteristic"),
        ("rin", "characteristic"),
        ("Age", "covariate"),
        ("Asthma", "trait"),
    }
    assert [t["p"] for t in reported] == sorted(t["p"] for t in reported)
    assert {t["surrogate"] for t in reported} == {"SV1"}
    date = next(t for t in reported if t["with"] == "scan date")
    assert (date["test"], date["measure"]) == ("Kruskal-Wallis test", "eta")


def test_of_each_kind_the_two_closest_are_reported() -> None:
    batch = half_confounded_batch(60)
    facts: dict[str, list[str | None]] = {
        f"key {k}": ["a" if b else "b" for b in batch] for k in range(15)
    }
    found = find(with_batch(60, 500, 6), characteristics=facts).record["associations"]
    first = [each["kind"] for each in found if each["surrogate"] == "SV1"]
    assert sorted(first) == ["characteristic", "characteristic", "trait"]


def test_record_is_plain_json() -> None:
    found = find(with_batch(60, 500, 7), characteristics={"batch": ["a", "b"] * 30})
    assert json.loads(json.dumps(found.record, allow_nan=False)) == found.record


def test_factors_strongly_confounded_with_the_trait_are_a_warning() -> None:
    rng = np.random.default_rng(8)
    trait = np.repeat([0.0, 1.0], 30)
    batch = np.where(rng.random(60) < 0.07, 1 - trait, trait)
    expression = noise(60, 800, 8) + np.outer(batch, rng.normal(0, 1.0, 800))
    found = find(expression, trait=trait)
    assert abs(np.corrcoef(found.columns["SV1"], trait)[0, 1]) > 0.5
    assert "strongly confounded with Asthma: SV1 (r = " in found.warnings[-1]
    assert found.record["trait_share"] > 0.3


def test_continuous_trait() -> None:
    rng = np.random.default_rng(9)
    trait = rng.normal(size=60)
    expression = noise(60, 500, 9) + np.outer(rng.normal(size=60), rng.normal(0, 0.5, 500))
    assert "SV1" in find(expression, trait=trait).columns


def test_same_rankings_share_everything() -> None:
    p = np.linspace(1e-6, 1, 200)
    names = [f"G{i}" for i in range(200)]
    reported = compare_rankings(p, p, names, 0.05)
    assert reported["top"] == [
        {"genes": 10, "shared": 10},
        {"genes": 50, "shared": 50},
        {"genes": 100, "shared": 100},
    ]
    assert reported["first_with"] == reported["first_without"] == names[:10]
    assert (
        reported["significant_with"]
        == reported["significant_without"]
        == reported["significant_both"]
    )


def test_rankings_that_differ_are_counted_by_hand() -> None:
    without = np.array([1e-8, 1e-7, 0.5, 0.6, np.nan])
    adjusted = np.array([0.7, 1e-9, 1e-8, np.nan, 0.9])
    reported = compare_rankings(without, adjusted, ["A", "B", "C", "D", "E"], 0.05)
    assert reported == {
        "top": [{"genes": 4, "shared": 3}],
        "significant_without": 2,
        "significant_with": 2,
        "significant_both": 1,
        "first_without": ["A", "B", "C", "D"],
        "first_with": ["B", "C", "A", "E"],
    }


def test_no_gene_tested_compares_to_nothing() -> None:
    reported = compare_rankings(np.array([np.nan]), np.array([0.5]), ["A"], 0.05)
    assert reported["top"] == [] and reported["significant_both"] == 0
    assert json.dumps(reported, allow_nan=False)


OPTIONS = AnalysisOptions(panel=False, filter_low=False, hidden="adjust")


def hidden_factors(missing: int, samples: int = 60, genes: int = 400) -> LinkedTable:
    """Six hidden factors; the last gene has values in the first samples only."""
    rng = np.random.default_rng(1)
    values = rng.normal(8, 1, (samples, genes))
    values += rng.normal(size=(samples, 6)) @ rng.normal(size=(6, genes))
    trait = np.arange(samples) % 2
    values[:, :20] += 3.0 * trait[:, None]
    values[samples - missing :, -1] = np.nan
    return linked(trait, values)


def solve(table: LinkedTable, options: AnalysisOptions = OPTIONS) -> AnalysisResult:
    return analyze_table(table, {}, Problem("Asthma"), options)


@pytest.mark.parametrize("present", [5, 6, 8, 9])
def test_gene_with_too_few_values_for_the_surrogate_variables(present: int) -> None:
    table = hidden_factors(60 - present)
    result = solve(table)
    assert result.method["hidden"]["ranked_with"]
    assert len(result.method["design"]) == 8
    row = result.genes.row(by_predicate=pl.col("Variable") == "GENE399", named=True)
    assert row["Status"] == "too few values"
    assert row["p"] is None
    assert result.method["filter"]["too few values"] == 1
    assert result.method["filter"]["tested"] == 399
    # The other genes have the answer that they have without it.
    rest = replace(table, genes=table.genes[:-1], expression=table.expression[:, :-1])
    whole = result.genes.head(399)
    assert whole["p"].null_count() == 0
    np.testing.assert_allclose(whole["p"], solve(rest).genes["p"], rtol=1e-10)


def test_gene_with_just_enough_values_is_tested() -> None:
    result = solve(hidden_factors(50))
    assert result.method["filter"]["tested"] == 400
    assert result.genes["p"].null_count() == 0


def test_gaps_become_what_least_squares_fits_to_the_known_values() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(8, 1, (40, 30))
    values[rng.random(values.shape) < 0.05] = np.nan
    values[:, 5] = np.arange(40)  # nothing missing
    values[:25, 7] = np.nan  # most missing: not used
    table = linked(np.arange(40) % 2, values, {"Age": rng.integers(30, 80, 40)})
    design = build_design(table, choose_contrast(table, {}, "auto"), ["Age"], None)
    filled = unmeasured._Whole(values, design).genes.read(slice(None))
    kept = [j for j in range(30) if j != 7]
    assert filled.shape == (40, 29)
    for column, j in zip(filled.T, kept, strict=True):
        known = ~np.isnan(values[:, j])
        fit = np.linalg.lstsq(design.matrix[known], values[known, j])[0]
        np.testing.assert_array_equal(column[known], values[known, j])
        np.testing.assert_allclose(column[~known], design.matrix[~known] @ fit, atol=1e-9)


@pytest.mark.parametrize("named", ["GENE", "KRT"])
def test_a_large_table_is_read_in_parts_to_the_same_end(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """Genes of which some are markers (KRT5, KRT18), and of which none is."""
    values = with_batch(40, 300, 1)
    values[np.random.default_rng(1).random(values.shape) < 0.02] = np.nan
    table = linked(np.repeat([0.0, 1.0], 20), values)
    table = replace(table, genes=tuple(f"{named}{i}" for i in range(300)))
    whole = analyze_table(table, {}, Problem(table.trait), AnalysisOptions(panel=False))
    for module in ("unmeasured", "spectrum"):
        monkeypatch.setattr(f"genotex.analysis.hidden.{module}.LARGE", 0)
    monkeypatch.setattr("genotex.arrays.NUMBERS_AT_ONCE", 40 * 32)
    parts = analyze_table(table, {}, Problem(table.trait), AnalysisOptions(panel=False))
    assert whole.method["hidden"]["used"] > 0
    assert parts.method["hidden"]["used"] == whole.method["hidden"]["used"]
    columns = ["p", "With SV p", "With SV Coefficient"]
    one, other = (each.genes.sort("Variable").select(columns) for each in (whole, parts))
    np.testing.assert_allclose(one.to_numpy(), other.to_numpy(), rtol=1e-6)


def test_a_large_table_is_let_go_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("unmeasured", "spectrum"):
        monkeypatch.setattr(f"genotex.analysis.hidden.{module}.LARGE", 0)
    values = with_batch(40, 300, 1)
    held = weakref.ref(values)
    gc.disable()
    try:
        found = find(values)
        del values
        assert found.columns
        assert held() is None
    finally:
        gc.enable()
