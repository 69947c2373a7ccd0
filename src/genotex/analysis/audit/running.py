"""Every check of an audit, and the audit of cohorts by all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from genotex.analysis.audit import cells, groups, labels, people, samples, values
from genotex.analysis.audit.cohort import AuditedCohort
from genotex.analysis.audit.findings import AuditFinding, CheckResult, CohortAudit, NotJudged
from genotex.words import listed, readable


@dataclass(frozen=True)
class AuditCheck:
    """A check of one cohort: its name, and what finds something."""

    key: str
    title: str
    find: Callable[[AuditedCohort], Iterable[AuditFinding]]


CHECKS = (
    AuditCheck("scale", "Scale of the values", values.check_scale),
    AuditCheck("extremes", "Values far from all others", values.check_extremes),
    AuditCheck("mixture", "One scale for all samples", values.check_mixture),
    AuditCheck("negative", "Negative values", values.check_negative),
    AuditCheck("missing", "Codes for missing values", values.check_missing),
    AuditCheck("cells", "Cells that are no numbers", cells.check_cells),
    AuditCheck("symbols", "Names of genes", cells.check_symbols),
    AuditCheck("size", "Whole table", cells.check_size),
    AuditCheck("sex", "Sex by expression", samples.check_sex),
    AuditCheck("labels", "Groups by expression", labels.check_labels),
    AuditCheck("rows", "Rows of the sample sheet", labels.check_rows),
    AuditCheck("copies", "The same array twice", people.check_copies),
    AuditCheck("people", "The same person twice", people.check_people),
    AuditCheck("blocks", "Repeated people", samples.check_together),
    AuditCheck("pools", "Pools", samples.check_pools),
    AuditCheck("outliers", "Outliers and degraded samples", samples.check_outliers),
    AuditCheck("degradation", "Degraded RNA by control probes", samples.check_degradation),
    AuditCheck("batch", "Batch against groups", groups.check_batch),
    AuditCheck("controls", "Control probes against groups", groups.check_controls),
    AuditCheck("clusters", "Batches that were not recorded", groups.check_clusters),
    AuditCheck("p-values", "Shape of the p-values", groups.check_p_values),
)
"""In the order of the page. To add a check, add a function and its row."""
MOST_GROUPS = 8
"""A trait with more values is measured."""
ACROSS = AuditCheck("across", "The same person in two cohorts", lambda cohort: ())


def audit_cohort(cohort: AuditedCohort) -> CohortAudit:
    """Check one cohort."""
    return CohortAudit(cohort.name, _facts(cohort), tuple(_run(each, cohort) for each in CHECKS))


def audit_across(
    cohorts: Sequence[AuditedCohort], step: Callable[[int, int, str], None] = lambda *done: None
) -> tuple[CheckResult, ...]:
    """Check cohorts in pairs; `step` is told how many are done, of how many, and which is next."""
    pairs = list(combinations(cohorts, 2))
    found = []
    for done, (one, other) in enumerate(pairs):
        step(done, len(pairs), f"{one.name} and {other.name}")
        found.append(_across(one, other))
    return _merged(found)


def _run(check: AuditCheck, cohort: AuditedCohort) -> CheckResult:
    try:
        return CheckResult(check.key, check.title, tuple(check.find(cohort)))
    except NotJudged as why:
        return CheckResult(check.key, check.title, why_not=str(why))


def _across(one: AuditedCohort, other: AuditedCohort) -> CheckResult:
    try:
        found = tuple(people.check_across(one, other))
        return CheckResult(ACROSS.key, ACROSS.title, found)
    except NotJudged as why:
        return CheckResult(ACROSS.key, ACROSS.title, why_not=str(why))


def _merged(results: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
    """Return the pairs of cohorts as one check."""
    if not results:
        return ()
    found = tuple(finding for each in results for finding in each.findings)
    judged = [each for each in results if not each.why_not]
    why = "" if judged else results[0].why_not
    return (CheckResult(ACROSS.key, ACROSS.title, found, why),)


def _facts(cohort: AuditedCohort) -> tuple[tuple[str, str], ...]:
    """Return what was audited."""
    contrast = cohort.compared
    groups = "none recorded"
    if contrast is not None:
        sizes = np.unique(contrast.values, return_counts=True)[1]
        several = not contrast.binary and len(sizes) <= MOST_GROUPS
        text = (
            f"{len(sizes)}, of {listed([*map(str, sizes)])} samples"
            if several
            else (contrast.summary["text"])
        )
        groups = f"{text}, by {readable(cohort.table.trait)}"
    return (
        ("Samples", f"{len(cohort.samples):,}"),
        ("Genes", f"{len(cohort.table.genes):,}"),
        ("Groups", groups),
        ("Values read as", cohort.scale or "log2"),
    )
