"""RNA-seq cohorts on the page: what was counted, how it was normalised and weighted."""

from __future__ import annotations

from genotex.formats import Evidence
from genotex.reports.findings import Findings
from genotex.reports.page import LogStep
from genotex.reports.sections import Section, SectionTable
from genotex.reports.words import listed

__all__ = ["SECTION", "counted_steps", "sequenced_fact", "sequenced_remark", "view_sequenced"]

SECTION = "counts"


def sequenced_fact(findings: Findings) -> str:
    """Return the kind of expression in a few words; empty for other cohorts."""
    return findings.counts_summary.partition(":")[0]


def sequenced_remark(findings: Findings) -> str:
    """Return the line of the answer that leads to the section; empty for other cohorts."""
    return findings.counts_summary


def view_sequenced(findings: Findings) -> Section | None:
    """Return the section on counts; None for other cohorts."""
    record = findings.counts
    if not record:
        return None
    reads = record.get("reads") or {}
    rows = tuple(
        (name, f"{reads[name]:,}") for name in ("lowest", "median", "highest") if name in reads
    )
    table = SectionTable("Reads of the libraries compared", ("library", "reads"), rows)
    return Section(
        SECTION,
        "Counts",
        "RNA-seq counts",
        findings.counts_summary,
        tables=(table,) if rows else (),
        remarks=tuple(_remarks(findings)),
    )


def _remarks(findings: Findings) -> list[str]:
    record = findings.counts
    remarks = [
        "Counts are those that NCBI computed for this series, with library sizes normalised by the "
        "trimmed mean of M values."
    ]
    if rule := record.get("rule"):
        remarks.append(f"Kept were genes with {rule}.")
    if record.get("weights") == "voom":
        remarks.append(
            "Each observation has the weight that the mean-variance trend of all genes gives to a "
            f"count of its size; without weights are {listed(record.get('unweighted') or [])}."
        )
    return remarks


def counted_steps(evidence: Evidence) -> list[LogStep]:
    """Return what became of counts, for the processing log; empty for other cohorts."""
    counts = evidence.counts
    if not counts:
        return []
    totals = sorted(counts.get("totals", {}).values())
    steps = [
        LogStep("Genes with few counts", f"{counts['filtered']:,}", f"kept: {counts['rule']}"),
        LogStep("Normalisation", str(counts["normalisation"]), "of the genes kept"),
    ]
    if totals:
        span = f"{totals[0]:,} to {totals[-1]:,}"
        steps.append(LogStep("Reads of a library", span, f"{len(totals)} libraries"))
    return steps
