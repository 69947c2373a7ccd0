"""Scores of preprocessing: every table of the reference against the predicted one."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from genotex.bench.evaluation.figures import Table
from genotex.bench.evaluation.folder_items import (
    ScoredFolder,
    cohorts_with,
    read_or_why,
    table_path,
)
from genotex.bench.evaluation.rules import OURS, ScoringRules
from genotex.bench.evaluation.scores import Missing, PreprocessingScore
from genotex.bench.evaluation.table_metrics import TableAgreement, compare_tables
from genotex.formats import CsvTable, LineReader, read_csv_table
from genotex.problems.problem import ONE_STEP_CONDITIONS

Shape = Literal["as it should be", "transposed", "nameless"]

_SAMPLE = re.compile(r"GSM\d+|TCGA-[\w-]+")
"""Sample ids of GEO and of TCGA."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|", re.IGNORECASE)


def shape_of(table: CsvTable, corner: str, kind: Table, trait: str) -> Shape:
    """Return the shape in which a table was written."""
    features = {trait, *ONE_STEP_CONDITIONS}
    samples, others = table.columns, table.rows
    if kind == "linked":
        samples, others = others, samples
    headings_are = _is_feature if kind == "linked" else _is_sample
    if headings_are(corner, features) and all(_NUMBER.fullmatch(name) for name in table.rows):
        return "nameless"
    for_it = _mostly_samples(others) or not features.isdisjoint(samples)
    against = _mostly_samples(samples) or not features.isdisjoint(others)
    return "transposed" if for_it and not against else "as it should be"


def transpose(table: CsvTable) -> CsvTable:
    """Return a table with rows and columns exchanged; the values are a view."""
    return CsvTable(table.columns, table.rows, table.values.T)


def first_cell(path: Path) -> str:
    """Return the cell in front of the column names."""
    with LineReader(path) as reader:
        return next(csv.reader([reader.next_line() or ""]), [""])[0]


def _is_sample(name: str, features: Collection[str]) -> bool:
    return _SAMPLE.fullmatch(name) is not None


def _is_feature(name: str, features: Collection[str]) -> bool:
    return name in features


def _mostly_samples(names: Sequence[str]) -> bool:
    return 2 * sum(_SAMPLE.fullmatch(name) is not None for name in names) > len(names)


_CHUNK = 1 << 20
_NOTED = (("aj", "AJ"), ("sj", "SJ"), ("correlation", "correlation"), ("csc", "CSC"))
_NOTHING = TableAgreement(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class WantedTable:
    """A table of the reference."""

    kind: Table
    trait: str
    cohort: str
    path: Path
    repair: bool
    rules: ScoringRules = OURS


@dataclass(frozen=True)
class TableResult:
    """The score of one table."""

    kind: Table
    score: PreprocessingScore | None
    as_it_is: PreprocessingScore
    shape: Shape | None
    missing: Missing | None


def wanted_tables(
    reference: ScoredFolder,
    kinds: Sequence[Table],
    *,
    repair: bool,
    rules: ScoringRules = OURS,
) -> list[WantedTable]:
    """Return every table of the reference."""
    return [
        WantedTable(kind, trait, cohort, table_path(reference, kind, trait, cohort), repair, rules)
        for kind in kinds
        for trait, cohort in cohorts_with(reference, kind)
    ]


def score_table(predictions: Sequence[ScoredFolder], wanted: WantedTable) -> list[TableResult]:
    """Score a table in each of several output folders; cells that are text are missing values.

    The table of the reference is read once.
    """
    reference = _read(wanted.path)
    shape = _shape(wanted, reference) if wanted.repair else None
    return [_result(folder, wanted, reference, shape) for folder in predictions]


def _result(
    folder: ScoredFolder, wanted: WantedTable, reference: CsvTable, shape: Shape | None
) -> TableResult:
    kind = wanted.kind
    path = table_path(folder, kind, wanted.trait, wanted.cohort)
    # The table need not be read if it is byte-identical to the reference's.
    found = reference if _same_bytes(path, wanted.path) else read_or_why(path, _read)
    if isinstance(found, str):
        missing = Missing(kind, f"{wanted.trait} {wanted.cohort}", found)
        score = _score(wanted, _NOTHING)
        return TableResult(kind, None if shape == "nameless" else score, score, shape, missing)
    score = as_it_is = _score(wanted, _agreement(found, reference, wanted))
    if shape == "transposed":
        score = _score(wanted, _agreement(found, transpose(reference), wanted))
    return TableResult(kind, None if shape == "nameless" else score, as_it_is, shape, None)


def _agreement(found: CsvTable, reference: CsvTable, wanted: WantedTable) -> TableAgreement:
    if wanted.rules.tables_as_pandas:
        if any(map(_without_cells_or_repeated, (found, reference))):
            return _NOTHING
        found, reference = _with_own_names(found), _with_own_names(reference)
    return compare_tables(
        _samples_in_rows(found, wanted.kind), _samples_in_rows(reference, wanted.kind)
    )


def _without_cells_or_repeated(table: CsvTable) -> bool:
    """Return whether a table is empty, or its rows cannot be distinguished by their names."""
    return not table.values.size or len(set(table.rows)) < len(table.rows)


def _with_own_names(table: CsvTable) -> CsvTable:
    """Return a table whose repeated columns are numbered: X, X.1, X.2."""
    if len(set(table.columns)) == len(table.columns):
        return table
    seen: Counter[str] = Counter()
    names = []
    for name in table.columns:
        names.append(f"{name}.{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return CsvTable(table.rows, names, table.values)


def _read(path: Path) -> CsvTable:
    return read_csv_table(path, text="missing")


def _same_bytes(first: Path, second: Path) -> bool:
    try:
        if first.stat().st_size != second.stat().st_size:
            return False
        with first.open("rb") as a, second.open("rb") as b:
            while piece := a.read(_CHUNK):
                if piece != b.read(_CHUNK):
                    return False
    except OSError:
        return False
    return True


def _shape(wanted: WantedTable, table: CsvTable) -> Shape:
    return shape_of(table, first_cell(wanted.path), wanted.kind, wanted.trait)


def _samples_in_rows(table: CsvTable, kind: Table) -> CsvTable:
    return table if kind == "linked" else transpose(table)


def _score(wanted: WantedTable, found: TableAgreement) -> PreprocessingScore:
    return PreprocessingScore(
        wanted.trait, wanted.cohort, found.aj, found.sj, found.correlation, found.csc
    )


def repair_notes(results: Sequence[TableResult]) -> list[str]:
    """List what was repaired in the reference, and the scores of the tables as published."""
    notes = []
    for kind in dict.fromkeys(result.kind for result in results):
        these = [result for result in results if result.kind == kind]
        turned, nameless = (
            sum(result.shape == shape for result in these) for shape in ("transposed", "nameless")
        )
        if turned or nameless:
            averages = ", ".join(
                f"{label} {math.fsum(getattr(r.as_it_is, name) for r in these) / len(these):.3f}"
                for name, label in _NOTED
            )
            notes.append(
                f"{kind} tables of the reference: {turned} transposed, {nameless} without names "
                f"left out; all {len(these)} as they were published score {averages}"
            )
    return notes
