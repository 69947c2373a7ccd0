"""Task folders of Harbor, one for each problem."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import genotex
from genotex.bench.adapters.assignments import Assignment, BenchmarkFolders, list_assignments
from genotex.bench.adapters.harbor.texts import (
    SOLVE,
    TEST,
    dockerfile,
    instruction_md,
    problems_json,
    task_toml,
)
from genotex.errors import UsageError
from genotex.io import atomic_folder
from genotex.problems import Problem

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
    folder ``tests`` alone, which Harbor copies into the container when the agent has ended.

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
    names = _names(found)
    written = []
    for assignment in found:
        folder = target / names[assignment.problem]
        with atomic_folder(folder) as part:
            _write(part, assignment, folder.name, folders, install)
        written.append(folder)
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


def _names(found: Sequence[Assignment]) -> dict[Problem, str]:
    names = {each.problem: task_name(each.problem) for each in found}
    taken: dict[str, Problem] = {}
    for problem, name in names.items():
        if name in taken:
            msg = f"{taken[name]} and {problem} have the same task name {name}; leave one out"
            raise UsageError(msg)
        taken[name] = problem
    return names


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
    source = folders.reference.root / answer
    texts = {
        "instruction.md": instruction_md(assignment),
        "task.toml": task_toml(assignment, name),
        "environment/Dockerfile": dockerfile(requirement, wheel),
        "tests/test.sh": TEST,
        f"tests/reference/{answer}": source.read_text(encoding="utf-8"),
        "solution/solve.sh": SOLVE,
        "solution/problems.json": problems_json(assignment),
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
