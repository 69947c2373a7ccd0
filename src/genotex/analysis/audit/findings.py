"""Findings of an audit, how serious they are, and the verdict that they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["note", "warning", "serious"]
Verdict = Literal["sound", "wants a look", "do not use"]

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "serious")
VERDICTS: dict[Severity, Verdict] = {
    "note": "sound",
    "warning": "wants a look",
    "serious": "do not use",
}
ADVICE: dict[Verdict, str] = {
    "sound": "Nothing was found that would change a result.",
    "wants a look": "Look at the findings before you trust a result.",
    "do not use": "Correct what is serious first: results from it as it is would be wrong.",
}


@dataclass(frozen=True)
class AuditFinding:
    """Something that was found, and what to do about it."""

    severity: Severity
    seen: str  # What was seen: a sentence
    do: str  # What to do: a sentence
    samples: tuple[str, ...] = ()  # The samples concerned; empty where it concerns all

    def record(self) -> dict[str, Any]:
        """Return the finding as plain JSON."""
        return {
            "severity": self.severity,
            "samples": list(self.samples),
            "seen": self.seen,
            "do": self.do,
        }


class NotJudged(Exception):
    """A check cannot be made on these data; the message says why."""


@dataclass(frozen=True)
class CheckResult:
    """What one check found."""

    key: str
    title: str
    findings: tuple[AuditFinding, ...] = ()
    why_not: str = ""  # Why it could not be made; empty where it was

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst finding; None without any."""
        return _worst_of(self.findings)

    @property
    def state(self) -> str:
        """``fine``, ``not judged``, or the severity of the worst finding."""
        return "not judged" if self.why_not else self.worst or "fine"

    def record(self) -> dict[str, Any]:
        """Return the check as plain JSON."""
        found = [finding.record() for finding in self.findings]
        return {
            "check": self.key,
            "title": self.title,
            "state": self.state,
            "why_not": self.why_not,
            "findings": found,
        }


def _worst_of(findings: Iterable[AuditFinding]) -> Severity | None:
    """Return the worst severity; None where there is no finding."""
    return max((f.severity for f in findings), key=SEVERITIES.index, default=None)


def _verdict_of(checks: Iterable[CheckResult]) -> Verdict:
    """Return the verdict that the worst finding gives."""
    return VERDICTS[_worst_of(f for check in checks for f in check.findings) or "note"]


@dataclass(frozen=True)
class CohortAudit:
    """The audit of one cohort."""

    name: str
    facts: tuple[tuple[str, str], ...]  # Samples, genes, groups, scale: what was audited
    checks: tuple[CheckResult, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict on this cohort."""
        return _verdict_of(self.checks)

    def record(self) -> dict[str, Any]:
        """Return the audit as plain JSON."""
        return {
            "cohort": self.name,
            "verdict": self.verdict,
            "facts": dict(self.facts),
            "checks": [check.record() for check in self.checks],
        }


@dataclass(frozen=True)
class CohortsAudit:
    """The audit of cohorts, each on its own and together."""

    cohorts: tuple[CohortAudit, ...]
    together: tuple[CheckResult, ...] = ()  # Checks across cohorts; none of a single one

    @property
    def verdict(self) -> Verdict:
        """The worst verdict."""
        return _verdict_of([*self.together, *(c for each in self.cohorts for c in each.checks)])

    @property
    def advice(self) -> str:
        """What the verdict means for the reader."""
        return ADVICE[self.verdict]

    @property
    def findings(self) -> Iterator[tuple[str, CheckResult, AuditFinding]]:
        """Cohort (empty for several), check and finding, the worst first."""
        places = [("", self.together), *((each.name, each.checks) for each in self.cohorts)]
        every = [(name, c, f) for name, checks in places for c in checks for f in c.findings]
        yield from sorted(every, key=lambda found: -SEVERITIES.index(found[2].severity))

    def record(self) -> dict[str, Any]:
        """Return the audit as plain JSON."""
        return {
            "verdict": self.verdict,
            "advice": self.advice,
            "cohorts": [each.record() for each in self.cohorts],
            "together": [check.record() for check in self.together],
        }


def named(samples: Sequence[str], most: int = 6) -> str:
    """Return the first samples by name, and how many more there are."""
    more = len(samples) - most
    return ", ".join(samples[:most]) + (f" and {more} more" if more > 0 else "")
