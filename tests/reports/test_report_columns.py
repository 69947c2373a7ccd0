"""Columns: everything in the CSV file, and on the page what a reader compares genes by."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from genotex.reports.columns import csv_columns, gene_columns, page_columns
from genotex.reports.findings import GENE_KEYS, Interaction, ranked
from tests.reports.report_steps import plain, with_mixed, with_surrogates

MOST = 13


def full() -> pl.DataFrame:
    """Return genes with every column of the analysis filled."""
    findings = with_mixed(with_surrogates(plain()), ranks=False)
    return ranked(findings).with_columns(
        *(pl.lit(0.5).alias(key) for key in GENE_KEYS.values() if key.startswith("interaction")),
        *(pl.lit(0.1).alias(key) for key in ("with_sv", "with_sv_p", "with_sv_q")),
        effect_se=pl.lit(0.2),
        mixed_se=pl.lit(0.3),
        frequency=pl.lit(0.62),
        samples=pl.Series([23] * 119 + [22]),
        status=pl.lit("tested"),
    )


def test_every_column_of_the_analysis_stands_in_the_csv() -> None:
    findings = with_mixed(with_surrogates(plain()), ranks=False)
    of_levels = [key for key in GENE_KEYS.values() if key == "f" or key.startswith("departure")]
    genes = full().with_columns(pl.lit(0.4).alias(key) for key in of_levels)
    keys = {column.key for column in csv_columns(findings, genes)}
    # The absolute value is the coefficient's.
    assert set(GENE_KEYS.values()) - keys == {"size"}
    names = [column.csv for column in csv_columns(findings, genes)]
    assert len(set(names)) == len(names)


def test_page_stays_readable_with_interaction_mixed_model_and_surrogates() -> None:
    told = {"condition": "Age", "interaction": Interaction(120, 3)}
    findings = replace(with_mixed(with_surrogates(plain()), ranks=False), **told)
    genes = full().with_columns(
        *(pl.lit(None, pl.Float64).alias(key) for key in ("with_sv", "with_sv_p", "with_sv_q")),
        samples=pl.lit(23),
    )
    columns = page_columns(findings, genes)
    assert len(columns) <= MOST + 2
    assert "interaction_p" not in {column.key for column in columns}
    usual = genes.with_columns(
        pl.lit(None, pl.Float64).alias(key) for key in GENE_KEYS.values() if "interaction" in key
    )
    assert len(page_columns(findings, usual)) <= MOST


def test_number_of_samples_is_shown_only_where_it_differs() -> None:
    findings = plain()
    assert "samples" in {c.key for c in page_columns(findings, full())}
    same = full().with_columns(samples=pl.lit(23))
    assert "samples" not in {c.key for c in page_columns(findings, same)}
    assert "samples" in {c.key for c in gene_columns(findings, same)}


def test_selection_frequency_stands_beside_the_panel() -> None:
    keys = [column.key for column in page_columns(plain(), full())]
    assert keys[keys.index("panel") + 1] == "frequency"


def test_empty_panel_takes_no_place_on_the_page() -> None:
    empty = full().with_columns(panel=pl.lit(0.0), frequency=pl.lit(0.0))
    assert not {"panel", "frequency"} & {c.key for c in page_columns(plain(), empty)}
    assert {"panel", "frequency"} <= {c.key for c in gene_columns(plain(), empty)}


def test_mixed_columns_stand_first_when_they_rank() -> None:
    findings = with_mixed(plain(), ranks=True)
    keys = [column.key for column in gene_columns(findings, full())]
    assert keys.index("mixed_p") < keys.index("p")
