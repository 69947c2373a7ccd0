"""Which gene sets the answer to a problem is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.gene_set_tests import (
    Overlap,
    RankedScore,
    over_representation,
    ranked_enrichment,
)
from genotex.analysis.gene_sets import MatchedSets, match_gene_sets
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.result import AnalysisResult
from genotex.errors import AnalysisError, UsageError
from genotex.formats import GeneSet

__all__ = ["SET_COLUMNS", "Enrichment", "EnrichmentOptions", "enrich"]

Floats = NDArray[np.float64]

SET_COLUMNS: dict[str, type[pl.DataType]] = {
    "Gene Set": pl.String,
    "Description": pl.String,
    "Genes": pl.Int64,
    "Tested Genes": pl.Int64,
    "Enrichment Score": pl.Float64,
    "Normalised Score": pl.Float64,
    "p": pl.Float64,
    "q": pl.Float64,
    "Leading Edge": pl.String,
    "Significant Genes": pl.Int64,
    "Expected": pl.Float64,
    "Over-representation p": pl.Float64,
    "Over-representation q": pl.Float64,
    "Overlap": pl.String,
}
"""Columns of the table of gene sets; genes are joined by spaces, null where nothing was tested."""

FEW_KNOWN = 0.3
"""Share of known genes below which a reader should know."""

GENES_MOVE_TOGETHER = (
    "Both tests compare a set with genes drawn at random, as if genes varied independently. Genes "
    "of one set rise and fall together, also by chance, so sets come out far too readily (Wu and "
    "Smyth 2012): the q-values hold no error rate; take them as an order of what to look at first, "
    "and check a set's genes one by one."
)


@dataclass(frozen=True)
class EnrichmentOptions:
    """What a user may choose about gene sets.

    Parameters
    ----------
    q_cut : float
        A gene set is significant when its q-value is below.
    min_size, max_size : int
        Fewest and most genes of a set among those tested.
    permutations : int
        Random sets of each size by which scores are normalised.
    seed : int
        Of the random sets.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    q_cut: float = 0.05
    min_size: int = 10
    max_size: int = 500
    permutations: int = 1000
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        if not 0 < self.q_cut <= 1:
            msg = f"q_cut {self.q_cut} is no q-value; use a number above 0 and at most 1"
            raise UsageError(msg)
        if not 1 <= self.min_size <= self.max_size:
            msg = f"no set has {self.min_size} to {self.max_size} genes; use sizes from 1 upwards"
            raise UsageError(msg)
        if self.permutations < 100:
            msg = f"{self.permutations} permutations are too few to normalise by; use 100 or more"
            raise UsageError(msg)
        if not 0 <= self.seed < 2**32:
            msg = f"seed {self.seed} is out of range; use 0 to {2**32 - 1}"
            raise UsageError(msg)


@dataclass(frozen=True, eq=False)
class Enrichment:
    """The gene sets of a problem's answer.

    Attributes
    ----------
    trait : str
        Trait folder name.
    condition : str or None
        Condition of the problem.
    sets : polars.DataFrame
        All sets tested, with the columns of `SET_COLUMNS`, by p-value.
    record : dict
        How it came about: ``cohort``, ``gene_sets`` (counts), ``ranking`` (None without one),
        ``over_representation`` (None without significant genes), ``options``, ``significant``
        (counts), ``notes``; plain JSON values. `enrich_problem` adds ``versions`` of the packages.
    """

    trait: str
    condition: str | None
    sets: pl.DataFrame
    record: dict[str, Any]

    @property
    def significant(self) -> pl.DataFrame:
        """The sets with a q-value of either test below the cut, by p-value."""
        cut = self.record["options"]["q_cut"]
        return self.sets.filter((pl.col("q") < cut) | (pl.col("Over-representation q") < cut))


def enrich(
    result: AnalysisResult, sets: Sequence[GeneSet], options: EnrichmentOptions | None = None
) -> Enrichment:
    """Test gene sets along the ranking of a result, and in its list of significant genes.

    Tested genes are ranked by the signed statistic that ranks the result (moderated t, or t of the
    mixed model) for the enrichment score of Subramanian et al. (2005); significant genes are
    compared with all tested genes by the hypergeometric distribution. q-values are those of
    Benjamini and Hochberg over the sets, for each test on its own. A result of the procedure
    ``benchmark`` has no ranking of all genes, so only over-representation is tested.

    Parameters
    ----------
    result : AnalysisResult
        The answer to a problem.
    sets : sequence of GeneSet
        From `read_gmt`; genes by official symbol.
    options : EnrichmentOptions, optional
        What the user chose.

    Raises
    ------
    AnalysisError
        If no set can be tested.
    UsageError
        If gseapy is needed and not installed.
    """
    options = options or EnrichmentOptions()
    column = _ranking_column(result)
    genes, statistic = _genes(result, column)
    matched = match_gene_sets(sets, genes["Variable"].to_list(), options.min_size, options.max_size)
    listed = genes["Significant"].to_numpy()
    if column is None and not listed.any():
        msg = f"{result.trait}: no gene is significant and none is ranked, so no set can be tested"
        raise AnalysisError(msg)
    scores = None
    if column is not None:
        scores = ranked_enrichment(
            matched.members, statistic, permutations=options.permutations, seed=options.seed
        )
    overlap = over_representation(matched.members, listed) if listed.any() else None
    table = _arrange(matched, genes, scores, overlap)
    record = {
        "cohort": result.cohort,
        "gene_sets": matched.record,
        "ranking": None if column is None else {"column": column, "genes": genes.height},
        "over_representation": None
        if overlap is None
        else {"significant_genes": int(listed.sum()), "background": genes.height},
        "options": asdict(options),
        "significant": _counts(table, options.q_cut),
        "notes": _notes(result, column, statistic, matched, overlap),
    }
    return Enrichment(result.trait, result.condition, table, record)


def _ranking_column(result: AnalysisResult) -> str | None:
    """Return the column whose order is that of the result; None when not all genes are ranked."""
    options = result.method.get("options", {})
    name = "Mixed t" if options.get("model") == "mixed" else "t"
    procedure = result.method.get("procedure")
    empty = result.genes[name].null_count() == result.genes.height
    return None if procedure == "benchmark" or empty else name


def _genes(result: AnalysisResult, column: str | None) -> tuple[pl.DataFrame, Floats]:
    """Return the tested genes, each once, from the highest statistic to the lowest."""
    if column is None:
        in_model = pl.col("Status").is_in(["tested", "selected", "not selected"])
        genes = result.genes.filter(in_model).unique("Variable", keep="first", maintain_order=True)
        return genes, np.zeros(genes.height)
    genes = (
        result.genes.filter(pl.col("Status") == "tested")
        .drop_nulls(column)
        .unique("Variable", keep="first", maintain_order=True)
        .sort([column, "Variable"], descending=[True, False])
    )
    statistic = genes[column].to_numpy().astype(np.float64)
    # A gene without any residual has an infinite t; it goes with the largest finite one.
    largest = np.abs(statistic[np.isfinite(statistic)]).max(initial=1.0)
    return genes, np.clip(statistic, -largest, largest)


def _arrange(
    matched: MatchedSets,
    genes: pl.DataFrame,
    scores: list[RankedScore] | None,
    overlap: Overlap | None,
) -> pl.DataFrame:
    names = genes["Variable"].to_list()
    columns: dict[str, Any] = {
        "Gene Set": [s.name for s in matched.sets],
        "Description": [s.description for s in matched.sets],
        "Genes": [len(s.genes) for s in matched.sets],
        "Tested Genes": [len(members) for members in matched.members],
    }
    if scores is not None:
        p = np.array([score.p for score in scores])
        columns |= {
            "Enrichment Score": [score.score for score in scores],
            "Normalised Score": [score.normalised for score in scores],
            "p": p,
            "q": _q_values(p),
            "Leading Edge": [" ".join(names[i] for i in score.leading) for score in scores],
        }
    if overlap is not None:
        listed = genes["Significant"].to_list()
        columns |= {
            "Significant Genes": overlap.found,
            "Expected": overlap.expected,
            "Over-representation p": overlap.p,
            "Over-representation q": _q_values(overlap.p),
            "Overlap": [" ".join(names[i] for i in m if listed[i]) for m in matched.members],
        }
    nothing = [None] * len(matched.sets)
    table = pl.DataFrame(
        [
            pl.Series(name, columns.get(name, nothing), dtype=kind, strict=False)
            for name, kind in SET_COLUMNS.items()
        ]
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    order = ["p", "Over-representation p"] if scores is not None else ["Over-representation p", "p"]
    return table.sort([*order, "Gene Set"], nulls_last=True)


def _q_values(p: Floats) -> Floats:
    q = np.full(len(p), np.nan)
    known = np.isfinite(p)
    q[known] = benjamini_hochberg(p[known])
    return q


def _counts(table: pl.DataFrame, cut: float) -> dict[str, int]:
    hits = table.filter(pl.col("q") < cut)["Normalised Score"]
    return {
        "up": int((hits > 0).sum()),
        "down": int((hits < 0).sum()),
        "over_represented": table.filter(pl.col("Over-representation q") < cut).height,
    }


def _notes(
    result: AnalysisResult,
    column: str | None,
    statistic: Floats,
    matched: MatchedSets,
    overlap: Overlap | None,
) -> list[str]:
    notes = [GENES_MOVE_TOGETHER]
    factor = result.method.get("contrast", {}).get("kind") == "factor"
    if column is None and factor:
        notes.append(
            "The F statistic that ranks the genes has no direction: only over-representation was "
            "tested."
        )
    elif column is None:
        notes.append(
            "This result ranks only the genes that its model selected, not all of them: only "
            "over-representation was tested."
        )
    if overlap is None:
        notes.append("No gene is significant, so over-representation was not tested.")
    if column is not None and (tied := 1 - len(np.unique(statistic)) / len(statistic)) > 0.05:
        notes.append(
            f"{tied:.0%} of the genes share their place in the ranking with another gene; they "
            "stand in the order of their symbols."
        )
    record = matched.record
    if record["genes_tested"] < FEW_KNOWN * record["genes"]:
        notes.append(
            f"Only {record['genes_tested']:,} of the {record['genes']:,} genes in the file of sets "
            f"were tested in {result.cohort or 'this cohort'}: the platform measures few of them, "
            "or they go by other names."
        )
    return notes
