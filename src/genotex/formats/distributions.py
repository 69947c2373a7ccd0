"""Quantiles of the values of each sample, before and after preprocessing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import row_quantiles

PERCENT = (5, 25, 50, 75, 95)
_SHARES = tuple(percent / 100 for percent in PERCENT)
_DIGITS = 5
_COLUMNS_AT_ONCE = 64


def sample_quantiles(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the quantiles `PERCENT` of each column, shape (n, 5); NaN without a finite value."""
    found = np.full((values.shape[1], len(PERCENT)), np.nan)
    for at in range(0, values.shape[1], _COLUMNS_AT_ONCE):
        # One block after another, rows in memory: a column of a wide table is slow to read.
        block = values[:, at : at + _COLUMNS_AT_ONCE].T
        if block.size and np.isfinite(block).all():
            found[at : at + len(block)] = row_quantiles(block, _SHARES).T
            continue
        for j, column in enumerate(np.ascontiguousarray(block), at):
            known = column[np.isfinite(column)]
            if known.size:
                found[j] = row_quantiles(known[None], _SHARES)[:, 0]
    return found


def distribution_record(
    samples: Sequence[str], values: NDArray[np.floating], scale: str
) -> dict[str, Any]:
    """Return the quantiles of each sample as in the input, for the cohort's record.

    `values` are rows x samples; `scale` is theirs: log2, linear or counts.
    """
    quantiles = sample_quantiles(values)
    return {
        "percent": list(PERCENT),
        "rows": len(values),
        "scale": scale,
        "by_sample": {
            sample: [_rounded(value) for value in row]
            for sample, row in zip(samples, quantiles.tolist(), strict=True)
            if math.isfinite(row[0])
        },
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def recorded_quantiles(record: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return the quantiles of each sample of a record; empty where it has none that are usable."""
    by_sample = record.get("by_sample")
    if record.get("percent") != list(PERCENT) or not isinstance(by_sample, dict):
        return {}
    return {
        sample: row
        for sample, row in by_sample.items()
        if isinstance(row, list)
        and len(row) == len(PERCENT)
        and all(isinstance(value, int | float) for value in row)
    }
