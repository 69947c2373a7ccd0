"""Files of a TCGA folder: its choice, clinical matrix, expression, and columns to adjust for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from genotex.clinical import choose_tcga_study, tcga_study_code
from genotex.clinical.tcga import (
    is_age_or_gender_column,
    load_tcga_words,
    plain_column_name,
    read_tcga_cell,
)
from genotex.cohorts.geo.files import Facts
from genotex.errors import FormatError
from genotex.features import simplify
from genotex.formats import (
    ClinicalMatrix,
    ExpressionMatrix,
    read_clinical_matrix,
    read_xena_expression,
)
from genotex.formats.tables import average_duplicates
from genotex.layout import TcgaCohortFiles
from genotex.procedure import Procedure


@dataclass(frozen=True)
class FolderChoice:
    """The folder of the trait, or None, and the reason."""

    folder: TcgaCohortFiles | None
    reason: str


def choose_folder(trait: str, folders: Sequence[TcgaCohortFiles]) -> FolderChoice:
    """Choose the TCGA folder whose cancer is the trait.

    The study is identified by the folder's name, else by the names of its files
    (``TCGA.LUAD.sampleMap_...``). Of two folders of one study the first that has both a clinical
    matrix and expression is taken.

    `trait`: Trait name or trait folder name. `folders`: The available folders.

    genotex.clinical.choose_tcga_study : How studies are matched with traits.
    """
    by_name = {folder.name: folder for folder in sorted(folders, key=_order)}
    choice = choose_tcga_study(trait, {name: _code(folder) for name, folder in by_name.items()})
    return FolderChoice(None if choice.folder is None else by_name[choice.folder], choice.reason)


def _order(folder: TcgaCohortFiles) -> tuple[bool, str]:
    expression = folder.expression or folder.expression_pancan
    return (folder.clinical is None or expression is None, folder.name)


def _code(folder: TcgaCohortFiles) -> str | None:
    files = (folder.clinical, folder.expression, folder.expression_pancan)
    names = [folder.name, *(path.name for path in files if path is not None)]
    return next((code for name in names if (code := tcga_study_code(name)) is not None), None)


NO_EXPRESSION = "no *HiSeqV2* file in the folder"


@dataclass(frozen=True, eq=False)
class RawClinical:
    """The clinical matrix of a TCGA folder."""

    matrix: ClinicalMatrix  # each sample once
    notes: tuple[str, ...] = ()  # repeated samples


@dataclass(frozen=True, eq=False)
class RawExpression:
    """The expression of a TCGA folder."""

    path: Path  # the file it was read from
    matrix: ExpressionMatrix  # each sample once
    notes: tuple[str, ...] = ()  # repeated samples


def read_raw_clinical(files: TcgaCohortFiles) -> RawClinical:
    """Read the clinical matrix; the first row of a repeated sample is kept."""
    if files.clinical is None:
        message = "no *clinicalMatrix* file in the folder"
        hint = "download the clinical matrix of the study from the Xena hub"
        raise FormatError(message, path=files.folder, hint=hint)
    return _first_of_duplicates(read_clinical_matrix(files.clinical))


def expression_path(files: TcgaCohortFiles, procedure: Procedure | str) -> Path | None:
    """Return the table to read; a procedure may prefer the one normalised over all cancers."""
    both = [files.expression, files.expression_pancan]
    if Procedure(procedure).prefers_pan_cancer_table:
        both.reverse()
    return next((path for path in both if path is not None), None)


def read_raw_genes(files: TcgaCohortFiles, procedure: Procedure | str) -> RawExpression | None:
    """Read the table of expression (see `expression_path`)."""
    path = expression_path(files, procedure)
    if path is None:
        return None
    matrix, notes = _average_duplicates(read_xena_expression(path))
    return RawExpression(path, matrix, notes)


def _average_duplicates(matrix: ExpressionMatrix) -> tuple[ExpressionMatrix, tuple[str, ...]]:
    samples, values, repeated = average_duplicates(
        matrix.samples, np.asarray(matrix.values.T, dtype=np.float64)
    )
    if not repeated:
        return matrix, ()
    note = f"{repeated} sample ids occur more than once in the expression table: averaged"
    return ExpressionMatrix(matrix.ids, tuple(samples), values.T), (note,)


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


MOST_COLUMNS = 60
"""Maximum number of columns recorded: those with the fewest missing values."""
_MOST_GROUPS = 50
"""Columns with more distinct words are remarks or names."""
_FEWEST_OUTSIDE = 2
"""Minimum number of samples outside the largest group."""
_NUMBERS = 3
"""Minimum number of distinct values of a numeric column."""

_SITE = "tissue_source_site"
_BARCODE_SITE = re.compile(r"TCGA-([A-Z0-9]{2})-", re.IGNORECASE)


def tcga_sample_facts(clinical: ClinicalMatrix, measured: Collection[str]) -> Facts:
    """Return the columns that vary and can be adjusted for.

    Left out are columns of age and gender, of the sample type (which is the trait), of ids, dates
    and days; those made by the hub (``_PANCAN_...``: clusters of the same expression, survival,
    ids of files); those known for less than half of the samples with expression; and remarks.
    The tissue source site, a batch in every TCGA study, is read from the barcode if it has no
    column.

    `clinical`: Without duplicate samples. `measured`: Ids of the samples with expression. Returns
    column -> sample id -> value, None where it is missing; in the order of the file, and
    `MOST_COLUMNS` at most.

    Barcodes: https://docs.gdc.cancer.gov/Encyclopedia/pages/TCGA_Barcode/
    """
    there = frozenset(measured)
    rows = [i for i, sample in enumerate(clinical.samples) if sample in there]
    rows = rows or list(range(len(clinical.samples)))
    table = {name: list(map(read_tcga_cell, clinical.table[name])) for name in _columns(clinical)}
    if not any(plain_column_name(name) == simplify(_SITE) for name in clinical.table.columns):
        table[_SITE] = [_site(sample) for sample in clinical.samples]
    known = {
        name: sum(cells[i] is not None for i in rows)
        for name, cells in table.items()
        if _is_usable([cells[i] for i in rows])
    }
    kept = sorted(known, key=known.__getitem__, reverse=True)[:MOST_COLUMNS]
    return {
        name: dict(zip(clinical.samples, cells, strict=True))
        for name, cells in table.items()
        if name in kept
    }


def _columns(clinical: ClinicalMatrix) -> list[str]:
    return [name for name in clinical.table.columns if not (name.startswith("_") or _never(name))]


def _never(name: str) -> bool:
    never, trait = _words("never"), _words("trait")
    plain = plain_column_name(name)
    return is_age_or_gender_column(name) or plain in trait or not never.isdisjoint(plain.split())


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(simplify(word) for word in load_tcga_words()["covariates"][kind])


def _site(sample: str) -> str | None:
    found = _BARCODE_SITE.match(sample)
    return found[1].upper() if found else None


def _is_usable(cells: Sequence[str | None]) -> bool:
    counts = Counter(cell for cell in cells if cell is not None)
    known = counts.total()
    if 2 * known < len(cells) or len(counts) < 2:
        return False
    if known - max(counts.values()) < _FEWEST_OUTSIDE:
        return False
    if len(counts) >= _NUMBERS and all(map(_is_number, counts)):
        return True
    return len(counts) <= min(_MOST_GROUPS, known // 2)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text, re.IGNORECASE) is not None
