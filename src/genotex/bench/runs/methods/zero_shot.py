"""Answers from a file: what somebody, or a model, says without any data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from genotex.bench.problems import Problem, condition_named
from genotex.bench.runs.methods.answer_file import write_answer
from genotex.bench.runs.methods.method import Context
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import FormatError, MethodFailedError, UsageError
from genotex.formats import decode, read_bytes

__all__ = ["ZeroShot", "read_answers"]

EXAMPLE = 'a line is {"trait": "Asthma", "condition": null, "genes": ["IL13", "IL33"]}'

Answers = Mapping[Problem, tuple[str, ...]]


@dataclass(frozen=True)
class ZeroShot:
    """Answers that were given beforehand.

    Attributes
    ----------
    answers : mapping of Problem to tuple of str
        Symbols, the most important first.
    """

    answers: Answers

    def solve(self, problem: Problem, context: Context) -> None:
        """Write the answer to the problem."""
        genes = self.answers.get(problem)
        if genes is None:
            msg = f"the file of answers has none to {problem}"
            raise MethodFailedError(ErrorClass.NO_ANSWER, msg)
        write_answer(context.output, problem, genes)


def read_answers(path: Path) -> dict[Problem, tuple[str, ...]]:
    """Read a file of JSON lines, each with ``trait``, ``condition`` and ``genes``.

    Raises
    ------
    FormatError
        If the file is empty, a line is something else, or a problem is answered twice.
    """
    answers: dict[Problem, tuple[str, ...]] = {}
    for number, line in enumerate(decode(read_bytes(path)).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            problem, genes = _answer(json.loads(line))
        except (ValueError, TypeError, KeyError, UsageError) as error:
            told = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise FormatError(told, path=path, line=number, hint=EXAMPLE) from error
        if problem in answers:
            msg = f"answers {problem} a second time"
            raise FormatError(msg, path=path, line=number, hint="keep one of the lines")
        answers[problem] = genes
    return answers


def _answer(row: object) -> tuple[Problem, tuple[str, ...]]:
    if not isinstance(row, dict):
        msg = f"is {json.dumps(row)[:40]}, no object"
        raise TypeError(msg)
    trait, condition, genes = row["trait"], row["condition"], row["genes"]
    if not isinstance(trait, str) or not isinstance(condition, str | None):
        msg = "trait and condition must be names"
        raise TypeError(msg)
    if not isinstance(genes, list) or not all(isinstance(gene, str) for gene in genes):
        msg = "genes must be a list of symbols"
        raise TypeError(msg)
    return Problem(trait, condition_named(condition or "none")), tuple(genes)
