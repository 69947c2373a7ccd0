"""Samples of a series as people read them: group, age and sex of each, with the reasons."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from genotex.clinical import (
    AS_IN_FILE,
    GROUP_WORDS,
    REVIEW,
    ClinicalAnnotation,
    EncodedFeature,
    FeatureSummary,
    SeriesDescription,
    annotation_notes,
    annotation_rows,
    certainty_text,
    describe_series,
    expert_of,
    load_vocabulary,
    sheet_headers,
    sheet_rows,
    sum_up,
)
from genotex.cohorts import PreprocessOptions, encode_features, read_or_replay
from genotex.errors import UsageError
from genotex.features import table_features
from genotex.formats import Series
from genotex.options import Controls

MIN_HEALTHY = 5
"""Fewer healthy controls than this are not a group of their own, as in an analysis."""
_GROUP_ORDER = ("control", "case", *(word for word in GROUP_WORDS.values()))
_LAST = ("group", "age", "sex", "pair", "batch", "exclude", "certainty", "why")


@dataclass(frozen=True, eq=False)
class Annotation:
    """How the samples of a series were annotated for a trait.

    Attributes
    ----------
    cohort : str
        The series.
    name : str
        The trait, as it was asked for; empty where only age and sex were.
    samples : pandas.DataFrame
        A row for each sample: what the file records of it, then ``group``, ``age``, ``sex``,
        ``certainty`` (that the group is right) and ``why``.
    trait, age, sex : FeatureSummary
        Where each is recorded, how many samples of which kind, ``certainty`` and ``evidence``.
    notes : tuple of str
        What else a reader should know.
    review : dict of str
        What a person should decide, by feature; empty where nothing is open.
    """

    cohort: str
    name: str
    samples: pd.DataFrame
    trait: FeatureSummary
    age: FeatureSummary
    sex: FeatureSummary
    notes: tuple[str, ...]
    review: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Where trait, age and sex are recorded, a line for each."""
        lines = [f"{label}: {_in_words(found)}" for label, found in self._features]
        first = f"{self.cohort}, {len(self.samples)} samples"
        return "\n".join([first, *self._open, *lines, *self._rest])

    @property
    def _open(self) -> list[str]:
        """The notes on what a person should decide, which come first."""
        return [note for note in self.notes if note.startswith(REVIEW)]

    @property
    def _rest(self) -> list[str]:
        return [note for note in self.notes if not note.startswith(REVIEW)]

    @property
    def _features(self) -> tuple[tuple[str, FeatureSummary], ...]:
        return ((self.name or "trait", self.trait), ("age", self.age), ("sex", self.sex))

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(name, found))
            for name, found in self._features
        )
        heads = "".join(
            f"<th>{head}</th>" for head in ("", "samples", "recorded in", "certainty", "evidence")
        )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in (*self._open, *self._rest))
        table: str = self.samples.to_html(max_rows=10, notebook=True)
        return (
            f"<p><b>{html.escape(self.cohort)}</b>, {len(self.samples)} samples</p>"
            f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f"<ul>{notes}</ul>{table}"
        )


def _in_words(found: FeatureSummary) -> str:
    if not found.available:
        return f"not available: {found.why_not}"
    sure = "" if found.certainty is None else f", certainty {certainty_text(found.certainty)}"
    return f"{found.amount} ({found.where}{sure})"


def _cells(name: str, found: FeatureSummary) -> tuple[str, ...]:
    if not found.available:
        return name, "not available", "", "", found.why_not
    reasons = [f"{row.raw}: {row.evidence}" for row in found.values if row.evidence]
    sure = "" if found.certainty is None else certainty_text(found.certainty)
    return name, found.amount, found.where, sure, "; ".join((*found.evidence, *reasons))


def annotate_series(
    series: Series, cohort: str, trait: str | None, options: PreprocessOptions
) -> Annotation:
    """Annotate the samples of a series; without a trait only age and sex, by the rules."""
    check_trait(trait)
    name = trait or ""
    description = replace(describe_series(series), cohort=cohort)
    found = read_or_replay(description, series, name, expert_of(options), options)
    features = encode_features(found, series, options, load_vocabulary(options.vocabulary))
    table, notes = sample_table(description, series, found, features, options, trait_name=name)
    rows = annotation_rows(found, series, options.procedure)
    of_trait, age, sex = sum_up(found, rows).features
    notes = (*annotation_notes(found), *notes)
    return Annotation(cohort, name, table, of_trait, age, sex, notes, found.review)


def sample_table(
    description: SeriesDescription,
    series: Series,
    annotation: ClinicalAnnotation,
    features: Mapping[str, EncodedFeature],
    options: PreprocessOptions,
    measured: Collection[str] | None = None,
    *,
    trait_name: str = "",
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a row for each sample, with its group, age and sex as an analysis uses them."""
    rows = sheet_rows(description, series, annotation, procedure=options.procedure)
    headers = [name for name in sheet_headers(rows) if name not in ("series", "sample", *_LAST)]
    table = pd.DataFrame(index=pd.Index(series.samples, name="sample"))
    for name in (*headers, *_LAST):
        cells = [row.get(name, "") for row in rows]
        # A column without any value cannot be written to an AnnData file.
        if any(cells):
            # AnnData files cannot hold a slash in the name of a column.
            table[name.replace("/", "_")] = _typed(cells)
    trait = features.get("trait")
    notes: tuple[str, ...] = ()
    if trait is not None and annotation.trait is not None and annotation.trait.kind == "binary":
        there = np.array([measured is None or sample in measured for sample in series.samples])
        groups, notes = _groups(trait, there, options.control_roles)
        table["group"] = _as_groups(groups)
    else:
        table["group"] = _as_groups([None] * len(table)) if trait is None else trait.codes
    add_age_and_sex(table, features)
    if annotation.trait is None and not trait_name:
        table = table.drop(columns=["certainty", "why"], errors="ignore")
    ends = [name for name in _LAST if name in table.columns]
    table = table[[*(name for name in table.columns if name not in ends), *ends]]
    reserved = {str(name).casefold() for name in table.columns}
    plain = {name: str(name).removesuffix(AS_IN_FILE) for name in table.columns}
    free = {n: own for n, own in plain.items() if n != own and own.casefold() not in reserved}
    return table.rename(columns=free), notes


def add_age_and_sex(table: pd.DataFrame, features: Mapping[str, EncodedFeature]) -> None:
    """Add the columns ``age``, in years, and ``sex``; missing where they are not recorded."""
    nothing = np.full(len(table), np.nan)
    for each in table_features():
        codes = features[each.column].codes if each.column in features else nothing
        words = [each.cell(code) or None for code in codes] if each.levels else []
        levels = list(each.levels)
        table[each.name] = pd.Categorical(words, categories=levels) if each.levels else codes


def _groups(
    trait: EncodedFeature, measured: np.ndarray[Any, np.dtype[np.bool_]], controls: Controls
) -> tuple[list[str | None], tuple[str, ...]]:
    """Return the group of each sample; controls of any kind are one where few are healthy."""
    healthy = sum(
        role == "healthy control" and code == 0 and there
        for role, code, there in zip(trait.roles, trait.codes, measured, strict=True)
    )
    every = controls == "all" or (controls == "auto" and healthy < MIN_HEALTHY)
    groups: list[str | None] = []
    merged = 0
    for role, code in zip(trait.roles, trait.codes.tolist(), strict=True):
        if code == 1:
            groups.append("case")
        elif code == 0 and (every or role == "healthy control"):
            groups.append("control")
            merged += role != "healthy control"
        else:
            groups.append(GROUP_WORDS[role] if code == 0 or role != "unknown" else None)
    if not merged:
        return groups, ()
    why = "controls='all'" if controls == "all" else f"only {healthy} controls are known as healthy"
    return groups, (f"{merged} controls of another disease or unknown health count: {why}",)


def _as_groups(groups: Sequence[str | None]) -> pd.Categorical:
    """Return groups with the control as the first level, which others are compared with."""
    present = set(groups)
    levels = [word for word in dict.fromkeys(_GROUP_ORDER) if word in present]
    return pd.Categorical(list(groups), categories=levels)


def _typed(cells: Sequence[str]) -> pd.Series | list[str | None] | Any:
    """Return cells as numbers where all are numbers, else as texts; empty cells are missing."""
    filled = [cell for cell in cells if cell]
    numbers = pd.to_numeric(pd.Series(filled, dtype=object), errors="coerce")
    if filled and np.isfinite(numbers.to_numpy(dtype=np.float64)).all():
        if len(filled) == len(cells) and all(cell.isdecimal() for cell in cells):
            return [int(cell) for cell in cells]
        return [float(cell) if cell else np.nan for cell in cells]
    return np.array([cell or None for cell in cells], dtype=object)


def check_trait(trait: str | None) -> None:
    """Refuse a trait that is not a name."""
    if trait is not None and not str(trait).strip():
        msg = "the trait is empty; name one, or leave it out for age and sex alone"
        raise UsageError(msg)
