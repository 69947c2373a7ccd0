"""Cohorts, and the annotation of their samples, as the page shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genotex.clinical import (
    FEATURES,
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
from genotex.features import recorded_features, table_features
from genotex.formats import CohortInfo, Evidence
from genotex.reports.problem.design_words import DesignWords
from genotex.reports.problem.groups import ROLE_KEYS, values_of
from genotex.words import counted, readable, sentence, with_names

_MOST_VALUES = 8
_EXAMPLES = 4


@dataclass(frozen=True)
class CohortRow:
    """A cohort of the trait, its record, and why it was or was not used."""

    cohort: str
    info: CohortInfo | None
    used: bool
    reason: str

    @property
    def url(self) -> str | None:
        """Its page at GEO."""
        return accession_url(self.cohort)


@dataclass(frozen=True)
class Value:
    """A raw value, its code and role, its number of samples, and why."""

    raw: str
    code: str
    role: str
    key: str
    samples: int
    why: str = ""


@dataclass(frozen=True)
class AnnotatedFeature:
    """The annotation of trait, age or gender: where from, how certain, which values.

    `mark` is the tag next to the name: the confidence, or what it was inferred from; `rest` counts
    the values that are not shown; `missing` is why there is none. Texts are sentences.
    """

    name: str
    where: str
    confidence: str
    mark: str
    evidence: tuple[str, ...]
    values: tuple[Value, ...]
    rest: str
    missing: str | None
    certainty: str = ""
    runner_up: str = ""
    amount: str = ""


def accession_url(cohort: str) -> str | None:
    """Return the GEO page of a series, None for anything else."""
    if re.fullmatch(r"GSE\d+", cohort):
        return f"https://www.ncbi.nlm.nih.gov/geo/query/acc.cgi?acc={cohort}"
    return None


def cohort_rows(
    infos: Mapping[str, CohortInfo], chosen: str | None, reasons: Mapping[str, str]
) -> tuple[CohortRow, ...]:
    """Return all cohorts, the chosen one first."""
    names = sorted({*infos, *reasons}, key=lambda name: (name != chosen, _order(name)))
    return tuple(
        CohortRow(
            name,
            infos.get(name),
            name == chosen,
            sentence(reasons.get(name) or _why_not(infos.get(name))),
        )
        for name in names
    )


def _order(name: str) -> tuple[str, int]:
    digits = re.search(r"\d+", name)
    return re.sub(r"\d.*", "", name), int(digits.group()) if digits else -1


def _why_not(info: CohortInfo | None) -> str:
    if info is None:
        return "no usable gene expression"
    if info.is_usable:
        # The note of a usable cohort is a log of its processing, not a reason.
        return "usable"
    if not info.is_gene_available:
        why = "no usable gene expression"
    elif not info.is_trait_available:
        why = "the trait cannot be annotated"
    elif info.is_biased:
        why = "the trait hardly varies"
    else:
        why = "not usable"
    return f"{why}. {info.note}" if info.note else why


def features_of(evidence: Evidence) -> tuple[AnnotatedFeature, ...]:
    """Return the annotation of trait, age and gender, or why there is none, and what is stated."""
    names = (readable(evidence.trait), *(feature.column for feature in table_features()))
    summary = _summary(evidence).features
    return (
        *(
            _feature(name, found, found.values or _rows(evidence, found.feature))
            for name, found in zip(names, summary, strict=True)
        ),
        *_stated(evidence),
    )


def _stated(evidence: Evidence) -> Iterator[AnnotatedFeature]:
    """Yield the recorded features that something states of the samples."""
    for feature in recorded_features():
        groups = evidence.relations.get(feature.name, ())
        if not groups:
            continue
        counts: Counter[str] = Counter()
        for group in groups:
            counts[str(group["value"])] += len(group["samples"])
        where = ", ".join(dict.fromkeys(str(group["place"]) for group in groups))
        amount = ""
        rows: tuple[Value, ...] = ()
        if feature.scale == "levels":
            rows = tuple(Value(value, "", "", "none", n) for value, n in counts.most_common())
        elif feature.scale == "person":
            amount = f"{counted(counts.total(), 'sample')} of {len(counts)}"
        elif numbers := [float(n) for n in counts.elements()]:
            mean = sum(numbers) / len(numbers)
            amount = (
                f"{min(numbers):g} to {max(numbers):g} {feature.unit}, mean {mean:.4g}, "
                f"in {counted(len(numbers), 'sample')}"
            )
        shown = rows if len(rows) <= _MOST_VALUES else rows[:_EXAMPLES]
        yield AnnotatedFeature(
            feature.label,
            where,
            "",
            "",
            (),
            shown,
            _rest(shown, rows),
            None,
            amount=sentence(amount),
        )


def _rest(shown: Sequence[Any], rows: Sequence[Any]) -> str:
    if len(shown) == len(rows):
        return ""
    return f"The first {len(shown)} of {len(rows)} different values."


def design_features(evidence: Evidence, design: DesignWords) -> tuple[AnnotatedFeature, ...]:
    """Return the columns of the sample table that the design uses, with their values."""
    asked = evidence.design
    names = list(asked.get("table", {}))
    used = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", design.formula)]
    if design.block is not None and design.block not in used:
        used.append(design.block)
    return tuple(_column(name, values_of(evidence, name), design) for name in used)


def _column(name: str, values: Mapping[str, Any], design: DesignWords) -> AnnotatedFeature:
    inside = [values.get(sample) for sample in design.samples]
    known = [value for value in inside if value is not None]
    lacking = f"; {counted(len(inside) - len(known), 'sample')} without" if None in inside else ""
    where, amount = "the sample table", ""
    rows: tuple[Value, ...] = ()
    if name == design.block:
        amount = (
            f"{counted(len(set(known)), 'different value')}{lacking}; samples of one correlated"
        )
    elif name in design.factors:
        cells = [f"{value:g}" if isinstance(value, float) else str(value) for value in known]
        rows = tuple(
            Value(level, "reference" if i == 0 else "", "", "none", cells.count(level))
            for i, level in enumerate(design.factors[name])
        )
    elif known:
        low, high, mean = min(known), max(known), sum(known) / len(known)
        amount = f"{low:g} to {high:g}, mean {mean:.4g}, in {len(known)} samples{lacking}"
    return AnnotatedFeature(name, where, "", "", (), rows, "", None, amount=sentence(amount))


def annotation_notes(evidence: Evidence) -> tuple[str, ...]:
    """Return the notes on the annotation, as sentences."""
    return tuple(sentence(with_names(note, evidence.trait)) for note in _summary(evidence).notes)


def _summary(evidence: Evidence) -> AnnotationSummary:
    reading = recorded_annotation(evidence.reading)
    return sum_up(reading, [row for name in FEATURES for row in _rows(evidence, name)])


def _rows(evidence: Evidence, feature: str) -> tuple[AnnotationRow, ...]:
    """Return the values of a feature with their samples, as the record counts them."""
    columns = [known.column for known in table_features() if known.encoded == feature]
    keys = (*columns, feature, *([evidence.trait] if feature == "trait" else []))
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


def _feature(name: str, found: FeatureSummary, rows: tuple[AnnotationRow, ...]) -> AnnotatedFeature:
    shown = rows if len(rows) <= _MOST_VALUES else rows[:_EXAMPLES]
    missing = None if found.available or rows else sentence(found.why_not)
    return AnnotatedFeature(
        name,
        found.where if found.row is None else f"sample characteristics, {found.where}",
        found.confidence.replace(" ", "-"),
        found.mark,
        tuple(map(sentence, found.evidence)),
        tuple(map(_value_row, shown)),
        _rest(shown, rows),
        missing,
        certainty=_certainty(found),
        runner_up=sentence(found.runner_up[:1].upper() + found.runner_up[1:]),
        amount=sentence(found.amount),
    )


def _certainty(found: FeatureSummary) -> str:
    if found.certainty is None:
        unmeasured = found.available and found.feature == "trait" and found.mark != found.confidence
        return "Certainty not measured." if unmeasured else ""
    sure = f"Certainty {certainty_text(found.certainty)}"
    return (
        f"{sure}: {certainty_meaning(found.certainty)}." if found.feature == "trait" else f"{sure}."
    )


def _value_row(row: AnnotationRow) -> Value:
    return Value(
        value_text(row.raw, row.key),
        "missing" if row.code is None else f"{row.code:g}",
        role_text(row.role, row.code) if row.role else "",
        ROLE_KEYS.get(row.role, "none"),
        row.samples,
        row.evidence,
    )
