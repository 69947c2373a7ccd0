"""Scale of a matrix, linear or log2, by the rule of GEO2R; and log2 transformation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import quantile
from genotex.errors import UsageError
from genotex.options import ValueKind

_ENOUGH = 2_000_000
_SAMPLES_AT_ONCE = 64

GENE_SHARE, SAMPLE_SHARE = 0.20, 0.05
"""Larger shares of zeros would, as missing values, cost a gene or a sample (`cohorts.linking`)."""
_PRIOR_COUNT = 2.0


@dataclass(frozen=True)
class ScaleVerdict:
    """The scale of a matrix, and the reason."""

    scale: Literal["log2", "linear", "counts"]
    reason: str
    kind: ValueKind = ""


def detect_scale(values: NDArray[np.floating]) -> ScaleVerdict:
    """Distinguish linear from log2 values as GEO2R does.

    The rule of the R script that GEO2R shows (NCBI GEO, "About GEO2R"), except for "nothing
    negative": in FPKM of all genes the lower quartile is 0.

    `values`: Probe-level expression; missing is NaN. Very large matrices are judged by evenly
    spaced rows. Returns linear when the 99th percentile is above 100, or when the range is above 50
    and the lower quartile positive or nothing negative. A centred matrix (log ratios) is neither
    and counts as log2.
    """
    step = max(1, values.size // _ENOUGH)
    finite = values[::step][np.isfinite(values[::step])]
    if finite.size == 0:
        return ScaleVerdict("log2", "no values to judge the scale by; left as they are")
    lowest, top = float(finite.min()), float(finite.max())
    quarter, high = (quantile(finite, share, finite.size) for share in (0.25, 0.99))
    if high > 100:
        return ScaleVerdict("linear", f"99th percentile {_plain(high)} is above 100")
    spread = _plain(top - lowest)
    if top - lowest > 50 and quarter > 0:
        why = f"range {spread} is above 50 and the lower quartile {_plain(quarter)} positive"
        return ScaleVerdict("linear", why)
    if top - lowest > 50 and lowest >= 0:
        return ScaleVerdict("linear", f"range {spread} is above 50 and no value negative")
    return ScaleVerdict("log2", f"99th percentile {_plain(high)}, range {spread}")


def _plain(value: float) -> str:
    """Return four digits of a number without exponent: 10,090, not 1.009e+04."""
    value = float(f"{value:.4g}")
    return f"{value:,.0f}" if abs(value) >= 1000 else np.format_float_positional(value, trim="-")


_COUNTS = re.compile(
    r"counts?(?![a-z])|numreads|reads|htseq|featurecounts|star(?![a-z])", re.IGNORECASE
)
_NORMALISED = re.compile(
    r"(?<!non)(?<!non[-_ .])(?<!un)(?<!not[-_ .])norm(alis|aliz)?(ed)?(?![a-z])|[fr]pkm|tpm"
    r"|(?<![a-z])(cpm|rma|vst|rlog|log2?)(?![a-z])",
    re.IGNORECASE,
)
_READS = re.compile(r"[fr]pkm|tpm|deseq|(?<![a-z])(cpm|vst|rlog)(?![a-z])", re.IGNORECASE)
_PROTEINS = re.compile(r"lfq|ibaq|tmt|reporter intensity", re.IGNORECASE)
_INTENSITY = re.compile(r"intensity(?![a-z])", re.IGNORECASE)
_MILLION, _NEAR = 1e6, 0.02
_ADD_UP = "every sample adds up to a million: TPM or CPM"
_FLOOR_SHARE, _HIGHEST_FLOOR, _WIDE = 0.01, 1.0, 6.0
"""Of logarithms: so many values are the lowest one, which is so low and so far from the highest."""
_FEWEST_ZEROS, _SMALL_FOR_ZEROS, _SAME_LIBRARIES = 1e-3, 0.3, 1.02
_FEW_NEGATIVE = 0.05
_FEWEST_SCALED, _MOST_SCALED, _OFF, _LOWEST_COUNTS = 50, 200, 0.01, range(1, 101)
"""Of counts times a factor: the lowest different values looked at, how far from whole they may be,
and what the lowest count may be."""
_LEAST_LIBRARY = 2e6
_SMALL_PAIR, _FEWEST_PAIRS, _SAMPLES_COMPARED, _LEAST_NOISE = (2, 10), 1000, 24, 0.8
"""Of whole numbers: sums of two samples at which a gene is compared, how many such genes and how
many samples, and the variance of reads below which they are none; 1 is chance, counts have more."""


def recognise_scale(
    values: NDArray[np.floating], names: str = "", *, probes: bool | None = False
) -> ScaleVerdict:
    """Distinguish counts, other linear values (CPM, FPKM, TPM, intensities) and log2 values.

    Normalised reads and protein intensities are told from others by what they are called, by sums
    of a million, and by zeros; also their logarithms.

    `values`: Shape (rows, samples). Missing is NaN. `names`: what the file and its columns call the
    values; decides where the values allow either. `probes`: whether the rows are probes of an
    array, whose whole numbers are intensities; None where that is not known and the values decide.
    Returns counts are whole numbers, also those of RSEM and salmon, of which many are fractional
    because reads of several genes are shared.
    """
    verdict = detect_scale(values)
    step = max(1, len(values) * max(1, values.shape[1]) // _ENOUGH)
    some = values[::step]
    finite = some[np.isfinite(some)]
    if not finite.size:
        return verdict
    proteins = _PROTEINS.search(names) or (verdict.scale == "linear" and _INTENSITY.search(names))
    if proteins and not probes:
        why = f"{verdict.reason}; called {proteins[0]!r}: intensities"
        return ScaleVerdict(verdict.scale, why, "proteins")
    may_be_counted = not probes
    if probes is None:
        probes = not _looks_counted(values, finite)
    if finite.min() < 0:
        found = _with_negative(finite, names, verdict, probes=probes)
        return _logged(found, values, names) if found.scale == "log2" else found
    all_whole = bool((finite == np.floor(finite)).all())
    normalised = _NORMALISED.search(names)
    if all_whole and finite.max() > 30 and not probes:
        if normalised:
            why = f"whole numbers, but called {normalised[0]!r}: normalised and rounded"
            return ScaleVerdict("linear", why, "reads")
        return _whole(values)
    if verdict.scale == "log2":
        told = may_be_counted or _READS.search(names)
        return _logged(verdict, values, names) if told else verdict
    sums = np.nansum(values, axis=0)
    if (np.abs(sums / _MILLION - 1) < _NEAR).all():
        return ScaleVerdict("linear", _ADD_UP, "reads")
    if may_be_counted and not all_whole and _scaled_counts(values):
        why = "whole numbers times a factor of each sample: normalised counts"
        return ScaleVerdict("linear", why, "reads")
    return _linear(finite, sums, names, verdict.reason, probes=probes)


def _whole(values: NDArray[np.floating]) -> ScaleVerdict:
    """Distinguish counts from FPKM, TPM or CPM rounded to whole numbers."""
    if (np.abs(np.nansum(values, axis=0) / _MILLION - 1) < _NEAR).all():
        return ScaleVerdict("linear", f"whole numbers, but {_ADD_UP}, rounded", "reads")
    noise = _noise_of_reads(values)
    if noise < _LEAST_NOISE:
        why = (
            f"whole numbers, but between similar samples they vary {noise:.2f} times as much as "
            "reads do by chance: FPKM, TPM or CPM, rounded; scale 'counts' if they are counts"
        )
        return ScaleVerdict("linear", why, "reads")
    return ScaleVerdict("counts", "whole numbers of 0 or more")


def _noise_of_reads(values: NDArray[np.floating]) -> float:
    """Return the variance of small values between similar samples, by that of reads.

    Reads of a gene that two samples share between them are binomial, and differences between
    samples add to that. The least of each sample's pairs is taken, and the median over samples.
    """
    some = np.nan_to_num(values[:, :_SAMPLES_COMPARED])
    number = some.shape[1]
    noise = np.full((number, number), np.inf)
    for i in range(number):
        for j in range(i):
            total = some[:, i] + some[:, j]
            small = (total >= _SMALL_PAIR[0]) & (total <= _SMALL_PAIR[1])
            one, both = some[small, i], total[small]
            # Columns that are copies of each other say nothing.
            if len(one) < _FEWEST_PAIRS or (2 * one == both).all():
                continue
            share = one.sum() / both.sum()
            if 0 < share < 1:
                variance = both * share * (1 - share)
                noise[i, j] = noise[j, i] = ((one - both * share) ** 2 / variance).mean()
    least = noise.min(axis=1, initial=np.inf)
    return float(np.median(least[np.isfinite(least)])) if np.isfinite(least).any() else 1.0


def _linear(
    finite: NDArray[np.floating], sums: NDArray[np.floating], names: str, why: str, *, probes: bool
) -> ScaleVerdict:
    """Distinguish expected counts, normalised reads and intensities."""
    high = finite[finite >= 10]
    whole = float((high == np.floor(high)).mean()) if high.size else 0.0
    named, normalised = _COUNTS.search(names), _NORMALISED.search(names)
    if not probes and not normalised and (whole > 0.1 or (named and sums.max() > _LEAST_LIBRARY)):
        if whole > 0.1:
            why = f"{whole:.0%} of the values above 10 are whole: expected counts (RSEM, salmon)"
        elif named:
            why = f"called {named[0]!r}, and samples add up to {_plain(float(np.median(sums)))}"
        return ScaleVerdict("counts", why)
    zeros = float((finite == 0).mean())
    if (probes or zeros < 0.001) and not _READS.search(names):
        return ScaleVerdict("linear", f"{why}; intensities")
    return ScaleVerdict("linear", f"{why}; FPKM, CPM or other normalised reads", "reads")


def _logged(verdict: ScaleVerdict, values: NDArray[np.floating], names: str) -> ScaleVerdict:
    """Return whether logarithms are those of normalised reads: by name, sums or the lowest."""
    why = ""
    if named := _READS.search(names):
        why = f"called {named[0]!r}"
    else:
        lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
        sums = _sums_before_logarithm(values, lowest)
        floor = float((values <= lowest + 1e-6).mean())
        if (np.abs(sums / _MILLION - 1) < _NEAR).all():
            why = "every sample adds up to a million before the logarithm: TPM or CPM"
        elif floor >= _FLOOR_SHARE and lowest <= _HIGHEST_FLOOR and highest - lowest > _WIDE:
            why = f"{floor:.0%} of the values are the lowest one, no reads"
    if not why:
        return verdict
    return ScaleVerdict(verdict.scale, f"{verdict.reason}; {why}: normalised reads", "reads")


def _sums_before_logarithm(values: NDArray[np.floating], lowest: float) -> NDArray[np.float64]:
    """Return the sum of each sample before the logarithm, the lowest value subtracted."""
    sums = np.empty(values.shape[1])
    for at in range(0, len(sums), _SAMPLES_AT_ONCE):
        part = values[:, at : at + _SAMPLES_AT_ONCE]
        with np.errstate(over="ignore"):
            raw = np.exp2(np.where(np.isfinite(part), part, -np.inf))
        sums[at : at + _SAMPLES_AT_ONCE] = (raw - np.exp2(lowest)).clip(0).sum(axis=0)
    return sums


def _scaled_counts(values: NDArray[np.floating]) -> bool:
    """Return whether each sample is whole numbers times a factor of its own."""
    for sample in values.T:
        found = np.unique(sample[sample > 0])[:_MOST_SCALED]
        if found.size < _FEWEST_SCALED:
            return False
        times = found / found[0]
        fit = (k for k in _LOWEST_COUNTS if np.abs(times * k - np.rint(times * k)).max() < _OFF)
        if (lowest := next(fit, None)) is None or _is_round(found[0] / lowest):
            return False
    return True


def _is_round(step: float) -> bool:
    """Return whether values in these steps may have been rounded to three digits or fewer."""
    return abs(step * 1000 - round(step * 1000)) < 1e-6 * max(step * 1000, 1)


def _looks_counted(values: NDArray[np.floating], finite: NDArray[np.floating]) -> bool:
    """Return whether zeros go over into ones and twos, as of reads, in libraries that differ."""
    sums = np.nansum(values, axis=0)
    zeros, small = float((finite == 0).mean()), float(((finite > 0) & (finite <= 3)).mean())
    differ = sums.max() > _SAME_LIBRARIES * max(sums.min(), 1.0)
    return bool(zeros >= _FEWEST_ZEROS and small >= _SMALL_FOR_ZEROS * zeros and differ)


def _with_negative(
    finite: NDArray[np.floating], names: str, verdict: ScaleVerdict, *, probes: bool
) -> ScaleVerdict:
    """Return counts for whole numbers of which a few are negative, so that these are refused."""
    whole = bool((finite == np.floor(finite)).all()) and finite.max() > 30
    few = float((finite < 0).mean()) <= _FEW_NEGATIVE
    if probes or not whole or _NORMALISED.search(names) or not (few or _COUNTS.search(names)):
        return verdict
    return ScaleVerdict("counts", "whole numbers, some of them negative")


def negative_count(
    values: NDArray[np.floating], genes: Sequence[str], samples: Sequence[str]
) -> str | None:
    """Return the first negative value of a table of counts as a message, None if there is none."""
    negative = np.argwhere(values < 0)
    if not len(negative):
        return None
    row, column = map(int, negative[0])
    return (
        f"counts cannot be negative, but {genes[row]} in {samples[column]} is "
        f"{values[row, column]:g} ({len(negative):,} negative in all)"
    )


def zero_offset(values: NDArray[np.floating]) -> float:
    """Return the offset to add to linear values before the logarithm, so that zeros are kept.

    In sequencing a zero is a measurement, "no read". As edgeR's ``cpm(log=TRUE, prior.count=2)``
    does for counts, one offset for the whole table represents about two reads. The value of a read
    is estimated from the genes that some samples have no read of: a gene that is zero in the share
    p of the samples has by Poisson one read in the share -p log p, and these are its smallest
    values above zero. The median over genes is taken, so that neither the lengths of genes nor
    genes that are switched off in some samples matter. Where it is the smallest step of the table,
    as in whole numbers, the step may be a read or, after rounding, several: then one step is added.

    `values`: Shape (rows, samples). Linear expression; missing is NaN. Returns in the unit of
    `values`. 0 where zeros are not measurements or too few to matter: where values are negative;
    where as missing values they would cost neither a gene (more than 20 % of the samples) nor a
    sample (more than 5 % of the genes); and where they are not at the low end of the scale, as
    where 0 means "missing".
    """
    if (values < 0).any():
        return 0.0
    positive = values > 0
    rows, samples = positive.any(axis=1), positive.any(axis=0)
    zero = np.asarray(values == 0) & np.outer(rows, samples)
    by_row, by_sample = zero.sum(axis=1), zero.sum(axis=0)
    few_by_row = (by_row <= GENE_SHARE * samples.sum()).all()
    if few_by_row and (by_sample <= SAMPLE_SHARE * rows.sum()).all():
        return 0.0
    one_read = _one_read(values, by_row)
    smallest, quarter = np.quantile(values[positive], (0.0, 0.25))
    if one_read > quarter:
        return 0.0
    return one_read if one_read <= smallest else _PRIOR_COUNT * one_read


def _one_read(values: NDArray[np.floating], zeros: NDArray[np.intp]) -> float:
    """Return the value of a read in rows with some zeros: the median over evenly spaced ones."""
    rows = np.flatnonzero(zeros)
    rows = rows[:: max(1, rows.size * values.shape[1] // _ENOUGH)]
    ordered = np.where(values[rows] > 0, values[rows], np.inf)
    ordered.sort(axis=1)
    absent, present = zeros[rows], np.isfinite(ordered).sum(axis=1)
    ones = -absent * np.log(absent / (absent + present))
    # The middle one; of genes that some samples lack altogether, no more than the lowest tenth.
    place = np.minimum(ones / 2, present / 10).astype(int)
    return float(np.median(ordered[np.arange(len(rows)), place]))


def to_log2(values: NDArray[np.floating], offset: float = 0.0) -> tuple[NDArray[np.floating], int]:
    """Take the log2 of values plus an offset; values that are then not above 0 become missing."""
    positive = values > 0
    lost = int(np.count_nonzero(values <= 0))
    if lost and not positive.any():
        msg = "no value is above 0, so the matrix is not on a linear scale: use scale='log2'"
        raise UsageError(msg)
    if offset > 0:
        positive = (values >= 0) & positive.any(axis=0)
        lost = int(np.count_nonzero((values <= 0) & ~positive))
    logged = np.full_like(values, np.nan)
    shifted = values + np.asarray(offset, dtype=values.dtype) if offset else values
    np.log2(shifted, out=logged, where=positive)
    return logged, lost
