"""Checks of the values: their scale, one scale or several, negative ones, codes for missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from genotex.analysis.audit.cohort import AuditedCohort
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.arrays import Floats, row_quantiles
from genotex.words import counted, share_of

SKEWED = 3.0
"""Skewness of a sample's values from which they are linear: logarithms have 0 to 1.5."""
NARROW, NARROW_TOP = 4.3, 6.0
"""99th percentile and highest value below which the logarithm is of another base or was taken
twice: log2 expression has 9 and 13 at least."""
OTHER_SPREAD = 3.0
"""Ratio of spreads from which samples are on different scales."""
MANY_NEGATIVE, FEW_NEGATIVE = 0.2, 0.1
"""Share of negative values that log ratios have, and the share of it that is too few."""
MOST_USUAL, ABOVE, HIGHEST_LOG2, FEW = 99.5, 3.0, 50.0, 0.005
"""Values above three times the percentile, and above any logarithm, if they are fewer."""
SKEWED_BULK = 2.0
NEGATIVE = 0.02
"""Share of linear values at or below zero that the logarithm must not lose."""
CODES = (0.0, -1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0)
"""Numbers that people write for a missing value."""
CODED = 5e-4
"""Share of the cells that must have such a number."""
AROUND = 0.1
"""Other values nearer to the code than a tenth of the spread: at most this share of the code's."""
ALSO_IN_HIGH = 0.3
"""A missing value hits genes of high expression, too; a zero is in low ones."""
_MOST_ROWS = 20_000


def _raw(cohort: AuditedCohort) -> Floats:
    """Return values as in the file, samples x rows, at most 20,000 of these; else expression."""
    raw = cohort.raw
    values = cohort.table.expression if raw is None else np.asarray(raw.values.T, dtype=np.float64)
    return values[:, :: max(1, values.shape[1] // _MOST_ROWS)]


def check_scale(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find linear values that were taken for logarithms, and logarithms taken twice."""
    cohort.need(2)
    skewness = float(np.median([_skewness(row) for row in cohort.filled]))
    if skewness > SKEWED:
        yield AuditFinding(
            "serious",
            f"The values are taken for log2, but are skewed as linear values are (skewness "
            f"{skewness:.1f}; logarithms have 0 to 1.5).",
            "Read them as linear values (--scale linear), or take the logarithm yourself.",
        )
    low, _, high, top = (float(np.median(each)) for each in cohort.spans)
    if cohort.has_levels and high < NARROW and top < NARROW_TOP:
        yield AuditFinding(
            "serious",
            f"The values span {low:.1f} to {high:.1f} (1st to 99th percentile): too narrow for "
            "log2 expression. The logarithm was taken twice, or to the base 10.",
            "Find the values before the last step; fold changes from these are wrong.",
        )


def _skewness(values: Floats) -> float:
    centred = values - values.mean()
    squares = centred * centred
    return float((squares * centred).mean() / max(float(squares.mean()) ** 0.5, 1e-9) ** 3)


def check_extremes(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find single values far above all others, such as 8104 where a decimal comma was lost."""
    values = _raw(cohort)
    if not (values > HIGHEST_LOG2).any():
        return
    known = values[np.isfinite(values)]
    usual = float(np.percentile(known, MOST_USUAL))
    bulk = known[known <= usual]
    spread = float(bulk.std())
    centred = bulk - bulk.mean()
    linear = (centred * centred * centred).mean() > SKEWED_BULK * max(spread, 1e-9) ** 3
    if usual > HIGHEST_LOG2 or linear:
        return
    far = np.argwhere(values > max(ABOVE * usual, HIGHEST_LOG2))
    if len(far) and len(far) < FEW * known.size:
        samples = tuple(dict.fromkeys(cohort.samples[int(i)] for i in far[:, 0]))
        some = ", ".join(f"{values[i, j]:g}" for i, j in far[:3])
        yield AuditFinding(
            "serious",
            f"{counted(len(far), 'value')} such as {some} are far above all others, of which "
            f"{MOST_USUAL} % are below {usual:.1f}: a decimal comma was lost, or the scale differs "
            f"({named(samples)}).",
            "Correct these cells; one such value decides the test of its gene, and they may hide "
            "the scale of the table.",
            samples,
        )


def check_mixture(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples whose values are on another scale than those of the others."""
    cohort.need(4)
    values = _raw(cohort)
    low, middle, high = _percentiles(values)
    spread = np.log2(np.maximum(high - low, 1e-9))
    if np.median(high) > 100 or cohort.scale in ("linear", "counts"):
        # Linear samples may differ in brightness; their spread relative to the level may not.
        spread = spread - np.log2(np.maximum(np.abs(middle), 1e-9))
        scale = high - low
        other = np.log2(np.maximum(scale, 1e-9) / np.median(scale))
        odd = np.abs(other) > 4
    else:
        odd = np.abs(spread - np.median(spread)) > np.log2(OTHER_SPREAD)
        negative = (values < 0).mean(axis=1)
        if np.median(negative) > MANY_NEGATIVE:
            # Log ratios: those of other samples are none, or not logarithms.
            odd |= negative < FEW_NEGATIVE * np.median(negative)
    if not odd.any() or odd.sum() > len(odd) / 2:
        return
    samples = tuple(np.array(cohort.samples, dtype=object)[odd].tolist())
    which = f"{len(samples)} of {len(odd)} samples span"
    theirs, usual = float(np.median((high - low)[odd])), float(np.median((high - low)[~odd]))
    yield AuditFinding(
        "serious",
        f"{which} {theirs:.4g} units between the 5th and 95th percentile, the others {usual:.4g}: "
        f"they are on another scale ({named(samples)}).",
        "Bring all samples to one scale, or leave these out.",
        samples,
    )


def _percentiles(values: Floats) -> Floats:
    """Return the 5th, 50th and 95th percentile of each sample."""
    if np.isfinite(values.sum(axis=1)).all():
        return row_quantiles(values, (0.05, 0.5, 0.95))
    with np.errstate(invalid="ignore"):
        found: Floats = np.nanpercentile(values, (5, 50, 95), axis=1)
    return found


def check_negative(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find linear values at or below zero, which have no logarithm."""
    if cohort.raw is None:
        why = "the values before processing are not at hand"
        raise NotJudged(why)
    if cohort.scale != "linear":
        return
    values = _raw(cohort)
    known = np.isfinite(values)
    below = int((values[known] < 0).sum())
    if below > NEGATIVE * known.sum():
        yield AuditFinding(
            "warning",
            f"{share_of(below, int(known.sum()))} of the linear values are negative, as after "
            "subtracting a background; they have no logarithm and are missing.",
            "Use values before the background was subtracted, or add an offset (limma's neqc).",
        )


def check_missing(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find numbers that stand for a missing value."""
    values = _raw(cohort)
    size = int(np.isfinite(values).sum())
    for code in CODES:
        hits = values == code
        count = int(hits.sum())
        if count < max(5, CODED * size):
            continue
        known = values[np.isfinite(values)]
        low, high = np.percentile(known, (5, 95))
        near = AROUND * (high - low)
        others = int((np.abs(known - code) < near).sum()) - count
        if others > AROUND * count or (low <= code <= high and others):
            continue
        if code == 0 and (cohort.scale == "counts" or not _hits_high_genes(values, hits)):
            continue
        share = share_of(count, int(known.size))
        yield AuditFinding(
            "serious",
            f"{share} of the values are exactly {code:g}, far from all others: {code:g} stands "
            "for a missing value and would be taken for expression.",
            "Write missing values as empty cells or NA.",
        )


def _hits_high_genes(values: Floats, hits: np.ndarray) -> bool:
    """Return whether zeros are as common among genes of high expression as among all."""
    without = np.where(hits, np.nan, values)
    some = np.isfinite(without).sum(axis=0) >= 2
    if not some.any():
        return False
    with np.errstate(invalid="ignore"):
        level = np.nanmedian(without[:, some], axis=0)
    share = hits[:, some].mean(axis=0)
    upper = level >= np.median(level)
    return bool(share[upper].mean() >= ALSO_IN_HIGH * share.mean())
