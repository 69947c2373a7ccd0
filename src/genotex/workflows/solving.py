"""Raw files to the genes of one trait: what `genotex solve` and the workbench do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from genotex.analysis import (
    DETECTED,
    DataChoice,
    ProblemData,
    ProblemOutcome,
    SeriesDesign,
    planned_design,
)
from genotex.clinical import expert_of
from genotex.cohorts import (
    CohortOutcome,
    PreprocessOptions,
    describe_cohort,
    judge_samples,
    prepare_samples,
)
from genotex.errors import AnalysisError, UsageError
from genotex.formats import Evidence, LinkedTable
from genotex.layout import GeoCohortFiles, OutputFolder
from genotex.options import AnalysisOptions, FigureOptions
from genotex.problems import Problem, TaskInfo, usable_cohorts
from genotex.workflows.preparing import prepare, prepare_condition
from genotex.workflows.problems import (
    Combined,
    combine,
    find_genes,
    save_result_figures,
    with_page,
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
    """A problem, its raw files, and how it is solved."""

    source: Path  # The input folder, and the folder of results
    output: OutputFolder
    problem: Problem  # Trait and condition
    analysis: AnalysisOptions  # Options of the tests
    # How the cohorts of the trait are read; the first says how those of a condition are
    readings: Sequence[Reading] = (Reading(),)
    tasks: TaskInfo | None = None  # Related genes of the traits
    # Whether all cohorts are combined as well; None: where two or more are usable, and the
    # analysis gives what can be combined
    every: bool | None = None
    script: bool = False  # Whether ``genes.csv`` and an R script are written
    # Which files of figures are written
    figures: FigureOptions = field(default_factory=FigureOptions)
    report: Path | None = None  # Where the report is written, in place of its folder
    jobs: int = 1  # Number of processes
    force: bool = False  # Whether cohorts are read again that have not changed


@dataclass(frozen=True)
class Solved:
    """What became of the cohorts and of the problem, and the files written."""

    cohorts: list[CohortOutcome]  # What came of each cohort
    outcome: ProblemOutcome  # Of the cohort that answers the problem
    analysis: AnalysisOptions  # The options of the tests, with the cohorts that were just read
    # None where there is none; `no_script` says why R cannot repeat the tests
    report: Path | None = None
    script: Path | None = None
    no_script: str = ""
    figures: Sequence[Path] = ()  # The files of figures, where they were asked for
    combined: Combined | None = None  # All cohorts together, where they were combined

    @property
    def review(self) -> list[dict[str, Any]]:
        """The cohorts that are to be reviewed: why, how certain, and whether they were used."""
        used = set()
        if self.outcome.result is not None:
            used.add(self.outcome.result.cohort)
        if self.combined is not None and self.combined.result is not None:
            used |= {cohort.name for cohort in self.combined.result.cohorts}
        return [
            {
                "series": each.cohort,
                "why": dict(each.review),
                "certainty": each.certainty,
                "used": each.cohort in used,
            }
            for each in self.cohorts
            if each.review
        ]

    @property
    def errors(self) -> dict[str, str]:
        """Why cohorts could not be read."""
        return {each.cohort: each.error for each in self.cohorts if each.error is not None}


def solve(asked: SolveRequest, progress: Progress = silent) -> Solved:
    """Read the cohorts of a trait, test its genes, combine the cohorts, and write the reports.

    Raises
    ------
    UsageError
        If the folder holds no such cohort, or a choice does not fit it.
    """
    cohorts = _read(asked, progress)
    problem, output = asked.problem, asked.output
    among = tuple(c.cohort for c in cohorts if c.error is None and c.trait == problem.trait)
    analysis = replace(asked.analysis, among=among)
    outcome = find_genes(output, problem, analysis, asked.tasks, progress)
    solved = Solved(cohorts, outcome, analysis)
    if outcome.wrong_use and not asked.every:
        return solved
    if _combines(asked, analysis):
        # An option that the largest cohort has no use for may suit the others.
        (combined,) = combine(output, [problem], analysis, asked.tasks, progress, jobs=asked.jobs)
        solved = replace(solved, combined=combined)
    # The page of the largest cohort names what all together show, so it comes last.
    found = with_page(output, outcome, cohorts, progress, report=asked.report)
    solved = replace(solved, outcome=found.outcome, report=found.report)
    if asked.script and not outcome.wrong_use:
        try:
            solved = replace(solved, script=write_script(output, outcome))
        except UsageError as error:
            solved = replace(solved, no_script=str(error))
    if outcome.result is not None:
        solved = replace(solved, figures=save_result_figures(output, problem, asked.figures))
    return solved


@dataclass(frozen=True)
class SamplesRead:
    """The samples of one series as an analysis reads them, without their genes."""

    cohort: str
    table: LinkedTable | None  # None where they cannot be analysed
    evidence: Evidence | None
    notes: tuple[str, ...]


def read_samples(files: GeoCohortFiles, reading: PreprocessOptions) -> SamplesRead:
    """Read the samples of one GEO series for `plan_cohort`."""
    prepared = prepare_samples(files, expert_of(reading), reading)
    judged = judge_samples(prepared)
    if judged.unfilled is None or not judged.info.is_usable:
        return SamplesRead(files.cohort, None, None, tuple(judged.notes))
    evidence = describe_cohort(prepared, judged, reading)
    return SamplesRead(files.cohort, judged.unfilled, evidence, tuple(judged.notes))


def plan_cohort(read: SamplesRead, problem: Problem, analysis: AnalysisOptions) -> SeriesDesign:
    """Return the design that `solve` will test in one GEO series, before its genes are read."""
    if read.table is None or read.evidence is None:
        return SeriesDesign(read.cohort, why_not="; ".join(read.notes))
    evidence = read.evidence
    data = ProblemData(DataChoice(read.cohort, "", {}), read.table, evidence, None, None)
    notes, asked = [], replace(analysis, exclude_outliers=False)
    if analysis.exclude_outliers:
        notes.append("Outliers are left out once the genes are read.")
    if analysis.pair == DETECTED:
        asked = replace(asked, pair=None)
        notes.append("Samples of one person are looked for once the genes are read.")
    try:
        plan = planned_design(data.cohort, evidence, problem, asked)
    except (AnalysisError, UsageError) as error:
        return SeriesDesign(read.cohort, why_not=str(error), notes=tuple(notes))
    return replace(plan, notes=tuple(notes))


def _combines(asked: SolveRequest, analysis: AnalysisOptions) -> bool:
    """Return whether all cohorts are combined as well."""
    if asked.every is not None:
        return asked.every
    if not analysis.procedure.tests_genes or analysis.levels == "factor" or analysis.cohort:
        return False
    try:
        return len(usable_cohorts(asked.output, asked.problem, analysis.among).cohorts) > 1
    except AnalysisError:
        return False


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
