"""Batches that go with the trait, and donors who gave several samples."""

from collections.abc import Sequence

import numpy as np
import pytest

from genotex.analysis import (
    FactChecks,
    associate_levels,
    check_sample_facts,
    choose_contrast,
    cramers_v,
    variance_inflation,
)
from tests.analysis.cohort_tables import linked

TWELVE_EACH = [0] * 12 + [1] * 12


def check(
    key: str,
    values: Sequence[str | None],
    trait: Sequence[float] = tuple(TWELVE_EACH),
    samples: Sequence[str] | None = None,
    adjusted: tuple[str, ...] = (),
) -> FactChecks:
    table = linked(trait, np.zeros((len(trait), 1)))
    names = samples or table.samples
    facts = {key: dict(zip(names, values, strict=True))} if key else {}
    return check_sample_facts(facts, names, choose_contrast(table, {}, "auto"), "Asthma", adjusted)


def test_batch_that_is_the_trait() -> None:
    found = check("batch", ["1"] * 12 + ["2"] * 12)
    [warning] = found.warnings
    assert "Asthma is confounded with the characteristic 'batch'" in warning
    assert "cannot be separated" in warning
    assert "'batch' is not adjusted for" in warning
    assert found.record[0]["strength"] == "complete"
    assert found.batches == ("batch",)


def test_batch_that_mostly_goes_with_the_trait() -> None:
    found = check("scan date", ["d1"] * 10 + ["d2"] * 2 + ["d1"] * 2 + ["d2"] * 10)
    [warning] = found.warnings
    # R: fisher.test(matrix(c(10, 2, 2, 10), 2))$p.value = 0.003329
    assert "Fisher's exact test, p = 0.0033" in warning
    assert "hard to separate" in warning


def test_batch_partly_confounded_is_flagged_and_another_characteristic_is_not() -> None:
    # 70 % of the cases and 30 % of the controls in the second batch: V about 0.4.
    trait = [0] * 40 + [1] * 40
    values = ["1"] * 28 + ["2"] * 12 + ["1"] * 12 + ["2"] * 28
    [warning] = check("batch", values, trait).warnings
    assert "'batch' is not adjusted for" in warning
    assert check("smoking", values, trait).warnings == ()


def test_balanced_batch_is_recorded_and_not_warned_of() -> None:
    found = check("batch", ["1", "2"] * 12)
    assert found.warnings == ()
    assert found.batches == ("batch",)
    assert found.record[0]["size"] == 0


def test_three_against_three_in_two_batches() -> None:
    [warning] = check("tissue", ["a"] * 3 + ["b"] * 3, [0, 0, 0, 1, 1, 1]).warnings
    assert "cannot be separated" in warning


def test_many_batches_are_not_warned_of_by_chance() -> None:
    flagged = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        values = [str(v) for v in rng.permutation(np.arange(24) % 8)]
        flagged += len(check("batch", values).warnings)
    # Each is tested at 0.05.
    assert flagged <= 8


def test_scan_times_of_one_day_are_one_batch() -> None:
    times = [f"2009-03-1{i // 12}T10:{i:02d}:00Z" for i in range(24)]
    [warning] = check("scan date", times).warnings
    assert "'scan date'" in warning


def test_twelve_samples_on_six_days_each_day_of_one_group() -> None:
    days = [f"2009-0{1 + i // 2}-01" for i in range(12)]
    [warning] = check("scan date", days, [0] * 6 + [1] * 6).warnings
    assert "every value occurs on one side only" in warning
    assert check("smoking", days, [0] * 6 + [1] * 6).warnings == ()


def test_days_with_both_groups_on_each_are_recorded_only() -> None:
    found = check("scan date", [f"2009-0{1 + i // 2}-01" for i in range(12)], [0, 1] * 6)
    assert found.warnings == ()
    assert found.batches == ("scan date",)


def test_processing_times_in_numbers_that_separate_the_groups() -> None:
    found = check("processing day", [f"{10 * i}" for i in range(24)])
    [warning] = found.warnings
    assert "AUC 1.00" in warning
    assert "the effects of the two cannot be separated; 'processing day' is not" in warning
    assert "every value" not in warning
    assert found.batches == ("processing day",)


def test_measurement_associated_with_the_trait_is_reported_as_a_question() -> None:
    rng = np.random.default_rng(0)
    rin = [f"{v:.2f}" for v in np.r_[rng.normal(4, 1, 12), rng.normal(8, 1, 12)]]
    [warning] = check("rin", rin).warnings
    assert "also associated with 'rin' (Mann-Whitney" in warning
    [warning] = check("rin", rin, adjusted=("rin",)).warnings
    assert "confounded with the characteristic 'rin'" in warning
    assert "'rin' is adjusted for" in warning


def test_numbers_that_name_the_samples_are_no_measurement() -> None:
    assert check("sample number", [str(i) for i in range(24)]) == FactChecks()
    assert check("sample number", [f"{i}.5" for i in range(24)]).record
    assert check("sample number", [str(i) for i in range(23)] + ["22"]).record


def test_measurements_and_days_are_seldom_flagged_by_chance() -> None:
    measured, days = 0, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        measured += len(check("bmi", [f"{v:.3f}" for v in rng.normal(27, 4, 24)]).warnings)
        days += len(check("scan date", [f"d{v}" for v in rng.permutation(24) // 2]).warnings)
    # Each is tested at 0.05; a question needs a strong association as well (p about 0.01).
    assert measured <= 8
    assert days <= 16


def test_other_characteristics_are_reported_as_questions() -> None:
    [warning] = check("smoking", ["yes"] * 11 + ["no"] + ["no"] * 12).warnings
    assert "also associated with 'smoking'" in warning
    assert "unless that is another name of the trait" in warning


def test_three_kinds_are_tested_as_groups_and_are_no_batches() -> None:
    found = check("smoking", ["a"] * 6 + ["b"] * 6 + ["c"] * 12)
    [warning] = found.warnings
    assert "also associated with 'smoking'" in warning
    assert found.batches == ()
    [warning] = check("smoking", ["a"] * 3 + ["b"] * 3, [0, 0, 0, 1, 1, 1]).warnings
    assert "also associated with 'smoking'" in warning


def test_batch_that_is_adjusted_for_is_no_batch_to_adjust_for() -> None:
    found = check("batch", ["1", "2"] * 12, adjusted=("batch",))
    assert (found.batches, found.record[0]["key"]) == ((), "batch")


def test_two_days_of_two_scans_each_on_one_side_may_be_chance() -> None:
    days = [f"2009-01-{i + 1:02d}" for i in range(24)]
    days[1], days[13] = days[0], days[12]
    [record] = check("scan date", days).record
    assert record["strength"] != "complete"
    assert record["values"] == 22


def test_measured_trait_and_batch_by_ranks() -> None:
    trait = [float(i) for i in range(24)]
    [warning] = check("batch", ["a"] * 12 + ["b"] * 12, trait).warnings
    # R: kruskal.test(0:23, rep(1:2, each = 12))$p.value = 3.225641e-05
    assert "Kruskal-Wallis test, p = 3.2e-05" in warning


@pytest.mark.parametrize("key", ["patient id", "donor", "Subject_ID", "individual", "matched pair"])
def test_donors_with_two_samples_each(key: str) -> None:
    [warning] = check(key, [f"P{i % 12}" for i in range(24)]).warnings
    assert warning.startswith("Paired or repeated samples suspected: 12 of the 12 values")
    assert "(24 samples in all)" in warning
    assert check(key, [f"P{i % 12}" for i in range(24)]).repeated
    assert not check(key, [f"P{i}" for i in range(24)]).repeated


def test_donors_by_initials_and_three_donors() -> None:
    [warning] = check("patient", ["JFK", "LBJ", "RMN", "GRF"] * 6).warnings
    assert "4 of the 4 values" in warning
    [warning] = check("patient", ["P1", "P2", "P3"] * 8).warnings
    assert "3 of the 3 values" in warning
    assert check("patient", ["P1", "P2"] * 12).repeated is False


def test_some_donors_with_two_samples() -> None:
    [warning] = check("patient", [f"P{min(i, 20)}" for i in range(24)]).warnings
    assert "1 of the 21 values" in warning
    assert "(4 samples in all)" in warning


def test_every_donor_once() -> None:
    assert check("patient id", [f"P{i}" for i in range(24)]).warnings == ()


def test_kinds_of_patients_are_no_patients() -> None:
    assert check("patient", ["adult", "child", "infant"] * 8).warnings == ()
    assert check("subject status", [f"s{i % 6}" for i in range(24)]).warnings == ()


def test_missing_words_are_no_donor() -> None:
    assert check("patient id", ["NA", None, "--", *(f"P{i}" for i in range(21))]).warnings == ()


def test_tumour_and_normal_of_the_same_tcga_patients() -> None:
    patients = [f"TCGA-A1-A0{i:02d}" for i in range(12)]
    samples = [f"{p}-11" for p in patients] + [f"{p}-01" for p in patients]
    [warning] = check("", [], samples=samples).warnings
    assert "12 of the 12 values of the patient part of the TCGA barcodes" in warning


def test_samples_outside_the_contrast_do_not_count() -> None:
    trait = [0, 0, 0, 0, 1, 1, 1, 1, np.nan, np.nan]
    assert check("patient id", [*(f"P{i}" for i in range(8)), "P0", "P1"], trait).warnings == ()


def test_characteristic_that_the_samples_lack() -> None:
    assert check("batch", [None] * 24) == FactChecks()


def test_cramers_v_has_no_bias() -> None:
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(200):
        place = rng.permutation(np.arange(30) % 10)
        table = np.array([np.bincount(place[s], minlength=10) for s in (slice(15), slice(15, 30))])
        sizes.append(cramers_v(table) ** 2)
    # Uncorrected it would be 9 / 29.
    assert np.mean(sizes) < 0.08


def test_batch_of_a_single_sample_is_complete_but_tested() -> None:
    found = associate_levels(np.array(TWELVE_EACH), ["a"] * 23 + ["b"], binary=True)
    assert not found.complete
    assert found.strength == ""


def test_variance_inflation_is_one_over_the_unexplained_share() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    explained = np.corrcoef(x, y)[0, 1] ** 2
    design = np.column_stack([np.ones(50), x, y])
    assert variance_inflation(design) == pytest.approx(1 / (1 - explained))
