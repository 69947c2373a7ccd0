"""Tasks of Inspect AI, their samples and their scorer, whose figures are those of ``evaluate``.

As in ``inspect eval genotex/gta -T input=FOLDER -T reference=FOLDER``.
"""

from __future__ import annotations

import base64
import math
import tempfile
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import bash, python
from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment, sandbox

from genotex.bench.adapters.assignments import (
    OUTPUT,
    AgentTask,
    Assignment,
    BenchmarkFolders,
    list_assignments,
)
from genotex.bench.adapters.inspect.solvers import count_words_offline
from genotex.bench.adapters.scoring import (
    HEADLINES,
    AssignmentScore,
    figure_names,
    score_assignment,
)
from genotex.bench.evaluation.analysis_task import read_gene_list
from genotex.bench.simulated import answers_of, simulate_benchmark
from genotex.errors import FormatError, UsageError
from genotex.problems import read_problems


def _benchmark_folders(
    source: str | None, reference: str | None, task_info: str | None, simulated: str | None
) -> BenchmarkFolders:
    """Return the folders of a benchmark; a simulated one is made where it is missing."""
    if simulated is not None:
        if source is not None or reference is not None:
            msg = "simulated=FOLDER takes the place of input and reference; leave them out"
            raise UsageError(msg)
        folder = Path(simulated)
        if not folder.exists():
            simulate_benchmark(folder)
        source, reference = str(folder), str(answers_of(folder))
    if reference is None:
        msg = "give -T input=FOLDER -T reference=FOLDER, or -T simulated=FOLDER"
        raise UsageError(msg)
    return BenchmarkFolders.find(
        None if source is None else Path(source),
        Path(reference),
        None if task_info is None else Path(task_info),
    )


def _find_assignments(
    task: AgentTask, folders: BenchmarkFolders, problems: str | None, tcga: bool
) -> list[Assignment]:
    """Return the assignments of a task, of a list of problems if one is given."""
    only = None if problems is None else read_problems(Path(problems))
    return list_assignments(task, folders, only, tcga=tcga)


def _make_sample(assignment: Assignment) -> Sample:
    """Return an assignment as a sample; the target names the reference's file, not its content."""
    texts = {
        name: f"data:application/json;base64,{base64.b64encode(text.encode()).decode()}"
        for name, text in assignment.texts.items()
    }
    files = {name: str(path) for name, path in assignment.files.items()}
    return Sample(
        id=assignment.name,
        input=assignment.instruction,
        target=assignment.result,
        files={**files, **texts},
        setup=f"mkdir -p {OUTPUT} scratch",
        metadata=_metadata(assignment, files),
    )


def _metadata(assignment: Assignment, files: dict[str, str]) -> dict[str, Any]:
    problem = assignment.problem
    return {
        "task": assignment.task,
        "trait": problem.trait,
        "condition": problem.condition,
        "kind": problem.kind.value,
        "cohort": assignment.cohort,
        "answers": list(assignment.answers),
        "files": files,
    }


async def _collect_answer(
    sandbox: SandboxEnvironment, assignment: Assignment, target: Path
) -> list[str]:
    """Copy the files of an answer out of a sandbox, and nothing else; return what was too large.

    Links are not followed.
    """
    listed = await sandbox.exec(["find", OUTPUT, "-type", "f"])
    too_large = []
    for line in listed.stdout.splitlines():
        # A name may hold a line break; no file that counts has such a name.
        if not line.startswith(f"{OUTPUT}/"):
            continue
        name = PurePosixPath(line).relative_to(OUTPUT).as_posix()
        if not assignment.counts(name):
            continue
        try:
            content = await sandbox.read_file(line, text=False)
        except OutputLimitExceededError:
            too_large.append(name)
            continue
        except FileNotFoundError:
            continue
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return too_large


_MESSAGES, _SECONDS, _CELL_SECONDS = 100, 3600, 600
"""Limits of a sample and of one call of a tool; ``--message-limit`` and ``--time-limit`` change
those of a sample."""


@task
def gta(
    input: str | None = None,
    reference: str | None = None,
    task_info: str | None = None,
    simulated: str | None = None,
    problems: str | None = None,
    tcga: bool = True,
    sandbox: str = "auto",
) -> Task:
    """Whole problems: from raw GEO and TCGA files to trait-associated genes.

    Parameters
    ----------
    input
        Folder of the raw files: ``GEO/<Trait>/<GSE>/`` and ``TCGA/``.
    reference
        Output folder of the reference.
    task_info
        The task list; by default that of the input folder, or the published place.
    simulated
        Folder of a simulated benchmark, in place of input and reference; made where missing.
    problems
        Only the problems of this list, JSON or CSV.
    tcga
        Hand out the TCGA studies as well.
    sandbox
        ``docker``, or ``local``: no isolation, the agent's commands run on this machine. ``auto``:
        ``local`` for the mock model, which only says what it was given to say, else ``docker``.
    """
    return _task("gta", input, reference, task_info, simulated, problems, tcga, sandbox)


@task
def preprocess(
    input: str | None = None,
    reference: str | None = None,
    task_info: str | None = None,
    simulated: str | None = None,
    problems: str | None = None,
    tcga: bool = True,
    sandbox: str = "auto",
) -> Task:
    """Linked tables of a cohort, from its raw files. Parameters are those of `gta`."""
    return _task("preprocess", input, reference, task_info, simulated, problems, tcga, sandbox)


@task
def select(
    input: str | None = None,
    reference: str | None = None,
    task_info: str | None = None,
    simulated: str | None = None,
    problems: str | None = None,
    tcga: bool = True,
    sandbox: str = "auto",
) -> Task:
    """Which cohorts are usable, and which answers a problem. Parameters are those of `gta`."""
    return _task("select", input, reference, task_info, simulated, problems, tcga, sandbox)


@task
def analyse(
    input: str | None = None,
    reference: str | None = None,
    task_info: str | None = None,
    simulated: str | None = None,
    problems: str | None = None,
    sandbox: str = "auto",
) -> Task:
    """Genes from the reference's linked tables. Parameters are those of `gta`."""
    return _task("analyse", input, reference, task_info, simulated, problems, True, sandbox)


def _task(
    name: AgentTask,
    source: str | None,
    reference: str | None,
    task_info: str | None,
    simulated: str | None,
    problems: str | None,
    tcga: bool,
    sandbox: str,
) -> Task:
    folders = _benchmark_folders(source, reference, task_info, simulated)
    found = _find_assignments(name, folders, problems, tcga)
    if sandbox == "auto":
        # Code of a real model never runs without isolation unless the user asks for it.
        sandbox = "local" if str(get_model()).startswith("mockllm/") else "docker"
    compose = files(__package__) / "data" / "compose.yaml"
    tools = [bash(timeout=_CELL_SECONDS), python(timeout=_CELL_SECONDS)]
    return Task(
        dataset=MemoryDataset([_make_sample(each) for each in found], name=f"genotex-{name}"),
        setup=_offline(),
        solver=react(tools=tools),
        scorer=evaluate_score(name, source, reference, task_info, simulated, tcga),
        # By name: before a sample is scored, a wildcard has no score that could be the headline.
        metrics={each: [average(), stderr()] for each in figure_names(name)},
        sandbox=(sandbox, str(compose)) if sandbox == "docker" else sandbox,
        message_limit=_MESSAGES,
        time_limit=_SECONDS,
        headline_metric=f"evaluate_score.{HEADLINES[name]}",
        metadata={"samples": len(found)},
    )


@solver
def _offline() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        count_words_offline(get_model())
        return state

    return solve


_SHOWN_GENES = 10


@metric
def average() -> Metric:
    """Average as ``genotex evaluate`` does: over full precision, undefined values left out."""

    def compute(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        return math.fsum(values) / len(values) if values else math.nan

    return compute


@scorer(metrics={"*": [average(), stderr()]})
def evaluate_score(
    task: AgentTask,
    input: str | None = None,
    reference: str | None = None,
    task_info: str | None = None,
    simulated: str | None = None,
    tcga: bool = True,
) -> Scorer:
    """Score the files that an agent wrote into the folder ``output`` of its sandbox."""
    folders = _benchmark_folders(input, reference, task_info, simulated)
    by_name = {each.name: each for each in _find_assignments(task, folders, None, tcga)}

    async def score(state: TaskState, target: Target) -> Score:
        assignment = by_name[str(state.sample_id)]
        with tempfile.TemporaryDirectory() as written:
            output = Path(written)
            too_large = await _collect_answer(sandbox(), assignment, output)
            found = score_assignment(assignment, output, folders)
            answer = _answer(assignment, output)
        value = {name: math.nan if v is None else v for name, v in found.figures.items()}
        return Score(value=value, answer=answer, explanation=_explanation(found, too_large))

    return score


def _answer(assignment: Assignment, output: Path) -> str | None:
    """Return the start of a gene list, or the names of the files that were written."""
    if assignment.task not in ("gta", "analyse"):
        written = (path.relative_to(output) for path in sorted(output.rglob("*")) if path.is_file())
        return "\n".join(path.as_posix() for path in written) or None
    try:
        genes = read_gene_list(output / assignment.result).genes
    except FormatError:
        return None
    if not genes:
        return "no genes"
    more = ", ..." if len(genes) > _SHOWN_GENES else ""
    return f"{len(genes)} genes: {', '.join(genes[:_SHOWN_GENES])}{more}"


def _explanation(found: AssignmentScore, too_large: list[str]) -> str:
    reasons = [f"{each.task}, {each.item}: {each.why}, so it scores 0" for each in found.missing]
    reasons += [f"{name} is too large to be read from the sandbox" for name in too_large]
    return "\n".join(reasons) or "All files of the answer were read."
