"""The same array, or the same person, under two names: in a cohort, and in two cohorts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from genotex.analysis.audit.cohort import AuditedCohort, components
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.analysis.samples.blocks import PERSONAL_GENES
from genotex.analysis.samples.facts import donor_of
from genotex.analysis.samples.same_people import PeopleTable, find_shared_people
from genotex.analysis.samples.sex import SEX_GENES
from genotex.arrays import Flags, Floats
from genotex.words import counted

FEWEST_SAMPLES, FEWEST_OF_COPIES = 8, 6
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


def check_copies(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find arrays that are there twice, also shifted, scaled or rounded."""
    cohort.need(FEWEST_OF_COPIES)
    found = _copies(cohort)
    for exact, what in ((True, "the same array"), (False, "the same RNA on two arrays")):
        pairs = [(i, j) for i, j, same in found if same is exact]
        if not pairs:
            continue
        samples = [(cohort.samples[i], cohort.samples[j]) for i, j in pairs]
        shown = [
            f"{a} and {b}{_levels_differ(cohort, i, j) if exact else ''}"
            for (a, b), (i, j) in zip(samples, pairs, strict=True)
        ]
        replicates = 2 * len({name for pair in samples for name in pair}) > len(cohort.samples)
        yield AuditFinding(
            # Most samples: replicates of a few, or cultures of one line, by design.
            "note" if replicates and not exact else "warning",
            f"{named(shown)} {'are' if len(pairs) == 1 else 'are each'} {what}: they differ far "
            "less than two samples of a group do.",
            "Keep one of them, or average them: two count as independent samples.",
            tuple(dict.fromkeys(name for pair in samples for name in pair)),
        )


def _copies(cohort: AuditedCohort) -> list[tuple[int, int, bool]]:
    """Return pairs of copies, and whether they are the same array."""
    apart = _apart(_profiles(cohort))
    n = len(apart)
    away = ~np.eye(n, dtype=bool)
    groups = np.array([f"{value:g}" for value in cohort.table.trait_values])
    within = away & (groups[:, None] == groups)
    usual = float(np.median(apart[within if within.any() else away]))
    neighbour = np.sort(np.where(away, apart, np.inf), axis=1)[:, min(FAR_NEIGHBOUR, n // 2) - 1]
    same = (apart <= SAME * usual) & (apart <= SAME_BY_NEIGHBOUR * neighbour[:, None]) & away
    found = []
    for i, j in zip(*np.nonzero(np.triu(same | same.T)), strict=True):
        exact = bool(apart[i, j] <= IDENTICAL * usual)
        if exact or not _recorded_together(cohort, (cohort.samples[i], cohort.samples[j])):
            found.append((int(i), int(j), exact))
    return found


def _apart(values: Floats) -> Floats:
    """Return 1 - r of each two samples."""
    unit = _unit(values - values.mean(axis=1, keepdims=True))
    found: Floats = np.maximum(1 - unit @ unit.T, 0.0)
    return found


def _levels_differ(cohort: AuditedCohort, i: int, j: int) -> str:
    """Return how the values of one are those of the other, changed."""
    one, other = cohort.filled[i], cohort.filled[j]
    ratio = float(other.std() / max(float(one.std()), 1e-9))
    if abs(ratio - 1) > 0.02:
        return f" (the values of one are {max(ratio, 1 / ratio):.2f} times as spread)"
    shift = float(np.median(other - one))
    return f" (the values of one are {abs(shift):.2g} higher)" if abs(shift) > 0.02 else ""


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
    outstanding = [(i, j, found) for i, j, found in _outstanding(alike, need) if i < j]
    copies = {(i, j) for i, j, _ in _copies(cohort)} if outstanding else set()
    for i, j, likeness in outstanding:
        pair = cohort.samples[i], cohort.samples[j]
        if (i, j) not in copies and not _recorded_together(cohort, pair):
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
    best = (alike == alike.max(axis=1, keepdims=True)) & (alike == alike.max(axis=0))
    for i, j in zip(*np.nonzero(best & (alike >= LEAST)), strict=True):
        gap = alike[i, j] - max(np.delete(alike[i], j).max(), np.delete(alike[:, j], i).max())
        if gap >= GAP and alike[i, j] + gap >= need:
            yield int(i), int(j), float(alike[i, j])


def _recorded_together(cohort: AuditedCohort, pair: Sequence[str]) -> bool:
    """Return whether the record states that two samples are of one person."""
    one, other = (donor_of(cohort.facts, sample) for sample in pair)
    return bool(one) and one == other


def _similarity(
    one: AuditedCohort, other: AuditedCohort, genes: Sequence[str], need: float
) -> tuple[Floats, float]:
    """Return how alike samples of two cohorts are beyond their groups, and from when it counts."""
    left = _of_genes(one, one.rest, genes)
    right = left if one is other else _of_genes(other, other.rest, genes)
    spread = _spread(left)
    if right is not left:
        spread = np.minimum(spread, _spread(right))
    names = np.array(genes)
    personal = np.isin(names, list(PERSONAL_GENES)) & (spread > 0)
    fit = _well_expressed(one, other, genes) & ~personal & ~np.isin(names, list(SEX_GENES))
    chosen = np.argsort(-np.where(fit, spread, -1.0), kind="stable")
    chosen = chosen[: min(VARIABLE_GENES, int(fit.sum()))]
    own = _unit(_without_factors(left[:, chosen]))
    whole = own @ (own if one is other else _unit(_without_factors(right[:, chosen]))).T
    if personal.sum() < FEWEST_PERSONAL:
        return whole, need + WITHOUT_PERSONAL
    inherited = _unit(left[:, personal]) @ _unit(right[:, personal]).T
    found: Floats = (1 - PERSONAL) * whole + PERSONAL * inherited
    return found, need


def _spread(left: Floats) -> Floats:
    """Return the standard deviation of each gene over that of all values."""
    found = left.var(axis=0)
    whole = found.mean() + left.mean(axis=0).var()
    return np.asarray(np.sqrt(found / whole))


def _of_genes(cohort: AuditedCohort, values: Floats, genes: Sequence[str]) -> Floats:
    if genes == cohort.genes:
        return values
    place = {gene: k for k, gene in enumerate(cohort.genes)}
    return values[:, [place[gene] for gene in genes]]


def _well_expressed(one: AuditedCohort, other: AuditedCohort, genes: Sequence[str]) -> Flags:
    """Return the upper half of the genes by expression, the rest being noise; all of log ratios."""
    both = [one] if one is other else [one, other]
    levels = [_of_genes(c, c.filled, genes).mean(axis=0) for c in both if c.has_levels]
    if not levels:
        return np.ones(len(genes), dtype=bool)
    mean = np.mean([level / max(float(level.std()), 1e-9) for level in levels], axis=0)
    found: Flags = mean >= np.median(mean)
    return found


def _unit(profiles: Floats) -> Floats:
    found: Floats = profiles / np.maximum(np.linalg.norm(profiles, axis=1, keepdims=True), 1e-12)
    return found


def _without_factors(left: Floats) -> Floats:
    """Return profiles of many samples without their first components."""
    if len(left) < FROM_SAMPLES:
        return left
    u = components(left, len(left) // SAMPLES_PER_FACTOR)[1]
    found: Floats = left - u @ (u.T @ left)
    return found


def check_across(one: AuditedCohort, other: AuditedCohort) -> Iterator[AuditFinding]:
    """Find people who are in two cohorts, by their profiles."""
    found = find_shared_people(*(_people(cohort) for cohort in (one, other)))
    if found.why_not and not found.pairs:
        why = f"{one.name} and {other.name}: {found.why_not}"
        raise NotJudged(why)
    copies = [(pair.first, pair.second) for pair in found.pairs if pair.copy]
    people = [(pair.first, pair.second) for pair in found.pairs if not pair.copy]
    if not found.pairs:
        # A single person in two small cohorts is an axis of both, which the search removes.
        common = sorted(set(one.genes) & set(other.genes))
        outstanding = _outstanding(*_similarity(one, other, common, ACROSS))
        people = [(one.samples[i], other.samples[j]) for i, j, _ in outstanding]
    for pairs, what in ((copies, "are the same arrays"), (people, "seem to be one person")):
        if not pairs:
            continue
        shown = [a if a == b else f"{a} = {b}" for a, b in pairs]
        each = "" if len(pairs) == 1 or pairs is copies else " each"
        yield AuditFinding(
            "warning",
            f"{counted(len(pairs), 'sample')} of {one.name} and of {other.name} {what}{each}: "
            f"{named(shown)}.",
            "The two are not independent: leave these out of one before you combine them.",
            tuple(name for pair in pairs for name in dict.fromkeys(pair)),
        )


def _people(cohort: AuditedCohort) -> PeopleTable:
    groups = [f"{value:g}" for value in cohort.table.trait_values]
    return PeopleTable(cohort.samples, cohort.genes, cohort.filled, groups)
