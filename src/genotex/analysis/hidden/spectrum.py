"""What a design leaves of the genes, a part of them at a time, and its eigenvalues and -vectors.

Of up to `MOST_EXACT` samples all eigenvalues are computed. Of more, those above the noise are found
by block Krylov iteration (Musco and Musco 2015) until what is left of each is at most `LEFT` of it,
so that no matrix of all pairs of samples is made; how the others lie follows from the same vectors,
their sum being known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from genotex.arrays import Floats, gene_parts

GENES_AT_ONCE = 4096
LARGE = 1 << 28
"""Bytes of residuals above which they are made again each time."""
MANY, MOST_EXACT = 150, 3000
FIRST_BLOCK, LARGEST_BLOCK = 32, 256
"""Vectors that are followed: at first, and at most."""
MOST_VECTORS = 1024
BINS = 256
LEFT = 1e-6
SEED = 0


@dataclass(frozen=True, eq=False)
class GeneParts:
    """The expression of genes without gaps, a part of them at a time."""

    samples: int
    count: int
    read: Callable[[slice], Floats]  # Genes of a part, shape (n, g)

    @classmethod
    def of(cls, values: Floats) -> GeneParts:
        """Return those of a table (n, p)."""
        return cls(len(values), values.shape[1], lambda part: values[:, part])

    def parts(self) -> Iterator[slice]:
        """Return parts that are small enough to be copied."""
        return gene_parts(self.count, self.samples, GENES_AT_ONCE)


class Residuals:
    """What an orthonormal basis (n, k) leaves of the genes."""

    def __init__(self, genes: GeneParts, basis: Floats) -> None:
        self._genes, self._basis = genes, basis
        self.samples, self.count = genes.samples, genes.count
        self.df = genes.samples - basis.shape[1]
        self._kept: Floats | None = None
        if genes.samples * genes.count * 8 <= LARGE:
            self._kept = self._read(slice(None))

    def _read(self, part: slice) -> Floats:
        values = self._genes.read(part)
        rest = self._basis @ (self._basis.T @ values)
        return np.subtract(values, rest, out=rest)

    def parts(self) -> Iterator[tuple[slice, Floats]]:
        """Yield parts of the genes with their residuals, shape (n, g)."""
        for part in self._genes.parts():
            yield part, self._read(part) if self._kept is None else self._kept[:, part]

    def onto(self, directions: Floats) -> Floats:
        """Return the genes' products with directions (n, m), shape (m, p)."""
        return np.concatenate([directions.T @ rest for _, rest in self.parts()], axis=1)

    @cached_property
    def squares(self) -> Floats:
        """Sum of squares of each gene, shape (p,)."""
        return np.concatenate([np.einsum("ij,ij->j", rest, rest) for _, rest in self.parts()])

    def decompose(
        self, variance: Floats, enough: Callable[[Floats], int], *, rough: bool = False
    ) -> tuple[Floats, Floats]:
        """Return eigenvalues and -vectors of the scaled genes' mean cross-product, largest first.

        `enough` tells from the eigenvalues how many must be exact, with their vectors. Where they
        may be `rough`, products of many samples are in single precision, in half the time.
        """
        if self.samples > MOST_EXACT:
            return self._largest(variance, enough)
        kind: DTypeLike = np.float32 if rough and self.samples >= MANY else np.float64
        total = np.zeros((self.samples, self.samples))
        for part, rest in self.parts():
            scaled = np.empty(rest.shape, dtype=kind)
            np.divide(rest, np.sqrt(variance[part]), out=scaled, casting="same_kind")
            total += scaled @ scaled.T
        total /= self.count
        values, vectors = np.linalg.eigh(total)
        return np.maximum(values[::-1], 0.0)[: self.df], vectors[:, ::-1][:, : self.df]

    def _largest(self, variance: Floats, enough: Callable[[Floats], int]) -> tuple[Floats, Floats]:
        block = FIRST_BLOCK
        while True:
            values, vectors, needed = self._follow(variance, enough, block)
            if needed < block or block == LARGEST_BLOCK:
                return values, vectors
            block = min(2 * block, LARGEST_BLOCK)

    def _follow(
        self, variance: Floats, enough: Callable[[Floats], int], block: int
    ) -> tuple[Floats, Floats, int]:
        """Follow so many vectors until those needed are exact, or too many are."""
        whole = float((self.squares / variance).sum()) / self.count
        newest = np.random.default_rng(SEED).normal(size=(self.samples, block))
        newest -= self._basis @ (self._basis.T @ newest)
        newest = np.linalg.qr(newest)[0]
        basis, image = newest, self._multiply(newest, variance)
        while True:
            nodes, turn = (each[..., ::-1] for each in np.linalg.eigh(basis.T @ image))
            vectors, inner = basis @ turn[:, :block], nodes[:block]
            left = np.linalg.norm(image @ turn[:, :block] - vectors * inner, axis=0)
            weights = (turn[:block, block:] ** 2).sum(axis=0)
            others = _spread(nodes[block:], weights, self.df - block, whole - float(inner.sum()))
            values = np.append(np.maximum(inner, 0.0), others)
            needed = enough(values)
            exact = (left <= LEFT * inner)[:needed].all()
            full = basis.shape[1] + block > min(MOST_VECTORS, self.df)
            if len(nodes) > block and (exact or needed >= block or full):
                return values, vectors, needed
            newest = image[:, -block:]
            for _ in range(2):  # once leaves rounding
                newest = np.linalg.qr(newest - basis @ (basis.T @ newest))[0]
            basis = np.column_stack([basis, newest])
            image = np.column_stack([image, self._multiply(newest, variance)])

    def _multiply(self, vectors: Floats, variance: Floats) -> Floats:
        """Return the scaled genes' mean cross-product times vectors (n, m)."""
        found = np.zeros_like(vectors)
        for part, rest in self.parts():
            found += rest @ ((rest.T @ vectors) / variance[part, None])
        return found / self.count


def _spread(nodes: Floats, weights: Floats, number: int, total: float) -> Floats:
    """Return so many eigenvalues of a known sum that lie as nodes (descending) of a quadrature."""
    # By stochastic Lanczos quadrature (Ubaru, Chen and Saad 2017); a few different values will do.
    if not len(nodes):
        return np.full(number, total / number)
    middle = (np.cumsum(weights) - weights / 2) / weights.sum()
    bins = np.minimum(np.arange(number) * BINS // number, BINS - 1)
    found = np.maximum(np.interp((np.arange(BINS) + 0.5) / BINS, middle, nodes), 0.0)[bins]
    found *= max(total, 0.0) / max(float(found.sum()), np.finfo(np.float64).tiny)
    return found
