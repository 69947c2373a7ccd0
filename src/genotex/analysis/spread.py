"""Unequal spread: groups, or single samples, that vary more than the others.

A test with one variance per gene makes false findings where the smaller group varies more (docs:
calibration). Each group then gets a weight, its inverse relative variance over all genes (limma's
``arrayWeights`` with ``var.group``; for counts ``voomWithQualityWeights``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.options import SampleWeights
from genotex.analysis.precision import Precision, some_genes
from genotex.analysis.sample_weights import estimate_sample_weights

__all__ = ["Spread", "weigh_samples"]

Floats = NDArray[np.float64]

UNEQUAL = 1.1
"""Ratio of standard deviations from which groups are weighted."""
NOTABLE = 1.25
"""Ratio from which a reader should know."""
FEWEST_GENES = 100


@dataclass(frozen=True, eq=False)
class Spread:
    """The weights of the samples and what is reported of them."""

    # (n,): inverse relative variances with geometric mean 1; None where all are alike
    weights: Floats | None
    # Plain JSON: ``mode``, ``used`` (``none``, ``group`` or ``sample``), ``deviation`` (of each
    # group, relative to the smallest), ``lowest`` and ``highest`` weight
    record: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # What a reader should know


def weigh_samples(
    values: Floats,
    design: Floats,
    groups: Sequence[str] | None,
    mode: SampleWeights,
    libraries: Floats | None = None,
) -> Spread:
    """Estimate how precise groups or samples are, and decide whether they are weighted."""
    # Shapes: values (n, p), design (n, k), libraries (n,).
    by_group = mode in ("auto", "group")
    few = values.shape[1] < FEWEST_GENES and mode == "auto"
    if mode == "none" or few or (by_group and groups is None):
        return Spread(None, {"mode": mode, "used": "none", "deviation": {}})
    complete = np.flatnonzero(~np.isnan(values).any(axis=0))
    genes = complete[some_genes(len(complete))] if by_group else complete
    weights = _estimate(values[:, genes], design, groups if by_group else None, libraries)
    deviation = _deviation(weights, groups) if by_group and groups is not None else {}
    record = {
        "mode": mode,
        "used": "group" if by_group else "sample",
        "deviation": deviation,
        "lowest": float(weights.min()),
        "highest": float(weights.max()),
    }
    if mode == "auto" and max(deviation.values()) < UNEQUAL:
        return Spread(None, {**record, "used": "none"})
    return Spread(weights, record, _warnings(deviation))


def _estimate(
    values: Floats, design: Floats, groups: Sequence[str] | None, libraries: Floats | None
) -> Floats:
    if libraries is None:
        return estimate_sample_weights(values, design, groups)
    weights = None
    for _ in range(2):  # the counts' trend and the samples' weights depend on one another
        precision = Precision(weights=weights, libraries=libraries)
        voom = precision.voom(design, values)
        if voom is None:
            break
        weights = estimate_sample_weights(values, design, groups, voom.weights(values))
    return np.ones(len(design)) if weights is None else weights


def _deviation(weights: Floats, groups: Sequence[str]) -> dict[str, float]:
    """Return each group's standard deviation relative to the smallest."""
    of_group = {group: 1 / np.sqrt(weight) for group, weight in zip(groups, weights, strict=True)}
    least = min(of_group.values())
    return {group: float(of_group[group] / least) for group in sorted(of_group)}


def _warnings(deviation: dict[str, float]) -> tuple[str, ...]:
    widest = max(deviation, key=lambda group: deviation[group], default=None)
    if widest is None or deviation[widest] < NOTABLE:
        return ()
    return (
        f"The groups vary unequally: the standard deviation of genes in the {widest} group is "
        f"typically {deviation[widest]:.1f} times that of the least variable one. Samples are "
        "weighted by group to allow for it.",
    )
