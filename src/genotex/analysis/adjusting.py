"""What is adjusted for beside Age, Gender and condition: pairs, batch, named characteristics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.batch_columns import batch_columns
from genotex.analysis.blocks import Blocks
from genotex.analysis.characteristic_columns import named_covariates
from genotex.analysis.contrast import Contrast
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.sample_facts import SampleFacts
from genotex.formats.linked import LinkedTable

__all__ = ["Adjustment", "gather_adjustment"]

IN_THE_TABLE = ("Age", "Gender")


@dataclass(frozen=True)
class Adjustment:
    """Columns to adjust for that the linked table does not hold.

    Attributes
    ----------
    columns : mapping of str to ndarray of float64, shape (n,)
        For the samples of the contrast.
    from_table : tuple of str
        Covariates of the linked table to adjust for; without those that are the same in all samples
        of a pair.
    keys : tuple of str
        The characteristics they come from.
    batch : str or None
        The one of them that was found to be a batch.
    filled : mapping of str to int
        Characteristic to the number of values that were filled.
    warnings : tuple of str
        What could not be adjusted for, and why.
    """

    columns: Mapping[str, NDArray[np.float64]]
    from_table: tuple[str, ...]
    keys: tuple[str, ...]
    batch: str | None
    filled: Mapping[str, int]
    warnings: tuple[str, ...]


def gather_adjustment(
    table: LinkedTable,
    contrast: Contrast,
    facts: SampleFacts,
    blocks: Blocks,
    options: AnalysisOptions,
) -> Adjustment:
    """Gather the columns of pairs, of the characteristics the user named, and of a known batch.

    Parameters
    ----------
    table : LinkedTable
        One cohort.
    contrast : Contrast
        The samples compared.
    facts : mapping
        Characteristics other than trait, age and gender.
    blocks : Blocks
        Samples that belong together.
    options : AnalysisOptions
        Which covariates, and whether a batch is adjusted for.

    Raises
    ------
    UsageError
        If the cohort has no characteristic of a name that was asked for.
    """
    compared = [table.samples[i] for i in contrast.rows]
    names = [name for name in options.covariates if name not in IN_THE_TABLE]
    named = named_covariates(facts, compared, names)
    columns = {**blocks.columns, **named.columns}
    keys, warnings, batch = list(named.keys), list(named.warnings), None
    if options.batch:
        others = {
            k: v for k, v in facts.items() if k not in named.keys and k != blocks.record.get("key")
        }
        known = len(table.covariates) + len(columns)
        found = batch_columns(others, table.samples, contrast, known)
        batch = found.key
        columns |= found.columns
        keys += [] if batch is None else [batch]
        warnings += found.warnings
    paired = blocks.record.get("constant_within_blocks", ()) if blocks.columns else ()
    inside = tuple(n for n in options.covariates if n in IN_THE_TABLE and n not in paired)
    return Adjustment(columns, inside, tuple(keys), batch, named.filled, tuple(warnings))
