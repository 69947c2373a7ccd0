from pathlib import Path

import pytest

from genotex.bench import CohortChooser, Missing, ScoredFolder, score_selection
from genotex.errors import FormatError
from genotex.options import RegressorRule
from genotex.problems import Problem, TaskInfo
from tests.bench.evaluation.output_folders import (
    UNAVAILABLE,
    cohort,
    write_cohorts,
    write_task_info,
    write_text_table,
)


def score(
    root: Path, problem: Problem, rule: RegressorRule = "exclusive"
) -> tuple[float, Missing | None]:
    tasks = TaskInfo.load(write_task_info(root / "task_info.json"))
    sides = [CohortChooser(ScoredFolder(root / side), tasks, rule) for side in ("p", "r")]
    found, missing = score_selection(sides[0], sides[1], problem)
    assert (found.trait, found.condition) == (problem.trait, problem.condition)
    return found.accuracy, missing


def write_linked(root: Path, trait: str, name: str, *genes: str) -> Path:
    return write_text_table(root, "linked", trait, name, ",".join(["", trait, *genes]) + "\n")


def both(root: Path, trait: str, **cohorts: dict[str, object]) -> None:
    for side in ("p", "r"):
        write_cohorts(root / side, trait, cohorts)


def test_same_and_other_cohort(tmp_path: Path) -> None:
    write_cohorts(tmp_path / "r", "Asthma", {"GSE1": cohort(10), "GSE2": cohort(20)})
    write_cohorts(tmp_path / "p", "Asthma", {"GSE1": cohort(10), "GSE2": cohort(9)})
    assert score(tmp_path, Problem("Asthma")) == (0, None)
    write_cohorts(tmp_path / "p", "Asthma", {"GSE2": cohort(20), "GSE3": cohort(19)})
    assert score(tmp_path, Problem("Asthma")) == (100, None)


def test_condition_takes_cohorts_that_have_it(tmp_path: Path) -> None:
    write_cohorts(tmp_path / "r", "Asthma", {"GSE1": cohort(10, has_age=True), "GSE2": cohort(20)})
    both_have_it = {name: cohort(size, has_age=True) for name, size in (("GSE1", 9), ("GSE2", 20))}
    write_cohorts(tmp_path / "p", "Asthma", both_have_it)
    assert score(tmp_path, Problem("Asthma"))[0] == 100
    assert score(tmp_path, Problem("Asthma", "Age"))[0] == 0
    assert score(tmp_path, Problem("Asthma", "Gender"))[0] == 100, "neither side has any"


def test_nothing_to_choose_on_both_sides_is_alike(tmp_path: Path) -> None:
    both(tmp_path, "Asthma", GSE1=UNAVAILABLE)
    assert score(tmp_path, Problem("Asthma")) == (100, None)
    write_cohorts(tmp_path / "p", "Asthma", {"GSE1": cohort()})
    assert score(tmp_path, Problem("Asthma")) == (0, None)


def test_tcga_cohort_under_both_of_its_names(tmp_path: Path) -> None:
    write_cohorts(tmp_path / "r", "Asthma", {"TCGA": cohort()})
    write_cohorts(tmp_path / "p", "Asthma", {"Xena": cohort()})
    assert score(tmp_path, Problem("Asthma"))[0] == 100


@pytest.mark.parametrize(("told", "written"), [("TCGA", "Xena"), ("Xena", "TCGA")])
def test_tcga_table_under_the_other_name_than_in_cohort_info(
    tmp_path: Path, told: str, written: str
) -> None:
    both(tmp_path, "Asthma", **{told: cohort(20), "GSE1": cohort(10)})
    both(tmp_path, "Obesity", GSE3=cohort(10))
    for side, name in (("p", written), ("r", told)):
        for trait, its in (("Asthma", name), ("Asthma", "GSE1"), ("Obesity", "GSE3")):
            write_linked(tmp_path / side, trait, its, "GENE2")
    assert score(tmp_path, Problem("Asthma", "Obesity")) == (100, None)
    # Without either the next pair is taken.
    (tmp_path / f"p/preprocess/Asthma/{written}.csv").unlink()
    assert score(tmp_path, Problem("Asthma", "Obesity")) == (0, None)


def test_pair_must_agree_on_both_sides(tmp_path: Path) -> None:
    both(tmp_path, "Asthma", GSE1=cohort(10))
    both(tmp_path, "Obesity", GSE3=cohort(20), GSE4=cohort(10))
    for side in ("p", "r"):
        write_linked(tmp_path / side, "Asthma", "GSE1", "GENE2")
        for name in ("GSE3", "GSE4"):
            write_linked(tmp_path / side, "Obesity", name, "GENE2", "OTHER")
    assert score(tmp_path, Problem("Asthma", "Obesity")) == (100, None)
    # Without its linked table a cohort is passed over, and the next pair is another one.
    (tmp_path / "p/preprocess/Obesity/GSE3.csv").unlink()
    assert score(tmp_path, Problem("Asthma", "Obesity")) == (0, None)


def test_gene_known_for_the_trait_too_makes_no_pair_by_the_exclusive_rule(tmp_path: Path) -> None:
    """GENE1 is related to both Asthma and Obesity, GENE2 to Obesity alone."""
    both(tmp_path, "Asthma", GSE1=cohort(10))
    both(tmp_path, "Obesity", GSE3=cohort(20), GSE4=cohort(10))
    for side in ("p", "r"):
        write_linked(tmp_path / side, "Asthma", "GSE1", "GENE1", "GENE2")
        write_linked(tmp_path / side, "Obesity", "GSE3", "GENE1")
        write_linked(tmp_path / side, "Obesity", "GSE4", "GENE2")
    (tmp_path / "p/preprocess/Obesity/GSE3.csv").unlink()
    # Exclusive: both sides pass GSE3 over. Inclusive: the reference takes it.
    assert score(tmp_path, Problem("Asthma", "Obesity"))[0] == 100
    assert score(tmp_path, Problem("Asthma", "Obesity"), "inclusive")[0] == 0


@pytest.mark.parametrize("trait", ["Asthma", "Obesity"])
def test_missing_cohort_info_of_trait_or_condition_scores_0(tmp_path: Path, trait: str) -> None:
    """Although neither side has anything to choose."""
    both(tmp_path, "Asthma", GSE1=UNAVAILABLE)
    both(tmp_path, "Obesity", GSE3=UNAVAILABLE)
    problem = Problem("Asthma", "Obesity")
    assert score(tmp_path, problem) == (100, None)
    (tmp_path / f"p/preprocess/{trait}/cohort_info.json").unlink()
    assert score(tmp_path, problem) == (
        0,
        Missing("selection", "Asthma given Obesity", f"cohort_info.json of {trait}: missing"),
    )


def test_broken_cohort_info(tmp_path: Path) -> None:
    both(tmp_path, "Asthma", GSE1=cohort())
    write_cohorts(tmp_path / "p", "Asthma", {"GSE1": 3})
    accuracy, missing = score(tmp_path, Problem("Asthma"))
    assert accuracy == 0
    assert missing is not None
    assert missing.why.startswith(
        "cohort_info.json of Asthma: cannot be read: GSE1: must be an object"
    )
    both(tmp_path, "Asthma", GSE1=cohort())
    write_cohorts(tmp_path / "r", "Asthma", {"GSE1": 3})
    with pytest.raises(FormatError, match="GSE1"):
        score(tmp_path, Problem("Asthma"))


def test_each_header_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def counting(path: Path) -> list[str]:
        read.append(path)
        if path.stem == "GSE4":
            raise FormatError("cut", path=path)
        return ["trait", "GENE0", "GENE2"]

    monkeypatch.setattr("genotex.bench.evaluation.selection.read_linked_header", counting)
    both(tmp_path, "Asthma", GSE1=cohort(10))
    both(tmp_path, "Obesity", GSE3=cohort(10), GSE4=cohort(20))
    for name, trait in (("GSE1", "Asthma"), ("GSE3", "Obesity"), ("GSE4", "Obesity")):
        write_linked(tmp_path / "r", trait, name, "GENE2")
    tasks = TaskInfo.load(write_task_info(tmp_path / "task_info.json"))
    chooser = CohortChooser(ScoredFolder(tmp_path / "r"), tasks, "exclusive")
    for problem in (Problem("Asthma", "Obesity"), Problem("Obesity", "Asthma")) * 2:
        chosen = chooser.choose(problem)
        assert set(chosen or ()) == {"GSE1", "GSE3"}
    assert sorted(path.stem for path in read) == ["GSE1", "GSE3", "GSE4"]
