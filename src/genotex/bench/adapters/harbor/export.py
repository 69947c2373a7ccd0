"""Task folders of Harbor, one for each problem, and the texts of their files."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import genotex
from genotex.bench.adapters.assignments import Assignment, BenchmarkFolders, list_assignments
from genotex.errors import UsageError
from genotex.io import atomic_folder
from genotex.problems import Problem

_SCHEMA_VERSION = "1.0"

_DOCKERFILE = """\
FROM python:3.12-slim
{install}
COPY app /app
WORKDIR /app
"""

TEST = """\
#!/bin/sh
# Scores the agent's output folder and writes the reward file.
tests=$(cd "$(dirname "$0")" && pwd)
logs=${VERIFIER_LOGS:-/logs/verifier}
mkdir -p "$logs"
exec python3 -m genotex.bench.adapters.harbor.reward \\
    "${APP:-/app}/output" "$tests/reference" "$logs/reward.json"
"""

SOLVE = """\
#!/bin/sh
# The oracle: the answer of the reference.
set -e
solution=$(cd "$(dirname "$0")" && pwd)
cp -R "$solution/reference/." "${APP:-/app}/output/"
"""

_TOML = """\
schema_version = {schema_version}

[task]
name = {name}
description = {description}
keywords = ["bioinformatics", "gene expression", "GenoTEX"]

[metadata]
benchmark = "GenoTEX"
trait = {trait}
condition = {condition}
kind = {kind}
genotex_version = {version}

[verifier]
timeout_sec = 600.0

[agent]
timeout_sec = 3600.0

[environment]
build_timeout_sec = 1200.0
cpus = 2
memory_mb = 8192
"""


def _task_toml(assignment: Assignment, slug: str) -> str:
    """Return the configuration of a task."""
    problem = assignment.problem
    values: Mapping[str, str] = {
        "schema_version": _SCHEMA_VERSION,
        "name": f"genotex/{slug}",
        "description": f"Genes associated with {problem}, from raw data",
        "trait": problem.trait,
        "condition": problem.condition or "",
        "kind": problem.kind.value,
        "version": genotex.__version__,
    }
    # A string of JSON is one of TOML.
    return _TOML.format(**{name: json.dumps(value) for name, value in values.items()})


def _dockerfile(requirement: str, wheel: str | None) -> str:
    """Return the Dockerfile, which installs genotex from an index or from a wheel next to it."""
    if wheel is None:
        install = f"RUN pip install --no-cache-dir {json.dumps(requirement)}"
    else:
        install = f"COPY {wheel} /tmp/\nRUN pip install --no-cache-dir /tmp/{wheel}"
    return _DOCKERFILE.format(install=install)


_EXECUTABLE = 0o755


def export_harbor(
    folders: BenchmarkFolders,
    target: Path,
    problems: Sequence[Problem] | None = None,
    *,
    tcga: bool = True,
    install: str | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> list[Path]:
    """Write a task folder for every problem that the reference answers.

    The agent's environment gets raw files, task list and instruction; the reference is in the
    folder ``tests``, which Harbor copies into the container when the agent has ended, and in
    ``solution``, which it copies for the oracle alone.

    Parameters
    ----------
    folders
        The benchmark.
    target
        Folder for the task folders; new or empty. Raw files are hard links where possible.
    problems
        Only these; None: all.
    tcga
        Add the TCGA studies to every task.
    install
        How the image gets genotex: a requirement as pip takes it, or a wheel; by default this
        version from the package index.
    progress
        Called with the name of each task and the number of all.

    Returns
    -------
    list of Path
        The task folders.

    Raises
    ------
    UsageError
        If `target` is not empty, or nothing can be exported.
    """
    _refuse_in_use(target)
    found = list_assignments("gta", folders, problems, tcga=tcga)
    written = [target / name for name in _names(found)]
    for assignment, folder in zip(found, written, strict=True):
        with atomic_folder(folder) as part:
            _write(part, assignment, folder.name, folders, install)
        if progress is not None:
            progress(folder.name, len(found))
    return written


def _refuse_in_use(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        msg = f"{target} is not an empty folder; give a new one for the task folders"
        raise UsageError(msg)


def task_name(problem: Problem) -> str:
    """Return the name of a problem's task: lower case, words joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", str(problem).replace("_", " ").lower()).strip("-")


def _names(found: Sequence[Assignment]) -> list[str]:
    taken: dict[str, Problem] = {}
    for problem in (each.problem for each in found):
        name = task_name(problem)
        if name in taken:
            msg = f"{taken[name]} and {problem} have the same task name {name}; leave one out"
            raise UsageError(msg)
        taken[name] = problem
    return list(taken)


def _write(
    folder: Path, assignment: Assignment, name: str, folders: BenchmarkFolders, install: str | None
) -> None:
    environment = folder / "environment"
    assignment.stage(environment / "app", copy=_link)
    # Folders without files would be lost in a repository.
    for empty in ("output", "scratch"):
        (environment / "app" / empty / ".keep").touch()
    wheel = None
    if install is not None and install.endswith(".whl"):
        wheel = Path(install).name
        _link(Path(install), environment / wheel)
    requirement = install or f"genotex=={genotex.__version__}"
    answer = assignment.result
    reference = (folders.reference.root / answer).read_text(encoding="utf-8")
    texts = {
        "instruction.md": f"{assignment.instruction}\nThe working folder is `/app`.\n",
        "task.toml": _task_toml(assignment, name),
        "environment/Dockerfile": _dockerfile(requirement, wheel),
        "tests/test.sh": TEST,
        f"tests/reference/{answer}": reference,
        "solution/solve.sh": SOLVE,
        f"solution/reference/{answer}": reference,
    }
    for where, text in texts.items():
        path = folder / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".sh":
            path.chmod(_EXECUTABLE)


def _link(source: Path, target: Path) -> None:
    """Give files a second name, or copy them where the file system has no such names."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link_file)
    else:
        _link_file(source, target)


def _link_file(source: Path | str, target: Path | str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
