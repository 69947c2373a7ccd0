"""Preprocessing: every table of the reference against the predicted one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.evaluation.folder_items import cohorts_with, other_names, table_path
from genotex.evaluation.predictions import MISSING, read_or_why
from genotex.evaluation.repair import Shape, first_cell, shape_of, transpose
from genotex.evaluation.scores import Missing, PreprocessingScore, Table
from genotex.evaluation.table_metrics import TableAgreement, compare_tables
from genotex.formats.csv_tables import CsvTable, read_csv_table
from genotex.layout import OutputFolder

__all__ = ["TablePair", "TableResult", "pair_tables", "repair_notes", "score_table"]

PIECE = 1 << 20
FIGURES = (("aj", "AJ"), ("sj", "SJ"), ("correlation", "correlation"), ("csc", "CSC"))
NOTHING = TableAgreement(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class TablePair:
    """A table of the reference and the predicted one of the same cohort.

    Attributes
    ----------
    kind : {"gene", "clinical", "linked"}
    trait, cohort : str
        As the reference names them.
    predicted : Path or None
        None where there is none.
    reference : Path
    repair : bool
        Whether a reference table in another shape is put right or left out.
    """

    kind: Table
    trait: str
    cohort: str
    predicted: Path | None
    reference: Path
    repair: bool


@dataclass(frozen=True)
class TableResult:
    """The score of one table.

    Attributes
    ----------
    kind : {"gene", "clinical", "linked"}
    score : PreprocessingScore or None
        None for a table that is left out because it has no names.
    as_it_is : PreprocessingScore
        Without any repair.
    shape : Shape or None
        Of the reference table; None when nobody asked.
    missing : Missing or None
    """

    kind: Table
    score: PreprocessingScore | None
    as_it_is: PreprocessingScore
    shape: Shape | None
    missing: Missing | None


def pair_tables(
    prediction: OutputFolder, reference: OutputFolder, kinds: Sequence[Table], *, repair: bool
) -> list[TablePair]:
    """Return every table of the reference with its prediction; TCGA has two names.

    Raises
    ------
    UsageError
        If a folder of the reference is not named as a trait's.
    """
    return [
        TablePair(
            kind,
            trait,
            cohort,
            _predicted(prediction, kind, trait, cohort),
            table_path(reference, kind, trait, cohort),
            repair,
        )
        for kind in kinds
        for trait, cohort in cohorts_with(reference, kind)
    ]


def _predicted(folder: OutputFolder, kind: Table, trait: str, cohort: str) -> Path | None:
    paths = [table_path(folder, kind, trait, name) for name in other_names(cohort)]
    return next((path for path in paths if path.is_file()), None)


def score_table(pair: TablePair) -> TableResult:
    """Score one table; cells that are text are missing values.

    Raises
    ------
    FormatError
        If the reference table cannot be read.
    """
    wanted = _read(pair.reference)
    shape = _shape(pair, wanted) if pair.repair else None
    found = _read_prediction(pair, wanted)
    if isinstance(found, str):
        missing = Missing(pair.kind, f"{pair.trait} {pair.cohort}", found)
        score = _score(pair, NOTHING)
        return TableResult(pair.kind, None if shape == "nameless" else score, score, shape, missing)
    found = _samples_in_rows(found, pair.kind)
    score = as_it_is = _score(pair, compare_tables(found, _samples_in_rows(wanted, pair.kind)))
    if shape == "transposed":
        put_right = _samples_in_rows(transpose(wanted), pair.kind)
        score = _score(pair, compare_tables(found, put_right))
    return TableResult(pair.kind, None if shape == "nameless" else score, as_it_is, shape, None)


def _read(path: Path) -> CsvTable:
    return read_csv_table(path, text="missing")


def _read_prediction(pair: TablePair, wanted: CsvTable) -> CsvTable | str:
    """Return the predicted table, which need not be read if it is the reference's, byte by byte."""
    if pair.predicted is None:
        return MISSING
    if _same_bytes(pair.predicted, pair.reference):
        return wanted
    return read_or_why(pair.predicted, _read)


def _same_bytes(first: Path, second: Path) -> bool:
    try:
        if first.stat().st_size != second.stat().st_size:
            return False
        with first.open("rb") as a, second.open("rb") as b:
            while piece := a.read(PIECE):
                if piece != b.read(PIECE):
                    return False
    except OSError:
        return False
    return True


def _shape(pair: TablePair, table: CsvTable) -> Shape:
    return shape_of(table, first_cell(pair.reference), pair.kind, pair.trait)


def _samples_in_rows(table: CsvTable, kind: Table) -> CsvTable:
    return table if kind == "linked" else transpose(table)


def _score(pair: TablePair, agreement: TableAgreement) -> PreprocessingScore:
    return PreprocessingScore(
        pair.trait, pair.cohort, agreement.aj, agreement.sj, agreement.correlation, agreement.csc
    )


def repair_notes(results: Sequence[TableResult]) -> list[str]:
    """Say what was repaired in the reference, and what the tables score as they were published."""
    notes = []
    for kind in dict.fromkeys(result.kind for result in results):
        these = [result for result in results if result.kind == kind]
        turned, nameless = (
            sum(result.shape == shape for result in these) for shape in ("transposed", "nameless")
        )
        if turned or nameless:
            averages = ", ".join(
                f"{label} {math.fsum(getattr(r.as_it_is, name) for r in these) / len(these):.3f}"
                for name, label in FIGURES
            )
            notes.append(
                f"{kind} tables of the reference: {turned} transposed, {nameless} without names "
                f"left out; all {len(these)} as they were published score {averages}"
            )
    return notes
