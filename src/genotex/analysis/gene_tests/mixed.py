"""Mixed model: every gene tested against a background made of all genes.

y = C a + x_j b_j + u + e with u ~ N(0, sg K) and e ~ N(0, se I); K = Z Z'/p of z-scored genes.
The ratio of the two variances is estimated once, without a gene (Kang et al. 2010, EMMAX); one
rotation then makes every gene a weighted regression in closed form (Kang et al. 2008, EMMA;
Lippert et al. 2011, FaST-LMM). Paper, appendix F, with trait, covariates and genes all rotated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc

from genotex.arrays import Floats, Rows
from genotex.errors import AnalysisError

LOWEST, HIGHEST = -10.0, 10.0
"""Limits of ln(se/sg): shares of nearly 1 and nearly 0."""
GRID = 201
NEAR_ONE = 0.9
CHUNK = 1024
FLAT = 1e-12
COLLINEAR = 1e-14
"""Part of a gene's sum of squares that the covariates must leave for the gene to be tested."""
ROUNDING = 1e-14
"""Part of the trait's sum of squares below which a residual cannot be distinguished from zero."""


@dataclass(frozen=True, eq=False)
class MixedFit:
    """Tests of every gene in the mixed model; arrays have shape (p,)."""

    # Change of the trait per unit of log2 expression (the trait is the response, not the gene), and
    # its standard error; NaN for genes that are constant or collinear with the covariates
    coefficient: Floats
    standard_error: Floats
    # t, its degrees of freedom n - c - 1 (0 for genes that are not tested), two-sided p-value
    t: Floats
    df: Floats
    p: Floats
    log_ratio: float  # ln(se/sg): noise over background, by REML under the null model
    # sg m / (sg m + se): share of the trait's variance, as the covariates leave it, that K takes. m
    # is the mean eigenvalue of K in the space that the covariates leave
    share: float
    at_bound: bool  # Whether the ratio is at a limit of the range searched
    filled: int = 0  # Missing values that count as the mean of their gene


def fit_mixed(expression: Floats, covariates: Floats, trait: Floats) -> MixedFit:
    """Test every gene with the rest of expression as random background.

    Given the ratio of variances, each gene's coefficient is the generalised least-squares estimate.
    The residual scale is estimated again for each gene, with n - c - 1 degrees of freedom. Missing
    expression counts as the gene's mean; the first covariate is an intercept.

    Raises
    ------
    AnalysisError
        If no degree of freedom is left or the covariates explain the trait completely.
    """
    # Shapes: expression (n, p), covariates (n, c), of full column rank; trait (n,), none missing.
    samples, columns = covariates.shape
    df = samples - columns - 1
    if df < 1:
        msg = (
            f"the mixed model needs more than {columns + 1} samples for {columns} columns and a "
            f"gene, there are {samples}; adjust for fewer covariates"
        )
        raise AnalysisError(msg)
    # Rows of a basis of what the covariates leave: rotated by it, they vanish from the model.
    left = np.linalg.qr(covariates, mode="complete")[0][:, columns:].T
    level = trait - trait.mean()
    if _squares(left @ level) <= ROUNDING * _squares(level):
        why = "the covariates explain the trait completely, so the mixed model has nothing to test"
        msg = f"{why}; adjust for fewer covariates"
        raise AnalysisError(msg)
    eigenvalues, vectors = np.linalg.eigh(left @ _background(expression) @ left.T)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    rotation = vectors.T @ left
    rotated = rotation @ level
    log_ratio = _log_ratio(eigenvalues, rotated)
    ratio = float(np.exp(log_ratio))
    found = _fit_genes(expression, rotation, rotated, 1.0 / (eigenvalues + ratio), df)
    taken = float(eigenvalues.mean())
    return MixedFit(
        *found,
        log_ratio=log_ratio,
        share=taken / (taken + ratio),
        at_bound=log_ratio in (LOWEST, HIGHEST),
        filled=int(np.isnan(expression).sum()),
    )


def _squares(values: Floats) -> float:
    return float(values @ values)


def _chunks(expression: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield genes about their mean, missing values as 0, with their population deviations."""
    for start in range(0, expression.shape[1], CHUNK):
        part = slice(start, start + CHUNK)
        values = np.array(expression[:, part], dtype=np.float64, order="C")
        missing = np.isnan(values)
        count: Rows | int = len(values)
        if missing.any():
            values[missing] = 0.0
            count = np.maximum((~missing).sum(axis=0), 1)
        mean = values.sum(axis=0) / count
        values -= mean
        values[missing] = 0.0
        deviation = np.sqrt(np.einsum("ij,ij->j", values, values) / count)
        deviation[deviation <= FLAT * np.maximum(1.0, np.abs(mean))] = 0.0
        yield part, values, deviation


def _background(expression: Floats) -> Floats:
    """Return K, shape (n, n)."""
    samples, genes = expression.shape
    background: Floats = np.zeros((samples, samples))
    for _, values, deviation in _chunks(expression):
        values /= np.where(deviation == 0.0, 1.0, deviation)
        background += values @ values.T
    background /= genes
    return background


def _log_ratio(eigenvalues: Floats, trait: Floats) -> float:
    """Return the ln(se/sg) of the highest restricted likelihood."""
    # Twice the negative restricted log-likelihood is, but for a constant, sum ln(s + d) + m ln(sum
    # y^2 / (s + d)) over the m rotated samples. Every minimum shows as a change of sign of its
    # slope on the grid and is refined by Brent's method; the limits count as candidates.
    # Imported where it is needed: most analyses fit no mixed model.
    from scipy.optimize import brentq

    squares = trait**2

    def loss(log_ratio: Floats) -> Floats:
        total = eigenvalues + np.exp(log_ratio)[:, None]
        value = np.log(total).sum(axis=-1)
        return np.asarray(value + len(trait) * np.log((squares / total).sum(axis=-1)))

    def slope(log_ratio: Floats) -> Floats:
        weight = 1.0 / (eigenvalues + np.exp(log_ratio)[:, None])
        pull = (squares * weight**2).sum(axis=-1) / (squares * weight).sum(axis=-1)
        return np.asarray(weight.sum(axis=-1) - len(trait) * pull)

    def slope_at(log_ratio: float) -> float:
        return float(slope(np.array([log_ratio]))[0])

    grid = np.linspace(LOWEST, HIGHEST, GRID)
    at = slope(grid)
    falls_then_rises = np.flatnonzero((at[:-1] < 0) & (at[1:] >= 0))
    inside = [brentq(slope_at, grid[i], grid[i + 1], xtol=1e-12) for i in falls_then_rises]
    candidates = np.array([HIGHEST, LOWEST, *inside])
    return float(candidates[np.argmin(loss(candidates))])


def _fit_genes(
    expression: Floats, rotation: Floats, trait: Floats, weight: Floats, df: int
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    genes = expression.shape[1]
    product, weighted = np.empty(genes), np.empty(genes)
    tested = np.empty(genes, dtype=bool)
    weights = np.vstack([weight, np.ones_like(weight)])
    for part, values, deviation in _chunks(expression):
        size = np.einsum("ij,ij->j", values, values)
        rotated = rotation @ values
        product[part] = (weight * trait) @ rotated
        np.square(rotated, out=rotated)
        weighted[part], rest = weights @ rotated
        tested[part] = (deviation > 0) & (rest > COLLINEAR * size)
    total = float(weight @ trait**2)
    fit = np.full((4, genes), np.nan)
    inverse = 1.0 / weighted[tested]
    coefficient = product[tested] * inverse
    # A gene that is the trait itself leaves rounding only.
    residual = np.maximum(total - coefficient * product[tested], ROUNDING * total)
    error = np.sqrt(residual / df * inverse)
    t = coefficient / error
    fit[:, tested] = coefficient, error, t, betainc(df / 2, 0.5, df / (df + t**2))
    return fit[0], fit[1], fit[2], np.where(tested, float(df), 0.0), fit[3]


def mixed_warnings(fit: MixedFit, binary: bool) -> tuple[str, ...]:
    """Return what a reader should know about the mixed model's tests."""
    warnings = []
    if fit.share >= NEAR_ONE:
        warnings.append(
            f"Mixed model: the background of all genes takes {_percent(fit.share)} of the trait's "
            "variance: the model has absorbed the trait itself, and genes associated with it may "
            "be missed. A short list is not evidence that few genes change."
        )
    warnings.append(
        "Mixed model: conservative, since the gene tested is itself part of the background."
    )
    if binary:
        warnings.append(
            "Mixed model: with a binary trait it is a test only; the coefficient is neither a fold "
            "change nor a log odds ratio."
        )
    return tuple(warnings)


def _percent(share: float) -> str:
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def mixed_record(fit: MixedFit) -> dict[str, Any]:
    """Return the results of the mixed model, as plain JSON values."""
    tested = fit.df > 0
    return {
        "model": "linear mixed model (Kang et al. 2008, Lippert et al. 2011), trait on gene",
        "background": "K = ZZ'/p of z-scored genes, the gene tested among them",
        "ratio": "REML under the null model, once for all genes",
        "log_ratio_noise_to_background": fit.log_ratio,
        "share_of_background": fit.share,
        "at_bound": fit.at_bound,
        "residual_df": float(fit.df[tested][0]) if tested.any() else None,
        "tested": int(tested.sum()),
        "not_tested": int((~tested).sum()),
        "values_filled": fit.filled,
        "filled_with": "mean of the gene",
        "coefficient": "change of the trait per unit of log2 expression",
    }
