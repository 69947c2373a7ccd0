"""Methods that analyse the preprocessed cohorts by `genotex.analysis`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from genotex.analysis import AnalysisOptions, solve_problem, write_result
from genotex.bench.problems import Problem
from genotex.bench.runs.given_cohorts import why_no_cohort
from genotex.bench.runs.methods.method import Context
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import MethodFailedError

__all__ = ["LASSO", "MIXED_MODEL", "NO_BATCH_CORRECTION", "FromCohorts"]

LASSO = AnalysisOptions(procedure="benchmark", fixed_lambda=0.1, batch_correction=False)
"""The paper's baseline (table 3): one plain Lasso, lambda 0.1, nothing tuned, nothing rotated."""

NO_BATCH_CORRECTION = AnalysisOptions(procedure="benchmark", batch_correction=False)
"""The procedure ``benchmark`` without its step 2 (table 3, "No BEC")."""

MIXED_MODEL = AnalysisOptions(model="mixed")
"""The mixed model as the only test, in the paper's closed form made consistent."""


@dataclass(frozen=True)
class FromCohorts:
    """Answer from the largest usable cohort, or pair of cohorts, by given options.

    Attributes
    ----------
    options : AnalysisOptions
        Their seed is that of the run.
    """

    options: AnalysisOptions

    def solve(self, problem: Problem, context: Context) -> None:
        """Analyse and write the result with its evidence."""
        cohorts = context.cohorts
        missing = why_no_cohort(cohorts, problem)
        if cohorts is None or missing:
            raise MethodFailedError(ErrorClass.NO_COHORT, missing)
        result = solve_problem(
            cohorts,
            problem,
            replace(self.options, seed=context.seed),
            context.tasks,
            threads=context.threads,
        )
        write_result(context.output, result)
