"""One penalised regression on few genes: Newton steps on the genes in use.

Minimises mean loss + penalty * |genes' coefficients|_1, the loss being half the squared error or the
logistic negative log-likelihood; intercept and covariates are not penalised. Inside one orthant the
penalty is linear, so a Newton step solves it; genes whose coefficient would change sign are set to
zero, genes at zero come in when their slope exceeds the penalty (feature-sign search, Lee, Battle,
Raina and Ng 2007, with all such genes at once where their directions agree with their signs).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv
from scipy.special import expit

__all__ = ["ActiveFit"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

COVARIATE_RIDGE = 1e-4
"""Ridge on standardised covariates, so that one that separates the classes stays finite."""
STEPS = 100
TOLERANCE = 1e-5
"""Largest slope left, in units of the penalty."""
SMALLEST_WEIGHT = 1e-5
JITTER = 1e-9
"""Added to the Hessian's diagonal, so that duplicate genes share a coefficient."""
ARMIJO = 1e-4
ROUNDING = 1e-14


class ActiveFit:
    """Current fit of one training set.

    Attributes
    ----------
    genes : ndarray of int, shape (a,)
        Genes in use, in the order they came in.
    coefficients : ndarray of float64, shape (k + a,)
        Intercept, covariates, genes.
    columns : ndarray of float64, shape (k + a, n)
        What belongs to them, one row each; genes z-scored.

    Parameters
    ----------
    covariates : ndarray of float64, shape (n, k)
        First column 1, the others standardised.
    target : ndarray of float64, shape (n,)
        0 and 1, or a measured trait.
    binary : bool
        Logistic instead of linear.
    """

    def __init__(self, covariates: Floats, target: Floats, binary: bool) -> None:
        self.target = target
        self.binary = binary
        self.fixed = covariates.shape[1]
        self.genes: Indices = np.zeros(0, dtype=np.intp)
        self.columns = np.ascontiguousarray(covariates.T)
        self.coefficients = np.zeros(self.fixed)
        self._ridge = np.full(self.fixed, COVARIATE_RIDGE if binary else 0.0)
        self._ridge[0] = 0.0
        if binary:
            share = target.mean()
            self.coefficients[0] = np.log(share / (1 - share))

    def residual(self) -> Floats:
        """Return the target less what is fitted, shape (n,)."""
        predictor = self.coefficients @ self.columns
        return self.target - (expit(predictor) if self.binary else predictor)

    def loss(self) -> float:
        """Return the mean loss, without ridge and penalty."""
        return self._loss(self.coefficients @ self.columns)

    def add(self, genes: Indices, columns: Floats) -> None:
        """Bring in genes with a coefficient of zero; `columns` has shape (genes, n)."""
        self.genes = np.concatenate([self.genes, genes])
        self.columns = np.concatenate([self.columns, columns])
        self.coefficients = np.concatenate([self.coefficients, np.zeros(len(genes))])

    def solve(self, penalty: float) -> None:
        """Find the optimum over the genes in use; those that end at zero are put aside."""
        value = None
        tolerance = TOLERANCE * penalty
        single = False
        for _ in range(STEPS):
            predictor = self.coefficients @ self.columns
            pull, signs = self._pull(predictor, penalty)
            size = np.abs(pull)
            # Without a penalty there is no unit: then the first slope is.
            tolerance = tolerance or TOLERANCE * float(size.max())
            if size.max() <= tolerance:
                break
            if value is None:
                value = self._objective(self.coefficients, predictor, penalty)
            free = (signs != 0) & ((self.coefficients != 0) | (size > tolerance))
            free[: self.fixed] = True
            direction, free = self._direction(predictor, pull, signs, free, single)
            moved = self._move(direction, pull, signs, free, penalty, value)
            if moved is None:
                if single:
                    break
                single = True
                continue
            single = False
            self.coefficients, value = moved
        self._put_aside()

    def _pull(self, predictor: Floats, penalty: float) -> tuple[Floats, Floats]:
        """Return the downhill slope of the objective and the orthant; 0 where a gene rests."""
        coefficients, fixed = self.coefficients, self.fixed
        rest = self.target - (expit(predictor) if self.binary else predictor)
        pull = self.columns @ rest
        pull /= len(self.target)
        pull[:fixed] -= self._ridge * coefficients[:fixed]
        signs = np.sign(np.where(coefficients == 0, pull, coefficients))
        signs[:fixed] = 0
        pull -= penalty * signs
        # A gene at zero whose slope the penalty outweighs stays there.
        resting = (coefficients == 0) & (pull * signs < 0)
        resting[:fixed] = False
        pull[resting] = 0
        signs[resting] = 0
        return pull, signs

    def _direction(
        self,
        predictor: Floats,
        pull: Floats,
        signs: Floats,
        free: NDArray[np.bool_],
        single: bool,
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the Newton direction, and the genes that it moves."""
        hessian = self._hessian(predictor)
        entering = free & (self.coefficients == 0)
        entering[: self.fixed] = False
        if single and entering.any():
            best = int(np.argmax(np.where(entering, np.abs(pull), -1.0)))
            free = free & ~entering
            free[best] = True
            entering = entering & free
        while True:
            direction = np.zeros(len(pull))
            direction[free] = _solve(hessian, pull, free)
            # These would leave the orthant at once: the other genes speak for them.
            wrong = entering & (direction * signs <= 0)
            if not wrong.any():
                return direction, free
            free, entering = free & ~wrong, entering & ~wrong

    def _hessian(self, predictor: Floats) -> Floats:
        columns = self.columns
        if self.binary:
            probability = expit(predictor)
            weight = np.maximum(probability * (1 - probability), SMALLEST_WEIGHT)
            columns = columns * np.sqrt(weight)
        hessian: Floats = columns @ columns.T
        hessian /= len(self.target)
        diagonal = hessian.reshape(-1)[:: len(hessian) + 1]
        diagonal[: self.fixed] += self._ridge
        diagonal += JITTER * diagonal.max()
        return hessian

    def _move(
        self,
        direction: Floats,
        pull: Floats,
        signs: Floats,
        free: NDArray[np.bool_],
        penalty: float,
        value: float,
    ) -> tuple[Floats, float] | None:
        """Return better coefficients and their objective; None when there is nothing to gain."""
        start = self.coefficients
        trial = start + direction
        crossing = trial * signs < 0
        if crossing.any():
            trial[crossing] = 0
            if (better := self._better(trial, pull, penalty, value)) is not None:
                return trial, better
            steps = start[crossing] / -direction[crossing]
            size = float(steps.min())
            trial = start + size * direction
            trial[np.flatnonzero(crossing)[steps == size]] = 0
        else:
            size = 1.0
        while size > 1e-8:
            if (better := self._better(trial, pull, penalty, value)) is not None:
                return trial, better
            size /= 2
            trial = start + size * direction
        return None

    def _better(self, trial: Floats, pull: Floats, penalty: float, value: float) -> float | None:
        reached = self._objective(trial, trial @ self.columns, penalty)
        promised = ARMIJO * max(float(pull @ (trial - self.coefficients)), 0.0)
        return reached if reached <= value - promised + ROUNDING * (1 + abs(value)) else None

    def _objective(self, coefficients: Floats, predictor: Floats, penalty: float) -> float:
        fixed = coefficients[: self.fixed]
        size = float(np.abs(coefficients[self.fixed :]).sum())
        return self._loss(predictor) + penalty * size + 0.5 * float(self._ridge @ fixed**2)

    def _loss(self, predictor: Floats) -> float:
        if self.binary:
            return float((np.logaddexp(0.0, predictor) - self.target * predictor).mean())
        rest = self.target - predictor
        return 0.5 * float(rest @ rest) / len(rest)

    def _put_aside(self) -> None:
        keep = self.coefficients != 0
        keep[: self.fixed] = True
        if not keep.all():
            self.coefficients = self.coefficients[keep]
            self.columns = self.columns[keep]
            self.genes = self.genes[keep[self.fixed :]]


def _solve(hessian: Floats, pull: Floats, free: NDArray[np.bool_]) -> Floats:
    if not free.all():
        chosen = np.flatnonzero(free)
        hessian, pull = hessian[np.ix_(chosen, chosen)], pull[chosen]
    jitter = 0.0
    while True:
        _, direction, failed = dposv(hessian, pull, lower=1)
        if not failed:
            return np.asarray(direction, dtype=np.float64)
        # Rounding can make a singular matrix look indefinite.
        jitter = max(10 * jitter, 1e-8 * float(hessian.diagonal().max()))
        hessian = hessian + jitter * np.eye(len(hessian))
