"""What a page of scores shows: plain data, filled by a builder, read by the template."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.bench.evaluation.plain_table import PlainTable
from genotex.reports.page import FigureView

__all__ = ["ItemTable", "PageSection", "ScoresPage"]


@dataclass(frozen=True)
class ItemTable:
    """A long table that a reader sorts and searches.

    Attributes
    ----------
    table : PlainTable
        All items.
    csv_name : str
        The file beside the page that holds them over full precision.
    noun : str
        What a row is, in the plural.
    """

    table: PlainTable
    csv_name: str
    noun: str


@dataclass(frozen=True)
class PageSection:
    """A section of the page.

    Attributes
    ----------
    key : str
        Anchor.
    link, title : str
        Name in the list of sections, and headline.
    lead : str
        What the section says, to be read first.
    figures : tuple of FigureView
    tables : tuple of PlainTable
        Side by side where there is room.
    items : tuple of ItemTable
        Long tables, below each other.
    remarks : tuple of str
        Sentences below.
    """

    key: str
    link: str
    title: str
    lead: str = ""
    figures: tuple[FigureView, ...] = ()
    tables: tuple[PlainTable, ...] = ()
    items: tuple[ItemTable, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoresPage:
    """A page of scores, of one run or of several.

    Attributes
    ----------
    title, question : str
        Headline, and what the page answers.
    facts : tuple of (str, str)
        Name and value of what a reader wants to know first.
    sections : tuple of PageSection
        In order.
    version : str
        Of genotex.
    written : str or None
        Date to print on the page.
    """

    title: str
    question: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[PageSection, ...]
    version: str
    written: str | None = None
