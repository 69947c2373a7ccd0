"""L1-penalised regression along a path of penalties, covariates unpenalised.

Linear or logistic. Logistic fits are proximal Newton steps (Friedman, Hastie and Tibshirani 2010):
a weighted Lasso each, in which intercept and covariates are projected out exactly. Genes that
cannot enter are set aside by the sequential strong rule (Tibshirani et al. 2012) and brought back
when the optimality conditions ask for them, so the optimum is that of all genes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy
from sklearn.linear_model import lasso_path

__all__ = ["PanelPath", "fit_path", "penalty_grid"]

Floats = NDArray[np.float64]

COVARIATE_RIDGE = 1e-4
"""Ridge on standardised covariates, so that one that separates the classes stays finite."""
NEWTON_STEPS = 25
TOLERANCE = 1e-6
SATURATED = 0.95


@dataclass(frozen=True, eq=False)
class PanelPath:
    """Fits of one training set along the penalties.

    Attributes
    ----------
    penalties : ndarray of float64, shape (m,)
        Descending.
    genes : ndarray of float64, shape (m, p)
        Coefficients of the z-scored genes.
    covariates : ndarray of float64, shape (m, k)
        Intercept, then the coefficients of the standardised covariates.
    """

    penalties: Floats
    genes: Floats
    covariates: Floats

    def linear_predictor(self, genes: Floats, covariates: Floats) -> Floats:
        """Return the linear predictor of new samples, shape (m, samples).

        Parameters
        ----------
        genes : ndarray of float64, shape (samples, p)
            z-scored by the training set.
        covariates : ndarray of float64, shape (samples, k)
            First column 1, others standardised by the training set.
        """
        used = np.flatnonzero(self.genes.any(axis=0))
        return self.genes[:, used] @ genes[:, used].T + self.covariates @ covariates.T


class _Problem:
    """Data of one fit and the quadratic problem around a current solution."""

    def __init__(self, genes: Floats, covariates: Floats, target: Floats, binary: bool) -> None:
        self.genes = genes
        self.covariates = covariates
        self.target = target
        self.binary = binary
        self.ridge = np.full(covariates.shape[1], COVARIATE_RIDGE if binary else 0.0)
        self.ridge[0] = 0.0

    def residual(self, predictor: Floats) -> Floats:
        return self.target - (expit(predictor) if self.binary else predictor)

    def loss(self, predictor: Floats, gamma: Floats) -> float:
        """Mean negative log-likelihood (half mean square for a linear fit) and ridge."""
        if self.binary:
            fit = np.logaddexp(0.0, predictor) - self.target * predictor
        else:
            fit = 0.5 * (self.target - predictor) ** 2
        return float(fit.mean() + 0.5 * self.ridge @ gamma**2)

    def step(
        self, active: NDArray[np.intp], predictor: Floats, beta: Floats, penalty: float
    ) -> tuple[Floats, Floats]:
        """Solve the quadratic problem at `predictor` over the active genes and the covariates."""
        n = len(self.target)
        weight = np.ones(n)
        if self.binary:
            probability = expit(predictor)
            weight = np.maximum(probability * (1 - probability), 1e-5)
        working = predictor + self.residual(predictor) / weight
        root = np.sqrt(weight)
        # Rows of the ridge below: covariates are then projected out by one QR decomposition.
        k = self.covariates.shape[1]
        z = np.vstack([root[:, None] * self.covariates, np.diag(np.sqrt(n * self.ridge))])
        q, r = np.linalg.qr(z)
        y = np.concatenate([root * working, np.zeros(k)])
        x = np.vstack([root[:, None] * self.genes[:, active], np.zeros((k, len(active)))])
        effect_y, effect_x = q.T @ y, q.T @ x
        coefficients = beta
        if len(active):
            x_rest, y_rest = x - q @ effect_x, y - q @ effect_y
            # scikit-learn divides by the rows it sees, the ridge's among them.
            rows = n + k
            _, path, _ = lasso_path(
                np.asfortranarray(x_rest),
                y_rest,
                alphas=[penalty * n / rows],
                coef_init=beta,
                tol=1e-8,
                max_iter=5000,
                check_input=False,
                precompute=False,
            )
            coefficients = path[:, 0]
        gamma = np.linalg.solve(r, effect_y - effect_x @ coefficients)
        return coefficients, gamma


def penalty_grid(
    genes: Floats, covariates: Floats, target: Floats, binary: bool, count: int = 40
) -> Floats:
    """Return penalties from the smallest that selects no gene down to a fiftieth of it.

    Parameters
    ----------
    genes, covariates, target : ndarray of float64
        As for `fit_path`.
    binary : bool
        Whether the fit is logistic.
    count : int
        Number of penalties, evenly spaced on the log scale.
    """
    problem = _Problem(genes, covariates, target, binary)
    gamma = _null_fit(problem)
    top = float(np.abs(genes.T @ problem.residual(covariates @ gamma)).max()) / len(target)
    return np.geomspace(max(top, 1e-12), max(top, 1e-12) / 50, count)


def _null_fit(problem: _Problem) -> Floats:
    nothing = np.zeros(0, dtype=np.intp)
    gamma = np.zeros(problem.covariates.shape[1])
    if problem.binary:
        share = problem.target.mean()
        gamma[0] = np.log(share / (1 - share))
    return _newton(problem, nothing, np.zeros(0), gamma, 0.0)[1]


def _newton(
    problem: _Problem, active: NDArray[np.intp], beta: Floats, gamma: Floats, penalty: float
) -> tuple[Floats, Floats]:
    x, z = problem.genes[:, active], problem.covariates
    predictor = x @ beta + z @ gamma
    value = problem.loss(predictor, gamma) + penalty * float(np.abs(beta).sum())
    for _ in range(NEWTON_STEPS if problem.binary else 1):
        new_beta, new_gamma = problem.step(active, predictor, beta, penalty)
        size = 1.0
        while True:
            trial_beta = beta + size * (new_beta - beta)
            trial_gamma = gamma + size * (new_gamma - gamma)
            trial = x @ trial_beta + z @ trial_gamma
            trial_value = problem.loss(trial, trial_gamma) + penalty * float(
                np.abs(trial_beta).sum()
            )
            if trial_value <= value + 1e-12 or size < 1e-4:
                break
            size /= 2
        beta, gamma, predictor = trial_beta, trial_gamma, trial
        gain, value = value - trial_value, trial_value
        if gain < TOLERANCE * (abs(value) + 1e-3):
            break
    return beta, gamma


def fit_path(
    genes: Floats,
    covariates: Floats,
    target: Floats,
    binary: bool,
    penalties: Floats,
    *,
    stop_saturated: bool = False,
) -> PanelPath:
    """Fit the penalised regression for descending penalties.

    Minimises mean loss + penalty * |genes' coefficients|_1, the loss being half the squared error
    or the logistic negative log-likelihood.

    Parameters
    ----------
    genes : ndarray of float64, shape (n, p)
        z-scored, none missing.
    covariates : ndarray of float64, shape (n, k)
        First column 1, the others standardised; not penalised.
    target : ndarray of float64, shape (n,)
        0 and 1, or a measured trait.
    binary : bool
        Logistic instead of linear.
    penalties : ndarray of float64, shape (m,)
        Descending; the first is expected to select nothing.
    stop_saturated : bool
        Stop early when the fit explains nearly all of the training set; the path is then shorter.
    """
    problem = _Problem(genes, covariates, target, binary)
    gamma = _null_fit(problem)
    beta = np.zeros(genes.shape[1])
    predictor = covariates @ gamma
    null_loss = problem.loss(predictor, np.zeros_like(gamma))
    gradient = genes.T @ problem.residual(predictor) / len(target)
    before = float(penalties[0])
    found_genes, found_covariates = [], []
    for penalty in penalties:
        likely = (np.abs(gradient) >= 2 * penalty - before) | (beta != 0)
        active = np.flatnonzero(likely)
        while True:
            part, gamma = _newton(problem, active, beta[active], gamma, float(penalty))
            beta[active] = part
            used = active[part != 0]
            predictor = genes[:, used] @ beta[used] + covariates @ gamma
            gradient = genes.T @ problem.residual(predictor) / len(target)
            missed = np.flatnonzero((np.abs(gradient) > penalty * (1 + 1e-3)) & ~likely)
            if not len(missed):
                break
            likely[missed] = True
            active = np.flatnonzero(likely)
        before = float(penalty)
        found_genes.append(beta.copy())
        found_covariates.append(gamma.copy())
        if stop_saturated and problem.loss(predictor, 0 * gamma) < (1 - SATURATED) * null_loss:
            break
    return PanelPath(
        penalties[: len(found_genes)], np.array(found_genes), np.array(found_covariates)
    )


def deviance(target: Floats, predictor: Floats, binary: bool) -> Floats:
    """Return the deviance of each prediction; `predictor` may have leading axes.

    Parameters
    ----------
    target : ndarray of float64, shape (n,)
        0 and 1, or a measured trait.
    predictor : ndarray of float64, shape (..., n)
        Linear predictor.
    binary : bool
        Binomial deviance instead of the squared error.
    """
    if not binary:
        return np.asarray((target - predictor) ** 2, dtype=np.float64)
    # Predictions of exactly 0 or 1 would cost infinity for one wrong sample.
    p = np.clip(expit(predictor), 1e-5, 1 - 1e-5)
    return np.asarray(-2 * (xlogy(target, p) + xlogy(1 - target, 1 - p)), dtype=np.float64)
