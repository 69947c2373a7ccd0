from pathlib import Path

import pytest

from genotex.agents import Task, is_recorded, work_list
from genotex.errors import UsageError
from genotex.problems import Problem
from genotex.simulate import SimulatedStudy
from tests.agents.playing import GEO, PROBLEM, TCGA


def names(tasks: object) -> list[str]:
    return [f"{task.trait} {task.cohort or task.condition}" for task in tasks]  # type: ignore[attr-defined]


def test_every_cohort_of_trait_and_condition_is_prepared_once_and_then_problems_are_solved(
    study: SimulatedStudy, tmp_path: Path
) -> None:
    problems = [
        Problem("Simulated_Arthritis"),
        Problem("Simulated_Arthritis", "Age"),
        Problem("Simulated_Arthritis", "Simulated_Diabetes"),
    ]
    work = work_list(problems, study.folder, tmp_path)
    assert names(work.cohorts) == [
        "Simulated_Arthritis GSE90000001",
        "Simulated_Arthritis GSE90000002",
        "Simulated_Arthritis GSE90000003",
        "Simulated_Arthritis GSE90000004",
        "Simulated_Arthritis TCGA",
        "Simulated_Diabetes GSE90000005",
        "Simulated_Diabetes TCGA",
    ]
    assert [task.problem for task in work.problems] == problems
    assert work.all == work.cohorts + work.problems


def test_code_of_a_cohort_gets_the_folder_of_its_series_alone(
    study: SimulatedStudy, tmp_path: Path
) -> None:
    first = work_list([Problem("Simulated_Arthritis")], study.folder, tmp_path).cohorts[0]
    assert Path(first.folder) == study.folder / "GEO" / "Simulated_Arthritis" / "GSE90000001"
    assert first.output == "output"


def test_series_behind_a_link_is_given_by_where_it_lies(
    study: SimulatedStudy, tmp_path: Path
) -> None:
    real = study.folder / "GEO" / "Simulated_Arthritis" / "GSE90000001"
    (tmp_path / "GEO" / "Simulated_Arthritis").mkdir(parents=True)
    (tmp_path / "GEO" / "Simulated_Arthritis" / "GSE7").symlink_to(real)
    (task,) = work_list([Problem("Simulated_Arthritis")], tmp_path, tmp_path).cohorts
    assert (task.cohort, Path(task.folder)) == ("GSE7", real)


def test_trait_without_any_cohort_is_refused(study: SimulatedStudy, tmp_path: Path) -> None:
    (tmp_path / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    with pytest.raises(UsageError, match="no cohort of Obesity: GEO has Asthma"):
        work_list([Problem("Obesity")], tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("task", "name"),
    [
        (GEO, "preprocess/Asthma/cohort_info.json"),
        (TCGA, "preprocess/Asthma/cohort_info.json"),
        (PROBLEM, "regress/Asthma/significant_genes_condition_Age.json"),
    ],
)
def test_notebook_is_recorded_once_its_own_file_is_there(
    task: Task, name: str, tmp_path: Path
) -> None:
    (tmp_path / "preprocess" / "Asthma").mkdir(parents=True)
    (tmp_path / "preprocess" / "Asthma" / "GSE1.csv").write_text("")
    assert not is_recorded(task, tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("{}")
    assert is_recorded(task, tmp_path)
