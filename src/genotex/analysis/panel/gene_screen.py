"""Slopes of all genes for many training sets at once.

All training sets are rows of one matrix, and z-scoring is affine for each gene. So the slope of a
z-scored gene is that of the raw gene, divided by its deviation in the training set, once the
residual is centred: one matrix product serves all genes and all training sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Flags, Floats, Rows

Singles = NDArray[np.float32]

T = TypeVar("T")

CHUNK, SHARES = 1024, 4
LARGE = 1 << 28
"""Bytes of a table of which nothing is held twice, though that takes longer."""
FRAGILE = 1e-2
"""Below this share of a gene's overall deviation, single precision is not enough."""
SINGLE = 1e-6
"""Rounding of a product in single precision, as a share of the largest that it may be."""
MOST_DOUBTFUL = 0.1
"""Where more of the first genes may be too steep, all are looked at again."""


def standardise(values: Floats | Singles, training: Rows, samples: Rows | None = None) -> Floats:
    """Return z-scores by the training samples; missing values are 0."""
    # Shapes: values (q, n), training (m,).
    scaled, mean, deviation = _moments(values.take(training, axis=1).astype(np.float64, copy=False))
    if samples is not None:
        scaled = values.take(samples, axis=1) - mean[:, None]
        scaled[np.isnan(scaled)] = 0.0
    scaled /= deviation[:, None]
    return scaled


def _moments(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return rows less their means, 0 where missing; the means; deviations, 1 of constant rows."""
    count: Floats | int = rows.shape[1]
    mean = rows.sum(axis=1) / count
    if np.isnan(mean.sum()):
        known = ~np.isnan(rows)
        count = np.maximum(known.sum(axis=1), 1)
        mean = np.where(known, rows, 0.0).sum(axis=1) / count
        spread = np.where(known, rows - mean[:, None], 0.0)
    else:
        spread = rows - mean[:, None]
    deviation = np.sqrt(np.einsum("ij,ij->i", spread, spread) / count)
    deviation[deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))] = 1.0
    return spread, mean, deviation


@dataclass(frozen=True, eq=False)
class ChosenGenes:
    """Some genes of a table, which is not copied."""

    table: Floats  # (n, p)
    chosen: Rows  # (q,): columns

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples, and of genes."""
        return len(self.table), len(self.chosen)


class GeneScreen:
    """All genes as rows of one matrix in single precision, centred and scaled over all samples."""

    def __init__(self, values: Floats | ChosenGenes, pool: Executor | None = None) -> None:
        self._pool = pool
        samples, genes = values.shape
        if not isinstance(values, ChosenGenes):
            values = ChosenGenes(values, np.arange(genes))
        self._genes = values
        self._place = np.full(genes, -1, dtype=np.intp)
        self._fetched = np.empty((0, samples))
        self._count = 0
        self.rows: Singles = np.empty((genes, samples), dtype=np.float32)
        places, known = zip(*map(self._read, self._parts()), strict=True)
        self.partial = np.full(genes, -1, dtype=np.intp)
        """Row of `known` for each gene with missing values, -1 for the others."""
        some = np.concatenate(places)
        self.partial[some] = np.arange(len(some))
        self.known: Flags = np.concatenate(known)

    def _read(self, part: slice) -> tuple[Rows, Flags]:
        """Take a part of the genes; return those with missing values, and which they have."""
        block = self._genes.table[:, self._genes.chosen[part]].T
        spread, _, deviation = _moments(block)
        self.rows[part] = spread / deviation[:, None]
        known = ~np.isnan(block)
        some = np.flatnonzero(~known.all(axis=1))
        return some + part.start, known[some]

    def _parts(self) -> list[slice]:
        return [slice(start, min(start + CHUNK, self.size)) for start in range(0, self.size, CHUNK)]

    def each(self, look: Callable[[slice], T]) -> list[T]:
        """Apply a function to all parts of the genes, in order; in threads where there are any."""
        parts = self._parts()
        if self._pool is None:
            return [look(part) for part in parts]
        # A few parts in one go, since handing them out takes time too.
        share = -(-len(parts) // SHARES)
        shares = [parts[start : start + share] for start in range(0, len(parts), share)]
        found = self._pool.map(lambda some: [look(part) for part in some], shares)
        return [each for some in found for each in some]

    def fetch(self, genes: Rows) -> Floats:
        """Return genes as rows, as they came."""
        # Those of a small table are kept, as training sets share them.
        if self._genes.table.nbytes > LARGE:
            return np.ascontiguousarray(self._genes.table[:, self._genes.chosen[genes]].T)
        place = self._place[genes]
        if len(place) and place.min() < 0:
            new = np.unique(genes[place < 0])
            self._place[new] = np.arange(self._count, self._count + len(new))
            needed = self._count + len(new)
            if needed > len(self._fetched):
                larger = np.empty((2 * needed, self._fetched.shape[1]))
                larger[: self._count] = self._fetched[: self._count]
                self._fetched = larger
            self._fetched[self._count : needed] = self._genes.table[:, self._genes.chosen[new]].T
            self._count = needed
            place = self._place[genes]
        return self._fetched.take(place, axis=0)

    @property
    def size(self) -> int:
        """Number of genes."""
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Genes with steep slopes in one training set."""

    genes: Rows
    sizes: Floats | Singles


def _mixture(old: Floats, new: Floats, target: Singles) -> tuple[Floats, Floats]:
    """Return how much of two vectors makes the best sum for a target, in each row."""
    oo, nn, on, ot, nt = (
        np.einsum("ij,ij->i", one, other)
        for one, other in ((old, old), (new, new), (old, new), (old, target), (new, target))
    )
    apart = oo * nn - on**2
    both = apart > 1e-9 * oo * nn
    by_old = np.divide(ot * nn - nt * on, apart, out=np.zeros_like(nn), where=both)
    return by_old, np.divide(nt - by_old * on, nn, out=np.zeros_like(nn), where=nn > 0)


class TrainingSets:
    """Training sets over one gene matrix."""

    def __init__(self, screen: GeneScreen, samples: Sequence[Rows]) -> None:
        self.screen = screen
        self.samples = tuple(samples)
        member: Singles = np.zeros((len(samples), screen.rows.shape[1]), dtype=np.float32)
        for column, rows in enumerate(samples):
            member[column, rows] = 1.0
        self._inverse: Singles = np.empty((len(samples), screen.size), dtype=np.float32)
        self._mean: Singles = np.empty((len(samples), len(screen.known)), dtype=np.float32)
        # Residuals of the last two looks, and the slopes that they found, the older first.
        self._residuals = np.zeros((2, *member.shape))
        self._looks: Singles = np.zeros((2, len(samples), screen.size), dtype=np.float32)
        weak = screen.each(lambda part: self._learn(part, member))
        self._fragile = self._really_varying(*map(np.concatenate, zip(*weak, strict=True)))

    def _learn(self, part: slice, member: Singles) -> tuple[Rows, Rows]:
        """Learn the scales of a chunk of genes; return pairs of set and gene that vary little."""
        # Sums in single precision are as exact as the slopes that are divided by these scales.
        block = self.screen.rows[part].T
        partial = self.screen.partial[part]
        some = np.flatnonzero(partial >= 0)
        count = member.sum(axis=1, keepdims=True)
        if len(some):
            count = np.repeat(count, block.shape[1], axis=1)
            count[:, some] = np.maximum(member @ self.screen.known[partial[some]].T, 1.0)
        mean = member @ block
        mean /= count
        self._mean[:, partial[some]] = mean[:, some]
        variance: Singles = member @ np.square(block)
        variance /= count
        variance -= np.square(mean, out=mean)
        thin = variance < FRAGILE**2
        variance[thin] = np.inf
        np.divide(1, np.sqrt(variance, out=variance), out=self._inverse[:, part])
        columns, genes = np.nonzero(thin)
        return columns, genes + part.start

    def _really_varying(self, columns: Rows, genes: Rows) -> list[Rows]:
        """Sort out the genes that are constant in a training set; their slope is 0."""
        fragile = []
        for column in range(len(self.samples)):
            found = genes[columns == column]
            scaled = standardise(self.screen.fetch(found), self.samples[column])
            fragile.append(found[scaled.any(axis=1)])
        return fragile

    def columns(self, column: int, genes: Rows) -> Floats:
        """Return z-scored genes of one training set, in double precision, shape (genes, rows)."""
        fragile = self._fragile[column]
        partial = len(self.screen.known) and (self.screen.partial[genes] >= 0).any()
        if partial or (len(fragile) and np.isin(genes, fragile).any()):
            return standardise(self.screen.fetch(genes), self.samples[column])
        # Rounding to single precision is far below what a fit leaves of its slopes.
        return standardise(self.screen.rows.take(genes, axis=0), self.samples[column])

    def largest(self, residuals: Sequence[Floats]) -> Floats:
        """Return the steepest slope in each training set, shape (sets,)."""
        everyone = np.arange(len(self.samples))
        first = self._look(everyone, self._centred(everyone, residuals)).argmax(axis=1)
        # In double precision, so that it does not depend on what single precision rounds.
        return np.array(
            [
                self._exact(column, np.append(self._fragile[column], first[column]), rest).max()
                for column, rest in enumerate(residuals)
            ]
        )

    def steep(
        self,
        columns: Rows,
        residuals: Sequence[Floats],
        limits: Floats,
        sure: Floats,
        in_use: Sequence[Rows],
    ) -> list[Slopes]:
        """Return the genes not in use whose slope exceeds a limit.

        Sizes are recalled from earlier looks, and those that may exceed `sure` are exact.
        """
        # Shapes: columns (c,), limits (c,), sure (c,), at least the limits.
        centred = self._centred(columns, residuals)
        slopes = self._recall(columns, centred, sure)
        for i, genes in enumerate(in_use):
            slopes[i, genes] = 0.0
        flat = np.flatnonzero(slopes > limits.astype(np.float32)[:, None])
        place, gene = np.divmod(flat, self.screen.size)
        size = slopes.reshape(-1)[flat]
        ends = np.searchsorted(place, np.arange(1, len(columns) + 1)).tolist()
        found = []
        for i, (start, end) in enumerate(pairwise([0, *ends])):
            genes, sizes = gene[start:end], size[start:end]
            if len(fragile := self._fragile[columns[i]]):
                extra = np.setdiff1d(fragile, in_use[i])
                exact = self._exact(columns[i], extra, residuals[i])
                steep = exact > limits[i]
                genes, sizes = np.append(genes, extra[steep]), np.append(sizes, exact[steep])
            found.append(Slopes(genes, sizes))
        return found

    def _recall(self, columns: Rows, centred: Singles, sure: Floats) -> Singles:
        """Return the sizes of all slopes from the last two looks, where that tells enough."""
        # A residual is a sum of those of the last two looks and a rest, and so is a slope; what
        # the rest adds is at most its length, as z-scored genes are of one length.
        old, new = (kept[columns] for kept in self._residuals)
        shares = _mixture(old, new, centred)
        parts = [shares[0][:, None] * old, shares[1][:, None] * new]
        lengths = [
            np.sqrt(np.einsum("ij,ij->i", each, each)) for each in (centred - sum(parts), *parts)
        ]
        samples = np.array([len(self.samples[column]) for column in columns])
        bound = np.sqrt(samples) * (lengths[0] + SINGLE * (lengths[1] + lengths[2]))
        by_old, by_new = (share.astype(np.float32)[:, None] for share in shares)
        limit = (sure - bound).astype(np.float32)[:, None]
        every = len(columns) == len(self.samples)
        slopes = np.empty((len(columns), self.screen.size), dtype=np.float32)

        def recall(part: slice) -> Rows:
            block, (older, newer) = slopes[:, part], self._looks[:, :, part]
            np.multiply(older if every else older[columns], by_old, out=block)
            block += by_new * (newer if every else newer[columns])
            np.abs(block, out=block)
            found: Rows = np.flatnonzero((block > limit).any(axis=0)) + part.start
            return found

        # The first genes tell what is to be expected of the others.
        some = min(CHUNK, self.screen.size)
        if len(recall(slice(0, some))) > MOST_DOUBTFUL * some:
            return self._look(columns, centred)
        again = np.concatenate(self.screen.each(recall))
        slopes[:, again] = np.abs(self._slopes(again, centred, columns))
        return slopes

    def _look(self, columns: Rows, centred: Singles) -> Singles:
        """Return the sizes of all slopes, and keep them in mind."""
        every = len(columns) == len(self.samples)
        if every:
            self._looks, self._residuals = self._looks[::-1], self._residuals[::-1]
        else:
            self._residuals[0, columns] = self._residuals[1, columns]
        self._residuals[1, columns] = centred
        slopes = np.empty((len(columns), self.screen.size), dtype=np.float32)

        def look(part: slice) -> None:
            found = self._slopes(part, centred, columns)
            older, newer = self._looks[:, :, part]
            if not every:
                older[columns] = newer[columns]
            newer[columns] = found
            np.abs(found, out=slopes[:, part])

        self.screen.each(look)
        return slopes

    def _centred(self, columns: Rows, residuals: Sequence[Floats]) -> Singles:
        centred = np.zeros((len(columns), self.screen.rows.shape[1]), dtype=np.float32)
        for i, column in enumerate(columns):
            rest = residuals[i]
            centred[i, self.samples[column]] = (rest - rest.mean()) / len(rest)
        return centred

    def _slopes(self, genes: slice | Rows, centred: Singles, columns: Rows) -> Singles:
        """Return the slopes in single precision, shape (columns, genes)."""
        block: Singles = centred @ self.screen.rows[genes].T
        partial = self.screen.partial[genes]
        some = np.flatnonzero(partial >= 0)
        if len(some):
            # The z-score of a missing value is 0: take the mean's share off the known ones only.
            share = centred @ self.screen.known[partial[some]].T.astype(np.float32)
            block[:, some] -= self._mean[np.ix_(columns, partial[some])] * share
        inverse = self._inverse[:, genes]
        block *= inverse if len(columns) == len(inverse) else inverse[columns]
        return block

    def _exact(self, column: int, genes: Rows, residual: Floats) -> Floats:
        if not len(genes):
            return np.zeros(0)
        scaled = standardise(self.screen.fetch(genes), self.samples[column])
        return np.abs(scaled @ residual) / len(residual)
