"""Weights of samples, and of groups that vary more than the others.

The variance of a gene in a sample is the gene's variance times a factor of the sample (or of its
group), the same for all genes. The factors are estimated by residual maximum likelihood from all
genes at once (Smyth 2002); a weight is the inverse of the factor, with geometric mean 1.

References
----------
Ritchie, Diyagama, Neilson and others 2006, BMC Bioinformatics 7:261; Smyth 2002, J. Comput. Graph.
Stat. 11:836. Liu, Holik, Su and others 2015, Nucleic Acids Res. 43:e97, for weighted observations.

A test with one variance per gene makes false findings where the smaller group varies more (docs:
calibration). Each group then gets a weight, its inverse relative variance over all genes (limma's
``arrayWeights`` with ``var.group``; for counts ``voomWithQualityWeights``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from genotex.analysis.gene_tests.precision import Precision, some_genes
from genotex.arrays import Floats
from genotex.options import SampleWeights

PRIOR_GENES = 10
"""The weights are drawn to 1 as if so many genes had shown no difference at all (limma)."""
ROUNDS = 50
CONVERGED = 1e-12
SMALLEST_VARIANCE = 1e-15
NUMBERS_AT_ONCE = 1 << 20
FEWEST_DF = 2


def estimate_sample_weights(
    values: Floats,
    design: Floats,
    groups: Sequence[object] | None = None,
    observed: Floats | None = None,
) -> Floats:
    """Estimate the weights of the samples."""
    # Shapes: values (n, p), design (n, k), observed (n, p).
    # Returns All 1 where fewer than two degrees of freedom are left, or with a single gene or
    # group.
    samples, columns = design.shape
    weights = np.ones(samples)
    contrasts = _contrasts(samples, groups)
    if contrasts.shape[1] == 0 or values.shape[1] < 2 or samples - columns < FEWEST_DF:
        return weights
    powers = np.zeros(contrasts.shape[1])
    last = np.inf
    for _ in range(ROUNDS):
        score, information, genes = _gather(values, design, weights, observed, contrasts)
        score += PRIOR_GENES * (weights - 1)
        slope = contrasts.T @ score
        step = np.linalg.solve(information + PRIOR_GENES * contrasts.T @ contrasts, slope)
        gain = float(slope @ step) / len(slope) / (genes + PRIOR_GENES)
        if not gain < last:
            break
        last = gain
        powers += step
        weights = np.exp(-contrasts @ powers)
        if gain < CONVERGED:
            break
    return weights


def _contrasts(samples: int, groups: Sequence[object] | None) -> Floats:
    """Return a basis of the differences between groups (samples), each column with mean 0."""
    if groups is None:
        members = np.eye(samples)
    else:
        names = sorted(set(map(str, groups)))
        members = np.array([[str(group) == name for name in names] for group in groups], float)
    centred = members[:, 1:] - members[:, 1:].mean(axis=0)
    return np.asarray(np.linalg.qr(centred)[0])


def _gather(
    values: Floats, design: Floats, weights: Floats, observed: Floats | None, contrasts: Floats
) -> tuple[Floats, Floats, int]:
    """Return score of the samples' log weights, information of the contrasts, and genes used."""
    samples, columns = design.shape
    score, information, genes = np.zeros(samples), np.zeros((contrasts.shape[1],) * 2), 0
    numbers = columns if observed is None else max(columns**2, contrasts.shape[1])
    at_once = max(1, NUMBERS_AT_ONCE // (samples * numbers))
    root = np.sqrt(weights)[:, None]
    basis, leverage = _weighted_design(design, root)
    for start in range(0, values.shape[1], at_once):
        part = slice(start, start + at_once)
        if observed is not None:
            root = np.sqrt(weights[:, None] * observed[:, part])
            basis, leverage = _weighted_design(design, root)
            information += _information(basis, leverage, contrasts)
        found, used = _score(values[:, part], basis, leverage, root)
        score, genes = score + found, genes + used
    if observed is None:
        information = _information(basis, leverage, contrasts) * genes
    return score, information, genes


def _weighted_design(design: Floats, root: Floats) -> tuple[Floats, Floats]:
    """Return orthonormal columns of each weighted design, and the samples' leverages in it."""
    # `root` (n, 1) or (n, p) is the root of the weights: one design for all genes, or one for each.
    basis = np.linalg.qr(root.T[:, :, None] * design)[0]
    return basis, (basis**2).sum(axis=2)


def _score(values: Floats, basis: Floats, leverage: Floats, root: Floats) -> tuple[Floats, int]:
    """Return the score of the samples' log weights, and the number of genes that vary."""
    _, samples, columns = basis.shape
    squared = root * values
    if len(basis) == 1:
        squared -= basis[0] @ (basis[0].T @ squared)
    else:
        fitted = np.einsum("gnk,ng->gk", basis, squared)
        squared -= np.einsum("gnk,gk->ng", basis, fitted)
    np.square(squared, out=squared)
    variance = squared.sum(axis=0) / (samples - columns)
    varying = variance > SMALLEST_VARIANCE
    genes = int(varying.sum())
    share = squared @ np.where(varying, 1 / np.where(varying, variance, 1.0), 0.0)
    taken = genes * leverage[0] if len(basis) == 1 else leverage[varying].sum(axis=0)
    return share - (genes - taken), genes


def _information(basis: Floats, leverage: Floats, contrasts: Floats) -> Floats:
    """Return the information of the contrasts, summed over designs, each gene's variance free."""
    samples = basis.shape[1]
    wide = np.column_stack([np.ones(samples), contrasts])
    products = (basis[:, :, :, None] * basis[:, :, None, :]).reshape(len(basis), samples, -1)
    shared = np.einsum("gnk,nz->gkz", products, wide, optimize=True)
    whole = np.einsum("gn,nz,ny->gzy", 1 - 2 * leverage, wide, wide, optimize=True)
    whole += np.einsum("gkz,gky->gzy", shared, shared, optimize=True)
    across = whole[:, 1:, :1]
    profiled = whole[:, 1:, 1:] - across @ across.transpose(0, 2, 1) / whole[:, :1, :1]
    return np.asarray(profiled.sum(axis=0))


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
