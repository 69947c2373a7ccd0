"""A gene across all traits and cohorts of an atlas, and a trait with its genes and cohorts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.atlas import tables as t
from genotex.app.atlas.atlases import none_first
from genotex.app.atlas.pages import atlas_of, condition_of
from genotex.app.downloads import send_figure
from genotex.app.pages import address, render, workbench_of
from genotex.app.tables import Row, Rows
from genotex.atlas import GeneFindings, TraitFindings
from genotex.errors import UsageError
from genotex.figures import Figure, ForestRow, TraitEffect, across_traits
from genotex.layout import OutputFolder
from genotex.studies import Workspace
from genotex.words import counted, interval, number, readable

_MOST_TRAITS = 40
"""In the figure of a gene; the table has all."""


def _analysis_link(workspace: Workspace, row: Row, gene: str = "") -> str | None:
    """Return the page of the analysis, or of a gene in it, that a result is from.

    None where the folder does not hold it: the atlas names the folders it was built from.
    """
    folder = Path(row["folder"])
    name = workspace.name_of(folder)
    if name is None or row["origin"] not in ("analysis", "meta"):
        return None
    output, trait, condition = OutputFolder(folder), row["trait"], row["condition"]
    several = row["origin"] == "meta"
    record = output.meta_genes if several else output.significant_genes
    if workspace.file(record(trait, condition)) is None:
        return None
    base, one = ("/cohorts", "/cohorts/gene") if several else ("/genes", "/gene")
    place = {"output": name, "trait": trait, "condition": condition, "gene": gene}
    return address(one if gene else base, place)


def _found(request: Request) -> GeneFindings:
    return atlas_of(request).gene(request.query_params.get("gene", ""))


def gene(request: Request) -> Response:
    """Show a gene; an unknown one with the names that are spelt alike."""
    loaded, asked = atlas_of(request), request.query_params.get("gene", "").strip()
    try:
        found = loaded.gene(asked)
    except UsageError as error:
        return render(
            request, "atlas_no_gene.html.j2", 404, atlas=loaded, asked=asked, text=str(error)
        )
    plain = found.traits.filter(pl.col("condition").is_null())
    return render(
        request,
        "atlas_gene.html.j2",
        atlas=loaded,
        found=found,
        counts={
            "traits": plain.height,
            "up": _significant(plain, "up"),
            "down": _significant(plain, "down"),
        },
        conditions=none_first(found.traits["condition"].unique()),
        chosen=condition_of(request),
        by_trait=t.GENE_TRAITS.part(request, _traits(request)),
        by_cohort=t.GENE_COHORTS.part(request, _cohorts(request)),
    )


def _significant(traits: pl.DataFrame, direction: str) -> int:
    return traits.filter(pl.col("significant") & (pl.col("direction") == direction)).height


def _place(request: Request, found: GeneFindings) -> dict[str, str]:
    return {"atlas": request.query_params.get("atlas", ""), "gene": found.gene}


def _traits(request: Request) -> Rows:
    found = _found(request)
    rows = t.shown(found.traits, "trait", "condition", flag=pl.col("significant"))
    return t.rows(rows, _place(request, found), f"{found.gene}_traits")


def _cohorts(request: Request) -> Rows:
    found, workspace = _found(request), workbench_of(request).workspace
    rows = t.shown(
        found.cohorts, "cohort", "trait", "condition", "tissue", flag=pl.col("significant")
    )

    def link(row: Row) -> str | None:
        return _analysis_link(workspace, row, found.gene)

    return t.rows(rows, _place(request, found), f"{found.gene}_cohorts", link)


def forest(request: Request) -> Response:
    """Send the effects of a gene in all traits."""
    traits, chosen = _found(request).traits, condition_of(request)
    given = traits.filter(pl.col("condition").eq_missing(pl.lit(chosen, dtype=pl.String)))
    return send_figure(request, *_forest(given))


def _forest(traits: pl.DataFrame) -> tuple[Figure | None, str]:
    """Declare the effect of a gene in each trait with its interval, by p; and say what is drawn."""
    rows = traits.filter(pl.col("effect").is_not_null() & pl.col("ci_low").is_not_null())
    if not rows.height:
        return None, "No trait has a combined effect of this gene."
    effects = [_effect(row) for row in rows.head(_MOST_TRAITS).iter_rows(named=True)]
    kinds = frozenset(rows["kind"].to_list())
    label = {frozenset({"binary"}): "Hedges' g", frozenset({"continuous"}): "Fisher's z"}
    some = f"The {len(effects)} traits of {rows.height} with the smallest p"
    note = (
        f"{some if rows.height > len(effects) else 'By p'}. Filled: significant; hollow: not. "
        "Bars are 95 % intervals."
        + (" Diamonds: measured traits (Fisher's z)." if any(e.measured for e in effects) else "")
        + " A click opens the trait."
    )
    return across_traits(effects, label.get(kinds, "Hedges' g or Fisher's z")), note


def _effect(row: dict[str, Any]) -> TraitEffect:
    ends = interval(row["ci_low"], row["ci_high"])
    cohorts = counted(row["cohorts"], "cohort")
    written = f"{number(row['effect'], 'signed')} ({ends}), p {number(row['p'], 'p')}, {cohorts}"
    line = ForestRow(readable(row["trait"]), row["effect"], row["ci_low"], row["ci_high"], written)
    return TraitEffect(line, row["trait"], bool(row["significant"]), row["kind"] == "continuous")


def _trait_found(request: Request) -> TraitFindings:
    return atlas_of(request).trait(request.query_params.get("trait", ""), condition_of(request))


def trait(request: Request) -> Response:
    """Show the genes and the cohorts of a trait."""
    loaded, found = atlas_of(request), _trait_found(request)
    workspace = workbench_of(request).workspace
    place = {"trait": found.trait, "condition": found.condition}

    def link(row: Row) -> str | None:
        return _analysis_link(workspace, {**row, **place})

    return render(
        request,
        "atlas_trait.html.j2",
        atlas=loaded,
        found=found,
        significant=int(found.genes["significant"].sum()),
        conditions=none_first(found.conditions),
        compared=found.condition in loaded.conditions(),
        cohorts=t.COHORTS.plain(t.rows(found.cohorts, {}, "", link)),
        **t.GENES.values(request, _trait_genes(request)),
    )


def _trait_genes(request: Request) -> Rows:
    found = _trait_found(request)
    place = {
        "atlas": request.query_params.get("atlas", ""),
        "trait": found.trait,
        "condition": found.condition or "",
    }
    given = f"_given_{found.condition}" if found.condition else ""
    rows = t.shown(found.genes, "gene", flag=pl.col("significant"))
    return t.rows(rows, place, f"{found.trait}{given}_atlas_genes")


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/atlas/gene", gene),
        *t.GENE_TRAITS.routes(_traits),
        Route("/atlas/gene/forest", forest),
        Route("/atlas/gene/cohorts", gene),
        *t.GENE_COHORTS.routes(_cohorts),
        Route("/atlas/trait", trait),
        *t.GENES.routes(_trait_genes),
    ]
