"""The GenoTEX benchmark: problems, runs, scores, and a simulated benchmark with known truth.

Everything public can be imported from here. A module is loaded when one of its names, or of a later
module in `_HOMES`, is first used, so that a command loads only what it needs.
"""

# ruff: noqa: F403
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genotex.bench.evaluation.comparison import *
    from genotex.bench.evaluation.evaluate import *
    from genotex.bench.evaluation.options import *
    from genotex.bench.evaluation.score_files import *
    from genotex.bench.evaluation.scores import *
    from genotex.bench.evaluation.summary import *
    from genotex.bench.problems import *
    from genotex.bench.runs import *
    from genotex.bench.runs.methods.choosing import *
    from genotex.bench.runs.running import *
    from genotex.bench.simulated import *

_HOMES = (
    "problems",
    "runs",
    "evaluation.options",
    "evaluation.scores",
    "evaluation.summary",
    "evaluation.score_files",
    "evaluation.comparison",
    "evaluation.evaluate",
    "simulated",
    "runs.methods.choosing",
    "runs.running",
)
"""Modules whose ``__all__`` is the public face, light ones first."""


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    for home in () if name.startswith("_") else _HOMES:
        module = import_module(f"{__name__}.{home}")
        if name in module.__all__:
            return getattr(module, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
