"""Finding and reading the files of a cohort, and looking at what they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from genotex.agents.task import Task
from genotex.agents.toolkit.clinical_objects import ClinicalTable
from genotex.agents.toolkit.gene_objects import Annotation, Expression, Genes
from genotex.agents.toolkit.linked_objects import FilledTable, JudgedTable, LinkedSamples
from genotex.agents.toolkit.sources import ClinicalColumns, CohortFiles, SeriesText
from genotex.agents.toolkit.tables import Table, listed, preview_rows
from genotex.agents.toolkit.tool import tool
from genotex.clinical import GeneVerdict, describe_series, judge_expression, read_tcga_cell
from genotex.cohorts.geo_files import choose_file
from genotex.cohorts.tcga_files import read_raw_clinical
from genotex.errors import UsageError
from genotex.layout import geo_cohort_files, tcga_cohort_files

__all__ = [
    "find_files",
    "looks_like_gene_expression",
    "preview",
    "read_clinical_matrix",
    "read_series",
    "unique_values",
]

_LONGEST_CELL = 120
_FIELDS = ("title", "source_name_ch1", "description")


@tool
def find_files(task: Task, folder: str | None = None) -> CohortFiles:
    """Find the files of the cohort by their names.

    Parameters
    ----------
    task : Task
        The task of the notebook.
    folder : str, optional
        TCGA only: name of the study's folder in `task.folder`.

    Returns
    -------
    CohortFiles
        The files by purpose; print it to see them.

    Examples
    --------
    >>> files = find_files(task)
    """
    root = task.input_folder
    if not root.is_dir():
        msg = f"find_files(): {root} is no folder; use the `task` of the first cell as it is"
        raise UsageError(msg)
    if task.kind == "geo":
        found = replace(geo_cohort_files(task.trait, root), cohort=task.cohort)
        if not found.matrices and not found.family_soft:
            msg = (
                f"find_files(): {root} holds neither a series matrix nor a family SOFT file; it "
                f"holds {listed(sorted(path.name for path in root.iterdir()))}"
            )
            raise UsageError(msg)
        return CohortFiles(task, geo=found)
    if task.kind == "tcga":
        return CohortFiles(task, tcga=tcga_cohort_files(_study(root, folder, task.trait)))
    msg = "find_files(): this task is a problem, not a cohort; use choose_data(task)"
    raise UsageError(msg)


def _study(root: Path, name: str | None, trait: str) -> Path:
    there = sorted(path.name for path in root.iterdir() if path.is_dir())
    if name in there:
        return root / str(name)
    asked = "no study was named" if name is None else f"there is no study {name!r}"
    msg = (
        f"find_files(): {asked}; name the folder that means {trait}, as find_files(task, "
        f"{there[0] if there else '...'!r}), or record that there is none with "
        f"save_cohort_info(task, why_no_genes=...). Folders: {listed(there, 60)}"
    )
    raise UsageError(msg)


@tool
def read_series(files: CohortFiles) -> SeriesText:
    """Read what a GEO series says of itself and of its samples; not yet their expression.

    Of several matrices the one with the most samples is taken; without a matrix, the family SOFT.

    Parameters
    ----------
    files : CohortFiles
        As `find_files` gives it.

    Returns
    -------
    SeriesText
        ``background`` (title, summary and design as one text), ``samples`` (tuple of n sample
        ids); look at the characteristics with `unique_values`.

    Examples
    --------
    >>> series = read_series(files)
    """
    if files.geo is None:
        msg = "read_series(): these are files of TCGA; use read_clinical_matrix(files)"
        raise UsageError(msg)
    return SeriesText(files.task, files.geo, choose_file(files.geo))


@tool
def read_clinical_matrix(files: CohortFiles) -> ClinicalColumns:
    """Read the clinical matrix of a TCGA study.

    Parameters
    ----------
    files : CohortFiles
        As `find_files` gives it.

    Returns
    -------
    ClinicalColumns
        ``names`` (tuple of column names), ``samples`` (tuple of n barcodes); look at columns with
        `preview` and `unique_values`.

    Examples
    --------
    >>> columns = read_clinical_matrix(files)
    """
    if files.tcga is None:
        msg = "read_clinical_matrix(): these are files of GEO; use read_series(files)"
        raise UsageError(msg)
    return ClinicalColumns(files.task, files.tcga, read_raw_clinical(files.tcga))


@tool
def unique_values(
    source: SeriesText | ClinicalColumns, name: int | str | None = None, limit: int = 30
) -> dict[int | str, list[str]]:
    """Return the different raw values of the rows of characteristics, or of columns.

    Parameters
    ----------
    source : SeriesText or ClinicalColumns
        The series, or the clinical matrix of TCGA.
    name : int or str, optional
        One row number, ``"title"``, ``"source_name_ch1"`` or ``"description"`` of a series; one
        column of TCGA. All rows of a series by default.
    limit : int
        Most values of each row.

    Returns
    -------
    dict of int or str to list of str
        Row number (or name) -> values in order of appearance, ``"nan"`` for an empty cell. A value
        of GEO carries its header: ``"age: 61"``.

    Examples
    --------
    >>> values = unique_values(series)
    """
    found = {key: _different(cells) for key, cells in _lines(source, name).items()}
    return {key: values[:limit] for key, values in found.items()}


def _lines(
    source: SeriesText | ClinicalColumns, name: int | str | None
) -> dict[int | str, list[str | None]]:
    if isinstance(source, ClinicalColumns):
        if name not in source.names:
            msg = (
                f"unique_values(): there is no column {name!r}; columns: {listed(source.names, 99)}"
            )
            raise UsageError(msg)
        return {
            str(name): [read_tcga_cell(c) for c in source.raw.matrix.table[str(name)].to_list()]
        }
    series = source.raw.series
    rows = dict(enumerate(series.characteristics))
    if name is None:
        return {number: list(row) for number, row in rows.items()}
    if isinstance(name, str) and name in _FIELDS:
        lines = series.sample_fields.get(name, ())
        return {name: [cell for line in lines for cell in line]}
    if not isinstance(name, int) or name not in rows:
        last = len(rows) - 1
        msg = f"unique_values(): there is no row {name!r}; use 0 to {last}, or {', '.join(_FIELDS)}"
        raise UsageError(msg)
    return {name: list(rows[name])}


def _different(cells: list[str | None]) -> list[str]:
    return ["nan" if cell is None else cell for cell in dict.fromkeys(cells)]


@tool
def looks_like_gene_expression(series: SeriesText) -> GeneVerdict:
    """Return whether the built-in rules think that a series holds human gene expression.

    A second opinion from the texts of the series; it may be wrong, and decides nothing.

    Parameters
    ----------
    series : SeriesText
        As `read_series` gives it.

    Returns
    -------
    GeneVerdict
        ``available`` (bool) and ``reason`` (str).

    Examples
    --------
    >>> opinion = looks_like_gene_expression(series)
    """
    return judge_expression(describe_series(series.raw.series))


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
    if isinstance(table, Table):
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
