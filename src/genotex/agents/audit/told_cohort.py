"""What the evidence of a cohort tells, applied to its raw files once more."""

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
from genotex.cohorts.facts import Facts, sample_facts
from genotex.cohorts.geo import prepare_geo_cohort
from genotex.cohorts.geo_files import RawSeries, choose_file
from genotex.cohorts.tcga import apply_tcga_encoding, prepare_tcga_cohort, read_tcga_features
from genotex.cohorts.tcga_facts import tcga_sample_facts
from genotex.cohorts.tcga_files import RawClinical, expression_path, read_raw_clinical
from genotex.errors import FormatError, UsageError
from genotex.formats import Evidence, read_xena_samples
from genotex.layout import (
    GeoCohortFiles,
    TcgaCohortFiles,
    geo_cohort_files,
    tcga_cohort_files,
)

__all__ = [
    "ToldSeries",
    "ToldStudy",
    "encodings_by_name",
    "tcga_folders",
    "tell_series",
    "tell_study",
]


@dataclass(frozen=True, eq=False)
class ToldSeries:
    """A GEO cohort as its evidence tells it.

    Attributes
    ----------
    task : Task
    files : GeoCohortFiles
    raw : RawSeries
        What is said of the samples.
    reading : ClinicalAnnotation
        That of the evidence.
    features : mapping of str to EncodedFeature
        ``trait``, ``Age``, ``Gender`` as the encodings give them.
    """

    task: Task
    files: GeoCohortFiles
    raw: RawSeries
    reading: ClinicalAnnotation
    features: Mapping[str, EncodedFeature]

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.raw.series.samples

    @property
    def facts(self) -> Facts:
        """Other characteristics of the samples."""
        return sample_facts(self.raw.series, self.reading)

    def prepare(self, *, with_genes: bool) -> PreparedCohort:
        """Go the direct road with the reading of the evidence.

        Parameters
        ----------
        with_genes : bool
            Whether there are genes whatever the built-in rules think of the series.

        Raises
        ------
        GenotexError
            If that cannot be done.
        """
        expert = _Told(self.reading, with_genes=with_genes)
        return prepare_geo_cohort(self.files, expert, _options(self.task))


@dataclass(frozen=True, eq=False)
class ToldStudy:
    """A TCGA cohort as its evidence tells it; attributes as of `ToldSeries`."""

    task: Task
    files: TcgaCohortFiles
    raw: RawClinical
    reading: ClinicalAnnotation
    features: Mapping[str, EncodedFeature]

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.raw.matrix.samples

    @property
    def facts(self) -> Facts:
        """Other characteristics of the samples, of those with expression."""
        path = expression_path(self.files, self.task.procedure)
        measured = self.samples if path is None else read_xena_samples(path)
        return tcga_sample_facts(self.raw.matrix, measured)

    def prepare(self, *, with_genes: bool) -> PreparedCohort:
        """Go the direct road with the reading of the evidence (see `ToldSeries.prepare`)."""
        prepared = prepare_tcga_cohort(self.files, self.task.trait, "", _options(self.task))
        return replace(prepared, reading=self.reading, features=self.features)


@dataclass(frozen=True)
class _Told:
    """An expert who says what was said before."""

    reading: ClinicalAnnotation
    with_genes: bool

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Return the reading, and whether there is gene expression."""
        there = GeneVerdict(True, "") if self.with_genes else judge_expression(description)
        return replace(self.reading, gene=there)


def _options(task: Task) -> PreprocessOptions:
    return PreprocessOptions(procedure=task.procedure)


def tell_series(task: Task, evidence: Evidence) -> ToldSeries:
    """Apply the encodings of the evidence to the raw series.

    Raises
    ------
    FormatError
        If the evidence or the series cannot be read, or they do not fit each other.
    """
    files = replace(geo_cohort_files(task.trait, task.input_folder), cohort=task.cohort)
    reading = annotation_from_json(evidence.reading)
    raw = choose_file(files)
    features = {
        name: apply_encoding(encoding, raw.series, procedure=task.procedure)
        for name, encoding in encodings_by_name(reading).items()
    }
    return ToldSeries(task, files, raw, reading, features)


def encodings_by_name(reading: ClinicalAnnotation) -> dict[str, FeatureEncoding]:
    """Return the encodings of ``trait``, ``Age``, ``Gender`` as far as there are any."""
    return reading.columns


def tcga_folders(task: Task) -> list[TcgaCohortFiles]:
    """Return the studies that lie in the input."""
    folders = sorted(path for path in task.input_folder.iterdir() if path.is_dir())
    return [tcga_cohort_files(path) for path in folders]


def tell_study(task: Task, evidence: Evidence) -> ToldStudy | None:
    """Apply the encodings of the evidence to the study that it names; None where it names none.

    Raises
    ------
    FormatError
        If the evidence or the study cannot be read, or they do not fit each other.
    """
    if not evidence.files:
        return None
    title = evidence.series.get("title")
    for files in tcga_folders(task):
        if files.name.replace("_", " ") == title:
            return _apply(task, files, evidence)
    msg = f"the evidence names the study {str(title)[:80]!r}, which does not lie in the input"
    raise FormatError(msg)


def _apply(task: Task, files: TcgaCohortFiles, evidence: Evidence) -> ToldStudy:
    raw = read_raw_clinical(files)
    reading = _recorded(evidence)
    own, rules = read_tcga_features(raw.matrix, "", _options(task))
    by_rules = encodings_by_name(rules)
    features = {}
    for name, encoding in encodings_by_name(reading).items():
        if encoding.values:
            features[name] = _listed(encoding, raw)
        elif name in by_rules and _place(encoding) == _place(by_rules[name]):
            # The direct road lists no values: its rules tell them again.
            features[name] = own[name]
        else:
            msg = f"the encoding of {name} in the evidence says nothing of any value"
            raise FormatError(msg)
    return ToldStudy(task, files, raw, reading, features)


def _recorded(evidence: Evidence) -> ClinicalAnnotation:
    try:
        return recorded_annotation(evidence.reading)
    except (AttributeError, TypeError, ValueError) as error:
        msg = f"the reading in the evidence is none: {error}"
        raise FormatError(msg) from error


def _place(encoding: FeatureEncoding) -> tuple[str, str]:
    return encoding.sample_field, encoding.key


def _listed(encoding: FeatureEncoding, raw: RawClinical) -> EncodedFeature:
    try:
        return apply_tcga_encoding(encoding, raw.matrix)
    except (AttributeError, TypeError, ValueError, OverflowError, UsageError) as error:
        # Nothing of it was checked before: a code may be anything that JSON can hold.
        msg = f"the encoding of {encoding.feature} in the evidence does not fit: {error}"
        raise FormatError(msg) from error
