"""The mixed model as a second opinion, beside the moderated t."""

from __future__ import annotations

import polars as pl

from genotex.reports.genes.findings import Findings
from genotex.reports.problem.records import MixedModel
from genotex.reports.sections import ReportSection, Section
from genotex.reports.sections.two_rankings import GeneRanking, RankingsCompared, compare_rankings
from genotex.words import counted

_MODERATED = GeneRanking("moderated t", "Coefficient", "p", "q")
# The mixed model's coefficient is a change of the trait; the size of a gene's change stays that of
# the regression.
_MIXED = GeneRanking("mixed", "Coefficient", "Mixed p", "Mixed q")


def _mixed(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the mixed model; None when it was not fitted."""
    if findings.mixed is None:
        return None
    compared = _mixed_compared(findings, genes)
    return Section(
        key="mixed",
        link="Mixed model",
        title="Two tests: moderated t and mixed model",
        lead=_mixed_lead(findings, compared),
        tables=(compared.table,),
        remarks=(*_mixed_share(findings.mixed), *([compared.overlap] if compared.overlap else [])),
    )


def _mixed_compared(findings: Findings, genes: pl.DataFrame) -> RankingsCompared:
    first, second = (_MIXED, _MODERATED) if findings.mixed_ranks else (_MODERATED, _MIXED)
    return compare_rankings(
        genes,
        first,
        second,
        change=findings.change_label,
        cut=findings.cut,
        minimal_change=findings.minimal_change,
    )


def _mixed_lead(findings: Findings, compared: RankingsCompared) -> str:
    ranking, other, both = compared.significant
    rule = f"q < {findings.cut:g}"
    if findings.mixed_ranks:
        return (
            f"The mixed model, which ranks here, finds {counted(ranking, 'gene')} at {rule}; the "
            f"moderated t would find {other:,}, {both:,} of them the same."
        )
    found = (
        f"{counted(other, 'gene')}, {both:,} of them among the {ranking:,}"
        if other
        else f"no gene, against {ranking:,}"
    )
    return (
        f"The mixed model is a conservative second opinion: at {rule} it finds {found} of the "
        "moderated t, which ranks."
    )


def _mixed_share(mixed: MixedModel) -> list[str]:
    text = (
        "It tests whether a gene explains more of the trait than the background of all genes does; "
        "the gene itself is part of that background, so it errs on the side of finding too few."
    )
    if mixed.share is None:
        return [text]
    return [
        f"{text} The background takes {_percent_below_100(mixed.share)} of the trait's variance."
    ]


def _percent_below_100(share: float) -> str:
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def _mixed_remark(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the line under the answer on the mixed model; empty without it."""
    if findings.mixed is None:
        return ""
    ranking, other, both = _mixed_compared(findings, genes).significant
    if findings.mixed_ranks:
        return (
            "Ranked by the mixed model, a conservative test; the moderated t would find "
            f"{counted(other, 'gene')}."
        )
    found = (
        f"finds {counted(other, 'gene')}, {both:,} of them among these {ranking:,}"
        if other
        else "finds none"
    )
    return f"Ranked by the moderated t; the mixed model, a conservative second opinion, {found}."


def mixed_methods(findings: Findings) -> str:
    """Return what the mixed model did, for the methods paragraph; empty without it."""
    mixed = findings.mixed
    if mixed is None:
        return ""
    share = (
        ""
        if mixed.share is None
        else f", which took {_percent_below_100(mixed.share)} of the variance"
    )
    text = (
        "Each gene was also tested in a linear mixed model of the trait (Kang et al. 2008; Lippert "
        "et al. 2011), with the covariates as fixed effects and a random effect whose covariance "
        f"came from the z-scores of all genes tested{share}; the ratio of variances was estimated "
        "once, by restricted maximum likelihood under the model without the gene."
    )
    order = "the mixed model" if mixed.ranks else "the moderated t"
    return f"{text} Genes were ranked, and called significant, by {order}."


SECTIONS = (ReportSection("mixed", 70, _mixed, _mixed_remark, remark_place=55),)
