"""Time to event as an outcome: which genes are associated with the hazard in a Cox model.

Every gene is tested by the score test in a Cox model of the covariates, which is valid even where
the gene's estimate is not finite. The log hazard ratio is the maximum-likelihood estimate of the
model with the covariates and the gene. Ties are handled by Efron's method. Both equal R's
``survival::coxph`` (``benchmarks/golden/golden_survival.R``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from genotex.analysis.survival.cox_model import (
    NullModel,
    fit_null_model,
    merge_near_ties,
    order_samples,
)
from genotex.analysis.survival.time_to_event import read_events, read_strata, read_times
from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError, UsageError

FEWEST_EVENTS = 3
VALUES_AT_ONCE = 1 << 16
"""Expression values that are computed together: genes times samples."""
GENES_SCANNED = 512
CONSTANT = 1e-10
"""A column whose standard deviation is this small next to its values is constant."""


@dataclass(frozen=True, eq=False)
class CoxTests:
    """Association of each gene with the hazard, given the covariates."""

    # (p,): score statistic divided by its standard deviation; positive where higher expression
    # means earlier events. NaN where the gene cannot be tested.
    z: Floats
    # (p,): maximum-likelihood estimate per unit of expression; NaN where it is not finite
    log_hazard_ratio: Floats
    standard_error: Floats  # (p,): its standard error
    samples: Rows  # (p,): samples that have the gene, and events among them
    events: Rows
    covariates: Floats  # (k,): log hazard ratios of the covariates in the model without genes

    @classmethod
    def of(cls, values: NDArray[Any], cohort: _FollowUp, whole: _CoxModel) -> CoxTests:
        """Test the genes pattern by pattern of missing values; `whole` is the model of all."""
        z, estimate, error = np.full((3, values.shape[1]), np.nan)
        samples, events = np.zeros((2, values.shape[1]), dtype=np.intp)
        covariates = whole.null.coefficients / whole.scale
        found = cls(z, estimate, error, samples, events, covariates)
        for rows, genes in _patterns(values):
            model = whole if len(rows) == cohort.samples else _CoxModel.of(cohort, rows)
            found.samples[genes] = len(rows)
            found.events[genes] = int(cohort.event[rows].sum())
            if model is not None:
                found._test(model, values, genes)
        return found

    def _test(self, model: _CoxModel, values: NDArray[Any], genes: Rows) -> None:
        """Test the genes, all measured in the samples of the model."""
        at_once = max(1, VALUES_AT_ONCE // len(model.order))
        for first in range(0, len(genes), at_once):
            chosen = genes[first : first + at_once]
            columns = values[:, chosen].T[:, model.order].astype(float)
            columns, scale = _standardise(columns, model.sizes)
            score, variance, start = model.null.score_tests(columns)
            tested = variance > 0
            self.z[chosen[tested]] = score[tested] / np.sqrt(variance[tested])
            chosen, scale = chosen[tested], scale[tested]
            best = model.null.estimate(columns[tested], start[tested])
            finite = np.isfinite(best.coefficients[:, -1])
            inverse = np.linalg.inv(best.information[finite])
            self.log_hazard_ratio[chosen] = best.coefficients[:, -1] / scale
            self.standard_error[chosen[finite]] = np.sqrt(inverse[:, -1, -1]) / scale[finite]

    @property
    def p(self) -> Floats:
        """Two-sided p-value of the score test, (p,)."""
        return np.asarray(2 * ndtr(-np.abs(self.z)))

    @property
    def unbounded(self) -> Flags:
        """Tested genes whose estimate is not finite, as the gene separates the events, (p,)."""
        return np.asarray(np.isfinite(self.z) & np.isnan(self.log_hazard_ratio))

    @property
    def warnings(self) -> tuple[str, ...]:
        """How many genes have no test, or no estimate, and why."""
        warnings = []
        if untested := int(np.isnan(self.z).sum()):
            warnings.append(
                f"{_genes(untested)} not tested: constant, determined by the covariates, or with "
                f"fewer than {FEWEST_EVENTS} events where they are measured"
            )
        if count := int(self.unbounded.sum()):
            warnings.append(
                f"{_genes(count)} without a log hazard ratio: expression separates the events, so "
                "the estimate is not finite; the score tests are valid"
            )
        return tuple(warnings)

    @property
    def hazard_ratio(self) -> Floats:
        """Hazard ratio per unit of expression, (p,)."""
        ratio: Floats = np.exp(self.log_hazard_ratio)
        return ratio

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return Wald confidence limits of the log hazard ratio, (p,) each."""
        half = ndtri((1 + level) / 2) * self.standard_error
        return self.log_hazard_ratio - half, self.log_hazard_ratio + half


def cox_score_tests(
    expression: ArrayLike,
    time: ArrayLike,
    event: Sequence[Any] | ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    strata: Sequence[Any] | None = None,
    covariate_names: Sequence[str] | None = None,
) -> CoxTests:
    """Test each gene's association with the time to an event.

    Events are 1 and 0 or words (`read_events`); covariates are numeric columns without intercept,
    and each stratum has a baseline hazard of its own. Efron's handling of ties, as R's ``coxph``.
    With score U and information I at the covariates' estimates without the gene,
    z = U_g / sqrt(I_gg - I_gx I_xx^-1 I_xg). Times that differ by rounding only are ties.

    Genes with the same missing values share the model of the covariates; every other pattern of
    missing values needs a fit of its own (about 3 ms with 1,000 samples).

    Raises
    ------
    AnalysisError
        Missing or negative times, missing events or events that are not 0 and 1, fewer than 3
        events, missing, constant or dependent covariates, covariates that separate the events.
    UsageError
        Lengths that do not agree.

    Examples
    --------
    >>> import numpy as np
    >>> expression = np.array([[2.0, 7.1], [3.5, 6.0], [1.0, 6.8], [4.2, 7.3], [5.0, 6.1]])
    >>> found = cox_score_tests(expression, [9, 6, 12, 4, 5], ["no", "yes", "no", "yes", "yes"])
    >>> found.z.round(2)
    array([ 1.93, -0.47])
    """
    # Shapes: expression (n, p), in logarithms, NaN is missing; time, event (n,); covariates (n, k).
    values = np.asarray(expression)
    if values.ndim != 2:
        message = f"expression must have rows of samples and columns of genes, not {values.ndim}-D"
        raise UsageError(message)
    cohort = _FollowUp.of(len(values), time, event, covariates, strata)
    names = _names(cohort, covariate_names)
    cohort.check(names)
    whole = _CoxModel.of(cohort, np.arange(cohort.samples))
    if whole is None:
        raise AnalysisError(_separated(cohort, names))
    return CoxTests.of(values, cohort, whole)


@dataclass(frozen=True, eq=False)
class _FollowUp:
    """Outcome and covariates of n samples, checked."""

    time: Floats
    event: Floats
    x: Floats  # (n, k)
    strata: Rows  # (n,), from 0

    @classmethod
    def of(
        cls,
        samples: int,
        time: ArrayLike,
        event: Sequence[Any] | ArrayLike,
        covariates: ArrayLike | None,
        strata: Sequence[Any] | None,
    ) -> _FollowUp:
        times, events = read_times(time), read_events(event, missing=False)
        x = np.zeros((samples, 0)) if covariates is None else np.asarray(covariates, dtype=float)
        x = x[:, None] if x.ndim == 1 else x
        codes = np.zeros(samples, dtype=np.intp) if strata is None else read_strata(strata)
        lengths = {"time": times, "event": events, "covariates": x, "strata": codes}
        for what, column in lengths.items():
            if len(column) != samples:
                message = f"{what} has {len(column)} values, but expression has {samples} samples"
                message += ": give one value for each sample, in the same order"
                raise UsageError(message)
        return cls(merge_near_ties(times), events, x, codes)

    @property
    def samples(self) -> int:
        return len(self.time)

    def check(self, names: Sequence[str]) -> None:
        """Raise an AnalysisError where no Cox model can be fitted."""
        events = int(self.event.sum())
        if events < FEWEST_EVENTS:
            found = "no event" if events == 0 else f"{events} event{'s' if events > 1 else ''}"
            message = f"{found} in {self.samples} samples: at least {FEWEST_EVENTS} are needed"
            message += "; check which values of the event column are events"
            raise AnalysisError(message)
        for name, column in zip(names, self.x.T, strict=True):
            if not np.isfinite(column).all():
                missing = int((~np.isfinite(column)).sum())
                message = f"{name} is missing or not finite in {missing} of {self.samples} samples"
                message += ": leave those samples out, or the covariate"
                raise AnalysisError(message)
        if events <= len(names):
            message = f"{len(names)} covariates for {events} events: more than the data can bear"
            message += "; adjust for fewer"
            raise AnalysisError(message)
        _, scale = _standardise(self.x.T[:, np.argsort(self.strata)], np.bincount(self.strata))
        for name, spread in zip(names, scale, strict=True):
            if spread == 0:
                where = " in each stratum" if self.strata.any() else ""
                message = f"{name} is constant{where}: it cannot be adjusted for, leave it out"
                raise AnalysisError(message)


def _names(cohort: _FollowUp, names: Sequence[str] | None) -> tuple[str, ...]:
    k = cohort.x.shape[1]
    if names is None:
        return tuple(f"covariate {i + 1}" for i in range(k))
    if len(names) != k:
        message = f"{len(names)} covariate names for {k} columns of covariates"
        message += ": give one name for each column"
        raise UsageError(message)
    return tuple(names)


def _separated(cohort: _FollowUp, names: Sequence[str]) -> str:
    """Return why the model of the covariates cannot be fitted."""
    sorted_x = cohort.x.T[:, np.argsort(cohort.strata)]
    x, _ = _standardise(sorted_x, np.bincount(cohort.strata))
    for i in range(1, len(x)):
        rest = x[i] - x[:i].T @ np.linalg.lstsq(x[:i].T, x[i], rcond=None)[0]
        if np.linalg.norm(rest) < 1e-6 * np.linalg.norm(x[i]):
            message = f"{names[i]} follows from the covariates before it ({', '.join(names[:i])})"
            return f"{message}: leave one of them out"
    alone = [
        name
        for i, name in enumerate(names)
        if _CoxModel.of(_FollowUp(cohort.time, cohort.event, cohort.x[:, [i]], cohort.strata))
        is None
    ]
    together = f"the covariates together ({', '.join(names)}) separate"
    which = " and ".join(alone) + (" separates" if len(alone) == 1 else " separate")
    message = f"{which if alone else together} the events: the hazard ratio is not finite, as when"
    return f"{message} all events are in one group; leave the covariate out, or stratify by it"


@dataclass(frozen=True, eq=False)
class _CoxModel:
    """The model of the covariates in the samples that have a gene."""

    order: Rows  # the samples in the order of the risk sets
    sizes: Rows  # of the strata
    null: NullModel
    scale: Floats  # (k,): standard deviations of the covariates

    @classmethod
    def of(cls, cohort: _FollowUp, rows: Rows | None = None) -> _CoxModel | None:
        """Fit it; None where there are too few events, or the estimates are not finite."""
        rows = np.arange(cohort.samples) if rows is None else rows
        event = cohort.event[rows]
        if event.sum() < FEWEST_EVENTS:
            return None
        _, strata = np.unique(cohort.strata[rows], return_inverse=True)
        order, sets = order_samples(cohort.time[rows], event, strata)
        sizes = np.bincount(strata)
        x, scale = _standardise(cohort.x[rows[order]].T, sizes)
        if (scale == 0).any():
            return None
        null = fit_null_model(sets, x.T.copy())
        return None if null is None else cls(rows[order], sizes, null, scale)


def _standardise(columns: Floats, sizes: Rows) -> tuple[Floats, Floats]:
    """Return columns (c, n) centred in each stratum with standard deviation 1, and their scale."""
    # A constant column becomes 0, with scale 0. Samples are sorted by stratum.
    largest = np.abs(columns).max(axis=1, initial=0.0)
    starts = np.cumsum(sizes) - sizes
    means = np.add.reduceat(columns, starts, axis=1) / sizes
    centred = columns - np.repeat(means, sizes, axis=1)
    scale = np.sqrt(np.einsum("cn,cn->c", centred, centred) / columns.shape[1])
    constant = scale <= CONSTANT * largest
    scale[constant] = 0.0
    centred *= np.where(constant, 0.0, 1 / np.where(constant, 1.0, scale))[:, None]
    return centred, scale


def _patterns(values: NDArray[Any]) -> Iterator[tuple[Rows, Rows]]:
    """Yield the samples and the genes of each pattern of missing values."""
    complete: list[Rows] = []
    others: dict[bytes, list[int]] = {}
    for first in range(0, values.shape[1], GENES_SCANNED):
        part = values[:, first : first + GENES_SCANNED]
        missing = np.isnan(part)
        if np.isinf(part).any():
            message = "expression has infinite values: take logarithms with an offset above zero"
            message += ", or make those values missing"
            raise AnalysisError(message)
        some = missing.any(axis=0)
        complete.append(first + np.flatnonzero(~some))
        for gene in np.flatnonzero(some):
            others.setdefault(np.packbits(missing[:, gene]).tobytes(), []).append(first + int(gene))
    samples = len(values)
    if complete and sum(map(len, complete)):
        yield np.arange(samples), np.concatenate(complete)
    for pattern, genes in others.items():
        missing = np.unpackbits(np.frombuffer(pattern, np.uint8), count=samples)
        yield np.flatnonzero(missing == 0), np.array(genes, dtype=np.intp)


def _genes(count: int) -> str:
    return "1 gene" if count == 1 else f"{count} genes"
