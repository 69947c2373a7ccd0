"""The second cohort of a two-step problem: the one that knows the condition."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.formats import LinkedTable

__all__ = ["ConditionCohort"]


@dataclass(frozen=True, eq=False)
class ConditionCohort:
    """A cohort of the condition and the genes the condition is predicted by.

    Attributes
    ----------
    cohort : str
        Its id.
    table : LinkedTable
        Its linked table; the trait of it is the condition.
    regressors : tuple of str
        Related genes of the condition that stand in both linked tables.
    """

    cohort: str
    table: LinkedTable
    regressors: tuple[str, ...]
