"""Comparisons that a series was made for: found without a trait, and tested as designs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from genotex.analysis import DesignData, covariates_of_groups, named_pools
from genotex.clinical import (
    FeatureEncoding,
    SampleSheet,
    SeriesComparison,
    SeriesDescription,
    check_sample_sheet,
    describe_series,
    exclude_samples,
    expert_of,
    find_comparisons,
)
from genotex.cohorts import (
    PreparedCohort,
    PreprocessOptions,
    ProposedSheet,
    RawSeries,
    choose_file,
    read_geo_cohort,
    read_or_replay,
    sheet_of,
    shown_notes,
    with_expression,
)
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.features import feature_of_column
from genotex.formats import ExpressionMatrix, Role
from genotex.genes import GeneTable, read_orthologues
from genotex.layout import GeoCohortFiles, InputFolder, OutputFolder
from genotex.options import AnalysisOptions
from genotex.workflows.designs import DesignInput, DesignsTested, analyze_designs, contrasts_of
from genotex.workflows.progress import Progress, silent

_PERSON = "person_of_sample"
"""Column of people with several samples, whose correlation the tests allow for."""


@dataclass(frozen=True)
class SeriesComparisons:
    """What one series compares."""

    files: GeoCohortFiles
    raw: RawSeries
    description: SeriesDescription
    comparisons: tuple[SeriesComparison, ...]

    def chosen(self, name: str) -> SeriesComparison:
        """Return the comparison of a name, or of a number in the list.

        Raises
        ------
        UsageError
            If there is none; the message lists them.
        """
        if name.isdigit() and 1 <= int(name) <= len(self.comparisons):
            return self.comparisons[int(name) - 1]
        found = [c for c in self.comparisons if c.name.casefold() == name.casefold()]
        if not found:
            known = ", ".join(c.name for c in self.comparisons) or "none was found"
            msg = f"{self.files.cohort} has no comparison {name!r}; those found: {known}"
            raise UsageError(msg)
        return found[0]


def series_in(source: Path, cohorts: Sequence[str] = ()) -> list[GeoCohortFiles]:
    """Return the series of an input folder, or the one whose own folder or file it is.

    Raises
    ------
    UsageError
        If the folder holds no series, or not those that are named.
    """
    every = InputFolder(source).series()
    missing = [name for name in cohorts if name not in every]
    if missing or not every:
        msg = (
            f"{source} holds no series {', '.join(missing)}".rstrip()
            + f"; it holds {', '.join(every) or 'none'}"
        )
        raise UsageError(msg)
    return [every[name] for name in cohorts or every]


def comparisons_of(files: GeoCohortFiles, options: PreprocessOptions) -> SeriesComparisons:
    """Return what a series compares, by the texts of its samples alone."""
    raw = choose_file(files, options.series_platform)
    description = replace(describe_series(raw.series), cohort=files.cohort)
    left_out = exclude_samples(description, options.exclude) if options.exclude else {}
    found = [_without(c, set(left_out)) for c in find_comparisons(description)]
    kept = tuple(c for c in found if min(len(c.cases), len(c.controls)) > 1)
    return SeriesComparisons(files, raw, description, kept)


def propose_comparison(
    series: SeriesComparisons, comparison: SeriesComparison | None, options: PreprocessOptions
) -> ProposedSheet:
    """Return the rows of a sample sheet with the groups of a comparison; None for no groups.

    Pairs, or else the factors that are adjusted for, are in the columns ``pair`` and ``batch``.
    """
    raw, description = series.raw, series.description
    reading = read_or_replay(description, raw.series, "", expert_of(options), options)
    if comparison is not None:
        samples = (*comparison.cases, *comparison.controls)
        roles: dict[str, Role] = dict.fromkeys(comparison.controls, "healthy control")
        roles |= dict.fromkeys(comparison.cases, "case")
        sides = {"case": comparison.case, "control": comparison.control}
        reasons = {word: f"{comparison.key}: {level}" for word, level in sides.items()}
        trait = FeatureEncoding(
            "trait", None, comparison.key, "binary",
            {sample: float(roles[sample] == "case") for sample in samples}, roles,
            evidence=(comparison.text,), sample_field="sample", reasons=reasons,
        )  # fmt: skip
        adjusted = ["; ".join(v) for v in zip(*(v for _, v in comparison.columns), strict=True)]
        facts = dict(zip(samples, adjusted, strict=True)) if adjusted else {}
        name = "pair" if comparison.paired else "batch"
        reading = replace(reading, trait=trait, facts={**reading.facts, name: facts})
    proposed = sheet_of(description, with_expression(raw), reading, options, named_pools)
    return (
        proposed
        if comparison is None
        else replace(proposed, notes=(*proposed.notes, comparison.text))
    )


def by_sheet(
    series: SeriesComparisons, comparison: SeriesComparison | None, sheet: SampleSheet
) -> SeriesComparison:
    """Return a comparison with the groups, pairs and batches of a sample sheet.

    Raises
    ------
    SampleSheetError
        If the sheet does not fit the series.
    UsageError
        If its groups are numbers, or pairs or batches are given for some samples alone.
    """
    cohort, samples = series.files.cohort, series.description.samples
    check_sample_sheet(sheet, {cohort: samples}, [s for s in sheet.series if s != cohort])
    rows = {name: row for name, row in sheet.of(cohort, samples).items() if not row.exclude}
    cases = [name for name, row in rows.items() if row.role == "case"]
    controls = [name for name, row in rows.items() if row.role == "healthy control"]
    if not cases or not controls:
        msg = f"{sheet.path} has no case or no control; measured traits are tested with --trait"
        raise UsageError(msg)
    chosen = [rows[name] for name in (*cases, *controls)]
    columns = []
    for name, values in (
        ("pair", [row.pair for row in chosen]),
        ("batch", [str(row.features.get("batch", "")) for row in chosen]),
    ):
        if any(values) and not all(values):
            empty = ", ".join(r.sample for r, v in zip(chosen, values, strict=True) if not v)
            msg = f"{sheet.path}: the column {name} is empty for {empty}; fill it in, or empty it"
            raise UsageError(msg)
        if len(set(values)) > 1:
            columns.append((name, tuple(values)))
    own = comparison or SeriesComparison(
        "case_vs_control", "group", "sheet", "case", "control", (), (), has_control=True
    )
    people = dict(zip((*own.cases, *own.controls), own.repeated, strict=False))
    repeated = tuple(people.get(name, "") for name in (*cases, *controls))
    return replace(
        own,
        key=f"{own.key}, as in {sheet.path.name}",
        cases=tuple(cases),
        controls=tuple(controls),
        columns=tuple(columns),
        paired=any(name == "pair" for name, _ in columns),
        repeated=repeated if all(repeated) else (),
    )


def _without(comparison: SeriesComparison, left_out: set[str]) -> SeriesComparison:
    """Leave samples out of a comparison and of what it is adjusted for."""
    samples = (*comparison.cases, *comparison.controls)

    def kept(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(v for s, v in zip(samples, values, strict=True) if s not in left_out)

    return replace(
        comparison,
        cases=tuple(s for s in comparison.cases if s not in left_out),
        controls=tuple(s for s in comparison.controls if s not in left_out),
        columns=tuple((name, kept(values)) for name, values in comparison.columns),
        repeated=kept(comparison.repeated) if comparison.repeated else (),
    )


def compare(
    series: SeriesComparisons,
    comparison: SeriesComparison,
    options: PreprocessOptions,
    analysis: AnalysisOptions,
    output: OutputFolder,
    progress: Progress = silent,
    *,
    orthologues: Path | None = None,
) -> tuple[DesignsTested, tuple[str, ...]]:
    """Read the genes of a series, test one of its comparisons, and write what `genotex de` writes.

    `orthologues` is a table of genes of the species and their human orthologues. Returns what was
    tested, and the notes on where expression and genes come from.

    Raises
    ------
    FormatError
        If a file cannot be read, or the series has no gene expression.
    AnalysisError
        If too few samples of a side have expression.
    """
    files = series.files
    progress("reading cohorts", 0, 1, files.cohort)
    plain = replace(options, cases=(), controls=(), exclude=(), samples=None)
    prepared, _ = read_geo_cohort(replace(files, trait=""), expert_of(plain), plain)
    if prepared.genes is None:
        msg = f"no gene expression: {prepared.why_no_genes}"
        raise FormatError(msg, path=files.folder)
    matrix = prepared.genes.expression
    renamed: tuple[str, ...] = ()
    if orthologues is not None:
        pairs = read_orthologues(orthologues, GeneTable.load(options.gene_table))
        matrix, note = pairs.apply(matrix)
        renamed = (note,)
    given = _design_input(prepared, matrix, comparison, renamed)
    block = _PERSON if comparison.repeated else None
    design = "~ " + " + ".join(name for name in given.data.table.columns if name != block)
    contrast = f"group: {_level(comparison.case)} - {_level(comparison.control)}"
    found = contrasts_of(
        given, design, [contrast], analysis, lambda _: comparison.name, block=block
    )
    tested = analyze_designs([cohort for _, cohort in found], analysis, output, progress)
    return tested, (*shown_notes(prepared.notes), *renamed)


def _design_input(
    prepared: PreparedCohort,
    matrix: ExpressionMatrix,
    comparison: SeriesComparison,
    renamed: Sequence[str],
) -> DesignInput:
    """Return the samples of a comparison with their genes, factors and record."""
    table = _table(comparison, set(matrix.samples), prepared.cohort)
    table, remarks = _with_covariates(table, prepared)
    samples = tuple(table["sample"].to_list())
    place = {sample: j for j, sample in enumerate(matrix.samples)}
    values = matrix.values[:, [place[s] for s in samples]].T
    data = DesignData(
        prepared.cohort,
        matrix.ids,
        samples,
        np.ascontiguousarray(values, dtype=np.float64),
        table.drop("sample"),
        prepared.counts,
        prepared.value_kind,
        prepared.measures,
    )
    record = {
        "series": prepared.series,
        "files_read": [
            {"name": path.name, "size": path.stat().st_size, "used_for": purpose}
            for path, purpose in prepared.files
        ],
        "tables": {"distributions": prepared.distributions},
    }
    notes = (
        f"comparison found in the texts of the samples: {comparison.text}",
        *remarks,
        *prepared.notes,
        *renamed,
    )
    return DesignInput(data, table, notes, _warnings(comparison), record)


def _warnings(comparison: SeriesComparison) -> tuple[str, ...]:
    if not comparison.confounded:
        return ()
    others = ", ".join(comparison.confounded)
    return (f"the two groups also differ in {others}; the effects cannot be separated",)


def _table(comparison: SeriesComparison, measured: set[str], cohort: str) -> pl.DataFrame:
    """Return the samples with their group and the factors to adjust for."""
    samples = (*comparison.cases, *comparison.controls)
    levels = [_level(comparison.case)] * len(comparison.cases)
    levels += [_level(comparison.control)] * len(comparison.controls)
    columns: dict[str, Sequence[str]] = {"sample": samples, "group": levels}
    for name, values in comparison.columns:
        column = re.sub(r"\W+", "_", name).strip("_").lower() or "factor"
        column = column if column not in columns and not column[0].isdigit() else f"x_{column}"
        columns[column] = [
            f"{column}_{value}" if value[:1].isdigit() else value for value in values
        ]
    if comparison.repeated:
        columns[_PERSON] = comparison.repeated
    table = pl.DataFrame(columns).filter(pl.col("sample").is_in(measured))
    if table["group"].value_counts()["count"].min() < 2 or table["group"].n_unique() < 2:  # type: ignore[operator]
        msg = f"{cohort}: fewer than two samples on a side have expression"
        raise AnalysisError(msg)
    return table


def _with_covariates(
    table: pl.DataFrame, prepared: PreparedCohort
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Add age and sex as far as an analysis of a trait would adjust for them."""
    place = {sample: i for i, sample in enumerate(prepared.samples)}
    rows = [place[sample] for sample in table["sample"]]
    recorded = {name: codes[rows] for name, codes in prepared.covariates.items()}
    factors = table.drop("sample", "group", _PERSON, strict=False).to_dummies(drop_first=True)
    others = {name: factors[name].cast(pl.Float64).to_numpy() for name in factors.columns}
    cases = (table["group"] == table["group"][0]).to_numpy()
    kept, remarks = covariates_of_groups(recorded, cases, others)
    columns = []
    for column, values in kept.items():
        feature = feature_of_column(column)
        assert feature is not None
        cells = [feature.cell(value) if feature.levels else value for value in values.tolist()]
        columns.append(pl.Series(feature.name, cells))
    columns = [each for each in columns if each.name not in table.columns]
    return table.with_columns(columns), remarks


def _level(text: str) -> str:
    """Return a level as formulas can name it."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:40].strip("_") or "none"
    return plain if plain[0].isalpha() else f"x{plain}"
