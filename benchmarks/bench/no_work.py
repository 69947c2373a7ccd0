"""A method that imports what a method on cohorts does, and does nothing with it."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.bench.runs import Context, write_answer
from genotex.bench.runs.methods.built_in import FromCohorts
from genotex.problems import Problem


@dataclass(frozen=True)
class NoWork(FromCohorts):
    """Answers with one gene."""

    def solve(self, problem: Problem, context: Context) -> None:
        """Write the answer."""
        write_answer(context.output, problem, ["TP53"])
