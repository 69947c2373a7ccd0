"""A penalised fit by an active set of genes.

Minimises mean loss + penalty * |genes' coefficients|_1, the loss being half the squared error or
the logistic negative log-likelihood; intercept and covariates are not penalised. Inside one orthant
the penalty is linear, so Newton steps solve it; genes whose coefficient would change sign are set
to zero, genes at zero come in when their slope exceeds the penalty (feature-sign search, Lee,
Battle, Raina and Ng 2007, with all such genes at once where directions agree with their signs).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg.blas import idamax
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs
from scipy.special import expit

from genotex.arrays import Flags, Floats, Rows


class OverBudget(Exception):
    """A panel takes more work than it may."""


class Work:
    """Multiplications that the fits of a panel may still spend on second derivatives.

    They are counted, not timed, so that the same data give the same panel on any machine.
    """

    def __init__(self, most: float) -> None:
        self.left = most

    def spend(self, genes: int, samples: int) -> None:
        """Take off what a matrix of so many genes costs to make and to factorise."""
        self.left -= genes**2 * samples + genes**3 / 3
        if self.left < 0:
            raise OverBudget


class _Curvature:
    """Second derivatives at one point; kept for several steps, as they change little."""

    def __init__(
        self,
        columns: Floats,
        weight: Floats,
        ridge: Floats,
        kind: DTypeLike,
        work: Work,
        moving: Flags,
    ) -> None:
        self._columns, self._ridge, self._work = columns, ridge, work
        self._kind = np.dtype(kind)
        single = self._kind == np.float32
        self._cholesky, self._back = (spotrf, spotrs) if single else (dpotrf, dpotrs)
        # So that duplicate genes share a coefficient.
        self._jitter = 1e-6 if single else 1e-10
        self._root = np.sqrt(weight / len(weight)).astype(kind)
        self._free = b""
        self._cover(moving)

    def _cover(self, moving: Flags) -> None:
        """Find the second derivatives of the coefficients that may move."""
        self._covered, self._rows = moving, moving.nonzero()[0]
        columns = self._columns
        if len(self._rows) < len(moving):
            columns = columns.take(self._rows, axis=0)
        self._work.spend(*columns.shape)
        scaled = columns.astype(self._kind)
        scaled *= self._root
        self._hessian = scaled @ scaled.T
        diagonal = self._hessian.reshape(-1)[:: len(scaled) + 1]
        diagonal[: len(self._ridge)] += self._ridge
        diagonal += self._jitter * diagonal.max()

    def direction(self, pull: Floats, free: Flags) -> Floats:
        """Return the Newton direction for a downhill slope, 0 where a coefficient is not free."""
        if self._free != (key := free.tobytes()):
            self._free = key
            self._factorise(free)
        if len(self._factor) == len(pull):
            return np.asarray(self._back(self._factor, pull, lower=1)[0], dtype=np.float64)
        direction = np.zeros(len(pull))
        direction[self._chosen] = self._back(self._factor, pull[self._chosen], lower=1)[0]
        return direction

    def _factorise(self, free: Flags) -> None:
        if np.count_nonzero(free > self._covered):
            self._cover(free | self._covered)
        part = self._hessian
        self._chosen = free.nonzero()[0]
        if len(self._chosen) < len(part):
            place = np.searchsorted(self._rows, self._chosen)
            part = part.take(place, axis=0).take(place, axis=1)
        jitter = 0.0
        while True:
            self._work.spend(len(part), 0)
            self._factor, failed = self._cholesky(part, lower=1, clean=0)
            if not failed:
                return
            # Rounding can make a singular matrix look indefinite.
            jitter = max(10 * jitter, 10 * self._jitter * float(part.diagonal().max()))
            part = part + jitter * np.eye(len(part), dtype=part.dtype)


COVARIATE_RIDGE = 1e-4
"""Ridge on standardised covariates, so that one that separates the classes stays finite."""
NULL_TOLERANCE = 1e-9
STEPS = 100
TOLERANCE = 1e-5
SMALLEST_WEIGHT = 1e-5
SLOW = 0.3
"""A step that leaves more of the slope than this asks for new second derivatives."""
SMALLEST_STEP = 1e-8
HALF = 0.5
MOST_ENTERING, SHARE_ENTERING = 8, 0.25
ARMIJO = 1e-4
ROUNDING = 1e-14


def _largest(values: Floats) -> float:
    return abs(float(values[idamax(values)]))


@dataclass(eq=False, slots=True)
class _Point:
    """Coefficients, what they leave, and the downhill slopes of the objective there."""

    coefficients: Floats
    predictor: Floats
    rest: Floats
    """Target less what is fitted."""
    pull: Floats
    signs: Floats
    zero: Rows
    """Genes at zero; their sign is that of the slope, or 0 when the penalty outweighs it."""
    steepest: float


class ActiveFit:
    """Current fit of one training set."""

    def __init__(
        self, covariates: Floats, target: Floats, binary: bool, work: Work | None = None
    ) -> None:
        self._work = work or Work(np.inf)
        self.target = target
        self.binary = binary
        self.fixed = covariates.shape[1]
        self.genes: Rows = np.zeros(0, dtype=np.intp)
        self.columns = np.ascontiguousarray(covariates.T)
        self.coefficients = np.zeros(self.fixed)
        self.ridge = np.full(self.fixed, COVARIATE_RIDGE if binary else 0.0)
        """Half of this times the squared coefficient is added to the mean loss; not for genes."""
        self.ridge[0] = 0.0
        self._rounding = 1e-13 * max(1.0, float(np.abs(target).max()))
        if binary:
            share = target.mean()
            self.coefficients[0] = np.log(share / (1 - share))
        self._predictor = self.coefficients @ self.columns
        self._rest = self._without(self._predictor)

    def residual(self) -> Floats:
        """Return the target less what is fitted, shape (n,)."""
        return self._rest

    def loss(self) -> float:
        """Return the mean loss, without ridge and penalty."""
        return self._loss(self._predictor)

    def add(self, genes: Rows, columns: Floats) -> None:
        """Bring in genes with a coefficient of zero; `columns` has shape (genes, n)."""
        self.genes = np.concatenate([self.genes, genes])
        self.columns = np.concatenate([self.columns, columns])
        self.coefficients = np.concatenate([self.coefficients, np.zeros(len(genes))])

    def solve(self, penalty: float, tolerance: float | None = None) -> None:
        """Find the optimum over the genes in use; those that end at zero are put aside."""
        # `tolerance` is the largest slope left, in units of the penalty; without one, in units of
        # the first slope. Slopes below `_rounding` are rounding.
        point = self._at(self.coefficients, self._predictor, self._rest, penalty)
        if tolerance is None:
            tolerance = TOLERANCE if penalty else NULL_TOLERANCE
        tolerance = max(tolerance * (penalty or point.steepest), self._rounding)
        curvature = None
        before, slow, single = np.inf, 0, False
        for _ in range(STEPS):
            if point.steepest <= tolerance:
                break
            slow = slow + 1 if point.steepest > SLOW * before else 0
            if curvature is None or slow:
                curvature = self._curvature(point, np.float64 if slow > 1 else np.float32)
            before = point.steepest
            direction = self._direction(curvature, point, tolerance, single)
            better = self._move(direction, point, penalty)
            if better is None and single:
                break
            # Several genes may block each other; the steepest alone never does.
            single = better is None
            point = better or point
        self.coefficients, self._predictor, self._rest = (
            point.coefficients,
            point.predictor,
            point.rest,
        )
        self._put_aside()

    def _without(self, predictor: Floats) -> Floats:
        """Return the target less what is fitted."""
        return self.target - (expit(predictor) if self.binary else predictor)

    def _at(self, coefficients: Floats, predictor: Floats, rest: Floats, penalty: float) -> _Point:
        fixed = self.fixed
        pull = self.columns @ rest
        pull /= len(rest)
        pull[:fixed] -= self.ridge * coefficients[:fixed]
        signs = np.sign(coefficients)
        signs[:fixed] = 0
        pull -= penalty * signs
        zero = (signs == 0).nonzero()[0][fixed:]
        if len(zero):
            # A gene at zero whose slope the penalty outweighs stays there.
            slopes = pull.take(zero)
            slopes -= np.minimum(np.maximum(slopes, -penalty), penalty)
            pull[zero] = slopes
            signs[zero] = np.sign(slopes)
        return _Point(coefficients, predictor, rest, pull, signs, zero, _largest(pull))

    def _curvature(self, point: _Point, kind: DTypeLike) -> _Curvature:
        if self.binary:
            fitted = self.target - point.rest
            weight = np.maximum(fitted * (1 - fitted), SMALLEST_WEIGHT)
        else:
            weight = np.ones(len(point.rest))
        moving = point.signs != 0
        moving[: self.fixed] = True
        return _Curvature(self.columns, weight, self.ridge, kind, self._work, moving)

    def _direction(
        self, curvature: _Curvature, point: _Point, tolerance: float, single: bool
    ) -> Floats:
        zero, pull, signs = point.zero, point.pull, point.signs
        free = np.ones(len(pull), dtype=np.bool_)
        if not len(zero):
            return curvature.direction(pull, free)
        free[zero] = False
        size = np.abs(pull.take(zero))
        entering = zero[size > tolerance]
        most = 1 if single else int(MOST_ENTERING + SHARE_ENTERING * (len(pull) - len(zero)))
        if len(entering) > most:
            entering = zero[np.argpartition(size, -most)[-most:]]
        while len(entering):
            free[entering] = True
            direction = curvature.direction(pull, free)
            # These would leave the orthant at once: the other genes speak for them.
            wrong = direction[entering] * signs[entering] <= 0
            if not np.count_nonzero(wrong):
                return direction
            free[entering] = False
            entering = entering[~wrong]
        return curvature.direction(pull, free)

    def _move(self, direction: Floats, point: _Point, penalty: float) -> _Point | None:
        """Return a better point; None when there is nothing to gain."""
        start = point.coefficients
        trial = start + direction
        crossing = trial * point.signs < 0
        size = 1.0
        if np.count_nonzero(crossing):
            trial[crossing] = 0
            if better := self._better(trial, point, penalty):
                return better
            steps = start[crossing] / -direction[crossing]
            size = float(steps.min())
            trial = start + size * direction
            trial[np.flatnonzero(crossing)[steps == size]] = 0
        while size > SMALLEST_STEP:
            if better := self._better(trial, point, penalty):
                return better
            size /= 2
            trial = start + size * direction
        return None

    def _better(self, trial: Floats, point: _Point, penalty: float) -> _Point | None:
        predictor = trial @ self.columns
        found = self._at(trial, predictor, self._without(predictor), penalty)
        # Slopes that fall by half lead to the optimum; else the objective must fall.
        if found.steepest <= HALF * point.steepest:
            return found
        value = self._objective(found, penalty)
        promised = ARMIJO * max(float(point.pull @ (trial - point.coefficients)), 0.0)
        if value > self._objective(point, penalty) - promised + ROUNDING * (1 + abs(value)):
            return None
        return found

    def _objective(self, point: _Point, penalty: float) -> float:
        fixed, genes = np.split(point.coefficients, [self.fixed])
        size = float(np.abs(genes).sum())
        return self._loss(point.predictor) + penalty * size + 0.5 * float(self.ridge @ fixed**2)

    def _loss(self, predictor: Floats) -> float:
        if self.binary:
            total = np.logaddexp(0.0, predictor).sum() - self.target @ predictor
            return float(total) / len(predictor)
        rest = self.target - predictor
        return 0.5 * float(rest @ rest) / len(rest)

    def _put_aside(self) -> None:
        keep = self.coefficients != 0
        keep[: self.fixed] = True
        if not keep.all():
            self.coefficients = self.coefficients[keep]
            self.columns = self.columns[keep]
            self.genes = self.genes[keep[self.fixed :]]
