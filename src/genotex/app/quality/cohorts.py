"""The samples of a preprocessed cohort as a whole: components, correlations, distributions, checks.

A cohort is read once; only what its plots show stays in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis import OWN_TABLES, AuditedCohort, CohortAudit, audit_cohort
from genotex.app.data.sheets import EditedSheet
from genotex.arrays import Floats
from genotex.clinical import expert_of
from genotex.cohorts import (
    PreparedCohort,
    PreprocessOptions,
    describe_cohort,
    judge_samples,
    prepare_geo_cohort,
    prepare_samples,
)
from genotex.errors import UsageError
from genotex.features import feature_of_column
from genotex.figures import (
    SampleMarks,
    drawn_samples,
    level_key,
    most_variable_genes,
    principal_components,
    sample_densities,
    sample_profiles,
    scaled_distances,
)
from genotex.formats import Evidence, LinkedTable, find_evidence, read_linked, sample_quantiles
from genotex.layout import GeoCohortFiles, OutputFolder
from genotex.studies import Apart
from genotex.workflows import audited, audited_series

_READ_AS = {"matrix", "expression", "counts"}
_MOST_LEVELS = 12
_CONTINUOUS = 6
"""With more different numbers than this, a column is drawn on a scale."""
_ABSENT = "not recorded"
_GROUPS = {
    "case": "case",
    "control": "control",
    "healthy control": "control",
    "other disease": "other",
    "other control": "other",
    "unknown": "unknown",
    "other": "unknown",
    _ABSENT: "absent",
    "excluded": "absent",
}
"""Group of the sheet -> meaning in a figure."""


@dataclass(frozen=True, eq=False)
class CohortQuality:
    """What the quality page shows of a cohort.

    Attributes
    ----------
    samples : tuple of str
        The n samples of the linked table.
    genes : int
    columns : dict of str to list of str
        What the cohort's record holds of each sample: group, age, sex, characteristics.
    record : dict
        What the plots show of the checks (`SampleQuality.record`); empty before them.
    audit : CohortAudit or None
        None before the samples are judged, which takes longer than measuring them.
    pca, mds : ndarray, shape (n, 2)
    explained : tuple of float
        Shares of variance of the two components.
    correlation : ndarray, shape (len(drawn), len(drawn))
    drawn : ndarray of int
        At most 200 samples, those alike next to each other; outliers are among them.
    quantiles : ndarray, shape (n, 5)
        5, 25, 50, 75 and 95 % of the values of each sample.
    densities : ndarray, shape (len(drawn), bins)
    middles : ndarray, shape (bins,)
    file : str
        The file that the values come from; empty if it is not recorded.
    steps : list of str
        What was done to the values of the file.
    """

    samples: tuple[str, ...]
    genes: int
    columns: dict[str, list[str]]
    record: dict[str, Any]
    audit: CohortAudit | None
    pca: Floats
    mds: Floats
    explained: tuple[float, float]
    correlation: Floats
    drawn: NDArray[np.intp]
    quantiles: Floats
    densities: Floats
    middles: Floats
    file: str
    steps: list[str]

    @classmethod
    def measured(cls, table: LinkedTable, evidence: Evidence | None = None) -> CohortQuality:
        """Measure all samples of a table, of which none is judged yet."""
        chosen = most_variable_genes(table.expression)
        components, profiles = principal_components(chosen), sample_profiles(chosen)
        drawn, correlation = drawn_samples(table.samples, profiles, {})
        densities, middles = sample_densities(table.expression[drawn])
        return cls(
            table.samples,
            len(table.genes),
            _columns(table, evidence),
            {},
            None,
            components.scores,
            scaled_distances(profiles),
            components.explained,
            correlation,
            drawn,
            sample_quantiles(table.expression.T),
            densities,
            middles,
            _file_of(evidence),
            _processing_of(evidence),
        )

    def judged(
        self, table: LinkedTable, checked: AuditedCohort, evidence: Evidence | None
    ) -> CohortQuality:
        """Judge the samples of `checked`, which are some of the table's."""
        record = checked.quality.record
        drawn, correlation = self.drawn, self.correlation
        densities, middles = self.densities, self.middles
        if len(drawn) < len(table.samples):
            profiles = sample_profiles(most_variable_genes(table.expression))
            drawn, correlation = drawn_samples(table.samples, profiles, record)
            densities, middles = sample_densities(table.expression[drawn])
        return replace(
            self,
            columns=_columns(table, evidence),
            record=record,
            audit=audit_cohort(checked),
            correlation=correlation,
            drawn=drawn,
            densities=densities,
            middles=middles,
            file=_file_of(evidence),
            steps=_processing_of(evidence),
        )


def _read_stored(output: OutputFolder, trait: str, name: str) -> CohortQuality:
    """Measure a preprocessed cohort."""
    return CohortQuality.measured(
        read_linked(output, trait, name), find_evidence(output, trait, name)
    )


def _judge_stored(
    output: OutputFolder, trait: str, name: str, measured: CohortQuality
) -> CohortQuality:
    table, evidence = read_linked(output, trait, name), find_evidence(output, trait, name)
    return measured.judged(table, audited(name, table, evidence), evidence)


class StoredQuality:
    """The samples of a preprocessed cohort: measured at once, and judged when that is asked for."""

    def __init__(self, output: OutputFolder, trait: str, name: str, apart: Apart) -> None:
        self._asked, self._apart, self._lock = (output, trait, name), apart, threading.Lock()
        self.quality = apart.run(_read_stored, *self._asked)

    def judge(self) -> None:
        """Judge the samples, once."""
        with self._lock:
            if self.quality.audit is None:
                self.quality = self._apart.run(_judge_stored, *self._asked, self.quality)


def _read_series(files: GeoCohortFiles) -> PreparedCohort:
    """Return the expression of a series, whatever its samples are."""
    options = PreprocessOptions()
    genes = prepare_geo_cohort(files, expert_of(options), options)
    if genes.genes is None:
        raise UsageError(genes.why_no_genes)
    return genes


def _measure_series(genes: PreparedCohort) -> tuple[CohortQuality, Evidence]:
    """Measure the samples of a series."""
    evidence = describe_cohort(genes, judge_samples(genes), PreprocessOptions())
    return CohortQuality.measured(_audited(genes).table, evidence), evidence


def _audited(prepared: PreparedCohort) -> AuditedCohort:
    checked = audited_series(prepared)
    assert isinstance(checked, AuditedCohort), "there are genes"
    return checked


def _judge_series(
    genes: PreparedCohort,
    files: GeoCohortFiles,
    options: PreprocessOptions,
    left_out: Collection[str],
    measured: CohortQuality,
) -> tuple[CohortQuality, Evidence]:
    """Judge the samples of a series; what was measured does not depend on groups."""
    named = prepare_samples(files, expert_of(options), options)
    prepared = replace(
        named, genes=genes.genes, counts=genes.counts, files=genes.files, notes=genes.notes
    )
    checked = _audited(prepared)
    whole = checked.table
    kept = np.array([sample not in left_out for sample in whole.samples], dtype=bool)
    evidence = describe_cohort(prepared, judge_samples(prepared), options)
    used = checked if kept.all() else replace(checked, table=whole.take(kept))
    return measured.judged(whole, used, evidence), evidence


class SeriesQuality:
    """The samples of a series before any analysis, judged again when their sheet has changed.

    Raises
    ------
    UsageError
        If the series has no expression.
    """

    def __init__(self, files: GeoCohortFiles, apart: Apart) -> None:
        self._files, self._apart, self._lock = files, apart, threading.Lock()
        self._genes = apart.keep(_read_series, files)
        self._version: int | None = None
        self.quality, self.evidence = apart.run(_measure_series, self._genes)

    def judge(self, sheet: EditedSheet) -> None:
        """Judge the samples by the groups of a sheet, without those that it excludes."""
        with self._lock:
            if self._version != sheet.version:
                with sheet.reading(PreprocessOptions()) as options:
                    asked = self._files, options, frozenset(sheet.left_out), self.quality
                    found = self._apart.run(_judge_series, self._genes, *asked)
                self.quality, self.evidence = found
                self._version = sheet.version


def _columns(table: LinkedTable, evidence: Evidence | None) -> dict[str, list[str]]:
    """Return what the record holds of each sample, as texts."""
    roles = {} if evidence is None else evidence.roles
    columns = {"group": [str(roles.get(sample, "")) for sample in table.samples]}
    if not any(columns["group"]):
        columns["group"] = _texts(table.trait_values)
    if len(set(table.trait_values[np.isfinite(table.trait_values)])) > 2:
        columns[table.trait.replace("_", " ")] = _texts(table.trait_values)
    for name, values in table.covariates.items():
        feature = feature_of_column(name)
        if feature is not None and feature.levels:
            columns[feature.name] = [feature.cell(float(value)) for value in values]
        else:
            columns[name.lower()] = _texts(values)
    facts = {} if evidence is None else evidence.sample_facts
    for name, found in facts.items():
        columns.setdefault(name, [found.get(sample) or "" for sample in table.samples])
    return columns


def _file_of(evidence: Evidence | None) -> str:
    """Return the name of the file that a cohort's values come from; empty if it is unknown."""
    files = [] if evidence is None else evidence.files
    named = {file["used_for"]: str(file["name"]) for file in files if file["used_for"] in _READ_AS}
    return named.get("counts") or named.get("expression") or named.get("matrix", "")


def _processing_of(evidence: Evidence | None) -> list[str]:
    """Return what was done to the values of the file to get those that are analysed."""
    if evidence is None:
        return []
    mapping, counts = evidence.mapping, evidence.counts
    steps = []
    if counts:
        how = counts.get("normalisation", "library size")
        steps.append(f"genes with few counts left out; log2 counts per million, normalised: {how}")
    elif evidence.source == OWN_TABLES:
        steps += [note for note in evidence.notes if note.startswith("scale:")]
    elif mapping.get("scale") == "linear" and evidence.procedure.logs_linear_values:
        offset = mapping.get("offset")
        steps.append(f"log2(value + {offset:.4g})" if offset else "log2 of the linear values")
    else:
        steps.append(f"values kept on their {mapping.get('scale', 'own')} scale")
    if mapping.get("rows") and mapping.get("genes"):
        steps.append(f"{mapping['rows']:,} rows became {mapping['genes']:,} genes")
    if not counts:
        steps.append("no normalisation between samples was added")
    return steps


def _texts(values: Floats) -> list[str]:
    return [f"{value:g}" if np.isfinite(value) else "" for value in values.tolist()]


def marks_of(samples: Sequence[str], by: str, cells: Sequence[str]) -> SampleMarks:
    """Mark samples by a column: along numbers, or by at most 12 named levels."""
    known = [cell for cell in cells if cell]
    try:
        numbers = [float(cell) if cell else None for cell in cells]
    except ValueError:
        numbers = []
    finite = {value for value in numbers if value is not None and np.isfinite(value)}
    if numbers and len(finite) > _CONTINUOUS:
        return SampleMarks.by_values(samples, numbers, by)
    ranked = sorted(dict.fromkeys(known), key=known.count, reverse=True)
    common = ranked if len(ranked) <= _MOST_LEVELS else ranked[: _MOST_LEVELS - 1]
    named = [cell if cell in common else "other" if cell else _ABSENT for cell in cells]
    levels = [level for level in (*common, "other", _ABSENT) if level in named]
    keys: dict[str, str] = {}
    for place, level in enumerate(dict.fromkeys(levels)):
        key = _GROUPS.get(level, "") if by == "group" else "absent" if level == _ABSENT else ""
        keys[level] = key if key and key not in keys.values() else level_key(place)
    labels = {key: level for level, key in keys.items()}
    of_sample = tuple(keys[level] for level in named)
    return SampleMarks(tuple(samples), of_sample, labels, level_name=by, order=tuple(labels))
