from pathlib import Path

import pytest

from genotex.bench import load_tasks, pose_problems
from genotex.errors import FormatError
from genotex.layout import OutputFolder
from genotex.problems import TaskInfo
from tests.bench.evaluation.output_folders import write_answer, write_cohorts, write_task_info


def described(root: Path, *traits: str) -> OutputFolder:
    for trait in traits:
        write_cohorts(root, trait, {})
    return OutputFolder(root)


def posed(reference: OutputFolder, tasks: TaskInfo | None) -> list[str]:
    return [str(problem) for problem in pose_problems(reference, tasks).problems]


def test_problems_whose_trait_and_condition_the_reference_knows(tmp_path: Path) -> None:
    tasks = TaskInfo.load(write_task_info(tmp_path / "task_info.json"))
    reference = described(tmp_path / "r", "Asthma", "Gout")
    assert posed(reference, tasks) == ["Asthma", "Asthma given Age", "Gout"]
    assert pose_problems(reference, tasks).notes == (
        "selection: 3 problems of 6 not posed, because the reference has no cohort_info.json of "
        "the trait or of the condition",
    )
    reference = described(tmp_path / "r", "Obesity")
    assert len(posed(reference, tasks)) == 6
    assert pose_problems(reference, tasks).notes == ()


def test_condition_that_the_list_does_not_know(tmp_path: Path) -> None:
    path = write_task_info(tmp_path / "t.json", {"Asthma": ["Obesity"]})
    found = pose_problems(described(tmp_path / "r", "Asthma", "Obesity"), TaskInfo.load(path))
    assert [str(problem) for problem in found.problems] == ["Asthma"]
    assert found.notes == (
        f"selection: 1 problem left out with another trait as condition that is not in {path}",
    )


def test_without_a_list_those_that_the_reference_answers(tmp_path: Path) -> None:
    reference = described(tmp_path / "r", "Asthma", "Obesity", "Gout")
    for condition in (None, "Age", "Obesity", "Gout"):
        write_answer(tmp_path / "r", "Asthma", condition, [])
    found = pose_problems(reference, None)
    assert [str(problem) for problem in found.problems] == ["Asthma", "Asthma given Age"]
    assert found.notes == (
        "selection: 2 problems left out with another trait as condition whose related genes "
        "are unknown; give --task-info",
    )


def test_without_list_and_answers_each_trait_alone(tmp_path: Path) -> None:
    found = pose_problems(described(tmp_path / "r", "Gout", "Asthma"), None)
    assert [str(problem) for problem in found.problems] == ["Asthma", "Gout"]
    assert found.notes == ()


def test_list_in_its_published_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = OutputFolder(tmp_path / "data" / "output")
    monkeypatch.chdir(tmp_path)
    assert load_tasks(None, reference) == (None, "")
    here = write_task_info(tmp_path / "metadata" / "task_info.json")
    tasks, note = load_tasks(None, reference)
    assert tasks is not None
    assert tasks.path == here.relative_to(tmp_path)
    assert note == "problems and related genes are those of metadata/task_info.json"
    beside = write_task_info(tmp_path / "data" / "metadata" / "task_info.json")
    assert load_tasks(None, reference)[1] == f"problems and related genes are those of {beside}"
    given, note = load_tasks(here, reference)
    assert given is not None
    assert (given.path, note) == (here, "")


def test_list_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        load_tasks(tmp_path / "nowhere.json", OutputFolder(tmp_path))
