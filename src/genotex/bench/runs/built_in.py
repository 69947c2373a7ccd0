"""The built-in methods: analyses of preprocessed cohorts, random genes, answers from a file."""

from __future__ import annotations

import heapq
import json
import random
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from genotex.analysis import sharing, solve_problem, write_result
from genotex.bench.runs.cohort_stage import why_no_cohort
from genotex.bench.runs.method import Context, write_answer
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import FormatError, MethodFailedError, UsageError
from genotex.formats import decode, read_bytes
from genotex.genes import GeneTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem, condition_named
from genotex.procedure import Procedure

LASSO = AnalysisOptions(procedure=Procedure.BENCHMARK, fixed_lambda=0.1, batch_correction=False)
"""The paper's baseline (table 3): one plain Lasso, lambda 0.1, nothing tuned, nothing rotated."""

NO_BATCH_CORRECTION = AnalysisOptions(procedure=Procedure.BENCHMARK, batch_correction=False)
"""The procedure ``benchmark`` without its step 2 (table 3, "No BEC")."""

MIXED_MODEL = AnalysisOptions(model="mixed")
"""The mixed model as the only test, in the paper's closed form made consistent."""


@dataclass(frozen=True)
class FromCohorts:
    """Answer from the largest usable cohort, or pair of cohorts, by given options."""

    options: AnalysisOptions

    def solve(self, problem: Problem, context: Context) -> None:
        """Analyse and write the result with its evidence."""
        cohorts = context.cohorts
        missing = why_no_cohort(cohorts, problem)
        if cohorts is None or missing:
            raise MethodFailedError(ErrorClass.NO_COHORT, missing)
        with nullcontext() if context.shared is None else sharing(context.shared):
            result = solve_problem(
                cohorts,
                problem,
                replace(self.options, seed=context.seed),
                context.tasks,
                threads=context.threads,
            )
        write_result(context.output, result)


USUAL_NUMBER = 300


def _protein_coding_symbols() -> tuple[str, ...]:
    """Return the official symbols of the packaged table's protein-coding genes, sorted."""
    genes = GeneTable.load().genes
    coding = genes.filter(pl.col("type") == "protein-coding")["symbol"]
    return tuple(sorted(set(coding.to_list())))


@dataclass(frozen=True)
class RandomGenes:
    """A number of different genes, drawn for each problem."""

    number: int = USUAL_NUMBER
    symbols: tuple[str, ...] = field(default_factory=_protein_coding_symbols, repr=False)

    def __post_init__(self) -> None:
        """Refuse more genes than there are."""
        if not 1 <= self.number <= len(self.symbols):
            msg = f"{self.number} genes cannot be drawn; use 1 to {len(self.symbols)}"
            raise UsageError(msg)

    def solve(self, problem: Problem, context: Context) -> None:
        """Write genes that depend on the seed and the problem alone."""
        # Of everything in `random`, only the plain stream is guaranteed never to change.
        stream = random.Random(f"{context.seed}/{problem.trait}/{problem.condition}")
        ranked = ((stream.random(), symbol) for symbol in self.symbols)
        drawn = heapq.nsmallest(self.number, ranked)
        write_answer(context.output, problem, [symbol for _, symbol in drawn])


_EXAMPLE = 'a line is {"trait": "Asthma", "condition": null, "genes": ["IL13", "IL33"]}'

_Answers = Mapping[Problem, tuple[str, ...]]


@dataclass(frozen=True)
class ZeroShot:
    """_Answers that were given beforehand."""

    answers: _Answers

    def solve(self, problem: Problem, context: Context) -> None:
        """Write the answer to the problem."""
        genes = self.answers.get(problem)
        if genes is None:
            msg = f"the file of answers has none for {problem}"
            raise MethodFailedError(ErrorClass.NO_ANSWER, msg)
        write_answer(context.output, problem, genes)


def read_gene_answers(path: Path) -> dict[Problem, tuple[str, ...]]:
    """Read a file of JSON lines, each with ``trait``, ``condition`` and ``genes``."""
    answers: dict[Problem, tuple[str, ...]] = {}
    for number, line in enumerate(decode(read_bytes(path)).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            problem, genes = _zero_shot_answer(json.loads(line))
        except (ValueError, TypeError, KeyError, UsageError) as error:
            msg = f"has no {error}" if isinstance(error, KeyError) else str(error)
            raise FormatError(msg, path=path, line=number, hint=_EXAMPLE) from error
        if problem in answers:
            msg = f"answers {problem} a second time"
            raise FormatError(msg, path=path, line=number, hint="keep one of the lines")
        answers[problem] = genes
    return answers


def _zero_shot_answer(row: object) -> tuple[Problem, tuple[str, ...]]:
    if not isinstance(row, dict):
        msg = f"is {json.dumps(row)[:40]}, not an object"
        raise TypeError(msg)
    trait, condition, genes = row["trait"], row["condition"], row["genes"]
    if not isinstance(trait, str) or not isinstance(condition, str | None):
        msg = "trait and condition must be names"
        raise TypeError(msg)
    if not isinstance(genes, list) or not all(isinstance(gene, str) for gene in genes):
        msg = "genes must be a list of symbols"
        raise TypeError(msg)
    return Problem(trait, condition_named(condition or "none")), tuple(genes)
