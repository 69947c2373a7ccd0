"""Raw files to cohorts that can be analysed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess
from genotex.parallel import Executor
from genotex.problems import Problem, ProblemKind
from genotex.workflows.progress import Progress, silent

_BY_HAND: dict[str, Any] = {
    "readings": {},
    "readings_of": None,
    "encoding": None,
    "samples": None,
    "sheet": None,
    "cases": (),
    "controls": (),
    "exclude": (),
    "pairs": None,
    "pair_of": {},
    "series_platform": (),
}
"""Options that let the rules decide about the samples of another trait."""


def prepare(
    source: Path,
    output: Path,
    traits: Sequence[str],
    options: PreprocessOptions,
    progress: Progress = silent,
    *,
    cohorts: Sequence[str] = (),
    jobs: int = 1,
    executor: Executor | None = None,
    force: bool = False,
) -> list[CohortOutcome]:
    """Preprocess cohorts: raw files to tables that can be analysed.

    Parameters
    ----------
    source, output : Path
        The input folder, and the folder of results.
    traits : sequence of str
        Whose cohorts; empty for all.
    options : PreprocessOptions
        How samples are annotated and rows become genes.
    progress : callable
        See `Progress`.
    cohorts : sequence of str
        Which of them; empty for all.
    jobs : int
        Number of processes.
    executor : Executor, optional
        Where they run in place of these.
    force : bool
        Whether cohorts are read again that have not changed.

    Raises
    ------
    UsageError
        If the folder holds no such cohort, or a choice does not fit it.
    """
    stage, done = "reading cohorts", 0
    progress(stage, 0, None, "")

    def note(outcome: CohortOutcome, total: int) -> None:
        nonlocal done
        done += 1
        progress(stage, done, total, f"{outcome.trait} {outcome.cohort}")

    return preprocess(
        source,
        output,
        traits=traits,
        cohorts=cohorts,
        options=options,
        jobs=jobs,
        executor=executor,
        force=force,
        progress=note,
    )


def prepare_condition(
    source: Path,
    output: Path,
    problem: Problem,
    options: PreprocessOptions,
    progress: Progress = silent,
    *,
    cohort: str | None = None,
    **how: Any,
) -> list[CohortOutcome]:
    """Preprocess the cohorts of a condition that is another trait; none where it is not.

    Encoding and values that the user gave are those of the trait: the rules decide here. `cohort`
    is the one that was chosen; `how` as in `prepare`.
    """
    if problem.kind is not ProblemKind.TWO_STEP:
        return []
    plain = replace(options, **_BY_HAND)
    named = [] if cohort is None else [cohort]
    return prepare(source, output, [str(problem.condition)], plain, progress, cohorts=named, **how)
