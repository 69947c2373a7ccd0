"""A cohort before its clinical features and genes are linked, and the options of preprocessing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from genotex.clinical import ClinicalAnnotation, EncodedFeature, check_certainty
from genotex.errors import UsageError
from genotex.formats import (
    COVARIATES,
    ON_PROBES,
    ExpressionMatrix,
    Measures,
    Role,
    distribution_record,
)
from genotex.genes import GeneMapping
from genotex.options import Controls, PreprocessChoices, Scale, ValueKind
from genotex.procedure import Procedure

if TYPE_CHECKING:
    from genotex.clinical import SampleSheet

_SEQUENCED = re.compile("rna-seq|sequencing", re.IGNORECASE)
_ARRAY = re.compile("by array", re.IGNORECASE)
BY_PERSON = "samples decided by a person"
"""Beginning of the note on what a person decided, with the number of samples in each group."""


@dataclass(frozen=True)
class PreprocessOptions(PreprocessChoices):
    """The choices that shape a preprocessed cohort.

    The other fields, from `procedure` to `least_certainty`, are those of
    `genotex.options.PreprocessChoices`, described by their help texts.
    """

    readings: Mapping[str, ClinicalAnnotation] = field(default_factory=dict)
    """By cohort: readings given by hand in place of the expert's. Whether a series holds gene
    expression is judged again unless a reading records that it was made by hand (``by``)."""
    readings_of: str | None = None
    """The trait that `readings` were made for, where that is known."""
    sheet: SampleSheet | None = None
    """The sample sheet of `samples`; the series in it are used exactly as it states."""
    pair_of: Mapping[str, str] = field(default_factory=dict)
    """Sample -> pair, of the table `pairs`."""

    def __post_init__(self) -> None:
        """Refuse unknown names, an invalid certainty, and groups that are given twice."""
        check_certainty(self.least_certainty)
        for name, value, known in (
            ("procedure", self.procedure, tuple(Procedure)),
            ("control_roles", self.control_roles, get_args(Controls)),
            ("scale", self.scale, get_args(Scale)),
        ):
            if value not in known:
                msg = f"unknown {name} {value!r}; use {', '.join(known)}"
                raise UsageError(msg)
        object.__setattr__(self, "procedure", Procedure(self.procedure))
        if self.samples is None:
            return
        also = {
            "--encoding": self.encoding,
            "--case": self.cases,
            "--control": self.controls,
            "--pairs": self.pairs,
        }
        if given := [name for name, value in also.items() if value]:
            msg = (
                f"{' and '.join(given)} cannot be combined with --samples: state it in the sheet, "
                "which decides the groups and pairs"
            )
            raise UsageError(msg)


def load_options(chosen: PreprocessChoices) -> PreprocessOptions:
    """Return the choices with what is in the sample sheet, the pairs and the encoding file."""
    from genotex.clinical import load_annotations, load_pairs, load_sample_sheet

    # Refuses options that exclude each other before any file is read.
    options = PreprocessOptions(**vars(chosen))
    saved = None if chosen.encoding is None else load_annotations(chosen.encoding)
    return replace(
        options,
        readings={} if saved is None else saved.annotations,
        readings_of=None if saved is None else saved.trait,
        sheet=None if chosen.samples is None else load_sample_sheet(chosen.samples),
        pair_of={} if chosen.pairs is None else load_pairs(chosen.pairs),
    )


def input_distributions(
    matrix: ExpressionMatrix | None, genes: GeneMapping | None
) -> dict[str, Any]:
    """Return the quantiles of each sample as in the input; empty without genes."""
    if matrix is None or genes is None:
        return {}
    return distribution_record(matrix.samples, matrix.values, genes.scale)


@dataclass(frozen=True, eq=False)
class PreparedCohort:
    """A cohort as read: its samples, and their genes if available."""

    # Trait folder name, cohort id, ``GEO`` or ``TCGA``.
    trait: str
    cohort: str
    source: str
    samples: tuple[str, ...]
    """Sample ids in the order of the clinical features."""
    reading: ClinicalAnnotation
    """How trait, age and gender were read."""
    features: Mapping[str, EncodedFeature]
    """``trait``, ``Age``, ``Gender`` as far as they were read, aligned with `samples`."""
    genes: GeneMapping | None
    """None when gene expression is not available."""
    why_no_genes: str
    """The reason for that."""
    series: dict[str, str]
    """The series' own description."""
    files: list[tuple[Path, str]]
    """Files that were read, and for what."""
    sample_facts: dict[str, dict[str, str | None]]
    """Batches, tissues and donors by key and sample (see `facts.sample_facts` and
    `tcga_facts.tcga_sample_facts`)."""
    notes: tuple[str, ...]
    """Remarks for a careful reader."""
    counts: dict[str, Any] = field(default_factory=dict)
    """How RNA-seq counts became expression (see `Evidence.counts`); empty for arrays."""
    sample_texts: dict[str, dict[str, str | None]] = field(default_factory=dict)
    """Titles and source names (see `facts.sample_texts`); empty for TCGA."""
    relations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What texts state on the relations of samples (see `Evidence.relations`); empty for TCGA."""
    distributions: dict[str, Any] = field(default_factory=dict)
    """Quantiles of each sample as in the input (see `Evidence.distributions`)."""

    def without_values(self) -> PreparedCohort:
        """Return the cohort without the values of its genes, which take most of its memory."""
        if self.genes is None:
            return self
        samples = self.genes.expression.samples
        nothing = ExpressionMatrix((), samples, np.empty((0, len(samples))))
        return replace(self, genes=replace(self.genes, expression=nothing))

    @property
    def value_kind(self) -> ValueKind:
        """What the values are, where their variance depends on their level; empty for counts."""
        if self.genes is None or self.counts:
            return ""
        stated = self.series.get("type", "")
        sequenced = _SEQUENCED.search(stated) and not _ARRAY.search(stated)
        return "reads" if sequenced else self.genes.kind

    @property
    def measures(self) -> Measures:
        """What control probes tell of each sample (see `Evidence.measures`)."""
        return {} if self.genes is None else self.genes.measures

    @property
    def trait_values(self) -> NDArray[np.float64] | None:
        """Trait codes, shape (n,), or None when the trait is not available."""
        feature = self.features.get("trait")
        return None if feature is None else feature.codes

    @property
    def has_trait(self) -> bool:
        """Whether the trait of some sample is known."""
        return self.trait_values is not None and not bool(np.isnan(self.trait_values).all())

    @property
    def covariates(self) -> dict[str, NDArray[np.float64]]:
        """Age and Gender codes as far as they were read, each of shape (n,)."""
        return {n: self.features[n].codes for n in COVARIATES if n in self.features}

    @property
    def roles(self) -> dict[str, Role]:
        """Sample id -> role in the contrast."""
        feature = self.features.get("trait")
        if feature is None:
            return {}
        return dict(zip(self.samples, feature.roles, strict=True))

    @property
    def by_person(self) -> str:
        """The note on what a person decided about the samples; empty where nothing was."""
        feature = self.features.get("trait")
        notes = () if feature is None else feature.notes
        return next((note for note in notes if note.startswith(BY_PERSON)), "")

    @property
    def to_note(self) -> str:
        """What the short record also says: a person's decision, rows that are probes."""
        probes = [note for note in self.notes if note.startswith(ON_PROBES)]
        return "; ".join(filter(None, (self.by_person, *probes)))

    def encoded_values(self) -> dict[str, list[dict[str, Any]]]:
        """Return raw value, code, role and number of samples with expression, by feature."""
        measured = set(self.samples if self.genes is None else self.genes.expression.samples)
        shown = np.array([sample in measured for sample in self.samples], dtype=bool)
        return {name: _count_values(feature, shown) for name, feature in self.features.items()}


def _count_values(feature: EncodedFeature, shown: NDArray[np.bool_]) -> list[dict[str, Any]]:
    counts: dict[tuple[str | None, float | None, str], int] = {}
    values = zip(feature.raw, feature.codes, feature.roles, strict=True)
    for raw, code, role in (value for value, show in zip(values, shown, strict=True) if show):
        key = (raw, None if np.isnan(code) else float(code), role)
        counts[key] = counts.get(key, 0) + 1
    return [
        {"raw": raw, "code": code, "role": role, "samples": number}
        for (raw, code, role), number in counts.items()
    ]
