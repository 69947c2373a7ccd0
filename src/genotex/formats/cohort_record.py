"""The record of a preprocessed cohort: the benchmark's flags, and every decision.

``cohort_info.json`` holds the benchmark's record of each cohort of a trait (its README, section 3);
``evidence/<cohort>.json`` is our own record of how the cohort was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from genotex.options import Controls

__all__ = ["CohortInfo", "Controls", "Evidence", "Role"]

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
    trait, cohort, procedure : str
        What was read, and by which procedure.
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
        A ``clinical.ClinicalAnnotation`` as JSON: gene verdict and encodings with evidence.
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
    mapping : dict
        How rows became genes: ``id_kind``, ``gene_column``, ``scale``, and counts ``rows``,
        ``rows_with_symbol``, ``genes_mapped``, ``genes``. ``offset`` is there where zeros were
        kept: what was added to linear values before the logarithm.
    counts : dict
        How RNA-seq counts became expression: ``file``, ``annotation``; ``genes`` counted,
        ``filtered`` for lack of counts by the ``rule``, ``kept``; ``normalisation``; by sample
        ``totals`` (reads), ``factors`` (TMM) and ``effective_library_sizes`` (reads in the genes
        kept times the factor, which voom needs). Not there for other cohorts.
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
    """

    trait: str
    cohort: str
    procedure: str
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
