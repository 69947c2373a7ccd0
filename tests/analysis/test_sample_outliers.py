"""Samples that differ from the others as a whole, and samples that are nearly the same."""

import numpy as np
import pytest

from genotex.analysis import find_nearly_identical, find_outliers
from tests.analysis.sample_cohorts import changed, check, clean_cohort, profiles


@pytest.mark.parametrize("samples", [6, 8, 20, 60])
def test_clean_cohort_has_no_outlier_and_no_copy(samples: int) -> None:
    for seed in range(5):
        cohort = profiles(clean_cohort(samples, seed=seed))
        assert find_outliers(cohort).reasons == {}
        assert find_nearly_identical(cohort) == ()


def test_noisy_array_is_far_from_its_group() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[4] += np.random.default_rng(1).normal(0, 1.5, values.shape[1])
    found = find_outliers(profiles(changed(table, values)))
    assert list(found.reasons) == [4]
    assert (
        "times as far from the other controls as these are from each other" in found.reasons[4][0]
    )
    assert found.distance[4] > 1.6


def test_compressed_range_is_named() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[7] = 8 + 0.6 * (values[7] - 8)
    found = find_outliers(profiles(changed(table, values)))
    assert list(found.reasons) == [7]
    assert any("compressed to 0.6" in reason for reason in found.reasons[7])


def test_other_level_is_named() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[2] += 3
    found = find_outliers(profiles(changed(table, values)))
    assert list(found.reasons) == [2]
    assert any("distributed differently (median +3" in reason for reason in found.reasons[2])


def test_other_tissue_is_found() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[9] = np.random.default_rng(2).permutation(values[9])
    assert list(find_outliers(profiles(changed(table, values))).reasons) == [9]


def test_table_of_differences_has_no_range_to_judge() -> None:
    table = clean_cohort()
    centred = table.expression - table.expression.mean(axis=0)
    found = find_outliers(profiles(changed(table, centred)))
    assert found.reasons == {}
    assert np.isnan(found.range).all() and np.isnan(found.distribution).all()


def test_two_tissues_are_no_outliers_where_they_are_recorded() -> None:
    table = clean_cohort(24)
    values = table.expression.copy()
    values[:5] += np.random.default_rng(4).normal(0, 1.5, values.shape[1])
    assert check(changed(table, values)).outliers
    tissue = {s: "lung" if i < 5 else "blood" for i, s in enumerate(table.samples)}
    assert check(changed(table, values), {"tissue": tissue}).outliers == {}


def test_measures_are_robust_to_missing_values() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[4] += np.random.default_rng(1).normal(0, 1.5, values.shape[1])
    whole = find_outliers(profiles(changed(table, values)))
    values[np.random.default_rng(5).random(values.shape) < 0.1] = np.nan
    values[:, 17] = np.nan
    holed = find_outliers(profiles(changed(table, values)))
    assert list(holed.reasons) == [4]
    assert holed.distance == pytest.approx(whole.distance, rel=0.1)


def test_distances_are_those_of_the_definition() -> None:
    table = clean_cohort(8, 300)
    values = table.expression.copy()
    values[np.random.default_rng(6).random(values.shape) < 0.05] = np.nan
    cohort = profiles(changed(table, values))
    kept = values[:, cohort.expressed]
    direct = [[np.nanmean((a - b) ** 2) for b in kept] for a in kept]
    assert cohort.distances == pytest.approx(np.array(direct))


def test_copy_of_an_array_is_found_also_across_the_groups() -> None:
    table = clean_cohort()
    for other in (3, 5):  # Sample 3 is a case as 5 is, 2 a control.
        values = table.expression.copy()
        values[other] = values[2].round(1)
        (found,) = find_nearly_identical(profiles(changed(table, values)))
        assert found.places == (2, other)
        assert found.share < 0.02
        (warning,) = [w for w in check(changed(table, values)).warnings if "identical" in w]
        assert f"GSM2 and GSM{other}" in warning
        assert "so one is mislabelled" in warning


def test_array_three_times_is_one_group() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[[6, 8]] = values[4]
    (found,) = find_nearly_identical(profiles(changed(table, values)))
    assert found.places == (4, 6, 8)
    (warning,) = [w for w in check(changed(table, values)).warnings if "identical" in w]
    assert "GSM4, GSM6 and GSM8" in warning and "mislabelled" not in warning


def test_replicates_of_one_cell_line_are_not_copies() -> None:
    rng = np.random.default_rng(7)
    table = clean_cohort(6)
    effect = rng.normal(0, 1, len(table.genes))
    noise = rng.normal(0, 0.05, table.expression.shape)
    values = table.expression[0] + np.outer(table.trait_values, effect) + noise
    assert find_nearly_identical(profiles(changed(table, values))) == ()


def test_all_samples_identical() -> None:
    table = clean_cohort()
    same = changed(table, np.tile(table.expression[0], (20, 1)))
    found = check(same)
    assert found.outliers == {} and found.detected_blocks == {}
    assert "All samples are identical: there is nothing to compare." in found.warnings


def test_few_samples_are_not_judged() -> None:
    table = clean_cohort(4)
    assert find_outliers(profiles(table)).note.startswith("4 samples are too few")
    assert check(table).outliers == {}
