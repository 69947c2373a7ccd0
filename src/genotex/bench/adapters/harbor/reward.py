"""The reward file of a task folder: ``python -m genotex.bench.adapters.harbor.reward``."""

from __future__ import annotations

import sys
from pathlib import Path

from genotex.bench.adapters.scoring import figure_names
from genotex.bench.evaluation.evaluate import evaluate
from genotex.bench.evaluation.options import EvaluationOptions
from genotex.formats import write_json

REWARD = "reward"
"""The single number of a trial: F1 as a fraction."""


def rewards(output: Path, reference: Path) -> dict[str, float]:
    """Return the figures of the one problem of a reference; undefined ones are omitted."""
    output.mkdir(parents=True, exist_ok=True)
    scores = evaluate(output, reference, EvaluationOptions(tasks=("analysis",)))
    [item] = scores.analysis
    values = {name: getattr(item, key) for name, (_, key) in figure_names("gta").items()}
    defined = {name: float(value) for name, value in values.items() if value is not None}
    return {REWARD: item.f1 / 100, **defined}


if __name__ == "__main__":
    output, reference, target = map(Path, sys.argv[1:4])
    write_json(target, rewards(output, reference))
