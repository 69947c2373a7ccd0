import numpy as np
import pytest

from genotex.analysis.adjustment import find_characteristic, named_covariates
from genotex.errors import UsageError

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
