"""Write the report of a problem: the page, and the table of all genes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from threadpoolctl import threadpool_limits

import genotex
from genotex.analysis import AnalysisResult, read_enrichment, read_meta, read_result
from genotex.errors import AnalysisError, FormatError
from genotex.figures import Figure, declared
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    find_evidence,
    read_cohort_info,
    read_linked,
    read_linked_csv,
)
from genotex.layout import OutputFolder, trait_folder_name
from genotex.reports.genes.findings import Findings, gene_result, ranked
from genotex.reports.genes.table import csv_frame
from genotex.reports.pages import checked_page, write_page_files
from genotex.reports.problem.groups import mark_samples
from genotex.reports.problem.page import Together, build_page, build_unanswered_page, render_page
from genotex.reports.problem.sample_figures import sample_figures
from genotex.reports.sections.gene_sets import view_gene_sets
from genotex.words import counted, listed

_LARGE = 1 << 26
"""Bytes of a table of which matrix products are worth several threads."""
_REFUSAL = re.compile(
    r"(gene (data|expression)|trait) not available|.*\b(biased|one-sided)\b", re.IGNORECASE
)


def write_report(
    output: OutputFolder, trait: str, condition: str | None, *, path: Path | None = None
) -> Path:
    """Write the report of a problem that has been analysed.

    Everything is read from the output folder, and the same input gives the same page.

    Parameters
    ----------
    output : OutputFolder
        Folder with the preprocessed cohorts and the result.
    trait, condition : str, str or None
        The problem.
    path : Path, optional
        The page, `OutputFolder.report` by default; the table of all genes goes next to it.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    AnalysisError, FormatError
        If the problem has not been analysed, or a file of the output folder is damaged.
    """
    trait = trait_folder_name(trait)
    path = checked_page(path or output.report(trait, condition))
    result = read_result(output, trait, condition)
    table, infos = linked_of(output, result), _infos(output, trait)
    reasons = {**result.other_cohorts, **_refusals(output, trait, infos)}
    findings = Findings.from_result(replace(result, other_cohorts=reasons), table)
    sets = output.enrichment(trait, condition).with_suffix(".csv").relative_to(output.root)
    # Over a small table, threads of a matrix product wait for each other longer than they compute.
    with threadpool_limits(limits=1 if table.expression.nbytes < _LARGE else None):
        page = build_page(
            evidence_of(output, result),
            table,
            infos,
            findings,
            csv_name=path.with_suffix(".csv").name,
            gene_sets=view_gene_sets(
                read_enrichment(output, trait, condition), findings, str(sets)
            ),
        )
    page = replace(page, together=_together(output, result, path))
    return write_page_files(render_page(page), path, csv_frame(findings, ranked(findings)))


def _together(output: OutputFolder, result: AnalysisResult, path: Path) -> Together | None:
    """Return what all cohorts show together; None where they were not combined."""
    trait, condition = result.trait, result.condition
    try:
        meta = read_meta(output, trait, condition)
    except (AnalysisError, FormatError):
        # Its own page says what is wrong with it.
        return None
    named = listed([cohort.name for cohort in meta.cohorts])
    page = output.meta_report(trait, condition)
    return Together(
        f"{counted(len(meta.cohorts), 'cohort')} together ({named}): "
        f"{counted(meta.replicating.height, 'gene')} of {meta.genes.height:,} replicate, "
        f"{meta.significant.height:,} are significant. This page is of {result.cohort} alone.",
        page.name if page.is_file() and page.parent == path.parent else None,
    )


def result_figures(output: OutputFolder, trait: str, condition: str | None) -> list[Figure]:
    """Return all figures of a problem that has been analysed.

    Raises
    ------
    AnalysisError, FormatError
        As for `write_report`.
    """
    result = read_result(output, trait_folder_name(trait), condition)
    table, evidence = linked_of(output, result), evidence_of(output, result)
    findings = Findings.from_result(result, table)
    marks = mark_samples(evidence, table, findings)
    return [
        *declared(gene_result(findings, ranked(findings), table, marks)),
        *sample_figures(table, marks, evidence, findings),
    ]


def write_unanswered_report(
    output: OutputFolder,
    trait: str,
    condition: str | None,
    reasons: Mapping[str, str],
    *,
    why: str = "",
    path: Path | None = None,
) -> Path:
    """Write the page of a problem that no cohort can answer.

    Parameters
    ----------
    output : OutputFolder
        Folder with the cohorts' records, as far as there are any.
    trait, condition : str, str or None
        The problem.
    reasons : mapping of str to str
        Cohort -> why it cannot answer.
    why : str
        Why there is no answer, in one or a few sentences.
    path : Path, optional
        Where to write; `OutputFolder.report` by default. A gene table that an earlier report left
        next to it is removed, so that it is not taken for this problem's.

    Returns
    -------
    Path
        The page.
    """
    trait = trait_folder_name(trait)
    path = checked_page(path or output.report(trait, condition))
    infos = _infos(output, trait)
    page = build_unanswered_page(
        trait,
        condition,
        infos,
        {**_refusals(output, trait, infos), **{name: why for name, why in reasons.items() if why}},
        # Pages are sent around: the path of the output folder means nothing elsewhere.
        why=why.replace(f"{output.root}/", ""),
        version=genotex.__version__,
        records=_records(output, trait, infos),
    )
    write_page_files(render_page(page), path)
    path.with_suffix(".csv").unlink(missing_ok=True)
    return path


def _infos(output: OutputFolder, trait: str) -> dict[str, CohortInfo]:
    path = output.cohort_info(trait)
    return read_cohort_info(path) if path.is_file() else {}


def _records(output: OutputFolder, trait: str, infos: Mapping[str, CohortInfo]) -> list[Evidence]:
    """Return the records of those GEO cohorts that were read and are not usable."""
    refused = [name for name, info in infos.items() if not info.is_usable]
    records = [found for name in refused if (found := find_evidence(output, trait, name))]
    return [record for record in records if record.reading and record.source == "GEO"]


def _refusals(output: OutputFolder, trait: str, infos: Mapping[str, CohortInfo]) -> dict[str, str]:
    """Return why cohorts are unusable, where their records hold more than the flags."""
    refusals = {}
    for cohort, info in infos.items():
        evidence = None if info.is_usable else find_evidence(output, trait, cohort)
        if evidence is None:
            continue
        reasons = [note for note in evidence.notes if _REFUSAL.match(note)]
        if reasons:
            refusals[cohort] = f"not usable: {'; '.join(reasons)}"
    return refusals


def linked_of(output: OutputFolder, result: AnalysisResult) -> LinkedTable:
    """Read the values that were analysed, filled or not."""
    if result.procedure.analyses_filled_tables:
        return read_linked_csv(output.linked_csv(result.trait, result.cohort))
    return read_linked(output, result.trait, result.cohort)


def evidence_of(output: OutputFolder, result: AnalysisResult) -> Evidence:
    """Read the record of a cohort; one that says so where another tool made the folder."""
    if found := find_evidence(output, result.trait, result.cohort):
        return found
    # Folders made by other tools of the benchmark have no record of decisions.
    return Evidence(
        trait=result.trait,
        cohort=result.cohort,
        procedure=result.procedure,
        source="GEO" if result.cohort.startswith("GSE") else "TCGA",
        genotex_version=genotex.__version__,
        notes=["The cohort has no record of how it was read: it was prepared by another tool."],
    )
