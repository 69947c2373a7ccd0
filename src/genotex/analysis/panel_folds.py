"""Folds and halves of the samples that are alike in the trait."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["complementary_halves", "smallest_class", "splits", "stratified_folds"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FOLDS = 5


def smallest_class(target: Floats, binary: bool) -> int:
    """Return the samples in the smaller class; a measured trait counts as two equal classes."""
    return int(min(target.sum(), len(target) - target.sum())) if binary else len(target) // 2


def fold_count(target: Floats, binary: bool) -> int:
    """Return the number of folds: five, or the size of the smaller class if fewer."""
    return max(2, min(FOLDS, smallest_class(target, binary)))


def stratified_folds(target: Floats, binary: bool, count: int, seed: int) -> NDArray[np.intp]:
    """Give every sample a fold, so that the folds are alike in the trait."""
    # Classes are dealt out in random order one after the other; a measured trait is sorted and
    # every run of `count` neighbours is dealt out at random.
    # Shapes: target (n,).
    # Returns Fold of each sample, 0 to count - 1.
    rng = np.random.default_rng(seed)
    fold = np.empty(len(target), dtype=np.intp)
    if binary:
        order = np.concatenate(
            [rng.permutation(np.flatnonzero(target == level)) for level in np.unique(target)]
        )
        fold[order] = np.arange(len(target)) % count
        return fold
    order = np.argsort(target, kind="stable")
    for start in range(0, len(order), count):
        block = order[start : start + count]
        fold[block] = rng.permutation(count)[: len(block)]
    return fold


def splits(target: Floats, binary: bool, rows: Rows, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield training and test rows of each fold."""
    # Shapes: target (n,), rows (m,).
    part = target[rows]
    folds = stratified_folds(part, binary, fold_count(part, binary), seed)
    for fold in range(int(folds.max()) + 1):
        yield rows[folds != fold], rows[folds == fold]


def complementary_halves(target: Floats, binary: bool, pairs: int, seed: int) -> list[Rows]:
    """Draw disjoint pairs of halves that are alike in the trait (Shah and Samworth 2013)."""
    # Each half of a pair gets half of each class. Of an odd class one sample, drawn again for each
    # pair, is in neither half. A measured trait is sorted, and every two neighbours are parted at
    # random.
    # Shapes: target (n,).
    # Returns Rows of each half, ascending; 2 j and 2 j + 1 are a pair.
    rng = np.random.default_rng(seed)
    halves = []
    for _ in range(pairs):
        sides = _parted_classes(target, rng) if binary else _parted_neighbours(target, rng)
        halves += [np.sort(side) for side in sides]
    return halves


def _parted_classes(target: Floats, rng: np.random.Generator) -> tuple[Rows, Rows]:
    one, other = [], []
    for level in np.unique(target):
        order = rng.permutation(np.flatnonzero(target == level))
        half = len(order) // 2
        one.append(order[:half])
        other.append(order[half : 2 * half])
    return np.concatenate(one), np.concatenate(other)


def _parted_neighbours(target: Floats, rng: np.random.Generator) -> tuple[Rows, Rows]:
    order = np.argsort(target, kind="stable")
    if len(order) % 2:
        order = np.delete(order, rng.integers(len(order)))
    neighbours = rng.permuted(order.reshape(-1, 2), axis=1)
    return neighbours[:, 0], neighbours[:, 1]
