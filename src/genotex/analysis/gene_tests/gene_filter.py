"""Which genes of a comparison are tested, and why not the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.designs.comparison import Comparison
from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.designs.matrix import MIN_RESIDUAL_DF
from genotex.analysis.gene_tests.libraries import FEWEST_READS, Libraries, few_reads
from genotex.analysis.gene_tests.linear import fit_last_column
from genotex.analysis.shared_work import once
from genotex.arrays import Flags, Floats, quantile
from genotex.errors import AnalysisError

GENE_STATUS = ("tested", "low", "constant", "too few values", "regressor")
"""What became of a gene before any test."""
OUTLIER = "outlying count"
"""What became of a gene that DESeq2 does not test, by Cook's distance."""

LOW_QUANTILE = 0.10
CENTRED_SHARE = 0.05
FLOOR_SHARE = 0.01
CONTINUOUS_SHARE = 0.10
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class GeneFilter:
    """Which genes are tested and why not the others."""

    status: NDArray[np.str_]  # (p,): one of `GENE_STATUS`
    record: dict[str, Any]  # The rule in words and numbers, and counts

    @property
    def tested(self) -> Flags:
        """Flags of the genes that are tested."""
        return np.asarray(self.status == "tested")

    def of(self, expression: Floats) -> Floats:
        """Return a copy of the genes that are tested."""
        # Boolean indexing would store it gene by gene, which slows every test.
        return expression.compress(self.tested, axis=1)

    def names(self, genes: Sequence[str]) -> list[str]:
        """Return which of the genes (p,) are tested."""
        return [genes[i] for i in np.flatnonzero(self.tested).tolist()]

    def with_status(self, status: NDArray[np.str_]) -> GeneFilter:
        """Return the filter with another status of the genes, and the counts that follow."""
        return GeneFilter(status, {**self.record, **_counts(status)})

    def without(self, dropped: Flags, why: str = "too few values") -> GeneFilter:
        """Return the filter with fewer genes."""
        # Shapes: dropped (m,).
        status = self.status.copy()
        status[np.flatnonzero(self.tested)[dropped]] = why
        return self.with_status(status)


def filter_genes(
    expression: Floats, contrast: Contrast, columns: int, filter_low: bool
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


def carries_design(design: Floats, expression: Floats) -> Flags:
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
    kinds = GENE_STATUS if OUTLIER not in status else (*GENE_STATUS, OUTLIER)
    return {kind: int((status == kind).sum()) for kind in kinds}


def _low_genes(
    expression: Floats, present: Flags, contrast: Contrast, filter_low: bool
) -> tuple[Flags, str]:
    nothing = np.zeros(expression.shape[1], dtype=bool)
    if not filter_low:
        return nothing, "no filter of low genes (switched off)"
    known = int(present.sum())
    if known == 0:
        return nothing, "no filter of low genes (no values)"
    with np.errstate(invalid="ignore"):
        lowest = float(np.fmin.reduce(expression, axis=None))
        centred = lowest < 0 and int((expression < 0).sum()) > CENTRED_SHARE * known
        # A gene at the floor that is the mean of several rows may differ from it in the last bits.
        if centred and int((expression <= lowest + _ROUNDING).sum()) < FLOOR_SHARE * known:
            why = "the values are centred: levels cannot be compared"
            return nothing, f"no filter of low genes ({why})"
    cut = quantile(expression, LOW_QUANTILE, known)
    if contrast.members:
        need = contrast.smaller_group
    else:
        need = max(1, int(np.ceil(CONTINUOUS_SHARE * len(contrast.rows))))
    with np.errstate(invalid="ignore"):
        high = (expression > cut + _ROUNDING).sum(axis=0)
    rule = f"low: above {cut:.4g} (10 % quantile of all values) in fewer than {need} samples"
    return high < need, rule


def _constant(expression: Floats) -> Flags:
    lowest, highest = np.fmin.reduce(expression, axis=0), np.fmax.reduce(expression, axis=0)
    # Averages of equal numbers may differ in the last bits.
    return np.asarray(highest - lowest <= 1e-12 * np.maximum(1.0, np.abs(highest)))


def _enough_values(present: Flags, contrast: Contrast, columns: int) -> Flags:
    enough = present.sum(axis=0) >= columns + MIN_RESIDUAL_DF
    for members in contrast.members:
        enough &= present[members].sum(axis=0) >= 2
    return np.asarray(enough)


def choose_genes(comparison: Comparison, expression: Floats, *, filter_low: bool) -> GeneFilter:
    """Filter, and leave out genes whose missing values make the design singular on the rest."""
    # Shapes: expression (n, p).
    design, table = comparison.design, comparison.table
    columns = design.matrix.shape[1]
    if comparison.libraries is None:
        contrast = comparison.contrast
        kept = once(
            "filter",
            lambda: filter_genes(expression, contrast, columns, filter_low),
            *(table.expression, contrast, columns, filter_low),
        )
    else:
        kept = filter_genes(expression, comparison.contrast, columns, filter_low=False)
        if filter_low:
            kept = _without_few_reads(kept, comparison.libraries, expression)
    status = kept.status.copy()
    partial = np.flatnonzero(kept.tested & np.isnan(expression).any(axis=0))
    if len(partial):
        fits = carries_design(design.matrix, expression[:, partial])
        status[partial[~fits]] = "too few values"
    if comparison.regressors:
        status[np.isin(np.array(table.genes), comparison.regressors)] = "regressor"
    kept = kept.with_status(status)
    if not kept.record["tested"]:
        counts = ", ".join(f"{name} {n}" for name, n in kept.record.items() if name != "rule")
        msg = f"no gene of {table.trait} can be tested ({counts})"
        raise AnalysisError(msg)
    return kept


def _without_few_reads(kept: GeneFilter, libraries: Libraries, expression: Floats) -> GeneFilter:
    """Leave out genes that hardly any read fell on; preprocessing has judged the others."""
    if libraries.sizes is None:
        return kept
    status = kept.status.copy()
    status[kept.tested & few_reads(expression, libraries.sizes)] = "low"
    rule = (
        f"low: fewer than {FEWEST_READS} reads in the samples compared; preprocessing kept the "
        f"genes with {libraries.record['rule']}"
    )
    return GeneFilter(status, {**kept.record, "rule": rule}).with_status(status)
