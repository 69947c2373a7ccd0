"""Which traits and cohorts have a signature like the one given, or its reverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis import benjamini_hochberg
from genotex.atlas.overlaps import overlap_notes
from genotex.atlas.reader import AtlasReader, Level
from genotex.atlas.signatures import (
    SIGNATURE_METHODS,
    Inflation,
    Signature,
    SignatureScores,
    estimate_inflation,
    signature_p,
)
from genotex.errors import UsageError
from genotex.layout import TCGA_COHORT, trait_folder_name

ANY_CONDITION = "all"
"""In place of a condition: results given any condition, and given none."""

_NOTED = 20
"""Results by p-value whose shared samples and platforms are reported."""

_FEWEST_KNOWN = 3


@dataclass(frozen=True, eq=False)
class SimilarFindings:
    """A signature in all traits and cohorts.

    Attributes
    ----------
    traits
        One trait in each row, by p: ``score``, ``direction`` (``similar`` or ``reversed``), ``p``,
        ``q``, ``p_independent`` (were genes independent) and ``found`` genes.
    cohorts
        The same, one cohort in each row.
    unknown
        Genes that no result has.
    inflation
        Of variances, at both levels.
    notes
        What a reader should know: shared samples and platforms, what was assumed.
    """

    traits: pl.DataFrame
    cohorts: pl.DataFrame
    unknown: tuple[str, ...]
    inflation: dict[Level, Inflation]
    notes: tuple[str, ...]


def chosen_condition(condition: str | None) -> str | None:
    """Return a condition as its files are named, None for none, or `ANY_CONDITION`."""
    if condition is None or condition in ("None", ANY_CONDITION):
        return None if condition == "None" else condition
    return trait_folder_name(condition)


def of_condition(owners: pl.DataFrame, condition: str | None) -> NDArray[np.bool_]:
    """Return which rows are of a condition and have a direction, so that they can be compared."""
    kept = owners["ranked"].is_not_null()
    if condition != ANY_CONDITION:
        kept &= owners["condition"].eq_missing(pl.Series([condition], dtype=pl.String))
    return kept.to_numpy()


def find_similar(
    atlas: AtlasReader, signature: Signature, condition: str | None = None
) -> SimilarFindings:
    """Score a signature in all results.

    Parameters
    ----------
    atlas
        The atlas.
    signature
        Genes by symbol or synonym.
    condition
        Results given this condition; None for those without, `ANY_CONDITION` for all.

    Raises
    ------
    UsageError
        If fewer than three of its genes are known, or no result can be compared.
    """
    asked = chosen_condition(condition)
    symbols = atlas.genes(list(signature.genes))
    unknown = tuple(n for n, s in zip(signature.genes, symbols, strict=True) if s is None)
    up = [s for s in symbols[: len(signature.up)] if s is not None]
    down = [s for s in symbols[len(signature.up) :] if s is not None]
    known = Signature(tuple(up), tuple(down)) if up or down else None
    if known is None or len(known.genes) < _FEWEST_KNOWN:
        msg = (
            f"{len(known.genes) if known else 0} of {len(symbols)} genes of the signature are in "
            f"the atlas, {_FEWEST_KNOWN} are needed; unknown are {', '.join(unknown[:5])}"
        )
        raise UsageError(msg)
    levels: dict[Level, tuple[pl.DataFrame, Inflation]] = {}
    for level in ("cohort", "trait"):
        levels[level] = _at_level(atlas, level, known, asked)
    cohorts, traits = levels["cohort"][0], levels["trait"][0]
    first = atlas.results.filter(pl.col("result").is_in(cohorts["result"].head(_NOTED).implode()))
    notes = [*_coverage(unknown, symbols), *_assumed(levels["cohort"][1])]
    notes += [f"Of the first {first.height} cohorts: {note}" for note in overlap_notes(first)]
    return SimilarFindings(
        traits.drop("group"),
        cohorts.drop("result"),
        unknown,
        {level: found[1] for level, found in levels.items()},
        tuple(notes),
    )


def _at_level(
    atlas: AtlasReader, level: Level, signature: Signature, condition: str | None
) -> tuple[pl.DataFrame, Inflation]:
    owners = atlas.owners(level)
    chosen = np.flatnonzero(of_condition(owners, condition))
    if not len(chosen):
        msg = f"no result in the atlas given {condition} has a direction and p-values of its genes"
        raise UsageError(msg)
    owners = owners[chosen]
    ranked, spread = (owners[n].cast(pl.Float64).to_numpy() for n in ("ranked", "spread"))
    scores = _rows(atlas, level, signature.genes)[:, chosen]
    method = next(iter(SIGNATURE_METHODS.values()))
    found = method(scores, signature.weights, ranked, spread)
    inflation = estimate_inflation(found.z, _sources(owners, level), len(signature.genes))
    return _table(owners, level, found, inflation), inflation


def _rows(atlas: AtlasReader, level: Level, genes: Sequence[str]) -> NDArray[np.float32]:
    """Return the normal scores of genes; only their rows of the file are read."""
    places = atlas.symbols.search_sorted(pl.Series(list(genes), dtype=pl.String)).to_numpy()
    rows: NDArray[np.float32] = atlas.ranks(level)[places].astype(np.float32)
    return rows


def _sources(owners: pl.DataFrame, level: Level) -> list[Any]:
    """Return what makes results independent: the cohort, or the trait."""
    if level == "trait":
        return owners["trait"].to_list()
    pairs = owners.select("trait", "cohort").iter_rows()
    return [(trait, cohort) if cohort == TCGA_COHORT else cohort for trait, cohort in pairs]


def _table(
    owners: pl.DataFrame, level: Level, found: SignatureScores, inflation: Inflation
) -> pl.DataFrame:
    numbers = {
        "score": found.score,
        "p": signature_p(found.z, inflation),
        "p_independent": signature_p(found.z, Inflation(1.0, float("inf"), 0)),
    }
    table = owners.with_columns(
        *(pl.Series(name, values).fill_nan(None) for name, values in numbers.items()),
        pl.Series("found", found.genes),
    )
    scored = table.filter(pl.col("p").is_not_null())
    q = benjamini_hochberg(scored["p"].to_numpy()) if scored.height else np.empty(0)
    scored = scored.with_columns(
        pl.Series("q", q, dtype=pl.Float64),
        pl.when(pl.col("score") >= 0)
        .then(pl.lit("similar"))
        .otherwise(pl.lit("reversed"))
        .alias("direction"),
    )
    facts = {
        "cohort": ("result", "trait", "condition", "cohort"),
        "trait": ("group", "trait", "condition", "cohorts"),
    }[level]
    more = {"cohort": ("samples", "platform", "tissue"), "trait": ("samples",)}[level]
    columns = (*facts, "direction", "score", "p", "q", "p_independent", "found", *more)
    return scored.select(columns).sort("p", pl.col("score").abs().neg())


def _coverage(unknown: Sequence[str], symbols: Sequence[str | None]) -> list[str]:
    if not unknown:
        return []
    shown = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
    return [f"{len(unknown)} of {len(symbols)} genes are in no result of the atlas: {shown}."]


def _assumed(inflation: Inflation) -> list[str]:
    if not inflation.cohorts:
        return [
            "Fewer than 10 cohorts can be compared, too few to estimate how far correlated genes "
            "inflate the scores: a correlation of 0.01 between genes is assumed."
        ]
    if inflation.factor == 1:
        return []
    return [
        f"Correlation between the genes of the signature inflates the variance of the score "
        f"{inflation.factor:.1f}-fold, by its spread over {inflation.cohorts} cohorts; p allows "
        "for it."
    ]
