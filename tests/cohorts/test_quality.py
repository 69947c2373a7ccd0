import numpy as np

from genotex.cohorts.quality import judge, unavailable, without_biased_covariates
from genotex.formats import LinkedTable


def table(trait: list[float], genes: int = 5, **covariates: list[float]) -> LinkedTable:
    n = len(trait)
    return LinkedTable(
        "Asthma",
        tuple(f"GSM{i}" for i in range(n)),
        np.array(trait, dtype=float),
        {name: np.array(values, dtype=float) for name, values in covariates.items()},
        tuple(f"G{j}" for j in range(genes)),
        np.zeros((n, genes)),
    )


def test_age_that_does_not_vary_and_one_sided_gender_are_dropped() -> None:
    kept, dropped = without_biased_covariates(
        table([0, 1] * 30, Age=[40.0] * 60, Gender=[0.0] * 58 + [1.0] * 2)
    )
    assert kept.covariates == {}
    assert dropped == ("Age", "Gender")


def test_age_of_two_values_is_judged_as_continuous() -> None:
    kept, dropped = without_biased_covariates(table([0, 1] * 30, Age=[40.0] * 59 + [41.0]))
    assert list(kept.covariates) == ["Age"]
    assert dropped == ()


def test_usable_cohort() -> None:
    info = judge(table([0, 1] * 10, Age=list(range(20))))
    assert info.is_usable and info.is_available and info.is_biased is False
    assert (info.has_age, info.has_gender, info.sample_size) == (True, False, 20)


def test_cohort_with_cases_only_is_biased_and_not_usable() -> None:
    info = judge(table([1] * 20))
    assert info.is_available and info.is_biased and not info.is_usable


def test_linked_table_of_four_columns_has_no_genes() -> None:
    info = judge(table([0, 1] * 10, genes=2, Age=list(range(20))))
    assert not info.is_gene_available and info.is_trait_available and not info.is_available
    assert (info.is_biased, info.sample_size) == (None, None)


def test_linked_table_without_rows_has_neither_genes_nor_trait() -> None:
    info = judge(table([]))
    assert not info.is_gene_available and not info.is_trait_available


def test_cohort_that_fails_the_first_filter_leaves_the_rest_open() -> None:
    info = unavailable(genes=True, trait=False)
    assert not info.is_usable and info.is_gene_available and not info.is_available
    rest = (info.is_biased, info.has_age, info.has_gender, info.sample_size, info.note)
    assert rest == (None,) * 5
