"""Files of a GEO series: the choice of one, platform tables, and annotation of its samples."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genotex.clinical import ClinicalAnnotation, describe_series, find_relations
from genotex.errors import FormatError
from genotex.features import feature_named
from genotex.formats import (
    Platform,
    Series,
    check_series_of,
    choose_parts,
    ncbi_count_files,
    read_family_accession,
    read_family_soft,
    read_platforms,
    read_series_matrix,
)
from genotex.genes import packaged_platform
from genotex.layout import GeoCohortFiles
from genotex.options import Scale
from genotex.procedure import Procedure

SUBMITTED = "expression from the submitter's"
"""Beginning of the note on a submitter's table."""

Facts = dict[str, dict[str, str | None]]

_TEXTS = {"title": "title", "source_name": "source_name_ch1"}


def sample_facts(series: Series, reading: ClinicalAnnotation) -> Facts:
    """Return the characteristics that vary, except those that trait, age and gender come from.

    Pairs and batches that a person gave come first, in place of characteristics of that name.
    """
    taken = {encoding.key.strip().lower() for encoding in reading.columns.values()}
    given = {
        name: {sample: values.get(sample) for sample in series.samples}
        for name, values in reading.facts.items()
        if (feature := feature_named(name)) is None or feature.use == "batch"
    }
    taken.update(given)
    found: Facts = dict(given)
    for row in series.characteristics:
        for sample, cell in zip(series.samples, row, strict=True):
            key, colon, value = (cell or "").partition(":")
            key = key.strip()
            if colon and key.lower() not in taken:
                found.setdefault(key, dict.fromkeys(series.samples))[sample] = value.strip()
    return {key: values for key, values in found.items() if _varies(values)}


def sample_texts(series: Series, reading: ClinicalAnnotation) -> Facts:
    """Return titles, source names and the raw trait: the texts that may name a pool of people."""
    found: Facts = {}
    for name, field in _TEXTS.items():
        for row in series.sample_fields.get(field, ())[:1]:
            found[name] = dict(zip(series.samples, row, strict=True))
    wanted = None if reading.trait is None else reading.trait.key.strip().lower()
    for row in series.characteristics:
        for sample, cell in zip(series.samples, row, strict=True):
            key, colon, value = (cell or "").partition(":")
            if colon and key.strip().lower() == wanted:
                found.setdefault("trait", dict.fromkeys(series.samples))[sample] = value.strip()
    return found


def sample_relations(
    series: Series, reading: ClinicalAnnotation
) -> dict[str, list[dict[str, Any]]]:
    """Return features and relations of samples as texts or a sample sheet state them."""
    return find_relations(describe_series(series)).with_facts(reading.facts).as_record()


def _varies(values: Mapping[str, str | None]) -> bool:
    return len({value for value in values.values() if value}) > 1


_SERIES_FILE = re.compile(r"series_matrix|_family\.soft", re.IGNORECASE)
_PLATFORM_FILE = re.compile(r"GPL\d+", re.IGNORECASE)
_WANTED = "name a file such as GSE55457_series_matrix.txt.gz or GSE781_family.soft.gz"


@dataclass(frozen=True, eq=False)
class RawSeries:
    """A GEO series as read from its files."""

    series: Series  # annotation of the samples
    used: tuple[tuple[Path, str], ...]  # the files that were read, and for what
    notes: tuple[str, ...] = ()  # files that were not used
    platforms: tuple[Platform, ...] = ()  # annotations, the series' own first


def read_raw_series(
    files: GeoCohortFiles,
    needs_mapping: Callable[[Series], bool],
    *,
    numbers: bool = True,
    platforms: Sequence[str] = (),
) -> RawSeries:
    """Read a whole series: its samples, their expression, and the annotation if needed."""
    # Both are slow and mostly outside Python, so they are read in parallel.
    with ThreadPoolExecutor(1) as background:
        raw = choose_file(files, platforms)
        annotation = background.submit(read_annotation, files, raw.series)
        raw = with_expression(raw, numbers=numbers)
        if not needs_mapping(raw.series):
            return raw
        tables, used = annotation.result()
    return replace(raw, platforms=tables, used=(*raw.used, *used))


def choose_file(files: GeoCohortFiles, platforms: Sequence[str] = ()) -> RawSeries:
    """Choose the file that describes the samples (see `formats.choose_parts`)."""
    series, used, notes = choose_parts(files, platforms)
    return RawSeries(series, tuple(used), tuple(notes))


def with_expression(raw: RawSeries, *, numbers: bool = True) -> RawSeries:
    """Return the series with its expression table, read now where it was not."""
    if raw.series.expression is not None:
        return raw
    return replace(raw, series=read_series_matrix(raw.series.path, numbers=numbers))


def read_series_file(path: Path) -> Series:
    """Read a series matrix, or the largest platform's part of a family SOFT.

    Raises FormatError if the file is neither, or cannot be read; states what it is and which file
    to give.
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
    """Read the available platform tables, the series' own first: the folder's, else the packaged.

    The family SOFT file is opened only if no platform file is of the series' own platform.
    """
    platforms: list[Platform] = []
    used: list[Path] = []
    for path in files.platforms:
        platforms += read_platforms(path)
        used.append(path)
    if not any(p.accession == series.platform for p in platforms):
        for path in files.family_soft:
            check_series_of(path, read_family_accession(path), files.cohort)
            wanted = [series.platform] if series.platform else None
            platforms += read_platforms(path, accessions=wanted)
            used.append(path)
    if not any(p.accession in ("", series.platform) and not p.table.is_empty() for p in platforms):
        packaged = packaged_platform(series.platform)
        platforms = platforms if packaged is None else [packaged, *platforms]
    platforms.sort(key=lambda p: p.accession != series.platform)
    return tuple(platforms), tuple((path, "platform") for path in used)


def lacks_table(raw: RawSeries) -> bool:
    """Return whether the series names its platform, and its folder has no table of it."""
    own = raw.series.platform
    given = (p for p in raw.platforms if "packaged" not in p.fields and not p.table.is_empty())
    return bool(own) and not any(p.accession in ("", own) for p in given)


def fetch_table(files: GeoCohortFiles) -> str:
    """Return how the table of a series' platform is fetched."""
    folder = files.folder.absolute()
    if folder.parent.parent.name != "GEO":
        return f"to get genes put its table (GPL*.annot.gz, GPL*.soft.gz or GPL*.txt) into {folder}"
    place, trait = str(files.folder.parents[2]), files.trait or folder.parent.name
    words = ("genotex", "fetch", "geo", place, "--trait", trait)
    return f"to get genes: {shlex.join((*words, '--accession', files.cohort, '--platform-only'))}"


_NO_TABLE = "the matrix holds no expression table (as in RNA-seq series)"

_PUT_COUNTS = (
    f"; for NCBI's counts put {' and '.join(ncbi_count_files(('Homo sapiens',)))} next to the "
    "matrix (of the mouse those of GRCm39), or the submitter's table of all samples; "
    "'genotex fetch geo' brings either"
)


def no_table(procedure: Procedure) -> str:
    """Return why a series with an empty table has no genes, and what may help."""
    return _NO_TABLE + _PUT_COUNTS if procedure.uses_ncbi_counts else _NO_TABLE


def counts_of_species(files: GeoCohortFiles, species: str) -> GeoCohortFiles:
    """Leave NCBI's counts and annotation of another species than that of a series out."""

    def own(paths: Sequence[Path], mark: str) -> tuple[Path, ...]:
        return tuple(p for p in paths if (mark in p.name) == (species == "mouse"))

    if species not in ("", "mouse"):
        return replace(files, counts=(), annotations=())
    annotations = own(files.annotations, "Mouse")
    return replace(files, counts=own(files.counts, "GRCm"), annotations=annotations)


@dataclass(frozen=True)
class SubmittedValues:
    """How the submitter's values are chosen and read."""

    scale: Scale = "auto"
    chosen: str = ""  # the only file that is read
    cell_type: str = ""  # of single cells, those that are added up
    species: str = ""  # other than human: genes are taken as they are named


def takes_counts(
    files: GeoCohortFiles, series: Series, procedure: Procedure, chosen: str = ""
) -> bool:
    """Return whether expression comes from NCBI's counts."""
    wanted = chosen == files.counts[0].name if chosen and files.counts else is_empty(series)
    return wanted and procedure.uses_ncbi_counts and bool(files.counts)


def takes_submitted(
    files: GeoCohortFiles, series: Series, procedure: Procedure, chosen: str = ""
) -> bool:
    """Return whether expression may come from the submitter's own files."""
    if chosen in (path.name for path in files.matrices):
        return False
    wanted = bool(chosen) or (is_empty(series) and bool(files.supplementary))
    return wanted and procedure.uses_ncbi_counts


def is_empty(series: Series) -> bool:
    """Return whether a series has no expression table."""
    return series.expression is None or not series.expression.ids
