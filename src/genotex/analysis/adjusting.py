"""What is adjusted for beside Age, Gender and condition: pairs, batch, named characteristics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.batch_columns import batch_columns, names_batch
from genotex.analysis.blocks import Blocks, blocked_by
from genotex.analysis.characteristic_columns import find_characteristic, named_covariates
from genotex.analysis.contrast import Contrast
from genotex.analysis.design import Design, independent_columns
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.sample_facts import SampleFacts, read_value
from genotex.formats import LinkedTable

__all__ = ["Adjustment", "gather_adjustment"]

IN_THE_TABLE = ("Age", "Gender")

_WRITTEN = {"age": "Age", "gender": "Gender", "sex": "Gender"}


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
    sources : mapping of str to tuple of str
        Characteristic to the columns it gave; without those of pairs.
    batch : str or None
        The one of them that was found to be a batch.
    held_by_pairs : tuple of str
        Covariates and characteristics that were asked for and are the same within every pair.
    taken_as : mapping of str to str
        Characteristic that the user named to ``number``, or how many groups it has.
    filled : mapping of str to int
        Characteristic to the number of values that were filled.
    warnings : tuple of str
        What could not be adjusted for, and why.
    """

    columns: Mapping[str, NDArray[np.float64]]
    from_table: tuple[str, ...]
    sources: Mapping[str, tuple[str, ...]]
    batch: str | None
    held_by_pairs: tuple[str, ...]
    taken_as: Mapping[str, str]
    filled: Mapping[str, int]
    warnings: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Characteristics that are adjusted for, by columns or by the pairs."""
        return (*self.sources, *self.held_by_pairs)

    def within(self, design: Design) -> Adjustment:
        """Return what the design adjusts for: without characteristics that it left out.

        A characteristic counts when the columns beside the trait can make all of its own.

        Parameters
        ----------
        design : Design
            Made with these columns.
        """
        sources = {
            key: names
            for key, names in self.sources.items()
            if _spans(design.others, [self.columns[name] for name in names])
        }
        return replace(self, sources=sources, batch=self.batch if self.batch in sources else None)


def gather_adjustment(
    table: LinkedTable,
    contrast: Contrast,
    facts: SampleFacts,
    blocks: Blocks,
    options: AnalysisOptions,
    condition: str | None = None,
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
    condition : str, optional
        Of the problem.

    Raises
    ------
    UsageError
        If the cohort has no characteristic of a name that was asked for.
    """
    compared = [table.samples[i] for i in contrast.rows]
    asked = tuple(dict.fromkeys(_in_table(c, table, facts) for c in options.covariates))
    names = [find_characteristic(facts, name) for name in asked if name not in IN_THE_TABLE]
    same = _same_within_pairs(facts, blocks)
    named = named_covariates(facts, compared, [name for name in names if name not in same])
    columns = {**blocks.columns, **named.columns}
    sources, warnings, batch = dict(named.sources), list(named.warnings), None
    held = [name for name in names if name in same]
    if options.batch:
        pair_key = blocks.record.get("key")
        others = {k: v for k, v in facts.items() if k not in names and k != pair_key}
        held += [key for key in others if key in same and names_batch(key)]
        rest = {k: v for k, v in others.items() if k not in same}
        known = len(table.covariates) + len(columns)
        found = batch_columns(rest, table.samples, contrast, known)
        batch = found.key
        columns |= found.columns
        sources |= {} if batch is None else {batch: tuple(found.columns)}
        warnings += found.warnings
    constant = blocks.record.get("constant_within_blocks", ()) if blocks.columns else ()
    inside = tuple(n for n in asked if n in IN_THE_TABLE and n not in constant)
    wanted = [name for name in constant if name in asked or name == condition]
    varying = [n for n in wanted if len(np.unique(_known(table.covariates[n][contrast.rows]))) > 1]
    if all_held := [*varying, *(f"'{key}'" for key in held)]:
        warnings.append(
            f"The pairs {blocked_by(blocks.record['key'])} already adjust for "
            f"{', '.join(all_held)}: the same in all samples of a pair."
        )
    return Adjustment(
        columns,
        inside,
        sources,
        batch,
        (*varying, *held),
        named.taken_as,
        named.filled,
        tuple(warnings),
    )


def _in_table(name: str, table: LinkedTable, facts: SampleFacts) -> str:
    """Return Age or Gender however it is written, unless only a characteristic has that name."""
    plain = name.strip().lower()
    column = _WRITTEN.get(plain, name)
    told = any(key.strip().lower() == plain for key in facts)
    return name if told and column not in table.covariates else column


def _same_within_pairs(facts: SampleFacts, blocks: Blocks) -> frozenset[str]:
    """Return the characteristics that vary, but not within pairs."""
    if not blocks.columns:
        return frozenset()
    pairs = blocks.record["members"].values()
    same = set()
    for key, told in facts.items():
        values = [{read_value(key, told.get(sample)) for sample in pair} for pair in pairs]
        if all(len(found) == 1 for found in values) and len(set().union(*values)) > 1:
            same.add(key)
    return frozenset(same)


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[np.isfinite(values)]


def _spans(basis: NDArray[np.float64], columns: Sequence[NDArray[np.float64]]) -> bool:
    wide = np.column_stack([basis, *columns])
    return not independent_columns(wide)[basis.shape[1] :].any()
