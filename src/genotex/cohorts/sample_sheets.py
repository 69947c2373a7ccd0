"""Cohorts and the sample sheet: its proposed rows, and new groups for preprocessed cohorts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from genotex.clinical import (
    CHECK,
    ClinicalAnnotation,
    Expert,
    SampleSheet,
    SeriesDescription,
    annotation_from_sheet,
    annotation_to_json,
    check_sample_sheet,
    describe_series,
    load_vocabulary,
    recorded_annotation,
    sheet_rows,
)
from genotex.cohorts.geo.cohort import encode_features, read_or_replay
from genotex.cohorts.geo.files import Facts, RawSeries, sample_facts, sample_texts
from genotex.cohorts.linking import JudgedCohort, judge_with_genes
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.cohorts.records import (
    begin_cohort,
    remove_stale_tables,
    with_decision,
    write_clinical,
    write_linked,
)
from genotex.errors import UsageError
from genotex.formats import (
    CohortInfo,
    Evidence,
    ExpressionMatrix,
    Series,
    find_evidence,
    read_gene_csv,
    sha256,
    table_digests,
    update_cohort_info,
    write_evidence,
)
from genotex.io import lock
from genotex.layout import OutputFolder
from genotex.procedure import Procedure

_FEWEST_VALUES = 100
"""Fewer values may be equal by chance."""

NamePools = Callable[[tuple[str, ...], Facts, Facts], Mapping[str, str]]
"""Finds the samples whose texts name a pool: of samples, their facts and their texts."""


@dataclass(frozen=True)
class ProposedSheet:
    """The rows of one series, and what stands out."""

    cohort: str
    """Its accession."""
    rows: list[dict[str, str]]
    """A row for each sample by header (see `genotex.clinical.sheet_rows`)."""
    notes: tuple[str, ...]
    """What a person should know of the series: parts that are not used, and the like."""
    review: Mapping[str, str] = field(default_factory=dict)
    """What a person should decide, by feature; the rows that are least certain then come first."""
    certainty: float | None = None
    """Of what is stated on the trait; None where it was not measured."""

    def count(self, *groups: str) -> int:
        """Return how many samples are in some groups and not excluded."""
        return sum(row["group"] in groups and not row["exclude"] for row in self.rows)


def propose_sheet(
    cohort: str,
    raw: RawSeries,
    trait: str,
    expert: Expert,
    options: PreprocessOptions,
    name_pools: NamePools | None = None,
) -> ProposedSheet:
    """Annotate a series and return its rows of a sample sheet.

    `cohort`: Its id, by which the sheet names it: the name of its folder. `raw`: The series; with
    expression, samples that are copies of others are named in ``why``. `trait`: Name of the trait.
    `expert`: Annotates the series. `options`: As for `preprocess`; groups chosen by hand are those
    of the sheet. `name_pools`: Finds pools, which are named in ``why``. Raises UsageError if groups
    chosen by hand do not occur.
    """
    description = replace(describe_series(raw.series), cohort=cohort)
    given = options.readings.get(cohort)
    reading = read_or_replay(description, raw.series, trait, expert, options, given)
    return sheet_of(description, raw, reading, options, name_pools)


def sheet_of(
    description: SeriesDescription,
    raw: RawSeries,
    reading: ClinicalAnnotation,
    options: PreprocessOptions,
    name_pools: NamePools | None = None,
) -> ProposedSheet:
    """Return the rows of a sample sheet of a series that is annotated (see `propose_sheet`)."""
    series = raw.series
    facts, texts = sample_facts(series, reading), sample_texts(series, reading)
    pools = name_pools(series.samples, facts, texts) if name_pools is not None else {}
    checks = {sample: f"the text {text!r} names a pool" for sample, text in pools.items()}
    for sample, first in _copies(series.expression).items():
        before = f"{checks[sample]}; " if sample in checks else ""
        checks[sample] = f"{before}the same values as {first}, perhaps a copy"
    rows = sheet_rows(description, series, reading, procedure=options.procedure, checks=checks)
    if reading.review:
        rows.sort(key=lambda row: (CHECK not in row["why"], row["certainty"]))
    return ProposedSheet(description.cohort, rows, raw.notes, reading.review, reading.certainty)


def _copies(expression: ExpressionMatrix | None) -> dict[str, str]:
    """Return the samples with exactly the values of an earlier sample, which is named."""
    if expression is None or len(expression.ids) < _FEWEST_VALUES:
        return {}
    first: dict[bytes, str] = {}
    copies = {}
    for number, sample in enumerate(expression.samples):
        column = np.ascontiguousarray(expression.values[:, number])
        if np.isfinite(column).sum() < _FEWEST_VALUES:
            continue
        digest = hashlib.sha256(column.tobytes()).digest()
        if digest in first:
            copies[sample] = first[digest]
        else:
            first[digest] = sample
    return copies


@dataclass(frozen=True, eq=False)
class _Stored:
    """A preprocessed cohort: its record, and the expression of all its samples."""

    evidence: Evidence
    genes: ExpressionMatrix

    @property
    def samples(self) -> tuple[str, ...]:
        """All samples of the series, with and without expression."""
        titles = self.evidence.sample_texts.get("title", {})
        return tuple(dict.fromkeys([*titles, *self.genes.samples]))


def regroup(output: OutputFolder, trait: str, sheet: SampleSheet) -> dict[str, str]:
    """Give the preprocessed cohorts of a sample sheet its groups, ages, sexes, pairs and batches.

    `output`: Holds the cohorts. `trait`: Name of the trait. `sheet`: The sheet; cohorts that are
    not in it, or have no group in it, stay as they are. Returns cohort -> the note on what the
    person decided. Raises SampleSheetError if the sheet does not fit the cohorts; nothing is
    written then. Raises UsageError if no cohort of the trait is preprocessed from GEO.
    """
    stored = _stored(output, trait, sheet)
    samples = {name: each.samples for name, each in stored.items()}
    check_sample_sheet(sheet, samples)
    return {
        name: _regroup(output, each, sheet)
        for name, each in stored.items()
        if any(row.code is not None for row in sheet.of(name, each.samples).values())
    }


def _stored(output: OutputFolder, trait: str, sheet: SampleSheet) -> dict[str, _Stored]:
    """Return the cohorts that the sheet may be about."""
    folder = output.evidence(trait, "x").parent
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    there = [path.stem for path in paths if output.gene_csv(trait, path.stem).is_file()]
    wanted = {name.casefold() for name in sheet.series} or {name.casefold() for name in there}
    found = {}
    for cohort in there:
        evidence = find_evidence(output, trait, cohort)
        if evidence is None:
            continue
        if evidence.source == "GEO" and (cohort.casefold() in wanted or len(there) == 1):
            found[cohort] = _Stored(evidence, read_gene_csv(output.gene_csv(trait, cohort)))
    if not found:
        msg = (
            f"{output.root} holds no preprocessed GEO series of {trait} that {sheet.path.name} "
            f"names; it holds {', '.join(there) or 'none'}; run 'genotex preprocess' first"
        )
        raise UsageError(msg)
    return found


def _regroup(output: OutputFolder, stored: _Stored, sheet: SampleSheet) -> str:
    """Write the tables and the record of one cohort with its new groups."""
    prepared = _prepared(stored, sheet)
    trait, cohort = prepared.trait, prepared.cohort
    judged = judge_with_genes(prepared, stored.genes)
    info = with_decision(judged.info, prepared.to_note)
    with lock(output.evidence(trait, cohort)):
        begin_cohort(output, trait, cohort)
        if judged.info.is_usable:
            write_linked(output, cohort, judged)
        write_clinical(prepared, output)
        record = _record(stored.evidence, prepared, judged, info, sheet.path)
        digests = table_digests(output, trait, cohort) if judged.info.is_usable else {}
        record = replace(record, tables=digests)
        write_evidence(output.evidence(trait, cohort), record)
    update_cohort_info(output.cohort_info(trait), cohort, info)
    if not info.is_usable:
        remove_stale_tables(output, trait, cohort)
    return prepared.by_person


def _prepared(stored: _Stored, sheet: SampleSheet) -> PreparedCohort:
    evidence, samples = stored.evidence, stored.samples
    own = recorded_annotation(evidence.reading)
    reading = annotation_from_sheet(
        sheet, own, SeriesDescription(cohort=evidence.cohort, samples=samples)
    )
    series = Series(Path(evidence.cohort), samples, {}, {})
    roles = evidence.options.get("control_roles", "auto")
    procedure = Procedure(evidence.procedure)
    options = PreprocessOptions(procedure=procedure, control_roles=roles)
    return PreparedCohort(
        trait=evidence.trait,
        cohort=evidence.cohort,
        source=evidence.source,
        samples=samples,
        reading=reading,
        features=encode_features(reading, series, options, load_vocabulary()),
        genes=None,
        why_no_genes="",
        series=evidence.series,
        files=[],
        sample_facts=_facts(evidence, reading, samples),
        notes=reading.notes,
    )


def _facts(
    evidence: Evidence, reading: ClinicalAnnotation, samples: tuple[str, ...]
) -> dict[str, dict[str, str | None]]:
    """Return the recorded characteristics, with the pairs and batches of the sheet first."""
    given = {
        name: {s: values.get(s) or None for s in samples} for name, values in reading.facts.items()
    }
    # Those of an earlier sheet go.
    out = {*given, *(evidence.reading.get("facts") or {})}
    kept = {name: v for name, v in evidence.sample_facts.items() if name.lower() not in out}
    return {**given, **kept}


def _record(
    before: Evidence, prepared: PreparedCohort, judged: JudgedCohort, info: CohortInfo, sheet: Path
) -> Evidence:
    """Return the record of a cohort with its new groups; its genes are recorded as before."""
    digest = sha256(sheet)
    chosen = {"samples": {"name": sheet.name, "sha256": digest}}
    return replace(
        before,
        options={**before.options, **chosen},
        reading=annotation_to_json(prepared.reading),
        encoded=prepared.encoded_values(),
        roles=prepared.roles,
        sample_facts=prepared.sample_facts,
        linking={} if judged.counts is None else judged.counts.as_dict(),
        notes=[prepared.by_person, *prepared.notes, *judged.notes],
        warnings=[*judged.warnings, *prepared.notes],
        info=asdict(info),
        # A later preprocessing from the raw files is never taken for this one.
        fingerprint=f"regrouped by {digest}",
    )
