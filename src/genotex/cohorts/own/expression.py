"""From the values of one's own table to log2 expression of genes, with what is to be reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.cohorts.geo.rna_seq import normalise_counts
from genotex.cohorts.own.genes import OwnRows, collapse
from genotex.cohorts.own.layout import OwnValues
from genotex.cohorts.own.sample_matching import counted, some_names
from genotex.cohorts.own.samples import MatchedSamples
from genotex.formats import ExpressionMatrix, TableFile, distribution_record
from genotex.genes import (
    ScaleVerdict,
    negative_count,
    recognise_scale,
    to_log2,
    zero_offset,
)
from genotex.options import Scale

_FEWEST = 2
_MANY_LOST = 0.05


class OwnExpression:
    """The steps from the values of a table to log2 expression, with what is to be reported."""

    def __init__(
        self, table: TableFile, values: OwnValues, matched: MatchedSamples, rows: OwnRows
    ) -> None:
        self.table = table
        self._values = values
        self.rows = rows
        self.matched = matched
        self.genes_in = values.genes_in
        self.matrix = values.matrix
        self.sample_table = matched.table
        self.counts: dict[str, Any] = {}
        self.raw_counts: NDArray[np.float64] | None = None
        self.scale = ScaleVerdict("log2", "")
        self.distributions: dict[str, Any] = {}
        self.notes = [
            f"{table.label}: {table.form}",
            *table.notes,
            *values.notes,
            *matched.notes,
            *rows.notes,
        ]
        self.warnings = [*matched.warnings, *rows.warnings]

    def take_samples(self) -> None:
        """Keep the samples that both tables have, and leave out those without any value."""
        matrix, columns = self.matrix, list(self.matched.columns)
        whole = columns == list(range(len(matrix.samples)))
        values = matrix.values if whole else matrix.values[:, columns]
        names = self.sample_table["sample"].to_list()
        self.matrix = ExpressionMatrix(matrix.ids, tuple(names), values)
        self._keep_samples(np.isfinite(values).any(axis=0), "without any value")

    def _keep_samples(self, kept: NDArray[np.bool_], why: str) -> None:
        if kept.all():
            return
        matrix = self.matrix
        lost = [name for name, keep in zip(matrix.samples, kept, strict=True) if not keep]
        if kept.sum() < _FEWEST:
            msg = f"fewer than {_FEWEST} samples are left; {why}: {some_names(lost)}"
            raise self.table.error(msg)
        self.warnings.append(f"{counted(lost, 'sample')} {why}, left out: {some_names(lost)}")
        names = tuple(name for name in matrix.samples if name not in set(lost))
        self.matrix = ExpressionMatrix(matrix.ids, names, matrix.values[:, kept])
        self.sample_table = self.sample_table.filter(pl.Series(kept))

    def to_log2(self, scale: Scale) -> None:
        """Bring the values to log2 and to genes: counts after, other values before."""
        values = self.matrix.values
        probes = self.rows.record.get("id_kind") == "probe"
        if scale == "auto":
            names = f"{self.table.label} {self._values.quantity}"
            found = recognise_scale(values, names, probes=probes)
        else:
            found = ScaleVerdict(scale, "as asked for")
        self.scale = found
        self.distributions = distribution_record(self.matrix.samples, values, found.scale)
        if found.scale == "counts":
            self._take_counts()
        elif found.scale == "linear":
            self._take_linear()
        else:
            self.notes.append(f"scale: taken as log2 values ({found.reason})")
            self._note_centred()
            self._collapse(counts=False)
        self._leave_out_empty_genes()

    def _note_centred(self) -> None:
        """Note values that are centred by gene, and warn of z-scores, whose unit is not log2."""
        some = self.matrix.values[:: max(1, len(self.matrix.ids) // 2000)]
        some = some[np.isfinite(some).all(axis=1)]
        if not len(some) or some.min() >= 0 or np.abs(some.mean(axis=1)).mean() > 0.01:
            return
        self.notes.append("the values of each gene are centred at 0")
        deviations = some.std(axis=1, ddof=1)
        if np.abs(np.median(deviations) - 1) < 0.1 and deviations.std() < 0.1:
            self.warnings.append(
                "every gene has a standard deviation of about 1 (z-scores): differences are in "
                "standard deviations, not log2 fold changes; give log2 values where you can"
            )

    def _take_linear(self) -> None:
        matrix = self.matrix
        offset = zero_offset(matrix.values)
        logged, lost = to_log2(matrix.values, offset)
        note = f"scale: linear values ({self.scale.reason}), log2 transformed"
        if offset:
            note += f" with an offset for their zeros: log2(value + {offset:.4g})"
        if lost:
            note += f"; {lost:,} values at or below 0 became missing"
        self.notes.append(note)
        if lost > _MANY_LOST * matrix.values.size:
            self.warnings.append(
                f"{lost / matrix.values.size:.0%} of the values are at or below 0 and became "
                "missing; if they are log2 values already, use --scale log2"
            )
        self.matrix = ExpressionMatrix(
            matrix.ids, matrix.samples, np.asarray(logged, dtype=np.float64)
        )
        self._collapse(counts=False)

    def _take_counts(self) -> None:
        self._refuse_negative()
        missing = np.isnan(self.matrix.values)
        if missing.any():
            rows = int(missing.any(axis=1).sum())
            self.warnings.append(
                f"{int(missing.sum()):,} counts of {rows:,} rows are missing and are taken as 0"
            )
        totals = np.nansum(self.matrix.values, axis=0)
        self._keep_samples(totals > 0, "without any read")
        self._collapse(counts=True)
        reads = self.matrix.values.sum(axis=0)
        normal = normalise_counts(self.matrix, 0)
        totals_of = dict(zip(self.matrix.samples, reads.tolist(), strict=True))
        self.counts = {
            "file": self.table.label,
            "annotation": None,
            **normal.record,
            "totals": totals_of,
        }
        place = {gene: i for i, gene in enumerate(self.matrix.ids)}
        kept = [place[gene] for gene in normal.expression.ids]
        self.raw_counts = np.ascontiguousarray(self.matrix.values[kept].T)
        self.matrix = normal.expression
        self.notes.append(
            f"scale: counts ({self.scale.reason}), {reads.min() / 1e6:.1f} to "
            f"{reads.max() / 1e6:.1f} million a sample; as log2 counts per million, TMM-normalised"
        )

    def _refuse_negative(self) -> None:
        matrix = self.matrix
        if found := negative_count(matrix.values, matrix.ids, matrix.samples):
            hint = "correct it; if the table holds other values than counts, state their scale"
            raise self.table.error(found, hint=hint)

    def _collapse(self, *, counts: bool) -> None:
        self.matrix, notes = collapse(self.matrix, self.rows, counts=counts)
        self.notes.extend(notes)

    def _leave_out_empty_genes(self) -> None:
        matrix = self.matrix
        kept = np.isfinite(matrix.values).any(axis=1)
        if kept.all():
            return
        lost = [gene for gene, keep in zip(matrix.ids, kept, strict=True) if not keep]
        if not kept.any():
            msg = "no gene has a value"
            raise self.table.error(msg)
        self.warnings.append(
            f"{counted(lost, 'gene')} without any value left out: {some_names(lost)}"
        )
        genes = tuple(gene for gene in matrix.ids if gene not in set(lost))
        self.matrix = ExpressionMatrix(genes, matrix.samples, matrix.values[kept])
