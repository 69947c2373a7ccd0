"""A cohort as its evidence records it, applied to the raw files again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from genotex.agents.task import Task
from genotex.clinical import (
    ClinicalAnnotation,
    EncodedFeature,
    FeatureEncoding,
    GeneVerdict,
    SeriesDescription,
    annotation_from_json,
    apply_encoding,
    judge_expression,
    recorded_annotation,
)
from genotex.cohorts import PreparedCohort, PreprocessOptions
from genotex.cohorts.geo import prepare_geo_cohort
from genotex.cohorts.geo_files import RawSeries, choose_file
from genotex.cohorts.tcga import (
    apply_tcga_encoding,
    assemble_tcga_cohort,
    read_tcga_features,
    tcga_genes,
)
from genotex.cohorts.tcga_files import RawClinical, read_raw_clinical, read_raw_genes
from genotex.errors import FormatError, UsageError
from genotex.formats import Evidence
from genotex.layout import (
    GeoCohortFiles,
    TcgaCohortFiles,
    geo_cohort_files,
    tcga_cohort_files,
)


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
    files = replace(geo_cohort_files(task.trait, task.input_folder), cohort=task.cohort)
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


def tcga_folders(task: Task) -> list[TcgaCohortFiles]:
    """Return the studies of the input."""
    folders = sorted(path for path in task.input_folder.iterdir() if path.is_dir())
    return [tcga_cohort_files(path) for path in folders]


def recorded_study(task: Task, evidence: Evidence) -> RecordedStudy | None:
    """Apply the encodings of the evidence to the study that it names; None where it names none."""
    if not evidence.files:
        return None
    title = evidence.series.get("title")
    for files in tcga_folders(task):
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
