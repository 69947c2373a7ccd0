"""The files of a cohort, and the annotation of its samples; expression is read later."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from genotex.agents.task import Task
from genotex.agents.toolkit.tool import Made, listed, tool
from genotex.clinical import GeneVerdict, describe_series, judge_expression
from genotex.clinical.tcga import read_tcga_cell
from genotex.cohorts.geo.files import RawSeries, choose_file
from genotex.cohorts.tcga.files import RawClinical, read_raw_clinical
from genotex.errors import UsageError
from genotex.layout import GeoCohortFiles, TcgaCohortFiles, tcga_cohort_files


@dataclass(frozen=True, eq=False)
class CohortFiles(Made):
    """The files of one cohort; `geo` or `tcga` is set."""

    made_by: ClassVar[str] = "find_files(task)"
    task: Task
    geo: GeoCohortFiles | None = None
    tcga: TcgaCohortFiles | None = None

    @property
    def by_purpose(self) -> dict[str, tuple[Path, ...]]:
        """The files by what they hold."""
        if self.geo is not None:
            return {
                "series matrix": self.geo.matrices,
                "family SOFT": self.geo.family_soft,
                "platform table": self.geo.platforms,
                **({"RNA-seq counts of NCBI": self.geo.counts} if self.geo.counts else {}),
            }
        assert self.tcga is not None
        found = {
            "clinical matrix": self.tcga.clinical,
            "expression": self.tcga.expression,
            "PANCAN-normalised expression": self.tcga.expression_pancan,
        }
        return {purpose: () if path is None else (path,) for purpose, path in found.items()}

    def __repr__(self) -> str:
        """List the files by what they hold."""
        lines = (
            f"  {what}: {listed([p.name for p in ps])}" for what, ps in self.by_purpose.items()
        )
        return "\n".join([f"files of {self.task.cohort}", *lines])


@dataclass(frozen=True, eq=False)
class SeriesText(Made):
    """The annotation of a GEO series and its samples, without their expression."""

    made_by: ClassVar[str] = "read_series(files)"
    task: Task
    files: GeoCohortFiles
    raw: RawSeries

    @property
    def background(self) -> str:
        """Title, summary and design, as one text."""
        series = self.raw.series
        parts = {
            "Title": series.title,
            "Type": ", ".join(series.series_fields.get("type", ())),
            "Summary": series.summary,
            "Overall design": series.overall_design,
        }
        return "\n".join(f"{name}: {text}" for name, text in parts.items() if text)

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids in file order."""
        return self.raw.series.samples

    def __repr__(self) -> str:
        """Show what was read."""
        series = self.raw.series
        return (
            f"{self.task.cohort} on {series.platform}: {len(series.samples)} samples, "
            f"{len(series.characteristics)} rows of characteristics"
        )


@dataclass(frozen=True, eq=False)
class ClinicalColumns(Made):
    """The clinical matrix of a TCGA study."""

    made_by: ClassVar[str] = "read_clinical_matrix(files)"
    task: Task
    files: TcgaCohortFiles
    raw: RawClinical

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.raw.matrix.table.columns)

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids (barcodes) in file order."""
        return self.raw.matrix.samples

    def __repr__(self) -> str:
        """Show what was read."""
        return f"{self.files.name}: {len(self.samples)} samples, {len(self.names)} columns"


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
        msg = f"find_files(): {root} is not a folder; use the `task` of the first cell as it is"
        raise UsageError(msg)
    if task.kind == "geo":
        found = task.geo_files
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
    """Read the annotation of a GEO series and of its samples; not yet their expression.

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

    A second opinion from the texts of the series; it may be wrong and has no consequences.

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
