"""What is adjusted for: pairs, a known batch, named characteristics."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import (
    AnalysisResult,
    analyze_table,
    batch_columns,
    choose_contrast,
    find_characteristic,
    named_covariates,
)
from genotex.errors import AnalysisError, UsageError
from genotex.formats import LinkedTable, Role
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked, two_groups

Facts = dict[str, dict[str, str | None]]


def pairs(count: int, *, same: bool = True) -> tuple[LinkedTable, Facts]:
    """A case and a control of each donor; ages and genders are the donor's, unless not `same`."""
    table = two_groups(samples=2 * count)
    if same:
        for column in table.covariates.values():
            column[:] = np.repeat(column[::2], 2)
    return table, {"donor": {s: f"D{i // 2:02d}" for i, s in enumerate(table.samples)}}


def solve(
    table: LinkedTable,
    facts: Facts,
    condition: str | None = None,
    pair: str | None = None,
    covariates: tuple[str, ...] = ("Age", "Gender"),
) -> AnalysisResult:
    options = AnalysisOptions(panel=False, hidden="none", pair=pair, covariates=covariates)
    return analyze_table(table, {}, Problem("Asthma", condition), options, facts)


def test_three_pairs_and_a_condition_are_refused_with_the_reason() -> None:
    table, facts = pairs(3, same=False)
    with pytest.raises(AnalysisError, match=r"6 samples in 3 pairs.*without a condition"):
        solve(table, facts, "Age", "donor")
    # No room for age, but all pairs stay.
    result = solve(table, facts, pair="donor")
    assert result.method["design"] == ["Intercept", "donor: D01", "donor: D02", "Asthma"]
    assert "Age is not adjusted for: 6 samples are too few." in result.warnings


def test_condition_of_the_donor_is_held_by_the_pairs() -> None:
    table, facts = pairs(8)
    result = solve(table, facts, "Age", "donor")
    assert "Age" in result.method["design"]
    assert not any("donor: " in warning for warning in result.warnings)
    warning = (
        "The pairs by 'donor' already adjust for Age, Gender: the same in all samples of a pair."
    )
    assert warning in result.warnings
    assert result.method["pair"]["adjusts_for"] == ["Age", "Gender"]
    # Level by level, the pairs carry all that the age carries.
    plain = solve(table, facts, pair="donor")
    both = result.genes.join(plain.genes, on="Variable")
    np.testing.assert_allclose(both["p"].drop_nulls(), both["p_right"].drop_nulls(), rtol=1e-8)


def test_condition_that_is_the_trait_within_pairs_is_refused() -> None:
    table, facts = pairs(8)
    table.covariates["Age"][:] += 3 * table.trait_values
    with pytest.raises(AnalysisError, match="within pairs Asthma and Age cannot be separated"):
        solve(table, facts, "Age", "donor")


@pytest.mark.parametrize(("pair", "controls"), [("donor", 8), (None, 5)])
def test_pairs_keep_controls_that_are_not_known_as_healthy(pair: str | None, controls: int) -> None:
    # The control of a pair is often tissue next to the disease.
    table, facts = pairs(8)
    roles: dict[str, Role] = {
        sample: "case" if case else "healthy control" if i < 10 else "unknown"
        for i, (sample, case) in enumerate(zip(table.samples, table.trait_values, strict=True))
    }
    options = AnalysisOptions(panel=False, hidden="none", pair=pair)
    found = analyze_table(table, roles, Problem("Asthma"), options, facts)
    assert found.method["contrast"]["group_sizes"] == {"case": 8, "control": controls}


def test_batch_of_the_donor_is_held_by_the_pairs() -> None:
    table, facts = pairs(12)
    facts["batch"] = {s: "ab"[(i // 2) % 2] for i, s in enumerate(table.samples)}
    result = solve(table, facts, pair="donor")
    assert result.method["batch"] == {"adjusted": None, "not_adjusted": []}
    assert result.method["pair"]["adjusts_for"] == ["Age", "Gender", "batch"]
    assert any("already adjust for Age, Gender, 'batch'" in w for w in result.warnings)
    assert not any("not adjusted for" in w for w in result.warnings)


def test_characteristic_that_the_design_drops_is_not_called_adjusted_for() -> None:
    table = two_groups(samples=40)
    tissue = np.where(table.trait_values == 1, "lung", "blood")
    facts: Facts = {"tissue": dict(zip(table.samples, tissue.tolist(), strict=True))}
    result = solve(table, facts, covariates=("Age", "tissue"))
    assert result.method["covariates"] == ["Age"]
    assert result.method["batch"]["not_adjusted"] == ["tissue"]
    assert any("cannot be separated; 'tissue' is not adjusted for" in w for w in result.warnings)


def test_batch_that_another_characteristic_holds_is_adjusted_for() -> None:
    table = two_groups(samples=40)
    half = np.arange(40) // 2 % 2
    facts: Facts = {
        "batch": {s: str(b) for s, b in zip(table.samples, half, strict=True)},
        "site": {s: "xy"[b] for s, b in zip(table.samples, half, strict=True)},
    }
    result = solve(table, facts, covariates=("site",))
    assert result.method["covariates"] == ["site y"]
    assert result.method["adjusted_for"] == ["site"]
    assert result.method["batch"] == {"adjusted": "batch", "not_adjusted": []}
    assert "batch 1 has no column of its own: other columns adjust for it already." in (
        result.warnings
    )


@pytest.mark.parametrize("covariates", [("age", "SEX"), ("AGE", "gender", "Age")])
def test_age_and_gender_are_found_whatever_their_case(covariates: tuple[str, ...]) -> None:
    result = solve(two_groups(), {}, covariates=covariates)
    assert result.method["covariates"] == ["Age", "Gender"]


def test_sex_recorded_only_in_a_characteristic_is_taken_from_it() -> None:
    table = two_groups()
    del table.covariates["Gender"]
    facts: Facts = {"Sex": {s: "mf"[i // 2 % 2] for i, s in enumerate(table.samples)}}
    assert solve(table, facts, covariates=("sex",)).method["covariates"] == ["Sex f"]


@pytest.mark.parametrize(
    ("key", "codes", "taken"),
    [
        ("batch", 4, "4 groups"),
        ("plate", 10, "10 groups"),
        ("grade", 4, "4 groups"),
        ("weeks", 8, "number"),
    ],
)
def test_codes_are_groups_and_measurements_are_numbers(key: str, codes: int, taken: str) -> None:
    table = two_groups(samples=40)
    facts: Facts = {key: {s: str(1 + i // 2 % codes) for i, s in enumerate(table.samples)}}
    result = solve(table, facts, covariates=(key,))
    assert result.method["named_covariates"] == {key: taken}
    columns = 1 if taken == "number" else codes - 1
    assert len(result.method["covariates"]) == columns
    assert result.method["adjusted_for"] == [key]
    warning = f"'{key}': its numbers are taken as {taken}."
    assert (warning in result.warnings) is (columns > 1)


def test_named_measurement_that_goes_with_the_trait_is_warned_of_once() -> None:
    table = two_groups(samples=60)
    rin = np.random.default_rng(1).normal(size=60) + 1.5 * table.trait_values
    facts: Facts = {"rin": {s: f"{v:.3f}" for s, v in zip(table.samples, rin, strict=True)}}
    result = solve(table, facts, covariates=("rin",))
    [warning] = [w for w in result.warnings if "rin" in w]
    assert "hard to separate; 'rin' is adjusted for" in warning


def test_three_samples_of_each_donor_give_no_prediction_quality() -> None:
    """Neighbours know the trait of a donor: a null trait would be predicted nearly always."""
    rng = np.random.default_rng(0)
    donor = np.repeat(np.arange(20), 3)
    values = 8 + rng.normal(size=(20, 300))[donor] + 0.5 * rng.normal(size=(60, 300))
    table = linked(donor % 2, values)
    facts = {"donor id": {s: f"D{d}" for s, d in zip(table.samples, donor, strict=True)}}
    options = AnalysisOptions(hidden="none", pair="none")
    detected = analyze_table(table, {}, Problem("Asthma"), options)
    recorded = analyze_table(table, {}, Problem("Asthma"), options, facts)
    for found in (detected, recorded):
        assert found.cv_performance == {}
        notes = found.method["panel"]["notes"]
        assert any("No prediction quality: some people" in note for note in notes)
    assert detected.method["panel"]["genes"] == recorded.method["panel"]["genes"]


FAST = AnalysisOptions(panel=False, hidden="none")


def columns(key: str, values: Sequence[str | None], trait: Sequence[float]):  # type: ignore[no-untyped-def]
    table = linked(trait, np.zeros((len(trait), 1)))
    facts = {key: dict(zip(table.samples, values, strict=True))}
    return batch_columns(facts, table.samples, choose_contrast(table, {}, "auto"), 0)


def test_one_column_for_each_batch_but_the_largest() -> None:
    found = columns("Batch", ["a", "b", "b", "c"] * 6, [0, 1] * 12)
    assert found.key == "Batch"
    assert {name: int(column.sum()) for name, column in found.columns.items()} == {
        "Batch a": 6,
        "Batch c": 6,
    }


def test_batch_of_two_samples_is_adjusted_for() -> None:
    found = columns("batch", ["a"] * 22 + ["b"] * 2, [0, 1] * 12)
    assert found.columns["batch b"].tolist() == [0.0] * 22 + [1.0] * 2
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("values", "trait", "reason"),
    [
        (["a"] * 12 + ["b"] * 12, [0] * 12 + [1] * 12, "cannot be separated"),
        (["a"] * 23 + ["b"], [0, 1] * 12, "a single sample"),
        (["a"] * 12 + ["b"] * 11 + [None], [0, 1] * 12, "unknown for 1 samples"),
        (["a", "a", "b", "b"] * 3, [0, 1] * 6, "too few for 2 batches"),
    ],
)
def test_batches_that_cannot_be_adjusted_for(
    values: list[str | None], trait: list[float], reason: str
) -> None:
    found = columns("batch", values, trait)
    assert found.columns == {} and found.key is None
    assert reason in found.warnings[0]


def test_batch_that_cannot_be_used_does_not_hide_the_next_one() -> None:
    table = linked([0, 1] * 12, np.zeros((24, 1)))
    recorded: dict[str, list[str | None]] = {
        "batch a": [None] + ["x", "y"] * 11 + ["x"],
        "batch b": ["u", "u", "v", "v"] * 6,
        "batch c": ["u", "v", "v"] * 8,
    }
    facts = {key: dict(zip(table.samples, values, strict=True)) for key, values in recorded.items()}
    found = batch_columns(facts, table.samples, choose_contrast(table, {}, "auto"), 0)
    assert found.key == "batch b"
    assert found.warnings == (
        "The batch 'batch a' is not adjusted for: it is unknown for 1 samples.",
    )


@pytest.mark.parametrize("key", ["tissue", "combatant"])
def test_other_characteristics_are_no_batch(key: str) -> None:
    assert columns(key, ["a", "b"] * 12, [0, 1] * 12).columns == {}


def test_one_batch_only_is_none() -> None:
    found = columns("batch", ["a"] * 24, [0, 1] * 12)
    assert (found.columns, found.warnings) == ({}, ())


def test_other_covariates_leave_fewer_samples_for_batches() -> None:
    table = linked([0, 1] * 12, np.zeros((24, 1)))
    facts = {"batch": dict(zip(table.samples, ["a", "a", "b", "b"] * 6, strict=True))}
    contrast = choose_contrast(table, {}, "auto")
    assert batch_columns(facts, table.samples, contrast, 2).key == "batch"
    found = batch_columns(facts, table.samples, contrast, 18)
    assert found.warnings == (
        "The batch 'batch' is not adjusted for: 24 samples are too few for 2 batches.",
    )


def test_warning_of_a_batch_reaches_the_result() -> None:
    table = two_groups()
    facts: Facts = {"batch": {s: "ab"[i % 4 // 2] for i, s in enumerate(table.samples[1:])}}
    warning = "The batch 'batch' is not adjusted for: it is unknown for 1 samples."
    assert warning in solve(table, facts).warnings


def test_number_is_known_for_half_of_the_samples() -> None:
    names = [f"S{i}" for i in range(24)]
    numbers = [str(1.5 * i) for i in range(12)]
    found = named_covariates({"rin": dict(zip(names, numbers, strict=False))}, names, ["rin"])
    assert (dict(found.taken_as), dict(found.filled)) == ({"rin": "number"}, {"rin": 12})
    assert found.columns["rin"][12:].tolist() == [8.25] * 12
    found = named_covariates({"rin": dict(zip(names, numbers[:11], strict=False))}, names, ["rin"])
    assert found.warnings == ("'rin' is not adjusted for: it is unknown for 13 samples.",)


def test_whole_number_of_a_single_sample_is_no_code() -> None:
    names = [f"S{i}" for i in range(24)]
    grades = [str(1 + i % 4) for i in range(23)] + ["5"]
    found = named_covariates({"grade": dict(zip(names, grades, strict=True))}, names, ["grade"])
    assert (dict(found.taken_as), found.warnings) == ({"grade": "number"}, ())


def test_sex_of_the_table_comes_before_a_characteristic() -> None:
    table = two_groups()
    facts: Facts = {"Sex": {s: "mf"[i // 2 % 2] for i, s in enumerate(table.samples)}}
    assert solve(table, facts, covariates=("sex",)).method["covariates"] == ["Gender"]


def test_characteristic_that_never_varies_is_not_held_by_the_pairs() -> None:
    table, facts = pairs(8)
    facts["site"] = dict.fromkeys(table.samples, "x")
    found = solve(table, facts, pair="donor", covariates=("site",))
    reason = "'site' is not adjusted for: it does not vary among the samples compared."
    assert reason in found.warnings
    assert "site" not in found.method["pair"].get("adjusts_for", [])


def test_name_of_no_characteristic_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="age or gender: 'Plate', 'rin'"):
        find_characteristic({"Plate": {}, "rin": {}}, "batch")
    with pytest.raises(UsageError, match="age or gender: none"):
        find_characteristic({}, "batch")


def test_batch_effect_is_taken_out_of_the_comparison() -> None:
    """Half-confounded batch, no gene changed by the trait: false findings go with adjustment."""
    rng = np.random.default_rng(0)
    trait = np.repeat([0.0, 1.0], 30)
    batch = (rng.random(60) < np.where(trait == 1, 0.75, 0.25)).astype(float)
    values = rng.normal(8, 1, (60, 500)) + batch[:, None] * rng.normal(0, 2, 500)
    table = linked(trait, values)
    recorded = {s: f"run {b:g}" for s, b in zip(table.samples, batch, strict=True)}
    with_batch = analyze_table(table, {}, Problem("Asthma"), FAST, {"batch": recorded})
    without = analyze_table(
        table, {}, Problem("Asthma"), replace(FAST, batch=False), {"batch": recorded}
    )
    assert without.significant.height > 100
    assert with_batch.significant.height <= 5
    assert with_batch.method["batch"] == {"adjusted": "batch", "not_adjusted": []}
    assert "batch run 1" in with_batch.method["covariates"] or (
        "batch run 0" in with_batch.method["covariates"]
    )


def test_panel_with_a_batch() -> None:
    rng = np.random.default_rng(1)
    trait = np.tile([0.0, 1.0], 20)
    values = rng.normal(8, 1, (40, 50))
    values[:, 0] += 2 * trait
    table = linked(trait, values)
    recorded = {s: "b" if i % 20 < 3 else "a" for i, s in enumerate(table.samples)}
    result = analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(), {"batch": recorded})
    assert result.genes["Panel Coefficient"].is_not_null().any()
    assert result.method["batch"]["adjusted"] == "batch"


SAMPLES = [f"GSM{i}" for i in range(8)]


def values_of(values: list[str | None]) -> dict[str, str | None]:
    return dict(zip(SAMPLES, values, strict=True))


def test_characteristic_is_found_whatever_its_case() -> None:
    assert find_characteristic({"Patient ID": {}}, " patient id ") == "Patient ID"


def test_characteristic_the_cohort_lacks_is_named_with_those_it_has() -> None:
    with pytest.raises(UsageError, match=r"no characteristic 'bmi'.*'smoking'"):
        find_characteristic({"smoking": {}}, "bmi")


def test_numbers_are_taken_as_they_are_and_a_missing_one_becomes_the_mean() -> None:
    values = ["20", "22", "24", "26", "28", "30", "32", "n/a"]
    found = named_covariates({"bmi": values_of(values)}, SAMPLES, ["BMI"])
    assert found.columns["bmi"].tolist() == [20, 22, 24, 26, 28, 30, 32, 26]
    assert found.filled == {"bmi": 1}
    assert found.keys == ("bmi",)


def test_groups_become_a_column_each_but_the_largest() -> None:
    values = ["never"] * 4 + ["former"] * 2 + ["current"] * 2
    found = named_covariates({"smoking": values_of(values)}, SAMPLES, ["smoking"])
    assert list(found.columns) == ["smoking current", "smoking former"]
    assert found.columns["smoking former"].tolist() == [0, 0, 0, 0, 1, 1, 0, 0]


def test_two_numbers_only_are_groups() -> None:
    found = named_covariates({"batch": values_of(["1", "2"] * 4)}, SAMPLES, ["batch"])
    assert np.unique(found.columns["batch 2"]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["a"] * 4 + ["b"] * 3 + [None], "unknown for 1 samples"),
        (["a"] * 8, "does not vary"),
        ([f"P{i}" for i in range(8)], "8 different values for 8 samples"),
    ],
)
def test_groups_that_cannot_be_used_are_reported(values: list[str | None], why: str) -> None:
    found = named_covariates({"site": values_of(values)}, SAMPLES, ["site"])
    assert not found.columns and not found.keys
    assert why in found.warnings[0]
