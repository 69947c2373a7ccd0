"""Is a matrix on the log2 scale? The rule of GEO2R."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.errors import UsageError

__all__ = ["ScaleVerdict", "detect_scale", "to_log2"]

_ENOUGH = 2_000_000


@dataclass(frozen=True)
class ScaleVerdict:
    """The scale of a matrix and why it is thought so."""

    scale: Literal["log2", "linear"]
    reason: str


def detect_scale(values: NDArray[np.floating]) -> ScaleVerdict:
    """Tell linear from log2 values as GEO2R does.

    Parameters
    ----------
    values : ndarray
        Probe-level expression; missing is NaN. Very large matrices are judged by evenly spaced
        rows.

    Returns
    -------
    ScaleVerdict
        Linear when the 99th percentile is above 100, or when the range is above 50 and the lower
        quartile positive. A centred matrix (log ratios) is neither and counts as log2.

    Notes
    -----
    The rule of the R script that GEO2R shows (NCBI GEO, "About GEO2R").
    """
    step = max(1, values.size // _ENOUGH)
    finite = values[::step][np.isfinite(values[::step])]
    if finite.size == 0:
        return ScaleVerdict("log2", "no values to judge the scale by; left as they are")
    lowest, quarter, high, top = np.quantile(finite, (0.0, 0.25, 0.99, 1.0))
    if high > 100:
        return ScaleVerdict("linear", f"99th percentile {_plain(high)} is above 100")
    if top - lowest > 50 and quarter > 0:
        spread, low = _plain(top - lowest), _plain(quarter)
        why = f"range {spread} is above 50 and the lower quartile {low} positive"
        return ScaleVerdict("linear", why)
    return ScaleVerdict("log2", f"99th percentile {_plain(high)}, range {_plain(top - lowest)}")


def _plain(value: float) -> str:
    """Return four digits of a number as people write it: 10,090 and not 1.009e+04."""
    value = float(f"{value:.4g}")
    return f"{value:,.0f}" if abs(value) >= 1000 else np.format_float_positional(value, trim="-")


def to_log2(values: NDArray[np.floating]) -> tuple[NDArray[np.floating], int]:
    """Take the log2; values at or below 0 become missing.

    Parameters
    ----------
    values : ndarray
        Linear expression; missing is NaN.

    Returns
    -------
    logged : ndarray
        log2 of the values, same type.
    lost : int
        How many values were at or below 0.

    Raises
    ------
    UsageError
        If nothing is left, which happens when values that are not linear are called so.
    """
    positive = values > 0
    lost = int(np.count_nonzero(values <= 0))
    if lost and not positive.any():
        msg = "no value is above 0, so the matrix is not on a linear scale: use scale='log2'"
        raise UsageError(msg)
    logged = np.full_like(values, np.nan)
    np.log2(values, out=logged, where=positive)
    return logged, lost
