"""Sections of the page that not every problem has.

To add one, add a module to this package with a tuple `SECTIONS` of `ReportSection`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from genotex.figures import Figure, draw_svg

if TYPE_CHECKING:
    import polars as pl

    # Pages of scores need none of the analysis.
    from genotex.reports.genes.findings import Findings


@dataclass(frozen=True)
class FigureView:
    """A figure as inline SVG, with its title, caption and alternative text.

    `narrow` is the drawing for phones, where the figure has one of its own.
    """

    key: str
    title: str
    svg: str
    caption: str
    alt: str
    wide: bool = False
    narrow: str = ""


def view_figures(figures: Sequence[Figure]) -> tuple[FigureView, ...]:
    """Draw figures."""
    return tuple(
        FigureView(
            figure.key,
            figure.title,
            draw_svg(figure),
            figure.caption,
            figure.alt,
            figure.wide,
            "" if figure.narrow is None else draw_svg(figure.narrow),
        )
        for figure in figures
    )


@dataclass(frozen=True)
class SectionTable:
    """A small table of written cells.

    The first `words` columns hold words and not numbers; the row `marked` is in bold.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    marked: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page: its anchor, its name in the navigation, and its content."""

    key: str
    link: str
    title: str
    lead: str
    tables: tuple[SectionTable, ...] = ()
    remarks: tuple[str, ...] = ()
    genes: tuple[str, ...] = ()
    genes_title: str = ""
    figures: tuple[FigureView, ...] = ()


@dataclass(frozen=True)
class ReportSection:
    """A kind of section that a report may have.

    Attributes
    ----------
    key : str
        Anchor.
    place, remark_place : int
        Order on the page, and of the line under the answer (that of the page by default).
    view : callable
        Returns the section from findings and ranked genes; None where it does not apply.
    remark : callable, optional
        Returns the line under the answer that leads to the section; empty without one.
    """

    key: str
    place: int
    view: Callable[[Findings, pl.DataFrame], Section | None]
    remark: Callable[[Findings, pl.DataFrame], str] | None = None
    remark_place: int | None = None

    @property
    def place_of_remark(self) -> int:
        """Order of the line under the answer."""
        return self.place if self.remark_place is None else self.remark_place


@cache
def all_sections() -> tuple[ReportSection, ...]:
    """Return the sections of all modules of this package, in the order of the page."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = [section for module in modules for section in getattr(module, "SECTIONS", ())]
    return tuple(sorted(found, key=lambda section: section.place))
