"""A result as files: CSV, ranks, workbook, AnnData, page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl

import genotex
from genotex.analysis import describe_design_cohort
from genotex.errors import AnalysisError, UsageError
from genotex.extras import load_extra
from genotex.formats import CohortInfo, inert_frame
from genotex.io import atomic_write
from genotex.workflows import KEY

if TYPE_CHECKING:
    from anndata import AnnData

    from genotex.api.result import Result

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LONGEST_CELL = 32_000
"""Characters in a cell; Excel holds a few more."""
_WIDEST = 40


def write_csv(genes: pl.DataFrame, path: Path) -> Path:
    """Write a table of genes."""
    with atomic_write(path) as part, part.open("wb") as handle:
        inert_frame(genes).write_csv(handle)
    return path


def write_ranks(table: pd.DataFrame, statistic: str, path: Path) -> Path:
    """Write gene and statistic, separated by a tab, the largest first."""
    if statistic not in table.columns or not pd.api.types.is_numeric_dtype(table[statistic]):
        numbers = [name for name in table.columns if pd.api.types.is_numeric_dtype(table[name])]
        msg = f"the table has no statistic {statistic!r}; it has {', '.join(numbers)}"
        raise UsageError(msg)
    ranks = table[statistic].dropna()
    if not len(ranks) or statistic == "F":
        msg = (
            f"{statistic} gives the genes no direction, so that they cannot be ranked from higher "
            "to lower; test a single difference"
        )
        raise AnalysisError(msg)
    ordered = ranks.sort_values(ascending=False, kind="stable")
    with atomic_write(path) as part:
        ordered.to_csv(part, sep="\t", header=False, lineterminator="\n")
    return path


def write_workbook(result: Result, path: Path) -> Path:
    """Write a workbook; texts stay texts, whatever they begin with."""
    if path.suffix.lower() != ".xlsx":
        msg = f"{path} must end in .xlsx"
        raise UsageError(msg)
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    genes = result.table.reset_index()
    _sheet(book, "genes", list(genes.columns), genes.itertuples(index=False))
    samples = result.samples.reset_index()
    _sheet(book, "samples", list(samples.columns), samples.itertuples(index=False))
    _sheet(book, "quality", ["what", "value"], _quality(result))
    _sheet(book, "methods", ["what", "value"], _flat(result.method))
    with atomic_write(path) as part, part.open("wb") as handle:
        book.save(handle)
    return path


def _sheet(book: Any, title: str, headers: Sequence[str], rows: Any) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    sheet.freeze_panes = "B2"
    for number, header in enumerate(headers, 1):
        width = _WIDEST if header == "value" else max(12, min(len(str(header)) + 2, _WIDEST))
        sheet.column_dimensions[get_column_letter(number)].width = width

    def cell(value: Any, *, bold: bool = False) -> Any:
        if value is None or (isinstance(value, float) and not np.isfinite(value)):
            return None
        if isinstance(value, bool | np.bool_):
            value = "yes" if value else "no"
        if isinstance(value, int | float | np.number):
            return float(value)
        made = WriteOnlyCell(sheet)
        made.value, made.data_type = _CONTROL.sub("", str(value))[:_LONGEST_CELL], "s"
        if bold:
            made.font = Font(bold=True)
        return made

    sheet.append([cell(header, bold=True) for header in headers])
    for row in rows:
        sheet.append([cell(value) for value in row])


def _quality(result: Result) -> Iterator[tuple[str, Any]]:
    yield "samples", len(result.samples)
    yield "genes tested", len(result.table)
    yield "genes significant", len(result.significant)
    for warning in result.warnings:
        yield "warning", warning
    for note in result.notes:
        yield "note", note
    yield from _flat(result.method.get("quality", {}))


def _flat(record: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Return a record as rows of name and value, the name with its path."""
    if isinstance(record, Mapping):
        for key, value in record.items():
            yield from _flat(value, f"{name} / {key}" if name else str(key))
    elif isinstance(record, list | tuple):
        if all(not isinstance(value, Mapping | list | tuple) for value in record):
            yield name, ", ".join(map(str, record))
        else:
            for number, value in enumerate(record, 1):
                yield from _flat(value, f"{name} / {number}")
    else:
        yield name, record


def to_anndata(result: Result) -> AnnData:
    """Return the samples that took part, with the results in ``var``."""
    anndata = load_extra("anndata", "anndata", "AnnData")
    expression = result.expression
    var = pd.DataFrame(index=expression.columns).join(result.table)
    obs = result.samples.dropna(axis=1, how="all")
    obs.columns = [str(name).replace("/", "_") for name in obs.columns]
    found: AnnData = anndata.AnnData(expression.to_numpy(), obs=obs, var=var)
    found.uns[KEY] = {
        "cohort": result.name,
        "design": result.design,
        "contrast": result.contrast,
        "genotex_version": genotex.__version__,
        "warnings": list(result.warnings),
        "notes": list(result.notes),
        "record": json.dumps(
            {"method": result.method, "counts": dict(result.found.data.counts)}, default=str
        ),
    }
    return found


def write_page(result: Result, path: Path) -> Path:
    """Write the page of a problem for this result, and all genes as CSV next to it."""
    from genotex.reports import Findings, build_page, csv_frame, ranked, render_page
    from genotex.reports.pages import checked_page, write_page_files

    if path.suffix.lower() not in (".html", ".htm"):
        msg = f"{path} must end in .html"
        raise UsageError(msg)
    path = checked_page(path)
    found, given, name = result.found, result.given, result.found.result.trait
    origin, cohort = given.record, given.cohort(name, found.request)
    own = cohort.fitted(result.method["options"]["controls"])
    table, evidence = describe_design_cohort(cohort, own)
    if annotation := origin.get("annotation"):
        evidence = replace(
            evidence, source="GEO", reading=annotation, mapping=origin.get("mapping") or {}
        )
    findings = Findings.from_result(found.result, table)
    csv_name = path.with_suffix(".csv").name
    infos = {result.name: CohortInfo(**evidence.info)}
    page = build_page(evidence, table, infos, findings, csv_name=csv_name)
    return write_page_files(render_page(page), path, csv_frame(findings, ranked(findings)))
