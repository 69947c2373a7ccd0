"""The gene table of a page, the columns of its CSV file, and the short list under the answer.

The columns themselves are declared, and selected, in `genotex.analysis.results.columns`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import polars as pl

from genotex.analysis.results.columns import (
    FULL,
    GeneColumn,
    coefficient_columns,
    columns_at,
    pair_columns,
    select_columns,
)
from genotex.reports.genes.findings import Findings
from genotex.words import direction, interval, number

_FIRST_ROWS = 200
_MOST_ROWS = 2000
_PAIRS_ON_PAGE = 3
"""With more pairs of levels their columns are in the CSV file only."""


class Column(Protocol):
    """What a page shows of a column: header with its explanation, and the form of the values."""

    @property
    def name(self) -> str:
        """Of the values in a row."""

    @property
    def label(self) -> str:
        """The header."""

    @property
    def help(self) -> str:
        """What it holds."""

    @property
    def form(self) -> str:
        """How a value is written: a form of `number`, ``text`` or ``flag``."""

    @property
    def upper(self) -> str:
        """Name of the values that end an interval; empty for other columns."""


@dataclass(frozen=True)
class TableColumn:
    """A column of a page alone; see `Column`."""

    name: str
    label: str
    help: str
    form: str
    upper: str = ""


def cell(row: Mapping[str, Any], column: Column) -> str:
    """Return the value of a row in a column as pages write it; empty where it is missing."""
    value = row[column.name]
    if value is None:
        return ""
    if column.upper:
        return interval(value, row[column.upper])
    if column.name == "Panel Coefficient" and value == 0:
        # Empty, not a zero among thousands.
        return ""
    if column.form == "flag":
        return "yes" if value else ""
    return str(value) if column.form == "text" else number(value, column.form)


@dataclass(frozen=True, eq=False)
class GeneTableView:
    """The gene table of the page; the CSV file has every gene.

    `rows` are those of the ranked genes; `title` is how many of how many, in which order; `filters`
    is whether only some of the rows are significant.
    """

    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]
    total: int
    csv_name: str
    title: str = ""
    sorted_by: str = "p"
    sort: str = "ascending"
    filters: bool = True

    def cell(self, gene: Mapping[str, Any], column: Column) -> str:
        """Return a gene's value in a column as the page writes it."""
        return cell(gene, column)


@dataclass(frozen=True)
class TopGene:
    """A gene of the short list, with the place of its interval in percent of the shared axis."""

    symbol: str
    estimate: str
    interval: str
    q: str
    direction: str
    significant: bool
    low: float | None
    middle: float | None
    high: float | None


def gene_columns(findings: Findings, genes: pl.DataFrame) -> tuple[GeneColumn, ...]:
    """Return the columns that hold anything, symbol first."""
    return tuple(c for c in csv_columns(findings, genes) if c.name != "Significant")


def csv_columns(findings: Findings, genes: pl.DataFrame) -> tuple[GeneColumn, ...]:
    """Return the columns of the CSV file: all that hold anything."""
    words = _words(findings)
    more = list(_several_columns(findings))
    mixed = findings.mixed_ranks
    found = columns_at(FULL, findings.column_kind, genes, more, mixed_ranks=mixed)
    return tuple(replace(column, help=column.help.format(**words)) for column in found)


def _several_columns(findings: Findings) -> Iterator[GeneColumn]:
    """Yield the columns of each pair of levels, and of each coefficient of a design."""
    pairs = [str(pair["pair"]) for pair in findings.record("levels").get("pairs", ())]
    for pair in pairs:
        yield from pair_columns(pair, on_page=len(pairs) <= _PAIRS_ON_PAGE)
    if (design := findings.design) is not None and design.several:
        on_page = len(design.tested) <= _PAIRS_ON_PAGE
        for name in design.tested:
            yield from coefficient_columns(name, design.coefficient_label(name), on_page=on_page)


def _words(findings: Findings) -> dict[str, str]:
    """Return what the help texts of the columns leave open."""
    condition = findings.result.condition
    paired = findings.pairs is not None and not findings.pairs.averaged
    wald = findings.record("counts").get("test") == "DESeq2"
    moderated = "moderated F" if findings.trait_kind == "factor" else "moderated t"
    return {
        "of_t": "Wald" if wald else "moderated t",
        "of_p": "Wald test" if wald else moderated,
        "within": "pairs" if paired else "groups",
        "interaction": f"trait by {condition} interaction" if condition else "interaction",
        "meaning": findings.interaction_meaning,
        "coefficient": "" if findings.design is None else findings.design.coefficient,
    }


def page_columns(findings: Findings, genes: pl.DataFrame) -> tuple[GeneColumn, ...]:
    """Return the columns of the page: those that a reader compares genes by."""
    hidden = set()
    if not findings.mixed_ranks:
        hidden.add("Mixed p")
    if genes["Samples"].drop_nulls().n_unique() < 2:
        # The same number in every row is no property of a gene.
        hidden.add("Samples")
    for name in ("Panel Coefficient", "Selection Frequency"):
        if not (genes[name].fill_null(0.0) != 0.0).any():
            # An empty panel.
            hidden.add(name)
    return tuple(c for c in gene_columns(findings, genes) if c.on_page and c.name not in hidden)


def csv_frame(findings: Findings, genes: pl.DataFrame) -> pl.DataFrame:
    """Return the ranked genes under the column names of the CSV file."""
    return select_columns(genes, csv_columns(findings, genes))


def order_of_genes(findings: Findings) -> str:
    """Return what the genes are ordered by."""
    return _order(findings)[0]


def _order(findings: Findings) -> tuple[str, str, str]:
    """Return the order of the genes in words, its column, and its direction."""
    if findings.selects:
        return "size of the coefficient", "Absolute Coefficient", "descending"
    if findings.leads_by_chance:
        words = "chance of replication, those that are not significant by p-value"
        return words, "Replication", "descending"
    if findings.mixed_ranks:
        return "p-value of the mixed model", "Mixed p", "ascending"
    return "p-value", "p", "ascending"


def rows_on_page(significant: int) -> int:
    """Return how many genes the page shows."""
    return min(_MOST_ROWS, max(_FIRST_ROWS, significant))


def gene_table(findings: Findings, genes: pl.DataFrame, csv_name: str) -> GeneTableView:
    """Return the table of the ranked genes."""
    hits = int(genes["Significant"].sum())
    selected = findings.selects
    most = min(_MOST_ROWS, hits) if selected else rows_on_page(hits)
    rows = genes.head(most).to_dicts()
    order, sorted_by, direction = _order(findings)
    return GeneTableView(
        page_columns(findings, genes),
        rows,
        genes.height,
        csv_name,
        title=f"{_shown(len(rows), hits, genes.height, selected)}, by {order}.",
        sorted_by=sorted_by,
        sort=direction,
        filters=not selected,
    )


def _shown(rows: int, hits: int, total: int, selected: bool) -> str:
    if not selected:
        return f"{rows:,} of {total:,} genes"
    if not hits:
        return f"No gene of {total:,} was selected"
    return f"{'The' if rows == hits else f'{rows:,} of the'} {hits:,} selected genes of {total:,}"


def top_genes(genes: pl.DataFrame) -> tuple[tuple[TopGene, ...], float | None]:
    """Return the short list, and the place of "no change" on its axis in percent."""
    ends = [v for name in ("CI Lower", "CI Upper", "Coefficient") for v in genes[name].drop_nulls()]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    width = high - low

    def place(value: float | None) -> float | None:
        return None if value is None or width <= 0 else round(100 * (value - low) / width, 1)

    top = tuple(
        TopGene(
            row["Variable"],
            number(row["Coefficient"], "signed"),
            interval(row["CI Lower"], row["CI Upper"]),
            number(row["q"], "p"),
            direction(row["Coefficient"]),
            bool(row["Significant"]),
            place(row["CI Lower"]),
            place(row["Coefficient"]),
            place(row["CI Upper"]),
        )
        for row in genes.iter_rows(named=True)
    )
    return top, place(0.0)
