"""Sections of the page that not every problem has: plain data, read by the templates."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "FigureView",
    "GeneSetRow",
    "GeneSetsView",
    "InteractionRow",
    "InteractionView",
    "Section",
    "SectionTable",
]


@dataclass(frozen=True)
class FigureView:
    """A figure as inline SVG with the words that go with it."""

    key: str
    title: str
    svg: str
    caption: str
    alt: str
    wide: bool = False


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
    figures : tuple of FigureView
        Below the tables.
    """

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
class InteractionRow:
    """A gene's written numbers: change, interaction coefficient, its p-value and q-value."""

    symbol: str
    cells: tuple[str, str, str, str]
    significant: bool


@dataclass(frozen=True)
class InteractionView:
    """The short table of genes whose change may depend on the condition.

    Attributes
    ----------
    title, sentence : str
        What it is, and what came of it.
    meaning : str
        What the interaction coefficient says.
    rows : tuple of InteractionRow
        First genes by the q-value of the interaction; empty when it could not be tested.
    """

    title: str
    sentence: str
    meaning: str
    rows: tuple[InteractionRow, ...]


@dataclass(frozen=True)
class GeneSetRow:
    """A gene set: written numbers, and the genes that make it stand out.

    Attributes
    ----------
    name, description : str
        As in the file of sets.
    size : str
        Genes of the set that were tested.
    direction : str
        ``up``, ``down`` or ``none``, by the test that decides.
    correlation : str
        Mean correlation between the genes of the set.
    q, fry_q, mixed_q : str
        q-values of camera and of fry, directional and mixed; empty where sets were not tested.
    score : str
        Normalised enrichment score along the ranking; empty without one.
    found : str
        Significant genes of the set and how many chance would give; empty without any.
    genes : str
        First genes of the set.
    more : int
        How many genes of the same kind follow.
    significant : bool
        By the test that decides.
    """

    name: str
    description: str
    size: str
    direction: str
    correlation: str
    q: str
    fry_q: str
    mixed_q: str
    score: str
    found: str
    genes: str
    more: int
    significant: bool


@dataclass(frozen=True)
class GeneSetsView:
    """The gene sets that are associated with the trait.

    Attributes
    ----------
    sentences : tuple of str
        What was tested and what came of it.
    tested, ranked, listed : bool
        Whether sets were tested, have scores along the ranking, and were held against the list of
        significant genes.
    decides : str
        The test that decides: ``camera``, ``fry`` or ``fry-mixed``.
    rows : tuple of GeneSetRow
        First sets by p-value.
    meaning : str
        What the score says.
    genes_label : str
        Which genes of the sets are named.
    notes : tuple of str
        What a reader should know.
    file : str
        Place of the table of all sets in the output folder.
    methods : str
        What was done, for the methods paragraph.
    """

    sentences: tuple[str, ...]
    tested: bool
    ranked: bool
    listed: bool
    decides: str
    rows: tuple[GeneSetRow, ...]
    meaning: str
    genes_label: str
    notes: tuple[str, ...]
    file: str
    methods: str = ""
