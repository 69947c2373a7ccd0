"""A simulated study, and notebooks that run beside this process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import Task, plan_units, set_up_code, write_code
from genotex.layout import TCGA_COHORT
from genotex.simulate import SimulatedStudy, simulate_study

Notebook = dict[str, Any]
"""``folder`` that its cells write, and ``cells``: each its ``code`` and perhaps ``variants``."""
Run = Callable[[list[Notebook]], list[list[dict[str, Any]]]]

RUNNER = Path(__file__).with_name("notebook_runner.py")
SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> SimulatedStudy:
    return simulate_study(tmp_path_factory.mktemp("study") / "in", seed=1, samples=24, genes=400)


@pytest.fixture(scope="session")
def run_notebooks() -> Run:
    """Run notebooks of our own code in a process of their own."""

    def run(notebooks: list[Notebook]) -> list[list[dict[str, Any]]]:
        done = subprocess.run(
            [sys.executable, str(RUNNER)],
            input=json.dumps(notebooks),
            capture_output=True,
            text=True,
            check=True,
            timeout=1800,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
        return json.loads(done.stdout)

    return run


def cohort_task(source: Path, target: Path, trait: str, cohort: str, procedure: str) -> Task:
    """Return the task of one cohort of an input folder."""
    tcga = cohort == TCGA_COHORT
    folder = source / "TCGA" if tcga else source / "GEO" / trait / cohort
    return Task(
        "tcga" if tcga else "geo",
        trait,
        str(folder),
        str(target),
        procedure,  # type: ignore[arg-type]
        cohort=cohort,
    )


def notebook(task: Task) -> Notebook:
    """Return the whole notebook that the rules write for a task."""
    cells = [set_up_code(task), *(write_code(task, unit) for unit in plan_units(task))]
    return {"folder": task.output, "cells": [{"code": code} for code in cells]}


def assert_ran(results: list[list[dict[str, Any]]]) -> None:
    for cells in results:
        assert not cells[-1]["failed"], cells[-1]["output"]


def files_of(root: Path) -> dict[str, bytes]:
    """Return every file but locks and the evidence, which names another teller."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".lock" and path.parent.name != "evidence"
    }
