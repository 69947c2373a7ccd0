"""From a prepared cohort to its tables and records, on disk."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import genotex
from genotex.clinical import reading_to_json, why_no_trait
from genotex.cohorts.linking import LinkingCounts, drop_incomplete, fill, link
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.cohorts.quality import judge, unavailable, without_biased_covariates
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    remove_linked_parquet,
    write_clinical_csv,
    write_evidence,
    write_gene_csv,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder, remove_leftovers

__all__ = ["REFUSALS", "file_digest", "finish_cohort", "remove_stale_tables"]

_NO_GENES, _NO_TRAIT = "gene data not available", "trait not available"
_ONE_SIDED, _NOTHING_LEFT = "trait too one-sided to study", "nothing left after linking"
REFUSALS = (_NO_GENES, _NO_TRAIT, _ONE_SIDED, _NOTHING_LEFT)
"""How a note begins that says why a cohort cannot be used."""


def finish_cohort(
    prepared: PreparedCohort, output: OutputFolder, options: PreprocessOptions, fingerprint: str
) -> Evidence:
    """Link, judge and write one cohort.

    The evidence is removed first and written last: while it is missing the cohort is not done, and
    a later run starts it again. Tables are replaced, never removed, while ``cohort_info.json`` may
    still point at them; `remove_stale_tables` does that afterwards.

    Returns
    -------
    Evidence
        As written; its ``info`` still has to go into ``cohort_info.json``.
    """
    trait, cohort = prepared.trait, prepared.cohort
    evidence_path = output.evidence(trait, cohort)
    evidence_path.unlink(missing_ok=True)
    for path in _tables(output, trait, cohort):
        remove_leftovers(path)
    with ThreadPoolExecutor(1) as beside:
        features_written = beside.submit(_write_features, prepared, output)
        info, linking, notes, tables = _link_and_judge(prepared)
        if tables is not None and info.is_usable:
            unfilled, filled = tables
            csv = output.linked_csv(trait, cohort)
            write_linked_csv(csv, filled)
            write_linked_parquet(output.linked_parquet(trait, cohort), unfilled, csv=csv)
        features_written.result()
    evidence = _evidence(prepared, options, info, linking, notes, fingerprint)
    write_evidence(evidence_path, evidence)
    return evidence


def _tables(output: OutputFolder, trait: str, cohort: str) -> tuple[Path, ...]:
    return (
        output.evidence(trait, cohort),
        output.clinical_csv(trait, cohort),
        output.gene_csv(trait, cohort),
        output.linked_csv(trait, cohort),
        output.linked_parquet(trait, cohort),
    )


def remove_stale_tables(output: OutputFolder, trait: str, cohort: str) -> None:
    """Remove the linked table of a cohort that is no longer usable."""
    output.linked_csv(trait, cohort).unlink(missing_ok=True)
    remove_linked_parquet(output.linked_parquet(trait, cohort))


def _write_features(prepared: PreparedCohort, output: OutputFolder) -> None:
    trait, cohort = prepared.trait, prepared.cohort
    if prepared.trait_values is not None:
        features = {trait: prepared.trait_values, **prepared.covariates}
        write_clinical_csv(output.clinical_csv(trait, cohort), prepared.samples, features)
    else:
        output.clinical_csv(trait, cohort).unlink(missing_ok=True)
    if prepared.genes is not None:
        write_gene_csv(output.gene_csv(trait, cohort), prepared.genes.expression)
    else:
        output.gene_csv(trait, cohort).unlink(missing_ok=True)


def _link_and_judge(
    prepared: PreparedCohort,
) -> tuple[
    CohortInfo, LinkingCounts | None, tuple[str, ...], tuple[LinkedTable, LinkedTable] | None
]:
    trait_values = prepared.trait_values
    if prepared.genes is None or trait_values is None or np.isnan(trait_values).all():
        has_trait = trait_values is not None and not bool(np.isnan(trait_values).all())
        info = unavailable(genes=prepared.genes is not None, trait=has_trait)
        return info, None, _why_unavailable(prepared, has_trait), None
    linked = link(
        prepared.trait,
        prepared.samples,
        trait_values,
        prepared.covariates,
        prepared.genes.expression,
    )
    unfilled, counts = drop_incomplete(linked)
    counts = replace(counts, samples_without_expression=len(prepared.samples) - len(linked.samples))
    filled, counts = fill(unfilled, counts)
    filled, dropped = without_biased_covariates(filled)
    unfilled = _same_covariates(unfilled, filled)
    notes = _linking_notes(counts, dropped)
    info = judge(filled)
    if info.is_biased:
        notes = (*notes, _why_biased(filled.trait_values))
    elif not info.is_available:
        notes = (*notes, f"{_NOTHING_LEFT} clinical features and genes")
    return replace(info, note="; ".join(notes)), counts, notes, (unfilled, filled)


def _same_covariates(unfilled: LinkedTable, filled: LinkedTable) -> LinkedTable:
    kept = {n: v for n, v in unfilled.covariates.items() if n in filled.covariates}
    return LinkedTable(
        unfilled.trait,
        unfilled.samples,
        unfilled.trait_values,
        kept,
        unfilled.genes,
        unfilled.expression,
    )


def _why_unavailable(prepared: PreparedCohort, has_trait: bool) -> tuple[str, ...]:
    reasons = []
    if prepared.genes is None and prepared.samples:
        reasons.append(f"{_NO_GENES}: {prepared.why_no_genes}")
    if not has_trait:
        reasons.append(f"{_NO_TRAIT}: {_why_no_trait(prepared)}")
    return tuple(reasons)


def _why_no_trait(prepared: PreparedCohort) -> str:
    if not prepared.samples:
        return prepared.why_no_genes
    trait = prepared.reading.trait
    if trait is None:
        return why_no_trait(prepared.reading)
    return f"no sample has a known value under the key {trait.key!r}"


def _why_biased(values: NDArray[np.float64]) -> str:
    levels, counts = np.unique(values, return_counts=True)
    shown = ", ".join(
        f"{level:g}: {number} samples" for level, number in zip(levels, counts, strict=True)
    )
    return f"{_ONE_SIDED} ({shown})"


def _linking_notes(counts: LinkingCounts, dropped: tuple[str, ...]) -> tuple[str, ...]:
    notes = []
    if counts.samples_without_expression:
        notes.append(f"{counts.samples_without_expression} samples without expression left out")
    if counts.samples_without_trait:
        notes.append(f"{counts.samples_without_trait} samples without a known trait left out")
    if counts.genes_dropped:
        notes.append(f"{counts.genes_dropped} genes missing in more than 20 % of samples dropped")
    if counts.samples_dropped:
        notes.append(f"{counts.samples_dropped} samples missing more than 5 % of genes dropped")
    notes += [f"{name} dropped: it hardly varies" for name in dropped]
    return tuple(notes)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _named(path: Path | None) -> dict[str, str] | None:
    return None if path is None else {"name": path.name, "sha256": file_digest(path)}


def _evidence(
    prepared: PreparedCohort,
    options: PreprocessOptions,
    info: CohortInfo,
    linking: LinkingCounts | None,
    notes: tuple[str, ...],
    fingerprint: str,
) -> Evidence:
    genes = prepared.genes
    mapping: dict[str, Any] = {}
    if genes is not None:
        mapping = {
            "id_kind": str(genes.id_kind),
            "id_column": genes.id_column,
            "gene_column": genes.gene_column,
            "scale": genes.scale,
            **genes.counts,
        }
    return Evidence(
        trait=prepared.trait,
        cohort=prepared.cohort,
        procedure=options.procedure,
        source=prepared.source,
        genotex_version=genotex.__version__,
        files=[
            {"name": path.name, "size": path.stat().st_size, "used_for": purpose}
            for path, purpose in prepared.files
        ],
        options={
            "cases": list(options.cases),
            "controls": list(options.controls),
            "control_roles": options.control_roles,
            "scale": options.scale,
            "gene_table": None if options.gene_table is None else options.gene_table.name,
            "vocabulary": _named(options.vocabulary),
            "least_certainty": options.least_certainty,
            "reading_given": prepared.cohort in options.readings,
            "encoding": _named(options.encoding),
        },
        series=prepared.series,
        reading=reading_to_json(prepared.reading),
        encoded=prepared.encoded_values(),
        roles=prepared.roles,
        sample_facts=prepared.sample_facts,
        mapping=mapping,
        linking={} if linking is None else linking.as_dict(),
        notes=[*prepared.notes, *notes],
        info=asdict(info),
        fingerprint=fingerprint,
    )
