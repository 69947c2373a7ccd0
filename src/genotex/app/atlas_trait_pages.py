"""A trait of an atlas: its genes over all cohorts, and what the cohorts are."""

from __future__ import annotations

import polars as pl
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app import atlas_tables as t
from genotex.app.atlas_gene_pages import analysis_link
from genotex.app.atlas_pages import atlas_of, condition_of
from genotex.app.atlases import none_first
from genotex.app.pages import render, workbench_of
from genotex.atlas import TraitFindings
from genotex.reports.gene_table import GeneTableView

__all__ = ["routes"]


def _found(request: Request) -> TraitFindings:
    return atlas_of(request).trait(request.query_params.get("trait", ""), condition_of(request))


def trait(request: Request) -> Response:
    """Show the genes and the cohorts of a trait."""
    loaded, found = atlas_of(request), _found(request)
    workspace = workbench_of(request).workspace
    rows = found.cohorts.to_dicts()
    place = {"trait": found.trait, "condition": found.condition}
    return render(
        request,
        "atlas_trait.html.j2",
        atlas=loaded,
        found=found,
        significant=int(found.genes["significant"].sum()),
        conditions=none_first(found.conditions),
        compared=found.condition in loaded.conditions(),
        cohorts=GeneTableView(t.COHORTS, rows, len(rows), ""),
        links=[analysis_link(workspace, row | place) for row in rows],
        **t.GENES.values(request, _genes(request)),
    )


def _genes(request: Request) -> t.Rows:
    found = _found(request)
    place = {
        "atlas": request.query_params.get("atlas", ""),
        "trait": found.trait,
        "condition": found.condition or "",
    }
    given = f"_given_{found.condition}" if found.condition else ""
    rows = t.shown(found.genes, "gene", flag=pl.col("significant"))
    return t.Rows(rows, place, f"{found.trait}{given}_atlas_genes")


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [Route("/atlas/trait", trait), *t.GENES.routes(_genes)]
