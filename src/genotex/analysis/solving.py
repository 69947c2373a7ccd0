"""From an output folder and a problem to a result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from genotex.analysis.benchmark import analyze_benchmark
from genotex.analysis.checks import check_table
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.result import AnalysisResult
from genotex.analysis.sample_facts import SampleFacts
from genotex.analysis.sound import analyze_sound
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.formats import Evidence, read_evidence, read_linked, read_linked_csv
from genotex.formats.cohort_record import Role
from genotex.formats.linked import LinkedTable
from genotex.layout import OutputFolder
from genotex.problems import Problem, ProblemKind, TaskInfo, choose_cohort, choose_pair

__all__ = ["analyze_table", "check_request", "solve_problem"]


def analyze_table(
    table: LinkedTable,
    roles: Mapping[str, Role],
    problem: Problem,
    options: AnalysisOptions | None = None,
    sample_facts: SampleFacts | None = None,
    *,
    condition: ConditionCohort | None = None,
    related: tuple[str, ...] | None = None,
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
        return analyze_benchmark(table, problem, options, related, condition, threads=threads)
    facts = sample_facts or {}
    return analyze_sound(table, roles, problem, options, facts, condition, threads=threads)


def _no_related(problem: Problem) -> str:
    return (
        f"{problem}: the related genes of {problem.trait} are needed, with which the procedure "
        "'benchmark' chooses its penalty; give the benchmark's task_info.json (--task-info)"
    )


@dataclass(frozen=True)
class _Choice:
    cohort: str
    reason: str
    others: Mapping[str, str]
    condition_cohort: str | None = None
    regressors: tuple[str, ...] = ()


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
    choice = _choose(output, problem, options, tasks)
    evidence = _evidence(output, problem.trait, choice.cohort)
    if evidence is not None and options.controls == "auto":
        options = replace(options, controls=evidence.options.get("control_roles", "auto"))
    try:
        result = analyze_table(
            _read(output, problem.trait, choice.cohort, options),
            {} if evidence is None else evidence.roles,
            problem,
            options,
            {} if evidence is None else evidence.sample_facts,
            condition=_condition_cohort(output, problem, choice, options),
            related=None if tasks is None else _related(problem, options, tasks),
            threads=threads,
        )
    except (AnalysisError, UsageError) as error:
        raise type(error)(_with_place(str(error), problem, choice.cohort)) from error
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


def _with_place(told: str, problem: Problem, cohort: str) -> str:
    """Put problem and cohort in front of a message that does not name the cohort."""
    if re.search(rf"\b{re.escape(cohort)}\b", told):
        return told
    for name in (str(problem), problem.trait):
        told = told.removeprefix(f"{name}: ")
    return f"{problem}, {cohort}: {told}"


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
                "condition is predicted; give the benchmark's task_info.json (--task-info)"
            )
            raise UsageError(msg)
        tasks.related_genes(str(problem.condition))


def _related(problem: Problem, options: AnalysisOptions, tasks: TaskInfo) -> tuple[str, ...] | None:
    return tasks.related_genes(problem.trait) if options.procedure == "benchmark" else None


def _choose(
    output: OutputFolder, problem: Problem, options: AnalysisOptions, tasks: TaskInfo | None
) -> _Choice:
    if problem.kind is not ProblemKind.TWO_STEP or tasks is None:
        one = choose_cohort(output, problem, options.cohort, options.among)
        return _Choice(one.cohort, one.reason, one.others)
    pair = choose_pair(
        output,
        problem,
        tasks,
        options.regressors,
        options.cohort,
        options.condition_cohort,
        options.among,
    )
    return _Choice(pair.cohort, pair.reason, pair.others, pair.condition_cohort, pair.regressors)


def _read(output: OutputFolder, trait: str, cohort: str, options: AnalysisOptions) -> LinkedTable:
    """Read a linked table: with the filled values for ``benchmark``, else with missing ones."""
    path = output.linked_csv(trait, cohort)
    benchmark = options.procedure == "benchmark"
    table = read_linked_csv(path) if benchmark else read_linked(output, trait, cohort)
    if table.trait != trait:
        msg = f"the first column is {table.trait!r} where the trait {trait!r} is expected"
        raise FormatError(msg, path=path, hint="run the preprocessing of this cohort again")
    return table


def _condition_cohort(
    output: OutputFolder, problem: Problem, choice: _Choice, options: AnalysisOptions
) -> ConditionCohort | None:
    if choice.condition_cohort is None or problem.condition is None:
        return None
    _evidence(output, problem.condition, choice.condition_cohort)
    table = _read(output, problem.condition, choice.condition_cohort, options)
    return ConditionCohort(choice.condition_cohort, table, choice.regressors)


def _evidence(output: OutputFolder, trait: str, cohort: str) -> Evidence | None:
    """Read the record of decisions; folders made by other tools of the benchmark have none."""
    path = output.evidence(trait, cohort)
    if path.is_file():
        return read_evidence(path)
    # Preprocessing writes the record last, so tables of ours without it are of two minds.
    if output.linked_parquet(trait, cohort).is_file():
        msg = f"preprocessing of {trait}, {cohort} was interrupted; run preprocess again"
        raise AnalysisError(msg)
    return None


def _same_series(choice: _Choice) -> tuple[str, ...]:
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
