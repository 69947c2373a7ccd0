"""Records of a cohort: whether it is usable, and how it was read, coded and linked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, get_type_hints

import numpy as np
from numpy.typing import NDArray

from genotex.errors import FormatError, UsageError
from genotex.formats.json_files import read_json_object, read_record, write_json
from genotex.io import lock, remove_leftovers
from genotex.layout import CohortName, OutputFolder, TraitName, trait_folder_name
from genotex.options import Controls, MissingValues, Scale
from genotex.procedure import Procedure
from genotex.records import Check, PlainName, Scalar, Sha256, Shape, TypedDict, checked

ON_PROBES = "tested by probe, not by gene"  # begins the note where no map gives genes


@dataclass(frozen=True)
class CohortInfo:
    """The benchmark's record of one cohort; None where a field was never reached."""

    is_usable: bool
    is_gene_available: bool
    is_trait_available: bool
    is_available: bool
    is_biased: bool | None = None
    has_age: bool | None = None
    has_gender: bool | None = None
    sample_size: int | None = None
    note: str | None = None

    @classmethod
    def of_linked(
        cls, *, biased: bool, has_age: bool, has_gender: bool, samples: int, note: str | None = None
    ) -> CohortInfo:
        """Return the record of a cohort whose trait and genes could be linked."""
        return cls(
            is_usable=not biased,
            is_gene_available=True,
            is_trait_available=True,
            is_available=True,
            is_biased=biased,
            has_age=has_age,
            has_gender=has_gender,
            sample_size=samples,
            note=note,
        )


def read_cohort_info(path: Path | str) -> dict[str, CohortInfo]:
    """Read the records of a trait's cohorts, from any source.

    Unknown fields are ignored. A flag that older releases do not write is derived
    from the others where possible. Older releases call the TCGA cohort ``Xena``; the name in the
    file is kept.

    Returns in file order.
    """
    path = Path(path)
    completed = {n: _with_derived_flags(r) for n, r in read_json_object(path).items()}
    return checked(dict[CohortName, CohortInfo], completed, path=path)


def write_cohort_info(path: Path, records: Mapping[str, CohortInfo]) -> None:
    """Write the records of all cohorts of a trait, in this order; the file is replaced."""
    write_json(path, {cohort: asdict(info) for cohort, info in records.items()})


def update_cohort_info(path: Path, cohort: str, info: CohortInfo) -> None:
    """Write the record of one cohort and leave those of the others as they are."""
    # Safe while other processes do the same; a new cohort is added at the end.
    with lock(path):
        remove_leftovers(path)
        records = read_json_object(path) if path.exists() else {}
        records[cohort] = asdict(info)
        write_json(path, records)


def _with_derived_flags(record: Any) -> Any:
    """Add missing flags that follow from the others (GenoTEX README, section 3d)."""
    if not isinstance(record, dict):
        return record
    known = {key: value for key, value in record.items() if value is not None}
    gene, trait = known.get("is_gene_available"), known.get("is_trait_available")
    if isinstance(gene, bool) and isinstance(trait, bool):
        known.setdefault("is_available", gene and trait)
    available, biased = known.get("is_available"), known.get("is_biased")
    if isinstance(available, bool):
        known.setdefault("is_gene_available", available)
        known.setdefault("is_trait_available", available)
        if not available or isinstance(biased, bool):
            known.setdefault("is_usable", available and not biased)
    size, note = known.get("sample_size"), known.get("note")
    if isinstance(size, float) and size.is_integer():
        known["sample_size"] = int(size)
    return known if note is None else {**known, "note": str(note)}


Role = Literal["case", "healthy control", "other disease", "unknown"]
"""What a sample is in the contrast of a binary trait; "unknown" also for continuous traits."""
Kind = Literal["binary", "continuous"]
"""Kind of a feature of the samples."""
Parser = Literal["age_years", "sex", "number"]
"""How cells are parsed that an encoding does not list."""
Confidence = Literal["explicit", "inferred", "arguable"]
SampleField = Literal[
    "characteristics_ch1",
    "title",
    "source_name_ch1",
    "description",
    "sample",
    "barcode",
    "clinical_matrix",
]
"""Line of a GEO series that holds the cells; the last two are those of a TCGA study.

``sample`` are the sample ids themselves: a person decided sample by sample.
"""

LONGEST_FORMULA = 8_000
"""Characters of the formula or the contrast of a design."""


def why_no_formula(text: str) -> str:
    """Return why a text is no formula or contrast; a parser reads it where it is used."""
    if len(text) > LONGEST_FORMULA:
        return f"must have at most {LONGEST_FORMULA:,} characters"
    if any(not sign.isprintable() and sign not in "\t\n" for sign in text):
        return "must be plain text without control characters"
    return ""


def why_no_procedure(name: str) -> str:
    """Return why a text names no procedure; empty where it does."""
    try:
        Procedure(name)
    except UsageError as error:
        return str(error)
    return ""


class _FileRead(TypedDict):
    """A file that was read."""

    name: PlainName
    size: int
    used_for: str
    sha256: NotRequired[Sha256]


class _Named(TypedDict):
    """A file that a person gave."""

    name: PlainName
    sha256: Sha256


class _OptionsUsed(TypedDict, total=False):
    """Options of preprocessing."""

    cases: list[str]
    controls: list[str]
    control_roles: Controls
    scale: Scale
    gene_table: PlainName | None
    vocabulary: _Named | None
    least_certainty: float
    annotator: str
    reading_given: bool
    encoding: _Named | None
    samples: _Named
    exclude: list[str]
    pairs: _Named
    series_platform: list[str]
    values_from: str
    cell_type: str


class _Gene(TypedDict, total=False):
    """A verdict on gene expression, by any version."""

    available: bool
    reason: str | None
    evidence: list[str]
    certainty: float | None
    human: bool


class _Encoding(TypedDict, total=False):
    """A `FeatureEncoding` as JSON, by any version."""

    row: int | None
    key: str | None
    kind: Kind
    values: dict[str, float | None]
    roles: dict[str, Role]
    parser: Parser | None
    confidence: Confidence
    evidence: list[str]
    sample_field: SampleField
    certainty: float | None
    certainties: dict[str, float]
    reasons: dict[str, str]
    shifted: list[int]
    cautions: list[str]
    told_by: str
    by: str


class _Asked(TypedDict, total=False):
    """The calls of a model that annotated."""

    model: str
    version: str | None
    day: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost: str | None
    agrees: list[str]


class _Reading(TypedDict, total=False):
    """A `ClinicalAnnotation` as JSON, by any version."""

    gene: _Gene
    trait: _Encoding | None
    age: _Encoding | None
    gender: _Encoding | None
    notes: list[str]
    by: str
    certainty: float | None
    runner_up: _Encoding | None
    left_out: float | None
    untold: dict[str, str]
    excluded: dict[str, str]
    facts: dict[str, dict[str, str]]
    review: dict[str, str]
    checks: dict[str, str]
    asked: _Asked


class _Value(TypedDict):
    """A raw value and its code."""

    raw: str | None
    code: float | None
    role: Role | None
    samples: int


class CountsRecord(TypedDict):
    """How counts became expression."""

    file: NotRequired[str | None]
    annotation: NotRequired[str | None]
    genes: int
    filtered: int
    kept: int
    rule: str
    normalisation: str
    totals: dict[str, float]
    factors: dict[str, float]
    effective_library_sizes: dict[str, float]


class _Relation(TypedDict):
    """Samples that belong together by what a text states."""

    value: str
    place: str
    words: str
    samples: list[str]


class _Design(TypedDict):
    """A `DesignRequest` as JSON."""

    formula: Annotated[str, Check(why_no_formula)]
    contrast: Annotated[str, Check(why_no_formula)]
    block: str | None
    missing: MissingValues
    order: dict[str, list[str]]
    samples: list[str]
    table: dict[str, list[Scalar]]


class _Distributions(TypedDict):
    """Quantiles of each sample."""

    percent: list[int | float]
    rows: int
    scale: str
    by_sample: dict[str, list[float]]


_Info = TypedDict("_Info", get_type_hints(CohortInfo), total=False)  # type: ignore[misc]
"""A `CohortInfo` as JSON; fields may be missing."""


_TextOfSample = dict[str, str | None]
Measures = dict[str, dict[str, dict[str, float]]]
"""Kind of measure -> what was measured -> sample -> value."""


def measured_columns(
    measured: Mapping[str, Mapping[str, float]], samples: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return the measures of one kind by name, each (n,); NaN where a sample has none."""
    return {
        name: np.array([values.get(sample, np.nan) for sample in samples], dtype=np.float64)
        for name, values in measured.items()
    }


@dataclass(frozen=True)
class Evidence:
    """Every decision about one cohort, stored as JSON alongside its tables.

    `trait`, `cohort`: what was read.
    """

    trait: TraitName
    cohort: CohortName
    procedure: Annotated[Procedure, Shape(Annotated[str, Check(why_no_procedure)])]
    """By which procedure."""
    source: str
    """GEO or TCGA."""
    genotex_version: str
    """Version that wrote it."""
    files: Annotated[list[dict[str, Any]], Shape(list[_FileRead])] = field(default_factory=list)
    """``name``, ``size`` (bytes) and ``used_for`` ("matrix", "platform", "counts", "annotation",
    "clinical", "expression") of every input file that was read."""
    options: Annotated[dict[str, Any], Shape(_OptionsUsed)] = field(default_factory=dict)
    """The options that shaped the result."""
    series: dict[str, str] = field(default_factory=dict)
    """``title``, ``summary``, ``overall_design``, ``platform``, ``platform_title``, ``organism``,
    ``type``, ``pubmed_id``, ``status``; unknown keys are missing."""
    reading: Annotated[dict[str, Any], Shape(_Reading)] = field(default_factory=dict)
    """A ``ClinicalAnnotation`` in its JSON form: gene verdict and encodings with evidence."""
    encoded: Annotated[dict[str, list[dict[str, Any]]], Shape(dict[str, list[_Value]])] = field(
        default_factory=dict
    )
    """``trait``, ``Age``, ``Gender`` -> list of ``{"raw", "code", "role", "samples"}``, one for
    each different raw value (role None except for the trait)."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Sample id -> role in the contrast (see `Role`)."""
    mapping: Annotated[dict[str, Any], Shape(dict[str, Scalar])] = field(default_factory=dict)
    """How rows became genes: ``id_kind``, ``gene_column``, ``scale``, and counts ``rows``,
    ``rows_with_symbol``, ``genes_mapped``, ``genes``. ``offset`` is there where zeros were kept:
    what was added to linear values before the logarithm."""
    linking: Annotated[dict[str, Any], Shape(dict[str, Scalar])] = field(default_factory=dict)
    """Counts of step 9: ``samples``, ``samples_without_trait``, ``genes_dropped``,
    ``samples_dropped``, ``values_filled``, and what became of Age and Gender."""
    notes: list[str] = field(default_factory=list)
    """Everything a careful reader should know."""
    warnings: list[str] = field(default_factory=list)
    """Why samples, or more than a few genes, are not in the linked table."""
    info: Annotated[dict[str, Any], Shape(_Info)] = field(default_factory=dict)
    """The cohort's `CohortInfo` as JSON."""
    fingerprint: str = ""
    """Digest of input files, options and version; equal means nothing needs doing again."""
    sample_facts: dict[str, _TextOfSample] = field(default_factory=dict)
    """Characteristic -> sample id -> raw value (None: missing), for characteristics other than
    trait, age and gender that vary; of a TCGA study those columns that can be adjusted for."""
    counts: Annotated[dict[str, Any], Shape(CountsRecord)] = field(default_factory=dict)
    """How RNA-seq counts became expression: ``file``, ``annotation``; ``genes`` counted,
    ``filtered`` for lack of counts by the ``rule``, ``kept``; ``normalisation``; by sample
    ``totals`` (reads), ``factors`` (TMM) and ``effective_library_sizes`` (reads in the genes
    kept times the factor, which voom needs). Not there for other cohorts."""
    sample_texts: dict[str, _TextOfSample] = field(default_factory=dict)
    """``title``, ``source_name`` and, where the trait is read from a characteristic, ``trait`` ->
    sample id -> text, of a GEO series; files of earlier versions have none."""
    design: Annotated[dict[str, Any], Shape(_Design)] = field(default_factory=dict)
    """Of own tables: the formula, contrast and sample table of a design, as given."""
    relations: Annotated[dict[str, list[dict[str, Any]]], Shape(dict[str, list[_Relation]])] = (
        field(default_factory=dict)
    )
    """Kind (``donor``, ``treatment``, ``time point``, ...) -> list of ``{"value", "place", "words",
    "samples"}``: what the texts of a GEO series state on the relations of its samples; not there
    where they state nothing."""
    tables: dict[str, Sha256] = field(default_factory=dict)
    """``csv`` and ``parquet`` -> SHA-256 of the linked table as it was written, filled and with its
    missing values; empty where there is none, and in files of earlier versions."""
    distributions: Annotated[dict[str, Any], Shape(_Distributions)] = field(default_factory=dict)
    """The values of each sample as in the input file: ``percent`` (5, 25, 50, 75, 95), ``rows``,
    ``scale`` (log2, linear or counts), and ``by_sample``: sample -> the five quantiles. Files of
    earlier versions and of other tools have none."""
    measures: Measures = field(default_factory=dict)
    """``spike-in probes`` and ``RNA degradation`` -> spike-in, or gene whose 3' and 5' ends
    are compared -> sample -> log2 level, or difference; for matrices with control probes."""

    def __post_init__(self) -> None:
        """Make a procedure of its name."""
        object.__setattr__(self, "procedure", Procedure(self.procedure))


def write_evidence(path: Path, evidence: Evidence) -> None:
    """Write the record of every decision about a cohort; values that are not finite become null."""
    record = {item.name: getattr(evidence, item.name) for item in fields(evidence)}
    optional = (
        "counts",
        "sample_texts",
        "relations",
        "design",
        "tables",
        "distributions",
        "measures",
    )
    for name in optional:
        if not record[name]:
            del record[name]
    write_json(path, record)


def read_evidence(path: Path | str) -> Evidence:
    """Read the record of every decision about a cohort."""
    return read_record(Evidence, Path(path), hint=_AGAIN, complete=_without_empty)


def find_evidence(output: OutputFolder, trait: str, cohort: str) -> Evidence | None:
    """Read the record of a cohort in an output folder; None where there is none."""
    path = output.evidence(trait, cohort)
    if not path.is_file():
        return None
    evidence = read_evidence(path)
    check_evidence(evidence, path, trait, cohort)
    return evidence


def _without_empty(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record without parts that are empty, as some versions write them."""
    return {name: part for name, part in record.items() if part != {}}


_AGAIN = "preprocess it again"


def check_evidence(evidence: Evidence, path: Path, trait: str, cohort: str) -> None:
    """Refuse the record of another cohort."""
    named = (trait_folder_name(evidence.trait), evidence.cohort)
    if named != (trait_folder_name(trait), cohort):
        msg = f"is the record of {evidence.trait}, {evidence.cohort}"
        raise FormatError(msg, path=path, hint=_AGAIN)
