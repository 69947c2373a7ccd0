"""What one file tells of itself: size, digest, and the figures of its table.

Nothing but counts, names of the layout and platform accessions is taken from a file: the series
files of GEO hold names, e-mails and addresses of people, and their free texts may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from genotex.bench.evaluation.analysis_task import read_gene_list
from genotex.errors import FormatError, NotDataError, SuperSeriesError, TruncatedFileError
from genotex.formats import (
    COVARIATES,
    CohortInfo,
    Series,
    count_lines,
    count_series_rows,
    read_clinical_matrix,
    read_cohort_info,
    read_family_soft,
    read_json_object,
    read_linked_header,
    read_series_matrix,
    read_xena_samples,
    sha256,
)
from genotex.reports.datasets.places import FileKind, FilePlace

__all__ = ["FileFacts", "examine"]

COEFFICIENTS = ("Coefficient", "Absolute Coefficient")


@dataclass(frozen=True)
class FileFacts:
    """What is known of a file; None where it does not apply or was not looked at.

    Attributes
    ----------
    place : FilePlace
        Which file.
    size : int
        Bytes.
    sha256 : str or None
        Digest in hexadecimal digits.
    samples, rows, genes : int or None
        Samples of a table or series; rows of a raw expression table; genes of a table or list.
    platform : str
        GPL accession of a series, empty where it tells none.
    contacts : bool
        Whether a series matrix has fields for the contact of people.
    trait_column : str
        Name of the column with the trait, of a linked table.
    covariates : tuple of str
        Those of ``Age`` and ``Gender`` that a linked table has.
    coefficients : tuple of str
        The benchmark's lists of numbers that go with the genes of a result, one for each gene.
    records : mapping of str to CohortInfo
        Cohorts of a ``cohort_info.json``.
    problem : str
        Why the contents could not be read; empty when they could.
    """

    place: FilePlace
    size: int
    sha256: str | None = None
    samples: int | None = None
    rows: int | None = None
    genes: int | None = None
    platform: str = ""
    contacts: bool = False
    trait_column: str = ""
    covariates: tuple[str, ...] = ()
    coefficients: tuple[str, ...] = ()
    records: Mapping[str, CohortInfo] = field(default_factory=dict)
    problem: str = ""


def examine(root: Path, place: FilePlace, *, whole: bool, samples_from_soft: bool) -> FileFacts:
    """Look at one file.

    Parameters
    ----------
    root : Path
        The data set.
    place : FilePlace
        The file.
    whole : bool
        Read it to its end: digest and numbers of rows. Without, what stands in the header, and
        small files.
    samples_from_soft : bool
        Count the samples of a family SOFT file, which has no header that tells them.

    Returns
    -------
    FileFacts
        A file that cannot be read has a `problem` in place of figures.
    """
    path = root / place.path
    try:
        facts = FileFacts(place, path.stat().st_size, sha256(path) if whole else None)
    except OSError:
        return FileFacts(place, 0, problem="cannot be opened")
    if place.kind == "family SOFT" and not (whole and samples_from_soft):
        return facts
    reader = _READERS.get(place.kind)
    if reader is None:
        return facts
    try:
        return reader(facts, path, whole)
    except FormatError as error:
        return replace(facts, problem=_in_a_word(error))


def _in_a_word(error: FormatError) -> str:
    """Return what is wrong, without the words of the file, which may be anybody's name."""
    if isinstance(error, SuperSeriesError):
        return "is a SuperSeries without samples of its own"
    if isinstance(error, NotDataError):
        return "holds a web page or other things in place of the data"
    if isinstance(error, TruncatedFileError):
        return "ends too early or is damaged"
    return "is not in the format that its name promises"


def _series_matrix(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    series = read_series_matrix(path, expression=False)
    rows = count_series_rows(path) if whole else None
    return replace(_of_series(facts, series), rows=rows)


def _family_soft(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    del whole
    return _of_series(facts, read_family_soft(path, expression=False)[0])


def _of_series(facts: FileFacts, series: Series) -> FileFacts:
    platform = series.platform or ""
    return replace(
        facts,
        samples=len(series.samples),
        platform=platform if re.fullmatch(r"GPL\d{1,12}", platform) else "",
        contacts=any(
            key.startswith("contact") for key in (*series.series_fields, *series.sample_fields)
        ),
    )


def _tcga_clinical(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    # A few megabytes at most; a cell may go over several lines, so lines are no rows.
    del whole
    return replace(facts, samples=len(read_clinical_matrix(path).samples))


def _table_of_samples(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    samples = len(read_xena_samples(path))
    return replace(facts, samples=samples, rows=_rows(path) if whole else None)


def _rows(path: Path) -> int:
    return max(count_lines(path) - 1, 0)


def _linked(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    trait, *columns = read_linked_header(path)
    covariates = tuple(name for name in COVARIATES if name in columns)
    return replace(
        facts,
        trait_column=trait,
        covariates=covariates,
        genes=len(columns) - len(covariates),
        samples=_rows(path) if whole else None,
    )


def _genes(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    samples = len(read_linked_header(path))
    return replace(facts, samples=samples, genes=_rows(path) if whole else None)


def _clinical(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    del whole
    return replace(facts, samples=len(read_linked_header(path)))


def _records(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    del whole
    return replace(facts, records=read_cohort_info(path))


def _result(facts: FileFacts, path: Path, whole: bool) -> FileFacts:
    del whole
    genes = len(read_gene_list(path).genes)
    lists = read_json_object(path)["significant_genes"]
    alike = (name for name in COEFFICIENTS if isinstance(lists.get(name), list))
    return replace(
        facts, genes=genes, coefficients=tuple(n for n in alike if len(lists[n]) == genes)
    )


_READERS: dict[FileKind, Callable[[FileFacts, Path, bool], FileFacts]] = {
    "series matrix": _series_matrix,
    "family SOFT": _family_soft,
    "TCGA clinical matrix": _tcga_clinical,
    "TCGA expression": _table_of_samples,
    "RNA-seq counts": _table_of_samples,
    "cohort records": _records,
    "gene table": _genes,
    "clinical table": _clinical,
    "linked table": _linked,
    "result": _result,
}
