"""Which gene sets the answer to a problem is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, get_args

import numpy as np
import polars as pl

from genotex.analysis.gene_sets.correlated import FEWEST_SETS, camera, fry
from genotex.analysis.gene_sets.effects import TraitEffects
from genotex.analysis.gene_sets.lists import (
    NOT_THERE,
    GeneSet,
    MatchedSets,
    OverRepresentation,
    RankedScore,
    can_rank,
    match_gene_sets,
    over_representation,
    ranked_enrichment,
)
from genotex.analysis.gene_tests.p_values import q_of_known
from genotex.analysis.results.result import AnalysisResult
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError
from genotex.options import EnrichmentOptions, SetTest

Columns = dict[str, Any]

SET_COLUMNS: dict[str, type[pl.DataType]] = {
    "Gene Set": pl.String,
    "Description": pl.String,
    "Genes": pl.Int64,
    "Tested Genes": pl.Int64,
    "Shift": pl.Float64,
    "Direction": pl.String,
    "Inter-gene Correlation": pl.Float64,
    "p": pl.Float64,
    "q": pl.Float64,
    "Fry Direction": pl.String,
    "Fry p": pl.Float64,
    "Fry q": pl.Float64,
    "Mixed p": pl.Float64,
    "Mixed q": pl.Float64,
    "Enrichment Score": pl.Float64,
    "Normalised Score": pl.Float64,
    "Leading Edge": pl.String,
    "Significant Genes": pl.Int64,
    "Expected": pl.Float64,
    "Overlap": pl.String,
    "Overlap p": pl.Float64,
    "Overlap q": pl.Float64,
}
"""Columns of the table of gene sets; genes are joined by spaces, null where nothing was tested."""

TEST_COLUMNS: dict[SetTest, tuple[str, str, str]] = {
    "camera": ("Direction", "p", "q"),
    "fry": ("Fry Direction", "Fry p", "Fry q"),
    "fry-mixed": ("Fry Direction", "Mixed p", "Mixed q"),
}
"""Direction, p-value and q-value of each test that can decide."""

SHIFT_CORRELATION = 0.01
"""Correlation by which R's camera, by default, compares a set with the other genes.

Its p-values find sets where nothing changes; its order is the one that other cohorts show again.
"""
FEW_KNOWN = 0.3
"""Share of known genes below which a reader should know."""

ONLY_DESCRIBED = (
    "The sets were not tested: {why}. Normalised score and significant genes only describe them; "
    "they take genes as independent and do not account for chance."
)


NO_EFFECTS = "the expression of the cohort was not given"


@dataclass(frozen=True, eq=False)
class Enrichment:
    """The gene sets of a problem's answer.

    Attributes
    ----------
    trait
        Trait folder name.
    condition
        Condition of the problem.
    sets
        All sets of a fitting size, with the columns of `SET_COLUMNS`, by the p-value of the test
        that decides.
    record
        How it came about, plain JSON values: ``cohort``, ``gene_sets`` (counts), ``tests`` (None
        where sets were only described: ``genes``, ``genes_with_missing_values`` that were left out,
        ``residual_df``, ``df`` of the moderated t, ``correlation``), ``not_tested`` (why, or
        empty), ``ranking`` and ``over_representation`` (None without them), ``options``,
        ``significant`` (counts of each test), ``notes``. `enrich_problem` adds ``versions`` of the
        packages.
    """

    trait: str
    condition: str | None
    sets: pl.DataFrame
    record: dict[str, Any]

    @property
    def significant(self) -> pl.DataFrame:
        """The sets whose q-value of the deciding test is below the cut, by p-value."""
        options = self.record["options"]
        return self.sets.filter(pl.col(TEST_COLUMNS[options["test"]][2]) < options["q_cut"])


def why_not_tested(result: AnalysisResult) -> str:
    """Return why the sets of a result can only be described; empty where they can be tested."""
    if not result.procedure.tests_genes:
        return (
            f"the procedure {result.procedure!r} selects genes without ranking the others, so "
            "there is no regression"
        )
    if result.method.get("contrast", {}).get("kind") == "factor":
        instead = "analyze with --levels line or ordered"
        what = "differences among levels"
        if "formula" in result.method:
            instead = "test one difference or coefficient with --contrast"
            what = "several coefficients"
        return (
            f"the genes are ranked by the F statistic of {what}, which has no direction; {instead}"
        )
    if result.method.get("options", {}).get("model") == "mixed":
        return (
            "the result is ranked by the mixed model, which is not a regression of each gene and "
            "leaves no residuals to compare with; analyze with --test moderated or --test all"
        )
    return ""


def enrich(
    result: AnalysisResult,
    sets: Sequence[GeneSet],
    options: EnrichmentOptions | None = None,
    effects: TraitEffects | None = None,
) -> Enrichment:
    """Test which gene sets are associated with the trait of a result, and describe them.

    With the effects of the comparison (`read_trait_effects`), two tests allow for the correlation
    between genes: fry (Wu et al. 2010; does a set change at all, in one direction or in both?) and
    camera (Wu and Smyth 2012; does it change more than the other genes?) with the correlation
    estimated for each set. With 10 sets or more, the variances of their means are moderated as
    those of genes are (Smyth 2004). The q-values are those of Benjamini and Hochberg over the sets,
    for each test on its own. Descriptions that take genes as independent are added: the normalised
    enrichment score and leading edge along the ranking (Subramanian et al. 2005; where gseapy is
    installed), and the overlap with the significant genes, with its hypergeometric p-value.

    Raises
    ------
    AnalysisError
        If no set has a fitting size, or there is nothing to test or describe.
    """
    options = options or EnrichmentOptions()
    column = _ranking_column(result)
    genes, statistic = _genes(result, column, effects)
    matched = match_gene_sets(sets, genes["Variable"].to_list(), options.min_size, options.max_size)
    listed = genes["Significant"].to_numpy()
    scores = None if column is None else _scores(matched, statistic, options)
    overlap = over_representation(matched.members, listed) if listed.any() else None
    if effects is None and scores is None and overlap is None:
        msg = f"{result.trait}: no gene is significant and none is ranked, so no set can be tested"
        raise AnalysisError(msg)
    tests = {} if effects is None else _test(matched, genes, effects)
    table = _arrange(matched, genes, tests, scores, overlap, options)
    record: dict[str, Any] = {
        "cohort": result.cohort,
        "gene_sets": matched.record,
        "tests": None if effects is None else _tests_record(effects, len(matched.sets)),
        "not_tested": "" if effects is not None else why_not_tested(result) or NO_EFFECTS,
        "ranking": None if scores is None else {"column": column, "genes": genes.height},
        "over_representation": None
        if overlap is None
        else {"significant_genes": int(listed.sum()), "background": genes.height},
        "options": asdict(options),
        "significant": {} if effects is None else _counts(table, options.q_cut),
    }
    record["notes"] = _notes(record, result, column, statistic)
    return Enrichment(result.trait, result.condition, table, record)


def _scores(
    matched: MatchedSets, statistic: Floats, options: EnrichmentOptions
) -> list[RankedScore] | None:
    """Return the scores without p-values, which take genes as independent; None without gseapy."""
    if not can_rank():
        return None
    return ranked_enrichment(
        matched.members,
        statistic,
        permutations=options.permutations,
        seed=options.seed,
        smallest_p=1.0,
    )


def _ranking_column(result: AnalysisResult) -> str | None:
    """Return the column whose order is that of the result; None when not all genes are ranked."""
    options = result.method.get("options", {})
    name = "Mixed t" if options.get("model") == "mixed" else "t"
    empty = result.genes[name].null_count() == result.genes.height
    return name if result.procedure.tests_genes and not empty else None


def ranking(
    result: AnalysisResult, left_out: Collection[str] = ()
) -> tuple[list[str], Floats] | None:
    """Return the genes from the highest statistic to the lowest; None where none are ranked."""
    column = _ranking_column(result)
    if column is None:
        return None
    genes, statistic = _genes(result, column, None)
    kept = ~genes["Variable"].is_in(list(left_out)).to_numpy()
    names = genes["Variable"].filter(pl.Series(kept)).to_list()
    return names, statistic[kept]


def running_sum(members: Flags, statistic: Floats) -> Floats:
    """Return the running sum of a set along the ranking (Subramanian et al. 2005, weight 1)."""
    hits = np.where(members, np.abs(statistic), 0.0)
    misses = np.where(members, 0.0, 1.0)
    if not hits.sum() or not misses.sum():
        return np.zeros(len(statistic))
    return np.cumsum(hits / hits.sum() - misses / misses.sum())


def _genes(
    result: AnalysisResult, column: str | None, effects: TraitEffects | None
) -> tuple[pl.DataFrame, Floats]:
    """Return the tested genes, each once, from the highest statistic to the lowest."""
    # With effects these are the genes without missing values only.
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
    if effects is not None:
        genes = genes.filter(pl.col("Variable").is_in(effects.genes))
    statistic = genes[column].to_numpy().astype(np.float64)
    # A gene without any residual has an infinite t; it gets the largest finite one.
    largest = np.abs(statistic[np.isfinite(statistic)]).max(initial=1.0)
    return genes, np.clip(statistic, -largest, largest)


def _test(matched: MatchedSets, genes: pl.DataFrame, effects: TraitEffects) -> Columns:
    """Return the columns of the tests."""
    place = {gene: i for i, gene in enumerate(effects.genes)}
    members = matched.matrix(np.array([place[gene] for gene in genes["Variable"]]))
    compared = partial(camera, effects.t, effects.df, effects.matrix[:, 1:], members)
    against = compared(moderated=True)
    alone = fry(effects.matrix, effects.prior, members, moderated=True)
    return {
        "Shift": compared(correlation=SHIFT_CORRELATION).statistic,
        "Direction": _directions(against.statistic),
        "Inter-gene Correlation": against.correlation,
        "p": against.p,
        "q": q_of_known(against.p),
        "Fry Direction": _directions(alone.statistic),
        "Fry p": alone.p,
        "Fry q": q_of_known(alone.p),
        "Mixed p": alone.mixed_p,
        "Mixed q": q_of_known(alone.mixed_p),
    }


def _directions(statistic: Floats) -> list[str]:
    return ["up" if value > 0 else "down" for value in statistic]


def _tests_record(effects: TraitEffects, sets: int) -> dict[str, Any]:
    return {
        "genes": len(effects.genes),
        "genes_with_missing_values": effects.left_out,
        "residual_df": effects.matrix.shape[1] - 1,
        "df": float(np.median(effects.df)),
        "correlation": "estimated",
        "moderated": sets >= FEWEST_SETS,
    }


def _arrange(
    matched: MatchedSets,
    genes: pl.DataFrame,
    tests: Columns,
    scores: list[RankedScore] | None,
    overlap: OverRepresentation | None,
    options: EnrichmentOptions,
) -> pl.DataFrame:
    names = genes["Variable"].to_list()
    columns: Columns = {
        "Gene Set": [s.name for s in matched.sets],
        "Description": [s.description for s in matched.sets],
        "Genes": [len(s.genes) for s in matched.sets],
        "Tested Genes": [len(members) for members in matched.members],
        **tests,
    }
    if scores is not None:
        columns |= {
            "Enrichment Score": [score.score for score in scores],
            "Normalised Score": [score.normalised for score in scores],
            "Leading Edge": [" ".join(names[i] for i in score.leading) for score in scores],
        }
    if overlap is not None:
        listed = genes["Significant"].to_list()
        columns |= {
            "Significant Genes": overlap.found,
            "Expected": overlap.expected,
            "Overlap": [" ".join(names[i] for i in m if listed[i]) for m in matched.members],
            "Overlap p": overlap.p,
            "Overlap q": q_of_known(overlap.p),
        }
    nothing = [None] * len(matched.sets)
    table = pl.DataFrame(
        [
            pl.Series(name, columns.get(name, nothing), dtype=kind, strict=False)
            for name, kind in SET_COLUMNS.items()
        ]
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    return _ordered(table, options)


def _ordered(table: pl.DataFrame, options: EnrichmentOptions) -> pl.DataFrame:
    """Return the sets by the test that decides, the others, else as described."""
    by_fry = options.test == "fry"
    first = [pl.col("Fry q") >= options.q_cut, -pl.col("Shift").abs()] if by_fry else []
    others: list[SetTest] = [name for name in get_args(SetTest) if name != options.test]
    keys = [*first, *(pl.col(TEST_COLUMNS[name][1]) for name in (options.test, *others))]
    described = [pl.col("Overlap p"), -pl.col("Normalised Score").abs(), pl.col("Gene Set")]
    return table.sort([*keys, *described], nulls_last=True, maintain_order=True)


def _counts(table: pl.DataFrame, cut: float) -> dict[str, Any]:
    """Return how many sets each test finds, by direction."""
    counts: dict[str, Any] = {}
    for test, (direction, _, q) in TEST_COLUMNS.items():
        found = table.filter(pl.col(q) < cut)[direction]
        counts[test] = {way: int((found == way).sum()) for way in ("up", "down")}
    return {**counts, "fry-mixed": sum(counts["fry-mixed"].values())}


def _notes(
    record: dict[str, Any], result: AnalysisResult, column: str | None, statistic: Floats
) -> list[str]:
    notes = []
    if record["not_tested"]:
        notes.append(ONLY_DESCRIBED.format(why=record["not_tested"]))
    left_out = (record["tests"] or {}).get("genes_with_missing_values")
    if left_out:
        many = "genes have" if left_out > 1 else "gene has"
        notes.append(f"{left_out:,} tested {many} missing values: not in the tests of gene sets.")
    if column is not None and record["ranking"] is None:
        notes.append(f"No normalised scores and leading edges: {NOT_THERE}.")
    if record["over_representation"] is None:
        notes.append("No gene is significant, so there is no overlap to show.")
    ranked = record["ranking"] is not None
    if ranked and (tied := 1 - len(np.unique(statistic)) / len(statistic)) > 0.05:
        notes.append(
            f"{tied:.0%} of the genes share their place in the ranking with another gene; they are "
            "in the order of their symbols there, which the normalised score depends on."
        )
    sets = record["gene_sets"]
    if sets["genes_tested"] < FEW_KNOWN * sets["genes"]:
        notes.append(
            f"Only {sets['genes_tested']:,} of the {sets['genes']:,} genes in the file of sets "
            f"were tested in {result.cohort or 'this cohort'}: the platform measures few of them, "
            "or they go by other names."
        )
    return notes
