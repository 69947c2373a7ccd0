"""Columns: everything in the CSV file, and on the page what a reader compares genes by."""

from __future__ import annotations

import polars as pl

from genotex.analysis import stored_types
from genotex.reports import csv_columns, gene_columns, page_columns, ranked
from tests.reports.report_cohort import vary
from tests.reports.report_steps import plain, with_mixed, with_surrogates

MOST = 13
WITH_SV = ("With SV Coefficient", "With SV p", "With SV q")


def full() -> pl.DataFrame:
    """Return genes with every column of the analysis filled."""
    findings = with_mixed(with_surrogates(plain()), ranks=False)
    return ranked(findings).with_columns(
        *(pl.lit(0.5).alias(name) for name in stored_types() if name.startswith("Interaction")),
        *(pl.lit(0.1).alias(name) for name in WITH_SV),
        pl.lit(0.2).alias("Standardised Error"),
        pl.lit(0.3).alias("Mixed Standard Error"),
        pl.lit(0.62).alias("Selection Frequency"),
        pl.Series("Samples", [23] * 119 + [22]),
        pl.lit("tested").alias("Status"),
        pl.lit("robust").alias("Grade"),
        pl.lit(0.7).alias("Replication"),
        pl.lit(40.0).alias("Samples to Settle"),
    )


def test_every_column_of_the_analysis_is_in_the_csv() -> None:
    findings = with_mixed(with_surrogates(plain()), ranks=False)
    of_levels = [name for name in stored_types() if name == "F" or name.startswith("Departure")]
    genes = full().with_columns(pl.lit(0.4).alias(name) for name in of_levels)
    columns = csv_columns(findings, genes)
    # The absolute value is the coefficient's.
    assert set(stored_types()) - {column.name for column in columns} == {"Absolute Coefficient"}
    names = [column.csv for column in columns]
    assert len(set(names)) == len(names)


def test_page_stays_readable_with_interaction_mixed_model_and_surrogates() -> None:
    findings = vary(
        with_mixed(with_surrogates(plain()), ranks=False),
        condition="Age",
        method={"interaction": {"tested": 120, "significant": 3}},
    )
    genes = full().with_columns(
        *(pl.lit(None, pl.Float64).alias(name) for name in WITH_SV), pl.lit(23).alias("Samples")
    )
    columns = page_columns(findings, genes)
    assert len(columns) <= MOST + 2
    assert "Interaction p" not in {column.name for column in columns}
    usual = genes.with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in stored_types() if "Interaction" in name
    )
    assert len(page_columns(findings, usual)) <= MOST


def test_number_of_samples_is_shown_only_where_it_differs() -> None:
    findings = plain()
    assert "Samples" in {c.name for c in page_columns(findings, full())}
    same = full().with_columns(pl.lit(23).alias("Samples"))
    assert "Samples" not in {c.name for c in page_columns(findings, same)}
    assert "Samples" in {c.name for c in gene_columns(findings, same)}


def test_selection_frequency_is_next_to_the_panel() -> None:
    names = [column.name for column in page_columns(plain(), full())]
    assert names[names.index("Panel Coefficient") + 1] == "Selection Frequency"


def test_empty_panel_takes_no_place_on_the_page() -> None:
    panel = {"Panel Coefficient", "Selection Frequency"}
    empty = full().with_columns(pl.lit(0.0).alias(name) for name in panel)
    assert not panel & {c.name for c in page_columns(plain(), empty)}
    assert panel <= {c.name for c in gene_columns(plain(), empty)}


def test_mixed_columns_come_first_when_they_rank() -> None:
    findings = with_mixed(plain(), ranks=True)
    names = [column.name for column in gene_columns(findings, full())]
    assert names.index("Mixed p") < names.index("p")
