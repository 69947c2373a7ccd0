"""Slopes of all genes for many training sets at once.

All training sets are rows of one matrix, and z-scoring is affine for each gene. So the slope of a
z-scored gene is that of the raw gene, divided by its deviation in the training set, once the
residual is centred: one matrix product serves all genes and all training sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats, Rows

Singles = NDArray[np.float32]

S = TypeVar("S")
T = TypeVar("T")

CHUNK = 1024
FRAGILE = 1e-2
"""Below this share of a gene's overall deviation, single precision is not enough."""


def standardise(values: Floats, training: Rows, samples: Rows | None = None) -> Floats:
    """Return z-scores by the training samples; missing values are 0."""
    # Shapes: values (q, n), training (m,).
    learned = values.take(training, axis=1)
    new = learned if samples is None else values.take(samples, axis=1)
    mean, deviation = _moments(learned)
    scaled = new - mean[:, None]
    scaled /= deviation[:, None]
    unknown = np.isnan(scaled)
    if unknown.any():
        scaled[unknown] = 0.0
    return scaled


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    """Return mean and deviation of each row; 1 for the deviation of a constant row."""
    count: Floats | int = rows.shape[1]
    mean = rows.sum(axis=1) / count
    if np.isnan(mean).any():
        known = ~np.isnan(rows)
        count = np.maximum(known.sum(axis=1), 1)
        mean = np.where(known, rows, 0.0).sum(axis=1) / count
        spread = np.where(known, rows - mean[:, None], 0.0)
    else:
        spread = rows - mean[:, None]
    deviation = np.sqrt(np.einsum("ij,ij->i", spread, spread) / count)
    deviation[deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))] = 1.0
    return mean, deviation


class GeneScreen:
    """All genes as rows of one matrix in single precision, centred and scaled over all samples."""

    def __init__(self, values: Floats, pool: Executor | None = None) -> None:
        self._pool = pool
        samples, genes = values.shape
        self._values = values
        self._place = np.full(genes, -1, dtype=np.intp)
        self._fetched = np.empty((0, samples))
        self._count = 0
        self.rows: Singles = np.empty((genes, samples), dtype=np.float32)
        self.partial = np.full(genes, -1, dtype=np.intp)
        """Row of `known` for each gene with missing values, -1 for the others."""
        known = [np.empty((0, samples), dtype=np.bool_)]
        for start in range(0, genes, CHUNK):
            block = values[:, start : start + CHUNK].T
            unknown = np.isnan(block)
            some = np.flatnonzero(unknown.any(axis=1))
            if len(some):
                self.partial[start + some] = sum(map(len, known)) + np.arange(len(some))
                known.append(~unknown[some])
            mean, deviation = _moments(block)
            scaled = (block - mean[:, None]) / deviation[:, None]
            scaled[unknown] = 0.0
            self.rows[start : start + CHUNK] = scaled
        self.known = np.concatenate(known)

    def map(self, look: Callable[[S], T], parts: Iterable[S]) -> Iterator[T]:
        """Apply a function to parts of the genes, in order; in threads where there are any."""
        return self._pool.map(look, parts) if self._pool else map(look, parts)

    def fetch(self, genes: Rows) -> Floats:
        """Return genes as rows, as they came; fetched ones are kept, training sets share them."""
        new = np.unique(genes[self._place[genes] < 0])
        if len(new):
            self._place[new] = np.arange(self._count, self._count + len(new))
            needed = self._count + len(new)
            if needed > len(self._fetched):
                larger = np.empty((2 * needed, self._fetched.shape[1]))
                larger[: self._count] = self._fetched[: self._count]
                self._fetched = larger
            self._fetched[self._count : needed] = self._values[:, new].T
            self._count = needed
        return self._fetched[self._place[genes]]

    @property
    def size(self) -> int:
        """Number of genes."""
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Genes with steep slopes in one training set."""

    genes: Rows
    sizes: Floats


class TrainingSets:
    """Training sets over one gene matrix."""

    def __init__(self, screen: GeneScreen, samples: Sequence[Rows]) -> None:
        self.screen = screen
        self.samples = tuple(samples)
        member = np.zeros((screen.rows.shape[1], len(samples)))
        for column, rows in enumerate(samples):
            member[rows, column] = 1.0
        self._inverse: Singles = np.empty((screen.size, len(samples)), dtype=np.float32)
        self._mean: Singles = np.empty((len(screen.known), len(samples)), dtype=np.float32)
        weak = [self._learn(start, member) for start in range(0, screen.size, CHUNK)]
        self._fragile = self._really_varying(*map(np.concatenate, zip(*weak, strict=True)))

    def _learn(self, start: int, member: Floats) -> tuple[Rows, Rows]:
        """Learn the scales of a chunk of genes; return pairs of gene and set that vary little."""
        block = self.screen.rows[start : start + CHUNK].astype(np.float64)
        partial = self.screen.partial[start : start + CHUNK]
        some = np.flatnonzero(partial >= 0)
        count = np.broadcast_to(member.sum(axis=0), (len(block), member.shape[1]))
        if len(some):
            count = count.copy()
            count[some] = np.maximum(self.screen.known[partial[some]] @ member, 1.0)
        mean = block @ member / count
        variance = np.maximum(np.square(block) @ member / count - mean**2, 0.0)
        thin = variance < FRAGILE**2
        inverse = 1 / np.sqrt(np.where(thin, 1.0, variance))
        inverse[thin] = 0.0
        self._inverse[start : start + CHUNK] = inverse
        self._mean[partial[some]] = mean[some]
        genes, columns = np.nonzero(thin)
        return genes + start, columns

    def _really_varying(self, genes: Rows, columns: Rows) -> list[Rows]:
        """Sort out the genes that are constant in a training set; their slope is 0."""
        fragile = []
        for column in range(len(self.samples)):
            found = genes[columns == column]
            fragile.append(found[self.columns(column, found).any(axis=1)])
        return fragile

    def columns(self, column: int, genes: Rows, samples: Rows | None = None) -> Floats:
        """Return z-scored genes of one training set, in double precision, shape (genes, rows)."""
        return standardise(self.screen.fetch(genes), self.samples[column], samples)

    def largest(self, residuals: Sequence[Floats]) -> Floats:
        """Return the steepest slope in each training set, shape (sets,)."""
        everyone = np.arange(len(self.samples))
        centred = self._centred(everyone, residuals)
        first = np.zeros(len(everyone), dtype=np.intp)
        top = np.zeros(len(everyone))

        def look(genes: slice) -> tuple[Rows, Singles]:
            block = self._slopes(genes, centred, everyone)
            place = block.argmax(axis=0)
            return genes.start + place, block[place, everyone]

        for place, steepest in self.screen.map(look, self._chunks()):
            first = np.where(steepest > top, place, first)
            top = np.maximum(top, steepest)
        # In double precision, so that it does not depend on what single precision rounds.
        return np.array(
            [
                self._exact(column, np.append(self._fragile[column], first[column]), rest).max()
                for column, rest in enumerate(residuals)
            ]
        )

    def steep(
        self, columns: Rows, residuals: Sequence[Floats], limits: Floats, among: Rows | None = None
    ) -> list[Slopes]:
        """Return the genes whose slope exceeds a limit."""
        # Shapes: columns (c,), limits (c,).
        centred = self._centred(columns, residuals)
        bound = limits.astype(np.float32)

        def look(genes: slice | Rows) -> tuple[Rows, Rows, Singles]:
            block = self._slopes(genes, centred, columns)
            flat = np.flatnonzero(block > bound)
            row, place = np.divmod(flat, len(columns))
            gene = row + genes.start if isinstance(genes, slice) else genes[row]
            return gene, place, block.reshape(-1)[flat]

        parts: list[slice | Rows] = [*self._chunks()] if among is None else [among]
        hits = self.screen.map(look, parts)
        gene, place, size = map(np.concatenate, zip(*hits, strict=True))
        order = np.argsort(place, kind="stable")
        ends = np.cumsum(np.bincount(place, minlength=len(columns)))[:-1]
        found = []
        for here, column, rest in zip(np.split(order, ends), columns, residuals, strict=True):
            extra = self._fragile[column]
            exact = self._exact(column, extra, rest)
            found.append(Slopes(np.append(gene[here], extra), np.append(size[here], exact)))
        return found

    def _chunks(self) -> list[slice]:
        size = self.screen.size
        return [slice(start, min(start + CHUNK, size)) for start in range(0, size, CHUNK)]

    def _centred(self, columns: Rows, residuals: Sequence[Floats]) -> Singles:
        centred = np.zeros((self.screen.rows.shape[1], len(columns)), dtype=np.float32)
        for i, column in enumerate(columns):
            rest = residuals[i]
            centred[self.samples[column], i] = (rest - rest.mean()) / len(rest)
        return centred

    def _slopes(self, genes: slice | Rows, centred: Singles, columns: Rows) -> Singles:
        """Return the sizes of the slopes in single precision, shape (genes, columns)."""
        block: Singles = self.screen.rows[genes] @ centred
        partial = self.screen.partial[genes]
        some = np.flatnonzero(partial >= 0)
        if len(some):
            # The z-score of a missing value is 0: take the mean's share off the known ones only.
            share = self.screen.known[partial[some]].astype(np.float32) @ centred
            block[some] -= self._mean[partial[some]][:, columns] * share
        inverse = self._inverse[genes]
        block *= inverse if len(columns) == inverse.shape[1] else inverse[:, columns]
        return np.abs(block, out=block)

    def _exact(self, column: int, genes: Rows, residual: Floats) -> Floats:
        if not len(genes):
            return np.zeros(0)
        return np.abs(self.columns(column, genes) @ residual) / len(residual)
