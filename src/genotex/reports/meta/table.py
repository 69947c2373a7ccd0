"""The genes over all cohorts: on the page, and in the CSV beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from genotex.analysis.meta import COHORT_COLUMNS, MetaResult
from genotex.reports.page import Column, GeneRow, GeneTableView
from genotex.reports.shortlist import direction, interval
from genotex.reports.words import number

__all__ = ["CSV_NAMES", "gene_table", "meta_csv_frame", "shown_genes"]

_FIRST_ROWS = 200
_MOST_ROWS = 2000

CSV_NAMES = {
    "Variable": "gene",
    "Cohorts": "cohorts",
    "Samples": "samples",
    "Combined Effect": "effect",
    "Combined Error": "standard_error",
    "CI Lower": "ci_low",
    "CI Upper": "ci_high",
    "z": "z",
    "p": "p",
    "q": "q",
    "Q": "cochran_q",
    "Q p": "cochran_q_p",
    "I2": "i2",
    "tau2": "tau2",
    "Random p": "random_p",
    "Random q": "random_q",
    "Fixed Effect": "fixed_effect",
    "Fixed Error": "fixed_standard_error",
    "Fixed CI Lower": "fixed_ci_low",
    "Fixed CI Upper": "fixed_ci_high",
    "Fixed p": "fixed_p",
    "Combined r": "r",
    "r CI Lower": "r_ci_low",
    "r CI Upper": "r_ci_high",
    "Stouffer p": "stouffer_p",
    "Stouffer q": "stouffer_q",
    "Agreeing": "agreeing",
    "Agreement": "agreement",
    "Nominal": "nominal",
    "Leave-One-Out p": "leave_one_out_p",
    "Leave-One-Out Flips": "leave_one_out_flips",
    "Significant": "significant",
    "Replication p": "replication_p",
    "Replication q": "replication_q",
    "Replicates": "replicates",
}
"""Column of the result -> column of the CSV file: all of `META_COLUMNS`."""


def shown_genes(result: MetaResult) -> pl.DataFrame:
    """Return the genes on the scale that people read: Hedges' g, or partial correlation.

    ``symbol``, ``estimate``, ``lower``, ``upper``, ``p``, ``q``, ``i2``, ``spread_p``, ``agree``
    ("2 of 2"), ``replication_q``, ``replicates``, ``significant``; with three cohorts also
    ``random_p``, ``largest_p`` and ``fixed``, which is null where two cohorts tested a gene.
    """
    effect = ["Combined Effect", "CI Lower", "CI Upper"]
    if not result.binary:
        effect = ["Combined r", "r CI Lower", "r CI Upper"]
    names = dict(zip(effect, ("estimate", "lower", "upper"), strict=True)) | {
        "Variable": "symbol",
        "p": "p",
        "q": "q",
        "I2": "i2",
        "Q p": "spread_p",
        "Random p": "random_p",
        "Leave-One-Out p": "largest_p",
        "Replication q": "replication_q",
        "Replicates": "replicates",
        "Significant": "significant",
    }
    fixed = pl.col("Fixed Effect") if result.binary else pl.col("Fixed Effect").tanh()
    return result.genes.select(
        *(pl.col(a).alias(b) for a, b in names.items()),
        pl.when(pl.col("Random p").is_not_null()).then(fixed).alias("fixed"),
        pl.format("{} of {}", "Agreeing", "Cohorts").alias("agree"),
    )


def gene_table(result: MetaResult, genes: pl.DataFrame, csv_name: str) -> GeneTableView:
    """Return the first genes of the ranking as the page writes them."""
    columns = _columns(result, genes)
    shown = genes.head(min(_MOST_ROWS, max(_FIRST_ROWS, result.significant.height)))
    rows = tuple(_row(row, columns[1:]) for row in shown.iter_rows(named=True))
    return GeneTableView(columns, rows, genes.height, csv_name)


def _columns(result: MetaResult, genes: pl.DataFrame) -> tuple[Column, ...]:
    effect = "g" if result.binary else "r"
    told = "Hedges' g" if result.binary else "partial correlation"
    how = "fixed effect"
    if result.random:
        how = "random effects; fixed effect where two cohorts tested the gene"
    every = (
        Column("symbol", "Gene", "official symbol", "gene", "text"),
        Column("estimate", effect, f"{told} over all cohorts ({how})", "effect", "signed"),
        Column("lower", "95 % interval", "95 % confidence interval of it", "ci_low", "signed"),
        Column(
            "p",
            "p",
            "p-value of an effect in common, by which genes are ranked; allows for effects that "
            "differ between cohorts as far as those of all genes do",
            "p",
            "p",
        ),
        Column("q", "q", "Benjamini-Hochberg q-value (false discovery rate)", "q", "p"),
        Column(
            "random_p",
            "strict p",
            "p-value of the random effects (Knapp and Hartung, on t), as the interval: how far "
            "effects differ between cohorts is estimated from this gene only",
            "random_p",
            "p",
        ),
        Column("agree", "same sign", "cohorts with the direction of the whole", "agreeing", "text"),
        Column(
            "i2", "I\N{SUPERSCRIPT TWO} %", "spread between cohorts beyond chance", "i2", "count"
        ),
        Column("spread_p", "p of Q", "p-value of the spread (Cochran's Q)", "cochran_q_p", "p"),
        Column(
            "fixed",
            f"fixed {effect}",
            "fixed effect: the average in these cohorts, blind to how they differ",
            "fixed_effect",
            "signed",
        ),
        Column(
            "largest_p", "worst p", "largest p when one cohort is left out", "leave_one_out_p", "p"
        ),
        Column(
            "replication_q",
            "replication q",
            "q-value of replication, among the significant genes",
            "replication_q",
            "p",
        ),
        Column("replicates", "replicates", "by the rule under Answer", "replicates", "text"),
    )
    return tuple(c for c in every if genes[c.key].null_count() < genes.height)


def _row(row: Mapping[str, Any], columns: tuple[Column, ...]) -> GeneRow:
    cells = tuple(_cell(row, column) for column in columns)
    return GeneRow(str(row["symbol"]), bool(row["significant"]), direction(row["estimate"]), cells)


def _cell(row: Mapping[str, Any], column: Column) -> str:
    value = row[column.key]
    if column.key == "replicates":
        return "yes" if value else ""
    if column.key == "lower":
        return interval(row)
    return str(value) if column.form == "text" else number(value, column.form)


def meta_csv_frame(result: MetaResult) -> pl.DataFrame:
    """Return all genes with everything that is known of them, and of them in each cohort."""
    whole = result.genes.select(pl.col(a).alias(b) for a, b in CSV_NAMES.items())
    each = [
        result.effects[f"{cohort.name} {name}"].alias(f"{cohort.name}_{name.lower()}")
        for cohort in result.cohorts
        for name in COHORT_COLUMNS
    ]
    return whole.hstack(each)
