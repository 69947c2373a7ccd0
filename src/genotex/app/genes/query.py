"""Which genes of an analysis a table shows, in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.app.genes.plots import axes_of, inside
from genotex.studies import LoadedAnalysis

ROWS = 50
_MOST_CORNERS = 400
_OF_GENES = ("volcano", "ma")
ONLY = {
    "all": "all genes",
    "significant": "significant",
    "up": "significant, higher",
    "down": "significant, lower",
    "marked": "highlighted",
}
_SEPARATORS = re.compile(r"[\s,;|]+")


@dataclass(frozen=True)
class GeneQuery:
    """Search, filter and order of the gene table.

    Attributes
    ----------
    search : str
        Part of the symbol.
    only : str
        One of `ONLY`.
    sort : str
        Name of a column; empty for the order of the ranking.
    descending : bool
    page : int
        Counted from 1.
    plot : str
        The plot that `lasso` was drawn in.
    lasso : tuple of (float, float)
        Corners of a selection; empty for none.
    """

    search: str = ""
    only: str = "all"
    sort: str = ""
    descending: bool = False
    page: int = 1
    plot: str = "volcano"
    lasso: tuple[tuple[float, float], ...] = ()

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> GeneQuery:
        """Return the query of an address; what makes no sense counts as not given."""
        only, plot = query.get("only", "all"), query.get("plot", "volcano")
        page = query.get("page", "1")
        return cls(
            query.get("search", "").strip(),
            only if only in ONLY else "all",
            query.get("sort", ""),
            query.get("order", "") == "descending",
            max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
            plot if plot in _OF_GENES else "volcano",
            _corners(query.get("lasso", "")),
        )

    def address(self, **changes: object) -> dict[str, object]:
        """Return what an address holds of the query, with changes."""
        new = replace(self, **changes)  # type: ignore[arg-type]
        return {
            "search": new.search,
            "only": "" if new.only == "all" else new.only,
            "sort": new.sort,
            "order": "descending" if new.descending else "",
            "page": "" if new.page == 1 else new.page,
            "plot": new.plot if new.lasso else "",
            "lasso": ",".join(f"{number:.6g}" for corner in new.lasso for number in corner),
        }

    def apply(self, analysis: LoadedAnalysis, marked: Iterable[str] = ()) -> pl.DataFrame:
        """Return the genes in their order, all pages."""
        keep = self._kept(analysis, marked)
        genes = analysis.genes.filter(pl.Series(keep))
        if self.search:
            symbol = pl.col("Variable").str.to_lowercase()
            genes = genes.filter(symbol.str.contains(self.search.lower(), literal=True))
        if self.sort in analysis.genes.columns:
            genes = genes.sort(
                self.sort, descending=self.descending, nulls_last=True, maintain_order=True
            )
        return genes

    def _kept(self, analysis: LoadedAnalysis, marked: Iterable[str]) -> NDArray[np.bool_]:
        keep = np.ones(analysis.genes.height, dtype=bool)
        if self.only in ("significant", "up", "down"):
            keep &= analysis.significant
        if self.only == "up":
            keep &= analysis.change > 0
        if self.only == "down":
            keep &= analysis.change < 0
        if self.only == "marked":
            keep &= marks_of(analysis, marked)
        if self.lasso:
            keep &= inside(axes_of(analysis, self.plot), self.lasso)
        return keep


def marks_of(analysis: LoadedAnalysis, marked: Iterable[str]) -> NDArray[np.bool_]:
    """Return which genes are highlighted."""
    found = np.zeros(analysis.genes.height, dtype=bool)
    ranks = (analysis.rank_of.get(name.lower()) for name in marked)
    found[[rank for rank in ranks if rank is not None]] = True
    return found


def _corners(text: str) -> tuple[tuple[float, float], ...]:
    try:
        numbers = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        return ()
    if len(numbers) % 2 or not 6 <= len(numbers) <= 2 * _MOST_CORNERS:
        return ()
    return (
        tuple(zip(numbers[::2], numbers[1::2], strict=True)) if np.isfinite(numbers).all() else ()
    )


def names_in(text: str) -> tuple[str, ...]:
    """Return the gene names of a pasted text, each once."""
    return tuple(dict.fromkeys(name for name in _SEPARATORS.split(text) if name))
