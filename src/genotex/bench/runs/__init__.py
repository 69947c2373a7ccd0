"""Whole benchmark runs: many problems, one folder, resumed after any interruption.

What a plug-in needs is here. Runs are started by `genotex.bench.runs.running`, with a method from
`genotex.bench.runs.choosing`; these import all that computes, which a plug-in may not need.
"""

from genotex.bench.runs.method import Context, Method, write_answer
from genotex.bench.runs.problem_record import ErrorClass

__all__ = ["Context", "ErrorClass", "Method", "write_answer"]
