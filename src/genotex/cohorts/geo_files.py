"""The files of a GEO series: which one is read, and its platforms' tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.errors import FormatError
from genotex.formats import (
    Platform,
    Series,
    choose_series,
    read_family_soft,
    read_platforms,
    read_series_matrix,
)
from genotex.layout import GeoCohortFiles

__all__ = [
    "RawSeries",
    "choose_file",
    "read_annotation",
    "read_raw_series",
    "read_series_file",
    "with_expression",
]

_SERIES_FILE = re.compile(r"series_matrix|_family\.soft", re.IGNORECASE)
_PLATFORM_FILE = re.compile(r"GPL\d+", re.IGNORECASE)
_WANTED = "name a file such as GSE55457_series_matrix.txt.gz or GSE781_family.soft.gz"


@dataclass(frozen=True, eq=False)
class RawSeries:
    """A GEO series as read from its files.

    Attributes
    ----------
    series : Series
        Annotation of the samples; with expression if that was read.
    used : tuple of (Path, str)
        The files that were read, and for what.
    notes : tuple of str
        Files that were not used.
    platforms : tuple of Platform
        Annotations, the series' own first; empty where none was read.
    """

    series: Series
    used: tuple[tuple[Path, str], ...]
    notes: tuple[str, ...] = ()
    platforms: tuple[Platform, ...] = ()


def read_raw_series(
    files: GeoCohortFiles, needs_mapping: Callable[[Series], bool], *, numbers: bool = True
) -> RawSeries:
    """Read a whole series: its samples, their expression, and the annotation if needed.

    Parameters
    ----------
    files : GeoCohortFiles
        The files of the cohort's folder.
    needs_mapping : callable
        Whether the row ids of the series that was read need an annotation.
    numbers : bool
        Whether the values are wanted (see `formats.read_series_matrix`).

    Raises
    ------
    FormatError
        If a file that is needed cannot be read.
    """
    # Both are slow and mostly outside Python, so they are read in parallel.
    with ThreadPoolExecutor(1) as background:
        raw = choose_file(files)
        annotation = background.submit(read_annotation, files, raw.series)
        raw = with_expression(raw, numbers=numbers)
        if not needs_mapping(raw.series):
            return raw
        platforms, used = annotation.result()
    return replace(raw, platforms=platforms, used=(*raw.used, *used))


def choose_file(files: GeoCohortFiles) -> RawSeries:
    """Choose the file that describes the samples (see `formats.choose_series`).

    Raises
    ------
    FormatError
        If there is no readable matrix or family SOFT, or the series is a SuperSeries.
    """
    series, used, notes = choose_series(files)
    return RawSeries(series, tuple(used), tuple(notes))


def with_expression(raw: RawSeries, *, numbers: bool = True) -> RawSeries:
    """Return the series with its expression table, read now where it was not.

    Parameters
    ----------
    raw : RawSeries
    numbers : bool
        Whether the values are wanted (see `formats.read_series_matrix`).

    Raises
    ------
    FormatError
        If the table cannot be read.
    """
    if raw.series.expression is not None:
        return raw
    return replace(raw, series=read_series_matrix(raw.series.path, numbers=numbers))


def read_series_file(path: Path) -> Series:
    """Read a series matrix, or the largest platform's part of a family SOFT.

    Raises
    ------
    FormatError
        If the file is neither, or cannot be read; states what it is and which file to give.
    """
    if path.is_dir():
        found = sorted(p.name for p in path.iterdir() if _SERIES_FILE.search(p.name))
        hint = f"name one of its files: {', '.join(found)}" if found else "it holds no series file"
        message = "is a folder, not a file of a series"
        raise FormatError(message, path=path, hint=hint)
    if _PLATFORM_FILE.match(path.name):
        message = "is the table of a platform, without sample annotation"
        raise FormatError(message, path=path, hint=_WANTED)
    if "clinicalmatrix" in path.name.lower():
        message = "is a clinical matrix of TCGA; only GEO series are read here"
        hint = "'genotex solve' and 'genotex preprocess' read TCGA folders"
        raise FormatError(message, path=path, hint=hint)
    if "soft" in path.name.lower():
        return read_family_soft(path)[0]
    return read_series_matrix(path)


def read_annotation(
    files: GeoCohortFiles, series: Series
) -> tuple[tuple[Platform, ...], tuple[tuple[Path, str], ...]]:
    """Read the available platform tables, the series' own platform first.

    Platform files in the folder come before the family SOFT, which is opened only when none of
    them is of the series' platform.

    Returns
    -------
    platforms : tuple of Platform
    used : tuple of (Path, str)
        The files they came from.

    Raises
    ------
    FormatError
        If a file cannot be read.
    """
    platforms: list[Platform] = []
    used: list[Path] = []
    for path in files.platforms:
        platforms += read_platforms(path)
        used.append(path)
    if not any(p.accession == series.platform for p in platforms):
        for path in files.family_soft:
            wanted = [series.platform] if series.platform else None
            platforms += read_platforms(path, accessions=wanted)
            used.append(path)
    platforms.sort(key=lambda p: p.accession != series.platform)
    return tuple(platforms), tuple((path, "platform") for path in used)
