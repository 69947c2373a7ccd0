"""The mixed model as second opinion: what it finds beside the moderated t, and how to read it."""

from __future__ import annotations

import polars as pl

from genotex.reports.comparing import Comparison, Ranking, compare
from genotex.reports.findings import Findings
from genotex.reports.sections import Section
from genotex.reports.steps import MixedModel
from genotex.reports.words import change_label, counted

__all__ = ["mixed_methods", "mixed_remark", "view_mixed"]

_MODERATED = Ranking("moderated t", "estimate", "p", "q")
# The mixed model's coefficient is a change of the trait; the size of a gene's change stays that of
# the regression.
_MIXED = Ranking("mixed", "estimate", "mixed_p", "mixed_q")


def view_mixed(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the mixed model; None when it was not fitted.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    if findings.mixed is None:
        return None
    compared = _compared(findings, genes)
    return Section(
        key="mixed",
        link="Mixed model",
        title="Two tests: moderated t and mixed model",
        lead=_lead(findings, compared),
        tables=(compared.table,),
        remarks=(*_share(findings.mixed), *([compared.overlap] if compared.overlap else [])),
    )


def _compared(findings: Findings, genes: pl.DataFrame) -> Comparison:
    first, second = (_MIXED, _MODERATED) if findings.mixed_ranks else (_MODERATED, _MIXED)
    return compare(
        genes,
        first,
        second,
        change=change_label(findings.trait_kind),
        cut=findings.cut,
        minimal_change=findings.minimal_change,
    )


def _lead(findings: Findings, compared: Comparison) -> str:
    ranking, beside, both = compared.significant
    rule = f"q < {findings.cut:g}"
    if findings.mixed_ranks:
        return (
            f"The mixed model, which ranks here, finds {counted(ranking, 'gene')} at {rule}; the "
            f"moderated t would find {beside:,}, {both:,} of them the same."
        )
    found = (
        f"{counted(beside, 'gene')}, {both:,} of them among the {ranking:,}"
        if beside
        else f"no gene, against {ranking:,}"
    )
    return (
        f"The mixed model is a conservative second opinion: at {rule} it finds {found} of the "
        "moderated t, which ranks."
    )


def _share(mixed: MixedModel) -> list[str]:
    text = (
        "It asks whether a gene tells more of the trait than the background of all genes does, and "
        "the gene itself is part of that background, so it errs on the side of finding too few."
    )
    if mixed.share is None:
        return [text]
    return [f"{text} The background takes {_percent(mixed.share)} of the trait's variance."]


def _percent(share: float) -> str:
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def mixed_remark(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the one line that the answer has on the mixed model; empty without it.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    if findings.mixed is None:
        return ""
    ranking, beside, both = _compared(findings, genes).significant
    if findings.mixed_ranks:
        return (
            "Ranked by the mixed model, a conservative test; the moderated t would find "
            f"{counted(beside, 'gene')}."
        )
    found = (
        f"finds {counted(beside, 'gene')}, {both:,} of them among these {ranking:,}"
        if beside
        else "finds none"
    )
    return f"Ranked by the moderated t; the mixed model, a conservative second opinion, {found}."


def mixed_methods(findings: Findings) -> str:
    """Return what the mixed model did, for the methods paragraph; empty without it.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
    mixed = findings.mixed
    if mixed is None:
        return ""
    share = "" if mixed.share is None else f", which took {_percent(mixed.share)} of the variance"
    text = (
        "Each gene was also tested in a linear mixed model of the trait (Kang et al. 2008; Lippert "
        "et al. 2011), with the covariates as fixed effects and a random effect whose covariance "
        f"came from the z-scores of all genes tested{share}; the ratio of variances was estimated "
        "once, by restricted maximum likelihood under the model without the gene."
    )
    order = "the mixed model" if mixed.ranks else "the moderated t"
    return f"{text} Genes were ranked, and called significant, by {order}."
