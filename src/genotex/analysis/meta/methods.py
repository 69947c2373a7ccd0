"""The registry of meta-analysis methods: the tests that rank genes over several cohorts.

To add a method, add an entry to `METHODS`. The rest follows: its p-values give ``p``, ``q``, ``z``,
the order of the genes and the replication test; its `ranking` goes to the result file and its
`sentence` to the methods paragraph of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from genotex.analysis.meta.effects import normal_size
from genotex.arrays import Floats
from genotex.errors import UsageError

_GRID = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0])
"""Values of tau, in medians of the standard errors."""

_SMALLEST = 1e-10
"""Smallest weight, so that every gene has a likelihood."""

_PRECISION = 1e-13
"""Relative change of the likelihood below which its maximum is found."""


@dataclass(frozen=True, eq=False)
class Heterogeneity:
    """Distribution over genes of the standard deviation of true effects between cohorts."""

    tau: Floats  # (m,): standard deviations, on the scale of the effects; the first is 0
    weights: Floats  # (m,): share of genes with each; they sum to 1

    @property
    def sd(self) -> float:
        """Root mean square of tau over genes: the typical difference between cohorts."""
        return float(np.sqrt(self.weights @ self.tau**2))


@dataclass(frozen=True, eq=False)
class NullScores:
    """Effects of k cohorts on p genes as the test of a common effect takes them."""

    # (k, p): normal with the standard deviation `errors` where a gene has no effect in a cohort; 0
    # where the cohort lacks the gene
    values: Floats
    # (k, p): squares of these standard deviations; infinite where the cohort lacks the gene
    variances: Floats


def null_scores(
    effects: Floats, errors: Floats, p: Floats, samples: Floats | None = None
) -> NullScores:
    """Return effects that are normal, with known standard errors, where there is no effect.

    Hedges' g of a small cohort has heavier tails than the normal distribution, and its error has a
    part of about g^2 / 2n, for the deviation that is the unit. Where there is no effect that part
    is chance, and ties weights to effects (Pustejovsky and Rodgers 2019 leave it out for the same
    reason). So the score of a cohort is the normal deviate of its own p-value times the error
    without that part. `samples` are given where the effects are Hedges' g.
    """
    # Shapes: all (k, p). A gene counts where all are finite and the error is above zero.
    there = np.isfinite(effects) & np.isfinite(errors) & (errors > 0) & np.isfinite(p)
    variances = np.where(there, errors**2, np.inf)
    if samples is not None:
        smaller = np.where(there, variances - effects**2 / (2 * samples), np.inf)
        variances = np.where(smaller > 0, smaller, variances)
    deviate = np.sign(effects) * normal_size(p)
    values = np.where(there, deviate * np.sqrt(np.where(there, variances, 0)), 0)
    return NullScores(values, variances)


def estimate_heterogeneity(scores: NullScores) -> Heterogeneity:
    """Estimate the distribution of tau by maximum likelihood over all genes of two cohorts or more.

    The likelihood of a gene is the restricted one of the random effects model, which is free of
    its mean effect, so changed genes need not be known. The likelihood of weights on a grid is
    concave (as in Stephens 2017 for effects). Minus its mean plus the sum of the weights has its
    minimum where the weights sum to 1, which leaves only bounds.
    """
    values, variances = scores.values, scores.variances
    there = np.isfinite(variances)
    several = there.sum(axis=0) > 1
    if not several.any():
        return Heterogeneity(np.zeros(1), np.ones(1))
    tau = float(np.median(np.sqrt(variances[there]))) * _GRID
    likelihood = _likelihood(values[:, several], variances[:, several], tau)
    start = np.full(len(tau), 1 / len(tau))

    def deviance(weights: Floats) -> tuple[float, Floats]:
        density = weights @ likelihood
        slopes = likelihood @ (1 / density) / likelihood.shape[1]
        return float(weights.sum() - np.log(density).mean()), 1 - slopes

    bounds = [(_SMALLEST, None)] * len(tau)
    from scipy.optimize import minimize

    found = minimize(deviance, start, jac=True, bounds=bounds, options={"ftol": _PRECISION})
    return Heterogeneity(tau, found.x / found.x.sum())


def weights_of_genes(scores: NullScores, shared: Heterogeneity) -> Floats:
    """Return the weights of each tau given the scatter of the gene itself, shape (m, p)."""
    joint = shared.weights[:, None] * _likelihood(scores.values, scores.variances, shared.tau)
    weights: Floats = joint / joint.sum(axis=0)
    return weights


def common_effect_p(scores: NullScores, shared: Heterogeneity) -> Floats:
    """Test that the cohorts have no effect in common: their true effects scatter around zero.

    For each tau, the mean weighted by inverse variances (tau included) over its standard error is
    a normal deviate. Its two-sided p-values are averaged with the weights of the gene. Mean and
    scatter of a gene are independent, so the average is a p-value for a gene whose tau comes from
    the shared distribution (exactly, where the cohorts have equal standard errors). It is NaN below
    two cohorts.
    """
    values, variances = scores.values, scores.variances
    p = np.zeros(values.shape[1])
    for tau, weight in zip(shared.tau, weights_of_genes(scores, shared), strict=True):
        precision = 1 / (variances + tau**2)
        total = precision.sum(axis=0)
        z = (precision * values).sum(axis=0) / np.sqrt(total)
        p += weight * 2 * ndtr(-np.abs(z))
    return np.where(np.isfinite(variances).sum(axis=0) > 1, np.minimum(p, 1.0), np.nan)


def _likelihood(values: Floats, variances: Floats, tau: Floats) -> Floats:
    """Return the restricted likelihood of each tau, relative to the largest of the gene."""
    rows = []
    for each in tau:
        precision = 1 / (variances + each**2)
        total = precision.sum(axis=0)
        mean = (precision * values).sum(axis=0) / total
        spread = (precision * (values - mean) ** 2).sum(axis=0)
        logs = np.log(precision, where=precision > 0, out=np.zeros_like(precision)).sum(axis=0)
        rows.append(0.5 * (logs - np.log(total) - spread))
    log = np.array(rows)
    likelihood: Floats = np.exp(log - log.max(axis=0))
    return likelihood


DEFAULT = "common"


@dataclass(frozen=True, eq=False)
class CohortStatistics:
    """The statistics of k cohorts for m genes, (k, m) each; NaN where a cohort lacks a gene."""

    effects: Floats  # Hedges' g of groups, else Fisher's z of the partial correlation
    errors: Floats  # Their standard errors
    p: Floats  # Two-sided p-values
    samples: Floats  # Samples compared
    binary: bool  # Whether groups were compared

    @cached_property
    def scores(self) -> NullScores:
        """The effects as scores that are normal where a gene has no effect."""
        samples = self.samples if self.binary else None
        return null_scores(self.effects, self.errors, self.p, samples)

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """How far true effects differ between cohorts, estimated from all genes."""
        return estimate_heterogeneity(self.scores)


@dataclass(frozen=True)
class CombinationMethod:
    """A test of each gene over all cohorts."""

    p: Callable[[CohortStatistics], Floats]  # Two-sided p-values, (m,); NaN where there is none
    ranking: str  # What the test is, for the result file
    sentence: str  # The same for a methods section; may hold ``{sd:.2g}``, see `Heterogeneity`


METHODS: dict[str, CombinationMethod] = {
    DEFAULT: CombinationMethod(
        p=lambda found: common_effect_p(found.scores, found.heterogeneity),
        ranking="test that the true effects scatter around zero between cohorts, with a "
        "standard deviation between cohorts whose distribution is estimated from all genes",
        sentence="Each gene was tested for an effect common to the cohorts by a normal deviate, "
        "averaged over a distribution of the between-cohort standard deviation that was estimated "
        "from all genes by restricted maximum likelihood (root mean square {sd:.2g}).",
    )
}


def find_method(name: str) -> CombinationMethod:
    """Return the method of that name."""
    if name not in METHODS:
        msg = f"combine {name!r} is not known; use {' or '.join(METHODS)}"
        raise UsageError(msg)
    return METHODS[name]


def method_sentence(record: Mapping[str, Any]) -> str:
    """Return the sentence of the method by which a result (`MetaResult.method`) was ranked."""
    used = METHODS[record.get("combine", DEFAULT)]
    return used.sentence.format(sd=record["between_cohorts"]["sd"])
