"""Slopes of all genes for many training sets at once.

All training sets are rows of one matrix, and z-scoring is affine for each gene. So the slope of a
z-scored gene is that of the raw gene, divided by its deviation in the training set, once the residual
is centred: one matrix product serves all genes and all training sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GeneScreen", "TrainingSets", "standardise"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.intp]

CHUNK = 1024
FRAGILE = 1e-2
"""Below this share of a gene's overall deviation, single precision is not enough."""


def standardise(values: Floats, training: Indices, samples: Indices | None = None) -> Floats:
    """Return z-scores by the training rows, transposed; missing values are 0.

    Parameters
    ----------
    values : ndarray of float64, shape (n, q)
        NaN is missing.
    training : ndarray of int, shape (m,)
        Rows whose mean and population deviation are used; a deviation of 0 counts as 1.
    samples : ndarray of int, optional
        Rows to return; the training rows by default.

    Returns
    -------
    ndarray of float64, shape (q, samples)
    """
    learned = values[training].T
    mean, deviation = _moments(learned)
    new = learned if samples is None else values[samples].T
    scaled = np.ascontiguousarray((new - mean[:, None]) / deviation[:, None])
    np.nan_to_num(scaled, copy=False, nan=0.0)
    return scaled


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    """Return mean and deviation of each row; 1 for the deviation of a constant row."""
    known = ~np.isnan(rows)
    if known.all():
        mean = rows.mean(axis=1)
        deviation = rows.std(axis=1)
    else:
        count = np.maximum(known.sum(axis=1), 1)
        mean = np.where(known, rows, 0.0).sum(axis=1) / count
        spread = np.where(known, rows - mean[:, None], 0.0)
        deviation = np.sqrt(np.einsum("ij,ij->i", spread, spread) / count)
    flat = deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))
    return mean, np.where(flat, 1.0, deviation)


class GeneScreen:
    """All genes as rows of one matrix in single precision, centred and scaled over all samples.

    Parameters
    ----------
    values : ndarray of float64, shape (n, p)
        Expression; NaN is missing. Kept as it is for what needs double precision.
    """

    def __init__(self, values: Floats) -> None:
        samples, genes = values.shape
        self.values = values
        self.rows: Singles = np.empty((genes, samples), dtype=np.float32)
        self.missing: dict[int, NDArray[np.bool_]] = {}
        """Start of a chunk of genes with missing values to where they are known."""
        for start in range(0, genes, CHUNK):
            block = values[:, start : start + CHUNK].T
            unknown = np.isnan(block)
            if unknown.any():
                self.missing[start] = ~unknown
            mean, deviation = _moments(block)
            scaled = (block - mean[:, None]) / deviation[:, None]
            scaled[unknown] = 0.0
            self.rows[start : start + CHUNK] = scaled

    @property
    def size(self) -> int:
        """Number of genes."""
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Genes with steep slopes in one training set."""

    genes: Indices
    sizes: Floats


class TrainingSets:
    """Training sets over one gene matrix.

    Parameters
    ----------
    screen : GeneScreen
        The genes.
    samples : sequence of ndarray of int
        Rows of each training set, ascending.
    """

    def __init__(self, screen: GeneScreen, samples: Sequence[Indices]) -> None:
        self.screen = screen
        self.samples = tuple(samples)
        member = np.zeros((screen.rows.shape[1], len(samples)))
        for column, rows in enumerate(samples):
            member[rows, column] = 1.0
        self._inverse: Singles = np.empty((screen.size, len(samples)), dtype=np.float32)
        self._mean: dict[int, Floats] = {}
        weak: list[tuple[Indices, Indices]] = []
        for start in range(0, screen.size, CHUNK):
            block = screen.rows[start : start + CHUNK].astype(np.float64)
            count = member.sum(axis=0)
            if start in screen.missing:
                count = np.maximum(screen.missing[start] @ member, 1.0)
            mean = block @ member / count
            variance = np.maximum(np.square(block) @ member / count - mean**2, 0.0)
            thin = variance < FRAGILE**2
            with np.errstate(divide="ignore"):
                inverse = 1 / np.sqrt(variance)
            inverse[thin] = 0.0
            self._inverse[start : start + CHUNK] = inverse
            if start in screen.missing:
                self._mean[start] = mean
            genes, columns = np.nonzero(thin)
            weak.append((genes + start, columns))
        self._fragile = self._really_varying(*map(np.concatenate, zip(*weak, strict=True)))

    def _really_varying(self, genes: Indices, columns: Indices) -> list[Indices]:
        """Sort out the genes that are constant in a training set; their slope is 0."""
        fragile = []
        for column, rows in enumerate(self.samples):
            found = genes[columns == column]
            fragile.append(found[self.columns(column, found).any(axis=1)])
        return fragile

    def columns(self, column: int, genes: Indices, samples: Indices | None = None) -> Floats:
        """Return z-scored genes of one training set, in double precision, shape (genes, rows)."""
        training = self.samples[column]
        wanted = training if samples is None else np.concatenate([training, samples])
        values = self.screen.values[np.ix_(wanted, genes)]
        inside = np.arange(len(training))
        outside = None if samples is None else np.arange(len(training), len(wanted))
        return standardise(values, inside, outside)

    def largest(self, residuals: Sequence[Floats]) -> Floats:
        """Return the steepest slope in each training set, shape (sets,)."""
        everyone = np.arange(len(self.samples))
        top = np.zeros(len(everyone))
        for start in range(0, self.screen.size, CHUNK):
            block = self._slopes(start, self._centred(everyone, residuals), everyone)
            np.maximum(top, block.max(axis=0, initial=0.0), out=top)
        for column, genes in enumerate(self._fragile):
            exact = self._exact(column, genes, residuals[column])
            top[column] = max(top[column], exact.max(initial=0.0))
        return top

    def steep(self, columns: Indices, residuals: Sequence[Floats], limits: Floats) -> list[Slopes]:
        """Return the genes whose slope exceeds a limit.

        Parameters
        ----------
        columns : ndarray of int, shape (c,)
            Training sets to look at.
        residuals : sequence of ndarray of float64
            Residual of each of them.
        limits : ndarray of float64, shape (c,)
            Least mean product of residual and z-scored gene.
        """
        centred = self._centred(columns, residuals)
        genes, places, sizes = [], [], []
        bound = limits.astype(np.float32)
        for start in range(0, self.screen.size, CHUNK):
            block = self._slopes(start, centred, columns)
            gene, place = np.nonzero(block > bound)
            genes.append(gene + start)
            places.append(place)
            sizes.append(block[gene, place])
        gene, place, size = np.concatenate(genes), np.concatenate(places), np.concatenate(sizes)
        found = []
        for i, column in enumerate(columns):
            here = place == i
            extra = self._fragile[column]
            found.append(
                Slopes(
                    np.concatenate([gene[here], extra]),
                    np.concatenate([size[here], self._exact(column, extra, residuals[i])]),
                )
            )
        return found

    def _centred(self, columns: Indices, residuals: Sequence[Floats]) -> Singles:
        centred = np.zeros((self.screen.rows.shape[1], len(columns)), dtype=np.float32)
        for i, column in enumerate(columns):
            rest = residuals[i]
            centred[self.samples[column], i] = (rest - rest.mean()) / len(rest)
        return centred

    def _slopes(self, start: int, centred: Singles, columns: Indices) -> Singles:
        block: Singles = self.screen.rows[start : start + CHUNK] @ centred
        if start in self.screen.missing:
            # The z-score of a missing value is 0: take the mean's share off the known ones only.
            share = self.screen.missing[start].astype(np.float32) @ centred
            block -= self._mean[start][:, columns].astype(np.float32) * share
        inverse = self._inverse[start : start + CHUNK]
        block *= inverse if len(columns) == inverse.shape[1] else inverse[:, columns]
        return np.abs(block, out=block)

    def _exact(self, column: int, genes: Indices, residual: Floats) -> Floats:
        if not len(genes):
            return np.zeros(0)
        return np.abs(self.columns(column, genes) @ residual) / len(residual)
