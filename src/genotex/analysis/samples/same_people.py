"""The same people in two cohorts, recognised by expression alone.

Ids do not tell: a series is deposited again under other ids, measured again on another platform,
or its patients give a second tissue. Copies of an array have equal values. One RNA on two platforms
keeps what is special about the sample, and one person in two tissues the genes that are inherited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import log_ndtr

from genotex.analysis.samples.blocks import PERSONAL_GENES
from genotex.analysis.samples.sex import SEX_GENES
from genotex.arrays import Flags, Floats, Rows, largest_eigenvectors

FEWEST_GENES = 100
"""Fewer genes in common do not make a profile."""
FEWEST_SAMPLES = 8
"""Smaller cohorts are searched for copies of arrays only."""
FEWEST_PERSONAL = 8
PRESENT = 0.7
"""Share of the samples of a cohort that have a value of a gene, for the gene to be compared."""
SMALL_GROUP = 3
"""Smaller groups are centred together with all samples."""
VARIABLE_GENES = 600
"""Genes compared for the whole profile: those that vary most in both cohorts."""
CLIP = 2.0
"""Largest standardised residual: one gene of one sample should not decide."""
MOST_AXES, SAMPLES_PER_AXIS = 6, 6
"""Leading axes of each cohort that are removed: mixture of cells, and what strangers share."""
COPY_RANKS, COPY_PROFILE = 0.9995, 0.9
"""Correlation of ranks, or of what is special about two samples, of the same array."""
RANKED_GENES = 5_000
ALONE = 1.6
"""A pair counts by itself when its score passes the expected largest of strangers by so much."""
OVERLAP = 6.5
"""Evidence from which cohorts have people in common, so that a pair needs no `ALONE`."""
CAP = 14.0
"""Most that one sample adds to that evidence."""
SHOWN = 3
_SWEEPS = 3
_TO_SD = 1.4826


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """The expression of a cohort, in which people are looked for."""

    samples: Sequence[str]
    genes: Sequence[str]
    values: Floats  # Shape (samples, genes), on a log scale; NaN where missing
    # Group of each sample (case and control, tissue); empty where there are none. What differs
    # between groups says nothing about a person
    groups: Sequence[str] = ()


@dataclass(frozen=True)
class SamePerson:
    """A sample of each cohort from the same person."""

    first: str  # Sample of the first cohort, and of the second
    second: str
    copy: bool  # Whether it is the same array, not only the same person
    # Standard deviations above the scores of strangers; 0 where only copies were looked for
    score: float
    correlation: float  # Of their profiles without what strangers share; of ranks in small cohorts


@dataclass(frozen=True, eq=False)
class SharedPeople:
    """What two cohorts have in common."""

    pairs: tuple[SamePerson, ...]  # The strongest first; each sample at most once
    genes: int  # Genes compared, and those among them that are inherited
    personal: int
    overlap: float | None  # Evidence that the cohorts share people; None where not judged
    why_not: str = ""  # Why only copies of arrays, or nothing, was looked for

    @property
    def named(self) -> str:
        """The first pairs, for a message."""
        listed = [
            one.first if one.first == one.second else f"{one.first} and {one.second}"
            for one in self.pairs[:SHOWN]
        ]
        return "; ".join(listed) + ("; ..." if len(self.pairs) > SHOWN else "")


def find_shared_people(first: PeopleTable, second: PeopleTable) -> SharedPeople:
    """Find samples of two cohorts that come from the same person.

    Groups are centred and genes standardised in each cohort, and the leading axes of each removed.
    Scores are cosines of what is left over the genes that vary most in both, and of genes whose
    level is inherited, centred and scaled by the scores of all pairs, nearly all of which are
    strangers. A pair is the best of both samples and passes the expected largest score of
    strangers: by `ALONE`, or at all where the cohorts as a whole have more high scores than chance.
    """
    places = _in_common(first, second)
    count = places.shape[1]
    if count < FEWEST_GENES:
        why = f"{count} genes in common are too few; {FEWEST_GENES} are needed"
        return SharedPeople((), count, 0, None, why)
    one, two = (
        np.asarray(table.values, dtype=np.float64)[:, rows]
        for table, rows in zip((first, second), places, strict=True)
    )
    ranks = _rank_correlation(one, two)
    fewest = min(len(one), len(two))
    if fewest < FEWEST_SAMPLES:
        why = f"{fewest} samples are too few to recognise people; {FEWEST_SAMPLES} are needed"
        pairs = _pairs(first, second, np.zeros_like(ranks), ranks, ranks >= COPY_RANKS, np.inf)
        return SharedPeople(pairs, count, 0, None, why)
    names = np.array([first.genes[i] for i in places[0]])
    scores, alike, personal = _scores(_rest(one, first.groups), _rest(two, second.groups), names)
    copies = (ranks >= COPY_RANKS) | (alike >= COPY_PROFILE)
    overlap = _overlap(scores)
    needed = float(np.sqrt(2 * np.log(scores.size))) + (0.0 if overlap >= OVERLAP else ALONE)
    pairs = _pairs(first, second, scores, alike, copies, needed)
    return SharedPeople(pairs, count, personal, overlap)


def _in_common(first: PeopleTable, second: PeopleTable) -> Rows:
    """Return the places of genes that both cohorts have and measured, shape (2, p)."""
    where = {gene: i for i, gene in reversed(list(enumerate(second.genes)))}
    seen: set[str] = set()
    both = []
    for i, gene in enumerate(first.genes):
        if gene in where and gene not in seen:
            seen.add(gene)
            both.append((i, where[gene]))
    places = np.array(both, dtype=np.intp).reshape(-1, 2).T
    known = np.ones(places.shape[1], dtype=bool)
    for table, rows in zip((first, second), places, strict=True):
        known &= np.isfinite(table.values[:, rows]).mean(axis=0) >= PRESENT
    return places[:, known]


def _rank_correlation(one: Floats, two: Floats) -> Floats:
    """Return the correlation of the ranks of genes between samples, shape (n, m)."""
    step = max(1, one.shape[1] // RANKED_GENES)
    ranks = [_ranked(_filled(values[:, ::step])) for values in (one, two)]
    return _cosine(*(each - each.mean(axis=1, keepdims=True) for each in ranks))


def _ranked(values: Floats) -> Floats:
    """Return the ranks within each row, ties at their mean (importing `scipy.stats` takes long)."""
    return pl.from_numpy(values.T).select(pl.all().rank()).to_numpy().T


def _filled(values: Floats) -> Floats:
    """Return values with the gene's mean in place of missing ones."""
    return np.where(np.isfinite(values), values, np.nanmean(values, axis=0))


def _rest(values: Floats, groups: Sequence[str]) -> Floats:
    """Return what is left of values when the groups are centred."""
    rest = _filled(values)
    rest = rest - rest.mean(axis=0)
    names = np.array(groups)
    for name in np.unique(names):
        if (here := names == name).sum() >= SMALL_GROUP:
            rest[here] -= rest[here].mean(axis=0)
    return np.asarray(rest)


def _scores(one: Floats, two: Floats, names: NDArray[np.str_]) -> tuple[Floats, Floats, int]:
    """Return scores of all pairs, correlations of profiles, and how many genes are personal."""
    spread = np.stack([one.std(axis=0), two.std(axis=0)])
    varies = (spread > 1e-6).all(axis=0)
    personal = varies & np.isin(names, list(PERSONAL_GENES))
    free = varies & ~np.isin(names, list(SEX_GENES))
    order = np.where(free, _ranked(spread).min(axis=0), 0.0)
    chosen = np.sort(np.argsort(-order, kind="stable")[: min(VARIABLE_GENES, int(free.sum()))])
    whole = _cosine(*_without_axes(*_standard(one, two, spread, chosen)))
    scores = _standing(whole)
    inherited = np.flatnonzero(personal)
    if len(inherited) >= FEWEST_PERSONAL:
        own = _standing(_cosine(*_standard(one, two, spread, inherited)))
        scores = _standing((scores + own) / 2)
    return scores, whole, len(inherited)


def _standard(one: Floats, two: Floats, spread: Floats, places: Rows) -> tuple[Floats, Floats]:
    scaled = (values[:, places] / spread[i, places] for i, values in enumerate((one, two)))
    first, second = (np.clip(each, -CLIP, CLIP) for each in scaled)
    return first, second


def _without_axes(one: Floats, two: Floats) -> tuple[Floats, Floats]:
    """Return profiles without the leading axes of either cohort."""
    # Those of both together would hold what the same people share.
    count = min(MOST_AXES, max(1, min(len(one), len(two)) // SAMPLES_PER_AXIS))
    # By the eigenvectors between samples, which are fewer than genes, and so far quicker.
    leading = [each.T @ largest_eigenvectors(each @ each.T, count)[1] for each in (one, two)]
    axes = np.linalg.qr(np.hstack(leading))[0]
    return one - one @ axes @ axes.T, two - two @ axes @ axes.T


def _cosine(one: Floats, two: Floats) -> Floats:
    lengths = [np.linalg.norm(each, axis=1) for each in (one, two)]
    scale = np.outer(*(np.where(each > 0, each, np.inf) for each in lengths))
    found: Floats = (one @ two.T) / scale
    return found


def _standing(found: Floats) -> Floats:
    """Return scores in robust standard deviations from those of the same two samples."""
    for _ in range(_SWEEPS):
        found = found - np.median(found, axis=1, keepdims=True)
        found = found - np.median(found, axis=0, keepdims=True)
    # The same people make the upper tail, so the lower one must tell of strangers.
    size = np.abs(found)
    usual = max(_TO_SD * np.median(size), np.sqrt(np.mean(found[found < 0] ** 2)), 1e-12)
    rows = np.maximum(_TO_SD * np.median(size, axis=1, keepdims=True), usual)
    columns = np.maximum(_TO_SD * np.median(size, axis=0, keepdims=True), usual)
    return np.asarray(found / np.sqrt(rows * columns))


def _overlap(scores: Floats) -> float:
    """Return by how many standard deviations the best scores pass those of strangers."""
    # Minus the logarithm of the p-value of each sample's best score is exponential by chance.
    if scores.shape[0] > scores.shape[1]:
        scores = scores.T
    with np.errstate(divide="ignore"):
        chance = -np.expm1(scores.shape[1] * log_ndtr(scores.max(axis=1)))
        evidence = np.minimum(-np.log(chance), CAP)
    return float((evidence.sum() - len(evidence)) / np.sqrt(len(evidence)))


def _pairs(
    first: PeopleTable,
    second: PeopleTable,
    scores: Floats,
    alike: Floats,
    copies: Flags,
    needed: float,
) -> tuple[SamePerson, ...]:
    """Return copies, and pairs that pass the score and are the best of both samples."""
    best = np.maximum(scores.max(axis=1, keepdims=True), scores.max(axis=0, keepdims=True))
    rows, columns = np.nonzero(copies | ((scores == best) & (scores >= needed)))
    strength = np.where(copies, np.inf, scores)[rows, columns]
    order = np.lexsort((-alike[rows, columns], -strength))
    found: dict[int, SamePerson] = {}
    taken: set[int] = set()
    for i, j in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if i in found or j in taken:
            continue
        taken.add(j)
        names = first.samples[i], second.samples[j]
        found[i] = SamePerson(
            *names, bool(copies[i, j]), round(float(scores[i, j]), 1), round(float(alike[i, j]), 3)
        )
    return tuple(found.values())
