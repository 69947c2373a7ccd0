"""The Cox model's partial likelihood with Efron's handling of ties, for many genes at once.

A step is one event: d events at the same time are d steps, and in step l (0 to d - 1) each of these
samples counts (1 - l/d) times in the risk set (Efron 1977). Arrays of steps have the shape (..., e)
with e events, arrays of samples (..., n), and c genes are computed together.

References
----------
Efron 1977, J. Am. Stat. Assoc. 72:557. Therneau and Grambsch 2000, Modeling Survival Data, ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genotex.arrays import Flags, Floats, Rows

ROUNDS = 50
CONVERGED = 1e-9
"""Largest Newton step of a converged fit; columns have standard deviation 1."""
SMALLEST_SHARE = 1e-6
"""Share of a gene's information that must remain after the covariates."""
FLAT = 1e-8
"""Information per event below which a likelihood that still rises has no maximum (separation)."""
VANISHED = 1e-12
"""Information per event that is lost in rounding."""
SHORT = 1e-3
ROUNDING = 1e-10
NEAR_TIE = np.sqrt(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class _RiskSets:
    """Who is at risk at each event; samples are in order of stratum, then from late to early."""

    deaths: Rows  # (e,): position of the sample that each step belongs to
    last: Rows  # (e,): last position of the step's risk set
    tied: Floats | None  # (e,): l/d of each step; None without ties
    tie_starts: Rows  # (t,): first step of each set of tied steps
    tie_of_step: Rows  # (e,)
    next_step: Rows  # (n,): first step at or before the sample's time in its stratum, or e
    strata: tuple[slice, ...]  # positions of each stratum's samples
    steps: tuple[slice, ...]  # its steps

    # Running sums begin afresh in each stratum: differences between strata of very different
    # hazards would lose all digits.

    def at_risk(self, values: Floats) -> Floats:
        """Return the sum of the samples' values, (..., n), over each step's risk set."""
        running = np.empty(values.shape)
        for rows in self.strata:
            np.cumsum(values[..., rows], axis=-1, out=running[..., rows])
        found = running.take(self.last, axis=-1)
        if self.tied is not None:
            dying = np.add.reduceat(values.take(self.deaths, axis=-1), self.tie_starts, axis=-1)
            found -= self.tied * dying.take(self.tie_of_step, axis=-1)
        return found

    def cumulate(self, increments: Floats) -> Floats:
        """Return the sum of the steps' increments, (..., e), that each sample was at risk for."""
        running = np.zeros((*increments.shape[:-1], increments.shape[-1] + 1))
        for rows in self.steps:
            backwards = increments[..., rows][..., ::-1]
            np.cumsum(backwards, axis=-1, out=running[..., rows][..., ::-1])
        found = running.take(self.next_step, axis=-1)
        if self.tied is not None:
            spared = np.add.reduceat(self.tied * increments, self.tie_starts, axis=-1)
            found[..., self.deaths] -= spared.take(self.tie_of_step, axis=-1)
        return found


def merge_near_ties(time: Floats) -> Floats:
    """Return the times, those that differ only by rounding made equal (as R's coxph does)."""
    unique = np.unique(time)
    gaps = np.diff(unique)
    same = (gaps <= NEAR_TIE) | (gaps <= NEAR_TIE * np.abs(unique).mean())
    kept = unique[np.concatenate([[True], ~same])]
    merged: Floats = kept[np.searchsorted(kept, time, side="right") - 1]
    return merged


def order_samples(time: Floats, event: Floats, strata: Rows) -> tuple[Rows, _RiskSets]:
    """Return the order in which the risk sets count the samples, and the risk sets."""
    # Shapes (n,) each; strata are numbered from 0, and at least one event is needed.
    order = np.lexsort((-time, strata))
    time, event, strata = time[order], event[order], strata[order]
    starts = np.flatnonzero(np.diff(strata, prepend=-1) != 0)
    ends = np.append(starts[1:], len(time))
    new_time = np.diff(time, prepend=-1.0) != 0
    new_time[starts] = True
    block = np.cumsum(new_time) - 1
    block_start = np.flatnonzero(new_time)
    block_end = np.append(block_start[1:], len(time)) - 1
    deaths = np.flatnonzero(event == 1)
    _, tie_starts, tie_of_step, sizes = np.unique(
        block[deaths], return_index=True, return_inverse=True, return_counts=True
    )
    place = np.arange(len(deaths)) - tie_starts[tie_of_step]
    tied = place / sizes[tie_of_step] if sizes.max() > 1 else None
    step_ends = np.searchsorted(deaths, ends)
    next_step = np.searchsorted(deaths, block_start)[block]
    next_step[next_step == np.repeat(step_ends, ends - starts)] = len(deaths)
    step_starts = np.searchsorted(deaths, starts)
    sets = _RiskSets(
        deaths,
        block_end[block[deaths]],
        tied,
        tie_starts,
        tie_of_step,
        next_step,
        tuple(map(slice, starts.tolist(), ends.tolist())),
        tuple(map(slice, step_starts.tolist(), step_ends.tolist())),
    )
    return order, sets


@dataclass(frozen=True, eq=False)
class _Derivatives:
    """Log partial likelihood with its first two derivatives, of c models with m coefficients."""

    likelihood: Floats  # (c,)
    score: Floats  # (c, m)
    information: Floats  # (c, m, m)


def _differentiate(sets: _RiskSets, x: Floats, genes: Floats | None, at: Floats) -> _Derivatives:
    """Compute the derivatives at these coefficients; the gene's is the last one."""
    # Shapes: x (n, k), genes (c, n), at (c, m) with m = k + 1, or k without genes.
    k = x.shape[1]
    predictor = at[:, :k] @ x.T
    if genes is not None:
        predictor += at[:, k:] * genes
    likelihood = predictor.take(sets.deaths, axis=1).sum(axis=1)
    weight = np.exp(predictor, out=predictor)
    total = sets.at_risk(weight)
    likelihood -= np.log(total).sum(axis=1)
    columns = [x[:, j] for j in range(k)] + ([] if genes is None else [genes])
    means = np.empty((at.shape[1], *total.shape))
    score = np.empty(at.shape)
    for j, column in enumerate(columns):
        np.divide(sets.at_risk(weight * column), total, out=means[j])
        score[:, j] = column.take(sets.deaths, axis=-1).sum(axis=-1) - means[j].sum(axis=1)
    hazard = weight * sets.cumulate(1 / total)
    information = np.empty((*at.shape, at.shape[1]))
    pairs = (x[:, :, None] * x[:, None, :]).reshape(len(x), k * k)
    information[:, :k, :k] = (hazard @ pairs).reshape(len(at), k, k)
    if genes is not None:
        hazard *= genes
        information[:, k, :k] = information[:, :k, k] = hazard @ x
        information[:, k, k] = np.einsum("cn,cn->c", hazard, genes)
    information -= np.einsum("ice,jce->cij", means, means)
    return _Derivatives(likelihood, score, information)


@dataclass(frozen=True, eq=False)
class _NewtonPath:
    """Where Newton's method starts, and the point with finite likelihood that it came from."""

    start: Floats  # (c, m)
    origin: Floats  # (m,): steps are halved towards it
    likelihood: float  # at the origin


@dataclass(frozen=True, eq=False)
class _Maximum:
    """Maximum-likelihood estimates of c models; NaN where the likelihood has no maximum."""

    coefficients: Floats  # (c, m)
    information: Floats  # (c, m, m)


@dataclass(frozen=True, eq=False)
class NullModel:
    """The Cox model of the covariates alone, and what the score tests of genes need of it."""

    sets: _RiskSets
    x: Floats  # (n, k): covariates in the order of the risk sets
    coefficients: Floats  # (k,)
    likelihood: float
    weight: Floats  # (n,): relative hazards
    total: Floats  # (e,): their sums over the risk sets
    hazard: Floats  # (n,): expected number of events of each sample
    means: Floats  # (k, e): weighted means of the covariates in the risk sets
    inverse: Floats  # (k, k): inverse information

    def score_tests(self, genes: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the score of each gene, its variance, and the one-step estimates (c, k + 1)."""
        # Shape of genes: (c, n), in the order of the risk sets. The variance is 0 where a gene says
        # nothing beyond the covariates.
        sets = self.sets
        means = sets.at_risk(self.weight * genes) / self.total
        score = genes.take(sets.deaths, axis=1).sum(axis=1) - means.sum(axis=1)
        weighted = self.hazard * genes
        own = np.einsum("cn,cn->c", weighted, genes) - np.einsum("ce,ce->c", means, means)
        shared = weighted @ self.x - means @ self.means.T
        variance = own - np.einsum("ci,ij,cj->c", shared, self.inverse, shared)
        variance[(variance <= SMALLEST_SHARE * own) | (own <= FLAT * len(sets.deaths))] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            step = score / variance
        others = self.coefficients - step[:, None] * (shared @ self.inverse)
        return score, variance, np.column_stack([others, step])

    def estimate(self, genes: Floats, start: Floats) -> _Maximum:
        """Fit the model of the covariates and one gene, for each of the genes (c, n)."""
        origin = np.append(self.coefficients, 0.0)
        path = _NewtonPath(start, origin, self.likelihood)
        return _maximise(self.sets, self.x, genes, path)


def fit_null_model(sets: _RiskSets, x: Floats) -> NullModel | None:
    """Fit the Cox model of the covariates; None where an estimate is not finite or not unique."""
    # Shape of x: (n, k), in the order of the risk sets, columns of standard deviation near 1.
    at, inverse = np.zeros(x.shape[1]), np.zeros((0, 0))
    if x.shape[1]:
        zero = _differentiate(sets, x, None, at[None])
        if np.linalg.cond(zero.information[0]) > 1 / SMALLEST_SHARE:
            return None
        path = _NewtonPath(at[None], at, float(zero.likelihood[0]))
        found = _maximise(sets, x, None, path)
        if not np.isfinite(found.coefficients).all():
            return None
        at, inverse = found.coefficients[0], np.linalg.inv(found.information[0])
    predictor = x @ at
    weight = np.exp(predictor)
    total = sets.at_risk(weight)
    means = sets.at_risk(weight * x.T) / total
    hazard = weight * sets.cumulate(1 / total)
    likelihood = float(predictor[sets.deaths].sum() - np.log(total).sum())
    return NullModel(sets, x, at, likelihood, weight, total, hazard, means, inverse)


def _maximise(sets: _RiskSets, x: Floats, genes: Floats | None, path: _NewtonPath) -> _Maximum:
    """Maximise the likelihood by Newton's method, with halved steps where it falls."""
    at, likelihood = path.start.copy(), np.full(len(path.start), path.likelihood)
    previous = np.broadcast_to(path.origin, at.shape)
    found = _Maximum(np.full(at.shape, np.nan), np.full((*at.shape, at.shape[1]), np.nan))
    active = np.arange(len(at))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        for _ in range(ROUNDS):
            here = _differentiate(sets, x, genes, at)
            finite = np.isfinite(here.likelihood) & np.isfinite(here.information).all(axis=(1, 2))
            up = finite & (here.likelihood >= likelihood - ROUNDING * len(sets.deaths))
            step = _newton_step(here, up)
            endless = up & _rises_without_end(here, at, step, len(sets.deaths))
            done = up & ~endless & (np.abs(step).max(axis=1) < CONVERGED)
            found.coefficients[active[done]] = (at + step)[done]
            found.information[active[done]] = here.information[done]
            keep = ~done & ~endless
            if not keep.any():
                break
            previous = np.where(up[:, None], at, previous)[keep]
            likelihood = np.where(up, here.likelihood, likelihood)[keep]
            at = np.where(up[keep, None], (at + step)[keep], (at[keep] + previous) / 2)
            active = active[keep]
            genes = None if genes is None else genes[keep]
    return found


def _rises_without_end(here: _Derivatives, at: Floats, step: Floats, events: int) -> Flags:
    """Return the models, (c,), whose likelihood is flat and still rises away from zero."""
    # With separation each step is about as long as the last, and the information fades.
    length = (step**2).sum(axis=1)
    outwards = (step * at).sum(axis=1) > 0
    gain = (here.score * step).sum(axis=1)
    rising = (length > SHORT**2) & outwards & (gain < FLAT * events * length)
    arrived = length <= SHORT**2
    if arrived.any():
        finite = np.isfinite(here.information).all(axis=(1, 2)) & arrived
        least = np.linalg.eigvalsh(here.information[finite])[:, 0]
        rising[finite] |= least < VANISHED * events
    found: Flags = rising
    return found


def _newton_step(here: _Derivatives, usable: Flags) -> Floats:
    """Return inverse information times score, (c, m); 0 for models that are not usable."""
    m = here.score.shape[1]
    information = np.where(usable[:, None, None], here.information, np.eye(m))
    score = np.where(usable[:, None], here.score, 0.0)
    try:
        step: Floats = np.linalg.solve(information, score[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        step = (np.linalg.pinv(information) @ score[:, :, None])[:, :, 0]
    return step
