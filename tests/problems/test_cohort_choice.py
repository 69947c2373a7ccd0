import json
from pathlib import Path

import pytest

from genotex.errors import FormatError, NoUsableCohortError, UsageError
from genotex.formats import Evidence, write_evidence
from genotex.layout import OutputFolder
from genotex.problems import Problem, choose_cohort, usable_cohorts
from genotex.procedure import Procedure


def record(size: int | None, *, age: bool = False, gender: bool = False) -> dict[str, object]:
    return {
        "is_usable": True,
        "is_gene_available": True,
        "is_trait_available": True,
        "is_available": True,
        "is_biased": False,
        "has_age": age,
        "has_gender": gender,
        "sample_size": size,
        "note": None,
    }


NO_TRAIT = {
    **dict.fromkeys(record(0)),
    "is_usable": False,
    "is_gene_available": True,
    "is_trait_available": False,
    "is_available": False,
}
BIASED = {**record(30), "is_usable": False, "is_biased": True, "note": "all cases"}
COHORTS = {
    "GSE1": record(20, age=True),
    "GSE2": NO_TRAIT,
    "GSE3": record(40, gender=True),
    "GSE4": BIASED,
    "GSE5": record(40, gender=True),
    "GSE6": record(39, gender=True),
}


def folder(root: Path, cohorts: dict[str, dict[str, object]]) -> OutputFolder:
    output = OutputFolder(root)
    path = output.cohort_info("Asthma")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(cohorts))
    return output


def test_largest_usable_cohort_and_why_not_the_others(tmp_path: Path) -> None:
    choice = choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma"))
    assert choice.cohort == "GSE3"
    assert choice.reason == "the largest usable cohort (40 samples)"
    assert choice.others == {
        "GSE1": "smaller (20 samples)",
        "GSE2": "not usable: trait not available",
        "GSE4": "not usable: trait biased (too few samples of one label, or no spread) (all cases)",
        "GSE5": "of the same size (40 samples), but later in the list",
        "GSE6": "smaller (39 samples)",
    }


def test_condition_age_needs_a_cohort_with_age(tmp_path: Path) -> None:
    choice = choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma", "Age"))
    assert choice.cohort == "GSE1"
    assert choice.reason == "the only cohort that fits (20 samples)"
    assert choice.others["GSE3"] == "no Age"


def test_condition_gender_needs_a_cohort_with_gender(tmp_path: Path) -> None:
    choice = choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma", "Gender"))
    assert choice.cohort == "GSE3"
    assert choice.reason == "the largest usable cohort with Gender (40 samples)"
    assert choice.others["GSE1"] == "no Gender"


def test_no_cohort_fits(tmp_path: Path) -> None:
    output = folder(tmp_path, {"GSE2": NO_TRAIT, "GSE3": record(40)})
    with pytest.raises(NoUsableCohortError) as caught:
        choose_cohort(output, Problem("Asthma", "Age"))
    assert str(caught.value) == (
        "no cohort fits Asthma given Age: GSE2: not usable: trait not available; GSE3: no Age"
    )


def test_trait_without_preprocessed_cohorts(tmp_path: Path) -> None:
    with pytest.raises(NoUsableCohortError, match=r"traits there: Asthma\); run preprocess"):
        choose_cohort(folder(tmp_path, COHORTS), Problem("Obesity"))


def test_empty_list_of_cohorts(tmp_path: Path) -> None:
    with pytest.raises(NoUsableCohortError, match="lists no cohort"):
        choose_cohort(folder(tmp_path, {}), Problem("Asthma"))


def test_cohort_asked_for(tmp_path: Path) -> None:
    choice = choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma"), "GSE1")
    assert choice.cohort == "GSE1"
    assert choice.reason == "asked for by the user"
    assert choice.others["GSE3"] == "another cohort was asked for"
    assert choice.others["GSE2"] == "not usable: trait not available"
    empty = folder(tmp_path / "empty", {})
    with pytest.raises(UsageError, match="it has none"):
        choose_cohort(empty, Problem("Asthma"), "GSE1")


@pytest.mark.parametrize(
    ("recorded", "refused"),
    [
        ({"sample_size": 20}, ""),
        ({}, ""),
        ({"sample_size": 12}, "GSE1.sample_size: 20, but its preprocessing recorded 12"),
        ({"is_usable": False}, "GSE1.is_usable: True, but its preprocessing recorded False"),
    ],
)
def test_facts_are_those_that_preprocessing_recorded(
    tmp_path: Path, recorded: dict[str, object], refused: str
) -> None:
    output = folder(tmp_path, COHORTS)
    for name, info in {"GSE1": recorded, "GSE4": {"is_usable": True}}.items():
        evidence = Evidence("Asthma", name, Procedure.SOUND, "GEO", "1.0", info=info)
        write_evidence(output.evidence("Asthma", name), evidence)
    if not refused:
        # A person may put a cohort aside (GSE4), but not make one usable.
        assert choose_cohort(output, Problem("Asthma"), "GSE1").cohort == "GSE1"
        return
    with pytest.raises(FormatError) as caught:
        choose_cohort(output, Problem("Asthma"))
    assert refused in str(caught.value)


def test_cohort_asked_for_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no cohort 'GSE9'; it has GSE1, GSE2"):
        choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma"), "GSE9")


def test_cohort_asked_for_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(NoUsableCohortError, match=r"GSE3 was asked for.*no Age"):
        choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma", "Age"), "GSE3")


@pytest.mark.parametrize("name", ["TCGA", "Xena"])
def test_tcga_cohort_under_either_name(tmp_path: Path, name: str) -> None:
    output = folder(tmp_path, {"GSE1": record(20), name: record(500)})
    assert choose_cohort(output, Problem("Asthma")).cohort == name
    assert choose_cohort(output, Problem("Asthma"), "TCGA").cohort == name
    assert choose_cohort(output, Problem("Asthma"), "Xena").cohort == name


def test_unknown_size_counts_as_the_smallest(tmp_path: Path) -> None:
    output = folder(tmp_path, {"GSE1": record(None), "GSE2": record(5)})
    assert choose_cohort(output, Problem("Asthma")).cohort == "GSE2"


def test_two_step_problem_takes_a_pair(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="takes a pair of cohorts"):
        choose_cohort(folder(tmp_path, COHORTS), Problem("Asthma", "Obesity"))


def test_all_usable_cohorts_the_largest_first(tmp_path: Path) -> None:
    output = folder(tmp_path, COHORTS)
    usable = usable_cohorts(output, Problem("Asthma"))
    assert usable.cohorts == ("GSE3", "GSE5", "GSE6", "GSE1")
    assert list(usable.refused) == ["GSE2", "GSE4"]
    given = usable_cohorts(output, Problem("Asthma", "Gender"), among=("GSE1", "GSE5"))
    assert given.cohorts == ("GSE5",)
    assert given.refused["GSE1"] == "no Gender"
    assert given.refused["GSE3"] == "not among the cohorts that were read now"


def test_all_cohorts_of_a_trait_that_has_none(tmp_path: Path) -> None:
    with pytest.raises(NoUsableCohortError, match="no preprocessed cohort"):
        usable_cohorts(folder(tmp_path, COHORTS), Problem("Obesity"))
