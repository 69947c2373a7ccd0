"""How cohorts were judged and how their features were read, as the page shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from genotex.clinical import (
    MEANING_OF_CERTAINTY,
    inferred_from,
    tell_certainty,
    tell_groups,
)
from genotex.formats.cohort_record import CohortInfo, Evidence
from genotex.reports.page import CohortRow, FeatureRead, FileRow, ValueRow
from genotex.reports.words import counted, file_size, readable, sentence

__all__ = ["ROLE_KEYS", "accession_url", "cohort_rows", "features_read", "files_read"]

ROLE_KEYS = {
    "case": "case",
    "healthy control": "control",
    "other disease": "other",
    "unknown": "unknown",
}
"""Role of a sample -> style of its mark."""

_MOST_VALUES = 8
_EXAMPLES = 4
_FIELDS = {
    "characteristics_ch1": "characteristics",
    "title": "sample title",
    "source_name_ch1": "source name",
    "description": "sample description",
}


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
    reading = evidence.reading
    trait, *others = (
        _feature(label, reading.get(name), _values(evidence, *keys))
        for name, label, keys in (
            ("trait", readable(evidence.trait), ("trait", evidence.trait)),
            ("age", "Age", ("Age", "age")),
            ("gender", "Gender", ("Gender", "gender")),
        )
    )
    told = _certainty_of_trait(reading, trait)
    second = _runner_up(reading.get("runner_up"), available=trait.missing is None)
    return replace(trait, certainty=told, runner_up=second), *others


def _certainty_of_trait(reading: Mapping[str, Any], trait: FeatureRead) -> str:
    sure = _certainty(reading.get("certainty"))
    if sure:
        return f"{sure}: {MEANING_OF_CERTAINTY}."
    return "Certainty not measured." if trait.mark not in ("", trait.confidence) else ""


def _certainty(certainty: Any) -> str:
    return "" if certainty is None else f"Certainty {tell_certainty(float(certainty))}"


def _runner_up(encoding: Mapping[str, Any] | None, *, available: bool) -> str:
    """Return the trait reading that came second, or was nearest where none was taken."""
    if not encoding:
        return ""
    name = "Runner-up" if available else "Best reading that was left out"
    sure = _certainty(encoding.get("certainty")).lower()
    groups = tell_groups(encoding.get("values") or {}, encoding.get("roles") or {})
    where = ", ".join(part for part in (_where(encoding), sure) if part)
    return f"{name}: {where}; {groups}."


def _values(evidence: Evidence, *keys: str) -> list[dict[str, Any]]:
    return next((evidence.encoded[key] for key in keys if key in evidence.encoded), [])


def _feature(
    label: str, encoding: Mapping[str, Any] | None, values: list[dict[str, Any]]
) -> FeatureRead:
    if not encoding and not values:
        missing = "The sample descriptions do not tell it, or it does not vary."
        return FeatureRead(label, "", "", "", (), (), "", missing)
    encoding = encoding or {}
    mark = inferred_from(str(encoding.get("sample_field") or ""))
    confidence = "inferred" if mark else str(encoding.get("confidence", ""))
    rows = sorted(values, key=_value_order)
    shown = rows if len(rows) <= _MOST_VALUES else rows[:_EXAMPLES]
    return FeatureRead(
        label,
        _where(encoding),
        confidence,
        mark or confidence,
        tuple(sentence(str(text)) for text in encoding.get("evidence", ())),
        tuple(_value_row(row) for row in shown),
        _rest(rows) if len(shown) < len(rows) else "",
        None,
        certainty=sentence(_certainty(encoding.get("certainty"))),
    )


def _rest(rows: list[dict[str, Any]]) -> str:
    """Return what the values that are not shown amount to."""
    codes = [
        (float(row["code"]), int(row.get("samples") or 0))
        for row in rows
        if row.get("code") is not None
    ]
    known = sum(samples for _, samples in codes)
    missing = sum(int(row.get("samples") or 0) for row in rows) - known
    text = f"{len(rows)} different values in all"
    if codes:
        low, high = min(codes)[0], max(codes)[0]
        text += f", coded from {low:g} to {high:g} in {counted(known, 'sample')}"
    return f"{text}; missing in {counted(missing, 'sample')}." if missing else f"{text}."


def _value_order(row: Mapping[str, Any]) -> tuple[bool, float, str]:
    code = row.get("code")
    return code is None, -float(row.get("samples") or 0), str(row.get("raw"))


def _where(encoding: Mapping[str, Any]) -> str:
    place = str(encoding.get("sample_field") or "")
    key, row = encoding.get("key"), encoding.get("row")
    parts = [_FIELDS.get(place, place)]
    if row is not None:
        parts.append(f"row {row}")
    if key:
        parts.append(f"key \N{LEFT DOUBLE QUOTATION MARK}{key}\N{RIGHT DOUBLE QUOTATION MARK}")
    return ", ".join(part for part in parts if part)


def _value_row(row: Mapping[str, Any]) -> ValueRow:
    code, role, raw = row.get("code"), row.get("role"), row.get("raw")
    return ValueRow(
        "(empty)" if raw in (None, "") else str(raw),
        "missing" if code is None else f"{float(code):g}",
        "" if role is None else str(role),
        ROLE_KEYS.get(str(role), "none"),
        int(row.get("samples") or 0),
    )


def files_read(evidence: Evidence) -> tuple[FileRow, ...]:
    """Return the input files that were read."""
    return tuple(
        FileRow(str(f.get("name", "")), file_size(f.get("size")), str(f.get("used_for", "")))
        for f in evidence.files
    )
