"""Gene sets of an analysis: testing them, their table, and a page for each set."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis import TEST_COLUMNS, Enrichment
from genotex.analysis.gene_sets.enrichment import ranking, running_sum
from genotex.app.downloads import send_figure
from genotex.app.forms import OptionForm
from genotex.app.genes.pages import GENES, enrichment_of, readable_sets
from genotex.app.pages import (
    address,
    address_of,
    analysis_of,
    form_of,
    job_routes,
    not_found,
    refusals,
    render,
    visitor_of,
    workbench_of,
)
from genotex.app.study import result_line
from genotex.app.tables import PageTable, Rows, columns, facts_of
from genotex.errors import UsageError
from genotex.figures import Figure
from genotex.figures import running_sum as draw_running_sum
from genotex.genes import packaged_ontology
from genotex.options import EnrichmentOptions
from genotex.studies import LoadedAnalysis, SetsRecord, members_of, save_gene_sets, set_sources

_FORM = OptionForm(EnrichmentOptions())
_TABLE = PageTable(
    "/sets",
    "set",
    columns(
        ("Gene Set", "Gene set", "as in the file", "text"),
        ("Tested Genes", "Genes", "genes of the set that were tested", "count"),
        ("Fry Direction", "Change", "direction of the genes of the set (fry)", "text"),
        (
            "Shift",
            "Shift",
            "how far its genes are from all other genes, in standard errors",
            "signed",
        ),
        ("Fry q", "fry q", "q-value (false discovery rate) of fry: at all, in one direction", "p"),
        ("Mixed q", "mixed q", "q-value of fry: at all, in either direction", "p"),
        ("p", "camera p", "p-value of camera: more than the other genes", "p"),
        ("q", "camera q", "q-value of camera: more than the other genes", "p"),
        ("Inter-gene Correlation", "Correlation", "between the genes of the set", "signed"),
        ("Normalised Score", "Score", "normalised enrichment score", "signed"),
        ("Significant Genes", "Significant", "significant genes of the set", "count"),
        ("Expected", "By chance", "number of them that chance would give", "plain"),
        (
            "Overlap q",
            "overlap q",
            "over-representation (hypergeometric): q-value if genes were independent",
            "p",
        ),
    ),
    to="/set",
    key="set",
    sheet="gene sets",
)


def sets(request: Request) -> Response:
    """Show the form and the table."""
    analysis = analysis_of(request)
    found, problem = readable_sets(request, analysis)
    values = {} if found is None else _TABLE.values(request, _shown(request, analysis, found))
    return render(
        request,
        "sets.html.j2",
        line=result_line(request, analysis.result.cohort),
        analysis=analysis,
        sources=_sources(request),
        ontology=packaged_ontology(),
        form=_FORM,
        found=found,
        problem=problem,
        job=_under_way(request, analysis),
        **{"place": address_of(request), **values},
    )


def _sources(request: Request) -> dict[str, str]:
    """Return the sets that can be chosen: packaged ones by what they are, files by their names."""
    about, found = packaged_ontology(), set_sources(workbench_of(request).workspace)
    return {
        key: key if isinstance(source, Path) else about.title(source.removeprefix("go-"))
        for key, source in found.items()
    }


def _known(request: Request, analysis: LoadedAnalysis) -> Enrichment:
    found = enrichment_of(request, analysis)
    if found is None:
        msg = "a test of gene sets of this analysis"
        raise not_found(msg)
    return found


def _filters(found: Enrichment) -> dict[str, pl.Expr]:
    options = found.record["options"]
    direction, _, q = TEST_COLUMNS[options["test"]]
    low = pl.col(q) < options["q_cut"]
    return {
        "significant": low,
        "significant, higher": low & (pl.col(direction) == "up"),
        "significant, lower": low & (pl.col(direction) == "down"),
    }


def _rows(request: Request) -> Rows:
    analysis = analysis_of(request)
    return _shown(request, analysis, _known(request, analysis))


def _shown(request: Request, analysis: LoadedAnalysis, found: Enrichment) -> Rows:
    filters = _filters(found)
    frame = found.sets.with_columns(filters["significant"].fill_null(False).alias(".flag"))
    name = f"{analysis.result.trait}_{analysis.result.cohort}_gene_sets"
    return Rows(frame, address_of(request), name, filters=filters)


async def test(request: Request) -> Response:
    """Let the sets of a file of the folder, or of one that was sent, wait to be tested."""
    async with form_of(request) as form:
        sent = form.get("sent")
        content = await sent.read() if isinstance(sent, UploadFile) and sent.filename else None
        name = sent.filename or "" if isinstance(sent, UploadFile) else ""
        with refusals():
            job = await run_in_threadpool(_submit, request, form, name, content)
    return render(request, "job.html.j2", job=job)


def _submit(request: Request, form: FormData, name: str, content: bytes | None) -> SetsRecord:
    """Keep what was sent, and let the test wait for its turn."""
    workbench, analysis = workbench_of(request), analysis_of(request)
    workspace, (options,) = workbench.workspace, _FORM.read(form)
    workbench.jobs.check_room(visitor_of(request).user)
    chosen = str(form.get("file", ""))
    if content is not None:
        chosen = save_gene_sets(workspace, name, content)
    if chosen not in set_sources(workspace):
        msg = "choose gene sets of the list, or a file (GMT)"
        raise UsageError(msg)
    output, result = analysis.output, analysis.result
    target = output.enrichment(result.trait, result.condition)
    if not workspace.holds(target) or not workspace.holds(target.with_suffix(".csv")):
        msg = "the place of the result"
        raise not_found(msg)
    record = SetsRecord(
        name=workbench.jobs.new_name("sets", result.trait),
        created=time.time(),
        output=address_of(request)["output"],
        trait=result.trait,
        condition=result.condition,
        file=chosen,
        options=options,
    )
    workbench.jobs.submit(record, visitor_of(request).user)
    return record


def _under_way(request: Request, analysis: LoadedAnalysis) -> SetsRecord | None:
    """Return the test of this analysis that waits or runs."""
    mine = analysis.result.trait, analysis.result.condition, address_of(request)["output"]
    tests = (each for each in workbench_of(request).jobs.records() if isinstance(each, SetsRecord))
    found = (t for t in tests if t.open and (t.trait, t.condition, t.output) == mine)
    return next(found, None)


def _one(request: Request) -> tuple[LoadedAnalysis, Enrichment, dict[str, Any]]:
    """Return the analysis, its sets, and the row of the set that an address names."""
    analysis = analysis_of(request)
    found = _known(request, analysis)
    name = request.query_params.get("set", "")
    rows = found.sets.filter(pl.col("Gene Set") == name)
    if not rows.height:
        msg = f"the gene set {name!r} of this analysis"
        raise not_found(msg)
    return analysis, found, rows.row(0, named=True)


def _one_set(request: Request) -> Response:
    """Show one set."""
    analysis, found, row = _one(request)
    genes = members_of(workbench_of(request).workspace, found, row["Gene Set"])
    known = set(genes or ())
    members = analysis.genes.filter(pl.col("Variable").is_in(known))
    return render(
        request,
        "set.html.j2",
        line=result_line(request, analysis.result.cohort),
        analysis=analysis,
        row=row,
        facts=facts_of(row, _TABLE.columns[1:]),
        genes=genes,
        members=GENES.plain(Rows(members, address_of(request), "", columns=analysis.columns)),
        file=found.record["gene_sets"].get("file", ""),
        drawn=genes is not None and _running_sum_of(analysis, genes) is not None,
        place=address_of(request),
    )


def running(request: Request) -> Response:
    """Send the running sum of a set."""
    analysis, enrichment, row = _one(request)
    genes = members_of(workbench_of(request).workspace, enrichment, row["Gene Set"])
    found = None if genes is None else _running_sum_of(analysis, genes)
    if found is None:
        msg = "the running sum of this set"
        raise not_found(msg)
    return send_figure(request, found)


def mark(request: Request) -> Response:
    """Highlight the genes of a set, and go to the plots."""
    _, found, row = _one(request)
    workbench = workbench_of(request)
    genes = members_of(workbench.workspace, found, row["Gene Set"])
    if genes is None:
        msg = "the file of this set"
        raise not_found(msg)
    workbench.marked[visitor_of(request).user] = genes
    return Response(headers={"HX-Redirect": address("/genes", dict(address_of(request)))})


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/sets", sets, methods=["GET"]),
        Route("/sets", test, methods=["POST"], name="tests gene sets"),
        *job_routes("/sets", SetsRecord, "this test of gene sets"),
        *_TABLE.routes(_rows),
        Route("/set", _one_set),
        Route("/set/running", running),
        Route("/set/mark", mark, methods=["POST"], name="highlights the genes of a set"),
    ]


_MOST_POINTS = 1500


def _running_sum_of(analysis: LoadedAnalysis, genes: tuple[str, ...]) -> Figure | None:
    """Declare the running sum of a set along the ranking."""
    ranked = ranking(analysis.result, analysis.incomplete)
    if ranked is None:
        return None
    names, statistic = ranked
    known = set(genes)
    members = np.array([name in known for name in names])
    hits = np.flatnonzero(members)
    if not len(hits):
        return None
    return draw_running_sum(running_sum(members, statistic), hits, names, statistic)
