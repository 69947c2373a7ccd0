"""From a result over all cohorts to the page."""

from __future__ import annotations

import polars as pl

from genotex.analysis import blocked_by
from genotex.analysis.meta import CohortFacts, MetaResult
from genotex.reports.meta.forests import forest_data, forest_figures
from genotex.reports.meta.methods import meta_methods
from genotex.reports.meta.page import CohortUsed, MetaPage
from genotex.reports.meta.table import gene_table, shown_genes
from genotex.reports.reading import accession_url
from genotex.reports.shortlist import top_genes
from genotex.reports.words import counted, number, question, readable, sentence, with_names

__all__ = ["build_meta_page"]

_TOP = 12
_ALLOWING = "allowing for effects that differ between cohorts as far as those of all genes do"


def build_meta_page(result: MetaResult, *, csv_name: str, written: str | None = None) -> MetaPage:
    """Return the page over all cohorts of a problem.

    Parameters
    ----------
    result : MetaResult
        The result over all cohorts.
    csv_name : str
        Name of the CSV file beside the page.
    written : str, optional
        Date to print; none by default, so that the same input gives the same page.
    """
    genes = shown_genes(result)
    replicating = genes.filter(pl.col("replicates"))
    listed = replicating if replicating.height else genes
    top, zero = top_genes(listed.head(_TOP))
    table = gene_table(result, genes, csv_name)
    names, asked = frozenset(replicating["symbol"]), (result.trait, result.condition)
    return MetaPage(
        title=_title(result),
        trait=readable(result.trait),
        condition=None if result.condition is None else readable(result.condition),
        question=_question(result),
        version=str(result.method["versions"]["genotex"]),
        facts=_facts(result),
        count=f"{replicating.height:,}",
        single=replicating.height == 1,
        headline=_headline(result, genes, replicating),
        rule=f"A gene replicates with {result.method['replication']}.",
        reading=_reading(result),
        top=top,
        top_title="First genes that replicate" if replicating.height else "First genes",
        zero=zero,
        cohorts=tuple(_cohort(cohort, *asked) for cohort in result.cohorts),
        left_out=tuple((name, sentence(why)) for name, why in result.left_out.items()),
        warnings=tuple(_told(text, *asked) for text in result.warnings),
        counted=any(cohort.counts for cohort in result.cohorts),
        random=result.random,
        forest=forest_data(result, str(listed["symbol"][0])),
        figures=forest_figures(result),
        table=table,
        replicating=frozenset(row.symbol for row in table.rows) & names,
        methods=meta_methods(result),
        written=written,
    )


def _title(result: MetaResult) -> str:
    given = f", given {readable(result.condition)}" if result.condition else ""
    return f"{readable(result.trait)}{given}, all cohorts"


def _question(result: MetaResult) -> str:
    asked = question(result.trait, result.condition, str(result.method["kind"]))
    return f"{asked.rstrip('?')}, from cohort to cohort?"


def _facts(result: MetaResult) -> tuple[tuple[str, str], ...]:
    median = result.method["median_I2"]
    how = "random effects" if result.random else "fixed effect"
    return (
        ("Cohorts combined", f"{len(result.cohorts)}"),
        ("Samples", f"{sum(cohort.samples for cohort in result.cohorts):,}"),
        ("Genes in two or more", f"{result.genes.height:,}"),
        ("Effect", f"{result.method['effect']}, {how}"),
        ("Median I\N{SUPERSCRIPT TWO}", "" if median is None else f"{median:.0f} %"),
        ("SD of true effects between cohorts", f"{result.method['between_cohorts']['sd']:.2f}"),
        ("Genes on which cohorts differ", f"{100 * result.method['differing_share']:.0f} %"),
    )


def _headline(result: MetaResult, genes: pl.DataFrame, replicating: pl.DataFrame) -> str:
    cut = float(result.method["options"]["q_cut"])
    tested = f"Of {counted(genes.height, 'gene')} tested in at least two cohorts"
    hits = result.significant.height
    if not hits:
        lowest = number(genes["q"].min(), "p")  # type: ignore[arg-type]
        return (
            f"{tested}, none passes q < {cut:g} over all cohorts; the lowest q-value is {lowest}. "
            "That is a result, not an error: the ranking is the best order of candidates."
        )
    text = f"{tested}, {hits:,} are significant over all cohorts at q < {cut:g}"
    if not replicating.height:
        return f"{text}, and none of them replicates."
    up = replicating.filter(pl.col("estimate") > 0).height
    down = replicating.height - up
    sides = "higher and {} lower in cases" if result.binary else "rising and {} falling with it"
    verb = "replicates" if replicating.height == 1 else "replicate"
    return f"{text}, and {replicating.height:,} {verb}: {up:,} {sides.format(f'{down:,}')}."


def _cohort(cohort: CohortFacts, trait: str, condition: str | None) -> CohortUsed:
    return CohortUsed(
        cohort.name,
        accession_url(cohort.name),
        with_names(cohort.groups, trait),
        f"{cohort.samples:,}",
        f"{cohort.tested:,}",
        f"{cohort.significant:,}",
        _adjusted(cohort),
        cohort.counts,
        tuple(_told(text, trait, condition) for text in cohort.warnings),
    )


def _adjusted(cohort: CohortFacts) -> str:
    hidden = [counted(cohort.surrogates, "surrogate variable")] if cohort.surrogates else []
    pairs = [f"pairs {blocked_by(cohort.paired)}"] if cohort.paired else []
    return ", ".join([*cohort.covariates, *pairs, *hidden]) or "nothing"


def _reading(result: MetaResult) -> str:
    if not result.random:
        return (
            "Effect and interval are of the fixed effect: the average in these two cohorts. p and "
            f"q test for an effect in common, {_ALLOWING}."
        )
    mixed = result.genes["Random p"].null_count()
    two = " Genes that two cohorts tested have the fixed effect instead." if mixed else ""
    return (
        "Effect and interval are of random effects. p and q test for an effect in common, "
        f"{_ALLOWING}. The interval and the strict p take that from the one gene, so with few "
        f"cohorts they are wide.{two}"
    )


def _told(text: str, *traits: str | None) -> str:
    """Return a warning as a sentence that names traits as people do."""
    return sentence(with_names(text, *traits))
