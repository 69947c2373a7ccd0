"""Comparing saved files with what they should contain, and rejecting what contradicts itself."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from genotex.bench.runs.problem_record import ErrorClass
from genotex.cohorts.linking import JudgedCohort
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import LinkedTable
from genotex.outside import check_parquet


def reject(what: str) -> NoReturn:
    """Reject what a session left."""
    raise MethodFailedError(ErrorClass.BAD_OUTPUT, what)


def reject_oversized(path: Path, most_rows: int, most_columns: int) -> None:
    """Reject a Parquet file with more cells than there can be: a small file may unpack to any size.

    Only its metadata is read.
    """
    try:
        with path.open("rb") as handle:
            shape = check_parquet(handle, path)
    except OSError as error:
        reject(f"{path.name} cannot be read as Parquet: {error}")
    except FormatError as error:
        reject(f"{path.name} cannot be read as Parquet: {error.message}")
    rows, columns = shape.rows, len(shape.names)
    if rows > most_rows or columns > most_columns:
        reject(
            f"{path.name} has {rows} rows and {columns} columns; expected are at most {most_rows} "
            f"and {most_columns}"
        )


WITHIN = 1e-6
"""How far apart two numbers may be, relative to the larger one."""


def records_agree(one: object, other: object) -> bool:
    """Return whether two JSON values are the same; numbers may differ by rounding."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(records_agree(one[k], other[k]) for k in other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(records_agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        both_missing = math.isnan(one) and math.isnan(other)
        return both_missing or math.isclose(one, other, rel_tol=WITHIN)
    return one == other


@dataclass(frozen=True, eq=False)
class SavedTables:
    """The two files of a linked table."""

    filled: LinkedTable  # The CSV file
    # The Parquet file, in which missing values are not filled; None where it is missing.
    unfilled: LinkedTable | None


@dataclass(frozen=True)
class Differences:
    """Differences between a saved table and the expected one."""

    # lacking, surplus: ``samples``, ``genes`` or ``covariates``, and those that only one of
    # the two has.
    lacking: tuple[tuple[str, tuple[str, ...]], ...]
    surplus: tuple[tuple[str, tuple[str, ...]], ...]
    # Genes with a different value anywhere, of those that both have; the same of single values.
    genes: int
    of_genes: int
    values: int
    of_values: int
    largest: float  # The largest of these differences

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
        sentences = [_named("it lacks {} of the raw files", *found) for found in self.lacking]
        sentences += [
            _named("it has {} that the raw files do not give", *found) for found in self.surplus
        ]
        if self.values:
            sentences.append(
                f"{self.values} of {self.of_values} expression values, in {self.genes} of "
                f"{self.of_genes} genes, are not those that the raw files give; they differ by up "
                f"to {self.largest:.3g}"
            )
        return tuple(sentences)


def _named(sentence: str, kind: str, names: Sequence[str]) -> str:
    return sentence.format(f"{len(names)} {kind}") + f", such as {names[0]}"


def differences(
    saved: SavedTables, expected: JudgedCohort, genes: Collection[str] | None = None
) -> Differences:
    """Compare the saved tables with those expected of a cohort.

    Values are compared wherever both have the sample and the gene: the filled ones with the filled
    ones, and gaps with gaps.
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
        lacking=_only_in(pairs, 1),
        surplus=_only_in(pairs, 0),
        genes=int(wrong.any(axis=0).sum()),
        of_genes=wrong.shape[1],
        values=int(wrong.sum()),
        of_values=wrong.size,
        largest=float(known.max(initial=0.0)),
    )


def _only_in(
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
