"""Robust multi-array average: background, quantiles, median polish, as R's affy computes them.

References: Irizarry and others 2003, Biostatistics 4:249; Bolstad and others 2003, Bioinformatics
19:185.
"""

from __future__ import annotations

import numpy as np

from genotex.arrays import Floats, Rows
from genotex.genes.two_colour import quantile_normalised

_POINTS = 1 << 14
_MOST_ROUNDS, _ENOUGH = 10, 0.01
_AT_ONCE = 1 << 22
"""Values whose medians are polished at once."""


def rma_values(matches: Floats, sizes: Rows) -> Floats:
    """Return log2 expression, shape (probe sets, arrays), equal to ``affy::rma``.

    `matches`: intensities of perfect matches, shape (cells, arrays), changed in place. `sizes`:
    Cells of each probe set, which follow one another.
    """
    for j in range(matches.shape[1]):
        matches[:, j] = rma_background(matches[:, j])
    matches = quantile_normalised(matches)
    np.log2(matches, out=matches)
    found = np.empty((len(sizes), matches.shape[1]))
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        every = np.flatnonzero(sizes == size)
        step = max(1, _AT_ONCE // (int(size) * matches.shape[1]))
        for chosen in (every[i : i + step] for i in range(0, len(every), step)):
            cells = starts[chosen][:, None] + np.arange(size)
            found[chosen] = _median_polish(matches[cells])
    return found


def rma_background(intensities: Floats) -> Floats:
    """Return the expected signal of one array: exponential, in normal noise.

    Noise and signal are read off the modes of densities, as ``affy::bg.correct.rma`` does.
    """
    mean = _mode(intensities)
    mean = _mode(intensities[intensities < mean])
    below, above = (intensities[side] - mean for side in (intensities < mean, intensities > mean))
    if len(below) < 2 or not len(above):
        return intensities
    from scipy.special import log_ndtr

    sd = np.sqrt(2 * (below @ below) / (len(below) - 1))
    rate = 1 / _mode(above)
    signal = intensities - mean - rate * sd * sd
    ratio = signal / sd
    log_normal = -0.5 * ratio**2 - 0.5 * np.log(2 * np.pi)
    return np.asarray(signal + sd * np.exp(log_normal - log_ndtr(ratio)))


def _mode(values: Floats) -> float:
    """Return where the density by Epanechnikov's kernel is highest, as R's ``density`` has it."""
    if not len(values):
        return 0.0
    low, middle = np.quantile(values, (0.25, 0.75))
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    width = min(sd, float(middle - low) / 1.34) or sd or abs(float(values[0])) or 1.0
    width *= 0.9 * len(values) ** -0.2
    start, end = values.min() - 7 * width, values.max() + 7 * width
    place = (values - start) / ((end - start) / (_POINTS - 1))
    left = np.floor(place).astype(np.intp)
    share = place - left
    mass = np.bincount(left, 1 - share, 2 * _POINTS) + np.bincount(left + 1, share, 2 * _POINTS)
    apart = np.arange(_POINTS + 1) / (2 * _POINTS - 1) * 2 * (end - start)
    apart = np.concatenate([apart, apart[1:_POINTS][::-1]]) / (width * np.sqrt(5))
    kernel = np.maximum(1 - apart**2, 0)
    spectrum = np.fft.rfft(mass) * np.conj(np.fft.rfft(kernel))
    density = np.fft.irfft(spectrum, 2 * _POINTS)[:_POINTS]
    grid = np.linspace(start, end, _POINTS)
    shown = np.linspace(start + 4 * width, end - 4 * width, _POINTS)
    return float(shown[np.interp(shown, grid, density).argmax()])


def _median_polish(values: Floats) -> Floats:
    """Return the effect of each array in each probe set, shape (probe sets, arrays).

    `values`: shape (probe sets, cells, arrays). Tukey's median polish with at most ten rounds,
    until the sum of residuals changes by less than 1 %, as affy does.
    """
    left = np.array(values)
    sets, cells, arrays = left.shape
    whole, by_cell, by_array = np.zeros(sets), np.zeros((sets, cells)), np.zeros((sets, arrays))
    open_, before = np.arange(sets), np.zeros(sets)
    for _ in range(_MOST_ROUNDS):
        part = left[open_]
        change = np.median(part, axis=2)
        part -= change[:, :, None]
        by_cell[open_] += change
        shift = np.median(by_array[open_], axis=1)
        by_array[open_] -= shift[:, None]
        whole[open_] += shift
        change = np.median(part, axis=1)
        part -= change[:, None, :]
        by_array[open_] += change
        shift = np.median(by_cell[open_], axis=1)
        by_cell[open_] -= shift[:, None]
        whole[open_] += shift
        left[open_] = part
        after = np.abs(part).sum(axis=(1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            done = (after == 0) | (np.abs(1 - before[open_] / after) < _ENOUGH)
        before[open_] = after
        open_ = open_[~done]
        if not open_.size:
            break
    return whole[:, None] + by_array
