"""What the clinical matrix of a TCGA study tells beside age and gender, fit to be adjusted for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache

from genotex.clinical import (
    is_age_or_gender_column,
    load_tcga_words,
    plain_column_name,
    read_tcga_cell,
    simplify,
)
from genotex.cohorts.facts import Facts
from genotex.formats import ClinicalMatrix

__all__ = ["tcga_sample_facts"]

MOST_COLUMNS = 60
"""Columns that are recorded at most, those with the fewest missing values."""
MOST_GROUPS = 50
"""More different words than this are remarks or names."""
FEWEST_OUTSIDE = 2
"""So many samples must differ from the largest group."""
NUMBERS = 3
"""A column of numbers has at least so many different ones."""

_SITE = "tissue_source_site"
_BARCODE_SITE = re.compile(r"TCGA-([A-Z0-9]{2})-", re.IGNORECASE)


def tcga_sample_facts(clinical: ClinicalMatrix, measured: Collection[str]) -> Facts:
    """Return the columns that vary and can be adjusted for.

    Left out are columns of age and gender, of the sample type (which is the trait), of ids, dates
    and days; those the hub made itself (``_PANCAN_...``: clusters of the very expression, survival,
    ids of files); those known for less than half of the samples with expression, of which a
    covariate cannot be made; and remarks. The tissue source site, which is a batch of every TCGA
    study, is read from the barcode where no column tells it.

    Parameters
    ----------
    clinical : ClinicalMatrix
        Without duplicate samples.
    measured : collection of str
        Ids of the samples with expression.

    Returns
    -------
    dict
        Column -> sample id -> value, None where it is missing; in the order of the file, and
        `MOST_COLUMNS` at most.

    References
    ----------
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
    if known - max(counts.values()) < FEWEST_OUTSIDE:
        return False
    if len(counts) >= NUMBERS and all(map(_is_number, counts)):
        return True
    return len(counts) <= min(MOST_GROUPS, known // 2)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text, re.IGNORECASE) is not None
