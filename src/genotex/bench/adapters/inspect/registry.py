"""What Inspect AI finds through the entry point ``inspect_ai``."""

from genotex.bench.adapters.inspect.scorers import average, evaluate_score
from genotex.bench.adapters.inspect.solvers import command, genoagent
from genotex.bench.adapters.inspect.tasks import analyse, gta, preprocess, select

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
