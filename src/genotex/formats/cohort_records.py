"""Records of preprocessed cohorts: ``cohort_info.json`` and the evidence files.

``cohort_info.json`` holds the benchmark's record of each cohort of a trait (its README, section 3);
``evidence/<cohort>.json`` is our own record of how the cohort was read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from genotex.errors import FormatError, UsageError
from genotex.formats.json_files import read_json_object, write_json
from genotex.io import lock, remove_leftovers
from genotex.layout import trait_folder_name
from genotex.options import Controls
from genotex.procedure import Procedure

__all__ = [
    "CohortInfo",
    "Controls",
    "Evidence",
    "Role",
    "check_evidence",
    "read_cohort_info",
    "read_evidence",
    "update_cohort_info",
    "write_cohort_info",
    "write_evidence",
]


Role = Literal["case", "healthy control", "other disease", "unknown"]
"""What a sample is in the contrast of a binary trait; "unknown" also for continuous traits."""


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


@dataclass(frozen=True)
class Evidence:
    """Every decision about one cohort, stored as JSON alongside its tables.

    Attributes
    ----------
    trait, cohort : str
        What was read.
    procedure : Procedure
        By which procedure.
    source : str
        "GEO" or "TCGA".
    genotex_version : str
        Version that wrote it.
    files : list of dict
        ``name``, ``size`` (bytes) and ``used_for`` ("matrix", "platform", "counts",
        "annotation", "clinical", "expression") of every input file that was read.
    options : dict
        The options that shaped the result.
    series : dict of str
        ``title``, ``summary``, ``overall_design``, ``platform``, ``platform_title``, ``organism``,
        ``type``, ``pubmed_id``, ``status``; unknown keys are missing.
    reading : dict
        A ``ClinicalAnnotation`` in its JSON form: gene verdict and encodings with evidence.
    encoded : dict
        ``trait``, ``Age``, ``Gender`` -> list of ``{"raw", "code", "role", "samples"}``, one for
        each different raw value (role None except for the trait).
    roles : dict
        Sample id -> role in the contrast (see `Role`).
    sample_facts : dict
        Characteristic -> sample id -> raw value (None: missing), for characteristics other than
        trait, age and gender that vary; of a TCGA study those columns that can be adjusted for.
    sample_texts : dict
        ``title``, ``source_name`` and, where the trait is read from a characteristic, ``trait`` ->
        sample id -> text, of a GEO series; files of earlier versions have none.
    relations : dict
        Kind (``donor``, ``treatment``, ``time point``, ...) -> list of ``{"value", "place",
        "words", "samples"}``: what the texts of a GEO series state on the relations of its samples;
        not there where they state nothing.
    mapping : dict
        How rows became genes: ``id_kind``, ``gene_column``, ``scale``, and counts ``rows``,
        ``rows_with_symbol``, ``genes_mapped``, ``genes``. ``offset`` is there where zeros were
        kept: what was added to linear values before the logarithm.
    counts : dict
        How RNA-seq counts became expression: ``file``, ``annotation``; ``genes`` counted,
        ``filtered`` for lack of counts by the ``rule``, ``kept``; ``normalisation``; by sample
        ``totals`` (reads), ``factors`` (TMM) and ``effective_library_sizes`` (reads in the genes
        kept times the factor, which voom needs). Not there for other cohorts.
    distributions : dict
        The values of each sample as in the input file: ``percent`` (5, 25, 50, 75, 95), ``rows``,
        ``scale`` (log2, linear or counts), and ``by_sample``: sample -> the five quantiles. Files
        of earlier versions and of other tools have none.
    linking : dict
        Counts of step 9: ``samples``, ``samples_without_trait``, ``genes_dropped``,
        ``samples_dropped``, ``values_filled``, and what became of Age and Gender.
    notes : list of str
        Everything a careful reader should know.
    warnings : list of str
        Why samples, or more than a few genes, are not in the linked table.
    info : dict
        The cohort's `CohortInfo` as JSON.
    fingerprint : str
        Digest of input files, options and version; equal means nothing needs doing again.
    design : dict
        Of own tables: the formula, contrast and sample table of a design, as given.
    tables : dict of str
        ``csv`` and ``parquet`` -> SHA-256 of the linked table as it was written, filled and with
        its missing values; empty where there is none, and in files of earlier versions.
    """

    trait: str
    cohort: str
    procedure: Procedure
    source: str
    genotex_version: str
    files: list[dict[str, Any]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    series: dict[str, str] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    encoded: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    mapping: dict[str, Any] = field(default_factory=dict)
    linking: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    info: dict[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    sample_facts: dict[str, dict[str, str | None]] = field(default_factory=dict)
    counts: dict[str, Any] = field(default_factory=dict)
    sample_texts: dict[str, dict[str, str | None]] = field(default_factory=dict)
    design: dict[str, Any] = field(default_factory=dict)
    relations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    distributions: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make a procedure of its name."""
        object.__setattr__(self, "procedure", Procedure(self.procedure))


_FLAGS = ("is_usable", "is_gene_available", "is_trait_available", "is_available")
_LATER_FLAGS = ("is_biased", "has_age", "has_gender")
_TEXTS = ("trait", "cohort", "procedure", "source", "genotex_version")


def read_cohort_info(path: Path | str) -> dict[str, CohortInfo]:
    """Read the records of a trait's cohorts, from any source.

    Unknown fields are ignored. A flag that older releases do not write is derived
    from the others where possible. Older releases call the TCGA cohort ``Xena``; the name in the
    file is kept.

    Returns
    -------
    dict of str to CohortInfo
        In file order.

    Raises
    ------
    FormatError
        If the file is not such JSON; names the line or the field.
    """
    path = Path(path)
    return {name: _info(name, record, path) for name, record in read_json_object(path).items()}


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


def write_evidence(path: Path, evidence: Evidence) -> None:
    """Write the record of every decision about a cohort; values that are not finite become null."""
    record = {item.name: getattr(evidence, item.name) for item in fields(evidence)}
    optional = ("counts", "sample_texts", "relations", "design", "tables", "distributions")
    for name in optional:
        if not record[name]:
            del record[name]
    write_json(path, record)


def read_evidence(path: Path | str) -> Evidence:
    """Read the record of every decision about a cohort.

    Raises
    ------
    FormatError
        If the file is not such JSON; names the line or the field.
    """
    path = Path(path)
    record = read_json_object(path)
    known: dict[str, Any] = {}
    for item in fields(Evidence):
        if item.name not in record:
            if item.name in _TEXTS:
                msg = "this field is missing"
                raise FormatError(msg, path=path, field=item.name, hint="preprocess it again")
            continue
        value = record[item.name]
        wanted = _evidence_type(item.name)
        if not isinstance(value, wanted):
            msg = f"expected {wanted.__name__}, found {type(value).__name__}"
            raise FormatError(msg, path=path, field=item.name, hint="preprocess it again")
        known[item.name] = value
    _check_counts(known.get("counts"), path)
    _check_texts(known.get("sample_texts"), path)
    _check_relations(known.get("relations"), path)
    try:
        return Evidence(**known)
    except UsageError as error:
        hint = "preprocess it again"
        raise FormatError(str(error), path=path, field="procedure", hint=hint) from error


def _check_counts(record: dict[str, Any] | None, path: Path) -> None:
    """Refuse a record of counts that the analysis could not use."""
    if not record:
        return
    by_sample = ("totals", "factors", "effective_library_sizes")
    wanted = {
        **dict.fromkeys(("genes", "filtered", "kept"), int),
        **dict.fromkeys(("rule", "normalisation"), str),
        **dict.fromkeys(by_sample, dict),
    }
    wrong = [name for name, kind in wanted.items() if not isinstance(record.get(name), kind)]
    wrong += [
        name
        for name in by_sample
        if name not in wrong and not all(isinstance(v, int | float) for v in record[name].values())
    ]
    if wrong:
        msg = "this part of the record of counts is missing or invalid"
        raise FormatError(msg, path=path, field=f"counts.{wrong[0]}", hint="preprocess it again")


def check_evidence(evidence: Evidence, path: Path, trait: str, cohort: str) -> None:
    """Refuse the record of another cohort.

    Raises
    ------
    FormatError
        If trait or cohort is another one.
    """
    named = (trait_folder_name(evidence.trait), evidence.cohort)
    if named != (trait_folder_name(trait), cohort):
        msg = f"is the record of {evidence.trait}, {evidence.cohort}"
        raise FormatError(msg, path=path, hint="preprocess it again")


def _check_texts(record: dict[str, Any] | None, path: Path) -> None:
    """Refuse texts that are not one for each sample."""
    for name, texts in (record or {}).items():
        if not isinstance(texts, dict) or not all(
            text is None or isinstance(text, str) for text in texts.values()
        ):
            msg = "expected a text for each sample"
            place = f"sample_texts.{name}"
            raise FormatError(msg, path=path, field=place, hint="preprocess it again")


def _check_relations(record: dict[str, Any] | None, path: Path) -> None:
    """Refuse relations that the analysis could not use."""
    for kind, groups in (record or {}).items():
        if not isinstance(groups, list) or not all(map(_is_statement, groups)):
            msg = "expected a list of value, place, words and samples"
            place = f"relations.{kind}"
            raise FormatError(msg, path=path, field=place, hint="preprocess it again")


def _is_statement(group: object) -> bool:
    if not isinstance(group, dict) or not isinstance(group.get("samples"), list):
        return False
    texts = [group.get(name) for name in ("value", "place", "words")]
    return all(isinstance(text, str) for text in (*texts, *group["samples"]))


def _evidence_type(name: str) -> type:
    if name in (*_TEXTS, "fingerprint"):
        return str
    return list if name in ("files", "notes", "warnings") else dict


def _info(name: str, record: object, path: Path) -> CohortInfo:
    if not isinstance(record, dict):
        msg = "the record of a cohort should be a JSON object"
        raise FormatError(msg, path=path, field=name)
    record = _with_derived_flags(record)
    flags = {key: _flag(record.get(key), path, f"{name}.{key}") for key in _FLAGS}
    later = {
        key: None if record.get(key) is None else _flag(record[key], path, f"{name}.{key}")
        for key in _LATER_FLAGS
    }
    size = record.get("sample_size")
    if size is not None and (isinstance(size, bool) or size != _whole(size)):
        msg = f"expected a number of samples, found {json.dumps(size)[:40]}"
        raise FormatError(msg, path=path, field=f"{name}.sample_size")
    note = record.get("note")
    return CohortInfo(
        **flags,
        is_biased=later["is_biased"],
        has_age=later["has_age"],
        has_gender=later["has_gender"],
        sample_size=_whole(size),
        note=None if note is None else str(note),
    )


def _with_derived_flags(record: Mapping[str, Any]) -> dict[str, Any]:
    """Add missing flags that follow from the others (GenoTEX README, section 3d)."""
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
    return known


def _flag(value: object, path: Path, place: str) -> bool:
    if not isinstance(value, bool):
        msg = f"expected true or false, found {json.dumps(value)[:40]}"
        raise FormatError(msg, path=path, field=place)
    return value


def _whole(value: object) -> int | None:
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and math.isfinite(value) else None
