"""Samples that differ from the others as a whole, and samples that are nearly the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.sample_profiles import SMALL_GROUP, Profiles

__all__ = ["NearlyIdentical", "Outliers", "find_nearly_identical", "find_outliers"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
    # Their squared distance is below a tenth of the usual one within groups, and far below that to
    # their other neighbours, so that a cluster of one tissue among others is not taken for it.
    squared = profiles.distances
    n = len(squared)
    if n < FEWEST_SAMPLES:
        return ()
    within = profiles.same_group & ~np.eye(n, dtype=bool)
    usual = float(np.nanmedian(squared[within])) if np.isfinite(squared[within]).any() else 0.0
    if not usual > 0:
        return (NearlyIdentical(tuple(range(n)), 0.0),) if not squared.any() else ()
    ordered = np.sort(np.where(np.eye(n, dtype=bool), np.inf, squared), axis=1)
    neighbour = ordered[:, min(FAR_NEIGHBOUR, n // 2) - 1]
    same = (squared <= SAME * usual) & (squared <= SAME_BY_NEIGHBOUR * neighbour[:, None])
    same |= same.T
    np.fill_diagonal(same, False)
    return tuple(
        NearlyIdentical(places, float(squared[np.ix_(places, places)].max() / usual))
        for places in _linked(same)
    )


def _linked(same: Mask) -> list[tuple[int, ...]]:
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
