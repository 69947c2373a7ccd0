"""The page of an audit: one verdict, what was found, and every check of every cohort."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import genotex
from genotex.analysis import CheckResult, CohortAudit, CohortsAudit
from genotex.reports.pages import checked_page, render_template, write_page_files
from genotex.words import counted, listed

STATES = {
    "fine": "nothing found",
    "not judged": "not judged",
    "note": "note",
    "warning": "wants a look",
    "serious": "serious",
}
"""State of a check -> its word on pages."""
SHOWN_SAMPLES = 12


@dataclass(frozen=True)
class AuditRow:
    """One line of the table of checks."""

    title: str
    state: str  # Key of `STATES`
    word: str
    text: str  # Why it was not judged, or the number of findings


@dataclass(frozen=True)
class AuditLine:
    """One finding as the page shows it."""

    place: str  # The cohort; empty where it concerns several
    title: str  # The check
    severity: str
    word: str
    seen: str
    do: str
    samples: str  # Ids, where the sentence does not hold them all


@dataclass(frozen=True)
class CohortView:
    """One cohort on the page."""

    name: str
    verdict: str
    worst: str
    facts: tuple[tuple[str, str], ...]
    lines: tuple[AuditLine, ...]
    rows: tuple[AuditRow, ...]


@dataclass(frozen=True)
class AuditPage:
    """Everything on the page."""

    title: str
    trait: str
    condition: None
    question: str
    version: str
    verdict: str
    worst: str
    advice: str
    headline: str
    lines: tuple[AuditLine, ...]
    cohorts: tuple[CohortView, ...]
    together: tuple[AuditRow, ...]
    written: str


def write_audit_page(path: Path, found: CohortsAudit) -> Path:
    """Write the page of an audit."""
    html = render_template("audit.html.j2", _build_audit_page(found))
    return write_page_files(html, checked_page(path))


def _build_audit_page(found: CohortsAudit) -> AuditPage:
    """Return the page of an audit."""
    names = [each.name for each in found.cohorts]
    what = names[0] if len(names) == 1 else counted(len(names), "cohort")
    lines = tuple(
        line
        for name, check, finding in found.findings
        if finding.severity != "note"
        for line in _lines(name, [CheckResult(check.key, check.title, (finding,))])
    )
    return AuditPage(
        title=f"Audit of {what}",
        trait=f"Audit of {what}",
        condition=None,
        question="Can these data be used as they are?",
        version=genotex.__version__,
        verdict=found.verdict,
        worst=_mark(found.verdict),
        advice=found.advice,
        headline=_headline(found),
        lines=lines,
        cohorts=tuple(map(audit_view, found.cohorts)),
        together=tuple(map(_row, found.together)),
        written=datetime.date.today().isoformat(),
    )


def audit_view(cohort: CohortAudit) -> CohortView:
    """Return one cohort as pages show it, findings with the worst first."""
    worst_first = [*reversed(STATES)].index
    lines = sorted(_lines(cohort.name, cohort.checks), key=lambda line: worst_first(line.severity))
    return CohortView(
        cohort.name,
        cohort.verdict,
        _mark(cohort.verdict),
        cohort.facts,
        tuple(lines),
        tuple(map(_row, cohort.checks)),
    )


def _mark(verdict: str) -> str:
    return {"sound": "fine", "wants a look": "warning", "do not use": "serious"}[verdict]


def _headline(found: CohortsAudit) -> str:
    """Return what was checked and found, in a sentence."""
    verdicts = [each.verdict for each in found.cohorts]
    checks = sum(not c.why_not for each in found.cohorts for c in each.checks)
    if len(verdicts) == 1:
        return f"{counted(checks, 'check')} were made."
    words = {"sound": "sound", "wants a look": "to look at", "do not use": "not to be used"}
    parts = [f"{verdicts.count(v)} {word}" for v, word in words.items() if v in verdicts]
    return f"{counted(len(verdicts), 'cohort')}, {counted(checks, 'check')}: {listed(parts)}."


def _lines(place: str, checks: Sequence[CheckResult]) -> list[AuditLine]:
    found = []
    for check in checks:
        for finding in check.findings:
            lacking = [s for s in finding.samples if s not in finding.seen]
            more = len(lacking) - SHOWN_SAMPLES
            shown = ", ".join(lacking[:SHOWN_SAMPLES]) + (f" and {more} more" if more > 0 else "")
            word = STATES[finding.severity]
            found.append(
                AuditLine(
                    place, check.title, finding.severity, word, finding.seen, finding.do, shown
                )
            )
    return found


def _row(check: CheckResult) -> AuditRow:
    text = check.why_not or (counted(len(check.findings), "finding") if check.findings else "")
    return AuditRow(check.title, check.state.replace(" ", "-"), STATES[check.state], text)
