"""From a prepared cohort to its tables and records, on disk."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import genotex
from genotex.clinical import annotation_to_json
from genotex.cohorts.linking import FEW_GENES, JudgedCohort, gene_means, judge_cohort
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.formats import (
    NO_SERIES,
    ON_PROBES,
    CohortInfo,
    Evidence,
    remove_linked_parquet,
    sha256,
    table_digests,
    write_clinical_csv,
    write_evidence,
    write_gene_csv,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.io import remove_leftovers
from genotex.layout import OutputFolder
from genotex.procedure import Procedure


def finish_cohort(
    prepared: PreparedCohort, output: OutputFolder, options: PreprocessOptions, fingerprint: str
) -> Evidence:
    """Link, judge and write one cohort; its genes are let go of once they are written."""
    # The evidence is removed first and written last: without it the cohort is not done, and a later
    # run starts it again. Tables are replaced, never removed, while ``cohort_info.json`` may still
    # refer to them; `remove_stale_tables` does that afterwards.
    trait, cohort = prepared.trait, prepared.cohort
    begin_cohort(output, trait, cohort)
    with ThreadPoolExecutor(1) as background:
        features_written = background.submit(_write_features, prepared, output)
        judged = judge_cohort(prepared, fill_genes=False)
        csv = _write_filled(output, cohort, judged) if judged.info.is_usable else None
        features_written.result()
    prepared = prepared.without_values()
    if csv is not None:
        _write_unfilled(output, cohort, judged, csv)
    return record_cohort(prepared, judged, output, options, fingerprint)


def begin_cohort(output: OutputFolder, trait: str, cohort: str) -> None:
    """Remove the record of an earlier run, and leftovers of a killed one, before tables change."""
    output.evidence(trait, cohort).unlink(missing_ok=True)
    for path in _tables(output, trait, cohort):
        remove_leftovers(path)


def write_linked(output: OutputFolder, cohort: str, judged: JudgedCohort) -> Path:
    """Write the linked table of a judged cohort: filled as CSV, unfilled as Parquet."""
    csv = _write_filled(output, cohort, judged)
    _write_unfilled(output, cohort, judged, csv)
    return csv


def _write_filled(output: OutputFolder, cohort: str, judged: JudgedCohort) -> Path:
    assert judged.filled is not None
    csv = output.linked_csv(judged.filled.trait, cohort)
    write_linked_csv(csv, judged.filled, gene_means(judged.filled.expression))
    return csv


def _write_unfilled(output: OutputFolder, cohort: str, judged: JudgedCohort, csv: Path) -> None:
    assert judged.unfilled is not None
    parquet = output.linked_parquet(judged.unfilled.trait, cohort)
    write_linked_parquet(parquet, judged.unfilled, csv=csv)


def record_cohort(
    prepared: PreparedCohort,
    judged: JudgedCohort,
    output: OutputFolder,
    options: PreprocessOptions,
    fingerprint: str,
) -> Evidence:
    """Write the record of every decision about a cohort, which marks it as done."""
    evidence = describe_cohort(prepared, judged, options, fingerprint)
    if judged.info.is_usable:
        digests = table_digests(output, prepared.trait, prepared.cohort)
        evidence = replace(evidence, tables=digests)
    write_evidence(output.evidence(prepared.trait, prepared.cohort), evidence)
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


def write_clinical(prepared: PreparedCohort, output: OutputFolder) -> None:
    """Write the clinical features of a cohort, where it has a trait."""
    if prepared.trait_values is not None:
        features = {prepared.trait: prepared.trait_values, **prepared.covariates}
        path = output.clinical_csv(prepared.trait, prepared.cohort)
        write_clinical_csv(path, prepared.samples, features)


def _write_features(prepared: PreparedCohort, output: OutputFolder) -> None:
    write_clinical(prepared, output)
    if prepared.genes is not None:
        path = output.gene_csv(prepared.trait, prepared.cohort)
        write_gene_csv(path, prepared.genes.expression)
    remove_absent_tables(prepared, output)


def remove_absent_tables(prepared: PreparedCohort, output: OutputFolder) -> None:
    """Remove tables that an earlier run wrote and this one did not."""
    trait, cohort = prepared.trait, prepared.cohort
    if prepared.trait_values is None:
        output.clinical_csv(trait, cohort).unlink(missing_ok=True)
    if prepared.genes is None:
        output.gene_csv(trait, cohort).unlink(missing_ok=True)


def _warnings(prepared: PreparedCohort, judged: JudgedCohort) -> list[str]:
    """Return what was dropped, and whether values without a logarithm may be the reason."""
    counts, lost = judged.counts, 0 if prepared.genes is None else prepared.genes.lost
    unnamed = [note for note in prepared.notes if NO_SERIES in note or note.startswith(ON_PROBES)]
    warnings = [*unnamed, *judged.warnings]
    if lost and counts is not None and (counts.genes_dropped > FEW_GENES or counts.samples_dropped):
        warnings.append(f"{lost} values at or below 0 have no logarithm and count as missing")
    return warnings


def _files(prepared: PreparedCohort) -> list[dict[str, Any]]:
    return [
        {"name": path.name, "size": path.stat().st_size, "used_for": purpose}
        for path, purpose in prepared.files
    ]


def _named(path: Path | None) -> dict[str, str] | None:
    return None if path is None else {"name": path.name, "sha256": sha256(path)}


def _by_person(options: PreprocessOptions) -> dict[str, Any]:
    """Return the options by which a person decided about samples, those that were given."""
    chosen = {
        "samples": _named(options.samples),
        "exclude": list(options.exclude),
        "pairs": _named(options.pairs),
        "series_platform": list(options.series_platform),
        "values_from": options.values_from,
        "cell_type": options.cell_type,
    }
    return {name: value for name, value in chosen.items() if value}


def with_decision(info: CohortInfo, by_person: str) -> CohortInfo:
    """Return the record with a note on what a person decided, or on rows that are probes."""
    notes = [note for note in (info.note, by_person) if note]
    return replace(info, note="; ".join(notes)) if by_person else info


def _not_in_sheet(prepared: PreparedCohort, options: PreprocessOptions) -> tuple[str, ...]:
    """Return that samples are not in the sample sheet, which is all that its annotation notes."""
    by_sheet = options.sheet is not None and prepared.reading.by == "hand"
    return prepared.reading.notes if by_sheet else ()


def _mapping(prepared: PreparedCohort, procedure: Procedure) -> dict[str, Any]:
    """Return how rows became genes."""
    genes = prepared.genes
    if genes is None:
        return {}
    kind = prepared.value_kind if procedure.tests_genes else ""
    return {
        "id_kind": str(genes.id_kind),
        "id_column": genes.id_column,
        "gene_column": genes.gene_column,
        "scale": genes.scale,
        **({"value_kind": kind} if kind else {}),
        **({"offset": genes.offset} if genes.offset else {}),
        **genes.counts,
    }


def options_record(options: PreprocessOptions, cohort: str) -> dict[str, Any]:
    """Return the options that shape a cohort, for its record."""
    return {
        "cases": list(options.cases),
        "controls": list(options.controls),
        "control_roles": options.control_roles,
        "scale": options.scale,
        "gene_table": None if options.gene_table is None else options.gene_table.name,
        "vocabulary": _named(options.vocabulary),
        "least_certainty": options.least_certainty,
        **({"annotator": options.annotator} if options.asks else {}),
        "reading_given": cohort in options.readings,
        "encoding": _named(options.encoding),
        **_by_person(options),
    }


_PROCESSING = re.compile(
    r"batch|scan|hybridi[sz]|\bplate|\bchip|\bslide|\brun\b|\blane|flow ?cell|sentrix",
    re.IGNORECASE,
)


def _reading(prepared: PreparedCohort) -> dict[str, Any]:
    """Return the annotation; its groups are for review if they were processed apart."""
    reading = annotation_to_json(prepared.reading)
    apart = _processed_apart(prepared)
    if apart and prepared.reading.by != "hand":
        reading["review"] = {"trait": apart, **reading.get("review", {})}
    return reading


def _processed_apart(prepared: PreparedCohort) -> str:
    """Say by which step of processing cases and controls are told apart; empty for none."""
    for key, values in prepared.sample_facts.items():
        if not _PROCESSING.search(key):
            continue
        sides = {
            (value, prepared.roles.get(sample) == "case")
            for sample, value in values.items()
            if value is not None and prepared.roles.get(sample, "unknown") != "unknown"
        }
        steps = {value for value, _ in sides}
        # Values of single samples, such as the time of a scan, are always on one side.
        repeated = 3 * len(steps) <= len(values)
        if repeated and len({case for _, case in sides}) == 2 and len(sides) == len(steps):
            return (
                f"no step of '{key}' holds both cases and controls, so a difference may be that of "
                "how they were processed"
            )
    return ""


def describe_cohort(
    prepared: PreparedCohort,
    judged: JudgedCohort,
    options: PreprocessOptions,
    fingerprint: str = "",
) -> Evidence:
    """Return the record of every decision about a cohort, without the digests of its tables."""
    return Evidence(
        trait=prepared.trait,
        cohort=prepared.cohort,
        procedure=options.procedure,
        source=prepared.source,
        genotex_version=genotex.__version__,
        files=_files(prepared),
        options=options_record(options, prepared.cohort),
        series=prepared.series,
        reading=_reading(prepared),
        encoded=prepared.encoded_values(),
        roles=prepared.roles,
        sample_facts=prepared.sample_facts,
        sample_texts=prepared.sample_texts,
        relations=prepared.relations,
        mapping=_mapping(prepared, options.procedure),
        counts=prepared.counts,
        distributions=prepared.distributions,
        measures=prepared.measures,
        linking={} if judged.counts is None else judged.counts.as_dict(),
        notes=[*prepared.notes, *judged.notes],
        warnings=[*_warnings(prepared, judged), *_not_in_sheet(prepared, options)],
        info=asdict(with_decision(judged.info, prepared.to_note)),
        fingerprint=fingerprint,
    )
