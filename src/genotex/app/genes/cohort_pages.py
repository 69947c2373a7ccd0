"""All cohorts of a trait combined: table of genes, forest plots, heterogeneity, leave-one-out."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis import check_request
from genotex.analysis.meta import MetaResult, combine_effects, read_meta
from genotex.app.downloads import send_figure
from genotex.app.forms import OptionForm
from genotex.app.genes.plots import meta_forest
from genotex.app.pages import (
    address_of,
    form_of,
    job_routes,
    not_found,
    place_of,
    refusals,
    render,
    visitor_of,
    workbench_of,
)
from genotex.app.study import result_line
from genotex.app.tables import PageTable, Rows, facts_of, of_another
from genotex.errors import AnalysisError
from genotex.figures import ForestRow
from genotex.figures import forest as forest_figure
from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import meta_columns, meta_csv_frame, shown_genes
from genotex.studies import AnalysisRecord
from genotex.words import number

_FORM = OptionForm(AnalysisOptions(panel=False))
_TABLE = PageTable(
    "/cohorts",
    "gene",
    to="/cohorts/gene",
    key="gene",
    flag="Significant",
    filters={
        "significant": pl.col("Significant"),
        "replicating": pl.col("Replicates"),
        "cohorts differ (p of Q below 0.05)": pl.col("Q p") < 0.05,
        "same sign in every cohort": pl.col("Agreeing") == pl.col("Cohorts"),
    },
)


def _meta(request: Request) -> MetaResult | None:
    """Return the combined result that an address names, if there is one."""
    output, trait, condition = place_of(request)
    workspace = workbench_of(request).workspace
    path = workspace.file(output.meta_genes(trait, condition))
    if path is None or not workspace.holds(output.meta_table(trait, condition)):
        return None
    state = path.stat()
    return _read(output.root, trait, condition, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=3)
def _read(root: Path, trait: str, condition: str | None, changed: int, size: int) -> MetaResult:
    return read_meta(OutputFolder(root), trait, condition)


_shown = lru_cache(maxsize=3)(shown_genes)


def _known(request: Request) -> MetaResult:
    found = _meta(request)
    if found is None:
        msg = "a combination of the cohorts of this trait"
        raise not_found(msg)
    return found


def usable(request: Request) -> list[str]:
    """Return the usable cohorts of the trait."""
    output, trait, _ = place_of(request)
    path = workbench_of(request).workspace.file(output.cohort_info(trait))
    infos = {} if path is None else read_cohort_info(path)
    return [name for name, info in infos.items() if info.is_usable]


def cohorts(request: Request) -> Response:
    """Show what was combined, and the table of genes; or offer to combine."""
    meta, place = _meta(request), address_of(request)
    output, trait, condition = place_of(request)
    workspace = workbench_of(request).workspace
    analysed = workspace.file(output.significant_genes(trait, condition)) is not None
    values: dict[str, Any] = {"place": place}
    if meta is not None:
        values = _TABLE.values(request, _rows(request)) | {
            "agreement": _agreement(meta),
            "leading": meta.genes["Variable"][0],
        }
    return render(
        request,
        "cohorts.html.j2",
        line=result_line(request, *usable(request)),
        trait=trait,
        condition=condition,
        meta=meta,
        usable=usable(request),
        form=_FORM,
        analysed=analysed,
        report=workspace.file(output.meta_report(trait, condition)) is not None,
        **values,
    )


@lru_cache(maxsize=3)
def _agreement(meta: MetaResult) -> list[tuple[str, list[str]]]:
    """Return, for each cohort, which share of its significant genes has its sign in each other."""
    rows, cut = [], meta.method["options"]["q_cut"]
    for one in meta.cohorts:
        found = meta.effects.filter(pl.col(f"{one.name} q") < cut)
        own, shares = found[f"{one.name} Effect"].sign(), []
        for other in meta.cohorts:
            same = (own == found[f"{other.name} Effect"].sign()).drop_nulls()
            share = (
                f"{number(int(same.sum()) / len(same), 'share')} of {len(same):,}"
                if len(same)
                else ""
            )
            shares.append("" if other is one else share)
        rows.append((one.name, shares))
    return rows


def _rows(request: Request) -> Rows:
    """Return the genes; a file has all columns, those of each cohort among them."""
    meta = _known(request)
    genes = _shown(meta)
    return Rows(
        genes,
        address_of(request),
        f"{meta.trait}_cohorts_genes",
        columns=meta_columns(meta, genes),
        whole=of_another(lambda: meta_csv_frame(meta)),
    )


def _gene_of(request: Request) -> tuple[MetaResult, str]:
    meta, given = _known(request), request.query_params.get("gene", "")
    if given not in meta.genes["Variable"]:
        msg = f"the gene {given!r} of these cohorts"
        raise not_found(msg)
    return meta, given


def leave_one_out(meta: MetaResult, gene: str) -> list[dict[str, Any]]:
    """Return the combined effect of a gene without each of its cohorts, in turn."""
    row = meta.effects.row(meta.genes["Variable"].to_list().index(gene), named=True)
    names = [c.name for c in meta.cohorts if row[f"{c.name} Effect"] is not None]
    lines: list[dict[str, Any]] = []
    if len(names) < 3:
        return lines
    for left_out in names:
        kept = [name for name in names if name != left_out]
        effects = np.array([[row[f"{name} Effect"]] for name in kept])
        errors = np.array([[row[f"{name} Error"]] for name in kept])
        found = combine_effects(effects, errors)
        ends = [float(v[0]) for v in (found.effect, found.lower, found.upper)]
        if not meta.binary:
            ends = np.tanh(ends).tolist()
        # As the worst p of the table: strict where three or more are left, else the fixed effect's.
        p = found.strict_p if len(kept) > 2 else found.fixed_p
        middle, low, high = (number(value, "signed") for value in ends)
        lines.append(
            {
                "name": f"without {left_out}",
                "effect": ends[0],
                "low": ends[1],
                "high": ends[2],
                "text": f"{middle}  ({low} to {high})",
                "p": number(float(p[0]), "p"),
                "p_value": float(p[0]),
            }
        )
    return lines


def gene(request: Request) -> Response:
    """Show one gene over all cohorts."""
    meta, name = _gene_of(request)
    genes = _shown(meta)
    row = genes.row(by_predicate=pl.col("Variable") == name, named=True)
    output, trait, condition = place_of(request)
    analysed = workbench_of(request).workspace.file(output.significant_genes(trait, condition))
    return render(
        request,
        "cohort_gene.html.j2",
        line=result_line(request, *usable(request)),
        meta=meta,
        name=name,
        row=row,
        facts=facts_of(row, meta_columns(meta, genes)[1:]),
        forest=meta_forest(meta, name),
        left_out=leave_one_out(meta, name),
        analysed=analysed is not None,
        place=address_of(request),
    )


def forest(request: Request) -> Response:
    """Send the effects of a gene in every cohort."""
    return send_figure(request, meta_forest(*_gene_of(request)))


def without(request: Request) -> Response:
    """Send the combined effects of a gene without each cohort."""
    meta, name = _gene_of(request)
    label = "Hedges' g" if meta.binary else "partial correlation"
    rows = [
        ForestRow(each["name"], each["effect"], each["low"], each["high"], each["text"], 1.0)
        for each in leave_one_out(meta, name)
    ]
    return send_figure(request, forest_figure(rows, f"combined {label}", "without"))


async def combine(request: Request) -> Response:
    """Let the cohorts of an output folder wait to be combined."""
    async with form_of(request) as form:
        with refusals():
            await run_in_threadpool(_submit, request, *_FORM.read(form))
    return Response(headers={"HX-Redirect": "/analysis"})


def _submit(request: Request, options: AnalysisOptions) -> None:
    output, trait, condition = place_of(request)
    workbench, place = workbench_of(request), address_of(request)
    if _meta(request) is not None:
        msg = "the cohorts were combined already"
        raise AnalysisError(msg)
    for path in (output.meta_genes(trait, condition), output.meta_report(trait, condition)):
        if not workbench.workspace.holds(path):
            msg = "the place of the result"
            raise not_found(msg)
    workbench.jobs.check_room(visitor_of(request).user)
    record = AnalysisRecord(
        name="",
        trait=trait,
        condition=condition,
        series=usable(request),
        source=place["output"],
        every=True,
        by_sheet=[],
        options=options,
        created=time.time(),
        only_combine=True,
    )
    check_request(Problem(trait, condition), options, None)
    folder = workbench.jobs.new_folder(trait)
    workbench.jobs.submit(record.model_copy(update={"name": folder.name}), visitor_of(request).user)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/cohorts", cohorts, methods=["GET"]),
        Route("/cohorts", combine, methods=["POST"], name="combines the cohorts"),
        *job_routes("/cohorts", AnalysisRecord, "this analysis"),
        *_TABLE.routes(_rows),
        Route("/cohorts/gene", gene),
        Route("/cohorts/forest", forest),
        Route("/cohorts/without", without),
    ]
