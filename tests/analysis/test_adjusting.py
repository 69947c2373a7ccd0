"""What is adjusted for, and what is said of it: pairs, batches, named characteristics."""

import numpy as np
import pytest

from genotex.analysis import AnalysisOptions, AnalysisResult, analyze_table
from genotex.bench.problems import Problem
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable
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
    told = "The pairs by 'donor' already adjust for Age, Gender: the same in all samples of a pair."
    assert told in result.warnings
    assert result.method["pair"]["adjusts_for"] == ["Age", "Gender"]
    # Level by level, the pairs say all that the age says.
    plain = solve(table, facts, pair="donor")
    both = result.genes.join(plain.genes, on="Variable")
    np.testing.assert_allclose(both["p"].drop_nulls(), both["p_right"].drop_nulls(), rtol=1e-8)


def test_condition_that_is_the_trait_within_pairs_is_refused() -> None:
    table, facts = pairs(8)
    table.covariates["Age"][:] += 3 * table.trait_values
    with pytest.raises(AnalysisError, match="within pairs Asthma and Age cannot be told apart"):
        solve(table, facts, "Age", "donor")


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
    assert any("cannot be told apart; 'tissue' is not adjusted for" in w for w in result.warnings)


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


def test_sex_that_only_a_characteristic_tells_is_taken_from_it() -> None:
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
    said = f"'{key}': its numbers are taken as {taken}."
    assert (said in result.warnings) is (columns > 1)


def test_named_measurement_that_goes_with_the_trait_is_warned_of_once() -> None:
    table = two_groups(samples=60)
    rin = np.random.default_rng(1).normal(size=60) + 1.5 * table.trait_values
    facts: Facts = {"rin": {s: f"{v:.3f}" for s, v in zip(table.samples, rin, strict=True)}}
    result = solve(table, facts, covariates=("rin",))
    [warning] = [w for w in result.warnings if "rin" in w]
    assert "hard to tell apart; 'rin' is adjusted for" in warning


def test_three_samples_of_each_donor_give_no_prediction_quality() -> None:
    """Neighbours know the trait of a donor: a null trait would be predicted nearly always."""
    rng = np.random.default_rng(0)
    donor = np.repeat(np.arange(20), 3)
    values = 8 + rng.normal(size=(20, 300))[donor] + 0.5 * rng.normal(size=(60, 300))
    table = linked(donor % 2, values)
    facts = {"donor id": {s: f"D{d}" for s, d in zip(table.samples, donor, strict=True)}}
    options = AnalysisOptions(hidden="none")
    detected = analyze_table(table, {}, Problem("Asthma"), options)
    recorded = analyze_table(table, {}, Problem("Asthma"), options, facts)
    for found in (detected, recorded):
        assert found.cv_performance == {}
        notes = found.method["panel"]["notes"]
        assert any("No prediction quality: some people" in note for note in notes)
    assert detected.method["panel"]["genes"] == recorded.method["panel"]["genes"]
