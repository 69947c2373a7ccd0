"""RNA-seq cohorts: counts, their normalisation and their weights."""

from __future__ import annotations

import polars as pl

from genotex.reports.genes.findings import Findings
from genotex.reports.sections import ReportSection, Section, SectionTable
from genotex.words import listed


def _counts(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on counts; None for other cohorts."""
    del genes
    record = findings.record("counts")
    if not record:
        return None
    reads = record.get("reads") or {}
    rows = tuple(
        (name, f"{reads[name]:,}") for name in ("lowest", "median", "highest") if name in reads
    )
    table = SectionTable("Reads of the libraries compared", ("library", "reads"), rows)
    return Section(
        "counts",
        "Counts",
        "RNA-seq counts",
        findings.result.counts_summary,
        tables=(table,) if rows else (),
        remarks=tuple(_remarks(findings)),
    )


def _remarks(findings: Findings) -> list[str]:
    record = findings.record("counts")
    whose = "that NCBI computed for this series" if findings.design is None else "of the table"
    remarks = [
        f"Counts are those {whose}, with library sizes normalised by the trimmed mean of M values."
    ]
    if rule := record.get("rule"):
        remarks.append(f"Kept were genes with {rule}.")
    if record.get("test") == "DESeq2":
        remarks.append(
            "Changes, their errors and p-values are of DESeq2's negative binomial regression; "
            "standardised effects, hidden factors and gene sets rest on log counts with voom's "
            "weights."
        )
    elif record.get("weights") == "voom":
        remarks.append(
            "Each observation has the weight that the mean-variance trend of all genes gives to a "
            f"count of its size; without weights are {listed(record.get('unweighted') or [])}."
        )
    return remarks


def _remark(findings: Findings, genes: pl.DataFrame) -> str:
    del genes
    return findings.result.counts_summary


SECTIONS = (ReportSection("counts", 40, _counts, _remark),)
