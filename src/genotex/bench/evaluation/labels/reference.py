"""A reference made from labels: clinical tables and availability in the benchmark's layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genotex.bench.evaluation.labels.clinical_tables import (
    ANOTHER_FILE,
    PARSERS,
    CodedFeature,
    Step,
    code_samples,
    find_raw,
    read_cohorts,
)
from genotex.bench.evaluation.labels.label import (
    FEATURES,
    Feature,
    Label,
    LabelledCase,
    labelled_by,
)
from genotex.clinical import (
    ClinicalAnnotation,
    FeatureEncoding,
    GeneVerdict,
    RuleExpert,
    SeriesDescription,
    is_biased,
)
from genotex.errors import FormatError, UsageError
from genotex.features import split_cell
from genotex.formats import CohortInfo, Series, sha256, write_clinical_csv, write_cohort_info
from genotex.io import atomic_write
from genotex.layout import InputFolder, OutputFolder, trait_folder_name

_MARKER = "made_from_labels.json"
"""Records which labels an output folder was made from."""

_Coded = Mapping[Feature, CodedFeature]


class LabelExpert:
    """Annotates a series as a set of labels does (see `genotex.clinical.Expert`).

    Which controls are healthy no label tells: the rules do, where they read the same row.

    Parameters
    ----------
    cases, labels
        The labels, and the name of the set.
    """

    def __init__(self, cases: Sequence[LabelledCase], labels: str) -> None:
        chosen = labelled_by(cases, labels)
        self._labels = {(c.trait, c.cohort): chosen[c.id] for c in cases if c.id in chosen}
        self._source = labels
        self._rules = RuleExpert()

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Return the annotation of the label; nothing available where there is none."""
        label = self._labels.get((trait_folder_name(trait), description.cohort))
        why = f"labels {self._source!r}"
        if label is None or not label.is_gene_available:
            why = why if label else f"not among the {why}"
            return ClinicalAnnotation(GeneVerdict(False, why), None, None, None, by="hand")
        read = self._rules.annotate(description, trait).trait
        group, age, gender = (self._encode(n, label, description, read) for n in FEATURES)
        return ClinicalAnnotation(GeneVerdict(True, why), group, age, gender, by="hand")

    def _encode(
        self,
        name: Feature,
        label: Label,
        description: SeriesDescription,
        read: FeatureEncoding | None,
    ) -> FeatureEncoding | None:
        feature = label.feature(name)
        if feature is None:
            return None
        if feature.row >= len(description.characteristics):
            rows = len(description.characteristics)
            msg = f"{description.cohort}: the label names row {feature.row} of {rows}"
            raise FormatError(msg, field=name, hint=ANOTHER_FILE)
        cells = [cell for cell in description.characteristics[feature.row] if cell]
        binary = {code for code in feature.map.values() if code is not None} <= {0, 1}
        known = read.roles if name == "trait" and read and read.row == feature.row else {}
        roles = {
            cell: "case" if code else known.get(cell, "healthy control")
            for cell, code in feature.map.items()
            if name == "trait" and binary and code is not None
        }
        return FeatureEncoding(
            name,
            feature.row,
            split_cell(cells[0])[0] if cells else "",
            "binary" if name == "gender" or (name == "trait" and binary) else "continuous",
            feature.map,
            roles,
            parser=None if roles else PARSERS[name],
            confidence=label.confidence or "explicit",
            evidence=(f"labels {self._source!r}",),
            told_by="hand",
        )


@dataclass(frozen=True)
class AppliedLabels:
    """What was written."""

    traits: int  # traits and cohorts recorded, clinical tables written
    cohorts: int
    tables: int
    not_at_hand: int  # labelled cohorts that are not in the input
    # cohorts that no table could be made for though their label has a trait, and why
    notes: tuple[str, ...]


def apply_labels(
    cases: Sequence[LabelledCase],
    labels: str,
    raw: InputFolder,
    output: OutputFolder,
    source: Path,
    progress: Step | None = None,
) -> AppliedLabels:
    """Apply a set of labels to the raw series and write a reference to score against.

    Every labelled cohort of the input gets a record in ``cohort_info.json``, and a table in
    ``clinical_data`` where its label has a trait. Labels do not cover expression: `is_usable`
    means that the cohort is available and not one-sided by its labels, `sample_size` counts samples
    with a known trait, both before anything is linked, as the note states.

    Parameters
    ----------
    cases
        The labels.
    labels
        Name of the set.
    raw
        The raw series.
    output
        New, empty, or made from the same labels before.
    source
        The file of the cases, for the record.
    progress
        Called for every cohort.

    Raises
    ------
    UsageError
        If there is no such set, none of its cohorts is in the input, or the output folder contains
        something else.
    """
    chosen = labelled_by(cases, labels)
    labelled = [case for case in cases if case.id in chosen]
    found = find_raw(labelled, raw)
    if not found:
        msg = f"none of the {len(labelled)} cohorts labelled by {labels!r} is in {raw.root}/GEO"
        raise UsageError(msg)
    claim_folder(output.root, labels, source)
    records: dict[str, dict[str, CohortInfo]] = {}
    tables, notes, note = 0, [], f"labels {labels!r}, before linking with expression"
    for case, series in read_cohorts(found, progress):
        label = chosen[case.id]
        coded, why_not = _code(label, series)
        if why_not and label.trait is not None:
            notes.append(f"{case.id}: no table, {why_not}")
        tables += _write_table(case, coded, series, output)
        records.setdefault(case.trait, {})[case.cohort] = _record(label, coded, note)
    for trait, infos in records.items():
        write_cohort_info(output.cohort_info(trait), infos)
    left_out = len(labelled) - len(found)
    return AppliedLabels(len(records), len(found), tables, left_out, tuple(notes))


def claim_folder(folder: Path, labels: str, source: Path) -> None:
    """Mark a folder as made from labels, or refuse one with other content."""
    digest = sha256(source)
    mark = json.dumps({"labels": labels, "cases": source.name, "sha256": digest}, indent=2) + "\n"
    marker = folder / _MARKER
    if folder.exists() and not folder.is_dir():
        msg = f"{folder} is a file; give a new or an empty folder"
        raise UsageError(msg)
    if marker.is_file():
        if marker.read_bytes() == mark.encode():
            return
        msg = f"{folder} was made from other labels (see {marker}); give a new or an empty folder"
        raise UsageError(msg)
    if folder.exists() and any(folder.iterdir()):
        msg = f"{folder} is not empty and was not made from labels; give a new or an empty folder"
        raise UsageError(msg)
    with atomic_write(marker) as part:
        part.write_bytes(mark.encode())


def _code(label: Label, series: Series | FormatError) -> tuple[_Coded | None, str]:
    """Return the label's codes, or None and why there are none."""
    if isinstance(series, FormatError):
        return None, str(series)
    try:
        return code_samples(label, series), ""
    except FormatError as error:
        return None, str(error)


def _write_table(
    case: LabelledCase, coded: _Coded | None, series: Series | FormatError, output: OutputFolder
) -> bool:
    path = output.clinical_csv(case.trait, case.cohort)
    if coded is None or "trait" not in coded or isinstance(series, FormatError):
        path.unlink(missing_ok=True)
        return False
    names: Mapping[Feature, str] = {"trait": case.trait, "age": "Age", "gender": "Gender"}
    codes = {names[feature]: found.codes for feature, found in coded.items()}
    write_clinical_csv(path, series.samples, codes)
    return True


def _record(label: Label, coded: _Coded | None, note: str) -> CohortInfo:
    gene = label.is_gene_available
    if coded is None:
        trait = label.trait is not None
        return CohortInfo(False, gene, trait, gene and trait)
    if not gene or "trait" not in coded:
        return CohortInfo(False, gene, "trait" in coded, False)
    found = coded["trait"]
    unknown = int((~found.known).sum())
    if unknown:
        note += f"; {unknown} samples with a value that the label does not list left missing"
    return CohortInfo.of_linked(
        biased=is_biased(found.codes),
        has_age="age" in coded,
        has_gender="gender" in coded,
        samples=int((~np.isnan(found.codes)).sum()),
        note=note,
    )
