"""Combine effects and p-values of several cohorts, all genes at once.

The null hypothesis is that the cohorts have no effect in common, or that fewer than two of them
have an effect in its direction. Neither a gene whose true effects merely scatter around zero from
cohort to cohort nor a gene that changed in one cohort only replicates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr, ndtri, stdtr, stdtrit

from genotex.analysis.gene_tests.p_values import benjamini_hochberg
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError

MIN_RANDOM = 3
"""With two cohorts the spread between them has one degree of freedom, which is uninformative."""

_HALF = float(ndtri(0.975))
_SWEEPS = 500
_TOLERANCE = 1e-13


@dataclass(frozen=True, eq=False)
class CombinedEffects:
    """The combined effects of several cohorts, one value for each of p genes.

    NaN where there is nothing to combine. With three cohorts or more `effect` to `p`, `agreeing`
    and leaving one cohort out are of random effects, with two of the fixed effect.
    """

    cohorts: NDArray[np.int64]  # Cohorts that have an effect and a standard error of the gene
    # Mean over cohorts and its standard error; of random effects that of Knapp and Hartung
    effect: Floats
    error: Floats
    lower: Floats  # 95 % interval; of random effects on t (Knapp and Hartung), else normal
    upper: Floats
    z: Floats  # Effect over error as a normal deviate, and its p
    p: Floats
    strict_p: Floats  # p of Knapp and Hartung, on t; NaN below three cohorts
    # Fixed effect: mean weighted by inverse variances, its standard error, 95 % interval and p
    fixed: Floats
    fixed_error: Floats
    fixed_lower: Floats
    fixed_upper: Floats
    fixed_p: Floats
    heterogeneity: Floats  # Cochran's Q and its p-value
    heterogeneity_p: Floats
    # Share of the spread between cohorts that is beyond chance, in percent (Higgins and Thompson
    # 2002)
    i2: Floats
    tau2: Floats  # Variance of the true effects between cohorts (Paule and Mandel 1982)
    agreeing: NDArray[np.int64]  # Cohorts whose effect has the sign of the combined one
    # Largest p when one cohort is left out, each in turn: of random effects where three or more are
    # left, of the fixed effect where two are; NaN below three cohorts
    largest_p: Floats
    flips: Flags  # Whether leaving one cohort out turns the sign of the combined effect


def combine_effects(effects: Floats, errors: Floats) -> CombinedEffects:
    """Combine effects and standard errors over cohorts.

    The fixed effect is the mean weighted by inverse variances: the average effect in these cohorts,
    tested against no effect in any (Rice, Higgins and Lumley 2018). Random effects, from three
    cohorts on: variance between cohorts by Paule and Mandel (1982), by Newton's method
    (DerSimonian and Kacker 2007); interval and strict p by Knapp and Hartung (2003), on t with one
    degree of freedom less than there are cohorts, their factor at least 1.

    Knapp and Hartung's p has so few degrees of freedom that no gene among thousands passes with
    three to five cohorts. Its standard error with a normal reference (`p`) is the fixed effect's
    test where cohorts do not differ, and allows only in part for cohorts that do; see
    `genotex.analysis.meta.common_effect_p` for a test that learns from all genes how far they do.

    Effects are on a scale where they are nearly normal (Hedges' g, Fisher's z). A gene counts in a
    cohort where effect and error are finite and the error is above zero.

    Raises
    ------
    AnalysisError
        If the two differ in shape or are not two-dimensional.
    """
    # Shapes: effects (k, p), errors (k, p).
    if effects.shape != errors.shape or effects.ndim != 2:
        msg = f"effects are {effects.shape} and errors {errors.shape}; both must be cohorts x genes"
        raise AnalysisError(msg)
    with np.errstate(all="ignore"):
        inside = np.isfinite(effects) & np.isfinite(errors) & (errors > 0)
        values = np.where(inside, effects, 0.0)
        variances = np.where(inside, errors**2, np.inf)
        return _combine(values, variances)


def _combine(values: Floats, variances: Floats) -> CombinedEffects:
    weights = 1 / variances
    count = (weights > 0).sum(axis=0)
    df = count - 1
    fixed, fixed_error = _mean(values, weights)
    fixed_half = _HALF * fixed_error
    spread = _spread(values, weights, fixed)
    several = df > 0
    excess = np.where(spread > 0, np.maximum(0.0, (spread - df) / spread), 0.0)
    effect, error, tau2 = _pool(values, variances)
    many = count >= MIN_RANDOM
    on_t = np.maximum(df, 1)
    half = np.where(many, stdtrit(on_t, 0.975), _HALF) * error
    signs = np.sign(values) * (weights > 0)
    largest, flips = _leave_one_out(values, variances, effect)
    return CombinedEffects(
        cohorts=count,
        effect=effect,
        error=error,
        lower=effect - half,
        upper=effect + half,
        z=effect / error,
        p=_two_sided(effect / error),
        strict_p=np.where(many, 2 * stdtr(on_t, -np.abs(effect / error)), np.nan),
        fixed=fixed,
        fixed_error=fixed_error,
        fixed_lower=fixed - fixed_half,
        fixed_upper=fixed + fixed_half,
        fixed_p=_two_sided(fixed / fixed_error),
        heterogeneity=np.where(several, spread, np.nan),
        heterogeneity_p=np.where(several, chdtrc(df, spread), np.nan),
        i2=np.where(several, 100 * excess, np.nan),
        tau2=np.where(several, tau2, np.nan),
        agreeing=((signs == np.sign(effect)) & (signs != 0)).sum(axis=0),
        largest_p=np.where(many, largest, np.nan),
        flips=flips & many,
    )


def _pool(values: Floats, variances: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean and standard error, and the variance between cohorts."""
    # Of random effects for the genes of three cohorts or more, else of the fixed effect.
    count = np.isfinite(variances).sum(axis=0)
    many = count >= MIN_RANDOM
    tau2 = _paule_mandel(values, variances, count - 1)
    weights = 1 / (variances + np.where(many, tau2, 0.0))
    mean, error = _mean(values, weights)
    factor = np.sqrt(np.maximum(1.0, _spread(values, weights, mean) / np.maximum(count - 1, 1)))
    return mean, np.where(many, factor, 1.0) * error, tau2


def _mean(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    total = weights.sum(axis=0)
    mean = np.where(total > 0, (weights * values).sum(axis=0) / total, np.nan)
    return mean, np.where(total > 0, 1 / np.sqrt(total), np.nan)


def _spread(values: Floats, weights: Floats, mean: Floats) -> Floats:
    """Return the weighted squared distances from the mean, summed over cohorts."""
    spread: Floats = (weights * (values - mean) ** 2).sum(axis=0)
    return spread


def _two_sided(z: Floats) -> Floats:
    p: Floats = 2 * ndtr(-np.abs(z))
    return p


def _paule_mandel(values: Floats, variances: Floats, df: NDArray[np.int64]) -> Floats:
    """Return the variance that makes the spread equal to its degrees of freedom, at least 0."""
    # The spread falls and is convex in the variance, so Newton's steps from 0 never overshoot.
    tau2 = np.zeros(values.shape[1])
    smallest = variances.min(axis=0, initial=np.inf)
    moving = np.arange(values.shape[1])
    for _ in range(_SWEEPS):
        weights = 1 / (variances + tau2[moving])
        squared = (values - _mean(values, weights)[0]) ** 2
        excess = (weights * squared).sum(axis=0) - df
        step = excess / (weights**2 * squared).sum(axis=0)
        step = np.where((excess > 0) & np.isfinite(step), step, 0.0)
        before = tau2[moving]
        tau2[moving] += step
        if np.all(step <= _TOLERANCE * (tau2[moving] + smallest)):
            break
        # A gene that did not move would not move again.
        left = np.flatnonzero(tau2[moving] != before)
        moving, df, smallest = moving[left], df[left], smallest[left]
        values, variances = values.take(left, axis=1), variances.take(left, axis=1)
    return tau2


def _leave_one_out(values: Floats, variances: Floats, effect: Floats) -> tuple[Floats, Flags]:
    """Return the largest p without one cohort, and whether the sign ever turns."""
    # The cohorts that are left are combined as all of them are.
    largest = np.zeros(values.shape[1])
    flips = np.zeros(values.shape[1], dtype=bool)
    for cohort in range(len(values)):
        there = np.isfinite(variances[cohort])
        rest = [other for other in range(len(values)) if other != cohort]
        mean, error, _ = _pool(values[rest], variances[rest])
        largest = np.where(there, np.fmax(largest, _two_sided(mean / error)), largest)
        flips |= there & (np.sign(mean) != np.sign(effect))
    return largest, flips


def stouffer(p: Floats, signs: Floats, weights: Floats) -> Floats:
    """Combine two-sided p-values of cohorts with their directions (Stouffer 1949, Liptak 1958)."""
    # Shapes: p (k, m), NaN where there is none; signs (k, m): -1, 0 or 1; weights (k, m), the
    # square root of the number of samples. Returns (m,), two-sided; NaN where no cohort has one.
    there = np.isfinite(p)
    with np.errstate(all="ignore"):
        total = np.where(there, weights * signs * normal_size(p), 0.0).sum(axis=0)
        z = total / np.sqrt(np.where(there, weights**2, 0.0).sum(axis=0))
    combined: Floats = 2 * ndtr(-np.abs(z))
    return combined


def normal_size(p: Floats) -> Floats:
    """Return the absolute standard normal value that has this two-sided p-value."""
    # A p-value of zero is one below the smallest number.
    return np.asarray(-ndtri(np.fmax(p, np.finfo(np.float64).tiny) / 2))


NOMINAL = 0.05
"""A cohort supports a gene by itself when its own p-value is below."""

REQUIRED = 2
"""A gene replicates when so many cohorts, or more, have its effect."""


def partial_conjunction(
    p: Floats, signs: Floats, direction: Floats, required: int = REQUIRED
) -> Floats:
    """Test that fewer than `required` cohorts have an effect in a direction.

    The cohorts with the strongest evidence, one fewer than `required`, may be real in any case.
    So they are left out, and one-sided p-values of the others are combined by Stouffer's method
    (Benjamini and Heller 2008). The direction was chosen from the data, so p is doubled (Owen
    2009).
    """
    # Shapes: p (k, m), two-sided, NaN where there is none; signs (k, m): -1, 0 or 1; direction
    # (m,). Returns (m,); NaN where fewer than `required` cohorts tested the gene.
    there = np.isfinite(p)
    count = there.sum(axis=0)
    left = count - required + 1
    size = normal_size(p)
    # Least supporting first; where there is no p-value, last.
    along = np.sort(np.where(there, signs * direction * size, np.inf), axis=0)
    last = np.clip(left - 1, 0, len(p) - 1)
    total = np.take_along_axis(np.cumsum(along, axis=0), last[None], axis=0)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        one_sided = ndtr(-total / np.sqrt(left))
    return np.where(left > 0, np.minimum(2 * one_sided, 1.0), np.nan)


def replication_q(p: Floats, significant: Flags) -> Floats:
    """Return the q-values of the significant genes, over these; NaN for all others."""
    # p (m,) is the larger of the combined p and that of the partial conjunction. Only genes whose
    # combined q-value is below the cut are tested for replication.
    q = np.full(len(p), np.nan)
    q[significant] = benjamini_hochberg(p[significant])
    return q


def replication_rule(q_cut: float) -> str:
    """Return the rule in words."""
    return (
        f"combined q < {q_cut:g} and, among the genes that have it, replication q < {q_cut:g}: a "
        f"partial conjunction test (Benjamini and Heller 2008) that at least {REQUIRED} of the "
        "cohorts that tested the gene have an effect in the direction of the combined one"
    )
