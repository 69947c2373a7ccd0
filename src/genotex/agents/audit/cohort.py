"""Checks of the cohort that generated code left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genotex.agents.audit.comparison import (
    WITHIN,
    SavedTables,
    own_reading,
    reject,
    reject_oversized,
)
from genotex.agents.audit.recomputed import (
    RecordedSeries,
    RecordedStudy,
    audit_options,
    encodings_by_name,
    recompute,
    recompute_unusable,
    recorded_series,
    recorded_study,
)
from genotex.agents.task import Task
from genotex.clinical import (
    FeatureEncoding,
    apply_encoding,
    describe_series,
    recorded_annotation,
    rule_expert,
)
from genotex.cohorts import PreparedCohort, choose_folder, prepare_absent_tcga
from genotex.cohorts.linking import JudgedCohort, judge, why_unavailable
from genotex.cohorts.records import describe_cohort
from genotex.cohorts.tcga.cohort import read_tcga_features
from genotex.errors import FormatError
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    read_clinical_csv,
    read_evidence,
    read_gene_csv,
    read_linked_csv,
    read_linked_parquet,
)
from genotex.genes import GeneTable
from genotex.layout import OutputFolder

Codes = NDArray[np.float64]
_JUDGED = ("is_usable", "is_available", "is_biased", "has_age", "has_gender", "sample_size")


@dataclass(frozen=True)
class _CohortAudit:
    """What is to be said of a cohort, and its record as the host writes it."""

    flags: tuple[str, ...]
    evidence: Evidence | None = None  # None where the host cannot compute it


def audit_cohort(
    task: Task, written: Path, info: CohortInfo, *, by_code: bool = True
) -> _CohortAudit:
    """Audit a cohort; numbers and record of one that generated code made are computed again."""
    output = OutputFolder(written)
    path = output.evidence(task.trait, task.cohort)
    try:
        if not path.is_file():
            saved = _read_tables(task, output) if info.is_usable else None
            flags = () if saved is None else _audit_table(task, saved.filled, info)
            why = "there is no evidence: its files were not written by the toolkit"
            return _CohortAudit((*flags, why))
        evidence = read_evidence(path)
        _check_evidence(task, evidence, info)
        if by_code:
            reading = own_reading(task.kind, evidence.reading)
            evidence = replace(evidence, reading=reading)
        cohort = (
            recorded_series(task, evidence)
            if task.kind == "geo"
            else recorded_study(task, evidence)
        )
        if not info.is_usable:
            return _audit_unusable(task, info, evidence, cohort, by_code=by_code)
        return _audit_usable(task, output, info, evidence, cohort, by_code=by_code)
    except FormatError as error:
        reject(str(error))


def _audit_unusable(
    task: Task,
    info: CohortInfo,
    evidence: Evidence,
    cohort: RecordedSeries | RecordedStudy | None,
    *,
    by_code: bool,
) -> _CohortAudit:
    """Look for reasons to use a cohort all the same."""
    flags = _compare_annotation(task, cohort)
    if not by_code:
        return _CohortAudit(flags)
    if cohort is None:
        absent = prepare_absent_tcga(task.trait, recorded_annotation(evidence.reading).gene.reason)
        return _CohortAudit(flags, _described(task, absent, why_unavailable(absent), info))
    again = recompute_unusable(cohort, has_genes=info.is_gene_available)
    found = _described(task, again.prepared, again.judged, info)
    return _CohortAudit((*flags, *again.flags), found)


def _audit_usable(
    task: Task,
    output: OutputFolder,
    info: CohortInfo,
    evidence: Evidence,
    cohort: RecordedSeries | RecordedStudy | None,
    *,
    by_code: bool,
) -> _CohortAudit:
    """Look at the tables of a usable cohort, and compute them again where code wrote them."""
    saved = _read_tables(task, output)
    flags = (*_audit_table(task, saved.filled, info), *_compare_annotation(task, cohort))
    cohort = _check_codes(task, cohort, saved.filled)
    if not by_code:
        return _CohortAudit(flags)
    again = recompute(cohort, evidence, saved)
    flags = (*flags, *again.flags, *_other_tables(task, output, again.prepared))
    return _CohortAudit(flags, _described(task, again.prepared, again.judged, info))


def _described(
    task: Task, prepared: PreparedCohort | None, judged: JudgedCohort | None, info: CohortInfo
) -> Evidence | None:
    """Return the record of a cohort as the host computes it."""
    if prepared is None or judged is None:
        return None
    if judged.info.is_usable or info.is_usable:
        # The verdict was checked with the saved table, or is doubted.
        judged = replace(judged, info=replace(info, note=judged.info.note))
    return describe_cohort(prepared, judged, audit_options(task))


def _other_tables(
    task: Task, output: OutputFolder, prepared: PreparedCohort | None
) -> tuple[str, ...]:
    """Return which of the tables that are not linked are not those of the raw files."""
    if prepared is None or prepared.genes is None:
        return ()
    flags = []
    clinical = output.clinical_csv(task.trait, task.cohort)
    if clinical.is_file():
        samples, features = read_clinical_csv(clinical)
        wanted = {task.trait: prepared.trait_values, **prepared.covariates}
        if samples != prepared.samples or not _same_columns(features, wanted):
            flags.append("its table of clinical features is not the one that its encodings give")
    genes = output.gene_csv(task.trait, task.cohort)
    if genes.is_file():
        saved, right = read_gene_csv(genes), prepared.genes.expression
        same = (saved.ids, saved.samples) == (right.ids, right.samples)
        if not same or not _close(saved.values, right.values):
            flags.append("its table of genes is not the one that the raw files give")
    return tuple(flags)


def _same_columns(saved: Mapping[str, Codes], wanted: Mapping[str, Codes | None]) -> bool:
    given = {name: codes for name, codes in wanted.items() if codes is not None}
    return list(saved) == list(given) and all(_close(saved[name], given[name]) for name in given)


def _close(one: NDArray[np.floating], other: NDArray[np.floating]) -> bool:
    return bool(np.allclose(one, other, rtol=WITHIN, equal_nan=True))


def _compare_annotation(
    task: Task, cohort: RecordedSeries | RecordedStudy | None
) -> tuple[str, ...]:
    return (
        _compare_series(cohort)
        if isinstance(cohort, RecordedSeries)
        else _compare_study(task, cohort)
    )


def _read_tables(task: Task, output: OutputFolder) -> SavedTables:
    """Read the linked table and its twin, and reject two that differ."""
    table = read_linked_csv(output.linked_csv(task.trait, task.cohort))
    twin = output.linked_parquet(task.trait, task.cohort)
    if not twin.is_file():
        return SavedTables(table, None)
    features = 1 + len(table.covariates) + len(table.genes)
    reject_oversized(twin, features, len(table.samples) + 1)
    unfilled = read_linked_parquet(twin)
    if not _same_tables(table, unfilled):
        reject(f"the linked tables of {task.cohort} as CSV and as Parquet differ")
    return SavedTables(table, unfilled)


def _audit_table(task: Task, table: LinkedTable, info: CohortInfo) -> tuple[str, ...]:
    found = judge(table)
    for name in _JUDGED:
        recorded, computed = getattr(info, name), getattr(found, name)
        if recorded != computed:
            reject(
                f"{task.cohort} is recorded with {name} {recorded}, but its table gives {computed}"
            )
    known = GeneTable.load()
    return _unknown([g for g in table.genes if known.official_symbol(g, task.procedure) is None])


def _same_tables(filled: LinkedTable, unfilled: LinkedTable) -> bool:
    """Return whether two tables agree wherever the second one has a value."""
    if (filled.samples, filled.genes) != (unfilled.samples, unfilled.genes):
        return False
    measured = ~np.isnan(unfilled.expression)
    return bool(
        np.array_equal(filled.trait_values, unfilled.trait_values)
        and np.allclose(filled.expression[measured], unfilled.expression[measured], rtol=1e-6)
    )


def _unknown(genes: Sequence[str]) -> tuple[str, ...]:
    if not genes:
        return ()
    return (f"{len(genes)} of its genes are not known as human genes, such as {genes[0]}",)


def _check_evidence(task: Task, evidence: Evidence, info: CohortInfo) -> None:
    if (evidence.trait, evidence.cohort) != (task.trait, task.cohort):
        reject(f"the evidence is that of {evidence.cohort} for {evidence.trait}")
    if evidence.procedure != task.procedure:
        reject(f"the evidence names the procedure {evidence.procedure}")
    if evidence.info.get("is_usable") != info.is_usable:
        reject("cohort_info.json and the evidence disagree about the cohort")


def _check_codes(
    task: Task, cohort: RecordedSeries | RecordedStudy | None, table: LinkedTable
) -> RecordedSeries | RecordedStudy:
    """Refuse a table whose features are not what its own encodings give for the samples."""
    if cohort is None or cohort.reading.trait is None:
        reject("the evidence records no trait, but there is a linked table")
    place = {sample: i for i, sample in enumerate(cohort.samples)}
    if strangers := [sample for sample in table.samples if sample not in place]:
        reject(f"{strangers[0]} of the linked table is not a sample of {task.cohort}")
    rows = [place[sample] for sample in table.samples]
    for name, values in {"trait": table.trait_values, **table.covariates}.items():
        if name not in cohort.features:
            reject(f"the evidence records no {name}, but the linked table has it")
        meant = cohort.features[name].codes[rows]
        filled = np.isnan(meant) & (name != "trait")
        if other := int((~np.isclose(meant, values) & ~filled).sum()):
            reject(
                f"{other} of {len(meant)} samples have a different {name} in the linked table "
                "than the encoding in the evidence gives for the raw files"
            )
    return cohort


def _compare_series(cohort: RecordedSeries) -> tuple[str, ...]:
    """Return how the rules would annotate a series differently.

    A reader has to decide who is right: models are asked because rules do not know everything, and
    a text in a series can mislead models alone. Age and gender are compared where both have them.
    """
    series, procedure = cohort.raw.series, cohort.task.procedure
    reading = rule_expert(procedure).annotate(describe_series(series), cohort.task.trait)
    if not reading.gene.available:
        # Rules that find no expression cannot argue with a model that does.
        return ()
    own = encodings_by_name(reading)
    codes = {n: apply_encoding(e, series, procedure=procedure).codes for n, e in own.items()}
    return _other_annotations(cohort, own, codes)


def _compare_study(task: Task, cohort: RecordedStudy | None) -> tuple[str, ...]:
    """Return in which way the rules would choose another study, or read the trait otherwise."""
    choice = choose_folder(task.trait, task.studies)
    if choice.folder is None:
        taken = () if cohort is None else (cohort.files.name,)
        return tuple(
            f"generated code chose {name}, the built-in rules none: {choice.reason}"
            for name in taken
        )
    if cohort is None or cohort.files.name != choice.folder.name:
        took = "none" if cohort is None else cohort.files.name
        return (
            f"the built-in rules choose {choice.folder.name} ({choice.reason}), "
            f"generated code {took}",
        )
    options = audit_options(task)
    features, reading = read_tcga_features(cohort.raw.matrix, choice.reason, options)
    own = encodings_by_name(reading)
    return _other_annotations(cohort, own, {name: features[name].codes for name in own})


def _other_annotations(
    cohort: RecordedSeries | RecordedStudy,
    own: Mapping[str, FeatureEncoding],
    codes: Mapping[str, Codes],
) -> tuple[str, ...]:
    """Return what is cohort otherwise than by the rules' own encodings, which give these codes."""
    read, flags = encodings_by_name(cohort.reading), list[str]()
    for name, encoding in own.items():
        where = f"the built-in rules take the {name} from {encoding.key or encoding.sample_field!r}"
        if name not in read:
            flags += [f"{where}, where generated code found none"] if name == "trait" else []
        elif read[name].kind != encoding.kind:
            flags.append(f"{where} as {encoding.kind}, generated code as {read[name].kind}")
        else:
            flags += _code_differences(where, codes[name], cohort.features[name].codes)
    return tuple(flags)


def _code_differences(where: str, one: Codes, other: Codes) -> tuple[str, ...]:
    """Return how many samples have another code, of those that have one at all."""
    coded = ~(np.isnan(one) & np.isnan(other))
    differ = int((coded & ~np.isclose(one, other, rtol=1e-6)).sum())
    if differ == 0:
        return ()
    return (f"{where}, and code {differ} of {int(coded.sum())} samples differently",)
