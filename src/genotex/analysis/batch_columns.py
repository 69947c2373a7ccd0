"""A batch that the characteristics name, as columns to adjust for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.characteristic_columns import group_columns
from genotex.analysis.contrast import Contrast
from genotex.analysis.design import independent_columns
from genotex.analysis.sample_facts import SampleFacts, read_value

__all__ = ["BatchColumns", "batch_columns", "names_batch"]

ENOUGH_RESIDUAL_DF = 10
"""A batch is adjusted for only when at least so many degrees of freedom are left."""
FEWEST_IN_BATCH = 2

_BATCH = re.compile(r"(^|[\W_])batch", re.IGNORECASE)


@dataclass(frozen=True)
class BatchColumns:
    """The columns of a known batch."""

    key: str | None = None  # The characteristic; None when no batch is adjusted for
    # (n,): 1 for the samples of a batch, one column for each batch but the largest
    columns: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # Why a batch recorded before that one is not adjusted for


def batch_columns(
    facts: SampleFacts, samples: Sequence[str], contrast: Contrast, covariates: int
) -> BatchColumns:
    """Return the columns of the first characteristic named as a batch that can be used."""
    # A known batch is a covariate (spec of the analysis, hidden structure). It is left out, with a
    # warning, when a sample's batch is unknown, a batch has a single sample, too few degrees of
    # freedom would be left, or batch and trait cannot be separated.
    warnings: list[str] = []
    for key, recorded in facts.items():
        if not names_batch(key):
            continue
        values = [read_value(key, recorded.get(samples[i])) for i in contrast.rows]
        counts = Counter(value for value in values if value is not None)
        if len(counts) < 2:
            continue
        columns = group_columns(key, values)
        reason = _why_not(values, counts, columns, contrast, covariates)
        if reason:
            warnings.append(f"The batch '{key}' is not adjusted for: {reason}.")
            continue
        return BatchColumns(key, columns, tuple(warnings))
    return BatchColumns(warnings=tuple(warnings))


def names_batch(key: str) -> bool:
    """Return whether a characteristic is named as a batch."""
    return _BATCH.search(key) is not None


def _why_not(
    values: Sequence[str | None],
    counts: Counter[str],
    columns: dict[str, NDArray[np.float64]],
    contrast: Contrast,
    covariates: int,
) -> str:
    if None in values:
        return f"it is unknown for {values.count(None)} samples"
    if min(counts.values()) < FEWEST_IN_BATCH:
        return "a batch has a single sample"
    if len(values) - 2 - covariates - len(columns) < ENOUGH_RESIDUAL_DF:
        return f"{len(values)} samples are too few for {len(counts)} batches"
    wide = np.column_stack([np.ones(len(values)), *columns.values(), contrast.columns])
    if not independent_columns(wide)[-contrast.columns.shape[1] :].all():
        return "batch and trait cannot be separated"
    return ""
