"""`genotex agent` with the built-in rules, in real sessions."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from genotex.agents import (
    Folders,
    SandboxPolicy,
    TeamFinished,
    TeamPlan,
    local_session,
    register_rules,
    run_team,
)
from genotex.analysis import solve_problem, write_result
from genotex.cohorts import PreprocessOptions, preprocess
from genotex.layout import OutputFolder
from genotex.models import ModelSettings, SpendingLimits
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure
from tests.agents.playing import python
from tests.agents.team.conftest import Played, PlayedModel, play
from tests.cli.conftest import Run
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz

ROOT = Path(__file__).parents[2]
OPTIONS = ("--trait", "Asthma", "--model", "rules", "--sandbox", "best")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an input of one series, and the result without agents."""
    place = tmp_path_factory.mktemp("agent")
    write_asthma(place / "in", "GSE1", number=24)
    (place / "tasks.json").write_text(
        json.dumps({"Asthma": {"related_genes": ["A2M", "ABO"], "conditions": ["Age"]}})
    )
    return place


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "genotex", *map(str, arguments)]


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, env=environment, check=False
    )


def files(root: Path) -> dict[str, bytes]:
    """Return tables, records and results; of evidence the agents' own differs in who tells it."""
    found = [path for part in ("preprocess", "regress") for path in (root / part).rglob("*")]
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(found)
        if path.is_file() and path.parent.name != "evidence" and path.suffix != ".lock"
    }


def directly(
    place: Path, target: Path, procedure: Procedure, tasks: TaskInfo | None = None
) -> dict[str, bytes]:
    preprocess(place / "in", target, options=PreprocessOptions(procedure=procedure))
    result = solve_problem(
        OutputFolder(target), Problem("Asthma"), AnalysisOptions(procedure=procedure), tasks
    )
    write_result(OutputFolder(target), result)
    return files(target)


def by_team(place: Path) -> TeamFinished:
    """Have the problem solved by the team, by the procedure sound."""
    register_rules()
    plan = TeamPlan(
        place / "in",
        place / "out",
        [Problem("Asthma")],
        ModelSettings("rules"),
        sandbox=SandboxPolicy.BEST,
    )
    return run_team(plan)


@pytest.fixture(scope="module")
def done(place: Path) -> TeamFinished:
    return by_team(place)


def test_rules_give_byte_by_byte_what_the_direct_road_gives(
    place: Path, done: TeamFinished
) -> None:
    assert [record.state.value for record in done.notebooks] == ["done", "done"]
    assert done.usage.total().cost.exact == 0
    expected = directly(place, place / "direct", "sound")
    assert files(place / "out") == expected
    assert any(name.startswith("regress/") for name in expected)


def test_groups_processed_apart_are_left_for_review_as_without_agents(tmp_path: Path) -> None:
    write_asthma(tmp_path / "in", "GSE1", number=22)
    rows = asthma(24)
    batch = [f"batch: {cell}" for cell in rows[0]]
    text = series_matrix("GSE2", characteristics=[*rows, batch])
    write_gz(tmp_path / "in/GEO/Asthma/GSE2/GSE2_series_matrix.txt.gz", text)
    (problem,) = by_team(tmp_path).problems
    assert problem.cohort == "GSE1"
    assert files(tmp_path / "out") == directly(tmp_path, tmp_path / "direct", "sound")


def test_killed_and_resumed_the_procedure_benchmark_gives_what_the_direct_road_gives(
    place: Path,
) -> None:
    target = place / "benchmark"
    options = (*OPTIONS, "--procedure", "benchmark", "--task-info", place / "tasks.json")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        command("agent", "run", place / "in", target, *options),
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as running:
        journal = target / "run/notebooks/Asthma/GSE1.jsonl"
        for _ in range(600):
            if journal.exists() and len(journal.read_bytes().splitlines()) > 7:
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
    assert not (target / "regress").exists()
    before = journal.read_bytes()
    resumed = call("agent", "resume", target)
    assert resumed.returncode == 0, resumed.stderr
    assert journal.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    tasks = TaskInfo.load(place / "tasks.json")
    assert files(target) == directly(place, place / "direct-benchmark", "benchmark", tasks)


def test_notebooks_run_again_come_to_the_same_files(
    place: Path, done: TeamFinished, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    notebooks = [
        place / "out/notebooks/Asthma/GSE1.ipynb",
        place / "out/notebooks/Asthma/condition_None.ipynb",
    ]
    readable = (place / "in", place / "out/preprocess")
    for notebook in notebooks:
        cells = json.loads(notebook.read_text())["cells"]
        work = tmp_path / notebook.stem
        with local_session(Folders(work, readable), policy=SandboxPolicy.BEST) as session:
            for cell in cells:
                if cell["cell_type"] == "code":
                    result = session.execute("".join(cell["source"]))
                    assert str(result.status) == "ok", result.text
        shutil.copytree(work / "output", again, dirs_exist_ok=True)
    assert files(again) == files(place / "out")


def test_run_is_shown_as_a_whole_and_step_by_step(
    place: Path, done: TeamFinished, genotex: Run
) -> None:
    code, out, _ = genotex("agent", "show", place / "out")
    assert code == 0
    assert "GSE1" in out and "given None" in out and "done" in out
    code, out, _ = genotex("agent", "show", place / "out", "GSE1")
    assert code == 0
    for shown in ("== Step 1: load data ==", "series = read_series(files)", "  > ", "approved"):
        assert shown in out
    code, out, _ = genotex("agent", "show", place / "out", "Asthma", "--json")
    told = json.loads(out)
    assert (told["state"], told["ending"]) == ("done", "task completed")
    assert told["steps"][0]["attempts"][0]["verdict"]["approve"] is True
    assert set(told["usage"]["roles"]) == {"planner", "reviewer", "statistician"}


def test_terminal_that_has_no_letter_for_a_sign_is_shown_its_number(tmp_path: Path) -> None:
    (tmp_path / "in" / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    played = Played(tmp_path / "out", tmp_path / "in")
    said = python("x = 'Crohn\u2019s'")
    played.calls = PlayedModel(lambda card: said if card.occasion == "write" else play(card))
    played.run(limits=SpendingLimits(max_tokens=220))
    for options in ([], ["--json"]):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "ascii"}
        shown = subprocess.run(
            command("agent", "show", tmp_path / "out", "GSE1", *options),
            capture_output=True,
            env=environment,
            check=True,
        )
        assert b"Crohn\\u2019s" in shown.stdout


def test_notebook_that_is_not_there_is_named_with_those_that_are(
    place: Path, done: TeamFinished, genotex: Run
) -> None:
    code, _, err = genotex("agent", "show", place / "out", "GSE9")
    assert code == 2
    assert "no notebook 'GSE9'; it has Asthma/GSE1, Asthma/None" in " ".join(err.split())


def test_structured_agent_writes_no_code_and_gives_the_same(
    place: Path, done: TeamFinished, genotex: Run
) -> None:
    target = place / "structured"
    code, out, _ = genotex("agent", "run", place / "in", target, *OPTIONS, "--structured", "--json")
    assert code == 0
    assert files(target) == files(place / "out")
    assert not (target / "notebooks").exists()
    # One question for the series, none for the problem.
    assert json.loads(out)["usage"]["total"]["calls"] == 1
    code, out, _ = genotex("agent", "show", target, "GSE1", "--json")
    assert json.loads(out)["answers"][0]["trait"]["row"] is not None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--model", "rules"), "nothing to solve: give --trait"),
        (("--trait", "Asthma"), "add --model rules, which needs no key"),
        (("--trait", "Asthma", "--model", "gpt-4o"), "unknown model 'gpt-4o'"),
        (("--trait", "Asthma", "--problems", "p.csv", "--model", "rules"), "exclude each other"),
        (("--condition", "Age", "--model", "rules"), "--condition belongs to --trait"),
        (("--trait", "Asthma", "--model", "rules", "--max-rounds", "0"), "give 1 or more"),
        (("--trait", "Gout", "--model", "rules"), "has no cohort of Gout"),
        (
            ("--trait", "Asthma", "--model", "rules", "--no-reviewer", "--model.reviewer", "rules"),
            "--model.reviewer has no effect with roles that call a model: planner, engineer",
        ),
        (
            ("--trait", "Asthma", "--model", "rules", "--structured", "--no-planning"),
            "--structured has no team",
        ),
        (
            ("--trait", "Asthma", "--model", "rules", "--time-limit", "0"),
            "--time-limit 0 is not a time",
        ),
    ],
)
def test_wrong_use_is_told_before_anything_is_written(
    place: Path,
    tmp_path: Path,
    genotex: Run,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.delenv("GENOTEX_MODEL", raising=False)
    code, _, err = genotex("agent", "run", place / "in", tmp_path / "out", *options)
    assert code == 2
    assert told in " ".join(err.split())
    assert not (tmp_path / "out").exists()


def test_folder_without_a_run_cannot_be_resumed(tmp_path: Path, genotex: Run) -> None:
    code, _, err = genotex("agent", "resume", tmp_path)
    assert code == 2
    assert "holds no run" in " ".join(err.split())


@pytest.mark.parametrize("limit", [("--max-cost", "nan"), ("--max-tokens", "-5")])
def test_run_is_not_resumed_with_a_limit_that_makes_no_sense(
    tmp_path: Path, genotex: Run, limit: tuple[str, str]
) -> None:
    (tmp_path / "in" / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    Played(tmp_path / "out", tmp_path / "in").run(limits=SpendingLimits(max_tokens=220))
    kept = (tmp_path / "out/run/limits.json").read_bytes()
    code, _, err = genotex("agent", "resume", tmp_path / "out", *limit)
    assert code == 2
    assert f"{limit[0]}: must be" in " ".join(err.split())
    assert (tmp_path / "out/run/limits.json").read_bytes() == kept


@pytest.mark.parametrize("command", ["run", "resume", "show"])
def test_help_shows_an_example(genotex: Run, command: str) -> None:
    code, out, _ = genotex("agent", command, "--help")
    assert code == 0
    assert f"genotex agent {command}" in out


def test_signs_that_a_terminal_obeys_are_not_shown(
    tmp_path: Path, genotex: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in" / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    played = Played(tmp_path / "out", tmp_path / "in")
    said = python("x = '\x1b]0;owned\x07'\tor 1")
    played.calls = PlayedModel(lambda card: said if card.occasion == "write" else play(card))
    played.run(limits=SpendingLimits(max_tokens=220))
    code, out, _ = genotex("agent", "show", tmp_path / "out", "GSE1")
    assert code == 0
    assert "owned" in out
    assert "\x1b" not in out and "\x07" not in out
