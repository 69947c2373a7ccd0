"""Reference tables that were published in another shape than the benchmark's own.

As published, many clinical tables of TCGA cohorts are samples x features, and about a quarter of
those of GEO cohorts were written without the column of feature names.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from genotex.bench.evaluation.scores import Table
from genotex.bench.problems.problem import ONE_STEP_CONDITIONS
from genotex.formats import CsvTable, LineReader

__all__ = ["Shape", "first_cell", "shape_of", "transpose"]

Shape = Literal["as it should be", "transposed", "nameless"]

_SAMPLE = re.compile(r"GSM\d+|TCGA-[\w-]+")
"""Sample ids of GEO and of TCGA."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|", re.IGNORECASE)


def shape_of(table: CsvTable, corner: str, kind: Table, trait: str) -> Shape:
    """Tell in which shape a table was written.

    Parameters
    ----------
    table : CsvTable
        As it stands in the file.
    corner : str
        The first cell of the file.
    kind : {"gene", "clinical", "linked"}
        Linked tables should have their samples in rows, the others in columns.
    trait : str
        Its name is known to be a feature.

    Returns
    -------
    Shape
        ``nameless``: written without its row names, so that the first column of numbers stands in
        their place and its heading in the corner. ``transposed`` only if names say so on one side
        and none says otherwise.
    """
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
    """Return the cell in front of the column names.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    with LineReader(path) as reader:
        return next(csv.reader([reader.next_line() or ""]), [""])[0]


def _is_sample(name: str, features: Collection[str]) -> bool:
    return _SAMPLE.fullmatch(name) is not None


def _is_feature(name: str, features: Collection[str]) -> bool:
    return name in features


def _mostly_samples(names: Sequence[str]) -> bool:
    return 2 * sum(_SAMPLE.fullmatch(name) is not None for name in names) > len(names)
