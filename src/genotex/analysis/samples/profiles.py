"""Whole expression profiles of the samples: distances, outliers, copies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.samples.facts import SampleFacts, read_value
from genotex.arrays import Flags, Floats, Rows, gene_parts
from genotex.formats import LinkedTable

FEWEST_GENES = 100
"""Fewer genes do not make a profile."""
SMALL_GROUP = 4
"""A sample of a smaller group is compared with all samples."""
MOST_GENES = 5_000
"""Distances are computed over at most this many genes, evenly spread over the table."""
LEVELS = 2_048
"""Genes, evenly spread, that the distribution of a sample's values is taken from."""
CHUNK = 2_000
MANY_SAMPLES = 3_000
"""So many samples are compared in pairs in double precision, and in search of repeated people."""

_TISSUE = re.compile(
    r"tissue|organ\b|cell ?type|cell ?line|region|body ?site|source", re.IGNORECASE
)
MOST_TISSUES = 4
"""A characteristic names tissues when it has at most one value for so many samples."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The expression of the samples of a contrast."""

    # Nothing here copies the whole table: genes are read in chunks.

    table: LinkedTable  # One cohort; expression may have gaps (NaN)
    contrast: Contrast  # Its n samples and their trait
    # Tissue or cell type of each sample as `tissues_of` finds it; empty where not recorded
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
    def peers(self) -> Flags:
        """Which samples each sample is compared with, shape (n, n)."""
        # Those of its group and tissue; with too few of them those of its tissue; then all.
        tissue, same = self.same_tissue, self.same_group & self.same_tissue
        for wider in (tissue, np.ones_like(tissue)):
            few = same.sum(axis=1) < SMALL_GROUP
            same[few] = wider[few]
        np.fill_diagonal(same, False)
        return same

    @cached_property
    def companies(self) -> tuple[tuple[Rows, Rows], ...]:
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
    def same_group(self) -> Flags:
        """Which samples have the same value of a binary trait, shape (n, n); else all."""
        names = np.array(self.groups)
        same: Flags = names[:, None] == names
        return same

    @cached_property
    def same_tissue(self) -> Flags:
        """Which samples have the same tissue, shape (n, n); all where none is recorded."""
        names = np.array(self.tissues or ("",) * len(self.contrast.rows))
        same: Flags = names[:, None] == names
        return same

    @cached_property
    def means(self) -> Floats:
        """Mean of each gene over the samples that have it, shape (p,); NaN for a gene of none."""
        found = np.empty(len(self.table.genes))
        for place, values in self.chunks():
            found[place] = _column_means(values)
        return found

    @cached_property
    def expressed(self) -> Flags:
        """The upper half of the genes by mean expression, shape (p,): the rest is mostly noise."""
        known = np.isfinite(self.means)
        if not known.any():
            return known
        return known & (np.where(known, self.means, -np.inf) >= np.median(self.means[known]))

    @cached_property
    def distances(self) -> Floats:
        """Mean squared difference of each two samples over the expressed genes, shape (n, n)."""
        # Of genes that both have; NaN where they share none.
        n = len(self.contrast.rows)
        chosen = np.zeros(len(self.table.genes), dtype=bool)
        chosen[_spread(np.flatnonzero(self.expressed), MOST_GENES)] = True
        # Of many samples single precision is enough, and all that the memory holds.
        kind: DTypeLike = np.float64 if n <= MANY_SAMPLES else np.float32
        squares: Floats = np.zeros((n, n), dtype=kind)
        shared: Floats = np.zeros((n, n), dtype=kind)
        for place, values in self.chunks():
            kept = chosen[place]
            part: Floats = np.asarray(
                values.compress(kept, axis=1) - self.means[place][kept], dtype=kind
            )
            present = ~np.isnan(part)
            part[~present] = 0.0
            if present.all():
                norms = np.einsum("ij,ij->i", part, part)
                squares += norms[:, None]
                squares += norms
                shared += part.shape[1]
            else:
                there: Floats = np.asarray(present, dtype=kind)
                shared += there @ there.T
                product = part**2 @ there.T
                squares += product
                squares += product.T
                del product
            product = part @ part.T
            product *= 2
            squares -= product
            del product
        shared[shared == 0] = np.nan
        squares /= shared
        # Rounding leaves about 1e-16 between equal samples, of either sign.
        found: Floats = np.maximum(squares, 0.0, out=squares)
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
        for place in gene_parts(len(self.table.genes), len(self.contrast.rows), CHUNK):
            yield place, np.asarray(self.table.expression[rows, place], dtype=np.float64)

    def take(self, places: Rows) -> Floats:
        """Return the values of the genes at these places, shape (n, len(places))."""
        chosen = self.table.expression[np.ix_(self.contrast.rows, places)]
        return np.asarray(chosen, dtype=np.float64)

    def residual_squares(self, basis: Floats, among: Flags) -> Floats:
        """Return the genes' sums of squares outside an orthonormal basis (n, k), shape (p,)."""
        # NaN for genes that are not `among` those of interest. A missing value counts as the gene's
        # mean.
        found = np.full(len(self.table.genes), np.nan)
        for place, values in self.chunks():
            kept = among[place]
            part = values.compress(kept, axis=1) - self.means[place][kept]
            part[np.isnan(part)] = 0.0
            inside = basis.T @ part
            left = np.einsum("ij,ij->j", part, part) - np.einsum("ij,ij->j", inside, inside)
            found[place][kept] = np.maximum(left, 0.0)
        return found


def tissues_of(facts: SampleFacts, samples: Sequence[str]) -> tuple[str, ...]:
    """Return the tissue or cell type of each sample, as far as characteristics name one."""
    # Returns Values of all such characteristics together; empty when there is none that varies.
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


def _spread(places: Rows, most: int) -> Rows:
    """Return at most so many of the places, evenly spread."""
    if len(places) <= most:
        return places
    return places[np.linspace(0, len(places) - 1, most).astype(np.intp)]


FEWEST_SAMPLES = 6
"""Among fewer samples an outlier cannot be identified."""
FAR = 1.6
"""A sample is far when its typical distance is this many times the usual one.

Squared distances add up the variances of two samples, so its own variance is then four times that
of the others.
"""
NARROW, WIDE = 0.7, 1.4
"""Range of a sample's values over the usual range that is too small, and too large."""
APART = 0.2
"""Kolmogorov-Smirnov distance from the usual distribution of values that is too large."""
CLEAR = 4.0
"""... and each of these must be so many robust standard deviations from the others."""
SMALLEST_SPREAD = 0.01
"""Floor of a robust standard deviation: in equal samples a difference of 1 % is nothing."""
LEVELS_SHARED = 0.8
"""Correlation with the mean profile below which values are differences, not levels."""
SAME = 0.1
"""Two samples are nearly the same when their squared distance is below this share of the usual."""
FAR_NEIGHBOUR = 10
"""... and below this share of the distance to the tenth neighbour: tissues form clusters, too."""
SAME_BY_NEIGHBOUR = 0.15
TO_MAD = 1.4826


@dataclass(frozen=True, eq=False)
class Outliers:
    """Measures of each sample, and the samples that are far from the others by them."""

    # (n,): median distance to the samples of the same group, over the median of these in the group
    distance: Floats
    # (n,): slope of the sample's values on the mean profile, over the median slope of the group;
    # NaN where the table holds differences, not levels
    range: Floats
    # (n,): kolmogorov-Smirnov distance of its values from the usual ones; NaN likewise
    distribution: Floats
    reasons: dict[int, tuple[str, ...]]  # Place of an outlying sample -> why, as phrases
    note: str = ""  # Why nothing was judged; else empty


@dataclass(frozen=True)
class NearlyIdentical:
    """Samples that are nearly the same."""

    places: tuple[int, ...]  # Their places among the samples compared
    share: float  # Largest squared distance among them over the usual one


def find_outliers(profiles: Profiles) -> Outliers:
    """Measure how far each sample is from the others, and find those that are too far."""
    # Three measures, each with a cut-off by absolute size and by robust z-score (median and MAD of
    # its logarithm within the group), so that a homogeneous cohort has no outlier: the median
    # distance to the samples of the same group over the upper half of the genes; the slope on the
    # mean profile, which falls when the range is compressed; and the Kolmogorov-Smirnov distance of
    # the values from the usual distribution, as for arrays by Kauffmann, Gentleman and Huber (2009,
    # arrayQualityMetrics). Samples of a group of fewer than four are compared with all samples.
    # References: Kauffmann A, Gentleman R, Huber W (2009) Bioinformatics 25:415. Ritchie ME and
    # others (2006) BMC Bioinformatics 7:261, for samples of different variance.
    n = len(profiles.contrast.rows)
    unknown = np.full(n, np.nan)
    if n < FEWEST_SAMPLES:
        note = f"{n} samples are too few to find outliers among; {FEWEST_SAMPLES} are needed"
        return Outliers(unknown, unknown, unknown, {}, note)
    typical = np.sqrt(_typical_squares(profiles))
    if not np.nanmedian(typical) > 0:
        return Outliers(unknown, unknown, unknown, {}, "the samples do not differ")
    distance = _relative(typical, profiles)
    found: dict[int, list[str]] = {}
    far = (distance >= FAR) & (_z_scores(np.log(distance)) >= CLEAR)
    for i in np.flatnonzero(far):
        found.setdefault(int(i), []).append(_far_text(float(distance[i]), profiles, int(i)))
    scope, ks = _levels(profiles)
    usual_ks = float(np.median(ks))
    wrong = ((scope <= NARROW) | (scope >= WIDE)) & (np.abs(_z_scores(np.log(scope))) >= CLEAR)
    for i in np.flatnonzero(wrong):
        found.setdefault(int(i), []).append(_range_text(float(scope[i])))
    for i in np.flatnonzero((ks >= APART) & (_z_scores(ks, usual_ks) >= CLEAR)):
        found.setdefault(int(i), []).append(_distribution_text(profiles.levels, int(i)))
    reasons = {i: tuple(found[i]) for i in sorted(found)}
    return Outliers(distance, scope, ks, reasons)


def find_nearly_identical(profiles: Profiles) -> tuple[NearlyIdentical, ...]:
    """Find samples that are the same array twice, or the same RNA on two arrays."""
    # Their squared distance is below a tenth of the usual one within groups and tissues, and far
    # below that to their other neighbours, so that a cluster among others is not taken for it.
    squared = profiles.distances
    n = len(squared)
    if n < FEWEST_SAMPLES:
        return ()
    within = profiles.same_group & profiles.same_tissue & ~np.eye(n, dtype=bool)
    usual = float(np.nanmedian(squared[within])) if np.isfinite(squared[within]).any() else 0.0
    if not usual > 0:
        return (NearlyIdentical(tuple(range(n)), 0.0),) if not squared.any() else ()
    others, place = np.where(np.eye(n, dtype=bool), np.inf, squared), min(FAR_NEIGHBOUR, n // 2) - 1
    others.partition(place, axis=1)
    neighbour = others[:, place].copy()
    del others
    same = (squared <= SAME * usual) & (squared <= SAME_BY_NEIGHBOUR * neighbour[:, None])
    same |= same.T
    np.fill_diagonal(same, False)
    return tuple(
        NearlyIdentical(places, float(squared[np.ix_(places, places)].max() / usual))
        for places in _linked(same)
    )


def _linked(same: Flags) -> list[tuple[int, ...]]:
    """Return the connected groups of two or more."""
    left = set(np.flatnonzero(same.any(axis=1)).tolist())
    groups = []
    while left:
        group, open_ = set(), {min(left)}
        while open_:
            group |= open_
            reached = np.flatnonzero(same[sorted(open_)].any(axis=0)).tolist()
            open_ = set(reached) - group
        groups.append(tuple(sorted(group)))
        left -= group
    return groups


def _typical_squares(profiles: Profiles) -> Floats:
    """Return the median squared distance of each sample to those it is compared with."""
    found = np.empty(len(profiles.distances))
    for members, places in profiles.companies:
        squares = profiles.distances[np.ix_(places, members)]
        squares[places[:, None] == members] = np.nan
        found[places] = _row_medians(squares)
    return found


def _row_medians(values: Floats) -> Floats:
    """Return the median of each row without NaN; far faster than numpy's for short rows."""
    ordered = np.sort(values, axis=1)  # NaN last
    known = np.isfinite(ordered).sum(axis=1)
    rows = np.arange(len(ordered))
    middle = (ordered[rows, np.maximum(known - 1, 0) // 2] + ordered[rows, known // 2]) / 2
    return np.where(known > 0, middle, np.nan)


def _relative(values: Floats, profiles: Profiles) -> Floats:
    """Return each value over the median of the samples it is compared with and itself."""
    usual = np.empty(len(values))
    for members, places in profiles.companies:
        usual[places] = np.nanmedian(values[members])
    found: Floats = np.divide(values, usual, out=np.ones(len(values)), where=usual > 0)
    return found


def _z_scores(values: Floats, centre: float = 0.0) -> Floats:
    """Return robust z-scores by the median absolute deviation from the centre."""
    deviation = values - centre
    known = np.isfinite(deviation)
    if not known.any():
        return np.full(len(values), np.nan)
    spread = TO_MAD * float(np.median(np.abs(deviation[known])))
    scores: Floats = deviation / max(spread, SMALLEST_SPREAD)
    return scores


def _levels(profiles: Profiles) -> tuple[Floats, Floats]:
    """Return range and Kolmogorov-Smirnov distance of each sample's values, NaN if not levels."""
    values = profiles.levels
    n, m = values.shape
    profile = values.mean(axis=0) - values.mean()
    centred = values - values.mean(axis=1, keepdims=True)
    scale = np.sqrt((profile @ profile) * np.einsum("ij,ij->i", centred, centred))
    alike = np.divide(centred @ profile, scale, out=np.zeros(n), where=scale > 0)
    if np.median(alike) < LEVELS_SHARED:
        return np.full(n, np.nan), np.full(n, np.nan)
    slope = np.maximum(centred @ profile / (profile @ profile), 1e-3)
    ordered = np.sort(values, axis=1)
    steps = np.arange(1, m + 1) / m
    apart = np.empty(n)
    for members, places in profiles.companies:
        usual = np.median(ordered[members], axis=0)
        for i in places:
            apart[i] = np.abs(np.searchsorted(ordered[i], usual, side="right") / m - steps).max()
    return _relative(slope, profiles), apart


def _far_text(ratio: float, profiles: Profiles, place: int) -> str:
    group = profiles.groups[place]
    others = f"other {group}s" if profiles.groups.count(group) >= SMALL_GROUP else "other samples"
    return f"{ratio:.1f} times as far from the {others} as these are from each other"


def _range_text(ratio: float) -> str:
    what = "compressed" if ratio < 1 else "stretched"
    return f"its values are {what} to {ratio:.2f} of the usual range"


def _distribution_text(levels: Floats, place: int) -> str:
    quartiles = np.percentile(levels, (25, 50, 75), axis=1)
    middle, width = quartiles[1], quartiles[2] - quartiles[0]
    shift = middle[place] - np.median(middle)
    ratio = width[place] / max(float(np.median(width)), 1e-9)
    return (
        f"its values are distributed differently (median {shift:+.1f}, interquartile range "
        f"{ratio:.2f} of the usual)"
    )


def rounded(values: Floats, digits: int) -> list[float | None]:
    """Return measures of samples as JSON has them; None where there is none."""
    return [round(float(value), digits) if np.isfinite(value) else None for value in values]
