"""A gene in all results, and a trait over all folders with its genes and cohorts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from genotex.atlas.overlaps import overlap_notes
from genotex.atlas.reader import AtlasReader
from genotex.errors import FormatError, UsageError
from genotex.layout import trait_folder_name
from genotex.outside import parse_json
from genotex.records import checked


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


def _with_p_values() -> list[pl.Expr]:
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
            *_with_p_values(),
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
            *_with_p_values(),
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


@dataclass(frozen=True, eq=False)
class TraitFindings:
    """A trait in the atlas, given a condition or none.

    Attributes
    ----------
    genes
        All genes by p, combined over the cohorts that could be combined.
    cohorts
        One result in each row.
    left_out
        Cohorts that were not combined, and why.
    conditions
        All conditions of the trait that there are results of.
    notes
        What a reader should know.
    """

    trait: str
    condition: str | None
    genes: pl.DataFrame
    cohorts: pl.DataFrame
    left_out: Mapping[str, str]
    conditions: tuple[str | None, ...]
    notes: tuple[str, ...]


def find_trait(atlas: AtlasReader, name: str, condition: str | None = None) -> TraitFindings:
    """Return all that the atlas has of a trait.

    Raises
    ------
    UsageError
        If there is no result of it, or none with this condition; the message names what there is.
    """
    trait = atlas.trait(name)
    given = None if condition is None else trait_folder_name(condition)
    of_trait = atlas.results.filter(pl.col("trait") == trait)
    conditions = of_trait["condition"].unique(maintain_order=True).to_list()
    results = of_trait.filter(pl.col("condition").eq_missing(pl.lit(given)))
    if results.is_empty():
        known = ", ".join(sorted(str(each) for each in conditions))
        msg = f"the atlas has no results of {trait} given {given}; its conditions are {known}"
        raise UsageError(msg)
    columns = ("cohort", "comparison", "samples", "tested", "significant", "kind", "procedure")
    facts = ("platform", "tissue", "origin", "adjusted_for", "warnings", "folder")
    cohorts = results.select(*columns, *facts).sort("samples", descending=True)
    groups = atlas.groups.filter(
        (pl.col("trait") == trait) & pl.col("condition").eq_missing(pl.lit(given))
    )
    notes = overlap_notes(results)
    if groups.is_empty():
        notes.append(
            "None of the results has standard errors and a direction, so no genes are combined; "
            "genotex atlas gene shows single genes."
        )
        none = atlas.store.read_owned(atlas.manifest, "combined", [])
        return TraitFindings(
            trait, given, _genes(none), cohorts, {}, tuple(conditions), tuple(notes)
        )
    row = groups.row(0, named=True)
    rows = atlas.store.read_owned(atlas.manifest, "combined", [row["group"]])
    return TraitFindings(
        trait,
        given,
        _genes(rows),
        cohorts,
        _left_out(row["left_out"]),
        tuple(conditions),
        (*row["warnings"], *notes),
    )


def _left_out(text: str) -> Mapping[str, str]:
    """Return the cohorts that were not combined, and why."""
    try:
        return checked(dict[str, str], parse_json(text), place="left_out")
    except FormatError as error:
        msg = f"a table of the atlas is damaged: {error}"
        raise FormatError(msg, hint="build the atlas again, in a new folder") from error


def _genes(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        "gene",
        direction("z"),
        "effect",
        "error",
        "ci_low",
        "ci_high",
        "z",
        *_with_p_values(),
        "rank",
        "cohorts",
        "agreeing",
        "i2",
        "samples",
        "significant",
    ).sort("p", "gene", nulls_last=True)
