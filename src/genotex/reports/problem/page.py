"""The page of one problem: what `report.html.j2` and `unanswered.html.j2` show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from genotex.analysis import review_warnings
from genotex.figures import SampleMarks, declared
from genotex.formats import CohortInfo, Evidence, LinkedTable
from genotex.reports.genes.explorer import explorer_data
from genotex.reports.genes.findings import Findings, gene_result, ranked
from genotex.reports.genes.table import (
    GeneTableView,
    TopGene,
    gene_table,
    order_of_genes,
    top_genes,
)
from genotex.reports.pages import render_template
from genotex.reports.problem.annotation import (
    AnnotatedFeature,
    CohortRow,
    accession_url,
    annotation_notes,
    cohort_rows,
    design_features,
    features_of,
)
from genotex.reports.problem.groups import Group, contrast_sentence, groups_of_samples, mark_samples
from genotex.reports.problem.methods import LogStep, log_steps, methods_paragraph, remaining_notes
from genotex.reports.problem.sample_figures import draw_sample_figures, with_sample_figures
from genotex.reports.problem.software import SoftwareView, problem_software
from genotex.reports.sections import FigureView, Section, all_sections, view_figures
from genotex.reports.sections.condition import InteractionView, view_interaction
from genotex.reports.sections.gene_sets import GeneSetsView
from genotex.reports.sections.selection import selection_facts, selection_headline
from genotex.words import counted, number, question, readable, sentence, share_of, with_names

_TOP = 12
_COVARIATES_REMARK = 45
"""Place of the line on covariates among those of the sections (`ReportSection.place`)."""


@dataclass(frozen=True)
class _Remark:
    """A line of the answer, and the section with the details."""

    text: str
    section: str


@dataclass(frozen=True)
class _PageAnswer:
    """The answer at the top of the page.

    `significant` counts selected genes where there are no tests; `zero` is the place of "no change"
    on the axis of the short list in percent; `change`, `axis` and `q` are its headers.
    """

    significant: int
    tested: int
    up: int
    down: int
    noun: str
    headline: str
    contrast: str
    groups: tuple[Group, ...]
    top: tuple[TopGene, ...]
    top_title: str
    zero: float | None
    order: str
    change: str
    axis: str
    q: str
    remarks: tuple[_Remark, ...] = ()


@dataclass(frozen=True)
class Together:
    """What all cohorts of the problem show together."""

    text: str
    page: str | None  # File of their page, where it is next to this one


@dataclass(frozen=True)
class ReportPage:
    """Everything on the page of one problem."""

    title: str
    trait: str
    condition: str | None
    question: str
    facts: tuple[tuple[str, str], ...]
    version: str
    answer: _PageAnswer
    warnings: tuple[str, ...]
    cohort: str
    cohort_title: str
    cohort_reason: str
    cohorts: tuple[CohortRow, ...]
    features: tuple[AnnotatedFeature, ...]
    roles: bool
    annotation_notes: tuple[str, ...]
    figures: tuple[FigureView, ...]
    table: GeneTableView
    explorer: str
    interaction: InteractionView | None
    gene_sets: GeneSetsView | None
    sections: tuple[Section, ...]
    log: tuple[LogStep, ...]
    notes: tuple[str, ...]
    methods: str
    software: SoftwareView
    files: Sequence[Mapping[str, Any]]
    together: Together | None = None

    @property
    def cohort_url(self) -> str | None:
        """The cohort at GEO."""
        return accession_url(self.cohort)


@dataclass(frozen=True)
class UnansweredPage:
    """The page of a problem that no cohort can answer, with the annotation of those cohorts."""

    title: str
    trait: str
    condition: str | None
    question: str
    version: str
    cohorts: tuple[CohortRow, ...]
    why: str = ""
    annotations: tuple[tuple[str, tuple[AnnotatedFeature, ...]], ...] = ()


def render_page(page: ReportPage | UnansweredPage) -> str:
    """Return the page as one self-contained HTML document."""
    name = "report.html.j2" if isinstance(page, ReportPage) else "unanswered.html.j2"
    return render_template(name, page)


def build_page(
    evidence: Evidence,
    table: LinkedTable,
    infos: Mapping[str, CohortInfo],
    findings: Findings,
    *,
    csv_name: str,
    gene_sets: GeneSetsView | None = None,
) -> ReportPage:
    """Return the page of a problem, from the linked table (best the unfilled one) and records."""
    result, genes, own = findings.result, ranked(findings), findings.design
    marks = mark_samples(evidence, table, findings)
    groups = groups_of_samples(evidence, marks, findings)
    answer = _answer(findings, genes, groups)
    warnings, reason = (*result.warnings, *evidence.warnings), result.cohort_reason
    of_sets = "" if gene_sets is None else gene_sets.methods
    methods = methods_paragraph(evidence, findings, answer.tested, groups, of_sets)
    views = [section.view(findings, genes) for section in all_sections()]
    drawn = draw_sample_figures(table, marks, evidence, findings)
    sections = with_sample_figures(views, drawn, findings)
    return ReportPage(
        title=_title(result.trait, result.condition),
        trait=readable(result.trait),
        condition=None if result.condition is None else readable(result.condition),
        question=_question(findings),
        facts=_facts(evidence, findings),
        version=evidence.genotex_version,
        answer=answer,
        warnings=tuple(dict.fromkeys(_as_sentence(text, findings) for text in warnings)),
        cohort=result.cohort,
        cohort_title=evidence.series.get("title", ""),
        cohort_reason=reason.rstrip(".") + "." if reason else "",
        cohorts=cohort_rows(infos, result.cohort, {**result.other_cohorts, result.cohort: reason}),
        features=features_of(evidence) if own is None else design_features(evidence, own),
        roles=own is None,
        annotation_notes=() if own else annotation_notes(evidence),
        figures=draw_figures(findings, genes, table, marks),
        table=gene_table(findings, genes, csv_name),
        explorer=explorer_data(findings, genes, table, marks),
        interaction=view_interaction(findings, genes),
        gene_sets=gene_sets,
        sections=sections,
        log=log_steps(evidence, findings, answer.tested),
        notes=tuple(_as_sentence(text, findings) for text in remaining_notes(evidence, findings)),
        methods=methods,
        software=problem_software(evidence, findings, methods),
        files=evidence.files,
    )


def build_unanswered_page(
    trait: str,
    condition: str | None,
    infos: Mapping[str, CohortInfo],
    reasons: Mapping[str, str],
    *,
    version: str,
    why: str = "",
    records: Sequence[Evidence] = (),
) -> UnansweredPage:
    """Return the page of a problem that no cohort can answer, with the reason of each.

    `records` are those of the cohorts whose annotation is shown.
    """
    return UnansweredPage(
        _title(trait, condition),
        readable(trait),
        None if condition is None else readable(condition),
        question(trait, condition, "binary"),
        version,
        cohort_rows(infos, None, reasons),
        sentence(with_names(why, trait, condition)),
        tuple((record.cohort, features_of(record)) for record in records),
    )


def _question(findings: Findings) -> str:
    if findings.design is not None:
        return findings.design.question
    result = findings.result
    return question(result.trait, result.condition, findings.trait_kind)


def _title(trait: str, condition: str | None) -> str:
    return readable(trait) + (f", given {readable(condition)}" if condition else "")


def _as_sentence(text: str, findings: Findings) -> str:
    """Return a warning or note as a sentence with readable names of traits."""
    named = with_names(text, findings.result.trait, findings.result.condition)
    # Names of files keep their first letter.
    return f"{named.rstrip('.')}." if re.match(r"[\w-]+\.\w", named) else sentence(named)


def _facts(evidence: Evidence, findings: Findings) -> tuple[tuple[str, str], ...]:
    result, predicted, pairs = findings.result, findings.predicted, findings.pairs
    # The condition is a fact of its own.
    others = [readable(name) for name in findings.covariates if name != result.condition]
    blocked_by = "" if pairs is None else pairs.key
    facts = [
        *_asked(findings),
        ("Cohort", result.cohort),
        ("Condition's cohort", "" if predicted is None else predicted.cohort),
        ("Platform", evidence.series.get("platform", "")),
        ("Expression", result.counts_kind),
        ("Procedure", findings.result.procedure),
        *([] if findings.selection is None else selection_facts(findings.selection)),
        ("Covariates", "" if findings.selects else ", ".join(others) or "none"),
        (
            "Blocked by",
            "people detected by correlation" if pairs and pairs.detected else blocked_by,
        ),
    ]
    return tuple((name, value) for name, value in facts if value)


def _asked(findings: Findings) -> list[tuple[str, str]]:
    """Return what was asked: trait and condition, or design and contrast."""
    if (design := findings.design) is not None:
        return [("Design", design.formula), ("Contrast", design.contrast)]
    result, predicted = findings.result, findings.predicted
    condition = readable(result.condition) if result.condition else "none"
    return [
        ("Trait", f"{readable(result.trait)} ({findings.trait_kind})"),
        ("Levels", _levels_fact(findings.record("levels"))),
        ("Condition", condition if predicted is None else f"{condition} (predicted)"),
    ]


def _levels_fact(record: Mapping[str, Any]) -> str:
    """Return levels and treatment in a few words; empty for other traits."""
    if not record.get("samples"):
        return ""
    how = {"line": "tested along a line", "ordered": "ordered", "factor": "a factor"}
    return f"{len(record['samples'])}, {how[record['treatment']]}"


def _answer(findings: Findings, genes: pl.DataFrame, groups: tuple[Group, ...]) -> _PageAnswer:
    if findings.selects:
        return _selected(findings, genes, groups)
    hits = genes.filter(pl.col("Significant"))
    up = hits.filter(pl.col("Coefficient") > 0).height
    tested = genes.height - genes["rank_p"].null_count()
    first = genes.head(_TOP).with_columns(q="rank_q")
    factor = findings.trait_kind == "factor"
    # The largest of several differences has no interval of its own.
    top, zero = top_genes(_from_zero(first) if factor else first)
    other_test = "; changes and intervals are those of the moderated t"
    return _PageAnswer(
        significant=hits.height,
        tested=tested,
        up=up,
        down=hits.height - up,
        noun=f"significant {'gene' if hits.height == 1 else 'genes'}",
        headline=_headline(findings, up, hits.height - up, genes),
        contrast=contrast_sentence(findings, groups),
        groups=groups,
        top=top,
        top_title="Top genes" if hits.height else "First genes of the ranking",
        zero=zero,
        order=order_of_genes(findings) + (other_test if findings.mixed_ranks else ""),
        change=findings.change_label,
        axis="from zero" if factor else "95 % interval",
        q="mixed q" if findings.mixed_ranks else "q",
        remarks=_remarks(findings, genes),
    )


def _remarks(findings: Findings, genes: pl.DataFrame) -> tuple[_Remark, ...]:
    placed = [
        (section.place_of_remark, _Remark(section.remark(findings, genes), section.key))
        for section in all_sections()
        if section.remark is not None
    ]
    review = [_Remark(text, "warnings") for text in review_warnings(findings.result.warnings)]
    covariates = _Remark(findings.result.covariates_summary, "processing")
    placed.append((_COVARIATES_REMARK, covariates))
    placed.sort(key=lambda item: item[0])
    return (*review, *(remark for _, remark in placed if remark.text))


def _from_zero(genes: pl.DataFrame) -> pl.DataFrame:
    """Return genes without intervals so that the axis shows how far each is from zero."""
    return genes.with_columns(
        pl.min_horizontal(pl.lit(0.0), "Coefficient").alias("CI Lower"),
        pl.max_horizontal(pl.lit(0.0), "Coefficient").alias("CI Upper"),
    )


def _selected(findings: Findings, genes: pl.DataFrame, groups: tuple[Group, ...]) -> _PageAnswer:
    chosen = genes.filter(pl.col("Significant"))
    up = chosen.filter(pl.col("Coefficient") > 0).height
    ends = _from_zero(chosen.head(_TOP))
    listed, zero = top_genes(ends)
    top = tuple(
        replace(gene, estimate=number(value, "fine"), interval=number(value, "fine"))
        for gene, value in zip(listed, ends["Coefficient"], strict=True)
    )
    return _PageAnswer(
        significant=chosen.height,
        tested=genes.height,
        up=up,
        down=chosen.height - up,
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


def _headline(findings: Findings, up: int, down: int, genes: pl.DataFrame) -> str:
    """Return how many of the tested genes change, in which direction."""
    tested = genes.height - genes["rank_p"].null_count()
    trait, binary = readable(findings.result.trait), findings.trait_kind == "binary"
    rule = f"q < {findings.cut:g}" + (" of the mixed model" if findings.mixed_ranks else "")
    if findings.minimal_change > 0:
        beyond = f"beyond {findings.minimal_change:g}"
        rule += f" and a change {beyond}" if findings.mixed_ranks else f" for changes {beyond}"
    design = findings.design
    if up + down:
        share = f"Of {counted(tested, 'tested gene')}, {share_of(up + down, tested)}"
        if design is not None and design.several:
            return f"{share} {design.predicate} at {rule}."
        if findings.trait_kind == "factor":
            return f"{share} differ among the levels of {trait} at {rule}."
        sides = "higher and {} lower in cases" if binary else "rising and {} falling with the trait"
        what = "between cases and controls" if binary else f"along {trait}"
        if design is not None:
            above, below = design.sides
            return f"{share} {design.predicate} at {rule}: {up:,} {above} and {down:,} {below}."
        text = f"{share} change {what} at {rule}: {up:,} {sides.format(f'{down:,}')}."
        return f"{text} {findings.interaction_sentence}".strip()
    text = f"None of the {counted(tested, 'tested gene')} passes {rule}"
    lowest = genes["rank_q"].min()
    if isinstance(lowest, float):
        text += f"; the lowest q-value is {number(lowest, 'p')}"
    return (
        f"{text}. That is a result, not an error: the data do not single out any gene at this "
        "level. The ranking is still the best order of candidates, and should be read as such. "
        f"{findings.interaction_sentence}"
    ).strip()


def draw_figures(
    findings: Findings, genes: pl.DataFrame, table: LinkedTable, marks: SampleMarks
) -> tuple[FigureView, ...]:
    """Return the figures that the data allow, in the order of the page."""
    return view_figures(declared(gene_result(findings, genes, table, marks), pages_only=True))
