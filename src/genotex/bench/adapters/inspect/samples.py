"""Assignments as samples of Inspect AI, and their answers out of the sandbox."""

from __future__ import annotations

import base64
from pathlib import Path, PurePosixPath
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment

from genotex.bench.adapters.assignments import (
    OUTPUT,
    AgentTask,
    Assignment,
    BenchmarkFolders,
    list_assignments,
)
from genotex.bench.simulated import simulate_benchmark
from genotex.errors import UsageError
from genotex.problems import read_problems


def benchmark_folders(
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
        source, reference = str(folder), str(folder / "reference")
    if reference is None:
        msg = "give -T input=FOLDER -T reference=FOLDER, or -T simulated=FOLDER"
        raise UsageError(msg)
    return BenchmarkFolders.find(
        None if source is None else Path(source),
        Path(reference),
        None if task_info is None else Path(task_info),
    )


def find_assignments(
    task: AgentTask, folders: BenchmarkFolders, problems: str | None, tcga: bool
) -> list[Assignment]:
    """Return the assignments of a task, of a list of problems if one is given."""
    only = None if problems is None else read_problems(Path(problems))
    return list_assignments(task, folders, only, tcga=tcga)


def make_sample(assignment: Assignment) -> Sample:
    """Return an assignment as a sample; the target names the reference's file, not its content."""
    texts = {name: _data_uri(text) for name, text in assignment.texts.items()}
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


def _data_uri(text: str) -> str:
    return "data:application/json;base64," + base64.b64encode(text.encode()).decode()


async def collect_answer(
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
