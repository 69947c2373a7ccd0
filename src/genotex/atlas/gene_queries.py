"""One gene in all results: where it changes, in which direction, and over all cohorts."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from genotex.atlas.overlaps import overlap_notes
from genotex.atlas.reader import AtlasReader


@dataclass(frozen=True, eq=False)
class GeneFindings:
    """A gene in the atlas.

    Attributes
    ----------
    gene, asked
        The symbol, and the name that was asked for.
    traits
        One trait and condition in each row, by p: the meta-analysis over its cohorts.
    cohorts
        One cohort tested for one problem in each row, by trait and p.
    notes
        What a reader should know, such as samples that cohorts share.
    """

    gene: str
    asked: str
    traits: pl.DataFrame
    cohorts: pl.DataFrame
    notes: tuple[str, ...]


def with_p_values() -> list[pl.Expr]:
    """Return p and q from their logarithms."""
    return [
        pl.lit(10.0).pow(pl.col(f"log10_{name}").cast(pl.Float64)).alias(name)
        for name in ("p", "q")
    ]


def direction(column: str = "effect") -> pl.Expr:
    """Return ``up``, ``down`` or null by the sign of a column."""
    return (
        pl.when(pl.col(column) > 0)
        .then(pl.lit("up"))
        .when(pl.col(column) < 0)
        .then(pl.lit("down"))
        .alias("direction")
    )


def find_gene(atlas: AtlasReader, name: str) -> GeneFindings:
    """Return all that the atlas has of a gene, by symbol or synonym.

    Raises
    ------
    UsageError
        If no result has the gene; the message names those that are spelt alike.
    """
    gene = atlas.gene(name)
    rows = atlas.rows("genes", gene)
    results = atlas.results.filter(pl.col("result").is_in(rows["result"].implode()))
    plain = results.filter(pl.col("condition").is_null())
    notes = overlap_notes(plain) if plain.height <= _MOST_COMPARED else []
    if "factor" in results["kind"]:
        notes.append(
            "A trait of several levels has no single direction, and is not combined over cohorts."
        )
    return GeneFindings(gene, name, _by_trait(atlas, gene), _by_cohort(rows, results), tuple(notes))


def _by_cohort(rows: pl.DataFrame, results: pl.DataFrame) -> pl.DataFrame:
    about = results.rename({"samples": "compared", "significant": "significant_genes"})
    several = pl.col("kind") == "factor"
    return (
        rows.join(about, on="result", how="inner")
        .select(
            "trait",
            "condition",
            "cohort",
            pl.when(~several).then(direction()).alias("direction"),
            "effect",
            "error",
            "standardised",
            "standardised_error",
            *with_p_values(),
            "rank",
            pl.when(pl.col("tested") > 0).then("tested").alias("ranked_of"),
            "samples",
            "significant",
            "status",
            "kind",
            "comparison",
            "procedure",
            "platform",
            "tissue",
            "origin",
            "folder",
        )
        .sort("trait", "condition", "p", "cohort", nulls_last=True)
    )


def _by_trait(atlas: AtlasReader, gene: str) -> pl.DataFrame:
    about = atlas.groups.select("group", "trait", "condition", "kind", ranked_of="genes")
    return (
        atlas.rows("combined", gene)
        .join(about, on="group", how="inner")
        .select(
            "trait",
            "condition",
            direction("z"),
            "effect",
            "error",
            "ci_low",
            "ci_high",
            *with_p_values(),
            "rank",
            "ranked_of",
            "cohorts",
            "agreeing",
            "i2",
            "samples",
            "significant",
            "kind",
        )
        .sort("p", "trait", "condition", nulls_last=True)
    )


_MOST_COMPARED = 100
"""With more cohorts, some always share samples; `traits` and `similar` name them."""
