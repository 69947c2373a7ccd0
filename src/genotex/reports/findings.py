"""What the report needs to know of an analysis, in the report's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from genotex.analysis import GENE_COLUMNS
from genotex.reports.steps import (
    MixedModel,
    Pairs,
    PredictedCondition,
    Selection,
    Surrogates,
)

__all__ = [
    "GENE_KEYS",
    "GENE_SCHEMA",
    "RANKED_SCHEMA",
    "Findings",
    "Interaction",
    "interaction_meaning",
    "ranked",
]

TraitKind = Literal["binary", "continuous", "factor"]

GENE_KEYS = {
    "Variable": "symbol",
    "Coefficient": "estimate",
    "Absolute Coefficient": "size",
    "Standard Error": "se",
    "CI Lower": "lower",
    "CI Upper": "upper",
    "t": "t",
    "p": "p",
    "q": "q",
    "Mean Expression": "mean",
    "Standardised Effect": "effect",
    "Standardised Error": "effect_se",
    "Samples": "samples",
    "F": "f",
    "Departure F": "departure_f",
    "Departure p": "departure_p",
    "Departure q": "departure_q",
    "Panel Coefficient": "panel",
    "Selection Frequency": "frequency",
    "Mixed Coefficient": "mixed",
    "Mixed Standard Error": "mixed_se",
    "Mixed t": "mixed_t",
    "Mixed p": "mixed_p",
    "Mixed q": "mixed_q",
    "With SV Coefficient": "with_sv",
    "With SV p": "with_sv_p",
    "With SV q": "with_sv_q",
    "Without SV Coefficient": "without_sv",
    "Without SV p": "without_sv_p",
    "Without SV q": "without_sv_q",
    "Interaction Coefficient": "interaction",
    "Interaction Standard Error": "interaction_se",
    "Interaction t": "interaction_t",
    "Interaction p": "interaction_p",
    "Interaction q": "interaction_q",
    "Status": "status",
    "Significant": "significant",
}
"""Column of the analysis -> column of the genes' frame: all of `GENE_COLUMNS`."""

GENE_SCHEMA = {GENE_KEYS[name]: kind for name, kind in GENE_COLUMNS.items()}
"""Columns of the genes' frame; an analysis without one of them leaves it null."""

RANKED_SCHEMA = {**GENE_SCHEMA, "rank_p": pl.Float64, "rank_q": pl.Float64}
"""Columns of the ranked genes: beside all others the p-value and q-value that rank."""


@dataclass(frozen=True)
class Interaction:
    """How many genes were tested for an interaction with the condition, and had one."""

    tested: int
    significant: int


@dataclass(frozen=True, eq=False)
class Findings:
    """An analysis as the report tells it.

    Attributes
    ----------
    trait : str
        Trait folder name.
    condition : str or None
        Condition of the problem.
    procedure : str
        ``sound`` or ``benchmark``.
    trait_kind : str
        ``binary``, ``continuous`` or ``factor``.
    cohort : str
        Cohort that was analysed.
    cohort_reason : str
        Why this one.
    others : mapping of str to str
        Other cohorts and why not they.
    cut : float
        A gene is significant when its q-value is below.
    minimal_change : float
        A significant gene's absolute change is at least this.
    genes : polars.DataFrame
        One row for each gene, tested or not, with the columns of `GENE_SCHEMA`; those of pairs of
        levels under their own names.
    tested : tuple of str
        Sample ids that took part.
    covariates : tuple of str
        Adjusted for.
    warnings, notes : tuple of str
        In plain language.
    model : str
        The model in words, for the methods paragraph.
    versions : mapping of str to str
        Packages that computed it.
    left_out : tuple of str
        Genes that were not tested, by reason.
    interaction : Interaction or None
        None without a condition.
    surrogates : Surrogates or None
        Surrogate variables; None when nothing is known of them.
    mixed : MixedModel or None
        None when there is no second opinion.
    pairs : Pairs or None
        None when no characteristic told which samples belong together.
    predicted : PredictedCondition or None
        Of a two-step problem.
    selection : Selection or None
        Of the procedure ``benchmark``, which has no p-values.
    panel : mapping
        Record of the sparse panel.
    counts : mapping
        Record of RNA-seq counts; empty for other cohorts.
    counts_summary : str
        The same in one sentence.
    quality : mapping
        Record of the checks of the samples; empty where there were none.
    levels : mapping
        Record of how the levels of the trait were tested; empty for other traits.
    levels_summary : str
        The same in a few sentences.
    covariates_summary : str
        What covariates change, in sentences; empty where that is little.
    """

    trait: str
    condition: str | None
    procedure: str
    trait_kind: TraitKind
    cohort: str
    cohort_reason: str
    others: Mapping[str, str]
    cut: float
    genes: pl.DataFrame
    tested: tuple[str, ...]
    covariates: tuple[str, ...] = ()
    minimal_change: float = 0.0
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    model: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    interaction: Interaction | None = None
    surrogates: Surrogates | None = None
    mixed: MixedModel | None = None
    pairs: Pairs | None = None
    predicted: PredictedCondition | None = None
    selection: Selection | None = None
    panel: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, Any] = field(default_factory=dict)
    counts_summary: str = ""
    quality: Mapping[str, Any] = field(default_factory=dict)
    levels: Mapping[str, Any] = field(default_factory=dict)
    levels_summary: str = ""
    covariates_summary: str = ""

    @property
    def mixed_ranks(self) -> bool:
        """Whether the mixed model ranks, and not the moderated t."""
        return self.mixed is not None and self.mixed.ranks


def ranked(findings: Findings) -> pl.DataFrame:
    """Return the genes in the order of the ranking, with the columns of `RANKED_SCHEMA`.

    By the p-value that ranks, or by the size of the coefficient where there are only those. NaN
    becomes null; genes without a rank come last; ties are broken by symbol.
    """
    frame = findings.genes
    columns = [
        (frame[name].cast(kind) if name in frame.columns else pl.Series([None] * frame.height))
        .cast(kind)
        .alias(name)
        for name, kind in GENE_SCHEMA.items()
    ]
    columns += [frame[name] for name in frame.columns if name not in GENE_SCHEMA]
    test = "mixed_" if findings.mixed_ranks else ""
    full = (
        pl.DataFrame(columns)
        .with_columns(
            pl.col([name for name, kind in GENE_SCHEMA.items() if kind is pl.Float64]).fill_nan(
                None
            ),
            pl.col("significant").fill_null(False),
        )
        .with_columns(rank_p=f"{test}p", rank_q=f"{test}q")
    )
    if findings.selection is not None:
        return full.sort(["size", "symbol"], descending=[True, False], nulls_last=True)
    return full.sort(["rank_p", "symbol"], nulls_last=True)


def interaction_meaning(findings: Findings) -> str:
    """Return what a coefficient of the interaction says."""
    change = "log2 fold change" if findings.trait_kind == "binary" else "change per SD"
    if findings.condition == "Gender":
        return f"{change} in men minus that in women"
    unit = "year of age" if findings.condition == "Age" else "unit of the condition"
    return f"by how much the {change} rises with each {unit}"
