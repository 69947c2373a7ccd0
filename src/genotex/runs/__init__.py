"""Whole benchmark runs: many problems, one folder, resumed after any interruption."""

from genotex.runs.methods.answer_file import write_answer
from genotex.runs.methods.choosing import MethodOptions, choose_method
from genotex.runs.methods.method import ChosenMethod, Context, Method
from genotex.runs.problem_record import ErrorClass, ProblemRecord
from genotex.runs.running import BenchmarkRun, Finished, run_benchmark
from genotex.runs.summary import RunSummary

__all__ = [
    "BenchmarkRun",
    "ChosenMethod",
    "Context",
    "ErrorClass",
    "Finished",
    "Method",
    "MethodOptions",
    "ProblemRecord",
    "RunSummary",
    "choose_method",
    "run_benchmark",
    "write_answer",
]
