import numpy as np
import pytest
from scipy import stats

from genotex.analysis import (
    Design,
    benjamini_hochberg,
    build_design,
    check_covariates,
    check_groups,
    check_p_values,
    check_scale,
    choose_contrast,
    excess_near_one,
    null_share,
)
from genotex.formats import LinkedTable
from tests.analysis.cohort_tables import linked


def covariate_warnings(table: LinkedTable) -> list[str]:
    contrast = choose_contrast(table, {}, "auto")
    return check_covariates(table, contrast, build_design(table, contrast, ("Age", "Gender"), None))


def test_small_group_is_flagged() -> None:
    table = linked([0] * 20 + [1] * 6, np.zeros((26, 1)))
    [warning] = check_groups(choose_contrast(table, {}, "auto"))
    assert warning.startswith("The smaller group has 6 samples")


def test_gender_confounded_with_the_trait_is_flagged() -> None:
    trait = np.repeat([0, 1], 12)
    gender = np.r_[np.repeat([0, 1], [10, 2]), np.repeat([0, 1], [2, 10])]
    table = linked(trait, np.zeros((24, 1)), {"Gender": gender, "Age": np.tile(range(12), 2)})
    [warning] = covariate_warnings(table)
    # R: fisher.test(matrix(c(10, 2, 2, 10), 2))$p.value = 0.003329
    assert "Asthma is confounded with Gender" in warning
    assert "p = 0.0033" in warning
    # phi of that table: (100 - 4) / 144.
    assert "phi 0.67" in warning
    assert "hard to separate" in warning


def test_three_young_against_three_old_cannot_be_separated() -> None:
    table = linked([0, 0, 0, 1, 1, 1], np.zeros((6, 1)), {"Age": [20, 21, 22, 60, 61, 62]})
    [warning] = covariate_warnings(table)
    assert "is confounded with Age" in warning
    assert "AUC 1.00" in warning
    assert "cannot be separated" in warning


def test_two_years_among_six_hundred_are_not_worth_a_warning() -> None:
    ages = np.tile(np.linspace(40, 70, 300), 2)
    trait = np.repeat([0, 1], 300)
    table = linked(trait, np.zeros((600, 1)), {"Age": ages + 2 * trait})
    assert stats.mannwhitneyu(ages[:300], ages[300:] + 2).pvalue < 0.05
    assert covariate_warnings(table) == []


def test_ages_half_a_deviation_apart_are_flagged_when_chance_is_unlikely() -> None:
    ages = np.tile(np.linspace(40, 70, 50), 2)
    trait = np.repeat([0, 1], 50)
    [warning] = covariate_warnings(linked(trait, np.zeros((100, 1)), {"Age": ages + 8 * trait}))
    assert "Mann-Whitney" in warning


def test_covariate_that_is_not_adjusted_for_is_called_so() -> None:
    trait = [0, 0, 0, 0, 1, 1, 1, 1]
    [warning] = covariate_warnings(linked(trait, np.zeros((8, 1)), {"Gender": trait}))
    assert "phi 1.00" in warning
    assert "cannot be separated, and Gender is not adjusted for" in warning


def test_covariates_that_determine_the_trait_only_together() -> None:
    # Each covariate alone has a correlation below 0.87 with the trait, both explain all but 1 %.
    trait = np.tile([0.0, 1.0], 20)
    age = np.linspace(20, 80, 40)
    design = np.column_stack([np.ones(40), age, trait + 0.01 * age, trait])
    table = linked(trait, np.zeros((40, 1)))
    contrast = choose_contrast(table, {}, "auto")
    inflated = Design(("Intercept", "Age", "Gender", "Asthma"), design, None, {}, ())
    [warning] = check_covariates(table, contrast, inflated)
    assert "variance inflation" in warning


def test_association_of_a_measured_trait_with_age_is_by_ranks() -> None:
    age = np.array([30.0, 41, 55, 62, 70, 38])
    [warning] = covariate_warnings(linked(np.exp(age / 10), np.zeros((6, 1)), {"Age": age}))
    assert "Spearman" in warning
    assert "rho 1.00" in warning


def test_values_that_are_not_logarithms_are_flagged() -> None:
    assert "highest is 9000" in check_scale(np.array([[3.0, 9000.0], [np.nan, 4.0]]))[0]
    assert check_scale(np.array([[3.0, 15.0]])) == []
    assert check_scale(np.full((2, 2), np.nan)) == []


def test_calm_p_values_give_no_warning() -> None:
    p = (np.arange(1000) + 0.5) / 1000
    assert check_p_values(p, 0) == []
    assert null_share(p) == 1.0
    assert 0.95 < excess_near_one(p) < 1.05


def test_excess_of_p_values_near_one_is_flagged() -> None:
    p = np.r_[np.linspace(0, 1, 500), np.linspace(0.9, 1, 500)]
    assert "not flat on the right" in check_p_values(p, 0)[0]


def test_p_values_that_still_fall_near_one_are_flagged() -> None:
    p = 1 - np.linspace(0, 1, 1000) ** (1 / 3)
    assert "still falls on the right" in check_p_values(p, 0)[0]


@pytest.mark.parametrize("seed", range(40))
def test_few_uniform_p_values_seldom_look_wrong(seed: int) -> None:
    """Of 200 p-values about 20 are near 1, give or take 4: far from 1.5 by chance alone."""
    assert check_p_values(np.random.default_rng(seed).uniform(size=200), 0) == []


def test_no_p_value_between_a_half_and_nine_tenths() -> None:
    p = np.r_[np.linspace(0, 0.4, 200), np.full(60, 0.95)]
    [warning] = check_p_values(p, 0)
    assert "all p-values above 0.5 are near 1" in warning
    assert check_p_values(np.linspace(0, 0.4, 300), 0) == []


def test_more_than_half_of_all_genes_significant_is_flagged() -> None:
    p = np.r_[np.full(300, 1e-9), np.linspace(0, 1, 200)]
    assert "300 of 500 genes are significant" in check_p_values(p, 300)[0]


def test_few_genes_make_no_histogram() -> None:
    assert check_p_values(np.full(199, 0.99), 0) == []


def test_more_than_half_of_few_genes_significant_is_flagged_too() -> None:
    [warning] = check_p_values(np.full(150, 1e-9), 150)
    assert warning.startswith("150 of 150 genes are significant, more than half")
    assert check_p_values(np.full(150, 1e-9), 75) == []
    assert check_p_values(np.array([1e-9]), 1) == []


def test_no_p_values_at_all() -> None:
    assert benjamini_hochberg(np.zeros(0)).shape == (0,)
    assert null_share(np.zeros(0)) == 1.0
