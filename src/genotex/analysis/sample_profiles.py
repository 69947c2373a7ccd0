"""Whole expression profiles of the samples: gene moments, distances, levels; read in chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.contrast import Contrast
from genotex.analysis.sample_facts import SampleFacts, read_value
from genotex.formats import LinkedTable

__all__ = ["FEWEST_GENES", "SMALL_GROUP", "Profiles", "tissues_of"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

FEWEST_GENES = 100
"""Profiles of fewer genes are no profiles."""
SMALL_GROUP = 4
"""A sample of a smaller group is compared with all samples."""
MOST_GENES = 5_000
"""Distances are computed over at most this many genes, evenly spread over the table."""
LEVELS = 2_048
"""Genes, evenly spread, that the distribution of a sample's values is taken from."""
CHUNK = 2_000

_TISSUE = re.compile(
    r"tissue|organ\b|cell ?type|cell ?line|region|body ?site|source", re.IGNORECASE
)
MOST_TISSUES = 4
"""A characteristic names tissues when it has at most one value for so many samples."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The expression of the samples of a contrast.

    Nothing here copies the whole table: genes are read in chunks.

    Attributes
    ----------
    table : LinkedTable
        One cohort; expression may have gaps (NaN).
    contrast : Contrast
        Its n samples and their trait.
    tissues : tuple of str
        Tissue or cell type of each sample as `tissues_of` finds it; empty where not recorded.
    """

    table: LinkedTable
    contrast: Contrast
    tissues: tuple[str, ...] = ()

    @property
    def samples(self) -> tuple[str, ...]:
        """Ids of the samples compared, in the order of the contrast."""
        return tuple(self.table.samples[i] for i in self.contrast.rows)

    @property
    def groups(self) -> tuple[str, ...]:
        """``case`` or ``control`` of each sample; ``sample`` for a continuous trait."""
        if not self.contrast.binary:
            return ("sample",) * len(self.contrast.rows)
        return tuple("case" if value else "control" for value in self.contrast.values)

    @cached_property
    def peers(self) -> Mask:
        """Which samples each sample is compared with, shape (n, n).

        Those of its group and tissue; with too few of them those of its tissue; then all.
        """
        names = np.array(self.tissues or ("",) * len(self.contrast.rows))
        tissue: Mask = names[:, None] == names
        same: Mask = self.same_group & tissue
        for wider in (tissue, np.ones_like(tissue)):
            few = same.sum(axis=1) < SMALL_GROUP
            same[few] = wider[few]
        np.fill_diagonal(same, False)
        return same

    @cached_property
    def companies(self) -> tuple[tuple[Places, Places], ...]:
        """Each set of samples that some are compared with, these included, and which they are."""
        company = self.peers.copy()
        np.fill_diagonal(company, True)
        found: dict[bytes, list[int]] = {}
        for i, members in enumerate(company):
            found.setdefault(members.tobytes(), []).append(i)
        return tuple(
            (np.flatnonzero(company[places[0]]), np.array(places, dtype=np.intp))
            for places in found.values()
        )

    @property
    def same_group(self) -> Mask:
        """Which samples have the same value of a binary trait, shape (n, n); else all."""
        names = np.array(self.groups)
        same: Mask = names[:, None] == names
        return same

    @cached_property
    def means(self) -> Floats:
        """Mean of each gene over the samples that have it, shape (p,); NaN for a gene of none."""
        found = np.empty(len(self.table.genes))
        for place, values in self.chunks():
            found[place] = _column_means(values)
        return found

    @cached_property
    def expressed(self) -> Mask:
        """The upper half of the genes by mean expression, shape (p,): the rest is mostly noise."""
        known = np.isfinite(self.means)
        if not known.any():
            return known
        return known & (np.where(known, self.means, -np.inf) >= np.median(self.means[known]))

    @cached_property
    def distances(self) -> Floats:
        """Mean squared difference of each two samples over the expressed genes, shape (n, n).

        Of genes that both have; NaN where they share none.
        """
        n = len(self.contrast.rows)
        chosen = np.zeros(len(self.table.genes), dtype=bool)
        chosen[_spread(np.flatnonzero(self.expressed), MOST_GENES)] = True
        squares, shared = np.zeros((n, n)), np.zeros((n, n))
        for place, values in self.chunks():
            kept = chosen[place]
            part = values[:, kept] - self.means[place][kept]
            present = ~np.isnan(part)
            if present.all():
                norms = np.einsum("ij,ij->i", part, part)
                squares += norms[:, None] + norms - 2 * (part @ part.T)
                shared += part.shape[1]
                continue
            there = present.astype(np.float64)
            part[~present] = 0.0
            norms_of_shared = part**2 @ there.T
            squares += norms_of_shared + norms_of_shared.T - 2 * (part @ part.T)
            shared += there @ there.T
        mean = np.divide(squares, shared, out=np.full((n, n), np.nan), where=shared > 0)
        # Rounding leaves about 1e-16 between equal samples, of either sign.
        found: Floats = np.maximum(mean, 0.0)
        np.fill_diagonal(found, 0.0)
        return found

    @cached_property
    def levels(self) -> Floats:
        """Values of an even choice of genes, shape (n, m); missing ones are their gene's mean."""
        places = _spread(np.flatnonzero(np.isfinite(self.means)), LEVELS)
        values = self.take(places)
        filled: Floats = np.where(np.isnan(values), self.means[places], values)
        return filled

    def chunks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield places of genes and their values in the samples compared, shape (n, <= CHUNK)."""
        every = np.array_equal(self.contrast.rows, np.arange(len(self.table.samples)))
        rows = slice(None) if every else self.contrast.rows  # a view is faster than a copy
        genes = len(self.table.genes)
        for start in range(0, genes, CHUNK):
            place = slice(start, min(start + CHUNK, genes))
            yield place, np.asarray(self.table.expression[rows, place], dtype=np.float64)

    def take(self, places: Places) -> Floats:
        """Return the values of the genes at these places, shape (n, len(places))."""
        chosen = self.table.expression[np.ix_(self.contrast.rows, places)]
        return np.asarray(chosen, dtype=np.float64)

    def residual_squares(self, basis: Floats, among: Mask) -> Floats:
        """Return the genes' sums of squares outside an orthonormal basis (n, k), shape (p,).

        NaN for genes that are not `among` those of interest. A missing value counts as the gene's
        mean.
        """
        found = np.full(len(self.table.genes), np.nan)
        for place, values in self.chunks():
            kept = among[place]
            part = values[:, kept] - self.means[place][kept]
            part[np.isnan(part)] = 0.0
            inside = basis.T @ part
            left = np.einsum("ij,ij->j", part, part) - np.einsum("ij,ij->j", inside, inside)
            found[place][kept] = np.maximum(left, 0.0)
        return found


def tissues_of(facts: SampleFacts, samples: Sequence[str]) -> tuple[str, ...]:
    """Return the tissue or cell type of each sample, as far as characteristics name one.

    Parameters
    ----------
    facts : mapping
        Characteristic to sample id to raw value.
    samples : sequence of str
        The samples compared.

    Returns
    -------
    tuple of str
        Values of all such characteristics together; empty when there is none that varies.
    """
    kept = []
    for key, recorded in facts.items():
        values = [read_value(key, recorded.get(sample)) or "" for sample in samples]
        if _TISSUE.search(key) and 2 <= len(set(values)) <= len(samples) // MOST_TISSUES:
            kept.append(values)
    return tuple("; ".join(values) for values in zip(*kept, strict=True))


def _column_means(values: Floats) -> Floats:
    """Return the mean of each column over its present values; NaN where there are none."""
    means: Floats = values.mean(axis=0)
    gaps = np.isnan(means)
    if gaps.any():
        part = values[:, gaps]
        present = ~np.isnan(part)
        count = present.sum(axis=0)
        sums = np.where(present, part, 0.0).sum(axis=0)
        means[gaps] = np.divide(sums, count, out=np.full(len(count), np.nan), where=count > 0)
    return means


def _spread(places: Places, most: int) -> Places:
    """Return at most so many of the places, evenly spread."""
    if len(places) <= most:
        return places
    return places[np.linspace(0, len(places) - 1, most).astype(np.intp)]
