"""Previewing tables, writing those of a cohort, and recording its outcome."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import assert_never

from genotex.agents.task import Task
from genotex.agents.toolkit.features import BY, ClinicalTable
from genotex.agents.toolkit.genes import Annotation, Expression, Genes
from genotex.agents.toolkit.linking import FilledTable, JudgedTable, LinkedSamples
from genotex.agents.toolkit.sources import ClinicalColumns
from genotex.agents.toolkit.tool import NumberTable, listed, preview_rows, tool
from genotex.clinical import ClinicalAnnotation, GeneVerdict
from genotex.cohorts.geo.cohort import assemble_counted_cohort, assemble_geo_cohort
from genotex.cohorts.geo.files import RawSeries
from genotex.cohorts.linking import JudgedCohort, why_unavailable
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.cohorts.records import (
    begin_cohort,
    record_cohort,
    remove_absent_tables,
    remove_stale_tables,
    write_linked,
)
from genotex.cohorts.tcga.cohort import assemble_tcga_cohort, prepare_absent_tcga
from genotex.cohorts.tcga.files import RawExpression
from genotex.errors import UsageError
from genotex.formats import CohortInfo, update_cohort_info, write_clinical_csv, write_gene_csv

_LONGEST_CELL = 120


@tool
def save_table(table: ClinicalTable | Genes | JudgedTable) -> Path:
    """Write a table to its place in the output folder.

    Parameters
    ----------
    table : ClinicalTable, Genes or JudgedTable
        Clinical features with a trait, genes, or the linked table of a usable cohort.

    Returns
    -------
    Path
        The CSV file that was written.

    Examples
    --------
    >>> print(save_table(genes))
    """
    task = table.task
    output, trait, cohort = task.output_folder, task.trait, task.cohort
    if isinstance(table, ClinicalTable) and table.trait is None:
        msg = "save_table(): a clinical table without a trait is not saved; continue without it"
        raise UsageError(msg)
    if isinstance(table, JudgedTable) and not table.is_usable:
        msg = f"save_table(): the cohort is {table!r}; only the table of a usable cohort is saved"
        raise UsageError(msg)
    begin_cohort(output, trait, cohort)
    if isinstance(table, ClinicalTable):
        path = output.clinical_csv(trait, cohort)
        features = {name: feature.codes for name, feature in table.features.items()}
        write_clinical_csv(path, table.columns, features)
    elif isinstance(table, Genes):
        path = output.gene_csv(trait, cohort)
        write_gene_csv(path, table.mapping.expression)
    elif isinstance(table, JudgedTable):
        path = write_linked(output, cohort, table.cohort)
    else:
        assert_never(table)
    return path


@tool
def save_cohort_info(
    task: Task,
    clinical: ClinicalTable | None = None,
    genes: Genes | None = None,
    linked: JudgedTable | None = None,
    *,
    why_no_genes: str = "",
) -> CohortInfo:
    """Record the outcome of the cohort; the last step of its notebook.

    Parameters
    ----------
    task : Task
        The task of the notebook.
    clinical : ClinicalTable, optional
        The features, also where there is no trait.
    genes : Genes, optional
        The genes, if there are any.
    linked : JudgedTable, optional
        As `judge_bias` gives it; needed where there are both trait and genes.
    why_no_genes : str
        Why there are no genes; needed where there are none.

    Returns
    -------
    CohortInfo
        The record in cohort_info.json: ``is_usable``, ``is_gene_available``,
        ``is_trait_available``, ``sample_size`` and more.

    Examples
    --------
    >>> print(save_cohort_info(task, clinical=clinical, genes=genes, linked=judged))
    """
    _check_whole(task, clinical, genes, linked, why_no_genes)
    prepared = _prepared(task, clinical, genes, why_no_genes)
    judged = why_unavailable(prepared) if linked is None else linked.cohort
    _check_written(task, prepared, judged)
    output = task.output_folder
    # The code behind these tables is unknown, so the pipeline never takes them for its own.
    options = PreprocessOptions(procedure=task.procedure)
    record_cohort(prepared, judged, output, options, fingerprint="")
    update_cohort_info(output.cohort_info(task.trait), task.cohort, judged.info)
    remove_absent_tables(prepared, output)
    if not judged.info.is_usable:
        remove_stale_tables(output, task.trait, task.cohort)
    return judged.info


def _check_whole(
    task: Task,
    clinical: ClinicalTable | None,
    genes: Genes | None,
    linked: JudgedTable | None,
    why_no_genes: str,
) -> None:
    """Refuse a record that states less, or more, than is known."""
    trait = None if clinical is None else clinical.trait
    problem = ""
    if genes is None and not why_no_genes.strip():
        problem = "no genes are given; give genes=..., or state in why_no_genes why there are none"
    elif genes is not None and clinical is None:
        problem = "the genes are given without clinical=..., which may be a table without a trait"
    elif genes is not None and trait is not None and linked is None:
        problem = (
            "trait and genes are both there, so they must be linked first: give linked=judged, "
            "with judged = judge_bias(handle_missing_values(link(clinical, genes)))"
        )
    elif linked is not None and (genes is None or trait is None):
        problem = "linked=... is given without the trait or the genes that it was made from"
    elif task.kind == "geo" and clinical is None:
        problem = "clinical=... is missing; clinical_table(series) is one without any feature"
    if problem:
        msg = f"save_cohort_info(): {problem}"
        raise UsageError(msg)


def _check_written(task: Task, prepared: PreparedCohort, judged: JudgedCohort) -> None:
    """Refuse to call a cohort done whose tables were not written."""
    output, trait, cohort = task.output_folder, task.trait, task.cohort
    wanted = {
        "clinical": (prepared.trait_values is not None, output.clinical_csv(trait, cohort)),
        "genes": (prepared.genes is not None, output.gene_csv(trait, cohort)),
        "judged": (judged.info.is_usable, output.linked_csv(trait, cohort)),
    }
    missing = [name for name, (there, path) in wanted.items() if there and not path.is_file()]
    if missing:
        msg = (
            "save_cohort_info(): the cohort is not done before its tables are written; call "
            f"{' and '.join(f'save_table({name})' for name in missing)} first"
        )
        raise UsageError(msg)


def _prepared(
    task: Task, clinical: ClinicalTable | None, genes: Genes | None, why_no_genes: str
) -> PreparedCohort:
    if clinical is None:
        return prepare_absent_tcga(task.trait, why_no_genes)
    features_given = {"trait": clinical.trait, "Age": clinical.age, "Gender": clinical.gender}
    encodings = {name: None if f is None else f.encoding for name, f in features_given.items()}
    reading = ClinicalAnnotation(
        GeneVerdict(genes is not None, why_no_genes or "the rows name human genes"),
        encodings["trait"],
        encodings["Age"],
        encodings["Gender"],
        by=BY,
        unavailable={"trait": clinical.why_no_trait} if clinical.why_no_trait else {},
    )
    features = {name: f.encoded for name, f in features_given.items() if f is not None}
    mapping = None if genes is None else genes.mapping
    source = clinical.source
    if isinstance(source, ClinicalColumns):
        raw_genes = None if genes is None else genes.expression.raw
        assert raw_genes is None or isinstance(raw_genes, RawExpression)
        return assemble_tcga_cohort(
            source.files,
            task.trait,
            source.raw,
            raw_genes,
            reading,
            features,
            mapping,
            why_no_genes,
        )
    raw = source.raw if genes is None else _with_genes(genes)
    if genes is not None and genes.counted is not None:
        return assemble_counted_cohort(source.files, raw, reading, features, genes.counted)
    return assemble_geo_cohort(source.files, raw, reading, features, mapping, why_no_genes)


def _with_genes(genes: Genes) -> RawSeries:
    """Return the series with all that was read for its genes."""
    raw = genes.expression.raw
    assert isinstance(raw, RawSeries)
    if genes.annotation is None:
        return raw
    used = (*raw.used, *genes.annotation.used)
    return replace(raw, platforms=genes.annotation.platforms, used=used)


@tool
def preview(
    table: Annotation
    | ClinicalColumns
    | Expression
    | ClinicalTable
    | Genes
    | LinkedSamples
    | FilledTable
    | JudgedTable,
    rows: int = 5,
    names: list[str] | None = None,
) -> str:
    """Return the first cells of a table as text, to be printed.

    Parameters
    ----------
    table : Annotation, ClinicalColumns, Expression, Genes or another table
        What to look at.
    rows : int
        How many cells of each column; of an annotation or TCGA columns the first filled ones.
    names : list of str, optional
        Columns of an annotation or of TCGA; all by default.

    Returns
    -------
    str
        One line for each column of an annotation or of TCGA; else one line for each row.

    Examples
    --------
    >>> print(preview(annotation))
    """
    if isinstance(table, NumberTable):
        return preview_rows(table, rows)
    frame = table.platforms[0].table if isinstance(table, Annotation) else table.raw.matrix.table
    wanted = list(frame.columns) if names is None else names
    if missing := [name for name in wanted if name not in frame.columns]:
        msg = f"preview(): there is no column {missing[0]!r}; columns: {listed(frame.columns, 99)}"
        raise UsageError(msg)
    return "\n".join(
        f"{name}: {_cells(frame[name].drop_nulls().head(rows).to_list())}" for name in wanted
    )


def _cells(cells: list[str]) -> str:
    short = (c if len(c) <= _LONGEST_CELL else f"{c[:_LONGEST_CELL]}..." for c in cells)
    return " | ".join(short) or "empty"
