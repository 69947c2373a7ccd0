"""Linked tables: joining clinical features with genes, and treating missing values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genotex.formats import ExpressionMatrix, LinkedTable

__all__ = ["LinkingCounts", "drop_incomplete", "fill", "link"]

GENE_MISSING_LIMIT = 0.20
"""A gene missing in a larger share of samples is dropped."""
SAMPLE_MISSING_LIMIT = 0.05
"""A sample missing a larger share of the remaining genes is dropped."""


@dataclass(frozen=True)
class LinkingCounts:
    """Counts of samples and values dropped or filled in linking."""

    samples: int
    samples_without_trait: int
    genes_dropped: int
    samples_dropped: int
    samples_without_expression: int = 0
    values_filled: int = 0
    age_filled: int = 0
    gender_filled: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


def link(
    trait: str,
    samples: tuple[str, ...],
    trait_values: NDArray[np.float64],
    covariates: Mapping[str, NDArray[np.float64]],
    genes: ExpressionMatrix,
) -> LinkedTable:
    """Join clinical features and gene expression by sample id."""
    column = {sample: j for j, sample in enumerate(genes.samples)}
    rows = np.array([i for i, s in enumerate(samples) if s in column], dtype=int)
    columns = np.array([column[samples[i]] for i in rows], dtype=int)
    return LinkedTable(
        trait,
        tuple(samples[i] for i in rows),
        trait_values[rows],
        {name: values[rows] for name, values in covariates.items()},
        genes.ids,
        np.ascontiguousarray(genes.values[:, columns].T, dtype=np.float64),
    )


def drop_incomplete(table: LinkedTable) -> tuple[LinkedTable, LinkingCounts]:
    """Drop samples without the trait, genes missing too often, samples missing too much."""
    total = len(table.samples)
    known = ~np.isnan(table.trait_values)
    table = _take_samples(table, known)
    keep_genes = _missing_share(table.expression, axis=0) <= GENE_MISSING_LIMIT
    genes_dropped = int((~keep_genes).sum())
    if genes_dropped:
        table = replace(
            table,
            genes=tuple(g for g, keep in zip(table.genes, keep_genes, strict=True) if keep),
            expression=np.ascontiguousarray(table.expression[:, keep_genes]),
        )
    keep_samples = _missing_share(table.expression, axis=1) <= SAMPLE_MISSING_LIMIT
    counts = LinkingCounts(
        samples=total,
        samples_without_trait=int((~known).sum()),
        genes_dropped=genes_dropped,
        samples_dropped=int((~keep_samples).sum()),
    )
    return _take_samples(table, keep_samples), counts


def _take_samples(table: LinkedTable, keep: NDArray[np.bool_]) -> LinkedTable:
    if keep.all():
        return table
    return replace(
        table,
        samples=tuple(s for s, k in zip(table.samples, keep, strict=True) if k),
        trait_values=table.trait_values[keep],
        covariates={name: values[keep] for name, values in table.covariates.items()},
        expression=table.expression[keep],
    )


def _missing_share(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    if values.shape[axis] == 0:
        return np.zeros(values.shape[1 - axis])
    share: NDArray[np.float64] = np.isnan(values).mean(axis=axis)
    return share


def fill(table: LinkedTable, counts: LinkingCounts) -> tuple[LinkedTable, LinkingCounts]:
    """Fill Age and genes with their mean and Gender with its mode."""
    filled: dict[str, int] = {}
    covariates = {}
    for name, values in table.covariates.items():
        missing = np.isnan(values)
        if missing.all():
            continue
        filled[name] = int(missing.sum())
        middle = _mode(values[~missing]) if name == "Gender" else values[~missing].mean()
        covariates[name] = np.where(missing, middle, values)
    expression, values_filled = _fill_with_mean(table.expression)
    counts = replace(
        counts,
        values_filled=values_filled,
        age_filled=filled.get("Age", 0),
        gender_filled=filled.get("Gender", 0),
    )
    return replace(table, covariates=covariates, expression=expression), counts


def _mode(values: NDArray[np.float64]) -> float:
    levels, counts = np.unique(values, return_counts=True)
    return float(levels[counts.argmax()])


def _fill_with_mean(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    missing = np.isnan(values)
    number = int(missing.sum())
    if number == 0:
        return values, 0
    sums = np.where(missing, 0.0, values).sum(axis=0)
    known = (~missing).sum(axis=0)
    return np.where(missing, sums / np.maximum(known, 1), values), number
