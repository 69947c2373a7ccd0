"""What the page over all cohorts shows: plain data, filled by the builder, read by the template."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.reports.page import FigureView, GeneTableView, TopGene

__all__ = ["CohortUsed", "ForestView", "MetaPage"]


@dataclass(frozen=True)
class CohortUsed:
    """A cohort that was combined, in written numbers."""

    name: str
    url: str | None
    groups: str
    samples: str
    tested: str
    significant: str
    covariates: str
    counts: str
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class ForestView:
    """What the page draws the forest plot of any gene from.

    Attributes
    ----------
    data : str
        JSON, without any ``<``.
    genes, total : int
        Genes in it, and genes combined.
    first : str
        The gene that is drawn first.
    """

    data: str
    genes: int
    total: int
    first: str


@dataclass(frozen=True)
class MetaPage:
    """The page over all cohorts of a problem, in the order of the sections.

    Attributes
    ----------
    count, significant : str
        Genes that replicate, and that are significant together, as written.
    single : bool
        Whether exactly one gene replicates.
    headline, rule, reading : str
        The answer in words, when a gene counts as replicating, and which statistics are shown.
    top, top_title, zero
        The short list (see `genotex.reports.page.Answer`).
    counted : bool
        Whether expression was counted in any cohort.
    random : bool
        Whether any gene has random effects.
    left_out : tuple of (str, str)
        Cohorts that were not combined and why.
    replicating : frozenset of str
        Genes of the table that replicate.
    """

    title: str
    trait: str
    condition: str | None
    question: str
    version: str
    facts: tuple[tuple[str, str], ...]
    count: str
    single: bool
    headline: str
    rule: str
    reading: str
    top: tuple[TopGene, ...]
    top_title: str
    zero: float | None
    cohorts: tuple[CohortUsed, ...]
    left_out: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    counted: bool
    random: bool
    forest: ForestView
    figures: tuple[FigureView, ...]
    table: GeneTableView
    replicating: frozenset[str]
    methods: str
    written: str | None
