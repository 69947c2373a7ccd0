"""Normalisation of two-colour arrays as limma does it: background, within and between arrays.

References: Ritchie and others 2007, Bioinformatics 23:2700 (background); Smyth and Speed 2003,
Methods 31:265 (normalisation); Bolstad and others 2003, Bioinformatics 19:185 (quantiles).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.formats import TwoColourScan
from genotex.smoothing import lowess

Floats = NDArray[np.float64]
Background = Literal["normexp", "subtract", "none"]
SPAN = 0.3
"""Share of the spots in the window of the loess curve."""


def log_ratios(
    scans: Sequence[TwoColourScan],
    *,
    background: Background = "normexp",
    offset: float = 50.0,
    between: Literal["Aquantile", "scale", "none"] = "none",
) -> tuple[Floats, Floats]:
    """Return normalised log2(red / green) and mean log2 intensity, each (spots, arrays).

    Background: ``normexp`` fits a normal plus exponential by maximum likelihood and adds `offset`
    (``backgroundCorrect(normexp.method="mle")``); ``subtract`` leaves values at or below 0
    missing. Within arrays: loess of ratio on intensity. `between`: as `normalizeBetweenArrays`.
    """
    pairs = [_corrected(scan, background, offset) for scan in scans]
    red, green = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        red, green = (np.log2(np.where(x > 0, x, np.nan)) for x in (red, green))
    ratio, level = red - green, (red + green) / 2
    for j in range(ratio.shape[1]):
        ratio[:, j] -= loess_curve(level[:, j], ratio[:, j])
    if between == "Aquantile":
        level = quantile_normalised(level)
    elif between == "scale":
        ratio, level = _scaled(ratio), _scaled(level)
    return ratio, level


def _corrected(scan: TwoColourScan, background: Background, offset: float) -> tuple[Floats, Floats]:
    sides = ((scan.red, scan.red_background), (scan.green, scan.green_background))
    if background == "none":
        return scan.red, scan.green
    red, green = (front - back for front, back in sides)
    if background == "normexp":
        return normexp(red) + offset, normexp(green) + offset
    return red, green


def normexp(x: Floats) -> Floats:
    """Return the expected signal where x is an exponential signal plus normal noise.

    The parameters maximise the likelihood, as ``limma::normexp.fit(method = "mle")``.
    """
    from scipy.optimize import minimize
    from scipy.special import log_ndtr

    known = x[np.isfinite(x)]
    low, least = np.quantile(known, (0.05, 0.1))
    below = known[known < least]
    start_sd = max(float(np.sqrt(np.mean((below - low) ** 2))) if below.size else 1.0, 1e-3)
    mean_signal = max(float(known.mean() - low), 1e-3)

    def loss(at: Floats) -> float:
        mu, sd, alpha = at[0], np.exp(at[1]), np.exp(at[2])
        signal = known - mu - sd * sd / alpha
        log_density = (
            -at[2] - (known - mu) / alpha + 0.5 * (sd / alpha) ** 2 + log_ndtr(signal / sd)
        )
        return -float(log_density.mean())

    at = np.array([low, np.log(start_sd), np.log(mean_signal)])
    for _ in range(3):
        # Each restart widens the simplex again, so that it cannot stop on a slope.
        at = minimize(
            loss,
            at,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-15, "maxiter": 4000},
        ).x
    mu, sd, alpha = float(at[0]), float(np.exp(at[1])), float(np.exp(at[2]))
    signal = x - mu - sd * sd / alpha
    ratio = signal / sd
    log_normal = -0.5 * ratio**2 - 0.5 * np.log(2 * np.pi)
    found = signal + sd * np.exp(log_normal - log_ndtr(ratio))
    return np.where(np.isfinite(x), np.maximum(found, 1e-6), np.nan)


def loess_curve(level: Floats, ratio: Floats) -> Floats:
    """Return the loess of ratio on level at every spot, NaN where either is missing."""
    curve = np.full(len(level), np.nan)
    known = np.flatnonzero(np.isfinite(level) & np.isfinite(ratio))
    if known.size:
        order = known[np.argsort(level[known], kind="stable")]
        curve[order] = lowess(level[order], ratio[order], SPAN)
    return curve


def quantile_normalised(values: Floats) -> Floats:
    """Give the columns the same distribution; ties and gaps as ``limma::normalizeQuantiles``."""
    rows, columns = values.shape
    if columns == 1 or rows < 2:
        return values
    share, target = np.arange(rows) / (rows - 1), np.zeros(rows)
    for j in range(columns):
        known = np.sort(values[np.isfinite(values[:, j]), j])
        target += np.interp(share, np.arange(len(known)) / max(len(known) - 1, 1), known)
    target /= columns
    found = np.full_like(values, np.nan)
    for j in range(columns):
        known = np.flatnonzero(np.isfinite(values[:, j]))
        order = known[np.argsort(values[known, j])]
        first = np.flatnonzero(np.diff(values[order, j], prepend=-np.inf))
        each = np.diff(first, append=len(order))
        # Equal values share the mean of their ranks.
        place = (first + (each - 1) / 2) / max(len(order) - 1, 1)
        found[order, j] = np.repeat(np.interp(place, share, target), each)
    return found


def _scaled(values: Floats) -> Floats:
    """Give the columns the same median absolute value (``normalizeMedianAbsValues``)."""
    middle = np.nanmedian(np.abs(values), axis=0)
    return np.asarray(values / (middle / np.exp(np.log(middle).mean())))
