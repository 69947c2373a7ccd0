import numpy as np
import pytest
from numpy.typing import ArrayLike

from genotex.analysis import Design, build_design, choose_contrast, independent_columns
from genotex.errors import AnalysisError
from tests.analysis.cohort_tables import linked

TRAIT = [0, 0, 0, 0, 1, 1, 1, 1]
AGE = [30, 40, 50, 60, 35, 45, 55, 70]
GENDER = [0, 1, 0, 1, 0, 1, 1, 0]


def design(
    condition: str | None = None, trait: ArrayLike = tuple(TRAIT), **covariates: ArrayLike
) -> Design:
    table = linked(trait, np.zeros((len(np.asarray(trait)), 1)), covariates)
    contrast = choose_contrast(table, {}, "auto")
    return build_design(table, contrast, ("Age", "Gender"), condition)


def test_intercept_covariates_and_trait_in_this_order() -> None:
    found = design(Age=AGE, Gender=GENDER)
    assert found.names == ("Intercept", "Age", "Gender", "Asthma")
    np.testing.assert_array_equal(found.matrix[:, 3], TRAIT)
    assert found.interaction is None
    assert found.warnings == ()


def test_condition_comes_first_and_brings_its_interaction() -> None:
    found = design("Gender", Age=AGE, Gender=GENDER)
    assert found.names == ("Intercept", "Gender", "Age", "Asthma")
    assert found.interaction is not None
    product = (np.array(GENDER) - 0.5) * (np.array(TRAIT) - 0.5)
    np.testing.assert_allclose(found.interaction, product)


def test_missing_age_becomes_the_mean_and_missing_gender_the_mode() -> None:
    age = [30, np.nan, 50, 60, 35, 45, 55, 85]
    gender = [0, 1, 0, np.nan, 0, 1, 1, 0]
    found = design(Age=age, Gender=gender)
    assert found.matrix[1, 1] == pytest.approx(np.nanmean(age))
    assert found.matrix[3, 2] == 0
    assert found.filled == {"Age": 1, "Gender": 1}


def test_age_mostly_unknown_is_left_out() -> None:
    found = design(Age=[30, np.nan, np.nan, np.nan, 35, 45, np.nan, np.nan])
    assert found.names == ("Intercept", "Asthma")
    assert "known for 3 of 8 samples" in found.warnings[0]


@pytest.mark.parametrize(
    ("gender", "group"),
    [([0, 1, 0, 1, 1, 1, 1, 1], "cases"), ([0, 0, 0, 0, 1, 0, 1, 0], "controls")],
)
def test_gender_constant_in_one_group_is_left_out(gender: list[int], group: str) -> None:
    found = design(Gender=gender)
    assert found.names == ("Intercept", "Asthma")
    assert f"does not vary among the {group}" in found.warnings[0]


def test_gender_that_equals_the_trait_is_left_out_not_the_trait() -> None:
    assert design(Gender=TRAIT).names == ("Intercept", "Asthma")


def test_age_that_equals_a_measured_trait_is_left_out() -> None:
    found = design(trait=AGE, Age=AGE)
    assert found.names == ("Intercept", "Asthma")
    assert "cannot be distinguished" in found.warnings[0]


def test_age_that_separates_the_groups_stays() -> None:
    found = design(Age=[30, 31, 32, 33, 70, 71, 72, 74])
    assert found.names == ("Intercept", "Age", "Asthma")


def test_constant_condition_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="Gender does not vary among the 8 samples"):
        design("Gender", Gender=[1] * 8)


def test_condition_mostly_unknown_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="Age is known for 3 of the 8 samples"):
        design("Age", Age=[30, np.nan, np.nan, np.nan, 35, 45, np.nan, np.nan])
    assert design("Age", Age=[30, np.nan, np.nan, 40, 35, 45, np.nan, np.nan]).filled == {"Age": 4}


def test_condition_that_the_cohort_lacks_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="the cohort has no Age"):
        design("Age", Gender=GENDER)


def test_condition_that_equals_the_trait_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="cannot be separated"):
        design("Gender", Gender=TRAIT)


def test_condition_that_varies_in_one_group_only_has_no_interaction() -> None:
    found = design("Gender", Gender=[0, 0, 0, 0, 1, 0, 1, 0])
    assert found.names == ("Intercept", "Gender", "Asthma")
    assert found.interaction is None
    assert "interaction with Gender is not tested" in found.warnings[0]


def test_six_samples_leave_room_for_both_covariates() -> None:
    found = design(trait=TRAIT[1:7], Age=AGE[1:7], Gender=GENDER[1:7])
    assert found.names == ("Intercept", "Age", "Gender", "Asthma")


def test_five_samples_leave_room_for_one_covariate() -> None:
    found = design(trait=TRAIT[2:7], Age=AGE[2:7], Gender=[0, 1, 0, 1, 1])
    assert found.names == ("Intercept", "Age", "Asthma")
    assert found.warnings == ("Gender is not adjusted for: 5 samples are too few.",)


def test_samples_too_few_for_the_condition() -> None:
    with pytest.raises(AnalysisError, match="4 samples are too few for 3 coefficients"):
        design("Age", trait=[0, 0, 1, 1], Age=[30, 40, 50, 65])


def test_independent_columns_are_found_whatever_their_scale() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 9))
    matrix = np.column_stack([a, 1e-6 * b, 1e6 * (a + b), np.zeros(9), np.ones(9)])
    assert independent_columns(matrix).tolist() == [True, True, False, False, True]
