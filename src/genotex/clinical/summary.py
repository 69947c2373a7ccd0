"""A clinical annotation in words and figures: what screen and report show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from genotex.clinical.encoded_features import AnnotationRow
from genotex.clinical.encoding import ClinicalAnnotation, FeatureEncoding
from genotex.clinical.texts.samples import FIELD_NAMES
from genotex.clinical.trait.certainty import load_certainty
from genotex.features import simple_key, split_cell

REVIEW = "review"
"""Beginning of a note on what a person should decide."""
_LINES: Mapping[str, str] = {str(field): name for field, name in FIELD_NAMES.items()}
_OF_TCGA = {"barcode": "the sample barcodes", "clinical_matrix": "the clinical matrix"}
_BY_SAMPLE = "the samples one by one"
_MOST_VALUES = 3
_LONGEST_VALUE = 40


def inferred_from(sample_field: str) -> str:
    """Return the mark of what was read outside the characteristics; empty for these."""
    line = _LINES.get(sample_field)
    return f"inferred from the {line}" if line else ""


def certainty_text(certainty: float) -> str:
    """Return a certainty in whole percents, never rounded to 0 or 100 %."""
    if certainty >= 0.995:
        return "> 99 %"
    return "< 1 %" if certainty <= 0.005 else f"{100 * certainty:.0f} %"


def certainty_meaning(certainty: float) -> str:
    """Return what a certainty means: "annotations marked 98 % are right about 98 times in 100"."""
    figure = certainty_text(certainty)
    times = {"> 99 %": "more than 99 times", "< 1 %": "less than once"}.get(
        figure, f"about {100 * certainty:.0f} times"
    )
    return f"annotations marked {figure} are right {times} in 100"


def role_text(role: str, code: float | None) -> str:
    """Return the group of a sample, claiming no more about its health than is known."""
    if code is None:
        return ""
    return {"healthy control": "control", "unknown": "control, health unknown"}.get(role, role)


def value_text(raw: str | None, key: str) -> str:
    """Return a raw cell without the key that all cells of its feature share."""
    shown = raw or ""
    for sign in (":", "="):
        name, found, value = shown.partition(sign)
        if found and key and simple_key(name) == simple_key(key) and value.strip():
            return value.strip()
    return shown or "(empty)"


def place_text(row: int | None, key: str, sample_field: str) -> str:
    """Return where a feature is recorded: "row 2, key 'diagnosis'" or "the sample titles"."""
    if sample_field == "sample":
        return _BY_SAMPLE
    if sample_field in _OF_TCGA:
        line = _OF_TCGA[sample_field]
        return f"{line}, column {key!r}" if key else line
    line = f"row {row}" if row is not None else f"the {_LINES.get(sample_field, sample_field)}"
    return f"{line}, key {key!r}" if key else line


def groups_text(values: Mapping[str, float | None], roles: Mapping[str, str]) -> str:
    """Return the groups of an annotation in one line: "case: 'OA'; control: 'normal', 'RA'"."""
    if not values:
        return "a measured level, one number for each sample"
    groups: dict[str, list[str]] = {}
    for cell, code in sorted(values.items(), key=lambda item: (item[1] is None, -(item[1] or 0))):
        groups.setdefault(_group(code, roles), []).append(
            _quoted(split_cell(cell)[1]) if cell else "(empty)"
        )
    return "; ".join(f"{name}: {_few(found)}" for name, found in groups.items())


def _group(code: float | None, roles: Mapping[str, str]) -> str:
    if code is None:
        return "missing"
    if not roles:
        return f"{code:g}"
    return "case" if code == 1 else "control"


def _quoted(value: str) -> str:
    return repr(value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…")


def _few(values: list[str]) -> str:
    shown = ", ".join(dict.fromkeys(values[:_MOST_VALUES]))
    more = len(values) - _MOST_VALUES
    return f"{shown} and {more} more" if more > 0 else shown


def _why_left_out(annotation: ClinicalAnnotation) -> str:
    """Return in short why the trait's first annotation was left out; empty where none was."""
    if annotation.left_out is None or annotation.trait is not None:
        return ""
    nearest, asked = annotation.runner_up, f"you asked for {100 * annotation.left_out:g} %"
    if nearest is None or nearest.certainty is None:
        return f"left out: its certainty was never measured, {asked}"
    return f"left out: {certainty_text(nearest.certainty)}, {asked}"


def why_no_trait(annotation: ClinicalAnnotation) -> str:
    """Return why the trait is not available, with the best candidate that was left out."""
    if annotation.left_out is None and annotation.asked and annotation.review.get("trait"):
        return annotation.review["trait"]
    nearest, why = annotation.runner_up, annotation.unavailable.get("trait", "")
    if nearest is None:
        return why or "not recorded in any sample characteristic"
    short = _why_left_out(annotation)
    if short:
        return f"{place_text(nearest.row, nearest.key, nearest.sample_field)}, was {short}"
    return (
        f"{why or 'not recorded with enough certainty in any sample characteristic'}; "
        f"the closest is {_of(nearest)}"
    )


def with_review(annotation: ClinicalAnnotation) -> ClinicalAnnotation:
    """Return an annotation with what a person should decide, where the rules are uncertain."""
    gene, sure, below = annotation.gene, annotation.certainty, load_certainty()["review"]["below"]
    review = dict(annotation.review)
    if not gene.available and gene.certainty is not None and gene.certainty < below:
        figure = certainty_text(gene.certainty)
        review["gene"] = f"{figure} certain that there is no human gene expression: {gene.reason}"
    if gene.available and annotation.left_out is None and sure is not None and sure < below:
        review["trait"] = f"{certainty_text(sure)} certain that {_statement(annotation)}"
    return replace(annotation, review=review)


def _statement(annotation: ClinicalAnnotation) -> str:
    """Return in words what is stated of the trait, and the next likely."""
    trait, other = annotation.trait, annotation.runner_up
    if trait is None:
        return f"the trait is not available: {why_no_trait(annotation)}"
    second = "" if other is None else f"; the next likely is {_of(other)}"
    return f"the groups are in {_of(trait)}{second}"


def _of(encoding: FeatureEncoding) -> str:
    place = place_text(encoding.row, encoding.key, encoding.sample_field)
    return f"{place} ({groups_text(encoding.values, encoding.roles)})"


def annotation_notes(annotation: ClinicalAnnotation) -> tuple[str, ...]:
    """Return the notes of an annotation, and the cautions of its features."""
    encodings = [e for e in annotation.features.values() if e is not None]
    return (
        *(f"{e.feature}: {line}" for e in encodings for line in _cautions(e)),
        *_asked_notes(annotation),
        *annotation.notes,
    )


def _asked_notes(annotation: ClinicalAnnotation) -> tuple[str, ...]:
    """Return what is open, and which model was asked."""
    open_still = [f"{REVIEW}, {name}: {text}" for name, text in annotation.review.items()]
    asked = annotation.asked
    if asked is None:
        return tuple(open_still)
    cost = "cost unknown" if asked.cost is None else f"${asked.cost}"
    calls = f"{asked.calls} call{'' if asked.calls == 1 else 's'}, {cost}"
    day = f", {asked.day}" if asked.day else ""
    agrees = f"; the rules agree on {', '.join(asked.agrees)}" if asked.agrees else ""
    return (*open_still, f"annotated by {annotation.by} ({calls}{day}){agrees}")


def _cautions(encoding: FeatureEncoding) -> tuple[str, ...]:
    mark = inferred_from(encoding.sample_field)
    cells = {code: cell for cell, code in reversed(list(encoding.values.items()))}
    found = ", ".join(repr(cells[code]) for code in (1.0, 0.0) if code in cells)
    if mark and found and encoding.feature == "trait" and not encoding.key:
        mark = f"{mark}: {found}"
    return (*((mark,) if mark else ()), *shift_notes(encoding), *encoding.cautions)


def shift_notes(encoding: FeatureEncoding) -> tuple[str, ...]:
    """Return that cells have slipped to other rows, where they have."""
    if not encoding.shifted:
        return ()
    rows = ", ".join(map(str, encoding.shifted))
    return (f"cells are shifted: values of this key are also in row {rows}",)


def reason_texts(encoding: FeatureEncoding) -> list[str]:
    """Return each reason for a value once, with the group that it makes: "case: 'OA' names it"."""
    lines = dict[str, None]()
    for cell, why in encoding.reasons.items():
        role = encoding.roles.get(cell, "unknown")
        name = "control" if role == "unknown" and encoding.values.get(cell) == 0 else role
        lines[f"{name}: {why}"] = None
    return list(lines)


_YOUNG, _ADULT, _OLDEST = 10.0, 15.0, 110.0
_FEW = 0.05
_NOT_RECORDED = "not recorded under any key or in any sample text"


@dataclass(frozen=True)
class FeatureSummary:
    """Trait, age or gender, summarised."""

    feature: str
    """``trait``, ``age`` or ``gender``."""
    available: bool
    """Whether it was found, and no side of it is empty among the samples."""
    where: str = ""
    """Where it is recorded; empty where it is not."""
    amount: str = ""
    """How many samples of which kind: "10 cases, 23 controls, 0 missing"."""
    certainty: float | None = None
    """How certain; None where that was not measured, or where it was left out for too low a
    certainty."""
    confidence: str = ""
    """``explicit``, ``inferred``, ``arguable``, ``by hand``; empty when unknown."""
    mark: str = ""
    """The confidence, or where it was inferred from."""
    why_not: str = ""
    """Why it is not available."""
    evidence: tuple[str, ...] = ()
    """Why, in words; `values` has the reasons of single values."""
    values: tuple[AnnotationRow, ...] = ()
    """Raw values with codes, roles, samples and reasons, most samples first."""
    runner_up: str = ""
    """What came second, or what was nearest, with its groups."""
    row: int | None = None
    """Characteristics row; None for another sample field."""


@dataclass(frozen=True)
class AnnotationSummary:
    """A clinical annotation, summarised."""

    gene: bool
    """Whether the series holds human gene expression."""
    gene_why: str
    """Why."""
    gene_certainty: float | None
    """How sure."""
    features: tuple[FeatureSummary, ...]
    """Trait, age and gender."""
    notes: tuple[str, ...]
    """What else a reader should know."""


def sum_up(annotation: ClinicalAnnotation, rows: Sequence[AnnotationRow]) -> AnnotationSummary:
    """Summarise an annotation.

    `rows`: The values of its features, with the number of samples of each (`annotation_rows`).
    """
    gene = annotation.gene
    seen = "; ".join(gene.evidence) if gene.available else ""
    return AnnotationSummary(
        gene.available,
        seen or gene.reason,
        gene.certainty,
        tuple(
            _told(annotation, encoding, [row for row in rows if row.feature == name])
            if encoding is not None
            else _not_told(name, annotation)
            for name, encoding in annotation.features.items()
        ),
        (*_asked_notes(annotation), *annotation.notes),
    )


def _not_told(feature: str, annotation: ClinicalAnnotation) -> FeatureSummary:
    if feature != "trait":
        return FeatureSummary(
            feature, False, why_not=annotation.unavailable.get(feature, _NOT_RECORDED)
        )
    short = _why_left_out(annotation)
    return FeatureSummary(
        feature,
        False,
        certainty=None if short else annotation.certainty,
        why_not=short or why_no_trait(annotation).partition(";")[0],
        runner_up=_runner_up(annotation),
    )


def _told(
    annotation: ClinicalAnnotation, encoding: FeatureEncoding, rows: Sequence[AnnotationRow]
) -> FeatureSummary:
    trait = encoding.feature == "trait"
    empty = _why_empty(encoding, rows)
    sure = annotation.certainty if trait else encoding.certainty
    inferred = inferred_from(encoding.sample_field)
    by_hand = encoding.told_by == "hand"
    confidence = "by hand" if by_hand else "inferred" if inferred else encoding.confidence
    return FeatureSummary(
        encoding.feature,
        not empty,
        where=place_text(encoding.row, encoding.key, encoding.sample_field),
        amount=_amount(encoding, rows),
        certainty=None if empty else sure,
        confidence=confidence,
        mark="by hand" if by_hand else inferred or encoding.confidence,
        why_not=empty,
        evidence=(*encoding.evidence, *shift_notes(encoding), *encoding.cautions),
        values=tuple(sorted(rows, key=lambda row: (row.code is None, -row.samples))),
        runner_up=_runner_up(annotation) if trait and not by_hand else "",
        row=encoding.row,
    )


def _why_empty(encoding: FeatureEncoding, rows: Sequence[AnnotationRow]) -> str:
    """Return which side of a feature has no sample; empty where both have, or none is known."""
    codes = {row.code for row in rows if row.code is not None}
    trait = encoding.feature == "trait"
    empty = ""
    if rows and not codes:
        empty = "no sample has a code"
    elif codes and trait and encoding.kind == "binary" and codes != {0.0, 1.0}:
        empty = "no sample is a control" if 0.0 not in codes else "no sample is a case"
    elif trait and len(codes) == 1:
        empty = "every sample has the same code"
    if not empty:
        return ""
    place = place_text(encoding.row, encoding.key, encoding.sample_field)
    return f"{empty}; {place}: {_amount(encoding, rows)}"


def _amount(encoding: FeatureEncoding, rows: Sequence[AnnotationRow]) -> str:
    """Return the numbers of samples by group."""
    if not rows:
        return ""
    known = [(row.code, row.samples) for row in rows if row.code is not None]
    missing = sum(row.samples for row in rows if row.code is None)
    if encoding.feature == "gender":
        counts = [f"{_of_code(rows, 0.0)} female", f"{_of_code(rows, 1.0)} male"]
    elif encoding.feature == "trait" and encoding.kind == "binary":
        counts = _groups(rows)
    else:
        return _numbers(known, missing, "years" if encoding.feature == "age" else "")
    return ", ".join((*counts, f"{missing} missing"))


def _of_code(rows: Sequence[AnnotationRow], code: float, role: str | None = None) -> int:
    return sum(r.samples for r in rows if r.code == code and (role is None or r.role == role))


def _groups(rows: Sequence[AnnotationRow]) -> list[str]:
    cases, controls = _of_code(rows, 1.0), _of_code(rows, 0.0)
    parts = [
        f"{count} {words}"
        for role, words in (
            ("other disease", "with another disease"),
            ("unknown", "of unknown health"),
        )
        if (count := _of_code(rows, 0.0, role))
    ]
    aside = f" ({', '.join(parts)})" if parts else ""
    return [
        f"{cases} case{'s' * (cases != 1)}", f"{controls} control{'s' * (controls != 1)}{aside}"
    ]  # fmt: skip


def _numbers(known: Sequence[tuple[float, int]], missing: int, unit: str) -> str:
    every = [code for code, samples in known for _ in range(samples)]
    total = len(every) + missing
    if not every:
        return f"0 of {total} samples"
    unit = f" {unit}" if unit else ""
    text = f"{len(every)} of {total} samples, {min(every):g} to {max(every):g}{unit}"
    text += f", median {median(every):g}"
    apart = _apart(every) if unit else ()
    return f"{text}; flagged: {', '.join(apart)}" if apart else text


def _apart(ages: Sequence[float]) -> tuple[str, ...]:
    """Return implausible ages: a child or two among adults, or above 110 years."""
    children = sorted({age for age in ages if age < _YOUNG})
    few = sum(age < _YOUNG for age in ages) <= max(1, _FEW * len(ages))
    adults = all(age >= _ADULT for age in ages if age >= _YOUNG)
    alone = children if few and adults and len(children) < len(set(ages)) else []
    flagged = [f"{age:g} among adults" for age in alone]
    return (*flagged, *(f"{age:g}" for age in sorted({a for a in ages if a > _OLDEST})))


def _runner_up(annotation: ClinicalAnnotation) -> str:
    """Return what came second, or what was closest where the trait is not available."""
    second, available = annotation.runner_up, annotation.trait is not None
    if second is None:
        return _no_runner_up(annotation)
    name = "runner-up" if available else "best candidate that was left out"
    where = place_text(second.row, second.key, second.sample_field)
    sure = "" if second.certainty is None else f", certainty {certainty_text(second.certainty)}"
    text = f"{name}: {where}{sure}; {groups_text(second.values, second.roles)}"
    return text if available else f"{text}; why it was not chosen: {_why_not(annotation, second)}"


def _no_runner_up(annotation: ClinicalAnnotation) -> str:
    if annotation.trait is None:
        return "" if annotation.by == "hand" else "no row separates cases from controls"
    if annotation.certainty is None:
        return ""
    rest = certainty_text(1 - annotation.certainty)
    return (
        f"runner-up: none; the other {rest} are for a trait that is recorded in a way that "
        "the rules do not recognise, or not at all"
    )


def _why_not(annotation: ClinicalAnnotation, nearest: FeatureEncoding) -> str:
    short = _why_left_out(annotation)
    if short:
        return short.removeprefix("left out: ")
    if annotation.asked and annotation.review.get("trait"):
        return "a model says otherwise, and the rules are not certain enough"
    if nearest.certainty is None or annotation.certainty is None:
        return "it is less likely to be right than that the trait is not recorded"
    return (
        f"it is less likely to be right ({certainty_text(nearest.certainty)}) than that the "
        f"trait is not recorded here ({certainty_text(annotation.certainty)})"
    )
