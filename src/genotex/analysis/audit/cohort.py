"""A cohort as it is audited: values as in the file, expression by gene, and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from genotex.analysis.audit.findings import NotJudged
from genotex.analysis.designs.contrast import Contrast, choose_contrast
from genotex.analysis.samples.facts import SampleFacts
from genotex.analysis.samples.profiles import FEWEST_GENES
from genotex.analysis.samples.quality import SampleQuality, SampleTexts, check_samples
from genotex.arrays import Flags, Floats, largest_eigenvectors, row_quantiles
from genotex.errors import AnalysisError
from genotex.formats import (
    ExpressionMatrix,
    LinkedTable,
    Measures,
    Role,
    TableFile,
    measured_columns,
)

CENTRED = 0.2
"""From this share of negative values on, they are differences (log ratios), not levels."""


@dataclass(frozen=True, eq=False)
class AuditedCohort:
    """One cohort with all that is known of it."""

    name: str
    table: LinkedTable  # Its log2 expression; the trait is NaN where a sample has no group
    roles: Mapping[str, Role] = field(default_factory=dict)
    facts: SampleFacts = field(default_factory=dict)  # As of `Evidence.sample_facts`
    texts: SampleTexts = field(default_factory=dict)
    # Rows x samples as in the file; None where only the linked table is at hand
    raw: ExpressionMatrix | None = None
    # What control probes tell of each sample, as of `Evidence.measures`
    measures: Measures = field(default_factory=dict)
    scale: str = ""  # What the values were taken for: log2, linear, counts
    cells: TableFile | None = None  # The cells of a table of one's own
    # Cells that are no numbers: text -> where, of those that were taken as missing
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def samples(self) -> tuple[str, ...]:
        """The samples with expression."""
        return self.table.samples

    @cached_property
    def compared(self) -> Contrast | None:
        """The two groups, or the trait that is measured; None where there is no comparison."""
        try:
            return choose_contrast(self.table, self.roles, "all")
        except AnalysisError:
            return None

    @cached_property
    def whole(self) -> Contrast:
        """Every sample, in its groups where every sample has one."""
        found, n = self.compared, len(self.samples)
        if found is not None and len(found.rows) == n:
            return found
        return Contrast(False, np.arange(n), np.zeros(n), "", 0.0, 1.0, {})

    @cached_property
    def quality(self) -> SampleQuality:
        """The checks of the samples that an analysis makes."""
        return check_samples(self.table, self.whole, self.facts, self.texts)

    @cached_property
    def filled(self) -> Floats:
        """Expression (n, p) of genes that enough samples have; a gap is the gene's mean."""
        values = self.table.expression
        if not self.kept.all():
            values = values[:, self.kept]
        if np.isfinite(values.sum(axis=0)).all():
            return values
        gaps = np.isnan(values)
        if not gaps.any():
            return values
        means = np.broadcast_to(np.nanmean(values, axis=0), values.shape)
        return np.where(gaps, means, values)

    @cached_property
    def kept(self) -> Flags:
        """Genes (p,) that at least four fifths of the samples have, and that vary."""
        values = self.table.expression
        if np.isfinite(values.sum(axis=0)).all():
            without_gaps: Flags = values.max(axis=0) > values.min(axis=0)
            return without_gaps
        with np.errstate(invalid="ignore"):
            kept = np.isfinite(values).mean(axis=0) >= 0.8
            varies = np.nanmax(np.where(kept, values, 0), axis=0) > np.nanmin(
                np.where(kept, values, 0), axis=0
            )
        found: Flags = kept & varies
        return found

    @property
    def genes(self) -> tuple[str, ...]:
        """The genes of `filled`."""
        return tuple(np.array(self.table.genes, dtype=object)[self.kept].tolist())

    @cached_property
    def groups(self) -> Floats:
        """Indicators (n, k) of the groups of all samples, the intercept among them."""
        names = [f"{value:g}" for value in self.table.trait_values]
        if len(set(names)) > max(2, len(names) // 3):
            values = np.nan_to_num(self.table.trait_values)
            return np.column_stack([np.ones(len(names)), values])
        levels = np.unique(names, return_inverse=True)[1]
        return np.eye(levels.max() + 1)[levels]

    @cached_property
    def rest(self) -> Floats:
        """What the means of the groups leave of `filled`."""
        basis = np.linalg.qr(self.groups)[0]
        found: Floats = self.filled - basis @ (basis.T @ self.filled)
        return found

    def filled_of(self, contrast: Contrast) -> Floats:
        """Return `filled` of the samples of a contrast, not copied where these are all."""
        every = np.array_equal(contrast.rows, np.arange(len(self.samples)))
        return self.filled if every else self.filled[contrast.rows]

    @cached_property
    def spans(self) -> Floats:
        """The quantiles 0.01, 0.25, 0.99 and 0.999 of each sample, shape (4, n)."""
        return row_quantiles(self.filled, (0.01, 0.25, 0.99, 0.999))

    @cached_property
    def has_levels(self) -> bool:
        """Whether expression has levels, and not differences from a mean."""
        values = self.table.expression[:, :: max(1, len(self.table.genes) // 2000)]
        known = values[np.isfinite(values)]
        return bool(len(known)) and float((known < 0).mean()) < CENTRED

    def measured(self, kind: str) -> dict[str, Floats]:
        """Return the measures of a kind by name, each (n,); NaN where a sample has none."""
        found = measured_columns(self.measures.get(kind, {}), self.samples)
        return {name: values for name, values in found.items() if np.isfinite(values).any()}

    def need(self, samples: int = 0, *, groups: bool = False, levels: bool = False) -> None:
        """Raise `NotJudged` where the cohort lacks what a check needs."""
        if len(self.samples) < samples:
            why = f"{len(self.samples)} samples are too few; {samples} are needed"
            raise NotJudged(why)
        if int(self.kept.sum()) < FEWEST_GENES:
            why = f"fewer than {FEWEST_GENES} genes"
            raise NotJudged(why)
        if groups and (self.compared is None or not self.compared.binary):
            why = "no two groups are recorded"
            raise NotJudged(why)
        if levels and not self.has_levels:
            why = "the values are differences from a mean, not levels"
            raise NotJudged(why)


def components(values: Floats, most: int) -> tuple[Floats, Floats]:
    """Return shares of the variance (k,) and directions of samples (n, k), the largest first."""
    gram = values @ values.T
    squares, directions = largest_eigenvectors(gram, most)
    return np.maximum(squares, 0.0) / max(float(np.trace(gram)), 1e-300), directions
