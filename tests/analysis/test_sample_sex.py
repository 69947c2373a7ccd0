"""Sex by expression against the sex that is recorded."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import Profiles, check_sex
from tests.analysis.real_tables import real_table
from tests.analysis.sample_cohorts import SEXED, changed, check, clean_cohort, profiles, with_sex


def test_sex_of_every_sample_is_that_of_the_people() -> None:
    table = clean_cohort()
    found = check_sex(profiles(table))
    codes = {"female": 0.0, "male": 1.0}
    assert [codes[sex] for sex in found.predicted] == table.covariates["Gender"].tolist()
    assert found.mismatches == () and found.warnings == ()
    assert found.genes[0] == "XIST" and len(found.genes) == 5


@pytest.mark.parametrize("samples", [6, 20, 40])
def test_swapped_sex_is_named(samples: int) -> None:
    table = clean_cohort(samples)
    gender = table.covariates["Gender"].copy()
    gender[3] = 1 - gender[3]
    found = check_sex(profiles(with_sex(table, gender)))
    assert found.mismatches == (3,)
    (warning,) = found.warnings
    assert "GSM3 (recorded female, by expression male)" in warning
    assert "Swapped or mislabelled?" in warning


def test_inverted_coding_is_distinguished_from_swapped_samples() -> None:
    table = clean_cohort()
    found = check_sex(profiles(with_sex(table, 1 - table.covariates["Gender"])))
    assert len(found.mismatches) == 20
    assert "coded the wrong way round" in found.warnings[0]


def test_missing_sex_is_no_mismatch() -> None:
    table = clean_cohort()
    gender = table.covariates["Gender"].copy()
    gender[:10] = np.nan
    assert check_sex(profiles(with_sex(table, gender))).mismatches == ()
    gender[13] = 1 - gender[13]
    found = check_sex(profiles(with_sex(table, gender)))
    assert found.mismatches == (13,)
    assert "in 1 of 10 samples: GSM13 (recorded" in found.warnings[0]


def test_one_sex_only_cannot_be_judged() -> None:
    table = clean_cohort(60)
    for sex in (0.0, 1.0):
        rows = np.flatnonzero(table.covariates["Gender"] == sex)
        alone = replace(
            table,
            samples=tuple(table.samples[i] for i in rows),
            trait_values=table.trait_values[rows],
            covariates={"Gender": table.covariates["Gender"][rows]},
            expression=table.expression[rows],
        )
        found = check_sex(profiles(alone))
        assert found.why_not == "the samples do not fall into two sexes by XIST and Y genes"
        assert found.predicted == () and found.warnings == ()


def test_platform_without_these_genes_cannot_be_judged() -> None:
    table = clean_cohort()
    bare = replace(
        table, genes=table.genes[len(SEXED) :], expression=table.expression[:, len(SEXED) :]
    )
    assert "neither XIST nor genes of the Y" in check_sex(profiles(bare)).why_not


def test_tumours_that_lost_y_are_unclear_and_not_women() -> None:
    table = clean_cohort(40)
    values = table.expression.copy()
    men = np.flatnonzero(table.covariates["Gender"] == 1)
    values[np.ix_(men[:4], range(1, len(SEXED)))] -= 4
    found = check_sex(profiles(changed(table, values)))
    assert found.mismatches == ()
    assert set(found.unclear) == set(men[:4].tolist())
    assert "neither XIST nor the Y genes" in found.unclear[int(men[0])]


def test_men_some_of_whom_lost_y_cannot_be_judged() -> None:
    table = clean_cohort(40)
    values = table.expression.copy()
    values[:, 0] = 5.0 + np.random.default_rng(0).normal(0, 0.4, 40)
    found = check_sex(profiles(changed(table, values)))
    assert found.why_not == "Y genes vary without XIST, as where tumours lost Y"


def test_mixture_of_both_sexes_is_unclear() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[0, 0], values[0, 1 : len(SEXED)] = 9.5, 7.5
    found = check_sex(profiles(changed(table, values)))
    assert found.unclear == {0: "both XIST and the Y genes, as in a mixture of a woman and a man"}


def test_halfway_between_the_modes_is_unclear_and_not_compared() -> None:
    table = clean_cohort(40)
    gender = table.covariates["Gender"]
    women, men = (np.flatnonzero(gender == sex) for sex in (0.0, 1.0))
    values = table.expression.copy()
    sexed = slice(0, len(SEXED))
    halfway = (values[women, sexed].mean(axis=0) + values[men, sexed].mean(axis=0)) / 2
    mixed, low, lost = int(women[0]), int(women[1]), int(men[0])
    values[mixed, 1 : len(SEXED)] = halfway[1:]
    values[low, 0] = halfway[0]
    values[lost, 1 : len(SEXED)] = halfway[1:]
    swapped = gender.copy()
    swapped[women[2]] = 1
    found = check_sex(profiles(with_sex(changed(table, values), swapped)))
    assert found.unclear == {
        mixed: "both XIST and the Y genes, as in a mixture of a woman and a man",
        low: "between the sexes",
        lost: "between the sexes",
    }
    assert "in 1 of 37 samples" in found.warnings[0]


def test_without_xist_only_men_are_called() -> None:
    table = clean_cohort()
    less = replace(table, genes=table.genes[1:], expression=table.expression[:, 1:])
    found = check_sex(profiles(less))
    assert set(found.predicted) == {"male", "unclear"}
    assert found.mismatches == ()
    women_recorded = check_sex(profiles(with_sex(less, np.zeros(20))))
    assert len(women_recorded.mismatches) == 10


def test_an_unclear_sample_says_which_gene_is_low() -> None:
    table = clean_cohort()
    women, men = (np.flatnonzero(table.covariates["Gender"] == sex).tolist() for sex in (0.0, 1.0))
    of_y = replace(table, genes=table.genes[1:], expression=table.expression[:, 1:])
    assert check_sex(profiles(of_y)).unclear == dict.fromkeys(women, "the Y genes are low")
    kept = [0, *range(len(SEXED), len(table.genes))]
    of_x = replace(
        table, genes=tuple(table.genes[i] for i in kept), expression=table.expression[:, kept]
    )
    assert check_sex(profiles(of_x)).unclear == dict.fromkeys(men, "XIST is low")


def test_unrecorded_sex_that_goes_with_the_trait_is_warned_of() -> None:
    table = with_sex(clean_cohort(40), None)
    assert check_sex(profiles(table)).warnings == ()
    confounded = replace(table, trait_values=clean_cohort(40).covariates["Gender"])
    (warning,) = check_sex(profiles(confounded)).warnings
    assert warning.startswith(
        "Sex is not recorded, but sex by expression is associated with Asthma"
    )
    record = check(confounded).record["sex"]
    assert record["recorded"] is None and record["predicted"]["GSM2"] == "male"


def test_missing_expression_of_the_sex_genes() -> None:
    table = clean_cohort()
    values = table.expression.copy()
    values[:4, 0] = np.nan
    values[:, 1] = np.nan
    values[5, 2] = np.nan
    found = check_sex(profiles(changed(table, values)))
    assert found.predicted[4:] == check_sex(profiles(table)).predicted[4:]
    assert found.mismatches == ()


def test_mislabelled_sample_of_a_real_series(shared_data: Path) -> None:
    table, contrast = real_table(shared_data, "Rheumatoid_Arthritis", "GSE55457")
    found = check_sex(Profiles(table, contrast))
    samples = [table.samples[i] for i in contrast.rows]
    assert [samples[i] for i in found.mismatches] == ["GSM1337309"]
    assert found.unclear == {}
