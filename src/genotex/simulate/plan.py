"""The plan of a simulated cohort: its people, and how its submitters describe them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from genotex.simulate.people import People, TraitKind

__all__ = [
    "NOTHING_REAL",
    "CohortPlan",
    "Describe",
    "SampleNames",
    "Words",
    "keyed",
    "shifted_rows",
]

NOTHING_REAL = (
    "All values, people and accessions of this series are simulated; they tell nothing real."
)


@dataclass(frozen=True)
class Words:
    """The annotation of the samples of one cohort in the files.

    Attributes
    ----------
    rows : tuple of tuple of str
        Characteristics as in the files.
    age : tuple of str
        The words for the age of each sample, ``n/a`` if not recorded.
    sex : tuple of (str or None)
        The words for the sex of each sample, None if not recorded.
    level : tuple of str, optional
        The words for the level of a measured trait, ``n/a`` if not recorded.
    """

    rows: tuple[tuple[str, ...], ...]
    age: tuple[str, ...]
    sex: tuple[str | None, ...]
    level: tuple[str, ...] | None = None


Describe = Callable[[np.random.Generator, People], Words]


@dataclass(frozen=True)
class SampleNames:
    """Names of the samples of each group.

    Attributes
    ----------
    sources, titles : mapping of str to str
        Group -> source name, and how sample titles begin.
    """

    sources: Mapping[str, str]
    titles: Mapping[str, str]

    @classmethod
    def of_tissue_and_groups(cls, tissue: str, groups: Mapping[str, str]) -> SampleNames:
        """Return names composed of tissue and group."""
        return cls(
            {group: f"{tissue}, {name.lower()}" for group, name in groups.items()},
            {group: f"{name}, {tissue}" for group, name in groups.items()},
        )


@dataclass(frozen=True)
class CohortPlan:
    """One GEO cohort that is to be made.

    Attributes
    ----------
    accession, trait : str
        GSE accession and trait folder.
    array : str
        Name of the array, or of a measurement other than gene expression (`NO_EXPRESSION`).
    groups : mapping of str to int
        Samples of each group.
    late : mapping of str to float or None
        Share of each group in batch 2; None: no batches.
    describe : callable
        Describes the people in words.
    title, overall_design : str
        As in the ``!Series_`` lines.
    summary : tuple of str
        Lines.
    names : SampleNames
        Of the samples.
    usable : bool
        Whether a careful reader can use it.
    reason : str
        Why, or why not.
    kind : {"binary", "continuous"}
        Of the trait.
    hidden : mapping of str to str
        Other traits that some of the people have, unknown to the submitters, and their kinds.
    """

    accession: str
    trait: str
    array: str
    groups: Mapping[str, int]
    late: Mapping[str, float] | None
    describe: Describe
    title: str
    summary: tuple[str, ...]
    overall_design: str
    names: SampleNames
    usable: bool
    reason: str
    kind: TraitKind = "binary"
    hidden: Mapping[str, TraitKind] = field(default_factory=dict)


def keyed(key: str, cells: Sequence[object]) -> tuple[str, ...]:
    """Return a row of characteristics, ``key: cell`` for each sample."""
    return tuple(f"{key}: {cell}" for cell in cells)


def shifted_rows(rows: Sequence[Sequence[str | None]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows as GEO shows them: where a sample lacks one (None), its rest moves up."""
    columns = []
    for cells in zip(*rows, strict=True):
        there = [cell for cell in cells if cell is not None]
        columns.append(there + [""] * (len(rows) - len(there)))
    return tuple(zip(*columns, strict=True))
