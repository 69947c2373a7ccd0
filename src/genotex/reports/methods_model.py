"""The statistics in the words of a methods section."""

from __future__ import annotations

from collections.abc import Sequence

from genotex.reports.findings import Findings
from genotex.reports.levels import levels_methods
from genotex.reports.page import GroupView
from genotex.reports.samples import samples_methods
from genotex.reports.second_opinion import mixed_methods
from genotex.reports.selection import selection_methods
from genotex.reports.two_step import condition_methods
from genotex.reports.unmeasured import unmeasured_methods
from genotex.reports.words import counted, covariate_names, group_members, listed, readable

__all__ = ["compared_methods", "model_methods"]


def compared_methods(findings: Findings, groups: Sequence[GroupView]) -> str:
    """Return who was compared with whom, and who was left out.

    Parameters
    ----------
    findings : Findings
        The analysis.
    groups : sequence of GroupView
        All samples of the cohort, by group.
    """
    averaged = findings.pairs is not None and findings.pairs.averaged
    if findings.trait_kind == "binary" and groups:
        cases = listed([group_members(g, g.compared) for g in groups if _is_case(g)])
        controls = [g for g in groups if g.compared and not _is_case(g)]
        against = listed([group_members(g, g.compared) for g in controls])
        text = f"{cases or 'No cases'} were compared with {against or 'no controls'}"
    else:
        many, trait = counted(len(findings.tested), "sample"), readable(findings.trait)
        text = f"{many} were compared along their level of {trait}"
        if findings.trait_kind == "factor":
            text = f"{many} in {len(findings.levels['samples'])} levels of {trait} were compared"
    if averaged:
        return f"After averaging, {text}."
    rest = [(g, g.samples - g.compared) for g in groups if g.samples > g.compared]
    if not rest:
        return f"{text}."
    were = "was" if sum(count for _, count in rest) == 1 else "were"
    return f"{text}; {listed([group_members(g, count) for g, count in rest])} {were} left out."


def _is_case(group: GroupView) -> bool:
    return group.key == "case"


def model_methods(findings: Findings, tested_genes: int) -> str:
    """Return what was computed, in the past tense, each method with its source.

    Parameters
    ----------
    findings : Findings
        The analysis.
    tested_genes : int
        How many genes were tested.
    """
    if findings.selection is not None:
        parts = [condition_methods(findings), selection_methods(findings)]
    else:
        parts = [
            samples_methods(findings),
            _pairs(findings),
            condition_methods(findings),
            _regression(findings),
            levels_methods(findings),
            unmeasured_methods(findings),
            mixed_methods(findings),
            _significance(findings, tested_genes),
            _interaction(findings),
            _panel(findings),
        ]
    return " ".join(part for part in parts if part)


def _pairs(findings: Findings) -> str:
    pairs = findings.pairs
    if pairs is None:
        return ""
    how = "the correlation of their residual expression profiles"
    whose = f"one person, detected by {how}," if pairs.detected else f"the same '{pairs.key}'"
    by = f"detected by {how}" if pairs.detected else f"by '{pairs.key}'"
    if pairs.averaged:
        became = (
            f": {counted(pairs.before, 'sample')} became {pairs.samples:,}"
            if pairs.before is not None and pairs.samples is not None
            else ""
        )
        return f"Samples of {whose} were averaged before any test{became}."
    if pairs.correlation is not None:
        return (
            f"Samples of {whose} ({counted(pairs.blocks, 'person', 'people')}) were treated as "
            f"correlated (r = {pairs.correlation:.2f}, the consensus over genes; Smyth, Michaud "
            "and Scott 2005), in generalised least squares."
        )
    return (
        f"Samples were compared within {counted(pairs.blocks, pairs.noun)} {by}, each with a "
        "level of its own in the regression."
    )


def _regression(findings: Findings) -> str:
    covariates = (
        f", with {listed(covariate_names(findings))} as "
        f"covariate{'s' if len(findings.covariates) > 1 else ''}"
        if findings.covariates
        else ""
    )
    out = f" Not tested were {listed(findings.left_out)}." if findings.left_out else ""
    return f"{findings.model}{covariates}.{out}"


def _significance(findings: Findings, tested_genes: int) -> str:
    rule = (
        f"P-values of {counted(tested_genes, 'gene')} in {counted(len(findings.tested), 'sample')} "
        "were adjusted by the method of Benjamini and Hochberg (1995); genes with "
        f"q < {findings.cut:g}"
    )
    if findings.minimal_change > 0 and findings.mixed_ranks:
        rule += f" and an absolute change of at least {findings.minimal_change:g}"
    return f"{rule} were called significant."


def _interaction(findings: Findings) -> str:
    if findings.interaction is None or not findings.interaction.tested:
        return ""
    condition = readable(str(findings.condition)).lower()
    return (
        f"The interaction of trait and {condition} was tested in the same way in a second "
        "regression that had their product as a further column, with q-values over the "
        f"{counted(findings.interaction.tested, 'gene')} tested for it; it was significant for "
        f"{counted(findings.interaction.significant, 'gene')}."
    )


def _panel(findings: Findings) -> str:
    panel = findings.panel
    if not panel.get("model"):
        return ""
    how = "logistic" if str(panel["model"]).startswith("logistic") else "linear"
    text = (
        f"Beside the tests a sparse panel was fitted by the Lasso (Tibshirani 1996; {how} model) "
        "on z-scored genes"
        + (", with the covariates unpenalised" if findings.covariates else "")
        + f"; its penalty was the largest within one standard error of the best deviance in "
        f"{panel.get('folds', 5)}-fold cross-validation (Breiman et al. 1984)"
    )
    if panel.get("quality"):
        text += ", and its prediction was judged by nested cross-validation"
    if stability := panel.get("stability"):
        text += (
            f". How often each gene was chosen was counted over {stability['pairs']} pairs of "
            "complementary half-samples (Shah and Samworth 2013)"
        )
    return f"{text}."
