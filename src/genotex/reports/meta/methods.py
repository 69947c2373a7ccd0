"""The methods paragraph of the page over all cohorts, ready to paste."""

from __future__ import annotations

from genotex.analysis.meta import MetaResult
from genotex.reports.words import counted, listed, readable

__all__ = ["meta_methods"]

_PACKAGES = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy", "polars": "Polars"}


def meta_methods(result: MetaResult) -> str:
    """Return what was done, in the past tense of a methods section."""
    parts = [_cohorts(result), _effects(result), _combination(result), _genes(result)]
    return " ".join([*parts, _software(result)])


def _cohorts(result: MetaResult) -> str:
    named = listed([f"{c.name} (n = {c.samples})" for c in result.cohorts])
    given = f", given {readable(result.condition).lower()}," if result.condition else ""
    return (
        f"The cohorts {named} were analysed separately for {readable(result.trait)}{given} with "
        "genotex: each gene's log2 expression was regressed on the trait and the cohort's "
        "covariates."
    )


def _effects(result: MetaResult) -> str:
    if result.binary:
        return (
            "Differences were standardised to Hedges' g (Hedges 1981), with the residual standard "
            "deviation of the regression."
        )
    return (
        "Partial correlations with the trait were transformed by Fisher's z for combination, and "
        "back for reporting."
    )


def _combination(result: MetaResult) -> str:
    text = (
        "Effects were combined gene by gene as their mean weighted by inverse variances "
        "(fixed effect), and tested against a normal distribution; heterogeneity was assessed by "
        "Cochran's Q and I\N{SUPERSCRIPT TWO} (Higgins and Thompson 2002)."
    )
    if result.genes["Random p"].null_count() == result.genes.height:
        return text
    return (
        f"{text} Genes in three cohorts or more were ranked by random effects instead (variance "
        "between cohorts by Paule and Mandel 1982), tested with the standard error of Knapp and "
        "Hartung (2003), their factor not below 1, against a normal distribution and reported with "
        "their interval; each cohort was left out in turn."
    )


def _genes(result: MetaResult) -> str:
    method = result.method
    cut = float(method["options"]["q_cut"])
    alone = int(method["in_one_cohort_only"])
    left = f" ({counted(alone, 'gene')} tested in one cohort only not counted)" if alone else ""
    return (
        f"P-values of the {counted(result.genes.height, 'gene')} tested in at least two cohorts"
        f"{left} were adjusted by the method of Benjamini and Hochberg (1995); "
        f"{counted(result.significant.height, 'gene')} had q < {cut:g}. A gene was called "
        f"replicating with {method['replication']}: {counted(result.replicating.height, 'gene')}."
    )


def _software(result: MetaResult) -> str:
    versions = result.method["versions"]
    named = [f"{_PACKAGES.get(name, name)} {number}" for name, number in versions.items()]
    return f"Software: {listed(named)}."
