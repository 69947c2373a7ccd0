"""A scorer of Inspect AI whose figures are those of ``genotex evaluate``."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from genotex.bench.adapters.assignments import AgentTask, Assignment
from genotex.bench.adapters.inspect.samples import (
    benchmark_folders,
    collect_answer,
    find_assignments,
)
from genotex.bench.adapters.scoring import AssignmentScore, score_assignment
from genotex.bench.evaluation.analysis_task import read_gene_list
from genotex.errors import FormatError

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
    folders = benchmark_folders(input, reference, task_info, simulated)
    by_name = {each.name: each for each in find_assignments(task, folders, None, tcga)}

    async def score(state: TaskState, target: Target) -> Score:
        assignment = by_name[str(state.sample_id)]
        with tempfile.TemporaryDirectory() as written:
            output = Path(written)
            too_large = await collect_answer(sandbox(), assignment, output)
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
