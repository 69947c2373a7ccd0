"""A section of the page that most problems do not have: words, tables, remarks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Section", "SectionTable"]


@dataclass(frozen=True)
class SectionTable:
    """A small table.

    Attributes
    ----------
    title : str
        What it shows; may be empty.
    head : tuple of str
        Column headers.
    rows : tuple of tuple of str
        Written cells; the first names the row.
    words : int
        How many columns, from the left, hold words and not numbers.
    marked : int or None
        The row that stands out.
    note : str
        What stands below it.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    marked: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes
    ----------
    key : str
        Anchor.
    link : str
        Name in the list of sections.
    title : str
        Headline.
    lead : str
        The sentence to read when one reads no other.
    tables : tuple of SectionTable
        Side by side where there is room.
    remarks : tuple of str
        Sentences below the lead.
    genes : tuple of str
        Symbols that belong to it, listed in full.
    genes_title : str
        What these genes are.
    """

    key: str
    link: str
    title: str
    lead: str
    tables: tuple[SectionTable, ...] = ()
    remarks: tuple[str, ...] = ()
    genes: tuple[str, ...] = ()
    genes_title: str = ""
