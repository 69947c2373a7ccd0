"""The tasks: ``inspect eval genotex/gta -T input=FOLDER -T reference=FOLDER``."""

from __future__ import annotations

from importlib.resources import files

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import bash, python

from genotex.bench.adapters.assignments import AgentTask
from genotex.bench.adapters.inspect.models import count_words_offline
from genotex.bench.adapters.inspect.samples import (
    benchmark_folders,
    find_assignments,
    make_sample,
)
from genotex.bench.adapters.inspect.scorers import evaluate_score
from genotex.bench.adapters.scoring import HEADLINES

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
    folders = benchmark_folders(source, reference, task_info, simulated)
    found = find_assignments(name, folders, problems, tcga)
    if sandbox == "auto":
        # Code of a real model never runs without isolation unless the user asks for it.
        sandbox = "local" if str(get_model()).startswith("mockllm/") else "docker"
    compose = files(__package__) / "data" / "compose.yaml"
    tools = [bash(timeout=_CELL_SECONDS), python(timeout=_CELL_SECONDS)]
    return Task(
        dataset=MemoryDataset([make_sample(each) for each in found], name=f"genotex-{name}"),
        setup=_offline(),
        solver=react(tools=tools),
        scorer=evaluate_score(name, source, reference, task_info, simulated, tcga),
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
