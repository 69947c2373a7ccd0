"""The same answer as the transcription of the published analysis, in plain scikit-learn calls."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from genotex.cohorts import PreprocessOptions, preprocess
from genotex.formats import read_linked
from genotex.layout import OutputFolder
from genotex.problems import TaskInfo

from .published import Cohort, assert_same_answer, cohort, solve_ours, solve_published

OF_ONE_COHORT = [
    # condition, binary, samples, genes
    (None, True, 40, 120),
    (None, True, 60, 90),
    (None, True, 97, 40),
    (None, True, 6, 30),
    (None, True, 11, 200),
    (None, True, 230, 60),
    (None, False, 40, 120),
    (None, False, 61, 60),
    (None, False, 7, 25),
    (None, False, 500, 30),
    ("Age", True, 40, 120),
    ("Age", True, 60, 90),
    ("Age", True, 123, 40),
    ("Age", False, 45, 80),
    ("Age", False, 210, 50),
    ("Gender", True, 40, 120),
    ("Gender", True, 60, 257),
    ("Gender", True, 88, 30),
    ("Gender", False, 52, 90),
    ("Gender", False, 70, 513),
]

TWO_STEP = [
    # binary trait, samples, genes; binary condition, samples of the condition; exclusive
    (True, 50, 80, True, 90, False),
    (True, 40, 80, True, 12, False),
    (True, 66, 100, True, 90, True),
    (True, 123, 80, False, 90, False),
    (True, 200, 80, False, 12, False),
    (True, 301, 60, False, 12, True),
    (False, 45, 80, True, 90, False),
    (False, 90, 150, True, 12, True),
    (False, 240, 70, False, 90, False),
    (False, 500, 60, False, 12, True),
]

WIDE = [
    # condition, binary, samples, genes
    (None, True, 167, 2000),
    ("Age", False, 175, 2050),
    ("Obesity", True, 170, 2000),
]


@pytest.mark.parametrize(("condition", "binary", "samples", "genes"), OF_ONE_COHORT)
def test_problems_of_one_cohort(
    condition: str | None, binary: bool, samples: int, genes: int
) -> None:
    own = cohort("Asthma", samples, genes, binary=binary, seed=samples + genes)
    assert_same_answer(solve_ours(own, condition), solve_published(own, condition))


@pytest.mark.parametrize(
    ("binary", "samples", "genes", "other_binary", "others", "exclusive"), TWO_STEP
)
def test_two_step_problems(
    binary: bool, samples: int, genes: int, other_binary: bool, others: int, exclusive: bool
) -> None:
    own = cohort("Asthma", samples, genes, binary=binary, seed=samples)
    other = cohort("Obesity", others, genes, binary=other_binary, seed=others + 1, shift=1)
    theirs = solve_published(own, "Obesity", other, exclusive)
    rule = "exclusive" if exclusive else "inclusive"
    shared = set(own.related) & set(theirs["regressors"])
    assert theirs["regressors"] and bool(shared) != exclusive and not theirs["batch_effect"]
    ours = solve_ours(own, "Obesity", other, regressors=rule)
    assert ours.method["two_step"]["regressors"] == theirs["regressors"]
    assert_same_answer(ours, theirs)


@pytest.mark.parametrize(("condition", "binary", "samples", "genes"), WIDE)
def test_thousands_of_genes_in_a_large_cohort(
    condition: str | None, binary: bool, samples: int, genes: int
) -> None:
    own = cohort("Asthma", samples, genes, binary=binary, seed=samples)
    other = cohort("Obesity", 60, genes, seed=5, shift=1) if condition == "Obesity" else None
    ours = solve_ours(own, condition, other, threads=3)
    assert_same_answer(ours, solve_published(own, condition, other))


def test_one_thread_and_three() -> None:
    own = cohort("Asthma", 60, 600, seed=3)
    published = solve_published(own)
    for threads in (1, 3):
        assert_same_answer(solve_ours(own, threads=threads), published)


@pytest.mark.parametrize("condition", [None, "Age", "Obesity"])
@pytest.mark.parametrize("binary", [True, False])
def test_samples_without_the_trait(condition: str | None, binary: bool) -> None:
    whole = cohort("Asthma", 73, 90, binary=binary, seed=4)
    missing = np.array([0, 7, 8, 40, 72])
    values = whole.table.trait_values.copy()
    values[missing] = np.nan
    own = Cohort(replace(whole.table, trait_values=values), whole.related)
    known = without_samples(whole, missing)
    other = cohort("Obesity", 50, 90, seed=5, shift=1) if condition == "Obesity" else None
    assert_same_answer(solve_ours(own, condition, other), solve_published(known, condition, other))


def without_samples(own: Cohort, rows: NDArray[np.intp]) -> Cohort:
    table = own.table
    fewer = replace(
        table,
        samples=tuple(np.delete(table.samples, rows).tolist()),
        trait_values=np.delete(table.trait_values, rows),
        covariates={name: np.delete(column, rows) for name, column in table.covariates.items()},
        expression=np.delete(table.expression, rows, axis=0),
    )
    return Cohort(fewer, own.related)


@pytest.mark.parametrize("condition", [None, "Gender"])
def test_a_trait_coded_1_and_2_is_that_of_0_and_1(condition: str | None) -> None:
    own = cohort("Asthma", 64, 100, seed=6)
    other_code = replace(own.table, trait_values=own.table.trait_values + 1)
    ours = solve_ours(Cohort(other_code, own.related), condition)
    assert_same_answer(ours, solve_published(own, condition))


@pytest.mark.parametrize("related", ["ELSEWHERE", "G50"], ids=["in no table", "constant"])
@pytest.mark.parametrize("binary", [True, False])
def test_no_related_gene_is_ever_selected(binary: bool, related: str) -> None:
    own = Cohort(cohort("Asthma", 64, 100, binary=binary, seed=6).table, (related,))
    theirs = solve_published(own)
    assert theirs["lambda"] == 0.1 and len(theirs["significant_genes"]) > 0
    assert_same_answer(solve_ours(own), theirs)


def test_a_batch_effect_rotates_with_the_same_intermediate_values() -> None:
    own = cohort("Asthma", 250, 60, seed=1, batch=6.0)
    theirs, ours = solve_published(own), solve_ours(own, threads=2)
    assert theirs["batch_effect"] and ours.method["rotated"]
    np.testing.assert_allclose(ours.method["batch_effect"]["shares"], theirs["shares"], atol=1e-10)
    assert ours.method["ln_delta"] == pytest.approx(theirs["ln_delta"], abs=1e-6)
    assert ours.method["solver"]["lambda"] == theirs["lambda"]
    for mine, row in zip(ours.method["tuning"], theirs["tuning"], strict=True):
        assert mine["ln_delta"] == pytest.approx(row["ln_delta"], abs=1e-6)
        assert mine["selection"]["precision"] == pytest.approx(row["selection"]["precision"])
    assert any("rotated Lasso" in warning for warning in ours.warnings)


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    target = tmp_path_factory.mktemp("real")
    table = shared_data / "genes" / "Homo_sapiens.gene_info.2020-01.gz"
    options = PreprocessOptions(procedure="benchmark", gene_table=table)
    preprocess(shared_data / "input", target, options=options)
    return OutputFolder(target)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("cohort_id", "condition"),
    [("GSE55235", None), ("GSE55457", "Gender"), ("GSE55235", "Osteoarthritis")],
)
def test_real_cohorts(
    real: OutputFolder, shared_data: Path, cohort_id: str, condition: str | None
) -> None:
    tasks = TaskInfo.load(shared_data / "metadata" / "task_info.json")
    trait = "Rheumatoid_Arthritis"
    own = Cohort(read_linked(real, trait, cohort_id), tasks.related_genes(trait))
    other = None
    if condition == "Osteoarthritis":
        table = read_linked(real, condition, "GSE55457")
        other = Cohort(table, tasks.related_genes(condition))
    ours = solve_ours(own, condition, other, threads=2)
    assert len(ours.significant) > 0
    assert_same_answer(ours, solve_published(own, condition, other))
