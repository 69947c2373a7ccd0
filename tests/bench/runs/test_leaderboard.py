"""Runs as submissions: where they started, digests of their outputs, rank, cost and command."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from genotex.bench import (
    AboutRun,
    Average,
    BenchmarkRun,
    ChosenMethod,
    Entry,
    Used,
    check_run,
    choose_method,
    group_runs,
    pareto_front,
    read_run_record,
    read_setup,
    run_benchmark,
    write_manifest,
)
from genotex.errors import FormatError
from genotex.formats import write_json
from genotex.options import MethodOptions
from genotex.problems import Problem, TaskInfo
from tests.bench.evaluation.some_scores import problem_score, some_scores

from .conftest import make_tasks

RANDOM = choose_method(MethodOptions(method="random", genes=5))


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> TaskInfo:
    return make_tasks(tmp_path_factory.mktemp("tasks"), {"Asthma": ("Age",)})


@pytest.fixture(scope="module")
def finished(tasks: TaskInfo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs") / "mine"
    run_benchmark(BenchmarkRun(root, tasks, tasks.problems(), RANDOM, seed=7))
    return root


@pytest.fixture
def submitted(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "mine"))


def method(name: str, *, own: bool = False) -> ChosenMethod:
    chosen = choose_method(MethodOptions(method=name)) if name != "own" else RANDOM
    return replace(chosen, reads="anything", name=name, own_cohorts=own)


@pytest.mark.parametrize(
    ("name", "own", "given", "start"),
    [
        ("rules", False, "source", "raw files"),
        ("lasso", False, "source", "tables by genotex"),
        ("own", False, "source", "tables by genotex"),
        ("own", True, "source", "raw files"),
        ("lasso", False, "preprocessed", "prepared tables"),
        ("own", False, "", "no data"),
    ],
)
def test_run_records_where_it_started(
    tasks: TaskInfo, reference: Path, tmp_path: Path, name: str, own: bool, given: str, start: str
) -> None:
    (tmp_path / "input" / "GEO" / "Asthma").mkdir(parents=True)
    folders = {"source": tmp_path / "input", "preprocessed": reference}
    where = {given: folders[given]} if given else {}
    problems = (Problem("Asthma"),)
    plan = BenchmarkRun(tmp_path / "out", tasks, problems, method(name, own=own), **where)
    assert plan.settings().start == start


def record(root: Path, **content: object) -> str | None:
    write_json(root / "run" / "run.json", content)
    return read_run_record(root).start


def test_start_of_runs_that_do_not_record_it(tmp_path: Path) -> None:
    raw = {"input": "/raw", "preprocessed": None}
    assert record(tmp_path, **raw, method="rules") == "raw files"
    assert record(tmp_path, **raw, method="agents") == "raw files"
    assert record(tmp_path, **raw, method="command") == "tables by genotex"
    own = {"own_cohorts": True}
    assert record(tmp_path, **raw, method="command", options=own) == "raw files"
    assert record(tmp_path, **raw, method="lasso", start="no data") == "no data"


def test_run_of_an_earlier_version_can_be_resumed(submitted: Path, tasks: TaskInfo) -> None:
    settings = json.loads((submitted / "run" / "run.json").read_text())
    assert settings.pop("start") == "no data"
    write_json(submitted / "run" / "run.json", settings)
    (submitted / "run" / "manifest.json").unlink()
    again = run_benchmark(BenchmarkRun(submitted, tasks, tasks.problems(), RANDOM, seed=7))
    assert again.solved_now == 0
    check_run(submitted)


def test_finished_run_can_be_checked(submitted: Path) -> None:
    check_run(submitted)
    listed = json.loads((submitted / "run" / "manifest.json").read_text())["files"]
    assert "run/run.json" in listed
    assert "regress/Asthma/significant_genes_condition_None.json" in listed


def edit(root: Path) -> None:
    path = root / "regress/Asthma/significant_genes_condition_None.json"
    path.write_text(path.read_text().replace("[", "[ ", 1))


def remove(root: Path) -> None:
    (root / "regress/Asthma/significant_genes_condition_Age.json").unlink()


def add(root: Path) -> None:
    source = root / "regress/Asthma/significant_genes_condition_None.json"
    shutil.copy(source, source.with_name("significant_genes_condition_Gender.json"))


def change_cost(root: Path) -> None:
    path = root / "run" / "problems.csv"
    path.write_text(path.read_text() + "\n")


def forget(root: Path) -> None:
    (root / "run" / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (edit, "None.json: changed since the run"),
        (remove, "Age.json: not there any more"),
        (add, "Gender.json: not from this run"),
        (change_cost, "problems.csv: changed since the run"),
        (forget, "manifest.json: is missing"),
    ],
)
def test_folder_whose_digests_do_not_fit_is_refused(
    submitted: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(submitted)
    with pytest.raises(FormatError) as caught:
        check_run(submitted)
    assert words in str(caught.value)


def test_pages_that_were_added_do_not_matter(submitted: Path) -> None:
    (submitted / "regress" / "Asthma" / "report.html").write_text("a page")
    check_run(submitted)


def test_what_a_run_used_and_its_command(finished: Path) -> None:
    setup = read_setup(finished)
    assert (setup.who, setup.start, setup.problems) == ("random", "no data", 2)
    assert setup.used == Used(0, 0.0, "$0")
    assert setup.task_info.startswith("task_info.json ") and setup.version
    assert setup.command == (
        "genotex bench run - OUTPUT --task-info task_info.json --problems problems.csv "
        "--method random --genes 5 --seed 7"
    )


def test_agents_and_commands_of_others(tmp_path: Path) -> None:
    write_json(
        tmp_path / "run" / "run.json",
        {
            "method": "agents", "start": "prepared tables", "procedure": "sound",
            "options": {"preset": "codeact", "models": {"model": "openai:gpt-4o"}},
            "problems": [{"trait": "Asthma", "condition": None}],
        },
    )  # fmt: skip
    setup = read_setup(tmp_path)
    assert setup.who == "codeact, openai:gpt-4o"
    assert "--preset codeact --model openai:gpt-4o --procedure sound" in setup.command
    assert setup.command.endswith("--preprocessed FOLDER")
    assert setup.used.cost is None and setup.used.words == "not recorded"


def entry(name: str, cost: float | None, f1: float) -> Entry:
    figures = {"f1": Average(f1, None, 1, 0)}
    return Entry(name, name, "", 10, Used(cost=cost), figures)


def test_front_of_score_and_cost() -> None:
    runs = [
        entry("dear", 50.0, 80.0),
        entry("unknown", None, 99.0),
        entry("worse", 50.0, 70.0),
        entry("free", 0.0, 20.0),
        entry("beaten", 20.0, 20.0),
        entry("middle", 10.0, 60.0),
    ]
    assert [each.name for each in pareto_front(runs)] == ["free", "middle", "dear"]
    assert runs[0].per_problem == 5.0 and runs[1].per_problem is None


def test_runs_are_grouped_where_they_were_scored_alike() -> None:
    better = some_scores(analysis=(problem_score("Asthma", f1=90.0),))
    worse = some_scores(analysis=(problem_score("Asthma", f1=10.0),))
    other = some_scores(analysis=(problem_score("Gout"),))
    groups = group_runs({"w": worse, "b": better, "o": other}, lambda name, _: AboutRun(name))
    assert [[each.name for each in group.entries] for group in groups] == [["b", "w"], ["o"]]
    first = groups[0]
    assert first.comparison is not None and first.comparison.baseline == "b"
    assert first.difference(first.entries[1], "f1") == "-80.00"
    assert groups[1].comparison is None


def test_manifest_lists_cohorts(tmp_path: Path) -> None:
    table = tmp_path / "preprocess" / "Asthma" / "gene_data" / "GSE1.csv"
    table.parent.mkdir(parents=True)
    table.write_text(",GSM1\nA,1\n")
    write_json(tmp_path / "run" / "run.json", {})
    write_manifest(tmp_path)
    check_run(tmp_path)
    table.write_text(",GSM1\nA,2\n")
    with pytest.raises(FormatError, match=r"gene_data/GSE1\.csv: changed"):
        check_run(tmp_path)
