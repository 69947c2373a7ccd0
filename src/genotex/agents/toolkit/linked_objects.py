"""Clinical features and genes side by side, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.tables import Table
from genotex.cohorts import FilledCohort, JudgedCohort, LinkedCohort
from genotex.formats import LinkedTable

__all__ = ["FilledTable", "JudgedTable", "LinkedSamples", "OfSamples"]


class OfSamples(Table):
    """A linked table, samples x (trait, Age, Gender, genes)."""

    @property
    def table(self) -> LinkedTable:
        """The table that is shown."""
        raise NotImplementedError

    @property
    def rows(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.table.samples

    @property
    def columns(self) -> tuple[str, ...]:
        """The trait, covariates, genes."""
        return (self.table.trait, *self.table.covariates, *self.table.genes)

    @property
    def values(self) -> NDArray[np.float64]:
        """All of them as numbers."""
        table = self.table
        features = [table.trait_values, *table.covariates.values()]
        return np.column_stack([*features, table.expression])

    @property
    def size(self) -> str:
        """Samples, features and genes in words."""
        table = self.table
        features = ", ".join([table.trait, *table.covariates])
        return f"{len(table.samples)} samples x ({features}, {len(table.genes)} genes)"


@dataclass(frozen=True, eq=False, repr=False)
class LinkedSamples(OfSamples):
    """Clinical features and genes side by side, with all their gaps."""

    made_by: ClassVar[str] = "link(clinical, genes)"
    task: Task
    cohort: LinkedCohort

    @property
    def table(self) -> LinkedTable:
        """The table with its gaps."""
        return self.cohort.table

    def __repr__(self) -> str:
        """Tell the size."""
        left = self.cohort.without_expression
        return f"linked: {self.size}; {left} samples without expression left out"


@dataclass(frozen=True, eq=False, repr=False)
class FilledTable(OfSamples):
    """A linked table whose missing values were dealt with."""

    made_by: ClassVar[str] = "handle_missing_values(linked)"
    task: Task
    cohort: FilledCohort

    @property
    def table(self) -> LinkedTable:
        """The table without gaps."""
        return self.cohort.filled

    def __repr__(self) -> str:
        """Tell the size, and what was dropped and filled."""
        counts = (f"{n.replace('_', ' ')} {v}" for n, v in self.cohort.counts.as_dict().items())
        return f"without gaps: {self.size}; {', '.join(counts)}"


@dataclass(frozen=True, eq=False, repr=False)
class JudgedTable(OfSamples):
    """A linked table that was judged."""

    made_by: ClassVar[str] = "judge_bias(filled)"
    task: Task
    cohort: JudgedCohort
    filled: LinkedTable

    @property
    def table(self) -> LinkedTable:
        """The table without gaps and without covariates that hardly vary."""
        return self.filled

    @property
    def is_usable(self) -> bool:
        """Whether the cohort can be used."""
        return self.cohort.info.is_usable

    def __repr__(self) -> str:
        """Tell the verdict."""
        verdict = "usable" if self.is_usable else "not usable"
        notes = "; ".join(self.cohort.notes) or "nothing to note"
        return f"{verdict}: {self.size}; {notes}"
