"""One trait over all folders: its genes combined over cohorts, and what the cohorts are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from genotex.atlas.gene_queries import direction, with_p_values
from genotex.atlas.overlaps import overlap_notes
from genotex.atlas.reader import AtlasReader
from genotex.errors import FormatError, UsageError
from genotex.layout import trait_folder_name
from genotex.outside import parse_json
from genotex.records import checked


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
        return TraitFindings(
            trait, given, _no_genes(atlas), cohorts, {}, tuple(conditions), tuple(notes)
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
        *with_p_values(),
        "rank",
        "cohorts",
        "agreeing",
        "i2",
        "samples",
        "significant",
    ).sort("p", "gene", nulls_last=True)


def _no_genes(atlas: AtlasReader) -> pl.DataFrame:
    return _genes(atlas.store.read_owned(atlas.manifest, "combined", []))
