"""Combine the effects of several cohorts, gene by gene: all genes at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from genotex.errors import AnalysisError

__all__ = ["CombinedEffects", "combine_effects", "stouffer"]

Floats = NDArray[np.float64]

MIN_RANDOM = 3
"""With two cohorts the spread between them has one degree of freedom, which says nothing."""

_SWEEPS = 500
_TOLERANCE = 1e-13


@dataclass(frozen=True, eq=False)
class CombinedEffects:
    """What several cohorts say together, one value for each of p genes.

    NaN where there is nothing to combine; the fields from `random` on and those of leaving one
    cohort out need three cohorts.

    Attributes
    ----------
    cohorts : ndarray of int
        Cohorts that have an effect and a standard error of the gene.
    effect, error, lower, upper, z, p : ndarray of float64
        Fixed effect: mean weighted by inverse variances, its standard error, 95 % interval, z, p.
    heterogeneity, heterogeneity_p : ndarray of float64
        Cochran's Q and its p-value.
    i2 : ndarray of float64
        Share of the spread between cohorts that is beyond chance, in percent (Higgins and Thompson
        2002).
    tau2 : ndarray of float64
        Variance of the true effects between cohorts (Paule and Mandel 1982).
    agreeing : ndarray of int
        Cohorts whose effect has the sign of the combined one.
    random, random_error, random_lower, random_upper, random_p : ndarray of float64
        Random effects: mean, standard error, 95 % interval and p of Knapp and Hartung.
    ranking_z, ranking_p : ndarray of float64
        What genes are ranked by: with two cohorts z and p of the fixed effect, with more the mean
        of the random effects over Knapp and Hartung's standard error, as a normal deviate.
    largest_p : ndarray of float64
        Largest fixed-effect p when one cohort is left out, each in turn.
    flips : ndarray of bool
        Whether leaving one cohort out turns the sign of the combined effect.
    """

    cohorts: NDArray[np.int64]
    effect: Floats
    error: Floats
    lower: Floats
    upper: Floats
    z: Floats
    p: Floats
    heterogeneity: Floats
    heterogeneity_p: Floats
    i2: Floats
    tau2: Floats
    agreeing: NDArray[np.int64]
    random: Floats
    random_error: Floats
    random_lower: Floats
    random_upper: Floats
    random_p: Floats
    ranking_z: Floats
    ranking_p: Floats
    largest_p: Floats
    flips: NDArray[np.bool_]


def combine_effects(effects: Floats, errors: Floats) -> CombinedEffects:
    """Combine effects and standard errors over cohorts.

    The fixed effect is the mean weighted by inverse variances: the average effect in these cohorts,
    tested against no effect in any (Rice, Higgins and Lumley 2018). Random effects, from three
    cohorts on: variance between cohorts by Paule and Mandel (1982), by Newton's method
    (DerSimonian and Kacker 2007); interval and p by Knapp and Hartung (2003), on t with one degree
    of freedom less than there are cohorts, their factor at least 1, so that the interval is never
    narrower than that of the fixed effect.

    Knapp and Hartung's p has so few degrees of freedom that no gene among thousands passes with
    three to five cohorts. So genes are ranked by their standard error with a normal reference,
    which allows for cohorts that differ and is the fixed effect's test where they do not.

    Parameters
    ----------
    effects, errors : ndarray of float64, shape (k, p)
        Effects of k cohorts on p genes and their standard errors, on a scale where effects are
        nearly normal (Hedges' g, Fisher's z). A gene counts in a cohort where both are finite and
        the error is above zero.

    Raises
    ------
    AnalysisError
        If the two differ in shape or are not two-dimensional.
    """
    if effects.shape != errors.shape or effects.ndim != 2:
        msg = f"effects are {effects.shape} and errors {errors.shape}; both must be cohorts x genes"
        raise AnalysisError(msg)
    with np.errstate(all="ignore"):
        inside = np.isfinite(effects) & np.isfinite(errors) & (errors > 0)
        values = np.where(inside, effects, 0.0)
        variances = np.where(inside, errors**2, np.inf)
        return _combine(inside.sum(axis=0), values, variances)


def _combine(count: NDArray[np.int64], values: Floats, variances: Floats) -> CombinedEffects:
    weights = 1 / variances
    effect, error = _mean(values, weights)
    z = effect / error
    half = stats.norm.ppf(0.975) * error
    spread = _spread(values, weights, effect)
    df = count - 1
    several = df > 0
    tau2 = np.where(several, _paule_mandel(values, variances, df), np.nan)
    excess = np.where(spread > 0, np.maximum(0.0, (spread - df) / spread), 0.0)
    signs = np.sign(values) * (weights > 0)
    largest, flips = _leave_one_out(values, weights, effect)
    many = count >= MIN_RANDOM
    tested = np.where(many, 1 / (variances + tau2), np.nan)
    random, random_error, random_lower, random_upper, random_p = _knapp_hartung(
        values, tested, count
    )
    ranking_z = np.where(many, random / random_error, z)
    return CombinedEffects(
        cohorts=count,
        effect=effect,
        error=error,
        lower=effect - half,
        upper=effect + half,
        z=z,
        p=2 * stats.norm.sf(np.abs(z)),
        heterogeneity=np.where(several, spread, np.nan),
        heterogeneity_p=np.where(several, stats.chi2.sf(spread, df), np.nan),
        i2=np.where(several, 100 * excess, np.nan),
        tau2=tau2,
        agreeing=((signs == np.sign(effect)) & (signs != 0)).sum(axis=0),
        random=random,
        random_error=random_error,
        random_lower=random_lower,
        random_upper=random_upper,
        random_p=random_p,
        ranking_z=ranking_z,
        ranking_p=2 * stats.norm.sf(np.abs(ranking_z)),
        largest_p=np.where(many, largest, np.nan),
        flips=flips & many,
    )


def _mean(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    total = weights.sum(axis=0)
    mean = np.where(total > 0, (weights * values).sum(axis=0) / total, np.nan)
    return mean, np.where(total > 0, 1 / np.sqrt(total), np.nan)


def _spread(values: Floats, weights: Floats, mean: Floats) -> Floats:
    """Return the weighted squared distances from the mean, summed over cohorts."""
    spread: Floats = (weights * (values - mean) ** 2).sum(axis=0)
    return spread


def _paule_mandel(values: Floats, variances: Floats, df: NDArray[np.int64]) -> Floats:
    """Return the variance that makes the spread equal to its degrees of freedom, at least 0.

    The spread falls and is convex in the variance, so Newton's steps from 0 never overshoot.
    """
    tau2 = np.zeros(values.shape[1])
    smallest = variances.min(axis=0, initial=np.inf)
    for _ in range(_SWEEPS):
        weights = 1 / (variances + tau2)
        squared = (values - _mean(values, weights)[0]) ** 2
        excess = (weights * squared).sum(axis=0) - df
        step = excess / (weights**2 * squared).sum(axis=0)
        step = np.where((excess > 0) & np.isfinite(step), step, 0.0)
        tau2 = tau2 + step
        if np.all(step <= _TOLERANCE * (tau2 + smallest)):
            break
    return tau2


def _knapp_hartung(
    values: Floats, weights: Floats, count: NDArray[np.int64]
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    mean, error = _mean(values, weights)
    df = np.maximum(count - 1, 1)
    error = error * np.sqrt(np.maximum(1.0, _spread(values, weights, mean) / df))
    half = stats.t.ppf(0.975, df) * error
    p: Floats = 2 * np.asarray(stats.t.sf(np.abs(mean / error), df))
    return mean, error, mean - half, mean + half, p


def _leave_one_out(
    values: Floats, weights: Floats, effect: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the largest p without one cohort, and whether the sign ever turns."""
    largest = np.zeros(values.shape[1])
    flips = np.zeros(values.shape[1], dtype=bool)
    for cohort in range(len(values)):
        there = weights[cohort] > 0
        rest = weights.copy()
        rest[cohort] = 0.0
        mean, error = _mean(values, rest)
        p = 2 * stats.norm.sf(np.abs(mean / error))
        largest = np.where(there, np.fmax(largest, p), largest)
        flips |= there & (np.sign(mean) != np.sign(effect))
    return largest, flips


def stouffer(p: Floats, signs: Floats, weights: Floats) -> Floats:
    """Combine two-sided p-values of cohorts with their directions (Stouffer 1949, Liptak 1958).

    Parameters
    ----------
    p, signs : ndarray of float64, shape (k, m)
        p-values of k cohorts for m genes, NaN where there is none; -1, 0 or 1 for the direction.
    weights : ndarray of float64, shape (k, m)
        Weight of each, the square root of the number of samples.

    Returns
    -------
    ndarray of float64, shape (m,)
        Two-sided p-values; NaN where no cohort has one.
    """
    there = np.isfinite(p)
    with np.errstate(all="ignore"):
        # A p-value of zero is one below the smallest number.
        size = stats.norm.isf(np.fmax(p, np.finfo(float).tiny) / 2)
        total = np.where(there, weights * signs * size, 0.0).sum(axis=0)
        z = total / np.sqrt(np.where(there, weights**2, 0.0).sum(axis=0))
    combined: Floats = 2 * stats.norm.sf(np.abs(z))
    return combined
