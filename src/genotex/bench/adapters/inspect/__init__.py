"""Tasks, solvers and a scorer of Inspect AI, which finds them by the entry point ``inspect_ai``."""

from genotex.bench.adapters.inspect.solvers import command, genoagent
from genotex.bench.adapters.inspect.tasks import (
    analyse,
    average,
    evaluate_score,
    gta,
    preprocess,
    select,
)

__all__ = [
    "analyse",
    "average",
    "command",
    "evaluate_score",
    "genoagent",
    "gta",
    "preprocess",
    "select",
]
