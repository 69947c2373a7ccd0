from dataclasses import replace

import pytest

from genotex.agents import CodeShelf, action_unit, is_general, may_be_reused
from tests.agents.playing import GEO, PROBLEM

LOAD = action_unit("geo", "load_data")


def test_first_code_of_a_step_is_kept() -> None:
    shelf = CodeShelf()
    shelf.keep(GEO, LOAD, (), "first")
    shelf.keep(GEO, LOAD, (), "second")
    assert shelf.offer(GEO, LOAD, ()) == "first"


def test_code_is_offered_for_the_same_step_after_the_same_steps_by_the_same_procedure() -> None:
    shelf = CodeShelf()
    shelf.keep(GEO, LOAD, ("a",), "code")
    assert shelf.offer(replace(GEO, cohort="GSE2"), LOAD, ("a",)) == "code"
    assert shelf.offer(GEO, LOAD, ("a", "b")) is None
    assert shelf.offer(GEO, action_unit("geo", "extract_gene_data"), ("a",)) is None
    assert shelf.offer(replace(GEO, procedure="benchmark"), LOAD, ("a",)) is None


@pytest.mark.parametrize(
    ("kind", "unit", "may"),
    [
        ("geo", "load_data", True),
        ("geo", "map_gene_ids", False),
        ("tcga", "load_data", False),
        ("statistics", "one_step_regression", True),
    ],
)
def test_code_of_one_series_or_one_study_may_not_be_reused(kind: str, unit: str, may: bool) -> None:
    assert may_be_reused(action_unit(kind, unit)) == may  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "general"),
    [("find_files(task)", True), ("read('GSE1')", False), ("# for Asthma", False)],
)
def test_code_that_names_its_cohort_or_trait_is_not_general(code: str, general: bool) -> None:
    assert is_general(code, GEO) == general


@pytest.mark.parametrize("code", ["x = 'Lung Cancer'", "Lung_Cancer", "keep = ['GSM101', 'GSM7']"])
def test_code_about_one_trait_in_other_words_or_some_samples_is_not_general(code: str) -> None:
    assert not is_general(code, replace(GEO, trait="Lung_Cancer"))


def test_code_that_names_its_condition_is_not_general() -> None:
    assert not is_general("data['Age']", PROBLEM)
