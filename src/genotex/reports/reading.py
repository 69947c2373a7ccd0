"""How cohorts were judged and how their features were read, as the page shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from genotex.clinical import (
    AnnotationRow,
    AnnotationSummary,
    FeatureSummary,
    certainty_meaning,
    certainty_text,
    recorded_annotation,
    role_text,
    sum_up,
    value_text,
)
from genotex.formats import CohortInfo, Evidence
from genotex.reports.page import CohortRow, FeatureRead, FileRow, ValueRow
from genotex.reports.words import file_size, readable, sentence, with_names

__all__ = ["ROLE_KEYS", "accession_url", "cohort_rows", "features_read", "files_read", "notes_read"]

ROLE_KEYS = {
    "case": "case",
    "healthy control": "control",
    "other disease": "other",
    "unknown": "unknown",
}
"""Role of a sample -> style of its mark."""

_MOST_VALUES = 8
_EXAMPLES = 4


def accession_url(cohort: str) -> str | None:
    """Return the GEO page of a series, None for anything else."""
    if re.fullmatch(r"GSE\d+", cohort):
        return f"https://www.ncbi.nlm.nih.gov/geo/query/acc.cgi?acc={cohort}"
    return None


def cohort_rows(
    infos: Mapping[str, CohortInfo], chosen: str | None, reasons: Mapping[str, str]
) -> tuple[CohortRow, ...]:
    """Return all cohorts, the chosen one first.

    Parameters
    ----------
    infos : mapping of str to CohortInfo
        The trait's cohort records.
    chosen : str or None
        The cohort that was analysed.
    reasons : mapping of str to str
        Why each was or was not used; without an entry the flags or the note tell.
    """
    names = sorted({*infos, *reasons}, key=lambda name: (name != chosen, _order(name)))
    return tuple(_cohort_row(name, infos.get(name), name == chosen, reasons) for name in names)


def _order(name: str) -> tuple[str, int]:
    digits = re.search(r"\d+", name)
    return re.sub(r"\d.*", "", name), int(digits.group()) if digits else -1


def _cohort_row(
    name: str, info: CohortInfo | None, used: bool, reasons: Mapping[str, str]
) -> CohortRow:
    blank = CohortInfo(False, False, False, False)
    told = info if info is not None else blank
    return CohortRow(
        name,
        accession_url(name),
        used,
        usable="" if info is None else _flag(told.is_usable),
        gene="" if info is None else _flag(told.is_gene_available),
        trait="" if info is None else _flag(told.is_trait_available),
        biased=_flag(told.is_biased),
        age=_flag(told.has_age),
        gender=_flag(told.has_gender),
        samples="" if told.sample_size is None else f"{told.sample_size:,}",
        reason=sentence(reasons.get(name) or _why_not(told)),
    )


def _flag(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _why_not(info: CohortInfo) -> str:
    if info.is_usable:
        # The note of a usable cohort is a log of its processing, not a reason.
        return "usable"
    if not info.is_gene_available:
        why = "no usable gene expression"
    elif not info.is_trait_available:
        why = "the trait cannot be read"
    elif info.is_biased:
        why = "the trait hardly varies"
    else:
        why = "not usable"
    return f"{why}. {info.note}" if info.note else why


def features_read(evidence: Evidence) -> tuple[FeatureRead, ...]:
    """Return trait, age and gender as they were read, or why they were not."""
    names = (readable(evidence.trait), "Age", "Gender")
    keys = (("trait", evidence.trait), ("Age", "age"), ("Gender", "gender"))
    return tuple(
        _feature(name, told, told.values or _rows(evidence, told.feature, *asked))
        for name, told, asked in zip(names, _summary(evidence).features, keys, strict=True)
    )


def notes_read(evidence: Evidence) -> tuple[str, ...]:
    """Return what else a reader should know of the reading, as sentences."""
    return tuple(sentence(with_names(note, evidence.trait)) for note in _summary(evidence).notes)


def _summary(evidence: Evidence) -> AnnotationSummary:
    reading = recorded_annotation(evidence.reading)
    rows = [
        *_rows(evidence, "trait", "trait", evidence.trait),
        *_rows(evidence, "age", "Age", "age"),
        *_rows(evidence, "gender", "Gender", "gender"),
    ]
    return sum_up(reading, rows)


def _rows(evidence: Evidence, feature: str, *keys: str) -> tuple[AnnotationRow, ...]:
    """Return the values of a feature with their samples, as the record counts them."""
    counted_values = next((evidence.encoded[k] for k in keys if k in evidence.encoded), [])
    encoding: Mapping[str, Any] = evidence.reading.get(feature) or {}
    reasons: Mapping[str, str] = encoding.get("reasons") or {}
    return tuple(
        AnnotationRow(
            feature,
            encoding.get("row"),
            str(encoding.get("key") or ""),
            value.get("raw"),
            None if value.get("code") is None else float(value["code"]),
            str(value.get("role") or "") if feature == "trait" else "",
            int(value.get("samples") or 0),
            reasons.get(str(value.get("raw")), ""),
        )
        for value in counted_values
    )


def _feature(name: str, told: FeatureSummary, rows: tuple[AnnotationRow, ...]) -> FeatureRead:
    shown = rows if len(rows) <= _MOST_VALUES else rows[:_EXAMPLES]
    missing = None if told.available or rows else sentence(told.why_not)
    return FeatureRead(
        name,
        told.where if told.row is None else f"sample characteristics, {told.where}",
        told.confidence.replace(" ", "-"),
        told.mark,
        tuple(map(sentence, told.evidence)),
        tuple(map(_value_row, shown)),
        f"The first {len(shown)} of {len(rows)} different values."
        if len(shown) < len(rows)
        else "",
        missing,
        certainty=_certainty(told),
        runner_up=sentence(told.runner_up[:1].upper() + told.runner_up[1:]),
        amount=sentence(told.amount),
    )


def _certainty(told: FeatureSummary) -> str:
    if told.certainty is None:
        unmeasured = told.available and told.feature == "trait" and told.mark != told.confidence
        return "Certainty not measured." if unmeasured else ""
    sure = f"Certainty {certainty_text(told.certainty)}"
    return (
        f"{sure}: {certainty_meaning(told.certainty)}." if told.feature == "trait" else f"{sure}."
    )


def _value_row(row: AnnotationRow) -> ValueRow:
    return ValueRow(
        value_text(row.raw, row.key),
        "missing" if row.code is None else f"{row.code:g}",
        role_text(row.role, row.code) if row.role else "",
        ROLE_KEYS.get(row.role, "none"),
        row.samples,
        row.evidence,
    )


def files_read(evidence: Evidence) -> tuple[FileRow, ...]:
    """Return the input files that were read."""
    return tuple(
        FileRow(str(f.get("name", "")), file_size(f.get("size")), str(f.get("used_for", "")))
        for f in evidence.files
    )
