"""The page over all cohorts of a problem."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from genotex.analysis import review_warnings
from genotex.analysis.designs.blocks import blocked_by
from genotex.analysis.meta import CohortFacts, MetaResult, read_meta
from genotex.layout import OutputFolder, trait_folder_name
from genotex.reports.cohorts.genes import (
    ForestData,
    compared_groups,
    forest_data,
    forest_figures,
    meta_csv_frame,
    meta_table,
    shown_genes,
)
from genotex.reports.genes.table import GeneTableView, TopGene, top_genes
from genotex.reports.pages import checked_page, render_template, write_page_files
from genotex.reports.problem.annotation import accession_url
from genotex.reports.problem.software import (
    SoftwareView,
    software_sentence,
    software_view,
    written_options,
)
from genotex.reports.sections import FigureView
from genotex.words import counted, listed, number, question, readable, with_names


@dataclass(frozen=True, eq=False)
class MetaPage:
    """The page over all cohorts of a problem; `replicating` counts genes."""

    result: MetaResult
    title: str
    question: str
    facts: tuple[tuple[str, str], ...]
    replicating: int
    headline: str
    reading: str
    top: tuple[TopGene, ...]
    top_title: str
    zero: float | None
    forest: ForestData
    figures: tuple[FigureView, ...]
    table: GeneTableView
    methods: str
    software: SoftwareView

    @property
    def review(self) -> tuple[str, ...]:
        """What is uncertain of the groups."""
        return review_warnings(self.result.warnings)

    @property
    def trait(self) -> str:
        """The trait in words."""
        return readable(self.result.trait)

    @property
    def condition(self) -> str | None:
        """The condition in words."""
        return None if self.result.condition is None else readable(self.result.condition)

    @property
    def order(self) -> str:
        """The order of the genes in words."""
        genes, asked = self.result.genes, self.result.method.get("options") or {}
        if asked.get("rank_by") == "p" or genes["Replication"].null_count() == genes.height:
            return "p-value over all cohorts"
        return (
            "chance that the next cohort shows them again where they are significant, then by "
            "p-value"
        )

    @property
    def version(self) -> str:
        """The version of genotex that combined the cohorts."""
        return str(self.result.method["versions"]["genotex"])

    @staticmethod
    def url(cohort: CohortFacts) -> str | None:
        """Return the page of a cohort at GEO."""
        return accession_url(cohort.name)

    @staticmethod
    def adjusted(cohort: CohortFacts) -> str:
        """Return what the analysis of a cohort was adjusted for."""
        hidden = [counted(cohort.surrogates, "surrogate variable")] if cohort.surrogates else []
        pairs = [f"pairs {blocked_by(cohort.paired)}"] if cohort.paired else []
        return ", ".join([*cohort.covariates, *pairs, *hidden]) or "nothing"

    def named(self, text: str) -> str:
        """Return a text with readable names of trait and condition."""
        return with_names(text, self.result.trait, self.result.condition)


_TOP = 12
_ALLOWING = "allowing for effects that differ between cohorts as far as those of all genes do"


def build_meta_page(result: MetaResult, *, csv_name: str) -> MetaPage:
    """Return the page over all cohorts of a problem."""
    genes = shown_genes(result)
    replicating = genes.filter(pl.col("Replicates"))
    first = replicating if replicating.height else genes
    given = f", given {readable(result.condition)}" if result.condition else ""
    parts = [_cohorts(result), _effects(result), _combination(result), _genes(result)]
    methods = " ".join([*parts, software_sentence(result.method["versions"])])
    options = written_options(result.method.get("options") or {})
    session = [("Cohorts", listed([c.name for c in result.cohorts])), ("Options", options)]
    top, zero = top_genes(first.head(_TOP))
    return MetaPage(
        result=result,
        title=f"{readable(result.trait)}{given}, all cohorts",
        question=_question(result),
        facts=_facts(result),
        replicating=replicating.height,
        headline=_headline(result, genes, replicating),
        reading=_reading(result),
        top=top,
        top_title="First genes that replicate" if replicating.height else "First genes",
        zero=zero,
        forest=forest_data(result, str(first["Variable"][0])),
        figures=forest_figures(result),
        table=meta_table(result, genes, csv_name),
        methods=methods,
        software=software_view(methods, result.method, session),
    )


def _question(result: MetaResult) -> str:
    asked = question(result.trait, result.condition, str(result.method["kind"]))
    if (groups := compared_groups(result)) is not None:
        asked = f"Which genes differ between {groups[0]} and {groups[1]}?"
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
    up = replicating.filter(pl.col("Coefficient") > 0).height
    down = replicating.height - up
    groups = compared_groups(result)
    whom = "cases" if groups is None else groups[0]
    sides = f"higher and {{}} lower in {whom}" if result.binary else "rising and {} falling with it"
    verb = "replicates" if replicating.height == 1 else "replicate"
    return f"{text}, and {replicating.height:,} {verb}: {up:,} {sides.format(f'{down:,}')}."


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


def _cohorts(result: MetaResult) -> str:
    named = listed([f"{c.name} (n = {c.samples})" for c in result.cohorts])
    given = f", given {readable(result.condition).lower()}," if result.condition else ""
    return (
        f"The cohorts {named} were analysed separately for {readable(result.trait)}{given} with "
        "genotex: each gene's log2 expression was regressed on the trait and the cohort's "
        f"covariates.{_counts(result)}"
    )


def _counts(result: MetaResult) -> str:
    """Return a sentence for each way in which counts became expression."""
    names: dict[str, list[str]] = {}
    for cohort in result.cohorts:
        if cohort.counts:
            names.setdefault(cohort.counts, []).append(cohort.name)
    expression = {kind.partition(", ")[::2]: listed(those) for kind, those in names.items()}
    return "".join(
        f" The values of {those} were {what} ({how})." for (what, how), those in expression.items()
    )


def _effects(result: MetaResult) -> str:
    if result.binary:
        return (
            "Differences were standardised to Hedges' g (Hedges 1981), with the residual standard "
            "deviation of the regression without surrogate variables."
        )
    return (
        "Partial correlations with the trait were transformed by Fisher's z for combination, and "
        "back for reporting."
    )


def _combination(result: MetaResult) -> str:
    fixed = "the mean weighted by inverse variances (fixed effect)"
    spread = (
        "Heterogeneity was assessed by Cochran's Q and I\N{SUPERSCRIPT TWO} (Higgins and Thompson "
        f"2002); Q had p < 0.05 in {100 * result.method['differing_share']:.0f} % of the genes."
    )
    if not result.random:
        return f"Effects were combined gene by gene as {fixed}. {_ranking(result)} {spread}"
    two = ""
    if result.genes["Random p"].null_count():
        two = f" Genes of two cohorts were combined as {fixed}."
    return (
        "Effects were combined gene by gene by random effects (variance between cohorts by Paule "
        "and Mandel 1982) and are given with the 95 % interval of Knapp and Hartung (2003) on a t "
        f"distribution, their factor not below 1.{two} {_ranking(result)} {spread} Each cohort "
        "was left out in turn, and the others were combined in the same way (two of them by the "
        "fixed effect)."
    )


def _ranking(result: MetaResult) -> str:
    return (
        "Each gene was tested for an effect common to the cohorts by a normal deviate, averaged "
        "over a distribution of the between-cohort standard deviation that was estimated from all "
        "genes by restricted maximum likelihood (root mean square "
        f"{result.method['between_cohorts']['sd']:.2g})."
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
        f"{_chance(result)}"
    )


def _chance(result: MetaResult) -> str:
    """Return a sentence on the chance that the next cohort shows a gene."""
    if result.genes["Replication"].null_count() == result.genes.height:
        return ""
    asked = (result.method.get("options") or {}).get("next_cohort")
    size = "as large as these on average" if asked is None else f"of {asked} samples"
    return (
        f" The chance that an independent cohort {size} shows a gene again (same direction, p < "
        "0.05) is that of one cohort with the samples and the effects of these, by a logistic "
        "regression learned from real cohorts."
    )


def write_meta_report(
    output: OutputFolder, trait: str, condition: str | None, path: Path | None = None
) -> Path:
    """Write the report over all cohorts of a problem, and all genes as CSV.

    Parameters
    ----------
    output : OutputFolder
        Folder with the result over all cohorts (`genotex.analysis.meta.write_meta`).
    trait : str
        The trait.
    condition : str or None
        The problem's condition.
    path : Path, optional
        Where to write the page; `OutputFolder.meta_report` by default.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    AnalysisError
        If the cohorts of the problem have not been combined.
    FormatError
        If a file of the result is not what it should be.
    UsageError
        If the page would have the name of its own table.
    """
    trait = trait_folder_name(trait)
    path = checked_page(path or output.meta_report(trait, condition))
    result = read_meta(output, trait, condition)
    page = build_meta_page(result, csv_name=path.with_suffix(".csv").name)
    html = render_template("meta.html.j2", page)
    return write_page_files(html, path, meta_csv_frame(result))
