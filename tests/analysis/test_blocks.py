"""Paired designs, against the paired t-test of scipy, and repeated samples as their means."""

import json

import numpy as np
import pytest
from scipy import stats

from genotex.analysis import (
    Blocks,
    Contrast,
    block_samples,
    build_design,
    choose_contrast,
    fit_last_column,
)
from genotex.errors import AnalysisError, UsageError
from genotex.formats import LinkedTable
from tests.analysis.cohort_tables import linked

Facts = dict[str, dict[str, str | None]]


def cohort(
    trait: list[float], donors: list[str | None], genes: int = 8, seed: int = 0
) -> tuple[LinkedTable, Contrast, Facts]:
    """Genes with a level of their own for each donor and one gene that follows the trait."""
    rng = np.random.default_rng(seed)
    own = {donor: rng.normal(0, 3, genes) for donor in dict.fromkeys(donors)}
    values = np.array([own[d] for d in donors]) + rng.normal(8, 1, (len(donors), genes))
    values[:, 0] += np.array(trait)
    table = linked(trait, values, {"Age": rng.integers(30, 80, len(trait))})
    facts: Facts = {"Donor": dict(zip(table.samples, donors, strict=True))}
    return table, choose_contrast(table, {}, "auto"), facts


def t_of_trait(blocks: Blocks) -> np.ndarray:
    contrast = blocks.contrast
    design = np.column_stack(
        [np.ones(len(contrast.rows)), *blocks.columns.values(), contrast.values]
    )
    fit = fit_last_column(design, blocks.table.expression[contrast.rows])
    return fit.coefficient / (fit.unscaled * np.sqrt(fit.variance))


def test_pairs_equal_the_paired_t_test() -> None:
    donors = [f"P{i}" for i in range(12)]
    table, contrast, facts = cohort([1.0, 0.0] * 12, [d for d in donors for _ in range(2)])
    found = block_samples(table, contrast, facts, "donor")
    case, control = table.expression[::2], table.expression[1::2]
    np.testing.assert_allclose(t_of_trait(found), stats.ttest_rel(case, control).statistic, 1e-10)
    assert found.table is table
    assert len(found.columns) == 11
    assert list(found.columns)[:2] == ["Donor: P1", "Donor: P10"]
    text = "12 pairs by 'Donor': 12 cases against 12 controls"
    assert found.contrast.summary["text"] == text
    assert found.warnings == ()


def test_pairs_go_through_the_design_of_the_analysis() -> None:
    table, contrast, facts = cohort([1.0, 0.0] * 4, [f"P{i // 2}" for i in range(8)])
    found = block_samples(table, contrast, facts, "donor")
    design = build_design(found.table, found.contrast, (), None, found.columns)
    assert design.names == ("Intercept", "Donor: P1", "Donor: P2", "Donor: P3", "Asthma")
    assert design.warnings == ()


def test_samples_without_partner_or_value_are_kept() -> None:
    donors = ["A", "A", "B", "B", "C", "C", "D", "E", "E", None, "unknown"]
    trait = [1.0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0]
    table, contrast, facts = cohort(trait, donors)
    found = block_samples(table, contrast, facts, "Donor")
    assert found.table is table and found.columns == {}
    assert found.contrast.rows.tolist() == list(range(11))
    assert found.correlated is not None
    # Samples without a value are people of their own.
    assert found.correlated.tolist() == [0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 6]
    summary = found.contrast.summary
    assert summary["group_sizes"] == {"case": 5, "control": 6}
    assert summary["samples"]["left_out"] == []
    text = "3 of 7 people with a comparison by 'Donor': 5 cases against 6 controls"
    assert summary["text"] == text
    assert found.record["design"] == "correlated"
    assert found.record["without_comparison"] == 5
    assert found.record["without_value"] == 2
    assert set(found.record["members"]) == {"A", "B", "C", "E"}
    assert "5 samples have no partner by 'Donor'; all samples are kept" in found.warnings[0]
    assert "2 samples without a value of 'Donor' count as people of" in found.warnings[1]


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["03-212A", "03-212B", "04-101A", "04-101B", "04-7A", "04-7B"], "03-212"),
        (["P7_T", "P7_N", "P8_T", "P8_N", "P12_T", "P12_N"], "P7"),
    ],
)
def test_pairs_that_only_a_suffix_distinguishes(values: list[str], first: str) -> None:
    table, contrast, _ = cohort([1.0, 0.0] * 3, ["A", "A", "B", "B", "C", "C"])
    facts: Facts = {"Donor": dict(zip(table.samples, values, strict=True))}
    found = block_samples(table, contrast, facts, "donor")
    assert found.record["design"] == "paired" and found.record["suffix"]
    assert found.record["members"][first] == ["GSM0", "GSM1"]
    case, control = table.expression[::2], table.expression[1::2]
    np.testing.assert_allclose(t_of_trait(found), stats.ttest_rel(case, control).statistic, 1e-10)


def test_samples_without_a_person_leave_pairs_with_a_suffix() -> None:
    values = ["P7_T", "P7_N", "P8_T", "P8_N", "P12_T", "P12_N", None, None]
    table, contrast, _ = cohort([1.0, 0.0] * 4, ["A", "A", "B", "B", "C", "C", "D", "D"])
    facts: Facts = {"Donor": dict(zip(table.samples, values, strict=True))}
    found = block_samples(table, contrast, facts, "donor")
    assert found.record["design"] == "correlated" and found.record["suffix"]
    assert set(found.record["members"]) == {"P7", "P8", "P12"}


def test_blocks_of_several_samples_are_no_pairs_in_the_text() -> None:
    donors = ["A", "A", "A", "B", "B", "C", "C"]
    table, contrast, facts = cohort([1.0, 0, 0, 1, 0, 1, 0], donors)
    found = block_samples(table, contrast, facts, "donor")
    text = "3 blocks by 'Donor': 3 cases against 4 controls"
    assert found.contrast.summary["text"] == text
    assert found.record["members"]["A"] == ["GSM0", "GSM1", "GSM2"]


def test_covariates_that_blocks_adjust_for_are_named() -> None:
    table, contrast, facts = cohort([1.0, 0.0] * 4, [f"P{i // 2}" for i in range(8)])
    ages = np.repeat([40.0, 50, 60, 70], 2)
    other = linked(
        table.trait_values, table.expression, {"Age": ages, "Gender": [0, 1, 0, 1, 0, 1, 0, 1]}
    )
    found = block_samples(other, contrast, facts, "donor")
    assert found.record["constant_within_blocks"] == ["Age"]


def test_repeats_become_their_mean() -> None:
    donors = ["A", "A", "A", "B", "C", "C", "D"]
    table, contrast, facts = cohort([1.0, 1, 1, 1, 0, 0, 0], donors)
    table.expression[0, 3] = np.nan
    table.expression[4:6, 4] = np.nan
    found = block_samples(table, contrast, facts, "donor")
    smaller = found.table
    assert smaller.samples == ("GSM0", "GSM3", "GSM4", "GSM6")
    np.testing.assert_allclose(smaller.expression[0, :3], table.expression[:3, :3].mean(axis=0))
    assert smaller.expression[0, 3] == pytest.approx(table.expression[1:3, 3].mean())
    assert np.isnan(smaller.expression[2, 4])
    np.testing.assert_array_equal(smaller.expression[1], table.expression[3])
    age = table.covariates["Age"]
    np.testing.assert_allclose(
        smaller.covariates["Age"], [age[:3].mean(), age[3], age[4:6].mean(), age[6]]
    )
    assert found.contrast.values.tolist() == [1, 1, 0, 0]
    assert found.contrast.rows.tolist() == [0, 1, 2, 3]
    assert found.columns == {}
    assert "7 samples became 4" in found.warnings[0]
    assert found.record["design"] == "averaged"
    assert found.record["members"] == {"A": ["GSM0", "GSM1", "GSM2"], "C": ["GSM4", "GSM5"]}
    text = "means of repeated samples by 'Donor': 2 cases against 2 controls"
    assert found.contrast.summary["text"] == text


def test_values_that_all_occur_once() -> None:
    table, contrast, facts = cohort([1.0, 0, 1, 0], ["A", "B", "C", None])
    with pytest.raises(AnalysisError, match="every value occurs once"):
        block_samples(table, contrast, facts, "donor")


def test_characteristic_without_any_value() -> None:
    table, contrast, facts = cohort([1.0, 0, 1, 0], ["NA", "", None, "unknown"])
    with pytest.raises(AnalysisError, match="no sample has a value"):
        block_samples(table, contrast, facts, "donor")


def test_two_pairs_are_too_few() -> None:
    table, contrast, facts = cohort([1.0, 0, 1, 0, 1, 0], ["A", "A", "B", "B", "C", "D"])
    with pytest.raises(AnalysisError, match="only 2 of 4 values of 'Donor' have a case"):
        block_samples(table, contrast, facts, "donor")


def test_averages_that_leave_one_case() -> None:
    table, contrast, facts = cohort([1.0, 1, 0, 0, 0], ["A", "A", "B", "C", "D"])
    with pytest.raises(AnalysisError, match="1 cases and 3 controls are left"):
        block_samples(table, contrast, facts, "donor")


def test_unknown_characteristic_lists_those_there_are() -> None:
    table, contrast, facts = cohort([1.0, 0, 1, 0], ["A", "A", "B", "B"])
    with pytest.raises(UsageError, match=r"no characteristic 'patient'.*use one of Donor"):
        block_samples(table, contrast, facts, "patient")
    with pytest.raises(UsageError, match="age or gender none varies"):
        block_samples(table, contrast, {}, "donor")


def test_patient_of_tcga_barcodes() -> None:
    table, _, _ = cohort([1.0, 0.0] * 3, ["A"] * 6)
    barcodes = [f"TCGA-05-000{i // 2}-{'01' if i % 2 == 0 else '11'}" for i in range(6)]
    tcga = LinkedTable(
        table.trait,
        tuple(barcodes),
        table.trait_values,
        table.covariates,
        table.genes,
        table.expression,
    )
    contrast = choose_contrast(tcga, {}, "auto")
    found = block_samples(tcga, contrast, {}, "Patient")
    assert list(found.columns) == ["patient: TCGA-05-0001", "patient: TCGA-05-0002"]
    with pytest.raises(UsageError, match="use one of patient"):
        block_samples(tcga, contrast, {}, "donor")


def test_measured_trait_that_varies_within_donors() -> None:
    trait = [1.0, 2.5, 4, 2, 3, 5, 7]
    donors = ["A", "A", "A", "B", "B", "C", "C"]
    table, contrast, facts = cohort(trait, donors)
    found = block_samples(table, contrast, facts, "donor")
    assert list(found.columns) == ["Donor: B", "Donor: C"]
    values = np.array(trait)
    assert found.contrast.trait_sd == pytest.approx(values.std(ddof=1))
    np.testing.assert_allclose(
        found.contrast.values, (values - values.mean()) / values.std(ddof=1), atol=1e-12
    )
    # Frisch-Waugh: the same as a regression on deviations from the donors' means.
    group = np.array(donors)
    centre = np.array([(group == d) / (group == d).sum() for d in group])
    x = values - centre @ values
    y = table.expression - centre @ table.expression
    slope = x @ y / (x @ x)
    error = np.sqrt(((y - np.outer(x, slope)) ** 2).sum(axis=0) / 3 / (x @ x))
    np.testing.assert_allclose(t_of_trait(found), slope / error, rtol=1e-10)
    assert found.contrast.summary["text"].startswith("3 blocks by 'Donor': 7 samples, per")


def test_measured_trait_that_varies_within_some_donors_keeps_the_others() -> None:
    trait = [1.0, 2.5, 4, 2, 3, 5, 7, 9, 9]
    table, contrast, facts = cohort(trait, ["A", "A", "A", "B", "B", "C", "C", "D", "D"])
    found = block_samples(table, contrast, facts, "donor")
    assert found.correlated is not None
    assert found.correlated.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert found.columns == {} and len(found.contrast.rows) == 9


def test_measured_trait_that_is_the_same_within_donors_is_averaged() -> None:
    table, contrast, facts = cohort([1.0, 1, 3, 4, 7, 7], ["A", "A", "B", "C", "D", "D"])
    found = block_samples(table, contrast, facts, "donor")
    assert found.table.trait_values.tolist() == [1, 3, 4, 7]
    assert found.contrast.trait_mean == pytest.approx(3.75)
    assert found.contrast.summary["samples"]["all"] == ["GSM0", "GSM2", "GSM3", "GSM4"]


def test_healthy_controls_stay_healthy_in_the_summary() -> None:
    table, _, facts = cohort([1.0, 0.0] * 6, [f"P{i // 2}" for i in range(12)])
    roles = {s: "healthy control" for s in table.samples[1::2]}
    contrast = choose_contrast(table, roles, "healthy")
    found = block_samples(table, contrast, facts, "donor")
    summary = found.contrast.summary
    assert summary["text"] == "6 pairs by 'Donor': 6 cases against 6 healthy controls"
    assert summary["healthy_controls"] == 6


@pytest.mark.parametrize("donors", [["A", "A", "B", "B", "C", "C"], ["A", "B", "A", "B", "C", "D"]])
def test_record_and_summary_are_json(donors: list[str]) -> None:
    table, contrast, facts = cohort([1.0, 0, 1, 0, 1, 0], list(donors))
    found = block_samples(table, contrast, facts, "donor")
    for content in (found.record, dict(found.contrast.summary)):
        assert json.loads(json.dumps(content, allow_nan=False)) == content


def test_controls_of_some_kind_are_not_counted_when_some_were_averaged() -> None:
    table, _, facts = cohort([1.0, 1, 0, 0, 0], ["A", "B", "C", "C", "D"])
    contrast = choose_contrast(table, {"GSM2": "other disease"}, "all")
    found = block_samples(table, contrast, facts, "donor")
    assert found.contrast.summary["other_disease_controls"] is None
    assert found.contrast.summary["healthy_controls"] == 0
