"""What an agent gets, and how its files are scored."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from genotex.bench import (
    AGENT_TASKS,
    HEADLINES,
    AgentTask,
    Assignment,
    BenchmarkFolders,
    SimulatedBenchmark,
    figure_names,
    list_assignments,
    score_assignment,
)
from genotex.errors import UsageError
from genotex.problems import Problem
from tests.bench.adapters.conftest import AGENT
from tests.bench.adapters.expected import evaluated


def hand_in(assignment: Assignment, run_folder: Path, target: Path) -> Path:
    """Copy the files of a run that belong to one assignment."""
    for path in run_folder.rglob("*"):
        name = path.relative_to(run_folder).as_posix()
        if path.is_file() and assignment.counts(name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
    return target


@pytest.mark.parametrize("task", AGENT_TASKS)
def test_averages_of_single_assignments_are_those_of_evaluate(
    task: AgentTask,
    simulated: SimulatedBenchmark,
    folders: BenchmarkFolders,
    run_folder: Path,
    tmp_path: Path,
) -> None:
    found = [
        score_assignment(each, hand_in(each, run_folder, tmp_path / str(i)), folders)
        for i, each in enumerate(list_assignments(task, folders))
    ]
    expected = evaluated(task, run_folder, simulated)
    assert expected[HEADLINES[task]], "the run has answers that score"
    for name, average in expected.items():
        values = [each.figures[name] for each in found]
        defined = [value for value in values if value is not None]
        assert bool(defined) == (average is not None)
        if average is not None:
            assert math.fsum(defined) / len(defined) == pytest.approx(average, abs=1e-12)


def test_nothing_handed_in_scores_zero_and_says_why(
    folders: BenchmarkFolders, tmp_path: Path
) -> None:
    for task in AGENT_TASKS:
        assignment = list_assignments(task, folders)[0]
        found = score_assignment(assignment, tmp_path, folders)
        assert not found.figures[HEADLINES[task]]
        assert {each.why.rpartition(": ")[2] for each in found.missing} == {"missing"}


def test_the_agent_gets_raw_files_of_its_traits_and_no_answers(
    folders: BenchmarkFolders, tmp_path: Path
) -> None:
    two_step = next(a for a in list_assignments("gta", folders) if len(a.problem.traits) == 2)
    two_step.stage(tmp_path)
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    traits = {
        name.split("/")[2] for name in there if name.startswith("input/GEO/") and "GSE" in name
    }
    assert traits <= set(two_step.problem.traits)
    assert not any("significant_genes" in name or "truth" in name for name in there)
    assert json.loads((tmp_path / "task_info.json").read_text()).keys() == {
        *two_step.problem.traits
    }


def test_prepared_tables_are_handed_out_without_gene_lists(folders: BenchmarkFolders) -> None:
    for assignment in list_assignments("analyse", folders):
        assert assignment.files
        assert all(
            path.name.endswith((".csv", "cohort_info.json")) for path in assignment.files.values()
        )
        assert not any("regress" in path.parts[-3:] for path in assignment.files.values())


def test_a_plug_in_of_bench_run_answers_an_assignment(
    folders: BenchmarkFolders, run_folder: Path, tmp_path: Path
) -> None:
    assignment = list_assignments("analyse", folders)[0]
    assignment.stage(tmp_path)
    problem = (tmp_path / "problem.json").read_bytes()
    subprocess.run([sys.executable, AGENT], input=problem, cwd=tmp_path, check=True)
    found = score_assignment(assignment, tmp_path / "output", folders)
    assert found.figures["success"] == 100 and not found.missing


def test_every_task_states_where_the_answer_goes(folders: BenchmarkFolders) -> None:
    for task in AGENT_TASKS:
        for assignment in list_assignments(task, folders):
            name = assignment.result.rpartition("/")[2]
            if assignment.cohort is not None:
                name = name.replace(assignment.cohort, "<cohort>")
            assert name in assignment.instruction
            assert assignment.counts(assignment.result)


def test_figures_have_names_of_their_own() -> None:
    for task in AGENT_TASKS:
        assert HEADLINES[task] in figure_names(task)


def test_a_list_of_problems_limits_the_assignments(folders: BenchmarkFolders) -> None:
    [first, *_] = list_assignments("gta", folders)
    assert [a.problem for a in list_assignments("gta", folders, [first.problem])] == [first.problem]
    with pytest.raises(UsageError, match="nothing that the task gta"):
        list_assignments("gta", folders, [Problem("Unknown")])


def test_raw_files_are_needed_for_all_tasks_but_analyse(simulated: SimulatedBenchmark) -> None:
    folders = BenchmarkFolders.find(None, simulated.reference, simulated.task_info)
    assert list_assignments("analyse", folders)
    with pytest.raises(UsageError, match="give the input folder"):
        list_assignments("gta", folders)
    with pytest.raises(UsageError, match="unknown task"):
        list_assignments("other", folders)  # type: ignore[arg-type]


def test_tcga_studies_can_be_left_out(folders: BenchmarkFolders) -> None:
    assert any("TCGA" in name for a in list_assignments("gta", folders) for name in a.files)
    assert not any(
        "TCGA" in name for a in list_assignments("gta", folders, tcga=False) for name in a.files
    )
