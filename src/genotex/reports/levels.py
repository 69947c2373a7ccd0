"""Traits with several levels: how they were tested, and what the levels' own tests found."""

from __future__ import annotations

import polars as pl

from genotex.reports.findings import Findings
from genotex.reports.page import Column
from genotex.reports.sections import Section, SectionTable
from genotex.reports.words import counted, number, readable

__all__ = [
    "csv_only",
    "level_columns",
    "levels_fact",
    "levels_methods",
    "pair_names",
    "view_levels",
]

SECTION = "levels"
FIRST_GENES = 10
PAIRS_ON_PAGE = 3
"""With more pairs of levels their columns are in the CSV file only."""


def levels_fact(findings: Findings) -> str:
    """Return levels and treatment in a few words; empty for other traits."""
    record = findings.levels
    if not record.get("samples"):
        return ""
    how = {"line": "tested along a line", "ordered": "ordered", "factor": "a factor"}
    return f"{len(record['samples'])}, {how[record['treatment']]}"


def view_levels(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the levels of the trait; None for other traits.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    if not findings.levels_summary:
        return None
    tables = [table for table in (_pairs(findings), _departing(genes)) if table is not None]
    return Section(
        key=SECTION,
        link="Levels",
        title=f"Levels of {readable(findings.trait)}",
        lead=findings.levels_summary,
        tables=tuple(tables),
        remarks=(),
    )


def _pairs(findings: Findings) -> SectionTable | None:
    rows = tuple(
        (pair["pair"], f"{pair['significant']:,}") for pair in findings.levels.get("pairs", ())
    )
    title = f"Significant genes of each pair of levels (q < {findings.cut:g})"
    return SectionTable(title, ("Pair", "Genes"), rows) if rows else None


def _departing(genes: pl.DataFrame) -> SectionTable | None:
    first = genes.drop_nulls("departure_q").sort(["departure_p", "symbol"]).head(FIRST_GENES)
    rows = tuple(
        (
            str(row["symbol"]),
            number(row["departure_f"], "plain"),
            number(row["departure_p"], "p"),
            number(row["departure_q"], "p"),
            number(row["q"], "p"),
        )
        for row in first.iter_rows(named=True)
    )
    head = ("Gene", "F", "p", "q", "q of the trend")
    return (
        SectionTable("First genes by their departure from the line", head, rows) if rows else None
    )


def level_columns(findings: Findings) -> tuple[Column, ...]:
    """Return the columns of departures from the line, and of each pair of levels."""
    departure = (
        Column("departure_f", "dep. F", "moderated F of a departure from the line",
               "departure_f", "plain"),
        Column("departure_p", "dep. p", "p-value of a departure from the line", "departure_p", "p"),
        Column("departure_q", "dep. q", "q-value of a departure from the line", "departure_q", "p"),
    )  # fmt: skip
    return (*departure, *(column for pair in pair_names(findings) for column in _of_pair(pair)))


def pair_names(findings: Findings) -> tuple[str, ...]:
    """Return the pairs of levels of a factor, as ``1 vs 0``."""
    return tuple(str(pair["pair"]) for pair in findings.levels.get("pairs", ()))


def _of_pair(pair: str) -> tuple[Column, ...]:
    label, key = pair, pair.replace(" ", "_")
    return (
        Column(f"{pair} Coefficient", label, f"difference of log2 expression, {pair}",
               f"difference_{key}", "signed"),
        Column(f"{pair} p", f"p {label}", f"p-value of the difference {pair}", f"p_{key}", "p"),
        Column(f"{pair} q", f"q {label}", f"q-value of the difference {pair}", f"q_{key}", "p"),
    )  # fmt: skip


def csv_only(findings: Findings) -> frozenset[str]:
    """Return the keys of those columns that the page has no room for."""
    pairs = pair_names(findings)
    every = {column.key for pair in pairs for column in _of_pair(pair)}
    if len(pairs) <= PAIRS_ON_PAGE:
        every = {key for key in every if key.endswith(" p")}
    return frozenset({"departure_f", "departure_p", *every})


def levels_methods(findings: Findings) -> str:
    """Return how departures or pairs were tested, for the methods paragraph.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
    record = findings.levels
    if pairs := pair_names(findings):
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
