"""A cohort with a design of its own on disk: its tables and records, and the short files for users.

In the output folder the cohort looks like any preprocessed one, and its record holds the design, so
that ``report``, ``enrich``, ``meta`` and ``analyze`` work on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import genotex
from genotex.analysis.designs.fitting import DesignData, result_table
from genotex.analysis.designs.own import OwnDesign, own_design
from genotex.analysis.designs.r_script import write_r_script
from genotex.analysis.designs.request import DesignRequest, sample_facts_of
from genotex.analysis.results.result import AnalysisResult
from genotex.arrays import Floats
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    Role,
    inert_frame,
    read_linked,
    table_digests,
    update_cohort_info,
    write_evidence,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.io import atomic_write
from genotex.layout import OutputFolder
from genotex.options import Controls
from genotex.procedure import Procedure

OWN_TABLES = "own tables"


@dataclass(frozen=True, eq=False)
class DesignCohort:
    """A cohort with its design, before it is written."""

    trait: str  # What the contrast is about, as a folder name
    data: DesignData  # The tables, and the design asked for
    request: DesignRequest
    notes: Sequence[str] = ()  # How the tables were read
    warnings: Sequence[str] = ()
    # ``name``, ``size``, ``used_for`` and ``sha256`` of what was read
    files: Sequence[Mapping[str, Any]] = ()
    series: Mapping[str, str] | None = None  # As in `Evidence.series`
    distributions: Mapping[str, Any] = field(default_factory=dict)  # As in `Evidence.distributions`

    def fitted(self, controls: Controls = "auto") -> OwnDesign:
        """Build the design, so that a mistake in it is found before anything is written."""
        return own_design(self.request, self.data.linked(self.trait), controls)


def write_design_cohort(
    output: OutputFolder, cohort: DesignCohort, controls: Controls = "auto"
) -> OwnDesign:
    """Write the linked table and the records of a cohort; the record that holds the design is last.

    Raises
    ------
    UsageError, AnalysisError
        As `own_design`; nothing is written then.
    """
    own = cohort.fitted(controls)
    trait, name = cohort.trait, cohort.data.name
    unfilled, evidence = describe_design_cohort(cohort, own)
    output.evidence(trait, name).unlink(missing_ok=True)
    path = output.linked_csv(trait, name)
    write_linked_csv(path, _filled(unfilled))
    write_linked_parquet(output.linked_parquet(trait, name), unfilled, csv=path)
    update_cohort_info(output.cohort_info(trait), name, CohortInfo(**evidence.info))
    digests = table_digests(output, trait, name)
    write_evidence(output.evidence(trait, name), replace(evidence, tables=digests))
    return own


def describe_design_cohort(cohort: DesignCohort, own: OwnDesign) -> tuple[LinkedTable, Evidence]:
    """Return the linked table of a cohort, with what is tested as its trait, and its record."""
    unfilled = _linked(cohort, own)
    info = CohortInfo.of_linked(
        biased=False,
        has_age="Age" in unfilled.covariates,
        has_gender="Gender" in unfilled.covariates,
        samples=len(unfilled.samples),
        note=f"own tables; design {cohort.request.formula}, contrast {cohort.request.contrast}",
    )
    return unfilled, Evidence(
        trait=cohort.trait,
        cohort=cohort.data.name,
        procedure=Procedure.SOUND,
        source=OWN_TABLES,
        genotex_version=genotex.__version__,
        files=[dict(file) for file in cohort.files],
        series=dict(cohort.series or {}),
        roles=_roles(own, unfilled),
        sample_facts=sample_facts_of(cohort.request),
        mapping={"value_kind": cohort.data.kind} if cohort.data.kind else {},
        counts=dict(cohort.data.counts),
        distributions=dict(cohort.distributions),
        measures=cohort.data.measures,
        notes=list(cohort.notes),
        warnings=list(cohort.warnings),
        info=asdict(info),
        design=cohort.request.as_json(),
    )


def _linked(cohort: DesignCohort, own: OwnDesign) -> LinkedTable:
    """Return the table with 1 and 0 for the two groups, or what is tested, as its trait."""
    table = cohort.data.linked(cohort.trait)
    values = np.full(len(table.samples), np.nan)
    difference = own.tested.difference
    if difference is None:
        values[own.rows] = own.contrast.values
    else:
        cells = np.array(own.design.column(str(own.tested.variable)), dtype=object).astype(str)
        up, down = difference
        values[own.rows] = np.select([cells == up, cells == down], [1.0, 0.0], np.nan)
    return replace(table, trait_values=values)


def _filled(table: LinkedTable) -> LinkedTable:
    """Return the table with the mean of a gene, or of a covariate, for missing values."""

    def fill(values: Floats) -> Floats:
        known = values[np.isfinite(values)]
        return np.where(np.isfinite(values), values, known.mean() if len(known) else 0.0)

    expression = table.expression
    if np.isnan(expression).any():
        expression = np.where(np.isnan(expression), np.nanmean(expression, axis=0), expression)
    covariates = {name: fill(values) for name, values in table.covariates.items()}
    return replace(table, covariates=covariates, expression=expression)


def _roles(own: OwnDesign, table: LinkedTable) -> dict[str, Role]:
    if own.tested.difference is None:
        return {}
    roles: dict[float, Role] = {1.0: "case", 0.0: "unknown"}
    return {
        sample: roles[value]
        for sample, value in zip(table.samples, table.trait_values.tolist(), strict=True)
        if value in roles
    }


def _gene_files(output: OutputFolder, results: Sequence[str]) -> dict[str, Path]:
    """Return the short table of genes of each contrast: ``genes.csv``, then with its name."""
    names = ["genes.csv", *(f"genes_{name}.csv" for name in results[1:])][: len(results)]
    return {name: output.root / file for name, file in zip(results, names, strict=True)}


def write_gene_files(output: OutputFolder, results: Sequence[AnalysisResult]) -> dict[str, Path]:
    """Write the tested genes of each contrast as CSV, and return the files by trait."""
    files = _gene_files(output, [result.trait for result in results])
    for result in results:
        with atomic_write(files[result.trait]) as part, part.open("wb") as handle:
            inert_frame(result_table(result)).write_csv(handle)
    return files


def write_r_files(
    output: OutputFolder,
    results: Sequence[AnalysisResult],
    tables: Mapping[str, LinkedTable] | None = None,
) -> dict[str, Path]:
    """Write the R script of each contrast next to its genes, and return the scripts by trait.

    `tables` are the linked tables by trait, not filled; without them they are read.
    """
    scripts: dict[str, Path] = {}
    for result in results:
        trait, cohort = result.trait, result.cohort
        suffix = "" if not scripts else f"_{trait}"
        linked = output.linked_csv(trait, cohort).relative_to(output.root).as_posix()
        table = read_linked(output, trait, cohort) if tables is None else tables[trait]
        scripts[trait] = write_r_script(output.root, result, table, linked, suffix=suffix)
    return scripts
