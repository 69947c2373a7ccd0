"""Tasks, scorer and solvers of Inspect AI; `make inspect` makes an environment that has it."""

import asyncio
import json
import math
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from genotex.bench import AGENT_TASKS, AgentTask, SimulatedBenchmark
from tests.bench.adapters.conftest import AGENT
from tests.bench.adapters.expected import evaluated

pytest.importorskip("inspect_ai", reason="Inspect AI is not installed: make inspect")

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from genotex.bench.adapters import inspect as registry
from genotex.bench.adapters.inspect.solvers import InspectModel
from genotex.errors import BudgetReachedError
from genotex.models import Message, Request

# Warnings of Inspect's own dependencies are not ours to fix.
pytestmark = pytest.mark.filterwarnings("ignore")

MAKERS = {each: getattr(registry, each) for each in AGENT_TASKS}


def make(task: AgentTask, simulated: SimulatedBenchmark) -> Task:
    """Return a task on the simulated benchmark, without isolation."""
    made: Task = MAKERS[task](
        input=str(simulated.folder), reference=str(simulated.reference), sandbox="local"
    )
    return made


def run(task: Task, folder: Path, model: Any = "mockllm/model", **options: Any) -> EvalLog:
    [log] = eval(task, model=model, log_dir=str(folder), display="none", **options)
    assert log.status == "success", log.error
    return log


@solver
def hand_in(run_folder: str) -> Solver:
    """Put the files of a run into the sandbox: every one, also those that do not count."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for path in Path(run_folder).rglob("*"):
            name = path.relative_to(run_folder).as_posix()
            if path.is_file() and name.startswith(("preprocess/", "regress/")):
                await sandbox().write_file(f"output/{name}", path.read_bytes())
        return state

    return solve


@pytest.mark.parametrize("task", AGENT_TASKS)
def test_metrics_of_a_log_are_those_of_evaluate(
    task: AgentTask, simulated: SimulatedBenchmark, run_folder: Path, tmp_path: Path
) -> None:
    log = run(make(task, simulated), tmp_path, solver=hand_in(str(run_folder)))
    log = read_eval_log(log.location)
    assert log.results is not None
    found = {score.name: score.metrics["genotex/average"].value for score in log.results.scores}
    expected = evaluated(task, run_folder, simulated)
    assert found.keys() == expected.keys()
    for name, average in expected.items():
        if average is None:
            assert math.isnan(found[name])
        else:
            assert found[name] == pytest.approx(average, abs=1e-12)


def test_the_mock_model_runs_offline_and_a_missing_answer_scores_zero(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    log = run(make("gta", simulated), tmp_path, limit=2, message_limit=5)
    assert log.samples is not None and len(log.samples) == 2
    for sample in log.samples:
        assert sample.scores is not None
        score = sample.scores["evaluate_score"]
        assert score.as_dict()["f1"] == 0 and "missing" in str(score.explanation)
        # The reference's genes are not in the log.
        assert "significant_genes" in str(sample.target) and "Variable" not in str(sample.target)


def test_the_headline_is_found_from_the_first_display_on(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    folders = {"input": simulated.folder, "reference": simulated.reference, "sandbox": "local"}
    arguments = [part for name, value in folders.items() for part in ("-T", f"{name}={value}")]
    limits = ["--limit", "1", "--message-limit", "3", "--display", "plain"]
    model = ["--model", "mockllm/model", "--log-dir", str(tmp_path)]
    program = Path(sys.executable).parent / "inspect"
    done = subprocess.run(
        [program, "eval", "genotex/gta", *arguments, *limits, *model],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and "Headline" not in done.stdout + done.stderr
    [path] = tmp_path.glob("*.eval")
    results = read_eval_log(str(path)).results
    assert results is not None and results.headline is not None
    assert (results.headline.score, results.headline.metric) == ("f1", "genotex/average")


def test_a_program_of_bench_run_is_a_solver(simulated: SimulatedBenchmark, tmp_path: Path) -> None:
    program = registry.command(f"{sys.executable} {AGENT}")
    log = run(make("analyse", simulated), tmp_path, solver=program, limit=2)
    for sample in log.samples or ():
        assert sample.scores is not None
        score = sample.scores["evaluate_score"]
        assert score.as_dict()["success"] == 100 and "100 genes" in str(score.answer)


def test_the_team_solves_with_the_built_in_rules(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    team = registry.genoagent(model="rules", isolation="best")
    log = run(make("preprocess", simulated), tmp_path, solver=team, limit=1)
    assert log.samples is not None
    [sample] = log.samples
    assert sample.scores is not None
    assert "cohort_info.json" in str(sample.scores["evaluate_score"].answer)


def test_the_team_asks_the_model_of_the_evaluation(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    asked: list[str] = []

    def answer(messages: list[Any], *_: object) -> ModelOutput:
        asked.append(messages[-1].text)
        output = ModelOutput.from_content("mockllm", json.dumps({"genes": ["TP53", "BRCA1"]}))
        output.usage = ModelUsage(input_tokens=7, output_tokens=5, total_tokens=12)
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    team = registry.genoagent(preset="zero-shot")
    log = run(make("gta", simulated), tmp_path, model, solver=team, limit=1)
    assert asked and "JSON schema" in asked[0]
    assert log.samples is not None
    [sample] = log.samples
    assert sample.scores is not None
    assert sample.scores["evaluate_score"].answer == "2 genes: TP53, BRCA1"
    assert sum(usage.input_tokens for usage in sample.model_usage.values()) == 7 * len(asked)


def test_program_that_takes_too_long_is_scored_and_fails_no_evaluation(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    program = registry.command(f"{sys.executable} -c 'import time; time.sleep(600)'", timeout=1)
    log = run(make("analyse", simulated), tmp_path, solver=program, limit=1)
    assert log.samples is not None
    [sample] = log.samples
    assert sample.scores is not None
    assert sample.scores["evaluate_score"].as_dict()["success"] == 0
    assert "was ended" in sample.output.completion


def test_file_name_with_a_line_break_is_no_answer(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    code = "import pathlib; pathlib.Path('output', 'a' + chr(10) + 'b').touch()"
    program = registry.command(f'{sys.executable} -c "{code}"')
    log = run(make("analyse", simulated), tmp_path, solver=program, limit=1)
    assert log.samples is not None
    assert [sample.scores is not None for sample in log.samples] == [True]


class Silent:
    """A model that never answers."""

    async def generate(self, *_: object, **__: object) -> None:
        await asyncio.sleep(600)


REQUEST = Request("statistician", (Message("user", "Which genes?"),))


def test_answer_is_not_waited_for_after_the_sample() -> None:
    async def sample() -> None:
        model = InspectModel(Silent())  # type: ignore[arg-type]
        asked = asyncio.create_task(asyncio.to_thread(model.answer, REQUEST))
        await asyncio.sleep(0.2)
        model.stop()
        with pytest.raises(BudgetReachedError, match="the sample has ended"):
            await asked

    asyncio.run(asyncio.wait_for(sample(), 60))


def test_model_is_not_asked_after_the_evaluation() -> None:
    async def sample() -> InspectModel:
        return InspectModel(Silent())  # type: ignore[arg-type]

    model = asyncio.run(sample())
    with pytest.raises(BudgetReachedError, match="the sample has ended"):
        model.answer(REQUEST)


def test_presets_without_agents_are_refused() -> None:
    with pytest.raises(Exception, match="asks no agent"):
        registry.genoagent(preset="lasso")
    with pytest.raises(Exception, match="give rules, or nothing"):
        registry.genoagent(model="openai:gpt-4o")


@pytest.mark.skipif(
    not entry_points(group="inspect_ai", name="genotex"),
    reason="this environment has an installation of genotex without the entry point",
)
def test_the_command_line_finds_the_tasks_and_writes_a_log(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    line = ["eval", "genotex/gta", "-T", f"input={simulated.folder}"]
    line += ["-T", f"reference={simulated.reference}", "--model", "mockllm/model", "--limit", "2"]
    line += ["--sandbox", "local", "--message-limit", "5", "--log-dir", str(tmp_path)]
    script = "import sys; from inspect_ai._cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, *line, "--display", "none"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    [written] = tmp_path.glob("*.eval")
    log = read_eval_log(str(written))
    assert log.status == "success" and log.eval.task == "genotex/gta"
