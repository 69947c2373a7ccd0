"""The chance that an independent cohort shows a gene again: same direction, p < 0.05.

A logistic regression on what one cohort tells of a gene. It was learned from real pairs of cohorts
of the same disease, whole and thinned to smaller sizes, and from the same cohorts with permuted
labels; ``python -m benchmarks replication`` learns it again, and measures it on diseases left out
(docs/replication.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import expit, logit

from genotex.analysis.gene_tests.p_values import average_ranks
from genotex.arrays import Floats

TERMS: Mapping[str, float] = {
    "constant": -3.345,
    "effect": 0.615,
    "log effect": 0.262,
    "expression": 1.157,
    "size ahead": 0.372,
    "size": -0.322,
    "signal": 0.338,
    "effect x size ahead": 0.112,
}
"""The terms of the regression and their coefficients."""
USUAL_SIZE = 5.0
"""Sizes are n1 n0 / (n1 + n0) samples, relative to this one: two groups of 10."""
LARGEST_SIZE = 250.0
"""Two groups of 500; a larger cohort counts as one of this size."""
LEAST_SPREAD = 0.5
"""Of the genes' means, in their usual deviation: with less, means do not tell expression."""
SETTLED = 0.8
"""The chance from which a cohort would settle a gene."""


def effective_size(samples: int, smaller_group: int | None = None) -> float:
    """Return n1 n0 / (n1 + n0) of two groups; of a measured trait as of two equal groups."""
    smaller = samples / 2 if smaller_group is None else smaller_group
    return smaller * (samples - smaller) / samples


def replication_terms(
    change: Floats, error: Floats, mean: Floats, p: Floats, *, size: float, ahead: float
) -> dict[str, Floats]:
    """Return the values of `TERMS` for each gene.

    `change`, `error`: coefficients and standard errors (p,) of all genes tested, `mean` their mean
    expression, `p` their p-values; `size`, `ahead`: `effective_size` of this cohort and of the one
    to come.
    """
    # An effect over its error plus that of the usual gene (as in SAM, Tusher and others 2001): the
    # smallest errors are the luckiest. Well expressed genes are easier to see again; where no mean
    # is known, or values are centred gene by gene, a gene counts as one in the middle.
    known = np.isfinite(error)
    usual = float(np.median(error[known])) if known.any() else 1.0
    effect = np.abs(change) / (error + usual)
    rank = np.full(len(mean), 0.5)
    measured = np.isfinite(mean)
    if measured.any() and mean[measured].std() > LEAST_SPREAD * usual * np.sqrt(size):
        rank[measured] = average_ranks(mean[measured]) / measured.sum()
    return _terms(effect, rank, np.full(len(change), signal_of(p)), size, ahead)


def signal_of(p: Floats) -> float:
    """Return the logarithm of the share of p-values below 0.05 over 0.05."""
    return float(np.log(max(float((p < 0.05).mean()), 0.001) / 0.05))


def pooled_terms(
    effects: Floats, expression: Floats, signal: Floats, sizes: Floats, *, ahead: float
) -> dict[str, Floats]:
    """Return the terms of several cohorts together: those of one cohort with all their samples.

    `effects` (k, p) are those of `replication_terms`, negative against the direction of the whole
    and NaN where a cohort did not test a gene; `expression` (k, p) likewise; `signal` and `sizes`
    (k,) are of the cohorts.
    """
    there = np.isfinite(effects)
    size = np.where(there, sizes[:, None], 0.0)
    total = size.sum(axis=0)
    effect = (np.sqrt(size) * np.where(there, effects, 0.0)).sum(axis=0) / np.sqrt(total)
    rank, signals = (
        (size * np.where(there, values, 0.0)).sum(axis=0) / total
        for values in (expression, np.broadcast_to(signal[:, None], there.shape))
    )
    return _terms(np.maximum(effect, 0.0), rank, signals, total, ahead)


def _terms(
    effect: Floats, rank: Floats, signal: Floats, size: float | Floats, ahead: float
) -> dict[str, Floats]:
    one = np.ones(len(effect))
    sizes = {name: np.log(np.minimum(value, LARGEST_SIZE) / USUAL_SIZE) * one
             for name, value in (("size ahead", ahead), ("size", size))}  # fmt: skip
    return {
        "constant": one,
        "effect": effect,
        "log effect": np.log(effect + 0.1),
        "expression": rank,
        **sizes,
        "signal": signal,
        "effect x size ahead": effect * sizes["size ahead"],
    }


def replication_chance(
    terms: Mapping[str, Floats], coefficients: Mapping[str, float] = TERMS
) -> Floats:
    """Return the chance (p,) of each gene, 0 to 1."""
    return np.asarray(expit(_score(terms, coefficients)))


def samples_to_settle(terms: Mapping[str, Floats]) -> Floats:
    """Return how many samples, in two equal groups, give each gene a chance of 0.8.

    NaN where more than two groups of 500 would be needed.
    """
    slope = TERMS["size ahead"] + TERMS["effect x size ahead"] * terms["effect"]
    score = _score(terms, TERMS) - slope * terms["size ahead"]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = USUAL_SIZE * np.exp((logit(SETTLED) - score) / slope)
    return np.where((slope > 0) & (size <= LARGEST_SIZE), np.ceil(4 * size / 2) * 2, np.nan)


def _score(terms: Mapping[str, Floats], coefficients: Mapping[str, float]) -> Floats:
    total: Floats = np.zeros(len(terms["constant"]))
    for name, coefficient in coefficients.items():
        total += coefficient * terms[name]
    return total
