"""Genes associated with the time to an event: their table, and a page for each gene."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis import (
    SURVIVAL_FILES,
    SurvivalResult,
    log_rank_test,
    read_events,
    read_survival,
    split_by_level,
)
from genotex.app.downloads import send_figure
from genotex.app.pages import not_found, render, workbench_of
from genotex.app.study import line_of
from genotex.app.tables import PageTable, Rows, columns, facts_of
from genotex.cohorts import OwnTables
from genotex.errors import AnalysisError, GenotexError
from genotex.figures import CurvePanel, GroupCurve, survival_curves
from genotex.studies import TablesRecord, find_tables

_TABLE = PageTable(
    "/survival",
    "gene",
    columns(
        ("gene", "Gene", "official symbol", "text"),
        ("hazard_ratio", "Hazard ratio", "per unit of log2 expression", "plain"),
        (".from", "95 % from", "lower confidence limit of the hazard ratio", "plain"),
        (".to", "to", "upper confidence limit of the hazard ratio", "plain"),
        ("z", "z", "of the score test; positive: earlier events", "signed"),
        ("p", "p", "p-value of the score test", "p"),
        ("q", "q", "q-value (false discovery rate) over the genes tested", "p"),
        ("mean", "Mean", "mean log2 expression", "plain"),
    ),
    to="/survival/gene",
    key="gene",
    filters={
        "significant": pl.col(".flag"),
        "significant, higher hazard": pl.col(".flag") & (pl.col("z") > 0),
        "significant, lower hazard": pl.col(".flag") & (pl.col("z") < 0),
    },
)
_GROUPS = ("low", "high")


def _opened(request: Request) -> tuple[str, Path, SurvivalResult]:
    """Return the analysis that an address names; folders are looked up among those found."""
    name = request.query_params.get("output", "")
    workspace = workbench_of(request).workspace
    folder = workspace.holding(SURVIVAL_FILES[1]).get(name)
    if folder is None or workspace.file(folder / SURVIVAL_FILES[0]) is None:
        what = f"a time to an event in {name!r}"
        raise not_found(what)
    states = [(folder / file).stat() for file in SURVIVAL_FILES]
    return name, folder, _read(folder, tuple((s.st_mtime_ns, s.st_size) for s in states))


@lru_cache(maxsize=4)
def _read(folder: Path, state: tuple[tuple[int, int], ...]) -> SurvivalResult:
    """Read an analysis; again when a file has changed."""
    del state
    return read_survival(folder)


def _shown(found: SurvivalResult) -> pl.DataFrame:
    """Return the table with the limits of the hazard ratio."""
    limits = {".from": pl.col("ci_low").exp(), ".to": pl.col("ci_high").exp()}
    flag = (pl.col("q") < found.method["options"]["q_cut"]).fill_null(False)
    return found.genes.with_columns(**limits, **{".flag": flag})


def _rows(request: Request) -> Rows:
    name, _, found = _opened(request)
    return Rows(_shown(found), {"output": name}, f"{Path(name).name}_survival_genes")


def survival(request: Request) -> Response:
    """Show the table of all genes."""
    name, _, found = _opened(request)
    values = _TABLE.values(request, _rows(request))
    line = line_of(request, "Result", {"output": name})
    return render(request, "survival.html.j2", name=name, found=found, line=line, **values)


def _gene(request: Request) -> tuple[str, SurvivalResult, dict[str, Any]]:
    name, _, found = _opened(request)
    gene = request.query_params.get("gene", "")
    rows = _shown(found).with_row_index("rank", 1).filter(pl.col("gene") == gene)
    if not rows.height:
        what = f"the gene {gene!r} of this analysis"
        raise not_found(what)
    return name, found, rows.row(0, named=True)


def one_gene(request: Request) -> Response:
    """Show one gene."""
    name, found, row = _gene(request)
    return render(
        request,
        "survival_gene.html.j2",
        line=line_of(request, "Result", {"output": name}),
        name=name,
        found=found,
        row=row,
        facts=facts_of(row, _TABLE.columns[1:]),
        drawn=_tables(request, name, found) is not None,
        place={"output": name},
    )


def _tables(request: Request, name: str, result: SurvivalResult) -> OwnTables | None:
    """Return the tables of an analysis that was started here, if they are still there."""
    workbench = workbench_of(request)
    for record in workbench.jobs.records():
        if isinstance(record, TablesRecord) and name == f"analyses/{record.name}":
            files = find_tables(workbench.workspace, record.tables)
            try:
                found = None if files is None else workbench.own_tables(files)
            except GenotexError:
                # A file of theirs is gone: the gene has no curves, and the rest of its page.
                return None
            return found if found is not None and _has_columns(found, result) else None
    return None


def _has_columns(tables: OwnTables, found: SurvivalResult) -> bool:
    survival = found.method["survival"]
    return {survival["time"], survival["event"]} <= set(tables.sample_table.columns)


def curves(request: Request) -> Response:
    """Send the Kaplan-Meier curves of the samples with low and with high expression."""
    name, found, row = _gene(request)
    tables = _tables(request, name, found)
    if tables is None or row["gene"] not in tables.genes:
        what = "the expression of this gene"
        raise not_found(what)
    rows = {sample: i for i, sample in enumerate(tables.samples)}
    chosen = np.array([rows[s] for s in found.method["samples"] if s in rows], dtype=np.intp)
    names = [found.method["survival"][key] for key in ("time", "event")]
    sheet = tables.sample_table[chosen.tolist()]
    values = tables.expression[chosen, tables.genes.index(row["gene"])]
    known = np.isfinite(values)
    for each in names:
        known &= sheet[each].is_not_null().to_numpy()
    time, event = (sheet[each].filter(pl.Series(known)).to_list() for each in names)
    try:
        times, events = np.array([float(each) for each in time]), read_events(event)
        groups = np.array(split_by_level(values[known]))
        test = log_rank_test(times, events, groups.tolist())
    except AnalysisError as error:
        return send_figure(request, None, str(error))
    curves = tuple(
        GroupCurve.of(group, times[groups == group], events[groups == group]) for group in _GROUPS
    )
    note = f"Log-rank test of the halves: p = {test.p:.2g}"
    return send_figure(request, survival_curves([CurvePanel("", "", curves)], names[0]), note)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/survival", survival),
        *_TABLE.routes(_rows),
        Route("/survival/gene", one_gene),
        Route("/survival/curves", curves),
    ]
