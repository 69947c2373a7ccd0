"""Task folders of Harbor, one for each problem, and the texts of their files."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import genotex
from genotex.bench.adapters.assignments import Assignment, BenchmarkFolders, list_assignments
from genotex.bench.adapters.harbor.wheel import write_wheel
from genotex.errors import UsageError
from genotex.io import atomic_folder
from genotex.problems import Problem

_SCHEMA_VERSION = "1.4"

_DOCKERFILE = """\
FROM python:3.12-slim
{install}
COPY {source} {target}
WORKDIR {target}
"""

TEST = """\
#!/bin/sh
# Scores the agent's output folder, a copy in a container of the tests, and writes the reward file.
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
artifacts = ["/app/output"]

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
environment_mode = "separate"
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


def _write_image(folder: Path, install: str | Path, source: str, target: str) -> None:
    """Write the Dockerfile, which installs genotex from an index or from a wheel next to it."""
    command = f"RUN pip install --no-cache-dir {json.dumps(str(install))}"
    if isinstance(install, Path):
        _link(install, folder / install.name)
        command = f"COPY {install.name} /tmp/\nRUN pip install --no-cache-dir /tmp/{install.name}"
    text = _DOCKERFILE.format(install=command, source=source, target=target)
    (folder / "Dockerfile").write_text(text, encoding="utf-8")


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
    folder ``tests``, from which Harbor builds a container of its own that gets a copy of the
    agent's output folder, and in ``solution``, which Harbor copies for the oracle alone.

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
        How the images get genotex: a requirement as pip takes it, or a wheel; by default a wheel
        of this installation.
    progress
        Called with the name of each task and the number of all.

    Returns
    -------
    list of Path
        The task folders.

    Raises
    ------
    UsageError
        If `target` is not empty, the wheel does not exist, or nothing can be exported.
    """
    _refuse_in_use(target)
    found = list_assignments("gta", folders, problems, tcga=tcga)
    written = [target / name for name in _names(found)]
    target.mkdir(parents=True, exist_ok=True)
    # In the same file system, so that every task links to one wheel.
    with tempfile.TemporaryDirectory(prefix=".wheel-", dir=target) as built:
        source = _source(install, Path(built))
        for assignment, folder in zip(found, written, strict=True):
            with atomic_folder(folder) as part:
                _write(part, assignment, folder.name, folders, source)
            if progress is not None:
                progress(folder.name, len(found))
    return written


def _source(install: str | None, built: Path) -> str | Path:
    """Return a requirement, or the wheel to link to."""
    if install is None:
        return write_wheel(built)
    if not install.endswith(".whl"):
        return install
    if not Path(install).is_file():
        msg = f"{install} does not exist; name a wheel file, or a requirement as pip takes it"
        raise UsageError(msg)
    return Path(install)


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
    folder: Path, assignment: Assignment, name: str, folders: BenchmarkFolders, install: str | Path
) -> None:
    environment = folder / "environment"
    assignment.stage(environment / "app", copy=_link)
    # Folders without files would be lost in a repository.
    for empty in ("output", "scratch"):
        (environment / "app" / empty / ".keep").touch()
    answer = assignment.result
    reference = (folders.reference.root / answer).read_text(encoding="utf-8")
    texts = {
        "instruction.md": f"{assignment.instruction}\nThe working folder is `/app`.\n",
        "task.toml": _task_toml(assignment, name),
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
    _write_image(environment, install, "app", "/app")
    _write_image(folder / "tests", install, ".", "/tests")


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
