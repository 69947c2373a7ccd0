"""Columns of the gene table: those of the CSV file, and the few that the page has room for."""

from __future__ import annotations

import polars as pl

from genotex.reports.findings import Findings, interaction_meaning
from genotex.reports.levels import csv_only, level_columns
from genotex.reports.page import Column
from genotex.reports.words import change_label

__all__ = ["csv_columns", "gene_columns", "page_columns"]

_CSV_ONLY = frozenset(
    {
        "se",
        "upper",
        "effect_se",
        "mixed",
        "mixed_se",
        "mixed_t",
        "with_sv",
        "with_sv_p",
        "without_sv",
        "without_sv_p",
        "interaction_se",
        "interaction_t",
        "interaction_p",
        "status",
    }
)
"""Columns that the page has no room for."""

_SYMBOL = Column("symbol", "Gene", "official symbol", "gene", "text")
_STATUS = Column("status", "status", "whether the gene was tested, or why not", "status", "text")


def gene_columns(findings: Findings, genes: pl.DataFrame) -> tuple[Column, ...]:
    """Return the columns that hold anything, in the order of the table, symbol first.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    every = (
        _SYMBOL,
        *(_selected() if findings.selection is not None else _tested(findings)),
    )
    return tuple(c for c in every if c is _SYMBOL or genes[c.key].null_count() < genes.height)


def csv_columns(findings: Findings, genes: pl.DataFrame) -> tuple[Column, ...]:
    """Return the columns of the CSV file.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    word = "selected" if findings.selection is not None else "significant"
    flag = Column("significant", word, f"whether the gene is {word}", word, "text")
    return (*gene_columns(findings, genes), flag)


def page_columns(findings: Findings, genes: pl.DataFrame) -> tuple[Column, ...]:
    """Return the columns of the page: those that a reader compares genes by.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    hidden = {*_CSV_ONLY, *csv_only(findings)}
    if not findings.mixed_ranks:
        hidden.add("mixed_p")
    if genes["samples"].drop_nulls().n_unique() < 2:
        # The same number in every row says nothing of a gene.
        hidden.add("samples")
    for key in ("panel", "frequency"):
        if not (genes[key].fill_null(0.0) != 0.0).any():
            # An empty panel.
            hidden.add(key)
    return tuple(c for c in gene_columns(findings, genes) if c.key not in hidden)


def _selected() -> tuple[Column, ...]:
    return (
        Column("estimate", "coefficient", "coefficient in the Lasso", "coefficient", "fine"),
        Column("size", "|coefficient|", "its absolute value, which ranks", "absolute_coefficient",
               "size"),
    )  # fmt: skip


def _tested(findings: Findings) -> tuple[Column, ...]:
    first, second = _moderated(findings), _mixed()
    if findings.mixed_ranks:
        first, second = second, first
    return (
        *_change(findings),
        *first,
        *second,
        *level_columns(findings),
        *_surrogates(),
        Column("mean", "mean", "mean log2 expression over the samples tested", "mean", "plain"),
        *_effect(findings),
        Column("samples", "n", "samples with a value", "n", "count"),
        *_interaction(findings),
        Column("panel", "panel", "coefficient in the sparse panel", "panel_coefficient", "signed"),
        Column(
            "frequency",
            "chosen",
            "share of half-samples in which the panel chooses the gene",
            "selection_frequency",
            "share",
        ),
        _STATUS,
    )


def _change(findings: Findings) -> tuple[Column, ...]:
    label = change_label(findings.trait_kind)
    if findings.trait_kind == "binary":
        explain, csv = "log2 fold change, case against control", "log2_fold_change"
    elif findings.trait_kind == "factor":
        explain, csv = "largest difference between two levels", "largest_difference"
    else:
        explain = "change of log2 expression for one standard deviation of the trait"
        csv = "change_per_sd"
    return (
        Column("estimate", label, explain, csv, "signed"),
        Column("se", "SE", "standard error of the change", "standard_error", "plain"),
        Column(
            "lower", "95 % interval", "95 % confidence interval of the change", "ci_low", "signed"
        ),
        Column("upper", "95 % high", "upper end of the interval", "ci_high", "signed"),
    )


def _moderated(findings: Findings) -> tuple[Column, ...]:
    statistic = "F" if findings.trait_kind == "factor" else "t"
    return (
        Column("t", "t", "moderated t statistic", "t", "signed"),
        Column("f", "F", "moderated F statistic of any difference", "f", "plain"),
        Column("p", "p", f"p-value of the moderated {statistic}", "p", "p"),
        Column("q", "q", "Benjamini-Hochberg q-value (false discovery rate)", "q", "p"),
    )


def _mixed() -> tuple[Column, ...]:
    what = "mixed model: change of the trait per unit of log2 expression"
    return (
        Column("mixed", "mixed b", what, "mixed_coefficient", "fine"),
        Column("mixed_se", "mixed SE", "its standard error", "mixed_standard_error", "plain"),
        Column("mixed_t", "mixed t", "t statistic of the mixed model", "mixed_t", "signed"),
        Column("mixed_p", "mixed p", "p-value of the mixed model", "mixed_p", "p"),
        Column("mixed_q", "mixed q", "q-value of the mixed model", "mixed_q", "p"),
    )


def _surrogates() -> tuple[Column, ...]:
    return tuple(
        column
        for key, words in (("with_sv", "with"), ("without_sv", "without"))
        for column in (
            Column(key, f"{words} SV", f"change {words} surrogate variables", f"{key}_change",
                   "signed"),
            Column(f"{key}_p", f"p {words} SV", f"p-value {words} surrogate variables", f"{key}_p",
                   "p"),
            Column(f"{key}_q", f"q {words} SV", f"q-value {words} surrogate variables", f"{key}_q",
                   "p"),
        )
    )  # fmt: skip


def _effect(findings: Findings) -> tuple[Column, ...]:
    if findings.trait_kind == "binary":
        label, csv = "Hedges' g", "hedges_g"
        within = "pairs" if findings.pairs and not findings.pairs.averaged else "groups"
        explain = f"difference in sds within {within}, as the covariates leave them"
    else:
        label, csv = "partial r", "partial_r"
        explain = "partial correlation with the trait, given the covariates"
    return (
        Column("effect", label, explain, csv, "signed"),
        Column("effect_se", f"{label} SE", "its standard error", f"{csv}_standard_error", "plain"),
    )


def _interaction(findings: Findings) -> tuple[Column, ...]:
    within = f"trait by {findings.condition} interaction" if findings.condition else "interaction"
    return (
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
    )
