"""The comparison itself: batches that are the groups, and p-values of a wrong shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from genotex.analysis.audit.cohort import AuditedCohort, components
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.gene_tests.linear import fit_last_column
from genotex.analysis.gene_tests.moderated import moderate
from genotex.analysis.gene_tests.p_values import excess_near_one
from genotex.analysis.hidden.confounding import associate_covariate
from genotex.analysis.samples.facts import check_sample_facts, donor_of, is_technical
from genotex.arrays import Flags, Floats

SURE = 0.01
"""p-value, times the number of measures, below which control probes go with the groups."""
FEWEST_IN_CLUSTERS, FEWEST_IN_CLUSTER = 8, 3
APART = 5.0
"""Standard deviations between two clusters; halves of one are 2.6 apart."""
MANY_GENES = 0.25
"""Share of the genes that differ between the clusters (p < .001): a batch moves most."""
NEAR_ONE = 1.5
"""Density of p-values above 0.9 over that from 0.5 to 0.9."""
FLAT, FLAT_GENES = 0.06, 200
"""Share of p-values below 0.05 that is no more than chance gives."""
FEW_DIFFERENT = 0.5
"""Share of different p-values among the genes below which they are discrete."""


def check_batch(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find recorded batches, dates, plates or sites that go with the groups."""
    contrast = cohort.compared
    if contrast is None:
        why = "no groups are recorded"
        raise NotJudged(why)
    if not cohort.facts:
        why = "no characteristics but the groups are recorded"
        raise NotJudged(why)
    contrast = _one_per_person(cohort, contrast)
    checked = check_sample_facts(cohort.facts, cohort.samples, contrast, cohort.table.trait)
    for row in checked.record:
        if not row["strength"] or not is_technical(row["key"]):
            continue
        size = f"{row['measure']} {row['size']:.2f}"
        complete = row["strength"] == "complete"
        yield AuditFinding(
            "serious" if row["strength"] in ("complete", "strong") else "warning",
            f"'{row['key']}' goes with the groups ({row['test']}, p = {row['p']:.2g}, {size})"
            + (": every value occurs in one group only." if complete else "."),
            "The effects of the two cannot be separated by any adjustment: another cohort must."
            if complete
            else f"Adjust for it (--covariates '{row['key']}', or in the design); it costs power.",
        )


def _one_per_person(cohort: AuditedCohort, contrast: Contrast) -> Contrast:
    """Return the first sample of each recorded person: each was seen on a day of its own."""
    people: dict[str, int] = {}
    for place, row in enumerate(contrast.rows):
        sample = cohort.samples[row]
        people.setdefault(donor_of(cohort.facts, sample) or sample, place)
    kept = np.array(sorted(people.values()))
    return replace(contrast, rows=contrast.rows[kept], values=contrast.values[kept])


def check_controls(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find control probes, which no disease moves, that go with the groups."""
    contrast = cohort.compared
    every = [
        (name, kind, values)
        for kind in cohort.measures
        for name, values in cohort.measured(kind).items()
    ]
    if contrast is None or not every:
        why = "the table has no control probes" if contrast is not None else "no groups"
        raise NotJudged(why)
    moved = []
    for name, kind, values in every:
        found = values[contrast.rows]
        if not np.isfinite(found).all() or len(np.unique(found)) < 3:
            continue
        association = associate_covariate(contrast.values, found, contrast.binary)
        if association.p * len(every) < SURE:
            moved.append(f"{name} of the {kind} ({association.text})")
    if moved:
        yield AuditFinding(
            "warning",
            f"Control probes, which no disease moves, differ between the groups: {named(moved)}. "
            "The groups were handled or measured differently.",
            "Look for batches: by default analyses adjust for factors that control probes show.",
        )


def check_clusters(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples in two clusters that no group explains: a batch that no one recorded."""
    cohort.need(FEWEST_IN_CLUSTERS)
    share, scores = components(cohort.rest, 2)
    for k in range(2):
        second, apart = _split(scores[:, k])
        if min(second.sum(), (~second).sum()) < FEWEST_IN_CLUSTER or apart < APART:
            continue
        design = np.column_stack([np.ones(len(second)), cohort.groups[:, 1:], second])
        p = moderate(fit_last_column(design, cohort.filled)).p
        genes = float((p < 0.001).mean())
        if genes < MANY_GENES:
            continue
        few = second if second.sum() <= len(second) / 2 else ~second
        names = tuple(np.array(cohort.samples, dtype=object)[few].tolist())
        yield AuditFinding(
            "warning",
            f"{len(names)} of {len(second)} samples are a cluster of their own, in each group: "
            f"{share[k]:.0%} of the variance and {genes:.0%} of the genes go that way "
            f"({named(names)}).",
            "Ask for batches, dates and tissues; then adjust for it (--covariates), or use "
            "--hidden adjust.",
            names,
        )
        return


def _split(scores: Floats) -> tuple[Flags, float]:
    """Return the upper of two clusters, and how many standard deviations these are apart."""
    ordered = np.sort(scores)
    n = len(ordered)
    low = np.arange(1, n)
    sums, squares = np.cumsum(ordered), np.cumsum(ordered**2)
    within = squares[-1] - sums[:-1] ** 2 / low - (sums[-1] - sums[:-1]) ** 2 / (n - low)
    cut = int(np.argmin(within))
    deviation = max(float(np.sqrt(max(within[cut], 0.0) / max(n - 2, 1))), 1e-12)
    means = sums[cut] / low[cut], (sums[-1] - sums[cut]) / (n - low[cut])
    second: Flags = scores > (ordered[cut] + ordered[cut + 1]) / 2
    return second, float(means[1] - means[0]) / deviation


def check_p_values(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find p-values that a calibrated test does not give: many near 1, or few different ones."""
    cohort.need(6, groups=True)
    p = _p_values(cohort)
    excess, low = excess_near_one(p), float((p < 0.05).mean())
    if len(p) >= FLAT_GENES and low < FLAT:
        yield AuditFinding(
            "note",
            f"The p-values are flat: {low:.1%} are below 0.05, where chance gives 5 %.",
            "Nothing is wrong with it: expect few genes, or none, from this comparison.",
        )
    near = int((p > 0.9).sum())
    if len(p) >= 200 and excess > NEAR_ONE and near > 100:
        shape = "both ends (a U)" if low > 0.1 else "1"
        yield AuditFinding(
            "warning",
            f"The p-values pile up at {shape}: {excess:.1f} times as many near 1 as below.",
            "A batch or a mixture within the groups that no one recorded: look at the principal "
            "components, and at --hidden adjust.",
        )
    different = len(np.unique(np.round(p, 6))) / max(len(p), 1)
    if different < FEW_DIFFERENT:
        yield AuditFinding(
            "warning",
            f"Only {different:.0%} of the p-values are different: the values are ranks, rounded, "
            "or repeated for many genes.",
            "Find values with more digits, or probes in place of groups of genes.",
        )


def _p_values(cohort: AuditedCohort) -> Floats:
    contrast = cohort.compared
    assert contrast is not None
    design = np.column_stack([np.ones(len(contrast.rows)), contrast.values])
    p = moderate(fit_last_column(design, cohort.filled_of(contrast))).p
    found: Floats = p[np.isfinite(p)]
    return found
