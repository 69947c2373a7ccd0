"""Write the report of a problem beside its table of all genes."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from genotex.layout import atomic_write
from genotex.reports.findings import Findings, gene_columns, ranked
from genotex.reports.page import ReportPage, UnansweredPage
from genotex.reports.rendering import render_page

__all__ = ["gene_csv_frame", "write_page"]


def gene_csv_frame(findings: Findings) -> pl.DataFrame:
    """Return all genes by p-value under the column names of the CSV file."""
    genes = ranked(findings)
    named = [pl.col(c.key).alias(c.csv) for c in gene_columns(findings, genes)]
    return genes.select(*named, "significant")


def write_page(page: ReportPage | UnansweredPage, path: Path, genes: pl.DataFrame | None = None) -> Path:
    """Write the page, and the genes as CSV of the same stem, each whole or not at all.

    The page is rendered before anything is written, and written last: a page never names a CSV
    file that is not there.
    """
    html = render_page(page)
    if genes is not None:
        with atomic_write(path.with_suffix(".csv")) as part:
            genes.write_csv(part)
    with atomic_write(path) as part:
        part.write_text(html, encoding="utf-8")
    return path
