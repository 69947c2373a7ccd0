"""Task folders of Harbor: their content, solution and tests, run without a container."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genotex.bench import BenchmarkFolders, EvaluationOptions, SimulatedBenchmark, evaluate
from genotex.bench.adapters.harbor.export import export_harbor, task_name
from genotex.bench.adapters.harbor.reward import REWARD, rewards
from genotex.cli.commands import app
from genotex.errors import UsageError
from genotex.problems import Problem


@pytest.fixture(scope="session")
def tasks(
    folders: BenchmarkFolders, tmp_path_factory: pytest.TempPathFactory
) -> dict[Problem, Path]:
    target = tmp_path_factory.mktemp("harbor") / "tasks"
    written = export_harbor(folders, target)
    metadata = {
        path: tomllib.loads((path / "task.toml").read_text())["metadata"] for path in written
    }
    return {
        Problem(problem["trait"], problem["condition"] or None): path
        for path, problem in metadata.items()
    }


def test_there_is_a_task_for_every_answer_of_the_reference(
    tasks: dict[Problem, Path], simulated: SimulatedBenchmark
) -> None:
    assert set(tasks) == set(simulated.answered)
    for path in tasks.values():
        config = tomllib.loads((path / "task.toml").read_text())
        assert config["task"]["name"] == f"genotex/{path.name}"
        for name in ("instruction.md", "environment/Dockerfile", "tests/test.sh"):
            assert (path / name).stat().st_size
        assert os.access(path / "tests/test.sh", os.X_OK)
        assert os.access(path / "solution/solve.sh", os.X_OK)


def test_the_reference_is_nowhere_that_an_agent_sees(tasks: dict[Problem, Path]) -> None:
    for problem, path in tasks.items():
        answer = f"significant_genes_condition_{problem.condition}.json"
        assert {p.relative_to(path).parts[0] for p in path.rglob(answer)} == {"tests", "solution"}
        names = {p.name for p in (path / "environment").rglob("*")}
        assert not names & {"truth.json", "reference", "regress", "preprocess"}


def test_rewards_are_the_figures_of_evaluate(
    tasks: dict[Problem, Path], simulated: SimulatedBenchmark, run_folder: Path
) -> None:
    options = EvaluationOptions(tasks=("analysis",))
    scored = evaluate(run_folder, simulated.reference, options).analysis
    assert len(scored) == len(tasks) and any(item.f1 for item in scored)
    for item in scored:
        found = rewards(run_folder, tasks[Problem(item.trait, item.condition)] / "tests/reference")
        assert found.pop(REWARD) == pytest.approx(item.f1 / 100, abs=1e-12)
        assert found == {name: pytest.approx(getattr(item, name), abs=1e-12) for name in found}
        undefined = {name for name, value in vars(item).items() if value is None} - {"condition"}
        assert not undefined & set(found)


def run_script(script: Path, app_folder: Path, logs: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "APP": str(app_folder), "VERIFIER_LOGS": str(logs)}
    subprocess.run([script], env=env, check=True, capture_output=True, timeout=300)


@pytest.mark.everyday
def test_the_oracle_of_every_task_has_the_whole_reward(
    tasks: dict[Problem, Path], tmp_path: Path
) -> None:
    for i, task in enumerate(tasks.values()):
        folder = tmp_path / str(i)
        (folder / "output").mkdir(parents=True)
        run_script(task / "solution/solve.sh", folder, tmp_path)
        assert rewards(folder / "output", task / "tests/reference")[REWARD] == 1
    run_script(task / "tests/test.sh", folder, tmp_path / "logs")
    reward = json.loads((tmp_path / "logs/reward.json").read_text())
    assert (reward["success"], reward[REWARD]) == (100, 1)


def test_no_answer_is_a_reward_of_zero(tasks: dict[Problem, Path], tmp_path: Path) -> None:
    task = next(iter(tasks.values()))
    found = rewards(tmp_path / "output", task / "tests/reference")
    assert found[REWARD] == found["success"] == 0


def test_images_install_this_package_from_a_wheel_next_to_their_dockerfile(
    tasks: dict[Problem, Path], tmp_path: Path
) -> None:
    for task in tasks.values():
        for place in ("environment", "tests"):
            [wheel] = (task / place).glob("genotex-*.whl")
            assert f"COPY {wheel.name} /tmp/" in (task / place / "Dockerfile").read_text()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", tmp_path / "lib", wheel], check=True, timeout=300)
    code = "import genotex, genotex.bench.adapters.harbor.reward; print(genotex.__file__)"
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "lib")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(tmp_path / "lib"))


def test_tests_run_in_a_container_of_their_own_on_a_copy_of_the_output(
    tasks: dict[Problem, Path],
) -> None:
    for task in tasks.values():
        config = tomllib.loads((task / "task.toml").read_text())
        assert config["verifier"]["environment_mode"] == "separate"
        assert config["artifacts"] == ["/app/output"]
        assert "COPY . /tests" in (task / "tests/Dockerfile").read_text()


def test_a_wheel_is_copied_into_the_image(
    folders: BenchmarkFolders, simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    wheel = tmp_path / "genotex-9-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    problems = simulated.answered[:1]
    with pytest.raises(UsageError, match=r"none\.whl does not exist"):
        export_harbor(folders, tmp_path / "none", problems, install=str(tmp_path / "none.whl"))
    [task] = export_harbor(folders, tmp_path / "tasks", problems, install=str(wheel))
    assert (task / "environment" / wheel.name).read_bytes() == b"wheel"
    assert (
        f"pip install --no-cache-dir /tmp/{wheel.name}"
        in (task / "environment/Dockerfile").read_text()
    )


def test_the_command_writes_tasks_and_refuses_a_folder_in_use(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    problems = tmp_path / "problems.csv"
    problem = simulated.answered[0]
    problems.write_text(f"trait,condition\n{problem.trait},\n")
    line = ["bench", "export", "harbor", str(simulated.folder), str(tmp_path / "tasks")]
    line += ["--task-info", str(simulated.task_info), "-r", str(simulated.reference)]
    line += ["--problems", str(problems), "--json"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["tasks"] == [task_name(problem)]
    again = CliRunner().invoke(app, line)
    assert isinstance(again.exception, UsageError) or again.exit_code == 2
