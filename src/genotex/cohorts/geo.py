"""A GEO series from raw files to clinical features and genes of its samples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from genotex.clinical import (
    ClinicalReading,
    EncodedFeature,
    Expert,
    FeatureEncoding,
    SeriesDescription,
    Vocabulary,
    apply_encoding,
    choose_groups,
    describe_series,
    fit_reading,
    judge_expression,
    load_vocabulary,
    rule_expert,
    tell_notes,
)
from genotex.cohorts.facts import sample_facts
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.errors import FormatError
from genotex.formats import (
    Platform,
    Series,
    choose_series,
    read_family_soft,
    read_platforms,
    read_series_matrix,
)
from genotex.genes import GeneMapping, GeneTable, identify_ids, map_to_genes
from genotex.layout import GeoCohortFiles

__all__ = ["prepare_geo_cohort", "read_or_replay", "read_series_file"]

_SERIES_FILE = re.compile(r"series_matrix|_family\.soft", re.IGNORECASE)
_PLATFORM_FILE = re.compile(r"GPL\d+", re.IGNORECASE)
_WANTED = "name a file such as GSE55457_series_matrix.txt.gz or GSE781_family.soft.gz"
_SERIES_FACTS = ("title", "type", "pubmed_id", "status")


def prepare_geo_cohort(
    files: GeoCohortFiles, expert: Expert, options: PreprocessOptions
) -> PreparedCohort:
    """Read one GEO cohort: clinical features as codes, expression by official gene symbol.

    Parameters
    ----------
    files : GeoCohortFiles
        The files of the cohort's folder.
    expert : Expert
        Who reads the series, unless `options` holds a reading of this cohort.
    options : PreprocessOptions

    Raises
    ------
    FormatError
        If a file that is needed cannot be read.
    UsageError
        If groups chosen by hand do not occur.
    """
    table = GeneTable.load(options.gene_table)
    # Both take a while and mostly outside Python, so they are read at the same time.
    with ThreadPoolExecutor(1) as beside:
        header, used, notes = choose_series(files)
        platforms_read = beside.submit(_read_platforms, files, header)
        series = _with_expression(header)
    ids = series.expression.ids if series.expression is not None else ()
    needs_mapping = bool(ids) and identify_ids(ids, table).needs_mapping
    platforms, platform_files = platforms_read.result() if needs_mapping else ([], [])

    description = describe_series(series, platforms)
    given = options.readings.get(files.cohort)
    reading = read_or_replay(description, files.trait, expert, options, given)
    features = _encode(reading, series, options, load_vocabulary(options.vocabulary))

    genes, why_no_genes = _genes(series, platforms, reading, table, options)
    return PreparedCohort(
        trait=files.trait,
        cohort=files.cohort,
        source="GEO",
        samples=series.samples,
        reading=reading,
        features=features,
        genes=genes,
        why_no_genes=why_no_genes,
        series=_series_facts(series, platforms),
        files=[*used, *((path, "platform") for path in platform_files)],
        sample_facts=sample_facts(series, reading),
        notes=(
            *notes,
            *series.notes,
            *tell_notes(reading),
            *(note for feature in features.values() for note in feature.notes),
            *(genes.notes if genes else ()),
        ),
    )


def read_or_replay(
    description: SeriesDescription,
    trait: str,
    expert: Expert,
    options: PreprocessOptions,
    given: ClinicalReading | None = None,
) -> ClinicalReading:
    """Read a series, or take the reading that was given; then the groups chosen by hand.

    Parameters
    ----------
    description : SeriesDescription
        The series.
    trait : str
        Name of the trait.
    expert : Expert
        Who reads it, unless a reading is given.
    options : PreprocessOptions
        Procedure, words, groups chosen by hand, and the file of given readings.
    given : ClinicalReading, optional
        From an encoding file.

    Raises
    ------
    UsageError
        If groups chosen by hand do not occur.
    """
    if given is None:
        reading = expert.read(description, trait)
    else:
        # What a person changed is seen by reading anew, by rules whoever the expert is.
        own = rule_expert(options.procedure, vocabulary=options.vocabulary).read(description, trait)
        source = "the encoding" if options.encoding is None else options.encoding.name
        reading = fit_reading(_check(given, description), own, description, source)
    if not options.cases and not options.controls:
        return reading
    vocabulary = load_vocabulary(options.vocabulary)
    chosen = choose_groups(reading.trait, options.cases, options.controls, description, vocabulary)
    # What was said of the expert's own choice does not hold for this one.
    return replace(reading, trait=chosen, certainty=None, runner_up=None, left_out=None)


def _check(given: ClinicalReading, description: SeriesDescription) -> ClinicalReading:
    """Judge expression again: a reading saved from the header alone had not seen the row ids."""
    if given.by == "hand" or not given.gene.available:
        return given
    return replace(given, gene=judge_expression(description))


def _with_expression(series: Series) -> Series:
    return series if series.expression is not None else read_series_matrix(series.path)


def read_series_file(path: Path) -> Series:
    """Read a series matrix, or the largest platform's part of a family SOFT.

    Raises
    ------
    FormatError
        If the file is neither, or cannot be read; says what it is and which file is meant.
    """
    if path.is_dir():
        found = sorted(p.name for p in path.iterdir() if _SERIES_FILE.search(p.name))
        hint = f"name one of its files: {', '.join(found)}" if found else "it holds no series file"
        message = "is a folder, not a file of a series"
        raise FormatError(message, path=path, hint=hint)
    if _PLATFORM_FILE.match(path.name):
        message = "is the table of a platform, and says nothing of samples"
        raise FormatError(message, path=path, hint=_WANTED)
    if "clinicalmatrix" in path.name.lower():
        message = "is a clinical matrix of TCGA; only GEO series are read here"
        hint = "'genotex solve' and 'genotex preprocess' read TCGA folders"
        raise FormatError(message, path=path, hint=hint)
    if "soft" in path.name.lower():
        return read_family_soft(path)[0]
    return read_series_matrix(path)


def _read_platforms(files: GeoCohortFiles, series: Series) -> tuple[list[Platform], list[Path]]:
    """Read the platform tables at hand, the series' own platform first.

    Platform files in the folder come before the family SOFT, which is opened only when none of
    them is of the series' platform.
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
    return platforms, used


def _encode(
    reading: ClinicalReading, series: Series, options: PreprocessOptions, vocabulary: Vocabulary
) -> dict[str, EncodedFeature]:
    features = {}
    encodings: Mapping[str, FeatureEncoding | None] = {
        "trait": reading.trait,
        "Age": reading.age,
        "Gender": reading.gender,
    }
    for name, encoding in encodings.items():
        if encoding is not None:
            features[name] = apply_encoding(
                encoding, series, procedure=options.procedure, vocabulary=vocabulary
            )
    binary = reading.trait is not None and reading.trait.kind == "binary"
    if options.control_roles == "healthy" and binary:
        features["trait"] = _without_other_controls(features["trait"])
    return features


def _without_other_controls(feature: EncodedFeature) -> EncodedFeature:
    """Leave out controls that are not known to be healthy."""
    other = (feature.codes == 0) & np.array([r != "healthy control" for r in feature.roles])
    codes = np.where(other, np.nan, feature.codes)
    note = f"{int(other.sum())} controls not known as healthy left out (controls: healthy)"
    return replace(feature, codes=codes, notes=(*feature.notes, note))


def _genes(
    series: Series,
    platforms: Sequence[Platform],
    reading: ClinicalReading,
    table: GeneTable,
    options: PreprocessOptions,
) -> tuple[GeneMapping | None, str]:
    if not reading.gene.available:
        return None, reading.gene.reason
    if series.expression is None or not series.expression.ids:
        return None, "the matrix holds no expression table (as in RNA-seq series)"
    try:
        mapping = map_to_genes(
            series.expression,
            platforms,
            procedure=options.procedure,
            table=table,
            scale=options.scale,
            own=series.platform,
        )
    except FormatError as error:
        return None, f"rows cannot be mapped to genes: {error}"
    return mapping, ""


def _series_facts(series: Series, platforms: Sequence[Platform]) -> dict[str, str]:
    facts = {name: " ".join(series.series_fields.get(name, ())) for name in _SERIES_FACTS}
    facts["summary"] = series.summary
    facts["overall_design"] = series.overall_design
    facts["platform"] = series.platform or ""
    own = next((p for p in platforms if p.accession == series.platform), None)
    facts["platform_title"] = own.title if own else ""
    organisms = {c for row in series.sample_fields.get("organism_ch1", ()) for c in row if c}
    facts["organism"] = ", ".join(sorted(organisms))
    return {name: text for name, text in facts.items() if text}
