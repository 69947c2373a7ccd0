"""Notebooks that the rules write give the same bytes as the pipeline without agents."""

from pathlib import Path

import pytest

from genotex.agents import Task
from genotex.analysis import solve_problem, write_result
from genotex.clinical import annotation_from_json
from genotex.cohorts import PreprocessOptions, preprocess
from genotex.formats import read_evidence
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import Run, assert_ran, cohort_task, files_of, notebook

PROCEDURES = ("sound", "benchmark")
PROBLEMS = (
    Problem("Simulated_Arthritis"),
    Problem("Simulated_Arthritis", "Age"),
    Problem("Simulated_Arthritis", "Simulated_Diabetes"),
    Problem("Simulated_Carcinoma", "Gender"),
)
Folders = dict[str, tuple[Path, Path]]


def preprocess_both_ways(
    source: Path, base: Path, run_notebooks: Run, traits: tuple[str, ...] = ()
) -> Folders:
    """Preprocess directly and by notebooks; folders of both by procedure."""
    folders, notebooks = {}, []
    for procedure in PROCEDURES:
        direct, written = base / procedure / "direct", base / procedure / "written"
        folders[procedure] = (direct, written)
        options = PreprocessOptions(procedure=procedure)
        outcomes = preprocess(source, direct, traits=traits, options=options)
        notebooks += [
            notebook(cohort_task(source, written, outcome.trait, outcome.cohort, procedure))
            for outcome in outcomes
        ]
    assert_ran(run_notebooks(notebooks))
    return folders


def solve_both_ways(
    folders: Folders, problems: tuple[Problem, ...], task_info: Path, run_notebooks: Run
) -> None:
    """Solve from the same tables; results go beside them."""
    notebooks = []
    for procedure, (direct, written) in folders.items():
        for problem in problems:
            options = AnalysisOptions(procedure=procedure)  # type: ignore[arg-type]
            output = OutputFolder(direct)
            write_result(output, solve_problem(output, problem, options, TaskInfo.load(task_info)))
            task = Task(
                "statistics",
                problem.trait,
                str(written),
                str(written),
                procedure,  # type: ignore[arg-type]
                condition=problem.condition,
                task_info=str(task_info),
            )
            notebooks.append(notebook(task))
    assert_ran(run_notebooks(notebooks))


@pytest.fixture(scope="module")
def folders(
    study: SimulatedStudy, run_notebooks: Run, tmp_path_factory: pytest.TempPathFactory
) -> Folders:
    both = preprocess_both_ways(study.folder, tmp_path_factory.mktemp("both"), run_notebooks)
    solve_both_ways(both, PROBLEMS, study.task_info, run_notebooks)
    return both


@pytest.mark.everyday
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_table_record_and_result_is_the_same(folders: Folders, procedure: str) -> None:
    direct, written = (files_of(folder) for folder in folders[procedure])
    assert set(direct) == set(written)
    assert [name for name, content in direct.items() if written[name] != content] == []
    assert sum(name.startswith("regress") and name.endswith(".json") for name in direct) == 4


def test_evidence_names_an_agent_as_its_source(folders: Folders) -> None:
    direct, written = (OutputFolder(folder) for folder in folders["sound"])
    where = ("Simulated_Arthritis", "GSE90000001")
    ours, theirs = read_evidence(written.evidence(*where)), read_evidence(direct.evidence(*where))
    assert ours.reading["by"] == "agent" and ours.reading["trait"]["told_by"] == "agent"
    assert ours.reading["trait"]["values"] == theirs.reading["trait"]["values"]
    # A later run of the pipeline without agents must not take these tables for its own.
    assert ours.fingerprint == ""
    for field in ("roles", "sample_facts", "linking", "mapping", "info", "series", "files"):
        assert getattr(ours, field) == getattr(theirs, field)


def test_cohort_is_replayed_from_its_evidence_without_the_code(
    folders: Folders, study: SimulatedStudy, tmp_path: Path
) -> None:
    for procedure, (direct, written) in folders.items():
        where = ("Simulated_Arthritis", "GSE90000003")  # the one with shifted characteristics
        evidence = read_evidence(OutputFolder(written).evidence(*where))
        reading = annotation_from_json(evidence.reading)
        assert reading.trait is not None and reading.trait.parser is None
        options = PreprocessOptions(procedure=procedure, readings={where[1]: reading})
        target = OutputFolder(tmp_path / procedure)
        preprocess(study.folder, target.root, traits=where[:1], cohorts=where[1:], options=options)
        for table in ("clinical_csv", "gene_csv", "linked_csv"):
            path = getattr(OutputFolder(direct), table)(*where)
            assert getattr(target, table)(*where).read_bytes() == path.read_bytes()


def test_cells_run_again_leave_the_same_files(
    study: SimulatedStudy, run_notebooks: Run, tmp_path: Path
) -> None:
    task = cohort_task(study.folder, tmp_path, "Simulated_Arthritis", "GSE90000001", "sound")
    whole = notebook(task)
    cells = whole["cells"]
    (once,) = run_notebooks([whole])
    before = files_of(tmp_path)
    # A session that goes back is restored by running its cells again.
    (twice,) = run_notebooks([whole | {"cells": [*cells, *cells[1:]]}])
    assert files_of(tmp_path) == before
    assert [cell["output"] for cell in twice[len(cells) :]] == [cell["output"] for cell in once[1:]]


SYNOVIAL = ("Osteoarthritis", "Rheumatoid_Arthritis")


def test_synovial_cohorts_and_the_two_step_problem(
    shared_data: Path, run_notebooks: Run, tmp_path: Path
) -> None:
    source, tasks = shared_data / "input", shared_data / "metadata" / "task_info.json"
    both = preprocess_both_ways(source, tmp_path, run_notebooks, SYNOVIAL)
    sound = {"sound": both["sound"]}
    problems = (Problem(SYNOVIAL[1]), Problem(SYNOVIAL[1], SYNOVIAL[0]))
    solve_both_ways(sound, problems, tasks, run_notebooks)
    for direct, written in both.values():
        assert files_of(direct) == files_of(written)


@pytest.mark.parametrize(
    ("trait", "cohort", "names"),
    [
        ("COVID-19", "GSE157103", ["GSE157103_series_matrix.txt.gz"]),
        ("Stomach_Cancer", "GSE83521", ["GSE83521_series_matrix.txt.gz"]),
        ("Diabetic_Kidney_Disease", "GSE30528", ["GSE30528_series_matrix.txt.gz"]),
        ("Kidney_Clear_Cell_Carcinoma", "GSE781", ["GSE781_family.soft.gz"]),
    ],
)
def test_series_without_table_genes_annotation_or_matrix(
    shared_data: Path, run_notebooks: Run, tmp_path: Path, trait: str, cohort: str, names: list[str]
) -> None:
    folder = tmp_path / "in" / "GEO" / trait / cohort
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).symlink_to(shared_data / "traps" / name)
    for direct, written in preprocess_both_ways(tmp_path / "in", tmp_path, run_notebooks).values():
        assert files_of(direct) == files_of(written)
