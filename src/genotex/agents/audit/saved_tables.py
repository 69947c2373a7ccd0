"""The linked table of a cohort as it was saved, and in what it is another than it should be."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.cohorts import JudgedCohort
from genotex.formats import LinkedTable

__all__ = ["Differences", "SavedTables", "differences"]


@dataclass(frozen=True, eq=False)
class SavedTables:
    """The two files of a linked table.

    Attributes
    ----------
    filled : LinkedTable
        The CSV file.
    unfilled : LinkedTable or None
        The Parquet twin, which tells filled values from measured ones; None where there is none.
    """

    filled: LinkedTable
    unfilled: LinkedTable | None


@dataclass(frozen=True)
class Differences:
    """What is other in a saved table than in the one that was expected.

    Attributes
    ----------
    lacking, surplus : tuple of (str, tuple of str)
        ``samples``, ``genes`` or ``covariates``, and those that only one of the two has.
    genes, of_genes : int
        Genes with another value somewhere, of those that both have.
    values, of_values : int
        The same of single values.
    largest : float
        The largest of these differences.
    """

    lacking: tuple[tuple[str, tuple[str, ...]], ...]
    surplus: tuple[tuple[str, tuple[str, ...]], ...]
    genes: int
    of_genes: int
    values: int
    of_values: int
    largest: float

    @property
    def none(self) -> bool:
        """Whether the tables are the same."""
        return not (self.lacking or self.surplus or self.values)

    @property
    def absent_or_other_genes(self) -> int:
        """How many genes only one of the two has, or with other values."""
        sets = (*self.lacking, *self.surplus)
        return self.genes + sum(len(names) for kind, names in sets if kind == "genes")

    def words(self) -> tuple[str, ...]:
        """Return each kind of difference in a sentence."""
        told = [_names("it lacks {} of the raw files", *found) for found in self.lacking]
        told += [
            _names("it has {} that the raw files do not give", *found) for found in self.surplus
        ]
        if self.values:
            told.append(
                f"{self.values} of {self.of_values} values of expression, in {self.genes} of "
                f"{self.of_genes} genes, are not those that the raw files give; they differ by up "
                f"to {self.largest:.3g}"
            )
        return tuple(told)


def _names(sentence: str, kind: str, names: Sequence[str]) -> str:
    return sentence.format(f"{len(names)} {kind}") + f", such as {names[0]}"


def differences(
    saved: SavedTables, expected: JudgedCohort, genes: Collection[str] | None = None
) -> Differences:
    """Compare the saved tables with what a cohort should have come to.

    Values are compared wherever both have the sample and the gene: the filled ones with the filled
    ones, and gaps with gaps.

    Parameters
    ----------
    saved : SavedTables
    expected : JudgedCohort
        With tables.
    genes : collection of str, optional
        Those that were expected at all; all by default.
    """
    assert expected.filled is not None and expected.unfilled is not None
    named = saved.filled.genes
    compared = named if genes is None else tuple(gene for gene in named if gene in genes)
    pairs = {
        "samples": (saved.filled.samples, expected.filled.samples),
        "genes": (compared, expected.filled.genes),
        "covariates": (tuple(saved.filled.covariates), tuple(expected.filled.covariates)),
    }
    other = _apart(saved.filled, expected.filled)
    if saved.unfilled is not None:
        gaps = _apart(saved.unfilled, expected.unfilled)
        other = np.where(np.isnan(gaps) | (gaps > other), gaps, other)
    wrong = np.isnan(other) | (other > 0)
    known = other[np.isfinite(other)]
    return Differences(
        lacking=_only(pairs, 1),
        surplus=_only(pairs, 0),
        genes=int(wrong.any(axis=0).sum()),
        of_genes=wrong.shape[1],
        values=int(wrong.sum()),
        of_values=wrong.size,
        largest=float(known.max(initial=0.0)),
    )


def _only(
    pairs: dict[str, tuple[tuple[str, ...], tuple[str, ...]]], side: int
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what one side alone has, by kind."""
    found = []
    for kind, both in pairs.items():
        there = frozenset(both[1 - side])
        if names := tuple(name for name in both[side] if name not in there):
            found.append((kind, names))
    return tuple(found)


def _apart(one: LinkedTable, other: LinkedTable) -> NDArray[np.float64]:
    """Return how far values are apart, samples x genes of both; 0 within rounding, NaN at a gap."""
    samples, genes = set(other.samples), set(other.genes)
    rows = [s for s in one.samples if s in samples]
    columns = [g for g in one.genes if g in genes]
    a, b = _part(one, rows, columns), _part(other, rows, columns)
    apart = np.abs(a - b)
    apart[(np.isnan(a) & np.isnan(b)) | np.isclose(a, b, rtol=1e-6, atol=1e-9)] = 0.0
    return apart


def _part(table: LinkedTable, rows: list[str], columns: list[str]) -> NDArray[np.float64]:
    if (tuple(rows), tuple(columns)) == (table.samples, table.genes):
        return table.expression
    row = {name: i for i, name in enumerate(table.samples)}
    column = {name: j for j, name in enumerate(table.genes)}
    return table.expression[np.ix_([row[s] for s in rows], [column[g] for g in columns])]
