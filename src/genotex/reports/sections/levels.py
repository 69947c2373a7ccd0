"""Traits with several levels: how they were tested, and the tests of the levels."""

from __future__ import annotations

import polars as pl

from genotex.reports.genes.findings import Findings
from genotex.reports.sections import ReportSection, Section, SectionTable
from genotex.words import counted, number, readable

_FIRST_GENES = 10


def _levels(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the levels of the trait; None for other traits."""
    if not findings.result.levels_summary:
        return None
    tables = [table for table in (_pairs(findings), _departing(genes)) if table is not None]
    return Section(
        key="levels",
        link="Levels",
        title=f"Levels of {readable(findings.result.trait)}",
        lead=findings.result.levels_summary,
        tables=tuple(tables),
    )


def _pairs(findings: Findings) -> SectionTable | None:
    rows = tuple(
        (pair["pair"], f"{pair['significant']:,}")
        for pair in findings.record("levels").get("pairs", ())
    )
    title = f"Significant genes of each pair of levels (q < {findings.cut:g})"
    return SectionTable(title, ("Pair", "Genes"), rows) if rows else None


def _departing(genes: pl.DataFrame) -> SectionTable | None:
    first = genes.drop_nulls("Departure q").sort(["Departure p", "Variable"]).head(_FIRST_GENES)
    rows = tuple(
        (
            str(row["Variable"]),
            number(row["Departure F"], "plain"),
            number(row["Departure p"], "p"),
            number(row["Departure q"], "p"),
            number(row["q"], "p"),
        )
        for row in first.iter_rows(named=True)
    )
    head = ("Gene", "F", "p", "q", "q of the trend")
    return (
        SectionTable("First genes by their departure from the line", head, rows) if rows else None
    )


def levels_methods(findings: Findings) -> str:
    """Return how departures or pairs were tested, for the methods paragraph."""
    record = findings.record("levels")
    if pairs := record.get("pairs"):
        return (
            f"Each of the {counted(len(pairs), 'pair')} of levels was compared by the moderated t "
            "statistic of the same regression, with q-values over genes for each pair."
        )
    if not (departure := record.get("departure")):
        return ""
    columns = len(record["samples"]) - 2
    return (
        "A departure of the levels from the line was tested in a second regression with "
        f"{counted(columns, 'further column')} by a moderated F statistic (Smyth 2004), with "
        f"q-values over {counted(departure['tested'], 'gene')}; it was significant for "
        f"{counted(departure['significant'], 'gene')}."
    )


def _remark(findings: Findings, genes: pl.DataFrame) -> str:
    del genes
    return findings.result.levels_summary


SECTIONS = (ReportSection("levels", 30, _levels, _remark),)
