"""The task list of simulated traits: related genes that are partly right, and conditions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from genotex.simulate.expression import GeneModel

__all__ = ["TASK_FILE", "choose_related", "genes_without_effect", "write_tasks"]

TASK_FILE = "task_info.json"


def genes_without_effect(model: GeneModel) -> list[str]:
    """Return the symbols of the genes that are planted for no trait, sorted."""
    taken = {gene for trait in model.signatures for gene in model.planted(trait)}
    return [symbol for symbol in model.symbols if symbol not in taken]


def choose_related(
    rng: np.random.Generator, planted: Sequence[str], free: Sequence[str]
) -> list[str]:
    """Choose related genes: two fifths of the planted ones, and some unrelated ones.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    planted : sequence of str
        Genes that differ with the trait.
    free : sequence of str
        Genes that do not.
    """
    known = rng.choice(planted, size=2 * len(planted) // 5, replace=False).tolist()
    decoys = rng.choice(free, size=len(planted) // 5, replace=False).tolist()
    return [*known, *decoys]


def write_tasks(
    folder: Path, related: Mapping[str, Iterable[str]], conditions: Mapping[str, Sequence[str]]
) -> Path:
    """Write ``task_info.json`` and return its path.

    Parameters
    ----------
    folder : Path
        Where to.
    related : mapping of str to iterable of str
        Trait -> related genes.
    conditions : mapping of str to sequence of str
        Trait -> traits that are its conditions, besides ``Age`` and ``Gender``.
    """
    tasks = {
        trait: {
            "related_genes": sorted(genes),
            "conditions": ["Age", "Gender", *conditions.get(trait, ())],
        }
        for trait, genes in related.items()
    }
    path = folder / TASK_FILE
    path.write_text(json.dumps(tasks, indent=2) + "\n", encoding="utf-8")
    return path
