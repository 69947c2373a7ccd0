"""A cohort as its evidence records it, computed from the raw files again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from genotex.agents.audit.comparison import Differences, SavedTables, differences, records_agree
from genotex.agents.task import Task
from genotex.clinical import (
    ClinicalAnnotation,
    EncodedFeature,
    FeatureEncoding,
    GeneVerdict,
    SeriesDescription,
    annotation_from_json,
    apply_encoding,
    is_biased,
    judge_expression,
    recorded_annotation,
)
from genotex.cohorts import PreparedCohort, PreprocessOptions
from genotex.cohorts.geo.cohort import prepare_geo_cohort
from genotex.cohorts.geo.files import RawSeries, choose_file, read_raw_series
from genotex.cohorts.linking import JudgedCohort, judge_cohort, why_unavailable
from genotex.cohorts.tcga.cohort import (
    apply_tcga_encoding,
    assemble_tcga_cohort,
    read_tcga_features,
    tcga_genes,
)
from genotex.cohorts.tcga.files import RawClinical, read_raw_clinical, read_raw_genes
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import Evidence
from genotex.genes import GeneTable, RowGenes, collapse_rows, genes_by_columns, genes_of_rows
from genotex.layout import GeoCohortFiles, TcgaCohortFiles
from genotex.procedure import Procedure


@dataclass(frozen=True, eq=False)
class RecordedSeries:
    """A GEO cohort as its evidence records it."""

    task: Task
    files: GeoCohortFiles
    raw: RawSeries
    reading: ClinicalAnnotation  # That of the evidence
    # ``trait``, ``Age``, ``Gender`` as the encodings give them.
    features: Mapping[str, EncodedFeature]

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.raw.series.samples

    def prepare(self, *, with_genes: bool | None) -> PreparedCohort:
        """Run the pipeline without agents, with the annotation of the evidence.

        `with_genes` assumes gene expression, even where the built-in rules find none; without it
        they decide. None takes the verdict of the evidence.
        """
        expert = _RecordedExpert(self.reading, with_genes)
        prepared = prepare_geo_cohort(self.files, expert, audit_options(self.task))
        return replace(prepared, reading=self.reading)


@dataclass(frozen=True, eq=False)
class RecordedStudy:
    """A TCGA cohort as its evidence records it (see `RecordedSeries`)."""

    task: Task
    files: TcgaCohortFiles
    raw: RawClinical
    reading: ClinicalAnnotation
    features: Mapping[str, EncodedFeature]

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.raw.matrix.samples

    def prepare(self, *, with_genes: bool | None) -> PreparedCohort:
        """Run the pipeline without agents (see `RecordedSeries.prepare`)."""
        options, genes, why = audit_options(self.task), None, self.reading.gene.reason
        expression = None
        if with_genes is not None or self.reading.gene.available:
            expression = read_raw_genes(self.files, options.procedure)
            genes, why = tcga_genes(expression, options)
        return assemble_tcga_cohort(
            self.files,
            self.task.trait,
            self.raw,
            expression,
            self.reading,
            self.features,
            genes,
            why,
        )


@dataclass(frozen=True)
class _RecordedExpert:
    """An expert that repeats a recorded annotation."""

    reading: ClinicalAnnotation
    with_genes: bool | None

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Return the annotation, and whether there is gene expression."""
        if self.with_genes is None:
            return self.reading
        there = GeneVerdict(True, "") if self.with_genes else judge_expression(description)
        return replace(self.reading, gene=there)


def audit_options(task: Task) -> PreprocessOptions:
    """Return the options of preprocessing, of which generated code chooses none."""
    return PreprocessOptions(procedure=task.procedure)


def recorded_series(task: Task, evidence: Evidence) -> RecordedSeries:
    """Apply the encodings of the evidence to the raw series."""
    files = task.geo_files
    reading = annotation_from_json(evidence.reading)
    raw = choose_file(files)
    features = {
        name: apply_encoding(encoding, raw.series, procedure=task.procedure)
        for name, encoding in encodings_by_name(reading).items()
    }
    return RecordedSeries(task, files, raw, reading, features)


def encodings_by_name(reading: ClinicalAnnotation) -> dict[str, FeatureEncoding]:
    """Return the encodings of ``trait``, ``Age``, ``Gender`` as far as there are any."""
    named = {"trait": reading.trait, "Age": reading.age, "Gender": reading.gender}
    return {name: encoding for name, encoding in named.items() if encoding is not None}


def recorded_study(task: Task, evidence: Evidence) -> RecordedStudy | None:
    """Apply the encodings of the evidence to the study that it names; None where it names none."""
    if not evidence.files:
        return None
    title = evidence.series.get("title")
    for files in task.studies:
        if files.name.replace("_", " ") == title:
            return _apply(task, files, evidence)
    msg = f"the evidence names the study {str(title)[:80]!r}, which is not in the input"
    raise FormatError(msg)


def _apply(task: Task, files: TcgaCohortFiles, evidence: Evidence) -> RecordedStudy:
    raw = read_raw_clinical(files)
    reading = recorded_annotation(evidence.reading)
    own, rules = read_tcga_features(raw.matrix, "", audit_options(task))
    by_rules = encodings_by_name(rules)
    features = {}
    for name, encoding in encodings_by_name(reading).items():
        if encoding.values:
            features[name] = _listed(encoding, raw)
        elif name in by_rules and _place(encoding) == _place(by_rules[name]):
            # The pipeline lists no values: its rules give them again.
            features[name] = own[name]
        else:
            msg = f"the encoding of {name} in the evidence has no values"
            raise FormatError(msg)
    return RecordedStudy(task, files, raw, reading, features)


def _place(encoding: FeatureEncoding) -> tuple[str, str]:
    return encoding.sample_field, encoding.key


def _listed(encoding: FeatureEncoding, raw: RawClinical) -> EncodedFeature:
    try:
        return apply_tcga_encoding(encoding, raw.matrix)
    except UsageError as error:
        msg = f"the encoding of {encoding.feature} in the evidence does not fit: {error}"
        raise FormatError(msg) from error


@dataclass(frozen=True, eq=False)
class _Recomputed:
    """A cohort computed from the raw files with the recorded annotation, and how it differs."""

    flags: tuple[str, ...]
    prepared: PreparedCohort | None = None  # None where the pipeline cannot compute it
    judged: JudgedCohort | None = None


def recompute(
    cohort: RecordedSeries | RecordedStudy, evidence: Evidence, saved: SavedTables
) -> _Recomputed:
    """Compute a usable cohort, and compare the saved tables with it."""
    prepared, why = None, "nothing identifies the genes of its rows"
    try:
        prepared = cohort.prepare(with_genes=True)
        why = prepared.why_no_genes or why
    except GenotexError as error:
        why = str(error)
    judged = None if prepared is None else judge_cohort(prepared)
    own = _differences(saved, judged)
    if own is not None and own.none:
        flags = _record_differences(cohort, evidence, prepared)
        return _Recomputed(flags, prepared, judged)
    found = [] if own is None else [own]
    for other, variant in _by_recorded_columns(cohort, evidence, prepared):
        differs = _differences(saved, other)
        if differs is not None and differs.none:
            assert variant.genes is not None
            flag = _column_difference(variant.genes.gene_column, own, prepared)
            return _Recomputed((flag,), variant, other)
        found += [] if differs is None else [differs]
    if not found:
        flag = f"its expression cannot be computed from the raw files: {why}"
        return _Recomputed((flag,), prepared, judged)
    closest = min(found, key=lambda each: (each.values, each.absent_or_other_genes))
    return _Recomputed(closest.words(), prepared, judged)


def _differences(saved: SavedTables, expected: JudgedCohort | None) -> Differences | None:
    no_table = expected is None or expected.filled is None
    return None if no_table or expected is None else differences(saved, expected)


def _record_differences(
    cohort: RecordedSeries | RecordedStudy, evidence: Evidence, prepared: PreparedCohort | None
) -> tuple[str, ...]:
    """Return which records in the evidence that the analysis uses are different."""
    assert prepared is not None
    trait = cohort.features["trait"]
    pairs = {
        "roles of samples": (evidence.roles, dict(zip(cohort.samples, trait.roles, strict=True))),
        "other characteristics": (evidence.sample_facts, prepared.sample_facts),
        "counts": (evidence.counts, prepared.counts),
        "controls": (evidence.options.get("control_roles"), "auto"),
    }
    wrong = [name for name, (said, is_so) in pairs.items() if not records_agree(said, is_so)]
    return tuple(
        f"the {name} in its evidence are not those that the raw files give" for name in wrong
    )


def _column_difference(
    gene_column: str | None, own: Differences | None, prepared: PreparedCohort | None
) -> str:
    """Return that generated code identified genes differently from the rules; both may be right."""
    way = f"column {gene_column!r}" if gene_column else "the row ids alone"
    start = f"generated code identified the genes of rows by {way}, the built-in rules"
    if own is None or prepared is None or prepared.genes is None:
        return f"{start} find none"
    by = prepared.genes.gene_column
    return (
        f"{start} by {f'column {by!r}' if by else 'the row ids alone'}: "
        f"{own.absent_or_other_genes} genes are in one result only, or differ in values"
    )


def _by_recorded_columns(
    cohort: RecordedSeries | RecordedStudy, evidence: Evidence, prepared: PreparedCohort | None
) -> Iterator[tuple[JudgedCohort, PreparedCohort]]:
    """Yield the cohort by the columns that the evidence names, platform by platform."""
    if prepared is None or prepared.counts or isinstance(cohort, RecordedStudy):
        return
    raw = read_raw_series(cohort.files, lambda series: True)
    matrix, table = raw.series.expression, GeneTable.load()
    if matrix is None or not matrix.ids:
        return
    procedure = cohort.task.procedure
    for found in _mappings(raw, matrix.ids, evidence, procedure, table):
        with suppress(GenotexError):
            genes = collapse_rows(matrix, found, procedure=procedure, table=table)
            variant = replace(prepared, genes=genes)
            yield judge_cohort(variant), variant


def _mappings(
    raw: RawSeries, ids: Sequence[str], evidence: Evidence, procedure: Procedure, table: GeneTable
) -> Iterator[RowGenes]:
    """Yield the genes of rows in each way that the evidence may mean."""
    id_column, gene_column = (evidence.mapping.get(f"{name}_column") for name in ("id", "gene"))
    own, platforms = raw.series.platform, raw.platforms
    if gene_column is None:
        with suppress(FormatError):
            yield genes_of_rows(ids, (), procedure=procedure, table=table)
        return
    columns = [id_column, gene_column]
    for platform in platforms:
        if all(column in platform.table.columns for column in columns):
            with suppress(FormatError):
                yield genes_by_columns(
                    ids, platforms, platform, *columns, procedure=procedure, table=table, own=own
                )


def recompute_unusable(cohort: RecordedSeries | RecordedStudy, *, has_genes: bool) -> _Recomputed:
    """Compute a cohort recorded as not usable; one that is usable with the same trait is flagged.

    `has_genes` is whether it is recorded with gene expression.
    """
    flags = _usable_all_the_same(cohort)
    try:
        prepared = cohort.prepare(with_genes=None)
        judged = judge_cohort(prepared) if has_genes else why_unavailable(prepared)
    except GenotexError:
        # If the pipeline cannot read it either, there is nothing to compare.
        return _Recomputed(flags)
    return _Recomputed(flags, prepared, judged)


def _usable_all_the_same(cohort: RecordedSeries | RecordedStudy) -> tuple[str, ...]:
    trait = cohort.features.get("trait")
    known = np.empty(0) if trait is None else trait.codes[~np.isnan(trait.codes)]
    if not known.size or is_biased(known):
        return ()
    try:
        judged = judge_cohort(cohort.prepare(with_genes=False))
    except GenotexError:
        return ()
    if not judged.info.is_usable:
        return ()
    return (
        "with the same trait, the pipeline without agents makes a usable cohort of the raw files",
    )
