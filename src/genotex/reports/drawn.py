"""Declared figures as a page shows them, and the figures of a result."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from genotex.figures import (
    NO_EXPRESSION,
    ChangeWords,
    Figure,
    GeneResult,
    SampleMarks,
    declared,
    draw_svg,
)
from genotex.formats import LinkedTable
from genotex.parallel import in_prepared_workers
from genotex.reports.genes.findings import Findings
from genotex.reports.sections import FigureView
from genotex.words import readable


def view_figures(figures: Sequence[Figure]) -> tuple[FigureView, ...]:
    """Draw figures, in workers where some are prepared."""
    every = [each for figure in figures for each in (figure, figure.narrow) if each is not None]
    drawn = iter(in_prepared_workers([(draw_svg, (figure,)) for figure in every]))
    return tuple(
        FigureView(
            figure.key,
            figure.title,
            next(drawn),
            figure.caption,
            figure.alt,
            figure.wide,
            "" if figure.narrow is None else next(drawn),
        )
        for figure in figures
    )


def draw_figures(
    findings: Findings, genes: pl.DataFrame, table: LinkedTable, marks: SampleMarks
) -> tuple[FigureView, ...]:
    """Return the figures that the data allow, in the order of the page."""
    return view_figures(declared(gene_result(findings, genes, table, marks), pages_only=True))


def gene_result(
    findings: Findings,
    genes: pl.DataFrame,
    table: LinkedTable | None,
    marks: SampleMarks | None,
) -> GeneResult:
    """Return what figures need of the ranked `genes`, and of the cohort."""
    return GeneResult.of(
        genes,
        change_words(findings),
        findings.cut,
        selects=findings.selects,
        marks=marks,
        table=NO_EXPRESSION if table is None else (table.genes, table.expression),
    )


def change_words(findings: Findings) -> ChangeWords:
    """Return what a gene's change is, and what it means to both sides of zero."""
    trait = readable(findings.result.trait)
    of_p = " of the mixed model" if findings.mixed_ranks else ""
    if findings.selects:
        binary = findings.trait_kind == "binary"
        return ChangeWords("coefficient", "being a case" if binary else f"a higher {trait}")
    if findings.design is not None:
        return ChangeWords(findings.design.effect, *findings.design.sides, of_p)
    if findings.trait_kind == "binary":
        axis = "log2 fold change, case against control"
        return ChangeWords(axis, "higher in cases", "lower in cases", of_p)
    if findings.trait_kind == "factor":
        axis = f"largest difference between two levels of {trait}, log2"
        return ChangeWords(axis, "higher in the upper of the two levels", "lower", of_p)
    axis = f"change per standard deviation of {trait}"
    return ChangeWords(axis, "rising with the trait", "falling with it", of_p)
