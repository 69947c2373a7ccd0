"""From an output folder and a problem to a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from genotex.analysis.options import AnalysisOptions
from genotex.analysis.result import AnalysisResult
from genotex.analysis.sample_facts import SampleFacts
from genotex.analysis.sound import analyze_sound
from genotex.errors import AnalysisError, UsageError
from genotex.formats import Evidence, read_evidence, read_linked
from genotex.formats.cohort_record import Role
from genotex.formats.linked import LinkedTable
from genotex.layout import OutputFolder
from genotex.problems import Problem, ProblemKind, choose_cohort

__all__ = ["analyze_table", "solve_problem"]


def analyze_table(
    table: LinkedTable,
    roles: Mapping[str, Role],
    problem: Problem,
    options: AnalysisOptions | None = None,
    sample_facts: SampleFacts | None = None,
) -> AnalysisResult:
    """Find the genes that go with a problem's trait in one cohort.

    Parameters
    ----------
    table : LinkedTable
        One cohort, filled or not.
    roles : mapping of str to Role
        Sample id to role in the contrast; may be empty.
    problem : Problem
        Trait and condition.
    options : AnalysisOptions, optional
        What the user chose.
    sample_facts : mapping, optional
        Other characteristics of the samples (`Evidence.sample_facts`), to be checked against the
        trait.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If the problem is a two-step one, or the table holds another trait.
    """
    if problem.kind is ProblemKind.TWO_STEP:
        msg = (
            f"{problem}: problems with another trait as condition (two-step) are not there yet; "
            "use Age, Gender or no condition"
        )
        raise UsageError(msg)
    if table.trait != problem.trait:
        msg = f"the table holds {table.trait}, the problem asks for {problem.trait}"
        raise UsageError(msg)
    return analyze_sound(table, roles, problem, options or AnalysisOptions(), sample_facts or {})


def solve_problem(
    output: OutputFolder, problem: Problem, options: AnalysisOptions | None = None
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

    Raises
    ------
    NoUsableCohortError
        If no cohort fits the problem.
    AnalysisError
        If the cohort cannot answer the problem, or its preprocessing was interrupted.
    FormatError
        If a file of the cohort is not what it should be.
    """
    options = options or AnalysisOptions()
    choice = choose_cohort(output, problem, options.cohort, options.among)
    evidence = _evidence(output, problem.trait, choice.cohort)
    table = read_linked(output, problem.trait, choice.cohort)
    if evidence is not None and options.controls == "auto":
        options = replace(options, controls=evidence.options.get("control_roles", "auto"))
    roles = {} if evidence is None else evidence.roles
    facts = {} if evidence is None else evidence.sample_facts
    result = analyze_table(table, roles, problem, options, facts)
    return replace(
        result,
        cohort=choice.cohort,
        cohort_reason=choice.reason,
        other_cohorts=choice.others,
        warnings=(
            *_other_procedure(evidence, options),
            *_without_roles(evidence, result),
            *result.warnings,
        ),
    )


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


def _without_roles(evidence: Evidence | None, result: AnalysisResult) -> tuple[str, ...]:
    if evidence is not None or result.method["contrast"]["kind"] != "binary":
        return ()
    return (
        "The cohort has no record of roles: all controls are used, healthy or of another disease.",
    )


def _other_procedure(evidence: Evidence | None, options: AnalysisOptions) -> tuple[str, ...]:
    if evidence is None or evidence.procedure == options.procedure:
        return ()
    return (
        f"The cohort was preprocessed by the procedure {evidence.procedure}, whose gene values are "
        "sums over probes on the scale of the input; preprocess again for the procedure "
        f"{options.procedure}.",
    )
