"""The tables of an atlas: columns, filters, and rows as its pages show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from genotex.app.tables import PageTable, Row, Rows
from genotex.reports import TableColumn

FLAG = PageTable.flag
_SIGNIFICANT = {
    "significant": pl.col(FLAG),
    "significant, higher": pl.col(FLAG) & (pl.col("direction") == "up"),
    "significant, lower": pl.col(FLAG) & (pl.col("direction") == "down"),
}
_PLAIN = pl.col("condition").is_null()


def rows(
    frame: pl.DataFrame,
    place: Mapping[str, str],
    name: str,
    link: Callable[[Row], str | None] | None = None,
) -> Rows:
    """Return rows of a table of the atlas; `place` and `name` as in `Rows`."""
    around = {key: value for key, value in place.items() if key in ("atlas", "condition")}
    return Rows(frame, place, name, links=around, link=link, whole=_in_file)


def _in_file(found: pl.DataFrame) -> pl.DataFrame:
    joined = pl.col(pl.List(pl.String)).list.join("; ")
    return found.select(pl.exclude(r"^\..*$", "CI Lower", "CI Upper")).with_columns(joined)


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


_TRAIT = TableColumn("trait", "Trait", "all results of it in the atlas", "text")
_GIVEN = TableColumn(".condition", "Given", "condition of the problem", "text")
_CHANGE = TableColumn(
    "direction", "Change", "up is higher in cases, or with a higher level", "text"
)
_P = TableColumn("p", "p", "p-value", "p")
_Q = TableColumn("q", "q", "q-value (false discovery rate) within the trait", "p")
_SAMPLES = TableColumn("samples", "Samples", "samples compared", "count")
_PLATFORM = TableColumn(".platform", "Platform", "as the record of the cohort states", "text")
_TISSUE = TableColumn(".tissue", "Tissue", "the most common one, as the record states", "text")
_COMBINED = (
    _CHANGE,
    TableColumn("effect", "Effect", "Hedges' g, or Fisher's z of a measured trait", "signed"),
    TableColumn("CI Lower", "95 % interval", "of the effect", "signed", "CI Upper"),
    _P,
    _Q,
    TableColumn("rank", "Rank", "by p, within the trait", "count"),
    TableColumn("cohorts", "Cohorts", "cohorts that tested the gene", "count"),
    TableColumn("agreeing", "Agreeing", "cohorts whose effect has its sign", "count"),
    TableColumn("i2", "I\N{SUPERSCRIPT TWO} (%)", "heterogeneity between cohorts", "count"),
    _SAMPLES,
)

TRAITS = PageTable(
    "/atlas",
    "trait",
    (
        _TRAIT,
        _GIVEN,
        TableColumn("cohorts", "Cohorts", "results in the atlas", "count"),
        TableColumn("combined", "Combined", "cohorts that could be combined", "count"),
        TableColumn("samples", "Samples", "samples of the combined cohorts", "count"),
        TableColumn("genes", "Genes", "tested in any of them", "count"),
        TableColumn("significant", "Significant genes", "over the combined cohorts", "count"),
    ),
    "/atlas/trait",
    "trait",
    {
        "without a condition": _PLAIN,
        "given a condition": ~_PLAIN,
        "several cohorts combined": pl.col("combined") > 1,
        "with significant genes": pl.col("significant") > 0,
    },
    also=("condition",),
    sheet="traits",
)

PAIRS = PageTable(
    "/atlas/pairs",
    "pair",
    (
        _TRAIT,
        TableColumn(".other", "Other trait", "that it is compared with", "text"),
        TableColumn("similarity", "Similarity", "1 is the same, negative is reversed", "signed"),
        TableColumn("genes", "Genes in common", "tested in both", "count"),
        TableColumn(
            "shared_samples", "Samples in common", "they make the two agree by themselves", "count"
        ),
        TableColumn("shared_platforms", "Platforms in common", "of their cohorts", "count"),
    ),
    "/atlas/pairs",
    "trait",
    {
        "similarity above 0.3": pl.col("similarity") > 0.3,
        "reversed (below \N{MINUS SIGN}0.3)": pl.col("similarity") < -0.3,
        "no samples in common": pl.col("shared_samples") == 0,
        "above 0.3, no samples in common": (pl.col("similarity") > 0.3)
        & (pl.col("shared_samples") == 0),
        "samples in common": pl.col("shared_samples") > 0,
    },
    also=("other",),
    sheet="pairs",
)

GENE_TRAITS = PageTable(
    "/atlas/gene",
    "trait",
    (_TRAIT, _GIVEN, *_COMBINED),
    "/atlas/trait",
    "trait",
    {"without a condition": _PLAIN, **_SIGNIFICANT},
    also=("condition",),
    sheet="traits",
)

GENE_COHORTS = PageTable(
    "/atlas/gene/cohorts",
    "result",
    (
        TableColumn("cohort", "Cohort", "leads to its analysis, if the folder holds it", "text"),
        TableColumn(".trait", "Trait", "of the analysis", "text"),
        _GIVEN,
        _CHANGE,
        TableColumn("effect", "Effect", "as in the analysis, mostly of log2 expression", "signed"),
        TableColumn(
            "standardised", "Standardised", "Hedges' g, or Fisher's z of a measured trait", "signed"
        ),
        _P,
        TableColumn("q", "q", "q-value (false discovery rate) within the cohort", "p"),
        TableColumn("rank", "Rank", "by p, within the cohort", "count"),
        TableColumn("ranked_of", "of", "genes tested", "count"),
        _SAMPLES,
        _PLATFORM,
        _TISSUE,
        TableColumn("status", "Status", "why a gene was not tested", "text"),
    ),
    "",
    "cohort",
    {"without a condition": _PLAIN, **_SIGNIFICANT, "not tested": pl.col("p").is_null()},
    prefix="cohorts-",
    sheet="cohorts",
)

GENES = PageTable(
    "/atlas/trait",
    "gene",
    (TableColumn("gene", "Gene", "official symbol", "text"), *_COMBINED),
    "/atlas/gene",
    "gene",
    {
        **_SIGNIFICANT,
        "in several cohorts": pl.col("cohorts") > 1,
        "same sign in every cohort": (pl.col("cohorts") > 1)
        & (pl.col("agreeing") == pl.col("cohorts")),
    },
    sheet="genes",
)

COHORTS = PageTable(
    "",
    "cohort",
    (
        TableColumn("cohort", "Cohort", "leads to its analysis, if the folder holds it", "text"),
        TableColumn("comparison", "Compared", "groups and their samples", "text"),
        _SAMPLES,
        TableColumn("tested", "Tested", "genes", "count"),
        TableColumn("significant", "Significant", "genes", "count"),
        TableColumn("platform", "Platform", "as the record of the cohort states", "text"),
        TableColumn("tissue", "Tissue", "the most common one, as the record states", "text"),
        TableColumn("procedure", "Procedure", "of the analysis", "text"),
    ),
)
"""Of the cohorts of a trait, which are few: without search and pages."""

_SCORES = (
    TableColumn("direction", "Signature", "similar, or reversed", "text"),
    TableColumn("score", "Score", "mean normal score of the genes; down counts negative", "signed"),
    TableColumn("p", "p", "allows for correlation between the genes", "p"),
    TableColumn("q", "q", "q-value (false discovery rate) over the rows", "p"),
    TableColumn("p_independent", "p if independent", "too small where genes are correlated", "p"),
    TableColumn("found", "Genes", "of the signature that were tested", "count"),
    _SAMPLES,
)
SIMILAR = PageTable(
    "/atlas/similar",
    "trait",
    (_TRAIT, _GIVEN, *_SCORES),
    "/atlas/trait",
    "trait",
    {
        "similar": pl.col("direction") == "similar",
        "reversed": pl.col("direction") == "reversed",
        "q below 0.05": pl.col(FLAG),
        "similar, q below 0.05": pl.col(FLAG) & (pl.col("direction") == "similar"),
        "reversed, q below 0.05": pl.col(FLAG) & (pl.col("direction") == "reversed"),
    },
    also=("condition",),
    sheet="signature",
)
SIMILAR_COHORTS = replace(
    SIMILAR,
    noun="result",
    columns=(
        _TRAIT,
        _GIVEN,
        TableColumn("cohort", "Cohort", "of the result", "text"),
        *_SCORES,
        _PLATFORM,
        _TISSUE,
    ),
)
