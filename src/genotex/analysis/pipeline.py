"""From an output folder and problems to results."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from genotex.analysis.designs.comparison import set_up_comparison
from genotex.analysis.designs.request import DesignRequest
from genotex.analysis.gene_tests.libraries import Counts
from genotex.analysis.problem_data import (
    CohortData,
    ConditionCohort,
    DataChoice,
    ProblemData,
    choose_data,
    naming_place,
    read_data,
)
from genotex.analysis.results.columns import describe_selection
from genotex.analysis.results.method_record import design_record, formula_of_method
from genotex.analysis.results.result import AnalysisResult, read_result, remove_result, write_result
from genotex.analysis.review import warn_of_review
from genotex.analysis.samples.facts import SampleFacts
from genotex.analysis.samples.quality import SampleTexts
from genotex.analysis.samples.relations import Relations
from genotex.analysis.shared_work import keep_sharing, sharing
from genotex.analysis.sound import analyze_sound, check_table, design_warnings
from genotex.errors import AnalysisError, FormatError, GenotexError, UsageError
from genotex.extras import load_extra
from genotex.formats import Evidence, LinkedTable, Measures, Role
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.parallel import side_by_side
from genotex.problems import WHERE_TO_GET, Problem, ProblemKind, TaskInfo
from genotex.procedure import Procedure


def analyze_table(
    table: LinkedTable,
    roles: Mapping[str, Role],
    problem: Problem,
    options: AnalysisOptions | None = None,
    sample_facts: SampleFacts | None = None,
    *,
    condition: ConditionCohort | None = None,
    related: tuple[str, ...] | None = None,
    counts: Counts | None = None,
    sample_texts: SampleTexts | None = None,
    design: DesignRequest | None = None,
    relations: Relations | None = None,
    measures: Measures | None = None,
    threads: int = 1,
) -> AnalysisResult:
    """Find the genes associated with a problem's trait in a table; arguments as in `CohortData`."""
    known = (sample_facts or {}, sample_texts or {}, counts or {})
    cohort = CohortData(
        table, roles, *known, condition, design, relations or {}, measures=measures or {}
    )
    return analyze_cohort(cohort, problem, options or AnalysisOptions(), related, threads=threads)


def analyze_cohort(
    cohort: CohortData,
    problem: Problem,
    options: AnalysisOptions,
    related: tuple[str, ...] | None = None,
    *,
    threads: int = 1,
) -> AnalysisResult:
    """Find the genes associated with a problem's trait in one cohort.

    The procedure ``benchmark`` needs a filled table and the `related` genes of the trait, and takes
    counts as they are; a two-step problem needs the condition's cohort. `threads` changes no
    answer.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If the table holds another trait, or what the problem needs was not given.
    """
    table, condition = cohort.table, cohort.condition
    if table.trait != problem.trait:
        msg = f"the table holds {table.trait}, the problem asks for {problem.trait}"
        raise UsageError(msg)
    check_table(table)
    if problem.kind is ProblemKind.TWO_STEP and condition is None:
        msg = f"{problem}: the cohort of {problem.condition} must be given (condition=...)"
        raise UsageError(msg)
    if options.procedure.needs_related_genes and related is None:
        raise UsageError(_no_related(problem))
    if related is not None and not options.procedure.tests_genes:
        load_extra("sklearn", "benchmark", "the procedure 'benchmark'")
        from genotex.analysis.benchmark import analyze_benchmark

        return analyze_benchmark(table, problem, options, related, condition, threads=threads)
    result = analyze_sound(cohort, problem, options, threads=threads)
    selection = describe_selection(result.genes, related or ())
    if selection is None:
        return result
    return replace(result, cv_performance={**result.cv_performance, "selection": selection})


def _no_related(problem: Problem) -> str:
    return (
        f"{problem}: the related genes of {problem.trait} are needed, with which the procedure "
        "'benchmark' chooses its penalty; give the benchmark's task_info.json (--task-info): "
        f"{WHERE_TO_GET}"
    )


def solve_problem(
    output: OutputFolder,
    problem: Problem,
    options: AnalysisOptions | None = None,
    tasks: TaskInfo | None = None,
    *,
    threads: int = 1,
) -> AnalysisResult:
    """Choose the cohort of a problem, read it and analyse it; nothing is written.

    `tasks` has the related genes of the traits, for two-step problems and the procedure
    ``benchmark``; `threads` changes no answer.

    Raises
    ------
    NoUsableCohortError
        If no cohort fits the problem.
    AnalysisError
        If the cohort cannot answer the problem, or its preprocessing was interrupted.
    FormatError
        If a file of the cohort is not what it should be.
    UsageError
        If related genes are needed and not given, or an option asks for what the cohort lacks.
    """
    options = options or AnalysisOptions()
    check_request(problem, options, tasks)
    choice = choose_data(output, problem, options, tasks)
    data = read_data(output, problem, choice, options.procedure, tasks)
    return analyze_data(data, problem, options, threads=threads)


def analyze_data(
    data: ProblemData, problem: Problem, options: AnalysisOptions, *, threads: int = 1
) -> AnalysisResult:
    """Analyse the data read for a problem, and record where they came from.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If an option asks for what the cohort lacks.
    """
    choice, evidence = data.choice, data.evidence
    if evidence is not None:
        options = _as_recorded(options, evidence)
    with naming_place(problem, choice.cohort):
        result = analyze_cohort(data.cohort, problem, options, data.related, threads=threads)
    return replace(
        result,
        cohort=choice.cohort,
        cohort_reason=choice.reason,
        other_cohorts=choice.others,
        warnings=(
            *_to_review(problem.trait, choice, evidence, options.procedure),
            *_same_series(choice),
            *_other_procedure(evidence, options.procedure),
            *_without_roles(evidence, result),
            *result.warnings,
        ),
    )


@dataclass(frozen=True)
class SeriesDesign:
    """The design of a series as an analysis will run it, before any gene is tested."""

    cohort: str
    compared: str = ""  # Who is compared with whom, in words
    formula: str = ""
    contrast: str = ""
    pairs: str = ""  # How samples of the same person are treated
    interaction: bool = False  # Whether that of trait and condition is tested as well
    notes: tuple[str, ...] = ()  # What is decided when the genes are read
    warnings: tuple[str, ...] = ()
    why_not: str = ""  # Why it cannot be analysed


_PAIRS = {
    "paired": "compared within each pair",
    "correlated": "samples of one person count as correlated",
    "averaged": "samples of one person are averaged",
}


def planned_design(
    cohort: CohortData, evidence: Evidence, problem: Problem, options: AnalysisOptions
) -> SeriesDesign:
    """Set up the comparison of a cohort as `analyze_data` does, and describe it.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If an option asks for what the cohort lacks.
    """
    with naming_place(problem, evidence.cohort):
        found = set_up_comparison(cohort, problem, _as_recorded(options, evidence))
    method = design_record(found)
    pair, text = method["pair"], formula_of_method(method)
    return SeriesDesign(
        evidence.cohort,
        str(found.contrast.summary["text"]),
        "" if text is None else text.design,
        "" if text is None else text.contrast,
        _PAIRS[pair["design"]] if pair else "",
        found.design.interaction is not None,
        warnings=design_warnings(found),
    )


def _to_review(
    trait: str, choice: DataChoice, evidence: Evidence | None, procedure: Procedure
) -> tuple[str, ...]:
    if not procedure.leaves_uncertain_cohorts:
        return ()
    return warn_of_review(trait, choice.others, {choice.cohort: evidence})


def _as_recorded(options: AnalysisOptions, evidence: Evidence) -> AnalysisOptions:
    """Return the options with controls and pairs as they were chosen when preprocessing."""
    if options.controls == "auto":
        options = replace(options, controls=evidence.options.get("control_roles", "auto"))
    given = (evidence.reading.get("facts") or {}).get("pair")
    if given and options.pair is None and options.procedure.tests_genes:
        options = replace(options, pair="pair")
    return options


def check_request(problem: Problem, options: AnalysisOptions, tasks: TaskInfo | None) -> None:
    """Reject, before any file is read, what cannot be answered without the related genes.

    Raises
    ------
    UsageError
        If the task list is needed and not given, or does not know the trait or the condition.
    """
    if options.procedure.needs_related_genes:
        if tasks is None:
            raise UsageError(_no_related(problem))
        tasks.related_genes(problem.trait)
    if problem.kind is ProblemKind.TWO_STEP:
        if tasks is None:
            msg = (
                f"{problem}: the related genes of {problem.condition} are needed, by which the "
                "condition is predicted; give the benchmark's task_info.json (--task-info): "
                f"{WHERE_TO_GET}"
            )
            raise UsageError(msg)
        tasks.related_genes(str(problem.condition))


def _same_series(choice: DataChoice) -> tuple[str, ...]:
    if choice.condition_cohort != choice.cohort:
        return ()
    return (
        f"{choice.cohort} serves as both cohorts: the condition may be learnt from and predicted "
        "for the same samples, so the prediction looks better than it would in another series.",
    )


def _without_roles(evidence: Evidence | None, result: AnalysisResult) -> tuple[str, ...]:
    contrast = result.method["contrast"]
    if evidence is not None or contrast["kind"] != "binary" or "controls" not in contrast:
        return ()
    return (
        "The cohort has no record of roles: all controls are used, healthy or of another disease.",
    )


def _other_procedure(evidence: Evidence | None, procedure: Procedure) -> tuple[str, ...]:
    if evidence is None or evidence.procedure == procedure:
        return ()
    return (
        f"The cohort was preprocessed by the procedure {evidence.procedure}, whose gene values are "
        f"{evidence.procedure.gene_values}; preprocess again for the procedure "
        f"{procedure}.",
    )


TOP_GENES = 5
"""Genes named in a summary line."""


@dataclass(frozen=True)
class ProblemOutcome:
    """The outcome of one problem."""

    problem: Problem
    result: AnalysisResult | None  # None when it could not be answered
    why: str = ""  # The reason for that
    # Whether the request was at fault (an option that makes no sense for this cohort), and not the
    # data; an earlier result is then kept
    wrong_use: bool = False

    def summary(self) -> dict[str, Any]:
        """Return one line for a table: what was asked, of which cohort, and how many genes."""
        row: dict[str, Any] = {"trait": self.problem.trait, "condition": self.problem.condition}
        if self.result is None:
            return row | {"solved": False, "why": self.why, "wrong_use": self.wrong_use}
        return row | {"solved": True} | _facts(self.result)


def _facts(result: AnalysisResult) -> dict[str, Any]:
    significant = result.significant
    top = result.genes["Variable"].head(TOP_GENES).to_list()
    return {
        "cohort": result.cohort,
        "groups": result.method["contrast"]["text"],
        "samples": result.samples,
        "genes": result.method["filter"]["tested"],
        # Without tests there are no p-values: genes are selected, not significant.
        "significant" if result.procedure.tests_genes else "selected": significant.height,
        "top genes": " ".join(top),
        "warnings": list(result.warnings),
        **({"counts": result.counts_summary} if result.counts_summary else {}),
        **({"levels": result.levels_summary} if result.levels_summary else {}),
    }


def solve_problems(
    output: OutputFolder,
    problems: Sequence[Problem],
    options: AnalysisOptions,
    tasks: TaskInfo | None = None,
    *,
    jobs: int = 1,
    progress: Callable[[str, int, int | None, str], None] = lambda *_: None,
) -> list[ProblemOutcome]:
    """Solve problems and write their results.

    A problem that cannot be answered carries its reason and stops no other. An earlier result of it
    is removed with its report, its gene sets and its meta-analysis, so that no file shows a result
    that no longer holds; it is kept when only the request was at fault: a mistake in the options,
    or a cohort requested by name that is not the one of the earlier result.

    The processes (`jobs`) share the machine's cores. `progress` is called at the start and with
    each problem, in order (see `genotex.workflows.Progress`).
    """
    outcomes: list[ProblemOutcome] = []
    progress("testing genes", 0, len(problems), "")
    processes = max(1, min(jobs, len(problems)))
    threads = max(1, (os.cpu_count() or 1) // processes)
    # One alone has nobody to share with.
    shared = len(problems) > 1
    work = (
        _Work(output.root, bundle, options, tasks, threads, shared)
        for bundle in _bundles(problems, processes)
    )
    with sharing() if shared else nullcontext(), side_by_side(processes) as run:
        for outcome in chain.from_iterable(run(_solve_bundle, work)):
            outcomes.append(outcome)
            progress("testing genes", len(outcomes), len(problems), str(outcome.problem))
    return outcomes


ENOUGH_BUNDLES = 4
"""For each process; with fewer of them some processes would wait for the last."""


def _bundles(problems: Sequence[Problem], processes: int) -> list[list[Problem]]:
    """Return the problems that one process solves together: those of a trait share most work."""
    by_trait = [list(group) for _, group in groupby(problems, lambda problem: problem.trait)]
    if processes > 1 and len(by_trait) >= ENOUGH_BUNDLES * processes:
        return by_trait
    return [[problem] for problem in problems]


@dataclass(frozen=True)
class _Work:
    root: Path
    problems: Sequence[Problem]
    options: AnalysisOptions
    tasks: TaskInfo | None
    threads: int
    shared: bool


def _solve_bundle(work: _Work) -> list[ProblemOutcome]:
    if work.shared:
        keep_sharing()
    return [_solve(work, problem) for problem in work.problems]


def _solve(work: _Work, problem: Problem) -> ProblemOutcome:
    output, options = OutputFolder(work.root), work.options
    try:
        result = solve_problem(output, problem, options, work.tasks, threads=work.threads)
    except (AnalysisError, FormatError, UsageError) as error:
        if not _still_holds(output, problem, options, error):
            remove_result(output, problem.trait, problem.condition)
        return ProblemOutcome(problem, None, str(error), isinstance(error, UsageError))
    write_result(output, result)
    return ProblemOutcome(problem, result)


def _still_holds(
    output: OutputFolder, problem: Problem, options: AnalysisOptions, error: GenotexError
) -> bool:
    """Return whether an earlier result is still valid although this attempt failed."""
    if isinstance(error, UsageError):
        return True
    if options.cohort is None:
        return False
    try:
        earlier = read_result(output, problem.trait, problem.condition)
    except (AnalysisError, FormatError):
        return False
    return earlier.cohort != options.cohort
