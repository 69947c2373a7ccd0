"""What the report needs to know of an analysis, in the report's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from genotex.analysis import GENE_COLUMNS
from genotex.reports.page import Column

__all__ = [
    "CSV_ONLY",
    "GENE_KEYS",
    "GENE_SCHEMA",
    "Findings",
    "Interaction",
    "gene_columns",
    "interaction_meaning",
    "ranked",
]

TraitKind = Literal["binary", "continuous"]

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

CSV_ONLY = frozenset({"se", "upper", "interaction_se", "interaction_t", "status"})
"""Columns that the page has no room for."""


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
        ``sound``.
    trait_kind : str
        ``binary`` or ``continuous``.
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
        One row for each gene, tested or not, with the columns of `GENE_SCHEMA`.
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


def ranked(findings: Findings) -> pl.DataFrame:
    """Return the genes by p-value with all columns of `GENE_SCHEMA`.

    NaN becomes null; genes without a p-value come last; ties are broken by symbol.
    """
    frame = findings.genes
    columns = [
        (frame[name].cast(kind) if name in frame.columns else pl.Series([None] * frame.height))
        .cast(kind)
        .alias(name)
        for name, kind in GENE_SCHEMA.items()
    ]
    full = pl.DataFrame(columns).with_columns(
        pl.col([name for name, kind in GENE_SCHEMA.items() if kind is pl.Float64]).fill_nan(None)
    )
    return full.with_columns(pl.col("significant").fill_null(False)).sort(
        ["p", "symbol"], nulls_last=True
    )


def interaction_meaning(findings: Findings) -> str:
    """Return what a coefficient of the interaction says."""
    change = "log2 fold change" if findings.trait_kind == "binary" else "change per SD"
    if findings.condition == "Gender":
        return f"{change} in men minus that in women"
    unit = "year of age" if findings.condition == "Age" else "unit of the condition"
    return f"by how much the {change} rises with each {unit}"


def gene_columns(findings: Findings, genes: pl.DataFrame) -> tuple[Column, ...]:
    """Return the columns that hold anything, in the order of the page, symbol first."""
    binary = findings.trait_kind == "binary"
    change = (
        Column(
            "estimate",
            "log2 FC",
            "log2 fold change, case against control",
            "log2_fold_change",
            "signed",
        )
        if binary
        else Column(
            "estimate",
            "change / SD",
            "change of log2 expression for one standard deviation of the trait",
            "change_per_sd",
            "signed",
        )
    )
    effect = (
        Column(
            "effect",
            "Hedges' g",
            "difference in units of the within-group sd",
            "hedges_g",
            "signed",
        )
        if binary
        else Column(
            "effect", "partial r", "partial correlation with the trait", "partial_r", "signed"
        )
    )
    within = f"trait by {findings.condition} interaction" if findings.condition else "interaction"
    every = (
        Column("symbol", "Gene", "official symbol", "gene", "text"),
        change,
        Column("se", "SE", "standard error of the change", "standard_error", "plain"),
        Column(
            "lower", "95 % interval", "95 % confidence interval of the change", "ci_low", "signed"
        ),
        Column("upper", "95 % high", "upper end of the interval", "ci_high", "signed"),
        Column("t", "t", "moderated t statistic", "t", "signed"),
        Column("p", "p", "p-value", "p", "p"),
        Column("q", "q", "Benjamini-Hochberg q-value (false discovery rate)", "q", "p"),
        Column("mean", "mean", "mean log2 expression over the samples tested", "mean", "plain"),
        effect,
        Column("samples", "n", "samples with a value", "n", "count"),
        Column(
            "interaction",
            "inter. b",
            f"{within}: {interaction_meaning(findings)}",
            "interaction",
            "fine",
        ),
        Column(
            "interaction_se",
            "inter. SE",
            f"standard error of the {within}",
            "interaction_standard_error",
            "fine",
        ),
        Column(
            "interaction_t", "inter. t", f"moderated t of the {within}", "interaction_t", "signed"
        ),
        Column("interaction_p", "inter. p", f"p-value of the {within}", "interaction_p", "p"),
        Column("interaction_q", "inter. q", f"q-value of the {within}", "interaction_q", "p"),
        Column("panel", "panel", "coefficient in the sparse panel", "panel_coefficient", "signed"),
        Column("status", "status", "whether the gene was tested, or why not", "status", "text"),
    )
    return tuple(c for c in every if c.key == "symbol" or genes[c.key].null_count() < genes.height)
