"""Whole runs on cohorts of somebody else: what is kept, done again, refused and written."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from genotex.analysis import read_result, solve_problem, write_result
from genotex.bench import (
    BenchmarkRun,
    ChosenMethod,
    Context,
    ErrorClass,
    Finished,
    ProblemRecord,
    RunFolder,
    choose_method,
    run_benchmark,
)
from genotex.errors import FormatError, UsageError
from genotex.io import lock
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, MethodOptions
from genotex.problems import Problem, TaskInfo

from .conftest import digests, make_tasks
from .first_genes import FirstGenes

LASSO = choose_method(MethodOptions(method="lasso"))
RANDOM = choose_method(MethodOptions(method="random", genes=5))
CONDITIONS = {"Asthma": ("Age", "Gender", "Obesity", "Gout"), "Gout": ()}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> TaskInfo:
    return make_tasks(tmp_path_factory.mktemp("tasks"), {**CONDITIONS, "Obesity": ()})


@pytest.fixture(scope="module")
def plan(
    reference: Path, tasks: TaskInfo, tmp_path_factory: pytest.TempPathFactory
) -> BenchmarkRun:
    problems = tasks.problems()
    target = tmp_path_factory.mktemp("run") / "out"
    return BenchmarkRun(target, tasks, problems, LASSO, preprocessed=reference)


@pytest.fixture(scope="module")
def finished(plan: BenchmarkRun) -> Finished:
    return run_benchmark(plan)


@pytest.fixture(scope="module")
def tiny(tasks: TaskInfo, tmp_path_factory: pytest.TempPathFactory) -> BenchmarkRun:
    """A run that needs no data and is over at once."""
    target = tmp_path_factory.mktemp("tiny") / "out"
    plan = BenchmarkRun(target, tasks, [Problem("Asthma"), Problem("Gout")], RANDOM)
    run_benchmark(plan)
    return plan


def test_answers_and_failures(finished: Finished) -> None:
    found = {str(r.problem): r.error_class or r.cohort for r in finished.records}
    assert found == {
        "Asthma": "GSE2",
        "Asthma given Age": "GSE2",
        "Asthma given Gender": "GSE2",
        "Asthma given Obesity": "GSE2",
        "Asthma given Gout": ErrorClass.NO_COHORT,
        "Gout": ErrorClass.NO_COHORT,
        "Obesity": "GSE3",
    }


def test_outcomes_hold_no_times(plan: BenchmarkRun, finished: Finished) -> None:
    run = RunFolder(plan.target)
    outcomes = json.loads(run.outcomes.read_text())
    assert len(outcomes) == len(finished.records)
    assert outcomes[4] == {
        "trait": "Asthma",
        "condition": "Gout",
        "kind": "two-step",
        "success": False,
        "cohort": None,
        "genes": None,
        "error_class": "no cohort",
        "error": "there is no preprocessed cohort of Gout",
    }
    rows = run.table.read_text().splitlines()
    assert rows[0] == (
        "trait,condition,kind,success,seconds,cohort_seconds,tokens_in,tokens_out,tokens_cached,"
        "cost,peak_memory_mb,error_class,error"
    )
    assert rows[1].startswith("Asthma,,unconditional,True,")


def test_summary_counts(finished: Finished) -> None:
    summary = finished.summary
    assert (summary.problems, summary.answered) == (7, 5)
    assert summary.by_kind == {
        "unconditional": {"problems": 3, "answered": 2},
        "one-step": {"problems": 2, "answered": 2},
        "two-step": {"problems": 2, "answered": 1},
    }
    assert summary.by_error_class == {"no cohort": 2}
    assert summary.cohorts == {"read": 3, "usable": 3}
    assert summary.cohorts_not_read == {}
    assert summary.peak_memory_mb == max(r.peak_memory_mb for r in finished.records)


def test_results_are_whole_pairs(plan: BenchmarkRun, finished: Finished) -> None:
    for record in finished.records:
        if record.success:
            problem = record.problem
            result = read_result(OutputFolder(plan.target), problem.trait, problem.condition)
            assert result.significant.height == record.genes


@pytest.mark.usefixtures("finished")
def test_reference_is_not_touched(plan: BenchmarkRun, reference: Path) -> None:
    assert plan.preprocessed == reference
    assert not (reference / "regress").exists() and not (reference / "run").exists()
    assert not (plan.target / "preprocess").exists()


@pytest.mark.usefixtures("finished")
def test_three_at_a_time_give_the_same_bytes(plan: BenchmarkRun, tmp_path: Path) -> None:
    again = replace(plan, target=tmp_path / "out")
    run_benchmark(again, jobs=3)
    assert digests(again.target) == digests(plan.target)


@pytest.mark.usefixtures("finished")
def test_damage_and_stale_files_are_mended_and_nothing_else_is_done(plan: BenchmarkRun) -> None:
    before, output = digests(plan.target), OutputFolder(plan.target)
    output.significant_genes("Asthma", "Age").write_text("{}")
    output.all_genes("Obesity", None).unlink()
    stale = output.significant_genes("Gout", None)
    stale.parent.mkdir()
    stale.write_text("{}")
    done = run_benchmark(plan)
    assert done.solved_now == 3
    assert digests(plan.target) == before


def test_finished_run_does_nothing_again(tiny: BenchmarkRun) -> None:
    before = digests(tiny.target)
    assert run_benchmark(tiny).solved_now == 0
    assert digests(tiny.target) == before


def test_cohorts_that_changed_are_asked_again(
    reference: Path, tasks: TaskInfo, tmp_path: Path
) -> None:
    copy = tmp_path / "reference"
    shutil.copytree(reference, copy)
    problems = [Problem("Asthma"), Problem("Obesity")]
    method = ChosenMethod("first-genes", FirstGenes(), "cohorts")
    plan = BenchmarkRun(tmp_path / "out", tasks, problems, method, preprocessed=copy)
    assert [r.cohort for r in run_benchmark(plan).records] == ["GSE2", "GSE3"]
    info = OutputFolder(copy).cohort_info("Asthma")
    content = json.loads(info.read_text())
    content["GSE2"]["is_usable"] = False
    info.write_text(json.dumps(content))
    done = run_benchmark(plan)
    assert [r.cohort for r in done.records] == ["GSE1", "GSE3"]
    assert done.solved_now == 1


def test_retry_tries_failures_in_the_data_again(tasks: TaskInfo, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"trait": "Asthma", "condition": null, "genes": ["IL13"]}\n')
    method = choose_method(MethodOptions(method="zero-shot", answers=answers))
    plan = BenchmarkRun(tmp_path / "out", tasks, [Problem("Asthma"), Problem("Gout")], method)
    first = run_benchmark(plan)
    assert [r.error_class for r in first.records] == [None, ErrorClass.NO_ANSWER]
    assert first.records[1].error == "the file of answers has none for Gout"
    assert run_benchmark(plan).solved_now == 0
    assert run_benchmark(plan, retry=True).solved_now == 1


def refused(plan: BenchmarkRun, message: str) -> None:
    before = digests(plan.target)
    with pytest.raises(UsageError, match=message):
        run_benchmark(plan)
    assert digests(plan.target) == before


def test_other_settings_on_the_same_folder_are_refused(tiny: BenchmarkRun) -> None:
    others = choose_method(MethodOptions(method="random", genes=6))
    refused(replace(tiny, method=others), "options genes was 5, is 6; repeat its settings")
    refused(replace(tiny, seed=7), "options seed was 42, is 7")
    refused(replace(tiny, problems=[Problem("Asthma")]), "problems: 2 before, 1 now")
    refused(replace(tiny, problems=[Problem("Gout"), Problem("Asthma")]), "but number 1 differs")


def test_another_task_list_is_refused(tiny: BenchmarkRun, tmp_path: Path) -> None:
    other = make_tasks(tmp_path, CONDITIONS, ("GENE7",))
    refused(replace(tiny, tasks=other), "task_info sha256 was")


def test_run_that_is_going_on_is_not_interleaved(tiny: BenchmarkRun) -> None:
    with lock(RunFolder(tiny.target).settings):
        refused(tiny, "is in use by another process")


def test_folder_may_be_renamed(tiny: BenchmarkRun, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    run_benchmark(replace(tiny, target=tmp_path / "out"))
    (tmp_path / "out").rename(moved)
    assert run_benchmark(replace(tiny, target=moved)).solved_now == 0


def test_results_of_no_run_are_not_mixed_with_those_of_one(
    tiny: BenchmarkRun, tmp_path: Path
) -> None:
    (tmp_path / "regress" / "Asthma").mkdir(parents=True)
    with pytest.raises(UsageError, match="give another output folder"):
        run_benchmark(replace(tiny, target=tmp_path))


def test_damaged_settings_are_an_error(tiny: BenchmarkRun, tmp_path: Path) -> None:
    plan = replace(tiny, target=tmp_path)
    RunFolder(tmp_path).settings.parent.mkdir()
    RunFolder(tmp_path).settings.write_text("{")
    with pytest.raises(FormatError, match=r"run\.json, line 1: not valid JSON"):
        run_benchmark(plan)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"problems": ()}, "there is no problem to solve"),
        ({"problems": [Problem("Asthmaa")]}, "has no trait 'Asthmaa'"),
        ({"preprocessed": None}, "the method lasso reads cohorts; give INPUT"),
        ({"method": RANDOM}, "--preprocessed has no effect here: random reads no data"),
        ({"preprocessed": Path("nowhere")}, "nowhere contains no preprocess/"),
        ({"preprocessed": None, "source": Path("nowhere")}, "nowhere is not a folder"),
    ],
)
def test_what_does_not_go_together(
    plan: BenchmarkRun, changes: dict[str, object], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        replace(plan, **changes)  # type: ignore[arg-type]


def test_method_of_a_script_cannot_be_imported_by_a_process(plan: BenchmarkRun) -> None:
    class InAScript:
        __module__ = "__main__"

        def solve(self, problem: Problem, context: Context) -> None: ...

    with pytest.raises(UsageError, match="define it in a module of its own"):
        replace(plan, method=ChosenMethod("mine", InAScript(), "cohorts"))


@pytest.mark.parametrize("below", [(), ("mine",)])
def test_output_in_the_reference_is_refused(
    plan: BenchmarkRun, reference: Path, below: Sequence[str]
) -> None:
    with pytest.raises(UsageError, match="the folder of --preprocessed or inside it"):
        replace(plan, target=reference.joinpath(*below))


def test_random_genes_depend_on_seed_and_problem_alone(tiny: BenchmarkRun, tmp_path: Path) -> None:
    def genes(root: Path, trait: str) -> list[str]:
        path = OutputFolder(root).significant_genes(trait, None)
        drawn: list[str] = json.loads(path.read_text())["significant_genes"]["Variable"]
        return drawn

    other = replace(tiny, target=tmp_path, seed=1, problems=[Problem("Gout")])
    run_benchmark(other)
    first, second = genes(tiny.target, "Asthma"), genes(tiny.target, "Gout")
    assert len({*first}) == len({*second}) == 5
    assert first != second
    assert genes(tmp_path, "Gout") != second


@pytest.mark.everyday
def test_problems_of_a_trait_follow_each_other_and_share_work(
    plan: BenchmarkRun, tmp_path: Path
) -> None:
    problems = [Problem("Asthma"), Problem("Obesity"), Problem("Asthma", "Age")]
    sound = choose_method(MethodOptions())
    mine = replace(plan, target=tmp_path / "out", method=sound, problems=problems)
    solved: list[Problem] = []
    shared: set[str] = set()

    def note(record: ProblemRecord, total: int) -> None:
        solved.append(record.problem)
        kept = RunFolder(mine.target).work.glob("*/shared/*")
        shared.update(path.name.partition("-")[0] for path in kept)

    run_benchmark(mine, on_problem=note)
    assert solved == [problems[0], problems[2], problems[1]]
    assert {"samples", "panel"} <= shared
    assert not RunFolder(mine.target).work.exists()
    for problem in problems:
        alone = solve_problem(
            OutputFolder(plan.preprocessed), problem, AnalysisOptions(), mine.tasks
        )
        write_result(OutputFolder(tmp_path / "alone"), alone)
        path = OutputFolder(tmp_path / "alone").significant_genes(problem.trait, problem.condition)
        same = mine.target / path.relative_to(tmp_path / "alone")
        assert same.read_bytes() == path.read_bytes()
