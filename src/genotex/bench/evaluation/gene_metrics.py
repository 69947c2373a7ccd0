"""How well a ranked list of genes agrees with a reference list, and predicts the trait.

Definitions: GenoTEX paper, section 3.3; ``docs/evaluation.md`` states what the paper leaves open.
All genes outside both lists are alike, so sums over 20,000 genes have closed forms: integers until
one final division, nothing is sorted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_type_hints

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.figures import MetricsVersion, figure

ALL_GENES = 20_000
"""Approximate number of human genes, used where no list of them is given."""


@dataclass(frozen=True)
class Overlap:
    """Overlap of two sets of genes."""

    precision: Annotated[
        float, figure("precision", "%", "predicted genes that are in the reference", headline=True)
    ]
    recall: Annotated[
        float, figure("recall", "%", "reference genes that were predicted", headline=True)
    ]
    f1: Annotated[float, figure("F1", "%", "harmonic mean of the two", headline=True)]


@dataclass(frozen=True)
class GeneAgreement(Overlap):
    """All figures of one list of genes, None where undefined.

    A metric is one field here and its value in `compare_genes`; JSON, tables and pages follow.
    """

    auroc: Annotated[float | None, figure("AUROC", "fraction", "0.5 is chance", headline=True)]
    auprc: Annotated[
        float | None,
        figure("AUPRC", "fraction", "area under precision against recall", headline=True),
    ]
    gsea_es: Annotated[
        float | None,
        figure(
            "GSEA ES", "fraction", "reference genes high in the ranking; 0 is chance", headline=True
        ),
    ]
    gsea_es_within: Annotated[
        float | None, figure("ES within list", "fraction", "newest release's form; saturates")
    ]


NO_AGREEMENT = GeneAgreement(**dict.fromkeys(get_type_hints(GeneAgreement), 0.0))
"""What a missing prediction scores, also where a figure would be undefined."""


def compare_genes(
    predicted: Sequence[str],
    reference: Collection[str],
    universe: Collection[str] | None = None,
    metrics: MetricsVersion = "default",
    *,
    repeats_count: bool = False,
) -> GeneAgreement:
    """Compare a ranked list of genes with a reference.

    Parameters
    ----------
    predicted
        Symbols, the most important first; a repeated one counts at its first place.
    reference
        Symbols, in any order.
    universe
        All genes that could have been found. Others are left out of both lists, but not of
        precision, recall and F1. Without it there are `ALL_GENES` genes, or as many as both lists
        name together if those are more.
    metrics : {"default", "legacy"}
        ``legacy``: AUROC as in `Ranking.legacy_auroc`.
    repeats_count
        A repeated symbol counts each time in precision and ES, and at its last place in AUROC and
        AUPRC.
    """
    ranking = every = rank(predicted, reference, universe)
    sets = overlap(predicted, reference)
    if repeats_count and len(set(predicted)) < len(predicted):
        sets = _overlap_of_places(predicted, sets.recall, set(reference))
        ranking = rank([*dict.fromkeys(reversed(predicted))][::-1], reference, universe)
        every = rank(predicted, reference, universe, once=False)
    return GeneAgreement(
        **vars(sets),
        auroc=ranking.legacy_auroc() if metrics == "legacy" else ranking.auroc(),
        auprc=ranking.auprc(),
        gsea_es=every.enrichment_score(),
        gsea_es_within=every.enrichment_score_within(),
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
        100 * hits / len(found), 100 * hits / len(wanted), 200 * hits / (len(found) + len(wanted))
    )


def _overlap_of_places(
    predicted: Sequence[str], recall: float, reference: Collection[str]
) -> Overlap:
    """Return the overlap where precision is the share of places of the list, not of its genes."""
    hits = sum(gene in reference for gene in predicted)
    if not hits:
        return overlap(predicted, reference)
    precision = 100 * hits / len(predicted)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def rank(
    predicted: Sequence[str],
    reference: Collection[str],
    universe: Collection[str] | None = None,
    *,
    once: bool = True,
) -> Ranking:
    """Find the places of the reference genes in a ranked list; parameters as `compare_genes`."""
    order = list(dict.fromkeys(predicted) if once else predicted)
    wanted = set(reference)
    if universe is not None:
        genes = set(universe)
        order = [gene for gene in order if gene in genes]
        wanted &= genes
    hits = np.flatnonzero([gene in wanted for gene in order])
    return Ranking(hits, len(order), len(wanted), None if universe is None else len(genes))


@dataclass(frozen=True, eq=False)
class Ranking:
    """The places of the reference genes in a ranked list of genes."""

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


_TraitKind = Literal["binary", "continuous"]


@dataclass(frozen=True)
class TraitPrediction:
    """How well the genes predict the trait; None where it is of the other or an unknown kind."""

    trait_kind: _TraitKind | None = None
    trait_accuracy: Annotated[
        float | None,
        figure("trait accuracy", "%", "trait predicted from genes; binary traits", headline=True),
    ] = None
    trait_f1: Annotated[
        float | None,
        figure("trait F1", "%", "trait predicted from genes; binary traits", headline=True),
    ] = None
    trait_r2: Annotated[
        float | None,
        figure("trait R2", "fraction", "trait predicted from genes; continuous traits"),
    ] = None


def trait_kind(prediction: Mapping[str, float]) -> _TraitKind | None:
    """Return whether a trait is binary or continuous, by ``cv_performance.prediction``."""
    if "accuracy" in prediction or "f1" in prediction:
        return "binary"
    return "continuous" if "r_squared" in prediction else None


def trait_prediction(
    predicted: Mapping[str, float] | None,
    reference: Mapping[str, float],
    metrics: MetricsVersion = "default",
    *,
    as_stated: bool = False,
) -> TraitPrediction:
    """Return how well a prediction file predicts the trait.

    A missing figure counts 0 where the kind of the trait is known; all figures of a missing file
    are 0. The reference decides about the kind, if it has one. `as_stated`: Accuracy and F1 are
    what the prediction states or 0, whatever the kind.
    """
    found = predicted or {}
    kind = trait_kind(reference) or trait_kind(found)
    stated = found.get("accuracy", 0.0), found.get("f1", 0.0)
    failed = predicted is None and kind is None
    r2 = found.get("r_squared", 0.0) if kind == "continuous" else None
    if kind == "binary" or failed or as_stated:
        return TraitPrediction(kind, *stated, r2)
    binary = 0.0 if kind and metrics == "legacy" else None
    return TraitPrediction(kind, binary, binary, r2)
