"""The tables of an atlas: columns, filters, and rows as its pages show them.

Columns whose name begins with a dot are for the page only. The first one is what a search finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis.results.columns import GeneColumn
from genotex.app.frame_table import FrameQuery, FrameView, Row, column
from genotex.app.genes.downloads import send_table
from genotex.app.pages import part_of_page, render

FLAG = ".significant"
_UP, _DOWN = pl.col("direction") == "up", pl.col("direction") == "down"
_PLAIN = pl.col("condition").is_null()


@dataclass(frozen=True)
class Rows:
    """Rows of a table: where they belong in an address, and the name of their file."""

    frame: pl.DataFrame
    place: Mapping[str, str]
    name: str
    link: Callable[[Row], str | None] | None = None


@dataclass(frozen=True, eq=False)
class _AtlasTable:
    """A table of the atlas: its view, its columns and its filters."""

    view: FrameView
    columns: tuple[GeneColumn, ...]
    filters: Mapping[str, pl.Expr]
    sheet: str = "atlas"

    def values(self, request: Request, rows: Rows) -> dict[str, Any]:
        """Return what the template needs; the query belongs to the table of that address."""
        frame, place = rows.frame, rows.place
        kept = [
            c
            for i, c in enumerate(self.columns)
            if not i or frame[c.name].null_count() < frame.height
        ]
        mine = request.url.path in (self.view.base, f"{self.view.base}/table")
        query = request.query_params if mine else {}
        around = {key: value for key, value in place.items() if key in ("atlas", "condition")}
        return self.view.values(frame, kept, self.filters, query, place, around, rows.link)

    def part(self, request: Request, rows: Rows) -> Markup:
        """Return the table with its search, for a page with several."""
        return part_of_page("frame_query.html.j2", **self.values(request, rows))

    def send(self, request: Request, rows: Rows) -> Response:
        """Send the rows, all pages and columns, as CSV or Excel."""
        found = FrameQuery.parse(request.query_params).apply(rows.frame, self.filters)
        joined = pl.col(pl.List(pl.String)).list.join("; ")
        kept = found.select(pl.exclude(r"^\..*$", "CI Lower", "CI Upper")).with_columns(joined)
        return send_table(kept, rows.name, request.url.path, self.sheet)

    def routes(self, rows: Callable[[Request], Rows]) -> list[Route]:
        """Return the routes of the table alone, and of its files."""

        def table(request: Request) -> Response:
            return render(request, "frame_table.html.j2", **self.values(request, rows(request)))

        def download(request: Request) -> Response:
            return self.send(request, rows(request))

        base = self.view.base
        return [
            Route(f"{base}/table", table),
            Route(f"{base}.csv", download),
            Route(f"{base}.xlsx", download),
        ]


def shown(frame: pl.DataFrame, *searched: str, flag: pl.Expr | None = None) -> pl.DataFrame:
    """Return rows with what the page needs: text to search, names in words, a flag, intervals."""
    words = pl.concat_str(searched, separator=" ", ignore_nulls=True).alias(".found by")
    parts: list[pl.Expr] = [words, pl.all()]
    for name in ("trait", "condition", "other", "platform", "tissue"):
        if name in frame.columns:
            parts.append(pl.col(name).str.replace_all("_", " ").alias(f".{name}"))
    parts.append((pl.lit(True) if flag is None else flag.fill_null(False)).alias(FLAG))
    if "ci_low" in frame.columns:
        # Under these names a table writes them as one interval.
        parts += [pl.col("ci_low").alias("CI Lower"), pl.col("ci_high").alias("CI Upper")]
    return frame.select(parts)


_TRAIT = column("trait", "Trait", "all results of it in the atlas", "text")
_GIVEN = column(".condition", "Given", "condition of the problem", "text")
_CHANGE = column("direction", "Change", "up is higher in cases, or with a higher level", "text")
_P = column("p", "p", "p-value", "p")
_Q = column("q", "q", "q-value (false discovery rate) within the trait", "p")
_SAMPLES = column("samples", "Samples", "samples compared", "count")
_PLATFORM = column(".platform", "Platform", "as the record of the cohort states", "text")
_TISSUE = column(".tissue", "Tissue", "the most common one, as the record states", "text")
_COMBINED = (
    _CHANGE,
    column("effect", "Effect", "Hedges' g, or Fisher's z of a measured trait", "signed"),
    column("CI Lower", "95 % interval", "of the effect", "signed"),
    _P,
    _Q,
    column("rank", "Rank", "by p, within the trait", "count"),
    column("cohorts", "Cohorts", "cohorts that tested the gene", "count"),
    column("agreeing", "Agreeing", "cohorts whose effect has its sign", "count"),
    column("i2", "I\N{SUPERSCRIPT TWO} (%)", "heterogeneity between cohorts", "count"),
    _SAMPLES,
)

TRAITS = _AtlasTable(
    FrameView("/atlas", "trait", "/atlas/trait", "trait", FLAG, ("condition",)),
    (
        _TRAIT,
        _GIVEN,
        column("cohorts", "Cohorts", "results in the atlas", "count"),
        column("combined", "Combined", "cohorts that could be combined", "count"),
        column("samples", "Samples", "samples of the combined cohorts", "count"),
        column("genes", "Genes", "tested in any of them", "count"),
        column("significant", "Significant genes", "over the combined cohorts", "count"),
    ),
    {
        "without a condition": _PLAIN,
        "given a condition": ~_PLAIN,
        "several cohorts combined": pl.col("combined") > 1,
        "with significant genes": pl.col("significant") > 0,
    },
    "traits",
)

PAIRS = _AtlasTable(
    FrameView("/atlas/pairs", "pair", "/atlas/pairs", "trait", FLAG, ("other",)),
    (
        _TRAIT,
        column(".other", "Other trait", "that it is compared with", "text"),
        column("similarity", "Similarity", "1 is the same, negative is reversed", "signed"),
        column("genes", "Genes in common", "tested in both", "count"),
        column(
            "shared_samples", "Samples in common", "they make the two agree by themselves", "count"
        ),
        column("shared_platforms", "Platforms in common", "of their cohorts", "count"),
    ),
    {
        "similarity above 0.3": pl.col("similarity") > 0.3,
        "reversed (below \N{MINUS SIGN}0.3)": pl.col("similarity") < -0.3,
        "no samples in common": pl.col("shared_samples") == 0,
        "above 0.3, no samples in common": (pl.col("similarity") > 0.3)
        & (pl.col("shared_samples") == 0),
        "samples in common": pl.col("shared_samples") > 0,
    },
    "pairs",
)

GENE_TRAITS = _AtlasTable(
    FrameView("/atlas/gene", "trait", "/atlas/trait", "trait", FLAG, ("condition",)),
    (_TRAIT, _GIVEN, *_COMBINED),
    {
        "without a condition": _PLAIN,
        "significant": pl.col(FLAG),
        "significant, higher": pl.col(FLAG) & _UP,
        "significant, lower": pl.col(FLAG) & _DOWN,
    },
    "traits",
)

GENE_COHORTS = _AtlasTable(
    FrameView("/atlas/gene/cohorts", "result", "", "cohort", FLAG, prefix="cohorts-"),
    (
        column("cohort", "Cohort", "leads to its analysis, if the folder holds it", "text"),
        column(".trait", "Trait", "of the analysis", "text"),
        _GIVEN,
        _CHANGE,
        column("effect", "Effect", "as in the analysis, mostly of log2 expression", "signed"),
        column(
            "standardised", "Standardised", "Hedges' g, or Fisher's z of a measured trait", "signed"
        ),
        _P,
        column("q", "q", "q-value (false discovery rate) within the cohort", "p"),
        column("rank", "Rank", "by p, within the cohort", "count"),
        column("ranked_of", "of", "genes tested", "count"),
        _SAMPLES,
        _PLATFORM,
        _TISSUE,
        column("status", "Status", "why a gene was not tested", "text"),
    ),
    {
        "without a condition": _PLAIN,
        "significant": pl.col(FLAG),
        "significant, higher": pl.col(FLAG) & _UP,
        "significant, lower": pl.col(FLAG) & _DOWN,
        "not tested": pl.col("p").is_null(),
    },
    "cohorts",
)

GENES = _AtlasTable(
    FrameView("/atlas/trait", "gene", "/atlas/gene", "gene", FLAG),
    (column("gene", "Gene", "official symbol", "text"), *_COMBINED),
    {
        "significant": pl.col(FLAG),
        "significant, higher": pl.col(FLAG) & _UP,
        "significant, lower": pl.col(FLAG) & _DOWN,
        "in several cohorts": pl.col("cohorts") > 1,
        "same sign in every cohort": (pl.col("cohorts") > 1)
        & (pl.col("agreeing") == pl.col("cohorts")),
    },
    "genes",
)

COHORTS = (
    column("cohort", "Cohort", "leads to its analysis, if the folder holds it", "text"),
    column("comparison", "Compared", "groups and their samples", "text"),
    _SAMPLES,
    column("tested", "Tested", "genes", "count"),
    column("significant", "Significant", "genes", "count"),
    column("platform", "Platform", "as the record of the cohort states", "text"),
    column("tissue", "Tissue", "the most common one, as the record states", "text"),
    column("procedure", "Procedure", "of the analysis", "text"),
)
"""Of the cohorts of a trait, which are few: without search and pages."""

_SCORES = (
    column("direction", "Signature", "similar, or reversed", "text"),
    column("score", "Score", "mean normal score of the genes; down counts negative", "signed"),
    column("p", "p", "allows for correlation between the genes", "p"),
    column("q", "q", "q-value (false discovery rate) over the rows", "p"),
    column("p_independent", "p if independent", "too small where genes are correlated", "p"),
    column("found", "Genes", "of the signature that were tested", "count"),
    _SAMPLES,
)
_SIMILAR_FILTERS = {
    "similar": pl.col("direction") == "similar",
    "reversed": pl.col("direction") == "reversed",
    "q below 0.05": pl.col(FLAG),
    "similar, q below 0.05": pl.col(FLAG) & (pl.col("direction") == "similar"),
    "reversed, q below 0.05": pl.col(FLAG) & (pl.col("direction") == "reversed"),
}

SIMILAR = _AtlasTable(
    FrameView("/atlas/similar", "trait", "/atlas/trait", "trait", FLAG, ("condition",)),
    (_TRAIT, _GIVEN, *_SCORES),
    _SIMILAR_FILTERS,
    "signature",
)
SIMILAR_COHORTS = _AtlasTable(
    FrameView("/atlas/similar", "result", "/atlas/trait", "trait", FLAG, ("condition",)),
    (
        _TRAIT,
        _GIVEN,
        column("cohort", "Cohort", "of the result", "text"),
        *_SCORES,
        _PLATFORM,
        _TISSUE,
    ),
    _SIMILAR_FILTERS,
    "signature",
)
