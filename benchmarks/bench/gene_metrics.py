"""Measure what random and half-right lists of genes score in both versions of the metrics.

    python -m benchmarks gene_metrics [--lists 1000]

Lists are drawn from 20,000 genes. "Half right": 300 predicted genes in random order, of which 150
are among the 300 of the reference. Each row is the mean over the lists where a figure is defined;
`undefined` counts those where legacy AUROC and ES within the list are not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

import numpy as np
from rich.console import Console
from rich.table import Table

from genotex.bench.evaluation.gene_metrics import ALL_GENES, compare_genes

Draw = Callable[[np.random.Generator], tuple[list[str], list[str]]]
GENES = np.array([f"GENE{i}" for i in range(ALL_GENES)])


def random_lists(predicted: int, reference: int) -> Draw:
    """Return a draw of two lists that have nothing to do with each other."""

    def draw(rng: np.random.Generator) -> tuple[list[str], list[str]]:
        first, second = (rng.choice(GENES, n, replace=False) for n in (predicted, reference))
        return first.tolist(), second.tolist()

    return draw


def half_right(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Return a list of 300 genes in random order, and 300 of which it has 150."""
    return rng.permutation(GENES[150:450]).tolist(), GENES[:300].tolist()


def mean(values: Iterable[float | None]) -> str:
    """Return the mean of the values that are defined."""
    return f"{np.mean([value for value in values if value is not None]):.4f}"


def main() -> None:
    """Print one row for each kind of lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lists", type=int, default=1000)
    count = parser.parse_args().lists
    kinds: dict[str, Draw] = {
        "random, 300 against 300": random_lists(300, 300),
        "random, 50 against 300": random_lists(50, 300),
        "random, 5,000 against 5,000": random_lists(5000, 5000),
        "half right, 300 against 300": half_right,
    }
    heads = ("AUROC", "legacy AUROC", "GSEA ES", "ES within", "AUPRC", "undefined")
    table = Table("lists", *heads, title=f"mean of {count:,} lists")
    for name, draw in kinds.items():
        rng = np.random.default_rng(1)
        lists = [draw(rng) for _ in range(count)]
        new = [compare_genes(*pair) for pair in lists]
        old = [compare_genes(*pair, metrics="legacy").auroc for pair in lists]
        table.add_row(
            name,
            mean(one.auroc for one in new),
            mean(old),
            mean(one.gsea_es for one in new),
            mean(one.gsea_es_within for one in new),
            mean(one.auprc for one in new),
            str(old.count(None)),
        )
    Console(width=110).print(table)
