"""Local regression as R's ``stats::lowess`` does it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 3
"""Robustness iterations."""
SKIPPED = 0.01
"""Points within this share of the range behind a fitted one are interpolated."""
NEAR, FAR = 0.001, 0.999
"""Shares of a bandwidth within which a weight is 1, and beyond which it is 0."""
PERFECT = 1e-7


def lowess(x: Floats, y: Floats, span: float) -> Floats:
    """Smooth `y` over `x`, which ascends, by local lines with tricube weights, robustly."""
    # Shapes: x (n,), y (n,).
    # Returns the curve at `x`.
    # References: Cleveland 1979, J. Am. Stat. Assoc. 74:829; three robustness iterations and the
    # skipping of near points are those of R's ``stats::lowess``.
    points = len(x)
    window = max(2, min(points, int(span * points + 1e-7)))
    robust = np.ones(points)
    curve = y
    for step in range(STEPS + 1):
        curve = _smooth(x, y, window, robust)
        residual = np.abs(y - curve)
        scale = 6.0 * float(np.median(residual))
        if step == STEPS or scale <= PERFECT * residual.mean():
            break
        robust = _bisquare(residual, scale)
    return curve


def _bisquare(residual: Floats, scale: float) -> Floats:
    weight = (1 - (residual / scale) ** 2) ** 2
    weight[residual <= NEAR * scale] = 1.0
    weight[residual > FAR * scale] = 0.0
    return weight


def _smooth(x: Floats, y: Floats, window: int, robust: Floats) -> Floats:
    """Fit at some points and interpolate between them."""
    places = _places(x)
    fitted = np.empty(len(places))
    left = 0
    for i, place in enumerate(places):
        # The window moves on while that brings it nearer.
        while left + window < len(x) and x[place] - x[left] > x[left + window] - x[place]:
            left += 1
        fitted[i] = _local_line(x, y, robust, place, slice(left, left + window))
    return np.interp(x, x[places], fitted)


def _places(x: Floats) -> list[int]:
    """Return the points that are fitted."""
    # Of equal points the first represents all.
    places = [0]
    while True:
        here = x[places[-1]]
        beyond = int(np.searchsorted(x, here, side="right"))
        if beyond >= len(x):
            return places
        within = int(np.searchsorted(x, here + SKIPPED * (x[-1] - x[0]), side="right"))
        places.append(max(beyond, within - 1))


def _local_line(x: Floats, y: Floats, robust: Floats, place: int, window: slice) -> float:
    at = x[place]
    width = max(at - x[window.start], x[window.stop - 1] - at)
    # Points as far as the window's last one may be more than the window holds.
    stop = int(np.searchsorted(x, at + FAR * width, side="right"))
    near = slice(window.start, max(stop, place + 1))
    distance = np.abs(x[near] - at)
    weight = np.where(distance <= NEAR * width, 1.0, 0.0)
    between = (distance > NEAR * width) & (distance <= FAR * width)
    weight[between] = (1 - (distance[between] / width) ** 3) ** 3
    weight *= robust[near]
    total = float(weight.sum())
    if total <= 0:
        return float(y[place])
    weight /= total
    if width > 0:
        centre = float(weight @ x[near])
        apart = x[near] - centre
        spread = float(weight @ apart**2)
        if np.sqrt(spread) > NEAR * (x[-1] - x[0]):
            weight *= 1 + (at - centre) / spread * apart
    return float(weight @ y[near])
