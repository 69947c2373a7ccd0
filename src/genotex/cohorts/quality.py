"""Quality of a cohort: the benchmark's rules on bias and availability."""

from __future__ import annotations

import numpy as np

from genotex.clinical import is_biased
from genotex.formats import CohortInfo, LinkedTable

__all__ = ["judge", "unavailable", "without_biased_covariates"]

SMALLEST_TABLE = 4
"""A linked table with at most this many columns counts as having no genes."""


def without_biased_covariates(table: LinkedTable) -> tuple[LinkedTable, tuple[str, ...]]:
    """Drop Age when it does not vary and Gender when it is biased."""
    dropped = []
    for name, values in table.covariates.items():
        known = values[~np.isnan(values)]
        constant = known.size == 0 or known.min() == known.max()
        if constant or (name == "Gender" and is_biased(values)):
            dropped.append(name)
    kept = {name: v for name, v in table.covariates.items() if name not in dropped}
    table = LinkedTable(
        table.trait, table.samples, table.trait_values, kept, table.genes, table.expression
    )
    return table, tuple(dropped)


def unavailable(*, genes: bool, trait: bool) -> CohortInfo:
    """Return the record of a cohort that fails the first filter."""
    return CohortInfo(
        is_usable=False,
        is_gene_available=genes,
        is_trait_available=trait,
        is_available=False,
    )


def judge(table: LinkedTable) -> CohortInfo:
    """Return the record of a linked cohort, without note.

    Parameters
    ----------
    table : LinkedTable
        The linked table, its missing values treated and biased covariates dropped.
    """
    rows, columns = len(table.samples), 1 + len(table.covariates) + len(table.genes)
    if rows == 0 or columns <= SMALLEST_TABLE:
        return CohortInfo(
            is_usable=False,
            is_gene_available=False,
            is_trait_available=rows > 0,
            is_available=False,
        )
    return CohortInfo.of_linked(
        biased=is_biased(table.trait_values),
        has_age="Age" in table.covariates,
        has_gender="Gender" in table.covariates,
        samples=rows,
    )
