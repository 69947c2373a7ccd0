"""From an output folder and a problem to a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from genotex.analysis.checks import check_table
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.analysis.libraries import Counts
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.problem_data import (
    CohortData,
    DataChoice,
    ProblemData,
    choose_data,
    naming_place,
    read_data,
)
from genotex.analysis.result import AnalysisResult
from genotex.analysis.sample_facts import SampleFacts
from genotex.analysis.sample_quality import SampleTexts
from genotex.analysis.sound import analyze_sound
from genotex.bench.problems import WHERE_TO_GET, Problem, ProblemKind, TaskInfo
from genotex.errors import UsageError
from genotex.formats import Evidence, LinkedTable, Role
from genotex.layout import OutputFolder

__all__ = [
    "analyze_data",
    "analyze_table",
    "check_request",
    "solve_problem",
]


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
    threads: int = 1,
) -> AnalysisResult:
    """Find the genes that go with a problem's trait in one cohort.

    Parameters
    ----------
    table : LinkedTable
        One cohort; filled for the procedure ``benchmark``, else filled or not.
    roles : mapping of str to Role
        Sample id to role in the contrast; may be empty.
    problem : Problem
        Trait and condition.
    options : AnalysisOptions, optional
        What the user chose.
    sample_facts : mapping, optional
        Other characteristics of the samples (`Evidence.sample_facts`), to be checked against the
        trait.
    condition : ConditionCohort, optional
        The condition's cohort; a two-step problem needs it.
    related : tuple of str, optional
        Related genes of the trait; the procedure ``benchmark`` needs them.
    counts : mapping, optional
        How RNA-seq counts became expression (`Evidence.counts`); the procedure ``benchmark`` takes
        the values as they are.
    sample_texts : mapping, optional
        Titles and source names of the samples (`Evidence.sample_texts`), which may name pools.
    threads : int
        Threads to compute with; the answer does not depend on them.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If the table holds another trait, or what the problem needs was not given.
    """
    options = options or AnalysisOptions()
    if table.trait != problem.trait:
        msg = f"the table holds {table.trait}, the problem asks for {problem.trait}"
        raise UsageError(msg)
    check_table(table)
    if problem.kind is ProblemKind.TWO_STEP and condition is None:
        msg = f"{problem}: the cohort of {problem.condition} must be given (condition=...)"
        raise UsageError(msg)
    if options.procedure == "benchmark":
        if related is None:
            raise UsageError(_no_related(problem))
        # Only this procedure needs scikit-learn.
        from genotex.analysis.benchmark import analyze_benchmark

        return analyze_benchmark(table, problem, options, related, condition, threads=threads)
    cohort = CohortData(
        table, roles, sample_facts or {}, sample_texts or {}, counts or {}, condition
    )
    return analyze_sound(cohort, problem, options, threads=threads)


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

    Parameters
    ----------
    output : OutputFolder
        Folder with the preprocessed cohorts.
    problem : Problem
        Trait and condition.
    options : AnalysisOptions, optional
        What the user chose.
    tasks : TaskInfo, optional
        Related genes of the traits: for two-step problems and the procedure ``benchmark``.
    threads : int
        Threads to compute with; the answer does not depend on them.

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
    data = read_data(output, problem, choice, options, tasks)
    return analyze_data(data, problem, options, threads=threads)


def analyze_data(
    data: ProblemData, problem: Problem, options: AnalysisOptions, *, threads: int = 1
) -> AnalysisResult:
    """Analyse what was read for a problem, and say where it came from.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If an option asks for what the cohort lacks.
    """
    choice, evidence, cohort = data.choice, data.evidence, data.cohort
    if evidence is not None and options.controls == "auto":
        options = replace(options, controls=evidence.options.get("control_roles", "auto"))
    with naming_place(problem, choice.cohort):
        result = analyze_table(
            cohort.table,
            cohort.roles,
            problem,
            options,
            cohort.sample_facts,
            condition=cohort.condition,
            related=data.related,
            counts=cohort.counts,
            sample_texts=cohort.sample_texts,
            threads=threads,
        )
    return replace(
        result,
        cohort=choice.cohort,
        cohort_reason=choice.reason,
        other_cohorts=choice.others,
        warnings=(
            *_same_series(choice),
            *_other_procedure(evidence, options),
            *_without_roles(evidence, result),
            *result.warnings,
        ),
    )


def check_request(problem: Problem, options: AnalysisOptions, tasks: TaskInfo | None) -> None:
    """Refuse, before any file is read, what cannot be answered without the related genes.

    Raises
    ------
    UsageError
        If the task list is needed and not given, or does not know the trait or the condition.
    """
    if options.procedure == "benchmark":
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
        f"{choice.cohort} is on both sides: samples may serve both to learn the condition and to "
        "be told it, so the prediction looks better than it would in another series.",
    )


def _without_roles(evidence: Evidence | None, result: AnalysisResult) -> tuple[str, ...]:
    contrast = result.method["contrast"]
    if evidence is not None or contrast["kind"] != "binary" or "controls" not in contrast:
        return ()
    return (
        "The cohort has no record of roles: all controls are used, healthy or of another disease.",
    )


def _other_procedure(evidence: Evidence | None, options: AnalysisOptions) -> tuple[str, ...]:
    if evidence is None or evidence.procedure == options.procedure:
        return ()
    how = {
        "benchmark": "whose gene values are sums over probes on the scale of the input",
        "sound": "whose gene values are means over probes on the log2 scale",
    }[evidence.procedure]
    return (
        f"The cohort was preprocessed by the procedure {evidence.procedure}, {how}; preprocess "
        f"again for the procedure {options.procedure}.",
    )
