"""The checks of the samples together: pools, the record, and leaving outliers out."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import analyze_table, check_samples
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.real_tables import real_table
from tests.analysis.sample_cohorts import changed, check, clean_cohort, repeated_people

FAST = AnalysisOptions(panel=False, hidden="none")


def noisy(table: LinkedTable, *places: int) -> LinkedTable:
    values = table.expression.copy()
    values[list(places)] += np.random.default_rng(1).normal(0, 2, (len(places), values.shape[1]))
    return changed(table, values)


def named(table: LinkedTable, texts: dict[int, str]) -> dict[str, dict[str, str | None]]:
    return {"title": {s: texts.get(i, f"Liver {i}") for i, s in enumerate(table.samples)}}


def pooled(table: LinkedTable, place: int, members: list[int]) -> LinkedTable:
    values = table.expression.copy()
    noise = np.random.default_rng(2).normal(0, 0.1, values.shape[1])
    values[place] = values[members].mean(axis=0) + noise
    return changed(table, values)


@pytest.mark.parametrize(
    "text",
    [
        "Pool of benign prostate", "prostate_normal_pool_2", "pooled RNA", "POOL1",
        "Liver tissue of six healthy donors  Normal1", "mixture of RNA samples",
        "RNA from 5 patients",
    ],
)  # fmt: skip
def test_pool_is_read_from_the_title(text: str) -> None:
    table = clean_cohort()
    found = check(table, texts=named(table, {3: text}))
    assert found.record["pools"][0]["sample"] == "GSM3"
    assert any(text in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "text",
    ["Liverpool cohort", "non-pooled RNA", "not pooled", "individual, unpooled", "patient 5",
     "spooled tape", "T cells of a healthy donor", "mixture of cell types"],
)  # fmt: skip
def test_other_words_are_no_pool(text: str) -> None:
    table = clean_cohort()
    assert check(table, texts=named(table, {3: text})).record["pools"] == []


def test_expression_confirms_a_pool_of_the_others() -> None:
    table = pooled(clean_cohort(), 4, [0, 2, 6])
    found = check(table, texts=named(table, {4: "pool of controls"}))
    assert found.record["pools"][0]["variance"] < 0.5
    (warning,) = found.warnings
    assert "1 of the 20 samples is described as a pool" in warning
    assert "as expected of pools" in warning


def test_of_several_pools_the_variance_in_the_middle_is_told() -> None:
    table = clean_cohort()
    for place, members in ((4, [0, 2]), (8, [0, 2, 6]), (12, [*range(0, 4), *range(14, 20)])):
        table = pooled(table, place, members)
    found = check(table, texts=named(table, dict.fromkeys((4, 8, 12), "pool")))
    assert [pool["sample"] for pool in found.record["pools"]] == ["GSM4", "GSM8", "GSM12"]
    variances = [pool["variance"] for pool in found.record["pools"]]
    [warning] = [w for w in found.warnings if "pool" in w]
    assert "3 of the 20 samples are described as pools of several people: GSM4; GSM8" in warning
    assert f"Their variance is {np.median(variances):.2f} of that of the others" in warning


def test_pool_of_other_tissue_is_far_from_the_others() -> None:
    table = noisy(clean_cohort(), 4)
    found = check(table, texts=named(table, {4: "pool"}))
    assert any("They are far from the others" in warning for warning in found.warnings)


def test_pool_is_read_from_a_characteristic() -> None:
    table = clean_cohort()
    facts = {
        "sample type": {s: "pool" if i == 5 else "single" for i, s in enumerate(table.samples)}
    }
    assert check(table, facts).record["pools"][0]["text"] == "pool"


def test_cohort_of_pools_only_gets_a_warning() -> None:
    table = clean_cohort()
    (warning,) = check(table, texts=named(table, dict.fromkeys(range(20), "pool"))).warnings
    assert warning == "All samples are described as pools ('pool'): pools are compared, not people."


def test_record_is_plain_json_and_aligned() -> None:
    table = clean_cohort()
    record = json.loads(json.dumps(check(table).record, allow_nan=False))
    by_sample = record["by_sample"]
    assert by_sample["sample"] == list(table.samples)
    assert {len(column) for column in by_sample.values()} == {20}
    assert record["excluded"] == [] and record["detected_blocks"] == {}


def test_checks_are_in_the_record_and_the_warnings_of_an_analysis() -> None:
    table = noisy(clean_cohort(), 4)
    result = analyze_table(table, {}, Problem("Asthma"), FAST)
    assert [row["sample"] for row in result.method["quality"]["outliers"]] == ["GSM4"]
    assert result.method["contrast"]["group_sizes"] == {"case": 10, "control": 10}
    (warning,) = [w for w in result.warnings if "as a whole" in w]
    assert "GSM4 (" in warning and "--exclude-outliers leaves it out" in warning


def test_outliers_are_left_out_when_asked() -> None:
    table = noisy(clean_cohort(), 4, 7)
    options = replace(FAST, exclude_outliers=True)
    result = analyze_table(table, {}, Problem("Asthma"), options)
    assert result.method["contrast"]["group_sizes"] == {"case": 9, "control": 9}
    assert result.method["quality"]["excluded"] == ["GSM4", "GSM7"]
    assert result.method["options"]["exclude_outliers"] is True
    (warning,) = [w for w in result.warnings if "left out as outliers" in w]
    assert "GSM4 (" in warning and "GSM7 (" in warning
    kept = [i for i in range(20) if i not in (4, 7)]
    by_hand = replace(
        table,
        samples=tuple(table.samples[i] for i in kept),
        trait_values=table.trait_values[kept],
        covariates={"Gender": table.covariates["Gender"][kept]},
        expression=table.expression[kept],
    )
    assert result.genes.equals(analyze_table(by_hand, {}, Problem("Asthma"), FAST).genes)


def test_clean_cohort_is_the_same_with_the_option() -> None:
    table = clean_cohort()
    plain = analyze_table(table, {}, Problem("Asthma"), FAST)
    asked = analyze_table(table, {}, Problem("Asthma"), replace(FAST, exclude_outliers=True))
    assert plain.genes.equals(asked.genes) and plain.warnings == asked.warnings


def test_kind_of_controls_stays_when_an_outlier_leaves() -> None:
    table = noisy(clean_cohort(), 4)
    roles = {s: "healthy control" if i in (0, 2, 4, 6, 8) else "unknown"
             for i, s in enumerate(table.samples)}  # fmt: skip
    options = replace(FAST, exclude_outliers=True)
    result = analyze_table(table, roles, Problem("Asthma"), options)  # type: ignore[arg-type]
    assert result.method["contrast"]["controls"] == "healthy"
    assert result.method["contrast"]["group_sizes"] == {"case": 10, "control": 4}


def test_group_that_becomes_too_small_is_an_error() -> None:
    table = clean_cohort(12)
    few = replace(table, trait_values=np.array([1.0] * 2 + [0.0] * 10))
    with pytest.raises(AnalysisError, match="each group needs two samples"):
        analyze_table(noisy(few, 0), {}, Problem("Asthma"), replace(FAST, exclude_outliers=True))


def test_measured_trait_leaves_outliers_out_too() -> None:
    table = clean_cohort()
    measured = replace(noisy(table, 4), trait_values=np.random.default_rng(0).normal(size=20))
    result = analyze_table(measured, {}, Problem("Asthma"), replace(FAST, exclude_outliers=True))
    assert result.method["quality"]["excluded"] == ["GSM4"]
    assert len(result.method["contrast"]["samples"]["all"]) == 19


def test_repeated_people_are_no_news_where_donors_are_recorded_or_samples_paired() -> None:
    table = repeated_people()
    plain = analyze_table(table, {}, Problem("Asthma"), replace(FAST, pair="none"))
    assert any("--pair detected" in warning for warning in plain.warnings)
    assert len(set(plain.method["quality"]["detected_blocks"].values())) == 10
    donors = {"patient id": {s: f"P{i // 3}" for i, s in enumerate(table.samples)}}
    for options in (FAST, replace(FAST, pair="patient id")):
        known = analyze_table(table, {}, Problem("Asthma"), options, donors)
        assert not any("--pair detected" in warning for warning in known.warnings)


def test_panel_of_repeated_people_has_no_prediction_quality() -> None:
    options = AnalysisOptions(hidden="none", pair="none")
    result = analyze_table(repeated_people(), {}, Problem("Asthma"), options)
    assert result.cv_performance == {}
    (note,) = result.method["panel"]["notes"]
    assert "some people seem to have given several samples" in note


def test_table_of_few_genes_is_not_checked() -> None:
    table = clean_cohort()
    few = replace(table, genes=table.genes[:60], expression=table.expression[:, :60])
    found = check(few)
    assert found.record["judged"] is False and found.warnings == ()


def test_six_samples_of_a_plain_table() -> None:
    found = check(clean_cohort(6))
    assert found.outliers == {} and found.warnings == ()
    assert found.record["sex"]["judged"] is True
    assert found.record["blocks"]["judged"] is False


@pytest.mark.parametrize("cohort", ["GSE55457", "GSE55235"])
def test_clean_real_series_have_no_outliers_copies_or_repeats(
    shared_data: Path, cohort: str
) -> None:
    found = check_samples(*real_table(shared_data, "Rheumatoid_Arthritis", cohort))
    assert found.outliers == {} and found.detected_blocks == {}
    assert found.record["near_identical"] == [] and found.record["pools"] == []
