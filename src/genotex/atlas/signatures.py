"""Signatures of genes, up and down, and how strongly ranked results agree with them.

The statistic of a result is T, the sum of its normal scores over the signature, minus where a gene
is in the list ``down``. When genes are permuted, T has mean 0 and a variance that is known exactly,
and is normal for any number of genes, since its summands are. Genes are correlated, so the variance
over independent cohorts is larger by a factor, as in camera (Wu and Smyth 2012), where it is 1 +
(k - 1) times the mean correlation of the k genes. Here all cohorts of the atlas show it: the spread
of T over unrelated cohorts is the spread that the correlation of these very genes causes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from genotex.arrays import Floats
from genotex.cohorts import read_gene_results
from genotex.errors import FormatError, UsageError
from genotex.formats import GeneResults
from genotex.outside import read_document

FEWEST_GENES = 3
"""Of a signature in a result, to be scored."""

FEWEST_COHORTS = 10
"""Below so many different cohorts, the inflation of variances is not estimated."""

PRESET_CORRELATION = 0.01
"""Between genes, where it is not estimated: the habit of R limma."""

_QUARTILE = float(ndtri(0.75))
_EFFICIENCY = 0.37
"""Of the median absolute deviation, relative to the standard deviation."""


@dataclass(frozen=True)
class Signature:
    """Genes that are up, and genes that are down; each once."""

    up: tuple[str, ...]
    down: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a signature without genes, or with a gene in both lists."""
        object.__setattr__(self, "up", tuple(dict.fromkeys(self.up)))
        object.__setattr__(self, "down", tuple(dict.fromkeys(self.down)))
        if both := sorted(set(self.up) & set(self.down)):
            msg = f"{both[0]} is both up and down; {len(both)} genes in all are in both lists"
            raise UsageError(msg)
        if not self.genes:
            msg = "the signature has no genes; name some that are up, or down"
            raise UsageError(msg)

    @property
    def genes(self) -> tuple[str, ...]:
        """All genes, those that are up first."""
        return (*self.up, *self.down)

    @property
    def weights(self) -> Floats:
        """1 for genes that are up, -1 for those that are down."""
        return np.repeat([1.0, -1.0], [len(self.up), len(self.down)])


def read_gene_names(path: Path) -> list[str]:
    """Read gene names, one on a line; what follows a tab or comma, and lines with #, are ignored.

    Raises
    ------
    FormatError
        If the file is no text, or has no names.
    """
    try:
        text = read_document(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = "is not a text in UTF-8"
        raise FormatError(msg, path=path, hint="one gene on a line") from error
    lines = (
        line.replace(",", "\t").split("\t")[0].strip().strip('"') for line in text.splitlines()
    )
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        msg = "has no gene names"
        raise FormatError(msg, path=path, hint="one gene on a line")
    return names


def read_signature(up: Path | None, down: Path | None, q_cut: float = 0.05) -> Signature:
    """Read lists of genes, or the significant genes of a table of DESeq2, edgeR or limma.

    Raises
    ------
    FormatError
        If a file has no genes.
    UsageError
        If there are no genes, or one is in both lists.
    """
    if up is not None and down is None and (found := _results(up)) is not None:
        significant = found.q < q_cut
        if not significant.any():
            msg = f"{up.name} has no gene with q < {q_cut:g}; give a list of genes"
            raise UsageError(msg)
        sides = (significant & (found.effect > 0), significant & (found.effect < 0))
        rising, falling = (
            tuple(gene for gene, here in zip(found.genes, side.tolist(), strict=True) if here)
            for side in sides
        )
        return Signature(rising, falling)
    lists = (() if path is None else tuple(read_gene_names(path)) for path in (up, down))
    return Signature(*lists)


def _results(path: Path) -> GeneResults | None:
    """Return the genes of a table of results; None for a list of genes."""
    try:
        return read_gene_results(path)
    except (FormatError, UsageError):
        return None


@dataclass(frozen=True, eq=False)
class SignatureScores:
    """A signature in c results; NaN where too few of its genes were tested.

    Attributes
    ----------
    score : ndarray of float64, shape (c,)
        Positive where the result agrees with the signature, negative where it is reversed.
    z : ndarray of float64, shape (c,)
        The same as a deviate of permuted, that is independent, genes.
    genes : ndarray of int64, shape (c,)
        Genes of the signature that the result tested.
    """

    score: Floats
    z: Floats
    genes: NDArray[np.int64]


def score_signature(
    scores: NDArray[np.floating], weights: Floats, ranked: Floats, spread: Floats
) -> SignatureScores:
    """Score a signature by the mean normal score of its genes.

    Parameters
    ----------
    scores : ndarray, shape (k, c)
        Normal scores of the k genes of the signature in c results, NaN where not tested.
    weights : ndarray of float64, shape (k,)
        1 or -1.
    ranked, spread : ndarray of float64, shape (c,)
        Number of genes that a result ranks, and the mean square of their scores.
    """
    there = np.isfinite(scores)
    genes = there.sum(axis=0)
    total = weights @ np.where(there, scores, 0).astype(np.float64)
    net = weights @ there
    with np.errstate(all="ignore"):
        # The variance when the genes of a result are permuted.
        variance = spread * ranked / (ranked - 1) * (genes - net**2 / ranked)
        enough = (genes >= FEWEST_GENES) & (variance > 0)
        z = np.where(enough, total / np.sqrt(variance), np.nan)
        return SignatureScores(np.where(enough, total / genes, np.nan), z, genes)


def score_connectivity(
    scores: NDArray[np.floating], weights: Floats, ranked: Floats, spread: Floats
) -> SignatureScores:
    """Score a signature by the Kolmogorov-Smirnov connectivity score (Lamb and others 2006)."""
    # For comparison: the habit of the field. It has no deviate; its p needs drawn signatures.
    places = 1 - ndtr(scores.astype(np.float64))
    up, down = (_enrichment(places[weights == sign]) for sign in (1.0, -1.0))
    if not (weights < 0).any():
        score = up
    elif not (weights > 0).any():
        score = -down
    else:
        score = np.where(np.sign(up) != np.sign(down), up - down, 0.0)
    genes = np.isfinite(scores).sum(axis=0)
    score = np.where(genes >= FEWEST_GENES, score, np.nan)
    return SignatureScores(score, np.full(len(score), np.nan), genes)


def _enrichment(places: Floats) -> Floats:
    """Return the signed Kolmogorov-Smirnov statistic of places in (0, 1), for each column."""
    count = np.isfinite(places).sum(axis=0)
    sorted_places = np.sort(places, axis=0)
    steps = np.arange(1, len(places) + 1)[:, None]
    with np.errstate(all="ignore"):
        above = np.nanmax(
            np.where(steps <= count, steps / count - sorted_places, -1), axis=0, initial=-1
        )
        below = np.nanmax(
            np.where(steps <= count, sorted_places - (steps - 1) / count, -1), axis=0, initial=-1
        )
    return np.where(count == 0, 0.0, np.where(above > below, above, -below))


def _score_sums(
    scores: NDArray[np.floating], weights: Floats, ranked: Floats, spread: Floats
) -> SignatureScores:
    """Score a signature by the mean rank of its genes (Wilcoxon), without normal scores."""
    ranks = ndtr(scores.astype(np.float64)) - 0.5
    return score_signature(ranks, weights, ranked, np.full(len(ranked), 1 / 12))


SIGNATURE_METHODS: dict[str, Callable[..., SignatureScores]] = {
    "normal scores": score_signature,
    "ranks": _score_sums,
    "connectivity": score_connectivity,
}
"""What scores a signature; the first one is used."""


@dataclass(frozen=True)
class Inflation:
    """By how much the correlation between genes inflates variances.

    Attributes
    ----------
    factor : float
        Of the variance, at least 1.
    df : float
        Degrees of freedom of its estimate; infinite where it is preset, or 1.
    cohorts : int
        Different cohorts that it was estimated from; 0 where it is preset.
    """

    factor: float
    df: float
    cohorts: int


def estimate_inflation(z: Floats, cohorts: Sequence[object], genes: int) -> Inflation:
    """Estimate the inflation from the spread of deviates `z` over different cohorts.

    The median absolute deviate is that of unrelated cohorts as long as most are unrelated. Below
    `FEWEST_COHORTS` the correlation is taken as `PRESET_CORRELATION`. Results of the same samples
    (of one of `cohorts`) count once; NaN is left out.
    """
    sizes: dict[object, list[float]] = {}
    for value, cohort in zip(z, cohorts, strict=True):
        if np.isfinite(value):
            sizes.setdefault(cohort, []).append(abs(float(value)))
    if len(sizes) < FEWEST_COHORTS:
        return Inflation(1 + (genes - 1) * PRESET_CORRELATION, float("inf"), 0)
    typical = float(np.median([np.median(each) for each in sizes.values()]))
    factor = (typical / _QUARTILE) ** 2
    if factor <= 1:
        return Inflation(1.0, float("inf"), len(sizes))
    return Inflation(factor, _EFFICIENCY * len(sizes), len(sizes))


def signature_p(z: Floats, inflation: Inflation) -> Floats:
    """Return two-sided p-values of deviates of permuted genes, corrected for correlated genes."""
    size = np.abs(z) / np.sqrt(inflation.factor)
    if np.isinf(inflation.df):
        return np.asarray(2 * ndtr(-size))
    return np.asarray(2 * stdtr(inflation.df, -size))
