"""Tables of one's own with the designs asked for, as `genotex de` and the workbench test them."""

from __future__ import annotations

from genotex.analysis import (
    DesignCohort,
    DesignData,
    DesignRequest,
    contrast_name,
    typed_columns,
)
from genotex.cohorts import OwnTables, enough_samples, keep_expressed
from genotex.errors import UsageError
from genotex.layout import trait_folder_name
from genotex.options import AnalysisOptions, DesignOptions

__all__ = ["prepare_designs", "survival_data"]

_EXPRESSED = 0.1
"""Share of the samples that must express a gene, where no groups are compared."""


def prepare_designs(
    tables: OwnTables, asked: DesignOptions, analysis: AnalysisOptions, trait: str | None = None
) -> tuple[list[DesignCohort], list[str]]:
    """Return the cohort with each contrast, and notes; any mistake in a design is found here."""
    prepared: list[DesignCohort] = []
    notes: list[str] = []
    for contrast in asked.contrasts:
        name = contrast_name(contrast)
        if trait is not None:
            start = trait_folder_name(trait)
            name = start if len(asked.contrasts) == 1 else f"{start}_{name}"
        one = _cohort(tables, asked, contrast, name)
        own = one.fitted(analysis.controls)
        if tables.counts and analysis.filter_low:
            kept = keep_expressed(tables, enough_samples(own.group_size))
            notes += kept.notes[len(tables.notes) :]
            one = _cohort(kept, asked, contrast, name)
        prepared.append(one)
    repeated = len({one.trait for one in prepared}) < len(prepared)
    if repeated:
        msg = "two contrasts have the same name; give different ones"
        raise UsageError(msg)
    return prepared, notes


def _cohort(tables: OwnTables, asked: DesignOptions, contrast: str, trait: str) -> DesignCohort:
    table = typed_columns(tables.sample_table.drop("sample"))
    data = DesignData(
        tables.name, tables.genes, tables.samples, tables.expression, table, tables.counts
    )
    request = DesignRequest(
        asked.design, contrast, tables.samples, table, asked.block, asked.missing, asked.levels
    )
    return DesignCohort(
        trait,
        data,
        request,
        tables.notes,
        tables.warnings,
        tables.record.get("files", ()),
        distributions=tables.record.get("distributions", {}),
    )


def survival_data(tables: OwnTables, analysis: AnalysisOptions) -> DesignData:
    """Return the tables as the time to an event is tested in them."""
    if tables.counts and analysis.filter_low:
        tables = keep_expressed(tables, _EXPRESSED * len(tables.samples))
    return DesignData(
        tables.name,
        tables.genes,
        tables.samples,
        tables.expression,
        tables.sample_table.drop("sample"),
        tables.counts,
    )
