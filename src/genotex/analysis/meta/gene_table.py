"""The table of genes over all cohorts: the combined results, and those of each cohort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.gene_tests.p_values import benjamini_hochberg, q_of_known
from genotex.analysis.meta.effects import (
    NOMINAL,
    CombinedEffects,
    combine_effects,
    normal_size,
    partial_conjunction,
    replication_q,
    stouffer,
)
from genotex.analysis.meta.methods import DEFAULT, CohortStatistics, Heterogeneity, find_method
from genotex.analysis.replication.chance import (
    USUAL_SIZE,
    pooled_terms,
    replication_chance,
    replication_terms,
    samples_to_settle,
    signal_of,
)
from genotex.arrays import Floats

MIN_COHORTS = 2
"""A gene is combined when at least so many cohorts tested it."""

META_COLUMNS: dict[str, type[pl.DataType]] = {
    "Variable": pl.String,
    "Cohorts": pl.Int64,
    "Samples": pl.Int64,
    "Combined Effect": pl.Float64,
    "Combined Error": pl.Float64,
    "CI Lower": pl.Float64,
    "CI Upper": pl.Float64,
    "z": pl.Float64,
    "p": pl.Float64,
    "q": pl.Float64,
    "Q": pl.Float64,
    "Q p": pl.Float64,
    "I2": pl.Float64,
    "tau2": pl.Float64,
    "Random p": pl.Float64,
    "Random q": pl.Float64,
    "Fixed Effect": pl.Float64,
    "Fixed Error": pl.Float64,
    "Fixed CI Lower": pl.Float64,
    "Fixed CI Upper": pl.Float64,
    "Fixed p": pl.Float64,
    "Combined r": pl.Float64,
    "r CI Lower": pl.Float64,
    "r CI Upper": pl.Float64,
    "Stouffer p": pl.Float64,
    "Stouffer q": pl.Float64,
    "Agreeing": pl.Int64,
    "Agreement": pl.Float64,
    "Nominal": pl.Int64,
    "Leave-One-Out p": pl.Float64,
    "Leave-One-Out Flips": pl.Boolean,
    "Significant": pl.Boolean,
    "Replication p": pl.Float64,
    "Replication q": pl.Float64,
    "Replicates": pl.Boolean,
    "Replication": pl.Float64,
    "Samples to Settle": pl.Float64,
}
"""Columns of the genes over all cohorts.

``Combined Effect`` and its interval are of random effects where three cohorts or more tested the
gene, of the fixed effect where two did; ``z``, ``p`` and ``q`` are of the test that the cohorts
have no effect in common. ``Random p`` (the strict one, on t), its q and those of leaving one cohort
out are null below three cohorts, those of r for a binary trait, ``Replication q`` for genes that
are not significant. ``Replication`` is the chance that the next cohort shows the gene, ``Samples to
Settle`` the size that makes it 80 %; null where a cohort's table does not tell."""

COHORT_COLUMNS = ("Effect", "Error", "Coefficient", "p", "q")
"""Columns of the effects, each behind the name of its cohort: ``GSE55457 Effect``."""

_OF_COHORT = {
    "Standardised Effect": "Effect",
    "Standardised Error": "Error",
    "Coefficient": "Coefficient",
    "p": "p",
    "q": "q",
    "Samples": "Samples",
    "Evidence": "Evidence",
    "Level": "Level",
}

_FOR_THE_CHANCE = ("Coefficient", "Standard Error", "Mean Expression", "p")


@dataclass(frozen=True)
class Ahead:
    """What the chance of replication needs besides the tables."""

    sizes: Mapping[str, float]  # `effective_size` of each cohort
    # That of the next cohort; as large as the mean of these where none is given
    next_size: float | None = None


@dataclass(frozen=True, eq=False)
class _Stack:
    """One matrix of cohorts x genes for each column; NaN where a cohort did not test a gene."""

    names: list[str]
    columns: dict[str, Floats]


@dataclass(frozen=True, eq=False)
class CombinedGenes:
    """The genes that at least two cohorts tested."""

    genes: pl.DataFrame  # `META_COLUMNS`; significant ones by their chance, then by p-value
    # In the same order: ``Variable`` and `COHORT_COLUMNS` of each cohort, effect and error on the
    # scale that was combined
    effects: pl.DataFrame
    alone: int  # Genes that only one cohort tested
    # How far true effects differ between cohorts, estimated from all genes
    heterogeneity: Heterogeneity


def combine_genes(
    tables: Mapping[str, pl.DataFrame],
    *,
    binary: bool,
    q_cut: float,
    combine: str = DEFAULT,
    ahead: Ahead | None = None,
    by: str = "replication",
) -> CombinedGenes:
    """Combine the genes that at least two cohorts tested.

    Significant genes are ordered by the chance that the next cohort shows them, where `ahead` is
    given; all others, and with `by` ``p`` all, by p-value.
    """
    stack, alone = _stack({name: _with_evidence(t) for name, t in tables.items()}, binary)
    inputs = stack.columns
    found = combine_effects(inputs["Effect"], inputs["Error"])
    statistics = CohortStatistics(
        inputs["Effect"], inputs["Error"], inputs["p"], inputs["Samples"], binary
    )
    p = find_method(combine).p(statistics)
    columns = _columns(stack, found, p, binary)
    columns |= _chance(stack, list(tables.values()), np.sign(found.effect), ahead)
    columns["Significant"] = columns["q"] < q_cut
    columns["Replication q"] = replication_q(columns["Replication p"], columns["Significant"])
    columns["Replicates"] = columns["Replication q"] < q_cut
    leads = columns["Significant"] & np.isfinite(columns["Replication"]) & (by != "p")
    chance = np.where(leads, columns["Replication"], 0.0)
    order = np.lexsort((-np.abs(found.z), p, -chance, ~leads))
    names = pl.Series("Variable", [stack.names[i] for i in order], dtype=pl.String)
    genes = [names]
    for name, kind in list(META_COLUMNS.items())[1:]:
        column = pl.Series(name, columns[name][order])
        genes.append((column.fill_nan(None) if column.dtype.is_float() else column).cast(kind))
    effects = [names]
    for row, cohort in enumerate(tables):
        for name in COHORT_COLUMNS:
            values = stack.columns[name][row][order]
            effects.append(pl.Series(f"{cohort} {name}", values).fill_nan(None))
    return CombinedGenes(
        pl.DataFrame(genes), pl.DataFrame(effects), alone, statistics.heterogeneity
    )


def _with_evidence(table: pl.DataFrame) -> pl.DataFrame:
    """Add each gene's effect and rank of expression as the chance of replication takes them."""
    if not set(_FOR_THE_CHANCE) <= set(table.columns):
        return table.with_columns(Evidence=pl.lit(None, pl.Float64), Level=pl.lit(None, pl.Float64))
    change, error, mean, p = (
        table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in _FOR_THE_CHANCE
    )
    # Sizes are those of the cohorts together.
    terms = replication_terms(change, error, mean, p, size=USUAL_SIZE, ahead=USUAL_SIZE)
    columns = {"Evidence": terms["effect"], "Level": terms["expression"]}
    return table.with_columns(pl.Series(k, v).fill_nan(None) for k, v in columns.items())


def _chance(
    stack: _Stack, tables: Sequence[pl.DataFrame], whole: Floats, ahead: Ahead | None
) -> dict[str, NDArray[Any]]:
    """Return the chance that the next cohort shows each gene in its combined direction."""
    inputs = stack.columns
    if ahead is None or np.isnan(inputs["Evidence"]).all(axis=1).any():
        nothing = np.full(len(whole), np.nan)
        return {"Replication": nothing, "Samples to Settle": nothing}
    sizes = np.array([*ahead.sizes.values()])
    terms = pooled_terms(
        inputs["Evidence"] * np.sign(inputs["Effect"]) * whole,
        inputs["Level"],
        np.array([signal_of(table["p"].drop_nulls().to_numpy()) for table in tables]),
        sizes,
        ahead=float(sizes.mean()) if ahead.next_size is None else ahead.next_size,
    )
    return {"Replication": replication_chance(terms), "Samples to Settle": samples_to_settle(terms)}


def _stack(tables: Mapping[str, pl.DataFrame], binary: bool) -> tuple[_Stack, int]:
    usable = [_usable(table) for table in tables.values()]
    counts = pl.concat([table.select("Variable") for table in usable]).group_by("Variable").len()
    several = counts.filter(pl.col("len") >= MIN_COHORTS)["Variable"].sort()
    genes = several.to_frame()
    rows = [genes.join(t, on="Variable", how="left", maintain_order="left") for t in usable]
    columns = {
        name: np.array([row[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for row in rows])
        for name in _OF_COHORT.values()
    }
    if not binary:
        # Fisher's z of the correlations, and its standard error (Fisher 1921).
        columns["Error"] = columns["Error"] / (1 - columns["Effect"] ** 2)
        columns["Effect"] = np.arctanh(columns["Effect"])
    return _Stack(several.to_list(), columns), counts.height - len(several)


def _usable(table: pl.DataFrame) -> pl.DataFrame:
    """Return the genes that have an effect, an error above zero and a p, under short names."""
    kept = table.filter(
        pl.col("Standardised Effect").is_finite()
        & (pl.col("Standardised Error") > 0)
        & pl.col("p").is_finite()
    )
    named = [pl.col(theirs).alias(ours) for theirs, ours in _OF_COHORT.items()]
    # A gene is in a cohort's table once; a table from elsewhere may list it twice.
    return kept.select("Variable", *named).unique("Variable", keep="first", maintain_order=True)


def _columns(
    stack: _Stack, found: CombinedEffects, common: Floats, binary: bool
) -> dict[str, NDArray[Any]]:
    p, effect, samples = (stack.columns[name] for name in ("p", "Effect", "Samples"))
    signs, whole = np.sign(effect), np.sign(found.effect)
    second = stouffer(p, signs, np.sqrt(samples))
    nothing = np.full(len(found.p), np.nan)
    lower, upper = (nothing, nothing) if binary else (found.lower, found.upper)
    return {
        "Cohorts": found.cohorts,
        "Samples": np.nansum(samples, axis=0).astype(np.int64),
        "Combined Effect": found.effect,
        "Combined Error": found.error,
        "CI Lower": found.lower,
        "CI Upper": found.upper,
        "z": whole * normal_size(common),
        "p": common,
        "q": benjamini_hochberg(common),
        "Q": found.heterogeneity,
        "Q p": found.heterogeneity_p,
        "I2": found.i2,
        "tau2": found.tau2,
        "Random p": found.strict_p,
        "Random q": q_of_known(found.strict_p),
        "Fixed Effect": found.fixed,
        "Fixed Error": found.fixed_error,
        "Fixed CI Lower": found.fixed_lower,
        "Fixed CI Upper": found.fixed_upper,
        "Fixed p": found.fixed_p,
        "Combined r": nothing if binary else np.tanh(found.effect),
        "r CI Lower": np.tanh(lower),
        "r CI Upper": np.tanh(upper),
        "Stouffer p": second,
        "Stouffer q": q_of_known(second),
        "Agreeing": found.agreeing,
        "Agreement": found.agreeing / np.maximum(found.cohorts, 1),
        "Nominal": ((p < NOMINAL) & (signs == whole)).sum(axis=0),
        "Leave-One-Out p": found.largest_p,
        "Leave-One-Out Flips": found.flips,
        "Replication p": np.maximum(common, partial_conjunction(p, signs, whole)),
    }
