import numpy as np

from genotex.analysis.checks import (
    check_contrast,
    check_p_values,
    check_scale,
    covariate_association,
)
from genotex.analysis.contrast import choose_contrast
from genotex.analysis.multiple_testing import benjamini_hochberg, excess_near_one, null_share
from tests.analysis.cohort_tables import linked


def test_small_group_is_told() -> None:
    table = linked([0] * 20 + [1] * 6, np.zeros((26, 1)))
    [warning] = check_contrast(table, choose_contrast(table, {}, "auto"))
    assert warning.startswith("The smaller group has 6 samples")


def test_gender_that_goes_with_the_trait_is_told() -> None:
    trait = np.repeat([0, 1], 12)
    gender = np.r_[np.repeat([0, 1], [10, 2]), np.repeat([0, 1], [2, 10])]
    table = linked(trait, np.zeros((24, 1)), {"Gender": gender, "Age": np.tile(range(12), 2)})
    [warning] = check_contrast(table, choose_contrast(table, {}, "auto"))
    # R: fisher.test(matrix(c(10, 2, 2, 10), 2))$p.value = 0.003298
    assert "Asthma goes with Gender" in warning
    assert "p = 0.0033" in warning


def test_association_of_a_measured_trait_with_age_is_by_ranks() -> None:
    age = np.array([30.0, 41, 55, 62, 70, 38])
    name, p = covariate_association(np.exp(age / 10), age, binary=False)
    assert name.startswith("Spearman")
    assert p < 1e-6


def test_values_that_are_no_logarithms_are_told() -> None:
    assert "highest is 9000" in check_scale(np.array([[3.0, 9000.0], [np.nan, 4.0]]))[0]
    assert check_scale(np.array([[3.0, 15.0]])) == []
    assert check_scale(np.full((2, 2), np.nan)) == []


def test_calm_p_values_give_no_warning() -> None:
    p = (np.arange(1000) + 0.5) / 1000
    assert check_p_values(p, 0) == []
    assert null_share(p) == 1.0
    assert 0.95 < excess_near_one(p) < 1.05


def test_excess_of_p_values_near_one_is_told() -> None:
    p = np.r_[np.linspace(0, 1, 500), np.linspace(0.9, 1, 500)]
    assert "not flat on the right" in check_p_values(p, 0)[0]


def test_p_values_that_still_fall_near_one_are_told() -> None:
    p = 1 - np.linspace(0, 1, 1000) ** (1 / 3)
    assert "still falls on the right" in check_p_values(p, 0)[0]


def test_more_than_half_of_all_genes_significant_is_told() -> None:
    p = np.r_[np.full(300, 1e-9), np.linspace(0, 1, 200)]
    assert "300 of 500 genes are significant" in check_p_values(p, 300)[0]


def test_few_genes_say_nothing_of_a_histogram() -> None:
    assert check_p_values(np.full(100, 0.99), 100) == []


def test_no_p_values_at_all() -> None:
    assert benjamini_hochberg(np.zeros(0)).shape == (0,)
    assert null_share(np.zeros(0)) == 1.0
