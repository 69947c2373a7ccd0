"""Raw files to the genes of one trait: what `genotex solve` and the workbench do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from genotex.analysis import ProblemOutcome
from genotex.cohorts import CohortOutcome, PreprocessOptions
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, FigureOptions
from genotex.problems import Problem, TaskInfo
from genotex.workflows.cohorts import prepare, prepare_condition
from genotex.workflows.problems import (
    Combined,
    answer,
    combine,
    save_result_figures,
    write_script,
)
from genotex.workflows.progress import Progress, silent


@dataclass(frozen=True)
class Reading:
    """Cohorts that are read in the same way; no cohort is named: all of the trait."""

    options: PreprocessOptions = field(default_factory=PreprocessOptions)
    cohorts: Sequence[str] = ()


@dataclass(frozen=True)
class SolveRequest:
    """A problem, its raw files, and how it is solved.

    Attributes
    ----------
    source, output
        The input folder, and the folder of results.
    problem
        Trait and condition.
    analysis
        Options of the tests.
    readings
        How the cohorts of the trait are read; the first says how those of a condition are.
    tasks
        Related genes of the traits.
    every
        Whether all cohorts are combined as well.
    script
        Whether ``genes.csv`` and an R script are written.
    figures
        Which files of figures are written.
    report
        Where the report is written, in place of its folder.
    jobs
        Number of processes.
    force
        Whether cohorts are read again that have not changed.
    """

    source: Path
    output: OutputFolder
    problem: Problem
    analysis: AnalysisOptions
    readings: Sequence[Reading] = (Reading(),)
    tasks: TaskInfo | None = None
    every: bool = False
    script: bool = False
    figures: FigureOptions = field(default_factory=FigureOptions)
    report: Path | None = None
    jobs: int = 1
    force: bool = False


@dataclass(frozen=True)
class Solved:
    """What became of the cohorts and of the problem, and the files written.

    Attributes
    ----------
    cohorts
        What came of each cohort.
    outcome
        Of the cohort that answers the problem.
    analysis
        The options of the tests, with the cohorts that were just read.
    report, script
        None where there is none; `no_script` says why R cannot repeat the tests.
    figures
        The files of figures, where they were asked for.
    combined
        All cohorts together, if that was asked for.
    """

    cohorts: list[CohortOutcome]
    outcome: ProblemOutcome
    analysis: AnalysisOptions
    report: Path | None = None
    script: Path | None = None
    no_script: str = ""
    figures: Sequence[Path] = ()
    combined: Combined | None = None

    @property
    def errors(self) -> dict[str, str]:
        """Why cohorts could not be read."""
        return {each.cohort: each.error for each in self.cohorts if each.error is not None}


def solve(asked: SolveRequest, progress: Progress = silent) -> Solved:
    """Read the cohorts of a trait, test its genes, and write the report; combine if asked for.

    Raises
    ------
    UsageError
        If the folder holds no such cohort, or a choice does not fit it.
    """
    cohorts = _read(asked, progress)
    problem, output = asked.problem, asked.output
    among = tuple(c.cohort for c in cohorts if c.error is None and c.trait == problem.trait)
    analysis = replace(asked.analysis, among=among)
    found = answer(output, problem, analysis, cohorts, asked.tasks, progress, report=asked.report)
    solved = Solved(cohorts, found.outcome, analysis, found.report)
    if found.outcome.wrong_use and not asked.every:
        return solved
    if asked.script:
        try:
            solved = replace(solved, script=write_script(output, found.outcome))
        except UsageError as error:
            solved = replace(solved, no_script=str(error))
    if found.outcome.result is not None:
        solved = replace(solved, figures=save_result_figures(output, problem, asked.figures))
    if asked.every:
        # An option that the largest cohort has no use for may suit the others.
        (combined,) = combine(output, [problem], analysis, asked.tasks, progress, jobs=asked.jobs)
        solved = replace(solved, combined=combined)
    return solved


def _read(asked: SolveRequest, progress: Progress) -> list[CohortOutcome]:
    """Preprocess the cohorts of the trait, and of a condition that is another trait."""
    source, root, trait = asked.source, asked.output.root, asked.problem.trait
    cohorts: list[CohortOutcome] = []
    for each in asked.readings:
        cohorts += prepare(
            source,
            root,
            [trait],
            each.options,
            progress,
            cohorts=each.cohorts,
            jobs=asked.jobs,
            force=asked.force,
        )
    return cohorts + prepare_condition(
        source,
        root,
        asked.problem,
        asked.readings[0].options,
        progress,
        cohort=asked.analysis.condition_cohort,
        jobs=asked.jobs,
        force=asked.force,
    )
