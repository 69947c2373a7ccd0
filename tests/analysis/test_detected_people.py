"""Analyses that block on people who are detected by the correlation of their samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import (
    AnalysisResult,
    CohortData,
    Comparison,
    analyze_table,
    block_detected,
    block_samples,
    choose_contrast,
    set_up_comparison,
)
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.sample_cohorts import clean_cohort, repeated_people

FAST = AnalysisOptions(panel=False, hidden="none")
DETECTED, INDEPENDENT = replace(FAST, pair="detected"), replace(FAST, pair="none")


def analyze(
    table: LinkedTable, options: AnalysisOptions, **facts: dict[str, str]
) -> AnalysisResult:
    named = {key.replace("_", " "): dict(values) for key, values in facts.items()}
    return analyze_table(table, {}, Problem("Asthma"), options, named)


def comparison(table: LinkedTable, options: AnalysisOptions) -> Comparison:
    return set_up_comparison(CohortData(table), Problem("Asthma"), options)


def with_trait(table: LinkedTable, *values: float) -> LinkedTable:
    return replace(table, trait_values=np.resize(np.array(values), len(table.samples)))


def people_of(table: LinkedTable, each: int) -> dict[str, str]:
    return {sample: f"P{i // each}" for i, sample in enumerate(table.samples)}


@pytest.mark.parametrize("seed", range(5))
def test_null_of_ten_patients_in_triplicate_finds_nothing_unless_asked(seed: int) -> None:
    table = repeated_people(seed=seed)
    plain, averaged = analyze(table, INDEPENDENT), analyze(table, FAST)
    assert plain.method["significant"] > 0
    assert any("adjust with --pair detected" in w for w in plain.warnings)
    assert averaged.method["significant"] == 0
    assert averaged.method["pair"]["design"] == "averaged"
    assert any("--pair none takes them as independent" in w for w in averaged.warnings)


def test_detected_people_give_what_recorded_people_give() -> None:
    table = repeated_people()
    known = analyze(table, replace(FAST, pair="patient id"), patient_id=people_of(table, 3))
    detected = analyze(table, DETECTED)
    assert detected.genes.equals(known.genes)
    record = detected.method["pair"]
    assert record["key"] == "detected" and record["samples"] == 10 == record["blocks"]
    assert record["members"]["block 1"] == ["GSM0", "GSM1", "GSM2"]
    assert detected.method["contrast"]["text"].startswith(
        "means of repeated samples detected by correlation: 5 cases against 5 controls"
    )


def test_people_on_both_sides_are_not_averaged_unless_asked() -> None:
    table = with_trait(repeated_people(12, 2), 0, 1)
    plain, alone = analyze(table, FAST), analyze(table, INDEPENDENT)
    assert "pair" not in plain.method and plain.genes.equals(alone.genes)


def test_samples_without_a_person_are_people_of_their_own() -> None:
    table = repeated_people(12, 2)
    some = {sample: name for sample, name in people_of(table, 2).items() if name != "P3"}
    found = analyze(table, FAST, patient_id=some)
    assert found.method["pair"]["key"] == "patient id"
    assert found.method["pair"]["samples"] == 13
    # Families share genes, not samples.
    assert analyze(table, FAST, family=some).method["pair"]["key"] == "detected"


def test_people_recorded_once_each_are_not_detected() -> None:
    table = repeated_people(12, 2)
    alone = {sample: f"P{i}" for i, sample in enumerate(table.samples)}
    assert "pair" not in analyze(table, FAST, patient_id=alone).method


def test_warnings_name_detected_people_and_their_treatment_instead_of_independence() -> None:
    warnings = analyze(repeated_people(), DETECTED).warnings
    (found,) = [w for w in warnings if w.startswith("Repeated samples suspected")]
    assert "30 of the 30 samples fall into 10 blocks of 3" in found
    assert not any("as independent" in warning for warning in warnings)
    assert (
        "30 samples became 10: the samples of one person, detected by correlation, are repeats "
        "and were averaged." in warnings
    )


def test_complete_pairs_are_compared_within_people() -> None:
    table = with_trait(repeated_people(12, 2), 0, 1)
    record = analyze(table, DETECTED).method["pair"]
    assert record["design"] == "paired" and record["blocks"] == 12


def test_incomplete_pairs_keep_all_samples_as_correlated() -> None:
    both = with_trait(repeated_people(18, 2), 0, 1, 1, 0)
    kept = [i for i in range(36) if i < 24 or i % 2]
    table = replace(
        both,
        samples=tuple(both.samples[i] for i in kept),
        trait_values=both.trait_values[kept],
        expression=both.expression[kept],
    )
    result = analyze(table, DETECTED)
    record = result.method["pair"]
    assert record["design"] == "correlated" and record["samples"] == 30
    assert 0.4 < record["correlation"] < 0.95
    assert any(
        "samples have no partner detected by correlation; all samples are kept" in w
        for w in result.warnings
    )
    assert "people with a comparison detected by correlation" in result.method["contrast"]["text"]


def test_without_detected_people_nothing_changes_and_a_warning_states_it() -> None:
    table = clean_cohort()
    plain, asked = analyze(table, FAST), analyze(table, DETECTED)
    assert plain.genes.equals(asked.genes) and "pair" not in asked.method
    (warning,) = set(asked.warnings) - set(plain.warnings)
    assert warning.startswith("--pair detected changes nothing: no repeated people were found")


def test_too_few_samples_to_detect_anybody_are_said() -> None:
    warnings = analyze(clean_cohort(6), DETECTED).warnings
    assert any("6 samples are too few; 8 are needed, so samples" in w for w in warnings)


def test_controls_stay_as_chosen_when_people_are_detected() -> None:
    table = repeated_people(12, 2)
    roles = {
        sample: "healthy control" if i < 14 else "other disease"
        for i, sample in enumerate(table.samples)
    }
    result = analyze_table(table, roles, Problem("Asthma"), DETECTED)  # type: ignore[arg-type]
    assert result.method["contrast"]["controls"] == "healthy"


def test_recorded_people_are_named_as_safer() -> None:
    table = with_trait(repeated_people(12, 2), 0, 1)
    warnings = analyze(table, DETECTED, patient_id=people_of(table, 2)).warnings
    assert any("--pair 'patient id' is safer" in w for w in warnings)
    assert not any("take samples as independent" in w for w in warnings)


def test_two_people_taken_for_one_are_divided_by_the_trait() -> None:
    table = repeated_people()
    contrast = choose_contrast(table, {}, "auto")
    people = people_of(table, 3)
    joined = {sample: "P0" if name == "P1" else name for sample, name in people.items()}
    found = block_detected(table, contrast, joined)
    right = block_samples(table, contrast, {"patient": dict(people)}, "patient")
    assert found.table.samples == right.table.samples
    np.testing.assert_array_equal(found.table.expression, right.table.expression)


def test_one_detected_pair_is_too_few_to_block_on() -> None:
    table = clean_cohort()
    found = block_detected(table, choose_contrast(table, {}, "auto"), {"GSM0": "a", "GSM1": "a"})
    assert found.record == {} and found.table is table
    assert "the trait varies in only 1 of the detected blocks" in found.warnings[0]


def test_people_who_leave_one_case_are_an_error() -> None:
    table = clean_cohort(8)
    cases = {s: "a" for s, value in zip(table.samples, table.trait_values, strict=True) if value}
    with pytest.raises(AnalysisError, match=r"detected by correlation are averaged, 1 cases and 4"):
        block_detected(table, choose_contrast(table, {}, "auto"), cases)


def test_panel_may_be_judged_once_repeats_are_averaged_but_not_with_correlated_ones() -> None:
    table = repeated_people(12, 2)
    assert comparison(table, INDEPENDENT).repeated
    assert not comparison(table, DETECTED).repeated
    assert not comparison(table, FAST).repeated
    mixed = with_trait(table, *[0.0, 1.0] * 4, *[0.0] * 16)
    assert comparison(mixed, DETECTED).repeated
