"""The second cohort of a two-step problem: the one in which the condition is recorded."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.formats.linked import LinkedTable

__all__ = ["ConditionCohort"]


@dataclass(frozen=True, eq=False)
class ConditionCohort:
    """A cohort of the condition and the genes the condition is predicted by.

    Attributes
    ----------
    cohort
        Its id.
    table
        Its linked table; the trait of it is the condition.
    regressors
        Related genes of the condition that are in both linked tables.
    """

    cohort: str
    table: LinkedTable
    regressors: tuple[str, ...]
