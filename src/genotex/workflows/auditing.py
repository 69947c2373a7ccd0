"""Cohorts of any kind to their audit: series, own tables, and what was preprocessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis import (
    AuditedCohort,
    AuditFinding,
    CheckResult,
    CohortAudit,
    CohortsAudit,
    audit_across,
    audit_cohort,
)
from genotex.clinical import expert_of
from genotex.cohorts import (
    PreparedCohort,
    PreprocessOptions,
    prepare_tcga_cohort,
    read_geo_cohort,
    read_with_values,
)
from genotex.errors import GenotexError, UsageError
from genotex.features import feature_named
from genotex.formats import (
    MISSING_WORDS,
    Evidence,
    ExpressionMatrix,
    LinkedTable,
    TableFile,
    find_evidence,
    read_cohort_info,
    read_linked,
    read_table_file,
    table_format,
)
from genotex.layout import (
    SERIES_ACCESSION,
    GeoCohortFiles,
    InputFolder,
    OutputFolder,
    TcgaCohortFiles,
    series_at,
)
from genotex.options import AuditOptions
from genotex.workflows.progress import Progress, silent

_SERIES_FILE = re.compile(r"series_matrix|_family\.soft", re.IGNORECASE)
_SHEET = re.compile(r"[._ -]?(samples?|sample_?sheet|sheet|pheno(type|data)?|clinical)$", re.I)
_GROUP_COLUMNS = (
    "group", "condition", "disease", "disease state", "status", "diagnosis", "case", "phenotype",
    "trait",
)  # fmt: skip
_CONTROL = re.compile(
    r"control|normal|healthy|\bwt\b|wild|vehicle|untreated|^0$|^no$|^false$", re.I
)
_MOST_GROUPS = 8
_MOSTLY = 0.5
_READING = ("reading", "Reading the files")


@dataclass(frozen=True)
class CohortSource:
    """A cohort that can be audited: its name, and what reads it."""

    name: str
    read: Callable[[], AuditedCohort | str]  # A text states why there is nothing to audit


def audit(sources: Sequence[CohortSource], progress: Progress = silent) -> CohortsAudit:
    """Audit cohorts, each on its own and together; one that cannot be read is a finding.

    Raises
    ------
    UsageError
        If the only cohort cannot be audited as asked.
    """
    read: list[AuditedCohort] = []
    audits: list[CohortAudit] = []
    for number, source in enumerate(sources):
        progress("auditing", number, len(sources), source.name)
        try:
            cohort = source.read()
        except GenotexError as error:
            if len(sources) == 1 and isinstance(error, UsageError):
                raise
            why, do = (
                f"It cannot be read: {_ended(str(error))}",
                "Correct what the message names.",
            )
            audits.append(_not_audited(source.name, AuditFinding("serious", why, do)))
            continue
        if isinstance(cohort, str):
            why, do = (
                f"It was not audited: {_ended(cohort)}",
                "Add what is lacking, and audit again.",
            )
            audits.append(_not_audited(source.name, AuditFinding("warning", why, do)))
            continue
        read.append(cohort)
        audits.append(audit_cohort(cohort))
    step = partial(progress, "people in two cohorts")
    return CohortsAudit(tuple(audits), audit_across(read, step))


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _not_audited(name: str, found: AuditFinding) -> CohortAudit:
    return CohortAudit(name, (), (CheckResult(*_READING, (found,)),))


def find_sources(
    place: Path, samples: Path | None = None, options: AuditOptions | None = None
) -> list[CohortSource]:
    """Return the cohorts of a folder, a series, a table, or an accession of the folder ``input``.

    Raises
    ------
    UsageError
        If there is none.
    """
    options = options or AuditOptions()
    if samples is not None:
        for path in (place, samples):
            if not path.exists():
                msg = f"{path} does not exist; give the expression table, then the sample table"
                raise UsageError(msg)
        found = [_table(place, samples, options)]
    elif place.is_dir() or (place.is_file() and _SERIES_FILE.search(place.name)):
        found = _in_folder(place, options)
    elif place.is_file():
        found = [_table(place, None, options)]
    else:
        found = _by_accession(place, options)
    if options.cohorts:
        wanted = {name.casefold() for name in options.cohorts}
        found = [source for source in found if source.name.casefold() in wanted]
    if not found:
        msg = f"{place} holds no cohort to audit"
        if options.cohorts:
            msg += f" called {', '.join(options.cohorts)}"
        msg += "; give a folder with GEO/<Trait>/<GSE>/, the folder of a series, or a table"
        raise UsageError(msg)
    return found


def _by_accession(place: Path, options: AuditOptions) -> list[CohortSource]:
    name = str(place)
    if not SERIES_ACCESSION.fullmatch(name):
        msg = f"{name} does not exist; give a folder, a table, or the accession of a series"
        raise UsageError(msg)
    for root in (Path("input"), Path()):
        if (root / "GEO").is_dir():
            found = [s for s in _in_folder(root, options) if s.name == name.upper()]
            if found:
                return found
    msg = f"{name} is in no folder 'input' here; fetch it: genotex fetch geo {name} --output input"
    raise UsageError(msg)


def _in_folder(place: Path, options: AuditOptions) -> list[CohortSource]:
    if (place / "GEO").is_dir() or (place / "TCGA").is_dir():
        folder = InputFolder(place)
        trait = options.trait
        every = [*folder.series().values()] if trait is None else folder.geo_cohorts(trait)
        series = [_series(files, options) for files in every]
        studies = folder.tcga_folders()
        return series + [CohortSource(f.name, partial(_read_tcga, f, options)) for f in studies]
    if (place / "preprocess").is_dir():
        return _preprocessed(OutputFolder(place), options)
    parent = options.trait or (place.parent.name if place.parent.parent.name == "GEO" else "")
    loose = [replace(files, trait=parent) for files in series_at(place).values()]
    return [_series(files, options) for files in loose] or _tables(place, options)


def _tables(place: Path, options: AuditOptions) -> list[CohortSource]:
    """Return the tables of a folder that have a sample sheet of the same name beside them."""
    sheets: dict[str, Path] = {}
    others: dict[str, Path] = {}
    for path in sorted(place.iterdir()):
        if path.name.startswith(".") or not path.is_file() or not _is_table(path):
            continue
        stem = re.sub(r"(\.(gz|bz2|zst|xz))?$", "", path.name).rpartition(".")[0]
        bare = _SHEET.sub("", stem)
        if bare != stem:
            sheets[bare] = path
        else:
            others.setdefault(stem, path)
    found = [_table(others[stem], sheets[stem], options) for stem in others if stem in sheets]
    if not found and len(others) == 1 and len(sheets) <= 1:
        (only,) = others.values()
        found = [_table(only, next(iter(sheets.values()), None), options)]
    if not found and len(others) == 2 and not sheets:
        large, small = sorted(others.values(), key=lambda p: -p.stat().st_size)
        found = [_table(large, small, options)]
    return found


def _is_table(path: Path) -> bool:
    try:
        table_format(path)
    except UsageError:
        return False
    return True


def _series(files: GeoCohortFiles, options: AuditOptions) -> CohortSource:
    trait = options.trait or files.trait
    return CohortSource(files.cohort, partial(_read_series, replace(files, trait=trait), options))


def _read_series(files: GeoCohortFiles, options: AuditOptions) -> AuditedCohort | str:
    settings = PreprocessOptions(scale=options.scale)
    prepared, raw = read_geo_cohort(files, expert_of(settings), settings)
    given = raw.series.expression
    return audited_series(prepared, given if given is not None and given.ids else None)


def _read_tcga(files: TcgaCohortFiles, options: AuditOptions) -> AuditedCohort | str:
    settings = PreprocessOptions(scale=options.scale)
    prepared = prepare_tcga_cohort(files, files.name, "audited", settings)
    return audited_series(replace(prepared, cohort=files.name))


def audited_series(
    prepared: PreparedCohort, given: ExpressionMatrix | None = None
) -> AuditedCohort | str:
    """Return a cohort as it is audited, with the values as given; or why it has no genes."""
    if prepared.genes is None:
        return prepared.why_no_genes
    matrix = prepared.genes.expression
    place = {sample: i for i, sample in enumerate(prepared.samples)}
    rows = [place[sample] for sample in matrix.samples]
    trait = prepared.trait_values
    table = LinkedTable(
        prepared.trait or "trait",
        matrix.samples,
        np.full(len(rows), np.nan) if trait is None else trait[rows],
        {name: codes[rows] for name, codes in prepared.covariates.items()},
        matrix.ids,
        np.ascontiguousarray(matrix.values.T, dtype=np.float64),
    )
    return AuditedCohort(
        prepared.cohort,
        table,
        prepared.roles,
        prepared.sample_facts,
        prepared.sample_texts,
        given,
        prepared.measures,
        "counts" if prepared.counts else prepared.genes.scale,
    )


def _preprocessed(output: OutputFolder, options: AuditOptions) -> list[CohortSource]:
    """Return the usable cohorts of an output folder."""
    found = []
    for trait in output.traits():
        if options.trait is not None and options.trait.replace(" ", "_") != trait:
            continue
        for name, info in read_cohort_info(output.cohort_info(trait)).items():
            if info.is_usable and output.linked_csv(trait, name).is_file():
                found.append(CohortSource(name, partial(_read_linked, output, trait, name)))
    return found


def _read_linked(output: OutputFolder, trait: str, name: str) -> AuditedCohort:
    return audited(name, read_linked(output, trait, name), find_evidence(output, trait, name))


def audited(name: str, table: LinkedTable, evidence: Evidence | None) -> AuditedCohort:
    """Return a preprocessed cohort as it is audited; its record is None where others made it."""
    if evidence is None:
        return AuditedCohort(name, table)
    scale = "counts" if evidence.counts else str(evidence.mapping.get("scale", ""))
    facts, texts = evidence.sample_facts, evidence.sample_texts
    return AuditedCohort(
        name, table, evidence.roles, facts, texts, measures=evidence.measures, scale=scale
    )


def _table(expression: Any, samples: Any, options: AuditOptions) -> CohortSource:
    name = expression.name.split(".")[0] if isinstance(expression, Path) else "table"
    return table_source(name, expression, samples, options)


def table_source(name: str, expression: Any, samples: Any, options: AuditOptions) -> CohortSource:
    """Return tables of one's own, in files or in memory, as a cohort to audit."""
    return CohortSource(name, partial(_read_table, name, expression, samples, options))


def _read_table(name: str, expression: Any, samples: Any, options: AuditOptions) -> AuditedCohort:
    given, cells = expression, None
    unreadable: dict[str, str] = {}
    if isinstance(expression, Path) and expression.suffix == ".h5ad":
        samples = expression if samples is None else samples
    elif type(expression).__module__.split(".")[0] != "anndata":
        cells = read_table_file(expression, label="the expression table")
        given, unreadable = _without_text(cells)
        samples = _names_alone(given) if samples is None else samples
    tables, values = read_with_values(
        given, samples, platform=options.platform, scale=options.scale, name=name
    )
    sheet = tables.sample_table
    column = _group_column(sheet, options.group)
    table = LinkedTable(
        column or "group",
        tables.samples,
        _coded(sheet[column]) if column else np.full(len(tables.samples), np.nan),
        _sex(sheet),
        tables.genes,
        tables.expression,
    )
    facts = _facts(sheet, column)
    scale = str(tables.record["scale"]["scale"])
    return AuditedCohort(
        name,
        table,
        facts=facts,
        texts=facts,
        raw=values,
        measures=tables.measures,
        scale=scale,
        cells=cells,
        unreadable=unreadable,
    )


def _without_text(table: TableFile) -> tuple[TableFile, dict[str, str]]:
    """Return a table whose cells of text among numbers are missing, and these cells with places."""
    frame, changed = table.columns, []
    found: dict[str, str] = {}
    for i, column in enumerate(frame.get_columns()):
        if i == 0 or column.dtype.is_numeric():
            continue
        cells = column.str.strip_chars(' "')
        cells = cells.set(cells.is_in(list(MISSING_WORDS)), None)
        numbers = cells.cast(pl.Float64, strict=False)
        known = len(cells) - cells.null_count()
        if not known or numbers.count() < _MOSTLY * known:
            continue
        bad = (numbers.is_null() & cells.is_not_null()).arg_true().to_list()
        for row in bad:
            found.setdefault(str(cells[row]), f"{frame.item(row, 0)}, {table.header[i]}")
        changed.append(numbers.alias(column.name))
    return (replace(table, columns=frame.with_columns(changed)) if changed else table), found


def _names_alone(table: TableFile) -> pl.DataFrame:
    """Return a sample table of the names alone: those of the rows or columns that are fewer."""
    rows = [str(cell) for cell in table.columns.to_series(0).to_list()]
    names = rows if len(rows) < len(table.header) - 1 else list(table.header[1:])
    # A sample table has a second column.
    return pl.DataFrame({"sample": names, "group": pl.Series([None] * len(names), dtype=pl.String)})


def _group_column(sheet: pl.DataFrame, asked: str | None) -> str | None:
    """Return the column with the groups: the one asked for, else one that is called so."""
    columns = {name.casefold().replace("_", " "): name for name in sheet.columns}
    if asked is not None:
        if asked not in sheet.columns:
            msg = f"--group {asked}: the sample table has {', '.join(sheet.columns)}"
            raise UsageError(msg)
        return asked
    named = [columns[name] for name in _GROUP_COLUMNS if name in columns]
    return next((n for n in named if 2 <= sheet[n].drop_nulls().n_unique() <= _MOST_GROUPS), None)


def _coded(column: pl.Series) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return groups as numbers, controls as 0; numbers of many values as they are."""
    if column.dtype.is_numeric() and column.n_unique() > _MOST_GROUPS:
        return column.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(float)
    texts = column.cast(pl.String).to_list()
    levels = sorted({t for t in texts if t}, key=lambda t: (not _CONTROL.search(t), t))
    if {"case", "control"} <= set(levels):
        levels = ["control", "case"]  # As genotex has them; others are neither.
    code = {level: float(k) for k, level in enumerate(levels)}
    return np.array([code.get(text or "", np.nan) for text in texts])


def _sex(sheet: pl.DataFrame) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    for name in sheet.columns:
        feature = feature_named(name)
        if feature is None or feature.column != "Gender":
            continue
        cells = sheet[name].cast(pl.String).to_list()
        codes = [feature.parse(cell, name) if cell else None for cell in cells]
        if any(code is not None for code in codes):
            return {"Gender": np.array([np.nan if c is None else float(c) for c in codes])}
    return {}


def _facts(sheet: pl.DataFrame, group: str | None) -> Mapping[str, dict[str, str | None]]:
    samples = sheet["sample"].to_list()
    found = {}
    for name in sheet.columns:
        feature = feature_named(name)
        if name in ("sample", group) or (feature is not None and feature.column):
            continue
        cells = sheet[name].cast(pl.String).to_list()
        found[name] = dict(zip(samples, cells, strict=True))
    return found
