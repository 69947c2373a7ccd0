"""The clinical tables of an output folder against labels, sample by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from genotex.bench.evaluation.labels.coding import (
    ClinicalTable,
    CodedFeature,
    CodingScore,
    code_samples,
    score_coding,
    table_of_file,
    table_of_labels,
)
from genotex.bench.evaluation.labels.label import Feature, LabelledCase
from genotex.bench.evaluation.labels.raw_cohorts import Step, find_raw, read_cohorts
from genotex.bench.evaluation.predictions import MISSING, read_or_why
from genotex.bench.evaluation.scores import Missing
from genotex.errors import FormatError
from genotex.formats import Series
from genotex.layout import InputFolder, OutputFolder

__all__ = ["JudgedTables", "judge_tables"]

Coded = Mapping[Feature, CodedFeature]


@dataclass
class JudgedTables:
    """What became of the clinical tables.

    Attributes
    ----------
    items : dict
        Set of labels -> case id -> score of the predicted table.
    own : dict
        Other set -> case id -> score of the table that it makes, against the base.
    missing : list of Missing
        Tables scored 0, and why.
    notes : list of str
        Cohorts that could not be judged, and why.
    """

    items: dict[str, dict[str, CodingScore]]
    own: dict[str, dict[str, CodingScore]]
    missing: list[Missing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def judge_tables(
    cases: Sequence[LabelledCase],
    names: Sequence[str],
    base: str,
    rivals: Sequence[str],
    output: OutputFolder,
    raw: InputFolder,
    progress: Step | None = None,
) -> JudgedTables:
    """Score every clinical table whose raw file is at hand.

    Parameters
    ----------
    cases : sequence of LabelledCase
        The labels.
    names : sequence of str
        The sets of labels to score against.
    base : str
        The set that the others are compared with.
    rivals : sequence of str
        Sets that are scored as if they were predictions, against the base.
    output : OutputFolder
        The prediction.
    raw : InputFolder
        The raw series.
    progress : callable, optional
        Told of every cohort.
    """
    judged = JudgedTables({name: {} for name in names}, {name: {} for name in rivals})
    found = find_raw(cases, raw)
    if len(found) < len(cases):
        left_out = f"{len(cases) - len(found)} of {len(cases)}"
        judged.notes.append(
            f"labelled cohorts whose tables are not judged: {left_out}, for they "
            f"are not in {raw.root}"
        )
    for case, series in read_cohorts(found, progress):
        if isinstance(series, FormatError):
            judged.notes.append(f"{case.id}: not judged, {series}")
            continue
        coded = _code(case, {*names, *rivals, base}, series, judged.notes)
        predicted = _predicted(case, output, coded, judged.missing)
        for name in (name for name in names if name in coded):
            judged.items[name][case.id] = _score(case, coded[name], series, predicted)
        for name in (name for name in rivals if name in coded and base in coded):
            table = table_of_labels(coded[name], series.samples)
            judged.own[name][case.id] = _score(case, coded[base], series, table)
    return judged


def _score(
    case: LabelledCase, coded: Coded, series: Series, table: ClinicalTable | None
) -> CodingScore:
    return score_coding(case.trait, case.cohort, coded, series.samples, table)


def _code(
    case: LabelledCase, names: set[str], series: Series, notes: list[str]
) -> dict[str, Coded]:
    coded: dict[str, Coded] = {}
    for name in sorted(names & case.labels.keys()):
        try:
            coded[name] = code_samples(case.labels[name], series)
        except FormatError as error:
            notes.append(f"{case.id}: not judged by labels {name!r}, {error}")
    return coded


def _predicted(
    case: LabelledCase, output: OutputFolder, coded: Mapping[str, Coded], missing: list[Missing]
) -> ClinicalTable | None:
    path = output.clinical_csv(case.trait, case.cohort)
    table = read_or_why(path, lambda path: table_of_file(path, case.trait))
    if not isinstance(table, str):
        return table
    if table != MISSING or any("trait" in found for found in coded.values()):
        missing.append(Missing("clinical", case.id, table))
    return None
