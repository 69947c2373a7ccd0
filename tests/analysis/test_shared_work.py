"""Work that problems of one cohort share: the same results, and nothing of what has changed."""

import json
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import (
    last_table,
    once,
    pipeline,
    problem_data,
    sharing,
    solve_problem,
    solve_problems,
    sound,
    write_result,
)
from genotex.formats import LinkedTable, write_linked_csv, write_linked_parquet
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure
from tests.analysis.cohort_tables import two_groups
from tests.analysis.test_pipeline import put

ASTHMA = Problem("Asthma")
PROBLEMS = [Problem("Asthma", condition) for condition in (None, "Age", "Gender", "Obesity")]


def with_factor(seed: int) -> LinkedTable:
    """Return a cohort whose genes share a factor, so that there is a surrogate variable."""
    table = two_groups(samples=40, genes=80, shift=1.5, seed=seed)
    rng = np.random.default_rng(seed)
    factor = np.outer(rng.normal(size=40), rng.normal(size=80))
    return replace(table, expression=table.expression + factor)


@pytest.fixture(scope="module")
def cohorts(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    """Asthma, with gaps in some genes, and Obesity."""
    output = OutputFolder(tmp_path_factory.mktemp("cohorts"))
    put(output, "GSE1", with_factor(0))
    gaps = with_factor(0).expression.copy()
    gaps[3:9, 10:60] = np.nan
    path = output.linked_parquet("Asthma", "GSE1")
    unfilled = replace(with_factor(0), expression=gaps)
    write_linked_parquet(path, unfilled, csv=output.linked_csv("Asthma", "GSE1"))
    put(output, "GSE2", replace(with_factor(1), trait="Obesity"))
    return output


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> TaskInfo:
    path = tmp_path_factory.mktemp("tasks") / "task_info.json"
    genes = {"Asthma": ["GENE0", "GENE20"], "Obesity": ["GENE1", "GENE21"]}
    content = {
        trait: {"related_genes": related, "conditions": []} for trait, related in genes.items()
    }
    path.write_text(json.dumps(content))
    return TaskInfo.load(path)


def contents(output: OutputFolder) -> dict[str, bytes]:
    files = [path for path in (output.root / "regress").rglob("*") if path.is_file()]
    return {path.relative_to(output.root).as_posix(): path.read_bytes() for path in files}


def solve_each(
    cohorts: OutputFolder, tasks: TaskInfo, target: Path, options: AnalysisOptions
) -> dict[str, bytes]:
    for problem in PROBLEMS:
        write_result(OutputFolder(target), solve_problem(cohorts, problem, options, tasks))
    return contents(OutputFolder(target))


@pytest.mark.everyday
@pytest.mark.parametrize("procedure", list(Procedure))
def test_results_are_the_same_byte_for_byte(
    cohorts: OutputFolder, tasks: TaskInfo, tmp_path: Path, procedure: Procedure
) -> None:
    options = AnalysisOptions(procedure, solver="exact")
    alone = solve_each(cohorts, tasks, tmp_path / "alone", options)
    assert len(alone) >= len(PROBLEMS)
    with sharing():
        assert solve_each(cohorts, tasks, tmp_path / "memory", options) == alone
    for name in ("first", "second"):
        # The second time everything that can be shared is found in the folder.
        with sharing(tmp_path / "shared"):
            assert solve_each(cohorts, tasks, tmp_path / name, options) == alone


@pytest.mark.parametrize("jobs", [1, 2])
def test_problems_of_a_command_share_and_are_the_same(
    cohorts: OutputFolder, tasks: TaskInfo, tmp_path: Path, jobs: int
) -> None:
    options = AnalysisOptions(panel=False)
    alone = solve_each(cohorts, tasks, tmp_path, options)
    solve_problems(cohorts, PROBLEMS, options, tasks, jobs=jobs)
    assert contents(cohorts) == alone


def test_panel_is_fitted_once_where_nothing_it_depends_on_differs(
    cohorts: OutputFolder, tasks: TaskInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted: list[int] = []
    fit_panel = sound.fit_panel

    def count(*given: object, **options: object) -> object:
        fitted.append(1)
        return fit_panel(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sound, "fit_panel", count)
    for threads, (first, second), expected in (
        (1, (None, "Age"), 1),
        (2, (None, "Age"), 1),
        (1, (None, "Obesity"), 2),
    ):
        fitted.clear()
        with sharing():
            for condition in (first, second):
                problem = Problem("Asthma", condition)
                solve_problem(cohorts, problem, AnalysisOptions(), tasks, threads=threads)
        assert len(fitted) == expected


def test_the_cohort_of_a_condition_is_read_once_for_all_traits(
    cohorts: OutputFolder, tasks: TaskInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = problem_data._read

    def count(output: OutputFolder, trait: str, *given: object) -> LinkedTable:
        read.append(trait)
        return whole(output, trait, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(problem_data, "_read", count)
    problem, options = Problem("Asthma", "Obesity"), AnalysisOptions(panel=False)
    with sharing():
        for seed in (0, 1):
            solve_problem(cohorts, problem, replace(options, seed=seed), tasks)
    assert read == ["Asthma", "Obesity"]


def test_one_process_solves_the_problems_of_a_trait_where_traits_are_many() -> None:
    def solved_together(traits: int, processes: int) -> list[int]:
        problems = [Problem(f"T{i}", c) for i in range(traits) for c in (None, "Age")]
        bundles = pipeline._bundles(problems, processes)
        assert [problem for bundle in bundles for problem in bundle] == problems
        return [len(bundle) for bundle in bundles]

    assert solved_together(8, 2) == [2] * 8
    # The last trait would keep one process waiting; and one process shares anyway.
    assert solved_together(3, 2) == [1] * 6
    assert solved_together(8, 1) == [1] * 16


def test_changed_table_is_read_again(tmp_path: Path) -> None:
    output, options = OutputFolder(tmp_path), AnalysisOptions(panel=False)
    put(output, "GSE1", with_factor(0))
    with sharing():
        before = solve_problem(output, ASTHMA, options)
        write_linked_csv(output.linked_csv("Asthma", "GSE1"), with_factor(1))
        after = solve_problem(output, ASTHMA, options)
    assert not after.genes.equals(before.genes)
    assert after.genes.equals(solve_problem(output, ASTHMA, options).genes)


def test_last_table_is_kept_while_its_files_are_the_same(tmp_path: Path) -> None:
    paths = [tmp_path / "one.csv", tmp_path / "one.parquet"]
    paths[0].write_text("1")
    read: list[LinkedTable] = []

    def look(files: Sequence[Path]) -> LinkedTable:
        return last_table(files, lambda: read.append(two_groups()) or read[-1])

    with sharing():
        assert look(paths) is look(paths)
        paths[1].write_text("a file that was not there")
        assert look(paths) is read[1]
        paths[0].write_text("2")
        assert look(paths) is read[2]
        assert look(paths[:1]) is read[3]
    look(paths)
    look(paths)
    assert len(read) == 6


def test_one_table_is_in_memory_at_a_time(tmp_path: Path) -> None:
    with sharing():
        first = weakref.ref(last_table([tmp_path / "one.csv"], two_groups))
        assert first() is not None

        def read() -> LinkedTable:
            assert first() is None
            return two_groups()

        last_table([tmp_path / "two.csv"], read)


def test_kept_results_are_those_of_the_same_inputs_and_independent_copies() -> None:
    values = np.arange(6.0).reshape(2, 3)
    made: list[int] = []

    def make() -> dict[str, int]:
        made.append(1)
        return {"number": len(made)}

    with sharing():
        first = once("sum", make, values, 42)
        first["number"] = 100
        assert once("sum", make, values.copy(), 42) == {"number": 1}
        for other in (
            ("mean", values, 42),
            ("sum", values, 43),
            ("sum", values + 1e-12, 42),
            ("sum", np.asfortranarray(values), 42),
            ("sum", values.astype(np.float32), 42),
            ("sum", values.reshape(3, 2), 42),
        ):
            kind, *inputs = other
            assert once(str(kind), make, *inputs)["number"] == len(made)
        assert len(made) == 7
    assert once("sum", make, values, 42) == {"number": 8}


def test_results_in_a_folder_serve_other_processes(tmp_path: Path) -> None:
    with sharing(tmp_path / "shared"):
        assert once("number", lambda: 1, "input") == 1
    with sharing(tmp_path / "shared"):
        assert once("number", lambda: 2, "input") == 1
    (tmp_path / "file").write_text("in the way")
    with sharing(tmp_path / "file"):
        assert once("number", lambda: 2, "input") == 2
