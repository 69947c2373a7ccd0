"""The cohorts chosen for a problem, and the data read from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from genotex.analysis.designs.request import DesignRequest
from genotex.analysis.gene_tests.libraries import Counts
from genotex.analysis.samples.facts import SampleFacts
from genotex.analysis.samples.quality import SampleTexts
from genotex.analysis.samples.relations import Relations
from genotex.analysis.shared_work import last_table, once, states
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.formats import (
    Evidence,
    LinkedTable,
    Measures,
    Role,
    check_linked_parquet,
    find_evidence,
    linked_files,
    read_linked,
    read_linked_csv,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, ValueKind
from genotex.problems import Problem, ProblemKind, TaskInfo, choose_cohort, choose_pair
from genotex.procedure import Procedure


@dataclass(frozen=True, eq=False)
class ConditionCohort:
    """A cohort of the condition and the genes the condition is predicted by."""

    cohort: str  # Its id
    table: LinkedTable  # Its linked table; the trait of it is the condition
    regressors: tuple[str, ...]  # Related genes of the condition that are in both linked tables


@dataclass(frozen=True)
class DataChoice:
    """Which cohorts answer a problem."""

    cohort: str  # Cohort of the trait
    reason: str  # Why this one
    others: Mapping[str, str]  # Every other cohort of the trait and why not it
    condition_cohort: str | None = None  # Two-step: the cohort of the condition
    regressors: tuple[str, ...] = ()  # Two-step: the genes by which the condition is predicted


@dataclass(frozen=True, eq=False)
class CohortData:
    """What the procedure ``sound`` analyses."""

    # One cohort; not filled, so that genes are tested on the samples that have them
    table: LinkedTable
    # Sample id to role in the contrast; may be empty
    roles: Mapping[str, Role] = field(default_factory=dict)
    # Other characteristics of the samples (`Evidence.sample_facts`); a batch among them is adjusted
    # for, all are checked against the trait
    sample_facts: SampleFacts = field(default_factory=dict)
    # Titles and source names of the samples (`Evidence.sample_texts`), which may name pools
    sample_texts: SampleTexts = field(default_factory=dict)
    # How RNA-seq counts became expression (`Evidence.counts`); genes are then tested with voom's
    # precision weights (Law et al. 2014). Empty where expression was not counted.
    counts: Counts = field(default_factory=dict)
    condition: ConditionCohort | None = None  # Two-step: the cohort of the condition
    # A formula and contrast of the user's own, in the place of trait and covariates
    design: DesignRequest | None = None
    # Relations between the samples that their texts state (`Evidence.relations`)
    relations: Relations = field(default_factory=dict)
    # What the values are, where their variance depends on their level (`Evidence.mapping`)
    kind: ValueKind = ""
    # What control probes tell of each sample (`Evidence.measures`)
    measures: Measures = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ProblemData:
    """All that is read for a problem."""

    choice: DataChoice  # Which cohorts these are
    table: LinkedTable  # The cohort: filled for the procedure ``benchmark``, else with its gaps
    evidence: Evidence | None  # The record of its preprocessing; None where other tools made it
    condition: ConditionCohort | None  # Two-step: the cohort of the condition
    # Related genes of the trait, where a task list is given: ``benchmark`` chooses its penalty by
    # them, ``sound`` describes its list by them
    related: tuple[str, ...] | None

    @property
    def cohort(self) -> CohortData:
        """The data to analyse; the table alone where there is no record."""
        record = self.evidence
        if record is None:
            return CohortData(self.table, condition=self.condition)
        return CohortData(
            self.table,
            record.roles,
            record.sample_facts,
            record.sample_texts,
            record.counts,
            self.condition,
            DesignRequest.from_json(record.design),
            _relations(record),
            record.mapping.get("value_kind", ""),
            record.measures,
        )


def choose_data(
    output: OutputFolder, problem: Problem, options: AnalysisOptions, tasks: TaskInfo | None
) -> DataChoice:
    """Choose the cohort of a problem, or the pair; parameters are those of `solve_problem`.

    Raises
    ------
    NoUsableCohortError
        If none fits the problem.
    UsageError
        If a cohort that was asked for does not exist.
    """
    if problem.kind is not ProblemKind.TWO_STEP or tasks is None:
        certain = options.procedure.leaves_uncertain_cohorts
        one = choose_cohort(output, problem, options.cohort, options.among, certain_first=certain)
        return DataChoice(one.cohort, one.reason, one.others)
    pair = choose_pair(
        output,
        problem,
        tasks,
        options.regressors,
        options.cohort,
        options.condition_cohort,
        options.among,
    )
    return DataChoice(pair.cohort, pair.reason, pair.others, pair.condition_cohort, pair.regressors)


def read_data(
    output: OutputFolder,
    problem: Problem,
    choice: DataChoice,
    procedure: Procedure,
    tasks: TaskInfo | None = None,
) -> ProblemData:
    """Read the cohorts that were chosen; parameters and errors are those of `solve_problem`."""
    evidence = _evidence(output, problem.trait, choice.cohort, procedure)
    with naming_place(problem, choice.cohort):
        return ProblemData(
            choice,
            _read_shared(output, problem.trait, choice.cohort, procedure),
            evidence,
            _condition_cohort(output, problem, choice, procedure, tasks),
            None if tasks is None else _related(problem, procedure, tasks),
        )


@contextmanager
def naming_place(problem: Problem, cohort: str) -> Iterator[None]:
    """Put problem and cohort in front of an error whose message does not name the cohort."""
    try:
        yield
    except (AnalysisError, UsageError) as error:
        raise type(error)(_with_place(str(error), problem, cohort)) from error


def _with_place(message: str, problem: Problem, cohort: str) -> str:
    if re.search(rf"\b{re.escape(cohort)}\b", message):
        return message
    for name in (str(problem), problem.trait):
        message = message.removeprefix(f"{name}: ")
    return f"{problem}, {cohort}: {message}"


def _related(problem: Problem, procedure: Procedure, tasks: TaskInfo) -> tuple[str, ...] | None:
    if procedure.needs_related_genes:
        return tasks.related_genes(problem.trait)
    known = tasks.traits.get(problem.trait)
    return None if known is None else known.related_genes


def _read_shared(
    output: OutputFolder, trait: str, cohort: str, procedure: Procedure
) -> LinkedTable:
    """Read the table of the trait, which the next problem may ask for again."""
    files = linked_files(output, trait, cohort)
    if procedure.analyses_filled_tables:
        files = files[:1]
    return last_table(files, lambda: _read(output, trait, cohort, procedure))


def _read(output: OutputFolder, trait: str, cohort: str, procedure: Procedure) -> LinkedTable:
    """Read a linked table: filled, or with its missing values, as the procedure analyses it."""
    path = output.linked_csv(trait, cohort)
    filled = procedure.analyses_filled_tables
    table = read_linked_csv(path) if filled else read_linked(output, trait, cohort)
    if table.trait != trait:
        msg = f"the first column is {table.trait!r} where the trait {trait!r} is expected"
        raise FormatError(msg, path=path, hint="run the preprocessing of this cohort again")
    return table


def _condition_cohort(
    output: OutputFolder,
    problem: Problem,
    choice: DataChoice,
    procedure: Procedure,
    tasks: TaskInfo | None,
) -> ConditionCohort | None:
    condition, cohort = problem.condition, choice.condition_cohort
    if cohort is None or condition is None:
        return None
    _evidence(output, condition, cohort, procedure)
    # The same for all traits; whole tables would fill the memory.
    genes = choice.regressors if tasks is None else tasks.related_genes(condition)

    def read() -> LinkedTable:
        return _with_genes(_read(output, condition, cohort, procedure), genes)

    files = states(linked_files(output, condition, cohort))
    table = once("condition", read, condition, files, genes, procedure)
    return ConditionCohort(cohort, table, choice.regressors)


def _with_genes(table: LinkedTable, genes: Sequence[str]) -> LinkedTable:
    """Return a table of some of the genes, those that it has."""
    wanted = set(genes)
    places = [i for i, gene in enumerate(table.genes) if gene in wanted]
    return replace(
        table,
        genes=tuple(table.genes[i] for i in places),
        expression=np.ascontiguousarray(table.expression[:, places]),
    )


def _evidence(
    output: OutputFolder, trait: str, cohort: str, procedure: Procedure
) -> Evidence | None:
    """Read the record of decisions; folders made by other tools of the benchmark have none."""
    if evidence := find_evidence(output, trait, cohort):
        if not procedure.analyses_filled_tables:
            files = linked_files(output, trait, cohort)
            check = partial(check_linked_parquet, output, trait, cohort, evidence.tables)
            once("intact", check, trait, cohort, states(files), evidence.tables)
        return evidence
    # Preprocessing writes the record last, so tables of ours without it may not match.
    if output.linked_parquet(trait, cohort).is_file():
        msg = f"preprocessing of {trait}, {cohort} was interrupted; run preprocess again"
        raise AnalysisError(msg)
    return None


def _relations(record: Evidence) -> Relations:
    """Return the relations of a cohort, without those that the trait itself is read from."""
    trait = record.reading.get("trait") or {}
    own = f"characteristic '{trait.get('key', '')}'"
    kept = {k: [g for g in groups if g["place"] != own] for k, groups in record.relations.items()}
    return {kind: groups for kind, groups in kept.items() if groups}
