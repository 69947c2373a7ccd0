"""Problems from cohorts to genes, reports, and all cohorts combined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genotex.analysis import (
    Enrichment,
    ProblemOutcome,
    enrich_problem,
    read_sets,
    result_of_other_tool,
    solve_problems,
    write_gene_files,
    write_r_files,
)
from genotex.analysis import enrich as enrich_sets
from genotex.analysis.meta import MetaResult, analyze_cohorts, remove_meta, write_meta
from genotex.cohorts import CohortOutcome, read_gene_results
from genotex.errors import AnalysisError, FormatError, GenotexError, UsageError
from genotex.figures import save_figures
from genotex.formats import inert_frame
from genotex.io import atomic_write
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, EnrichmentOptions, FigureOptions, SetCollection
from genotex.problems import Problem, TaskInfo
from genotex.reports import result_figures, write_meta_report, write_report, write_unanswered_report
from genotex.workflows.progress import Progress, silent


@dataclass(frozen=True)
class Analysed:
    """Problems that were analysed."""

    outcomes: list[ProblemOutcome]  # In the order of the problems
    reports: dict[Problem, Path]  # The pages that were written again, by problem
    unwritten: dict[Problem, str]  # Why a page could not be, by problem


def analyze(
    output: OutputFolder,
    problems: Sequence[Problem],
    analysis: AnalysisOptions,
    tasks: TaskInfo | None = None,
    progress: Progress = silent,
    *,
    jobs: int = 1,
) -> Analysed:
    """Analyse problems, and write those reports again that there are already.

    Parameters as in `answer`; `jobs` is the number of processes.
    """
    had_page = {p for p in problems if output.report(p.trait, p.condition).is_file()}
    outcomes = solve_problems(output, problems, analysis, tasks, jobs=jobs, progress=progress)
    # A page that is still there shows a result that holds.
    gone = [
        outcome
        for outcome in outcomes
        if outcome.problem in had_page
        and not output.report(outcome.problem.trait, outcome.problem.condition).is_file()
    ]
    done = Analysed(outcomes, {}, {})
    for number, outcome in enumerate(gone):
        progress("updating the reports", number, len(gone), str(outcome.problem))
        try:
            done.reports[outcome.problem] = _write_page(output, outcome, {})
        except (GenotexError, OSError) as error:
            done.unwritten[outcome.problem] = str(error)
    return done


def _write_page(
    output: OutputFolder,
    outcome: ProblemOutcome,
    reasons: Mapping[str, str],
    path: Path | None = None,
) -> Path:
    """Write the report of an outcome, answered or not."""
    trait, condition = outcome.problem.trait, outcome.problem.condition
    if outcome.result is not None:
        return write_report(output, trait, condition, path=path)
    return write_unanswered_report(output, trait, condition, reasons, why=outcome.why, path=path)


def report(output: OutputFolder, problem: Problem, progress: Progress = silent) -> dict[str, Path]:
    """Write the reports of an analysed problem, and return them by what they are.

    Raises
    ------
    UsageError
        If there is no result.
    FormatError
        If one of its files is not what it should be.
    """
    trait, condition = problem.trait, problem.condition
    over_cohorts = output.meta_genes(trait, condition).is_file()
    stage, pages = "writing the report", dict[str, Path]()
    progress(stage, 0, 1 + over_cohorts, "")
    # There may be an answer over all cohorts and none for the largest alone.
    if output.significant_genes(trait, condition).is_file() or not over_cohorts:
        pages["report"] = write_report(output, trait, condition)
        progress(stage, 1, 1 + over_cohorts, "")
    if over_cohorts:
        pages["report over all cohorts"] = write_meta_report(output, trait, condition)
    return pages


def save_result_figures(output: OutputFolder, problem: Problem, asked: FigureOptions) -> list[Path]:
    """Write the figures of an analysed problem to files; none where no format is asked for."""
    if not asked.formats:
        return []
    figures = result_figures(output, problem.trait, problem.condition)
    folder = output.figures(problem.trait, problem.condition)
    return save_figures(figures, folder, asked.formats, width=asked.width, text=asked.text)


@dataclass(frozen=True)
class Answered:
    """The outcome of a problem, and its report; none where an option makes no sense for it."""

    outcome: ProblemOutcome
    report: Path | None


def answer(
    output: OutputFolder,
    problem: Problem,
    analysis: AnalysisOptions,
    cohorts: Sequence[CohortOutcome] = (),
    tasks: TaskInfo | None = None,
    progress: Progress = silent,
    *,
    report: Path | None = None,
) -> Answered:
    """Analyse a problem and write its report, also where it cannot be answered.

    No page is written if an option makes no sense for the cohort, so that an earlier answer and its
    page stay. What came of preprocessing (`cohorts`) gives the reasons in the report; `report` is a
    place for it other than its folder.
    """
    outcome = find_genes(output, problem, analysis, tasks, progress)
    return with_page(output, outcome, cohorts, progress, report=report)


def find_genes(
    output: OutputFolder,
    problem: Problem,
    analysis: AnalysisOptions,
    tasks: TaskInfo | None = None,
    progress: Progress = silent,
) -> ProblemOutcome:
    """Analyse a problem in the cohort chosen for it, and write the result."""
    progress("testing genes", 0, 1, str(problem))
    (outcome,) = solve_problems(output, [problem], analysis, tasks)
    return outcome


def with_page(
    output: OutputFolder,
    outcome: ProblemOutcome,
    cohorts: Sequence[CohortOutcome] = (),
    progress: Progress = silent,
    *,
    report: Path | None = None,
) -> Answered:
    """Write the report of an outcome; parameters as in `answer`."""
    if outcome.wrong_use:
        return Answered(outcome, None)
    progress("writing the report", 0, 1, "")
    reasons = {each.cohort: each.error for each in cohorts if each.error is not None}
    if outcome.result is None and reasons and len(reasons) == len(cohorts):
        # That no record was written is not news once it is known why they could not be read.
        outcome = replace(outcome, why="no cohort could be read")
    return Answered(outcome, _write_page(output, outcome, reasons, report))


def write_script(output: OutputFolder, outcome: ProblemOutcome) -> Path | None:
    """Write ``genes.csv`` and the R script that repeats the tests; None without a result.

    Raises
    ------
    UsageError
        If R cannot repeat them.
    """
    if outcome.result is None:
        return None
    scripts = write_r_files(output, [outcome.result])
    write_gene_files(output, [outcome.result])
    return scripts[outcome.result.trait]


@dataclass(frozen=True)
class Combined:
    """All cohorts of a problem together: the result with its report, or why there is none."""

    problem: Problem
    result: MetaResult | None = None
    report: Path | None = None
    why: str = ""

    def summary(self) -> dict[str, Any]:
        """Return the facts for machines; ``solved``, and the counts or ``why``."""
        if self.result is not None:
            return {**self.result.summary(), "report": str(self.report)}
        names = {"trait": self.problem.trait, "condition": self.problem.condition}
        return {**names, "solved": False, "why": self.why}


def combine(
    output: OutputFolder,
    problems: Sequence[Problem],
    analysis: AnalysisOptions,
    tasks: TaskInfo | None = None,
    progress: Progress = silent,
    *,
    jobs: int = 1,
) -> Iterator[Combined]:
    """Combine the cohorts of each problem, and write results and reports, one after the other.

    Parameters as in `answer`; `jobs` is the number of processes.
    """
    stage = "combining cohorts"
    for problem in problems:
        done = 0
        progress(stage, 0, None, "")

        def note(label: str, total: int | None) -> None:
            nonlocal done
            done += 1
            progress(stage, done, total, label)

        try:
            result = analyze_cohorts(output, problem, analysis, tasks, jobs=jobs, progress=note)
        except (AnalysisError, FormatError, UsageError) as error:
            # An option that fits no cohort does not invalidate an earlier result.
            if not isinstance(error, UsageError):
                remove_meta(output, problem.trait, problem.condition)
            yield Combined(problem, why=str(error))
            continue
        write_meta(output, result)
        page = write_meta_report(output, problem.trait, problem.condition)
        yield Combined(problem, result, page)


def enrich(
    output: OutputFolder,
    problem: Problem,
    sets: Path | SetCollection,
    options: EnrichmentOptions,
    progress: Progress = silent,
) -> tuple[Enrichment, dict[str, Path]]:
    """Test gene sets on a result; write table and record, and an existing report.

    Returns what was found, and the files by what they are.

    Raises
    ------
    UsageError
        If there is no such result.
    FormatError
        If a file is not what it should be.
    """
    progress("testing gene sets", 0, None, "")
    found = enrich_problem(output, problem, sets, options, lambda what: progress(what, 0, None, ""))
    path = output.enrichment(problem.trait, problem.condition)
    files = {"all sets": path.with_suffix(".csv"), "record": path}
    if output.report(problem.trait, problem.condition).is_file():
        progress("writing the report", 0, 1, "")
        files["report"] = write_report(output, problem.trait, problem.condition)
    return found, files


def enrich_results(
    table: Path,
    trait: str,
    sets: Path | SetCollection,
    options: EnrichmentOptions,
    progress: Progress = silent,
) -> tuple[Enrichment, dict[str, Path]]:
    """Describe gene sets along results of DESeq2, edgeR or limma.

    Sets cannot be tested, which needs expression. Writes the table of sets next to that of the
    results; returns what was found, and the file.

    Raises
    ------
    FormatError, UsageError
        If a file is not what it should be.
    AnalysisError
        If no set has a fitting size, or there is nothing to describe.
    """
    progress("reading the results", 0, None, "")
    read = read_gene_results(table, name=trait)
    result = result_of_other_tool(read, q_cut=options.q_cut)
    progress("describing gene sets", 0, None, "")
    found = enrich_sets(result, read_sets(sets)[0], options)
    path = table.with_name(f"{table.name.partition('.')[0]}_gene_sets.csv")
    with atomic_write(path) as part, part.open("wb") as handle:
        inert_frame(found.sets).write_csv(handle)
    return found, {"all sets": path}
