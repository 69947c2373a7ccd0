"""Own tables and a design to genes, files and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from genotex.analysis import (
    AnalysisResult,
    DesignCohort,
    DesignData,
    DesignRequest,
    ProblemOutcome,
    SurvivalResult,
    contrast_name,
    fit_survival,
    one_spelling,
    solve_problems,
    typed_columns,
    write_design_cohort,
    write_gene_files,
    write_r_files,
    write_survival,
)
from genotex.cohorts import OwnTables, enough_samples, keep_expressed
from genotex.errors import UsageError
from genotex.figures import save_figures
from genotex.layout import OutputFolder, trait_folder_name
from genotex.options import AnalysisOptions, DesignOptions, FigureOptions, MissingValues
from genotex.problems import Problem
from genotex.reports import SurvivalSource, figures_of_survival, write_report, write_survival_report
from genotex.workflows.progress import Progress, silent

_EXPRESSED = 0.1
"""Share of the samples that must express a gene, where no groups are compared."""


@dataclass(frozen=True, eq=False)
class DesignInput:
    """What a design is fitted to, and what is known of its origin."""

    data: DesignData  # Expression, and the columns of the samples that a design may use
    samples: pl.DataFrame  # All columns of the samples
    notes: tuple[str, ...] = ()  # How they were read
    warnings: tuple[str, ...] = ()
    # As of `OwnTables`, or of a cohort in `uns`
    record: Mapping[str, Any] = field(default_factory=dict)
    # Own tables with their counts, from which genes with few counts can be left out
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
            tables.kind,
            tables.measures,
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


def contrasts_of(
    given: DesignInput,
    design: str,
    contrasts: Sequence[str],
    analysis: AnalysisOptions,
    name: Callable[[str], str] = contrast_name,
    *,
    block: str | None = None,
    missing: MissingValues = "error",
    order: Mapping[str, tuple[str, ...]] | None = None,
) -> Iterator[tuple[DesignInput, DesignCohort]]:
    """Give what each contrast is tested in, without genes that its groups express too little.

    `name` makes the name of a result of its contrast; `order` gives the levels of factors.

    Raises
    ------
    UsageError, AnalysisError
        If there is a mistake in the design.
    """
    typed = typed_columns(given.data.table)
    typed, spelled = one_spelling(typed, design, contrasts)
    given = replace(given, notes=(*given.notes, *spelled))
    for contrast in contrasts:
        request = DesignRequest(
            design, contrast, given.data.samples, typed, block, missing, order or {}
        )
        kept, cohort = given, given.cohort(name(contrast), request)
        size = cohort.fitted(analysis.controls).group_size
        if analysis.filter_low:
            kept = given.expressed(enough_samples(size))
            cohort = kept.cohort(cohort.trait, request)
        yield kept, cohort


def of_survival(given: DesignInput, analysis: AnalysisOptions) -> DesignInput:
    """Return what the time to an event is tested in."""
    if not analysis.filter_low:
        return given
    return given.expressed(_EXPRESSED * len(given.data.samples))


def prepare_designs(
    tables: OwnTables, asked: DesignOptions, analysis: AnalysisOptions, trait: str | None = None
) -> tuple[list[DesignCohort], list[str]]:
    """Return the cohort with each contrast, and notes; any mistake in a design is found here.

    `trait` is the name of the result, by default that of the contrast.

    Raises
    ------
    UsageError
        If the design names what is not there, or two contrasts have the same name.
    AnalysisError
        If it cannot be estimated.
    """

    def name(contrast: str) -> str:
        if trait is None:
            return contrast_name(contrast)
        start = trait_folder_name(trait)
        return start if len(asked.contrasts) == 1 else f"{start}_{contrast_name(contrast)}"

    given = DesignInput.of_tables(tables)
    found = contrasts_of(
        given, asked.design, asked.contrasts, analysis, name,
        block=asked.block, missing=asked.missing, order=asked.levels,
    )  # fmt: skip
    prepared: list[DesignCohort] = []
    notes: list[str] = []
    for kept, cohort in found:
        notes += [note for note in kept.notes[len(given.notes) :] if note not in notes]
        prepared.append(cohort)
    if len({one.trait for one in prepared}) < len(prepared):
        msg = "two contrasts have the same name; give different ones"
        raise UsageError(msg)
    return prepared, notes


@dataclass(frozen=True)
class DesignsTested:
    """The contrasts of a design, tested."""

    outcomes: tuple[ProblemOutcome, ...]  # One for each contrast
    # By trait: ``genes.csv``, ``analysis.R`` and the report of each contrast with a result
    genes: dict[str, Path]
    scripts: dict[str, Path]
    reports: dict[str, Path]

    @property
    def results(self) -> list[AnalysisResult]:
        """The results, without contrasts that could not be tested."""
        return [outcome.result for outcome in self.outcomes if outcome.result is not None]

    @property
    def problems(self) -> list[Problem]:
        """The problems that the contrasts became."""
        return [outcome.problem for outcome in self.outcomes]

    def summary(self, outcome: ProblemOutcome) -> dict[str, Any]:
        """Return the facts of a contrast with its files."""
        trait = outcome.problem.trait
        files = {"genes.csv": self.genes, "report": self.reports, "analysis.R": self.scripts}
        paths = {name: of.get(trait) for name, of in files.items()}
        shown = {name: None if path is None else str(path) for name, path in paths.items()}
        return {**outcome.summary(), **shown}


def analyze_designs(
    prepared: Sequence[DesignCohort],
    analysis: AnalysisOptions,
    output: OutputFolder,
    progress: Progress = silent,
) -> DesignsTested:
    """Test contrasts that were prepared, and write tables of genes, R scripts and reports.

    Raises
    ------
    UsageError
        If an option makes no sense for these tables.
    """
    options = replace(analysis, cohort=prepared[0].data.name)
    for number, one in enumerate(prepared):
        progress("writing the linked tables", number, len(prepared), one.trait)
        write_design_cohort(output, one, analysis.controls)
    problems = [Problem(one.trait, None) for one in prepared]
    outcomes = solve_problems(output, problems, options, progress=progress)
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    genes = write_gene_files(output, results)
    scripts = write_r_files(output, results, {o.trait: o.data.linked(o.trait) for o in prepared})
    reports = {}
    for number, result in enumerate(results):
        progress("writing the reports", number, len(results), result.trait)
        reports[result.trait] = write_report(output, result.trait, None)
    return DesignsTested(tuple(outcomes), genes, scripts, reports)


@dataclass(frozen=True)
class SurvivalTested:
    """The time to an event, tested, and the files written."""

    found: SurvivalResult
    genes: Path
    record: Path
    report: Path


def analyze_survival(
    tables: OwnTables,
    asked: DesignOptions,
    analysis: AnalysisOptions,
    output: OutputFolder,
    progress: Progress = silent,
) -> SurvivalTested:
    """Test the time to an event; write the table of genes, the record and the report.

    Raises
    ------
    UsageError
        If a column is not there or an option makes no sense.
    AnalysisError
        If there are too few events, or the design cannot be estimated.
    """
    progress("testing genes", 0, None, "")
    found = fit_survival(of_survival(DesignInput.of_tables(tables), analysis).data, asked, analysis)
    output.root.mkdir(parents=True, exist_ok=True)
    genes, record = write_survival(output.root, found)
    progress("writing the report", 0, 1, "")
    source = SurvivalSource(
        tables.name, tables.record["files"], tables.notes, tables.warnings, tables.counts
    )
    report = write_survival_report(output.root / "survival.html", found, source)
    return SurvivalTested(found, genes, record, report)


def save_survival_figures(
    output: OutputFolder, tested: SurvivalTested, asked: FigureOptions
) -> list[Path]:
    """Write the figures of a time to event to files; none where no format is asked for."""
    if not asked.formats:
        return []
    figures, folder = figures_of_survival(tested.found), output.root / "survival"
    return save_figures(figures, folder, asked.formats, width=asked.width, text=asked.text)
