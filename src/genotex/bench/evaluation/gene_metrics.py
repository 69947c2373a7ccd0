"""How well a ranked list of genes agrees with a reference list.

Definitions: GenoTEX paper, section 3.3; ``docs/evaluation.md`` states what the paper leaves open.
All genes outside both lists are alike, so sums over 20,000 genes have closed forms: integers until
one final division, nothing is sorted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.scores import MetricsVersion

__all__ = ["ALL_GENES", "GeneAgreement", "Overlap", "Ranking", "compare_genes", "overlap", "rank"]

ALL_GENES = 20_000
"""Approximate number of human genes, used where no list of them is given."""


@dataclass(frozen=True)
class Overlap:
    """Precision, recall and F1, in percent."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class GeneAgreement:
    """All figures of one problem; fractions, None where undefined."""

    overlap: Overlap
    auroc: float | None
    auprc: float | None
    gsea_es: float | None
    gsea_es_within: float | None


def compare_genes(
    predicted: Sequence[str],
    reference: Collection[str],
    universe: Collection[str] | None = None,
    metrics: MetricsVersion = "default",
) -> GeneAgreement:
    """Compare a ranked list of genes with a reference.

    Parameters
    ----------
    predicted : sequence of str
        Symbols, the most important first; a repeated one counts at its first place.
    reference : collection of str
        Symbols, in any order.
    universe : collection of str, optional
        All genes that could have been found. Others are left out of both lists, but not of
        precision, recall and F1. Without it there are `ALL_GENES` genes, or as many as both lists
        name together if those are more.
    metrics : {"default", "legacy"}
        ``legacy``: AUROC as in `Ranking.legacy_auroc`.
    """
    ranking = rank(predicted, reference, universe)
    return GeneAgreement(
        overlap(predicted, reference),
        ranking.legacy_auroc() if metrics == "legacy" else ranking.auroc(),
        ranking.auprc(),
        ranking.enrichment_score(),
        ranking.enrichment_score_within(),
    )


def overlap(predicted: Collection[str], reference: Collection[str]) -> Overlap:
    """Return precision, recall and F1 of two sets of genes.

    Two empty sets agree; an empty one and one that is not do not.
    """
    found, wanted = set(predicted), set(reference)
    if not found and not wanted:
        return Overlap(100.0, 100.0, 100.0)
    hits = len(found & wanted)
    if not hits:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(
        100 * hits / len(found),
        100 * hits / len(wanted),
        200 * hits / (len(found) + len(wanted)),
    )


def rank(
    predicted: Sequence[str],
    reference: Collection[str],
    universe: Collection[str] | None = None,
) -> Ranking:
    """Find the places of the reference genes in a ranked list; parameters as `compare_genes`."""
    order = list(dict.fromkeys(predicted))
    wanted = set(reference)
    if universe is not None:
        genes = set(universe)
        order = [gene for gene in order if gene in genes]
        wanted &= genes
    hits = np.flatnonzero([gene in wanted for gene in order])
    return Ranking(hits, len(order), len(wanted), None if universe is None else len(genes))


@dataclass(frozen=True, eq=False)
class Ranking:
    """The places of the reference genes in a ranked list of genes.

    Attributes
    ----------
    hits : ndarray of int64
        Ranks of the predicted genes that are reference genes, counted from 0, ascending.
    predicted, reference : int
        Lengths of the two lists, each gene counted once.
    universe : int or None
        Number of all genes, where it is known.
    """

    hits: NDArray[np.int64]
    predicted: int
    reference: int
    universe: int | None = None

    def auroc(self) -> float | None:
        """Return the area under the ROC curve; reference genes are the positives.

        The gene at rank i scores ``predicted - i``, one that is not predicted 0; ties count one
        half. None without positives or without negatives.
        """
        missed = self.reference - self.hits.size
        genes = self.universe or max(ALL_GENES, self.predicted + missed)
        return self._auroc(missed, genes)

    def legacy_auroc(self) -> float | None:
        """Return the AUROC of the benchmark's older code, which never counts a missed gene.

        Positives are only those reference genes that were predicted, so random lists score about
        0.99. None without a hit.
        """
        return self._auroc(0, self.universe or max(ALL_GENES, self.predicted))

    def _auroc(self, missed: int, genes: int) -> float | None:
        positives = self.hits.size + missed
        negatives = genes - positives
        if not positives or negatives <= 0:
            return None
        false = self.predicted - self.hits.size
        unnamed = negatives - false
        # A hit wins against every negative except the false positives before it.
        wins = int(np.sum(negatives - self._false_before()))
        return (2 * wins + missed * unnamed) / (2 * positives * negatives)

    def auprc(self) -> float | None:
        """Return the average precision; None without reference genes.

        Scores as for `auroc`. All genes that are not predicted share one threshold, at which
        precision is the share of reference genes among all (as scikit-learn computes it).
        """
        if not self.reference:
            return None
        missed = self.reference - self.hits.size
        genes = self.universe or max(ALL_GENES, self.predicted + missed)
        precisions = (np.arange(self.hits.size) + 1) / (self.hits + 1)
        return float((precisions.sum() + missed * self.reference / genes) / self.reference)

    def enrichment_score(self) -> float | None:
        """Return the highest point of GSEA's unweighted running sum over all genes.

        The ranking is padded to the number of all genes. Each hit adds 1 / reference, each other
        gene subtracts 1 / (genes - reference); a reference gene that is not predicted is not a hit.
        Without a hit the first gene is the highest point, just below 0. None without reference
        genes, with nothing but reference genes, and with more predicted genes than there are.
        """
        return self._highest(self.reference)

    def enrichment_score_within(self) -> float | None:
        """Return the enrichment score of the benchmark's newest code, which saturates.

        As `enrichment_score`, but counts only the reference genes inside the ranking, so that 300
        random genes score about 0.99. None without a hit.
        """
        return self._highest(self.hits.size)

    def _highest(self, counted: int) -> float | None:
        others = (self.universe or ALL_GENES) - counted
        if not counted or others <= 0 or self.predicted > others + counted:
            return None
        # Both steps times counted * others are whole numbers. The sum peaks at a hit, or at the
        # very first gene.
        before = np.arange(self.hits.size)
        peaks = (before + 1) * others - self._false_before() * counted
        first = others if self.hits.size and self.hits[0] == 0 else -counted
        return max(first, int(peaks.max(initial=first))) / (counted * others)

    def _false_before(self) -> NDArray[np.int64]:
        """Return how many of the predicted genes before each hit are false positives."""
        return self.hits - np.arange(self.hits.size)
