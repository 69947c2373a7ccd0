"""Genes that are left out before any test, without regard to the association with the trait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.contrast import Contrast
from genotex.analysis.design import MIN_RESIDUAL_DF
from genotex.analysis.linear import fit_last_column

__all__ = ["GENE_STATUS", "GeneFilter", "carries_design", "filter_genes"]

GENE_STATUS = ("tested", "low", "constant", "too few values", "regressor")
"""What became of a gene before any test."""

LOW_QUANTILE = 0.10
CENTRED_SHARE = 0.05
FLOOR_SHARE = 0.01
CONTINUOUS_SHARE = 0.10
_ROUNDING = 1e-9

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class GeneFilter:
    """Which genes are tested and why not the others."""

    status: NDArray[np.str_]  # (p,): one of `GENE_STATUS`
    record: dict[str, Any]  # The rule in words and numbers, and counts

    @property
    def tested(self) -> Mask:
        """Mask of the genes that are tested."""
        return np.asarray(self.status == "tested")

    def with_status(self, status: NDArray[np.str_]) -> GeneFilter:
        """Return the filter with another status of the genes, and the counts that follow."""
        return GeneFilter(status, {**self.record, **_counts(status)})

    def without(self, dropped: Mask) -> GeneFilter:
        """Return the filter with fewer genes."""
        # Shapes: dropped (m,).
        status = self.status.copy()
        status[np.flatnonzero(self.tested)[dropped]] = "too few values"
        return self.with_status(status)


def filter_genes(
    expression: NDArray[np.float64], contrast: Contrast, columns: int, filter_low: bool
) -> GeneFilter:
    """Sort out constant genes, genes with too few values and genes low in nearly all samples."""
    # A gene is low when its value is above the cut in fewer samples than the smaller group has (a
    # tenth of the samples for a continuous trait). The cut is the 10 % quantile of all values, or
    # the floor where a share of the values is at the minimum. Values centred gene by gene (more
    # than 5 % negative, no floor) carry no information on the level of a gene, so no gene counts as
    # low.
    # Shapes: expression (n, p).
    status = np.full(expression.shape[1], "tested", dtype="<U14")
    present = ~np.isnan(expression)
    low, rule = _low_genes(expression, present, contrast, filter_low)
    status[low] = "low"
    status[_constant(expression)] = "constant"
    status[~_enough_values(present, contrast, columns)] = "too few values"
    record = {"genes": len(status), **_counts(status), "rule": rule}
    return GeneFilter(status, record)


def carries_design(design: NDArray[np.float64], expression: NDArray[np.float64]) -> Mask:
    """Return which genes have the values that a design needs."""
    # Genes whose missing values make the design singular on the rest, or leave fewer than
    # `MIN_RESIDUAL_DF` degrees of freedom, have not; one of them would spoil the variance prior of
    # all genes.
    # Shapes: design (n, k), expression (n, p).
    carries = np.ones(expression.shape[1], dtype=bool)
    partial = np.flatnonzero(np.isnan(expression).any(axis=0))
    if len(partial):
        fit = fit_last_column(design, expression[:, partial])
        carries[partial] = np.isfinite(fit.coefficient) & (fit.df >= MIN_RESIDUAL_DF)
    return carries


def _counts(status: NDArray[np.str_]) -> dict[str, int]:
    return {kind: int((status == kind).sum()) for kind in GENE_STATUS}


def _low_genes(
    expression: NDArray[np.float64], present: Mask, contrast: Contrast, filter_low: bool
) -> tuple[Mask, str]:
    nothing = np.zeros(expression.shape[1], dtype=bool)
    if not filter_low:
        return nothing, "no filter of low genes (switched off)"
    values = expression.reshape(-1) if present.all() else expression[present]
    if len(values) == 0:
        return nothing, "no filter of low genes (no values)"
    # A gene at the floor that is the mean of several rows may differ from it in the last bits.
    floor = float(values.min()) + _ROUNDING
    has_floor = float((values <= floor).mean()) >= FLOOR_SHARE
    if not has_floor and float((values < 0).mean()) > CENTRED_SHARE:
        return nothing, "no filter of low genes (the values are centred: levels cannot be compared)"
    cut = float(np.quantile(values, LOW_QUANTILE))
    if contrast.binary or contrast.factor is not None:
        need = contrast.smaller_group
    else:
        need = max(1, int(np.ceil(CONTINUOUS_SHARE * len(contrast.rows))))
    with np.errstate(invalid="ignore"):
        high = (expression > cut + _ROUNDING).sum(axis=0)
    rule = f"low: above {cut:.4g} (10 % quantile of all values) in fewer than {need} samples"
    return high < need, rule


def _constant(expression: NDArray[np.float64]) -> Mask:
    lowest, highest = np.fmin.reduce(expression, axis=0), np.fmax.reduce(expression, axis=0)
    # Averages of equal numbers may differ in the last bits.
    return np.asarray(highest - lowest <= 1e-12 * np.maximum(1.0, np.abs(highest)))


def _enough_values(present: Mask, contrast: Contrast, columns: int) -> Mask:
    enough = present.sum(axis=0) >= columns + MIN_RESIDUAL_DF
    if contrast.binary:
        for group in (0.0, 1.0):
            enough &= present[contrast.values == group].sum(axis=0) >= 2
    elif contrast.factor is not None:
        for level in range(len(contrast.factor.values)):
            enough &= present[contrast.factor.place == level].sum(axis=0) >= 2
    return np.asarray(enough)
