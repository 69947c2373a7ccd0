"""The methods paragraph, ready to paste, and the processing log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from genotex.formats import Evidence
from genotex.reports.findings import Findings
from genotex.reports.methods_model import compared_methods, model_methods
from genotex.reports.page import GroupView, LogStep
from genotex.reports.sequenced import counted_steps
from genotex.reports.words import counted, listed

__all__ = ["log_steps", "methods_paragraph", "remaining_notes"]

_LINKING = {
    "samples": ("Samples linked", "samples with both a clinical and an expression column"),
    "samples_without_trait": ("Samples without the trait", "dropped"),
    "genes_dropped": ("Genes dropped", "missing in more than 20 % of the samples"),
    "samples_dropped": ("Samples dropped", "missing more than 5 % of the remaining genes"),
    "age_filled": ("Ages filled", "with the mean age"),
    "gender_filled": ("Genders filled", "with the more frequent one"),
    "values_filled": ("Values filled", "with the mean of their gene, in the CSV only"),
}


def methods_paragraph(
    evidence: Evidence,
    findings: Findings,
    tested_genes: int,
    groups: Sequence[GroupView] = (),
    gene_sets: str = "",
) -> str:
    """Return what was done, in the past tense of a methods section.

    Parameters
    ----------
    evidence : Evidence
        How the cohort was read.
    findings : Findings
        The analysis.
    tested_genes : int
        How many genes were tested.
    groups : sequence of GroupView
        Who was compared, and who was not.
    gene_sets : str
        How gene sets were tested; empty when none were.
    """
    parts = [
        _source(evidence),
        _genes(evidence),
        _clinical(evidence, findings),
        compared_methods(findings, groups),
        model_methods(findings, tested_genes),
        gene_sets,
        _software(evidence, findings),
    ]
    return " ".join(part for part in parts if part)


def _source(evidence: Evidence) -> str:
    series = evidence.series
    platform = series.get("platform", "")
    title = series.get("platform_title", "")
    on = f" ({', '.join(p for p in (platform, title) if p)})" if platform or title else ""
    where = "GEO series" if evidence.source == "GEO" else "cohort"
    hub = "" if evidence.source == "GEO" else " from the UCSC Xena hub"
    return (
        f"Gene expression data of {where} {evidence.cohort}{hub}{on} were processed with genotex "
        f"{evidence.genotex_version} (procedure '{evidence.procedure}')."
    )


def _genes(evidence: Evidence) -> str:
    mapping = evidence.mapping
    rows, genes = _count(mapping, "rows"), _count(mapping, "genes")
    if rows is None or genes is None:
        return ""
    column = mapping.get("gene_column")
    through = f" through the platform column '{column}'" if column else ""
    scale = {
        "linear": _logged(mapping),
        "log2": " Values were on the log2 scale as published.",
        "counts": _counted(evidence),
    }.get(str(mapping.get("scale", "")), "")
    if evidence.procedure == "benchmark":
        scale = ""
    became = f"The {rows:,} rows of the matrix became {genes:,} official human gene symbols"
    return f"{became}{through}.{scale}"


def _logged(mapping: dict[str, Any]) -> str:
    offset = mapping.get("offset")
    if not isinstance(offset, int | float):
        return " Values were on a linear scale and were log2-transformed."
    return (
        " Values were on a linear scale, where zeros are measurements; they were transformed to "
        f"log2(value + {offset:.4g})."
    )


def _counted(evidence: Evidence) -> str:
    counts = evidence.counts
    if not counts:
        return ""
    return (
        " Values were the read counts that NCBI computes for RNA-seq series, added up by symbol; "
        f"{counts['kept']:,} genes had {counts['rule']} (Chen et al. 2016)."
    )


def _clinical(evidence: Evidence, findings: Findings) -> str:
    trait = evidence.reading.get("trait") or {}
    key = str(trait.get("key") or "").strip()
    source = f" from the sample characteristic '{key}'" if key else ""
    by = trait.get("told_by") or evidence.reading.get("by")
    hand = f" by {'the built-in rules' if by == 'rules' else by}" if by else ""
    text = f"The trait was read{source}{hand}."
    dropped = [
        f"{counted(count, noun)} {why}"
        for field, noun, why in (
            ("samples_without_trait", "sample", "without the trait"),
            ("genes_dropped", "gene", "missing in more than 20 % of samples"),
            ("samples_dropped", "sample", "missing more than 5 % of genes"),
        )
        if (count := _count(evidence.linking, field))
    ]
    return (
        f"{text} {listed(dropped)[:1].upper()}{listed(dropped)[1:]} were left out."
        if dropped
        else text
    )


def _software(evidence: Evidence, findings: Findings) -> str:
    versions = findings.versions
    labels = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy", "polars": "Polars"}
    packages = [
        f"{labels.get(name, name)} {number}"
        for name, number in versions.items()
        if name != "genotex"
    ]
    software = [f"genotex {versions.get('genotex', evidence.genotex_version)}", *packages]
    return f"Software: {listed(software)}."


def log_steps(evidence: Evidence, findings: Findings, tested_genes: int) -> tuple[LogStep, ...]:
    """Return the processing from rows of the matrix to tested genes."""
    mapping = evidence.mapping
    together = (
        "rows of a symbol added up" if evidence.counts else "probes of a gene brought together"
    )
    steps = []
    ids = mapping.get("id_kind")
    column = mapping.get("gene_column")
    for key, name, remark in (
        ("rows", "Rows of the matrix", f"identified by {ids}" if ids else ""),
        ("rows_with_symbol", "Rows with a gene", f"from column '{column}'" if column else ""),
        ("genes_mapped", "Genes after mapping", together),
        ("genes", "Official gene symbols", "synonyms replaced, unknown symbols dropped"),
    ):
        if (count := _count(mapping, key)) is not None:
            steps.append(LogStep(name, f"{count:,}", remark))
    if scale := mapping.get("scale"):
        steps.append(LogStep("Scale of the values", str(scale), "as detected or told"))
    if isinstance(offset := mapping.get("offset"), int | float):
        steps.append(LogStep("Offset of the logarithm", f"{offset:.4g}", "so that zeros are kept"))
    steps += counted_steps(evidence)
    for key, value in evidence.linking.items():
        name, remark = _LINKING.get(key, (key.replace("_", " ").capitalize(), ""))
        steps.append(LogStep(name, _written(value), remark))
    samples = LogStep("Samples compared", f"{len(findings.tested):,}", "those of the contrast")
    if findings.selection is not None:
        return (*steps, samples, LogStep("Genes to select from", f"{tested_genes:,}", ""))
    return (*steps, samples, LogStep("Genes tested", f"{tested_genes:,}", _out(findings)))


def _out(findings: Findings) -> str:
    return f"left out: {listed(findings.left_out)}" if findings.left_out else "with a p-value"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, list | tuple):
        return listed([_written(item) for item in value]) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_written(item)}" for key, item in value.items())
    return "none" if value is None else str(value)


def _count(record: dict[str, Any], key: str) -> int | None:
    value = record.get(key)
    return int(value) if isinstance(value, int | float) else None


def remaining_notes(evidence: Evidence, findings: Findings) -> tuple[str, ...]:
    """Return the notes of cohort and analysis, each once, without those that are warnings."""
    warned = {*findings.warnings, *evidence.warnings}
    notes = [*evidence.notes, *findings.notes]
    return tuple(note for note in dict.fromkeys(notes) if note not in warned)
