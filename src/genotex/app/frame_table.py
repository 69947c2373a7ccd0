"""Tables of gene sets, combined genes and comparisons: search, filter, order and pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from genotex.analysis.results.columns import GeneColumn
from genotex.app.pages import address
from genotex.reports.genes.table import GeneTableView

ROWS = 50
Row = Mapping[str, Any]


def column(name: str, label: str, explanation: str, form: str) -> GeneColumn:
    """Return a column as the page shows it."""
    return GeneColumn(name, pl.Float64, "page", name, label, explanation, form)


@dataclass(frozen=True)
class FrameQuery:
    """Search, filter and order of a table; its first column is searched."""

    search: str = ""
    only: str = ""
    sort: str = ""
    descending: bool = False
    page: int = 1

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> FrameQuery:
        """Return the query of an address; what makes no sense counts as not given."""
        page = query.get("page", "1")
        return cls(
            query.get("search", "").strip(),
            query.get("only", ""),
            query.get("sort", ""),
            query.get("order", "") == "descending",
            max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
        )

    def address(self, **changes: object) -> dict[str, object]:
        """Return what an address holds of the query, with changes."""
        new = replace(self, **changes)  # type: ignore[arg-type]
        return {
            "search": new.search,
            "only": new.only,
            "sort": new.sort,
            "order": "descending" if new.descending else "",
            "page": "" if new.page == 1 else new.page,
        }

    def apply(self, frame: pl.DataFrame, filters: Mapping[str, pl.Expr]) -> pl.DataFrame:
        """Return the rows in their order, all pages."""
        if self.only in filters:
            frame = frame.filter(filters[self.only])
        if self.search:
            name = pl.nth(0).str.to_lowercase().str.replace_all("_", " ")
            wanted = self.search.lower().replace("_", " ")
            frame = frame.filter(name.str.contains(wanted, literal=True))
        if self.sort in frame.columns:
            frame = frame.sort(
                self.sort, descending=self.descending, nulls_last=True, maintain_order=True
            )
        return frame


@dataclass(frozen=True)
class FrameView:
    """A table of a page: address of the page, what a row is, and where its first cell leads.

    Rows whose column `flag` is true stand out. The columns `also` name a row together with its
    first one. Of two tables on a page, one has a `prefix` to its ids.
    """

    base: str
    noun: str
    to: str
    key: str
    flag: str = "flag"
    also: tuple[str, ...] = ()
    prefix: str = ""

    def values(
        self,
        frame: pl.DataFrame,
        columns: Sequence[GeneColumn],
        filters: Mapping[str, pl.Expr],
        given: Mapping[str, str],
        place: Mapping[str, str],
        link_place: Mapping[str, str] | None = None,
        link: Callable[[Row], str | None] | None = None,
    ) -> dict[str, Any]:
        """Return what the template needs; `given` is the query of the address.

        `link` returns where a row leads, or None; without it, the row is named in `to`.
        """
        around = place if link_place is None else link_place

        def named(row: Row) -> str:
            own = {self.key: row[columns[0].name], **{name: row[name] for name in self.also}}
            return address(self.to, {**around, **own})

        return {
            **_page_of(FrameQuery.parse(given), frame, columns, filters),
            "filters": filters,
            "place": place,
            "link": link or named,
            **asdict(self),
        }


def _page_of(
    query: FrameQuery,
    frame: pl.DataFrame,
    columns: Sequence[GeneColumn],
    filters: Mapping[str, pl.Expr],
) -> dict[str, Any]:
    """Return the rows of the page that a query names."""
    found = query.apply(frame, filters)
    pages = max(1, math.ceil(found.height / ROWS))
    page = min(query.page, pages)
    first = (page - 1) * ROWS
    rows = found.slice(first, ROWS).to_dicts()
    view = GeneTableView(tuple(columns), rows, found.height, "")
    return {"query": query, "view": view, "page": page, "pages": pages, "first": first,
            "total": frame.height}  # fmt: skip
