"""The same array, or the same person, under two names: in a cohort, and in two cohorts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from genotex.analysis.audit.cohort import AuditedCohort, residuals
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.analysis.samples.blocks import PERSONAL_GENES
from genotex.analysis.samples.facts import donor_of
from genotex.analysis.samples.sex import SEX_GENES
from genotex.arrays import Flags, Floats
from genotex.words import counted

FEWEST_SAMPLES = 8
VARIABLE_GENES = 1_000
"""Genes that tell people apart: well expressed ones that vary most within the groups."""
FEWEST_PERSONAL = 8
PERSONAL = 1 / 3
"""Weight of the genes whose level is inherited against the whole profile."""
SAMPLES_PER_FACTOR, FROM_SAMPLES = 15, 30
"""The first components, one for so many samples, are the mixture of cells, not the person."""
LEAST, GAP = 0.5, 0.15
"""Similarity of two samples of one person, and by how much it is above that of either with any
third sample: at least so much each, ..."""
WITHIN, ACROSS, WITHOUT_PERSONAL = 0.95, 0.8, 0.15
"""... and so much together: in a cohort, between two; more where few inherited genes are there."""
SAME, SAME_BY_NEIGHBOUR = 0.1, 0.15
"""A copy: 1 - r below so much of the usual, and of that to the tenth neighbour."""
FAR_NEIGHBOUR = 10
IDENTICAL = 1e-3
"""... and below so much of the usual it is the same array, else the same RNA."""
COMMON_GENES = 500


def check_copies(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find arrays that are there twice, also shifted, scaled or rounded."""
    cohort.need(4)
    apart = _apart(_profiles(cohort))
    n = len(apart)
    away = ~np.eye(n, dtype=bool)
    usual = float(np.median(apart[away]))
    neighbour = np.sort(np.where(away, apart, np.inf), axis=1)[:, min(FAR_NEIGHBOUR, n // 2) - 1]
    same = (apart <= SAME * usual) & (apart <= SAME_BY_NEIGHBOUR * neighbour[:, None]) & away
    for i, j in zip(*np.nonzero(np.triu(same | same.T)), strict=True):
        pair = cohort.samples[i], cohort.samples[j]
        exact = apart[i, j] <= IDENTICAL * usual
        if not exact and _recorded_together(cohort, pair):
            continue
        how = "are the same array" if exact else "are the same RNA on two arrays"
        yield AuditFinding(
            "warning",
            f"{pair[0]} and {pair[1]} {how}: they differ by {apart[i, j] / usual:.2g} of what two "
            f"samples usually do{_levels_differ(cohort, int(i), int(j))}.",
            "Keep one of them; two count as independent samples.",
            pair,
        )


def _apart(values: Floats) -> Floats:
    """Return 1 - r of each two samples."""
    centred = values - values.mean(axis=1, keepdims=True)
    unit = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
    found: Floats = np.maximum(1 - unit @ unit.T, 0.0)
    return found


def _levels_differ(cohort: AuditedCohort, i: int, j: int) -> str:
    """Return how the values of one are those of the other, changed."""
    one, other = cohort.filled[i], cohort.filled[j]
    ratio = float(other.std() / max(float(one.std()), 1e-9))
    if abs(ratio - 1) > 0.02:
        return f"; the values of one are {max(ratio, 1 / ratio):.2f} times as spread"
    shift = float(np.median(other - one))
    return f"; the values of one are {abs(shift):.2g} higher" if abs(shift) > 0.02 else ""


def _profiles(cohort: AuditedCohort) -> Floats:
    """Return the values of the upper half of the genes; the rest is mostly noise."""
    values = cohort.filled
    if not cohort.has_levels:
        return values
    mean = values.mean(axis=0)
    return values[:, mean >= np.median(mean)]


def check_people(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples of one person under two names."""
    cohort.need(FEWEST_SAMPLES)
    alike, need = _similarity(cohort, cohort, cohort.genes, WITHIN)
    np.fill_diagonal(alike, -1.0)
    copies = {finding.samples for finding in check_copies(cohort)}
    for i, j, likeness in _outstanding(alike, need):
        pair = cohort.samples[i], cohort.samples[j]
        if i < j and pair not in copies and not _recorded_together(cohort, pair):
            yield AuditFinding(
                "warning",
                f"{pair[0]} and {pair[1]} seem to be one person: beyond the groups their profiles "
                f"are alike by {likeness:.2f} of 1, and no third sample is nearly so like either.",
                "Ask for the donors; --block PERSON, or --pair detected, takes samples of one "
                "person together.",
                pair,
            )


def _outstanding(alike: Floats, need: float) -> Iterator[tuple[int, int, float]]:
    """Give the pairs that are far more alike than either is with any third sample."""
    n, m = alike.shape
    for i, j in zip(*np.nonzero(alike >= LEAST), strict=True):
        row, column = np.delete(alike[i], j), np.delete(alike[:, j], i)
        gap = alike[i, j] - max(row.max(initial=-1), column.max(initial=-1))
        if gap >= GAP and alike[i, j] + gap >= need and min(n, m) > 1:
            yield int(i), int(j), float(alike[i, j])


def _recorded_together(cohort: AuditedCohort, pair: Sequence[str]) -> bool:
    """Return whether the record states that two samples are of one person."""
    one, other = (donor_of(cohort.facts, sample) for sample in pair)
    return bool(one) and one == other


def _similarity(
    one: AuditedCohort, other: AuditedCohort, genes: Sequence[str], need: float
) -> tuple[Floats, float]:
    """Return how alike samples of two cohorts are beyond their groups, and what is outstanding."""
    left, right = (residuals(_of_genes(c, genes), c.groups) for c in (one, other))
    spread = np.minimum(
        *(part.std(axis=0) / max(float(part.std()), 1e-9) for part in (left, right))
    )
    names = np.array(genes)
    personal = np.isin(names, list(PERSONAL_GENES)) & (spread > 0)
    fit = _well_expressed(one, other, genes) & ~personal & ~np.isin(names, list(SEX_GENES))
    chosen = np.argsort(-np.where(fit, spread, -1.0), kind="stable")
    chosen = chosen[: min(VARIABLE_GENES, int(fit.sum()))]
    whole = _unit(without_factors(left[:, chosen])) @ _unit(without_factors(right[:, chosen])).T
    if personal.sum() < FEWEST_PERSONAL:
        return whole, need + WITHOUT_PERSONAL
    inherited = _unit(left[:, personal]) @ _unit(right[:, personal]).T
    found: Floats = (1 - PERSONAL) * whole + PERSONAL * inherited
    return found, need


def _well_expressed(one: AuditedCohort, other: AuditedCohort, genes: Sequence[str]) -> Flags:
    """Return the upper half of the genes by expression, the rest being noise; all of log ratios."""
    levels = [_of_genes(c, genes).mean(axis=0) for c in (one, other) if c.has_levels]
    if not levels:
        return np.ones(len(genes), dtype=bool)
    mean = np.mean([level / max(float(level.std()), 1e-9) for level in levels], axis=0)
    found: Flags = mean >= np.median(mean)
    return found


def _unit(profiles: Floats) -> Floats:
    found: Floats = profiles / np.maximum(np.linalg.norm(profiles, axis=1, keepdims=True), 1e-12)
    return found


def without_factors(left: Floats) -> Floats:
    """Return profiles of many samples without their first components."""
    if len(left) < FROM_SAMPLES:
        return left
    u = np.linalg.svd(left, full_matrices=False)[0][:, : len(left) // SAMPLES_PER_FACTOR]
    found: Floats = left - u @ (u.T @ left)
    return found


def check_across(one: AuditedCohort, other: AuditedCohort) -> Iterator[AuditFinding]:
    """Find people who are in two cohorts, by their profiles."""
    for cohort in (one, other):
        cohort.need(FEWEST_SAMPLES)
    common = sorted(set(one.genes) & set(other.genes))
    if len(common) < COMMON_GENES:
        why = f"{one.name} and {other.name} have {len(common)} genes in common"
        raise NotJudged(why)
    same = _same_values(one, other, common)
    if same:
        shared = [a if a == b else f"{a} = {b}" for a, b in same]
        yield AuditFinding(
            "warning",
            f"{counted(len(same), 'sample')} of {one.name} and {other.name} are the same arrays: "
            f"{named(shared)}.",
            "The two are not independent: combine them only after leaving these out of one.",
            tuple(name for pair in same for name in dict.fromkeys(pair)),
        )
        return
    alike, need = _similarity(one, other, common, ACROSS)
    for i, j, likeness in _outstanding(alike, need):
        pair = one.samples[i], other.samples[j]
        yield AuditFinding(
            "warning",
            f"{pair[0]} of {one.name} and {pair[1]} of {other.name} seem to be one person: beyond "
            f"the groups their profiles are alike by {likeness:.2f} of 1.",
            "The two are not independent in this person: leave it out of one.",
            pair,
        )


def _same_values(
    one: AuditedCohort, other: AuditedCohort, common: Sequence[str]
) -> list[tuple[str, str]]:
    """Return arrays of one cohort that are in the other as well, also shifted or scaled."""
    left, right = (_of_genes(cohort, common) for cohort in (one, other))
    n = len(left)
    apart = _apart(np.vstack([left, right]))[:n, n:]
    usual = float(np.nanmedian(apart))
    found = np.nonzero(apart <= IDENTICAL * usual)
    return [(one.samples[i], other.samples[j]) for i, j in zip(*found, strict=True)]


def _of_genes(cohort: AuditedCohort, genes: Sequence[str]) -> Floats:
    place = {gene: k for k, gene in enumerate(cohort.genes)}
    return cohort.filled[:, [place[gene] for gene in genes]]
