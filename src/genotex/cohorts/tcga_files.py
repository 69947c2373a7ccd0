"""The files of a TCGA folder: clinical matrix and expression, each sample once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genotex.errors import FormatError
from genotex.formats import (
    ClinicalMatrix,
    ExpressionMatrix,
    read_clinical_matrix,
    read_xena_expression,
)
from genotex.layout import Procedure, TcgaCohortFiles

__all__ = [
    "NO_EXPRESSION",
    "RawClinical",
    "RawExpression",
    "expression_path",
    "read_raw_clinical",
    "read_raw_genes",
]

NO_EXPRESSION = "no *HiSeqV2* file in the folder"


@dataclass(frozen=True, eq=False)
class RawClinical:
    """The clinical matrix of a TCGA folder.

    Attributes
    ----------
    matrix : ClinicalMatrix
        Each sample once.
    notes : tuple of str
        Repeated samples.
    """

    matrix: ClinicalMatrix
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class RawExpression:
    """The expression of a TCGA folder.

    Attributes
    ----------
    path : Path
        The file it was read from.
    matrix : ExpressionMatrix
        Each sample once.
    notes : tuple of str
        Repeated samples.
    """

    path: Path
    matrix: ExpressionMatrix
    notes: tuple[str, ...] = ()


def read_raw_clinical(files: TcgaCohortFiles) -> RawClinical:
    """Read the clinical matrix; the first row of a repeated sample is kept.

    Raises
    ------
    FormatError
        If the file is missing or cannot be read.
    """
    if files.clinical is None:
        message = "no *clinicalMatrix* file in the folder"
        hint = "download the clinical matrix of the study from the Xena hub"
        raise FormatError(message, path=files.folder, hint=hint)
    return _first_of_duplicates(read_clinical_matrix(files.clinical))


def expression_path(files: TcgaCohortFiles, procedure: Procedure) -> Path | None:
    """Return the table to read: PANCAN-normalised first in `benchmark`, the other one in `sound`.

    Returns
    -------
    Path or None
        None if the folder has neither.
    """
    both = [files.expression, files.expression_pancan]
    if procedure == "benchmark":
        both.reverse()
    return next((path for path in both if path is not None), None)


def read_raw_genes(files: TcgaCohortFiles, procedure: Procedure) -> RawExpression | None:
    """Read the table of expression (see `expression_path`).

    Returns
    -------
    RawExpression or None
        None if the folder has neither; repeated samples are averaged.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    path = expression_path(files, procedure)
    if path is None:
        return None
    matrix, notes = _average_duplicates(read_xena_expression(path))
    return RawExpression(path, matrix, notes)


def _average_duplicates(matrix: ExpressionMatrix) -> tuple[ExpressionMatrix, tuple[str, ...]]:
    samples = tuple(dict.fromkeys(matrix.samples))
    if len(samples) == len(matrix.samples):
        return matrix, ()
    position = {sample: j for j, sample in enumerate(samples)}
    target = np.array([position[sample] for sample in matrix.samples])
    known = ~np.isnan(matrix.values)
    sums = np.zeros((len(matrix.ids), len(samples)))
    counts = np.zeros_like(sums)
    np.add.at(sums.T, target, np.where(known, matrix.values, 0.0).T)
    np.add.at(counts.T, target, known.T)
    values = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    repeated = sum(number > 1 for number in Counter(matrix.samples).values())
    note = f"{repeated} sample ids occur more than once in the expression table: averaged"
    return ExpressionMatrix(matrix.ids, samples, values), (note,)


def _first_of_duplicates(clinical: ClinicalMatrix) -> RawClinical:
    first = {sample: i for i, sample in reversed(list(enumerate(clinical.samples)))}
    if len(first) == len(clinical.samples):
        return RawClinical(clinical)
    rows = sorted(first.values())
    repeated = len(clinical.samples) - len(rows)
    note = f"{repeated} repeated rows of the clinical matrix left out (first one kept)"
    samples = tuple(clinical.samples[i] for i in rows)
    once = ClinicalMatrix(clinical.path, samples, clinical.table[rows])
    return RawClinical(once, (note,))
