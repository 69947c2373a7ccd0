"""The answer: how many genes, who was compared, and the first of the ranking."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from genotex.reports.findings import Findings
from genotex.reports.levels import SECTION as LEVELS
from genotex.reports.page import Answer, GroupView, Remark
from genotex.reports.second_opinion import mixed_remark
from genotex.reports.selection import selection_headline
from genotex.reports.sequenced import SECTION, sequenced_remark
from genotex.reports.shortlist import top_genes
from genotex.reports.two_step import condition_remark
from genotex.reports.unmeasured import unmeasured_remark
from genotex.reports.words import change_label, contrast_sentence, headline, number

__all__ = ["answer_findings", "order_of_genes"]

_TOP = 12


def order_of_genes(findings: Findings) -> str:
    """Return what the genes are ordered by."""
    if findings.selection is not None:
        return "size of the coefficient"
    return "p-value of the mixed model" if findings.mixed_ranks else "p-value"


def answer_findings(
    findings: Findings, genes: pl.DataFrame, groups: tuple[GroupView, ...]
) -> Answer:
    """Return the answer.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    groups : tuple of GroupView
        Who was compared.
    """
    if findings.selection is not None:
        return _selected(findings, genes, groups)
    hits = genes.filter(pl.col("significant"))
    up = hits.filter(pl.col("estimate") > 0).height
    tested = genes.height - genes["rank_p"].null_count()
    lowest = genes["rank_q"].min()
    first = genes.head(_TOP).with_columns(q="rank_q")
    factor = findings.trait_kind == "factor"
    # The largest of several differences has no interval of its own.
    top, zero = top_genes(_from_zero(first) if factor else first)
    return Answer(
        significant=hits.height,
        tested=tested,
        up=up,
        down=hits.height - up,
        count=f"{hits.height:,}",
        noun=f"significant {'gene' if hits.height == 1 else 'genes'}",
        headline=headline(
            findings, up, hits.height - up, tested, lowest if isinstance(lowest, float) else None
        ),
        contrast=contrast_sentence(findings, groups),
        groups=groups,
        top=top,
        top_title="Top genes" if hits.height else "First genes of the ranking",
        zero=zero,
        order=order_of_genes(findings) + _by_the_other_test(findings),
        change=change_label(findings.trait_kind),
        axis="from zero" if factor else "95 % interval",
        q="mixed q" if findings.mixed_ranks else "q",
        remarks=_remarks(findings, genes),
    )


def _by_the_other_test(findings: Findings) -> str:
    return "; changes and intervals are those of the moderated t" if findings.mixed_ranks else ""


def _remarks(findings: Findings, genes: pl.DataFrame) -> tuple[Remark, ...]:
    told = (
        Remark(findings.levels_summary, LEVELS),
        Remark(sequenced_remark(findings), SECTION),
        Remark(findings.covariates_summary, "processing"),
        Remark(condition_remark(findings), "condition"),
        Remark(mixed_remark(findings, genes), "mixed"),
        Remark(unmeasured_remark(findings, genes), "unmeasured"),
    )
    return tuple(remark for remark in told if remark.text)


def _from_zero(genes: pl.DataFrame) -> pl.DataFrame:
    """Return genes without intervals so that the axis shows how far each is from zero."""
    return genes.with_columns(
        lower=pl.min_horizontal(pl.lit(0.0), "estimate"),
        upper=pl.max_horizontal(pl.lit(0.0), "estimate"),
    )


def _selected(findings: Findings, genes: pl.DataFrame, groups: tuple[GroupView, ...]) -> Answer:
    chosen = genes.filter(pl.col("significant"))
    up = chosen.filter(pl.col("estimate") > 0).height
    ends = _from_zero(chosen.head(_TOP))
    listed, zero = top_genes(ends)
    top = tuple(
        replace(gene, estimate=number(value, "fine"), interval=number(value, "fine"))
        for gene, value in zip(listed, ends["estimate"], strict=True)
    )
    return Answer(
        significant=chosen.height,
        tested=genes.height,
        up=up,
        down=chosen.height - up,
        count=f"{chosen.height:,}",
        noun=f"selected {'gene' if chosen.height == 1 else 'genes'}",
        headline=selection_headline(findings, genes),
        contrast=contrast_sentence(findings, groups),
        groups=groups,
        top=top,
        top_title="Largest coefficients" if top else "No gene was selected",
        zero=zero,
        order=order_of_genes(findings),
        change="coefficient",
        axis="from zero",
        q="",
        remarks=_remarks(findings, genes),
    )
