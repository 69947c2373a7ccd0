"""Tables of pages: search, filter, order and pages; as HTML, CSV, Excel and JSON.

A table is declared once, as a `PageTable`; a function of its page gives its rows for a request, and
the routes of the table do the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.downloads import send_table
from genotex.app.pages import address, part_of_page, render
from genotex.reports import Column, TableColumn, cell

ROWS = 50
"""Rows of a page."""
Row = Mapping[str, Any]


def columns(*rows: tuple[str, str, str, str]) -> tuple[TableColumn, ...]:
    """Return columns by name in the data, header, explanation and form."""
    return tuple(TableColumn(*row) for row in rows)


@dataclass(frozen=True)
class TableQuery:
    """Search, filter and order of a table; its first column is searched."""

    search: str = ""
    only: str = ""
    sort: str = ""
    descending: bool = False
    page: int = 1

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> TableQuery:
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


def _shown_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table without the columns that are for its page alone."""
    return frame.select(pl.exclude(r"^\..*$"))


def of_another(whole: Callable[[], pl.DataFrame]) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Return what gives the listed rows as another table has them; its first column names them."""

    def rows(listed: pl.DataFrame) -> pl.DataFrame:
        every = whole()
        name = every.columns[0]
        names = listed.select(pl.nth(0).alias(name))
        return names.join(every, on=name, how="left", maintain_order="left")

    return rows


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table for a request.

    Attributes
    ----------
    frame
        All rows; columns whose name begins with a dot are for the page alone.
    place
        What names the page in an address.
    name
        Of the file that is downloaded.
    links
        What else an address has where the first cell leads, by default `place`.
    link
        Where a row leads, or None, in the place of `PageTable.to`.
    columns, filters
        In the place of those of the table.
    whole
        The rows as a file has them.
    carried
        What else the address of the query holds, such as a selection in a plot.
    total
        Number of rows before a selection that `carried` states.
    """

    frame: pl.DataFrame
    place: Mapping[str, str]
    name: str
    links: Mapping[str, str] | None = None
    link: Callable[[Row], str | None] | None = None
    columns: Sequence[Column] | None = None
    filters: Mapping[str, pl.Expr] | None = None
    whole: Callable[[pl.DataFrame], pl.DataFrame] = _shown_columns
    carried: Mapping[str, str] = field(default_factory=dict)
    total: int | None = None


@dataclass(frozen=True, eq=False)
class PageTable:
    """A table of a page.

    Attributes
    ----------
    base
        Address of the page; the table alone and its files are below it.
    noun
        What a row is.
    columns
        Those that a page shows where they hold anything.
    to, key
        The page that the first cell leads to, and how the address names the row there.
    filters
        What rows can be narrowed to, by name.
    flag
        Column that is true where a row stands out.
    also
        Columns that name a row together with its first one.
    prefix
        Of the ids, where a page has two tables.
    sheet
        Name of the sheet in a workbook.
    marks
        Classes of a row, besides that of rows that stand out.
    """

    base: str
    noun: str
    columns: Sequence[Column] = ()
    to: str = ""
    key: str = ""
    filters: Mapping[str, pl.Expr] = field(default_factory=dict)
    flag: str = ".flag"
    also: tuple[str, ...] = ()
    prefix: str = ""
    sheet: str = "genes"
    marks: Callable[[Row], str] = lambda row: ""

    def values(self, request: Request, rows: Rows) -> dict[str, Any]:
        """Return what the template needs of the page that a query names."""
        # Of two tables on a page, the query belongs to the one of its address.
        mine = request.url.path in (self.base, f"{self.base}/table")
        query = TableQuery.parse(request.query_params if mine else {})
        filters = self._filters(rows)
        found = query.apply(rows.frame, filters)
        pages = max(1, math.ceil(found.height / ROWS))
        page = min(query.page, pages)
        first = (page - 1) * ROWS
        shown = rows.columns or _holding(self.columns, rows.frame)
        page_of = replace(rows, frame=found.slice(first, ROWS), columns=shown)
        return {
            **self.plain(page_of),
            "query": query,
            "fits": found.height,
            "total": rows.frame.height if rows.total is None else rows.total,
            "page": page,
            "pages": pages,
            "first": first,
            "filters": filters,
            "place": rows.place,
            "carried": rows.carried,
        }

    def _filters(self, rows: Rows) -> Mapping[str, pl.Expr]:
        return self.filters if rows.filters is None else rows.filters

    def _named(self, rows: Rows) -> Callable[[Row], str | None]:
        """Return what links a row by its name."""
        around = rows.place if rows.links is None else rows.links
        first = (rows.columns or self.columns)[0].name

        def link(row: Row) -> str:
            own = {self.key: row[first], **{name: row[name] for name in self.also}}
            return address(self.to, {**around, **own})

        return link

    def plain(self, rows: Rows) -> dict[str, Any]:
        """Return what the template needs of a table that is shown whole, without search."""
        shown = rows.columns or _holding(self.columns, rows.frame)
        view = View(shown, rows.frame.to_dicts())
        return {"table": self, "view": view, "link": rows.link or self._named(rows)}

    def part(self, request: Request, rows: Rows) -> Markup:
        """Return the table with its search, for a page with several."""
        return part_of_page("table_query.html.j2", **self.values(request, rows))

    def send(self, request: Request, rows: Rows) -> Response:
        """Send the rows of all pages as a file; the ending of the address states which."""
        query = TableQuery.parse(request.query_params)
        found = rows.whole(query.apply(rows.frame, self._filters(rows)))
        return send_table(found, rows.name, request.url.path, self.sheet)

    def routes(self, rows_of: Callable[[Request], Rows]) -> list[Route]:
        """Return the routes of the table alone, and of its files."""

        def table(request: Request) -> Response:
            return render(request, "table.html.j2", **self.values(request, rows_of(request)))

        def download(request: Request) -> Response:
            return self.send(request, rows_of(request))

        files = [Route(f"{self.base}.{kind}", download) for kind in ("csv", "xlsx", "json")]
        return [Route(f"{self.base}/table", table), *files]


@dataclass(frozen=True)
class View:
    """Rows as a page writes them."""

    columns: Sequence[Column]
    rows: list[dict[str, Any]]

    def cell(self, row: Row, column: Column) -> str:
        """Return a value as text."""
        return cell(row, column)


def _holding(every: Iterable[Column], frame: pl.DataFrame) -> list[Column]:
    """Return the first column, and those of the others that hold anything."""
    return [c for i, c in enumerate(every) if not i or frame[c.name].null_count() < frame.height]


def facts_of(row: Row, every: Iterable[Column]) -> list[tuple[Column, str]]:
    """Return the columns of one row that hold anything, with their texts."""
    texts = [(column, cell(row, column)) for column in every]
    return [(column, text) for column, text in texts if text]
