"""Linked tables in an output folder, with the record of their preprocessing."""

from typing import Any

import numpy as np

from genotex.analysis import AnalysisResult, solve_problem, write_result
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    Role,
    update_cohort_info,
    write_evidence,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem


def store(output: OutputFolder, cohort: str, table: LinkedTable, **record: Any) -> None:
    """Write a usable cohort; `record` are further fields of `Evidence`."""
    trait, size = table.trait, len(table.samples)
    info = CohortInfo(True, True, True, True, False, True, True, size, None)
    update_cohort_info(output.cohort_info(trait), cohort, info)
    csv = output.linked_csv(trait, cohort)
    write_linked_csv(csv, filled(table))
    write_linked_parquet(output.linked_parquet(trait, cohort), table, csv=csv)
    roles: dict[str, Role] = {
        sample: "case" if value else "healthy control"
        for sample, value in zip(table.samples, table.trait_values, strict=True)
    }
    evidence = Evidence(trait, cohort, "sound", "GEO", "0.1.0", roles=roles, **record)
    write_evidence(output.evidence(trait, cohort), evidence)


def filled(table: LinkedTable) -> LinkedTable:
    expression = np.asarray(table.expression, dtype=float)
    means = np.nanmean(expression, axis=0)
    return LinkedTable(
        table.trait,
        table.samples,
        table.trait_values,
        table.covariates,
        table.genes,
        np.where(np.isnan(expression), means, expression),
    )


def solve_stored(
    output: OutputFolder, problem: Problem, options: AnalysisOptions, **more: Any
) -> AnalysisResult:
    """Analyse a problem and write its result."""
    result = solve_problem(output, problem, options, **more)
    write_result(output, result)
    return result
