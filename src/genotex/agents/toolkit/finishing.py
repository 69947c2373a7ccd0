"""Linking the features and genes of a cohort, and judging it."""

from __future__ import annotations

from genotex.agents.toolkit.clinical_objects import ClinicalTable
from genotex.agents.toolkit.gene_objects import Genes
from genotex.agents.toolkit.linked_objects import FilledTable, JudgedTable, LinkedSamples
from genotex.agents.toolkit.tool import tool
from genotex.cohorts import judge_filled, link_features, treat_missing
from genotex.errors import UsageError

__all__ = ["handle_missing_values", "judge_bias", "link"]


@tool
def link(clinical: ClinicalTable, genes: Genes) -> LinkedSamples:
    """Join clinical features and genes by sample id.

    Parameters
    ----------
    clinical : ClinicalTable
        As `clinical_table` gives it, with a trait.
    genes : Genes
        As `normalise_symbols` gives it.

    Returns
    -------
    LinkedSamples
        ``values``, samples x (trait, Age, Gender, genes), with all gaps; samples that lack one
        side are left out.

    Examples
    --------
    >>> linked = link(clinical, genes)
    """
    if clinical.trait is None:
        msg = (
            "link(): the clinical table has no trait, and without it nothing is linked; record "
            "the cohort with save_cohort_info(task, clinical=clinical, genes=genes)"
        )
        raise UsageError(msg)
    features = {name: feature.codes for name, feature in clinical.features.items()}
    trait = features.pop(clinical.task.trait)
    samples, expression = clinical.source.samples, genes.mapping.expression
    cohort = link_features(clinical.task.trait, samples, trait, features, expression)
    return LinkedSamples(clinical.task, cohort)


@tool
def handle_missing_values(linked: LinkedSamples) -> FilledTable:
    """Drop what has too many gaps, and fill the others.

    Samples without the trait go first; then genes missing in more than 20 % of the samples; then
    samples missing more than 5 % of the genes. Age and genes are filled with their mean, Gender
    with the more frequent one.

    Parameters
    ----------
    linked : LinkedSamples
        As `link` gives it.

    Returns
    -------
    FilledTable
        ``values``, samples x (trait, Age, Gender, genes), without gaps.

    Examples
    --------
    >>> filled = handle_missing_values(linked)
    """
    return FilledTable(linked.task, treat_missing(linked.cohort))


@tool
def judge_bias(filled: FilledTable) -> JudgedTable:
    """Judge whether the trait is too one-sided to be studied; drop Age or Gender that hardly vary.

    Two groups are too one-sided when the smaller one has fewer than 5 samples and less than 10 %.

    Parameters
    ----------
    filled : FilledTable
        As `handle_missing_values` gives it.

    Returns
    -------
    JudgedTable
        ``is_usable`` (bool) and ``values``, samples x (trait, Age, Gender, genes).

    Examples
    --------
    >>> judged = judge_bias(filled)
    """
    cohort = judge_filled(filled.cohort)
    assert cohort.filled is not None
    return JudgedTable(filled.task, cohort, cohort.filled)
