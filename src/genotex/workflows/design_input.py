"""What designs are fitted to: expression and samples, with what is known of their origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from genotex.analysis import DesignCohort, DesignData, DesignRequest
from genotex.cohorts import OwnTables, enough_samples, keep_expressed
from genotex.options import AnalysisOptions

_EXPRESSED = 0.1
"""Share of the samples that must express a gene, where no groups are compared."""


@dataclass(frozen=True, eq=False)
class DesignInput:
    """What a design is fitted to, and what is known of its origin.

    Attributes
    ----------
    data
        Expression, and the columns of the samples that a design may use.
    samples
        All columns of the samples.
    notes, warnings
        How they were read.
    record
        As of `OwnTables`, or of a cohort in `uns`.
    tables
        Own tables with their counts, from which genes with few counts can be left out.
    """

    data: DesignData
    samples: pl.DataFrame
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    tables: OwnTables | None = None

    @classmethod
    def of_tables(cls, tables: OwnTables) -> DesignInput:
        """Take tables of the user's own."""
        data = DesignData(
            tables.name,
            tables.genes,
            tables.samples,
            tables.expression,
            tables.sample_table.drop("sample", strict=False),
            tables.counts,
        )
        found = tables.sample_table, tables.notes, tables.warnings, tables.record, tables
        return cls(data, *found)

    def expressed(self, least: float) -> DesignInput:
        """Leave out genes that too few samples express (see `keep_expressed`)."""
        if self.tables is None or self.tables.raw_counts is None:
            return self
        kept = DesignInput.of_tables(keep_expressed(self.tables, least))
        return replace(kept, record=self.record, samples=self.samples)

    def cohort(self, trait: str, request: DesignRequest) -> DesignCohort:
        """Return the cohort with a design, in the form of one that was preprocessed."""
        origin = self.record
        tables = origin.get("tables") or origin
        return DesignCohort(
            trait,
            self.data,
            request,
            self.notes,
            self.warnings,
            list(origin.get("files_read") or tables.get("files") or ()),
            origin.get("series"),
            tables.get("distributions") or {},
        )


def of_contrast(
    given: DesignInput, request: DesignRequest, trait: str, analysis: AnalysisOptions
) -> tuple[DesignInput, DesignCohort]:
    """Return what is tested for a contrast, without genes that its groups express too little.

    Raises
    ------
    UsageError, AnalysisError
        If there is a mistake in the design.
    """
    cohort = given.cohort(trait, request)
    size = cohort.fitted(analysis.controls).group_size
    if analysis.filter_low:
        given = given.expressed(enough_samples(size))
        cohort = given.cohort(trait, request)
    return given, cohort


def of_survival(given: DesignInput, analysis: AnalysisOptions) -> DesignInput:
    """Return what the time to an event is tested in."""
    if not analysis.filter_low:
        return given
    return given.expressed(_EXPRESSED * len(given.data.samples))
