"""Between a clinical annotation and a sample sheet, in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from genotex.clinical.cells import SampleKeys, keys_of_samples
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoded_features import (
    EncodedFeature,
    apply_encoding,
    code_word,
    nothing_encoded,
)
from genotex.clinical.encoding import (
    FEATURES,
    ClinicalAnnotation,
    Feature,
    FeatureEncoding,
    kind_of,
)
from genotex.clinical.groups import samples_text
from genotex.clinical.relations import propose_exclusions, propose_pairs, relations_of
from genotex.clinical.sheets.sample_sheet import (
    FIRST_COLUMNS,
    REPORTED,
    SampleSheet,
    SheetSample,
    decided_columns,
    sheet_columns,
)
from genotex.clinical.summary import place_text, value_text, why_no_trait
from genotex.features import MISSING, recorded_features, simple_key, table_features
from genotex.formats import Role, Series
from genotex.procedure import Procedure

AS_IN_FILE = " (as in the file)"
"""Ends the name of a characteristic that is named like another column."""


CHECK = "check: "
"""Begins what is to be checked of a sample."""


def sheet_rows(
    description: SeriesDescription,
    series: Series,
    annotation: ClinicalAnnotation,
    *,
    procedure: Procedure | str = Procedure.SOUND,
    checks: Mapping[str, str] | None = None,
) -> list[dict[str, str]]:
    """Return a row for each sample of a series, by header.

    `description`: The series, as an expert sees it. `annotation`: How its samples are annotated:
    the groups that the sheet proposes. `procedure`: How the annotation is applied. `checks`: Sample
    -> what a person should check, added to ``why``. Returns keys in the order of the columns:
    ``series``, ``sample``, ``title``, ``source``, one for each characteristic, then ``group``,
    ``age``, ``sex``, ``pair``, ``batch``, ``exclude``, ``certainty`` (that the group is right, 0 to
    1), ``why``. Other sample features are columns
    behind the characteristics where something states them and no characteristic has their name.
    """
    keys = keys_of_samples(description)
    relations = relations_of(description, keys)
    found = {
        feature: apply_encoding(encoding, series, procedure=procedure)
        for feature, encoding in annotation.features.items()
        if encoding is not None
    }
    samples = series.samples
    trait = found.get("trait") or nothing_encoded(len(samples))
    codes = {s: c for s, c in zip(samples, trait.codes.tolist(), strict=True) if c == c}
    proposed = propose_exclusions(relations, codes, annotation.excluded)
    excluded = {**{s: f"proposed: {why}" for s, why in proposed.items()}, **annotation.excluded}
    facts = {name: relations.values(name) for name in _shown(keys)} | dict(annotation.facts)
    if "pair" not in facts:
        facts["pair"] = propose_pairs(relations, codes, excluded)
    asked = _to_check(annotation.checks, checks or {})
    columns = {
        **_columns_of_texts(description, keys, samples),
        **{name: _of_samples(facts[name], samples) for name in _shown(keys) if facts[name]},
        "group": _groups(annotation.trait, trait),
        **{
            f.name: [f.cell(code) for code in found[f.encoded].codes]
            if f.encoded in found
            else [""] * len(samples)
            for f in table_features()
        },
        "pair": _of_samples(facts["pair"], samples),
        **{
            f.name: _of_samples(facts.get(f.name, {}), samples)
            for f in recorded_features()
            if f.use == "batch"
        },
        "exclude": ["yes" if sample in excluded else "" for sample in samples],
        "certainty": _certainties(annotation, trait),
        "why": [
            "; ".join(filter(None, (excluded.get(s), why, asked.get(s), *relations.texts(s))))
            for s, why in zip(samples, _reasons(annotation, trait), strict=True)
        ],
    }
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _to_check(*checks: Mapping[str, str]) -> dict[str, str]:
    """Return what is to be checked of each sample, as the column ``why`` has it."""
    names = {name: None for each in checks for name in each}
    return {name: f"{CHECK}{'; '.join(e[name] for e in checks if name in e)}" for name in names}


def _columns_of_texts(
    description: SeriesDescription, keys: SampleKeys, samples: Sequence[str]
) -> dict[str, list[str]]:
    """Return the columns of what the file states, as it states it."""
    count = len(samples)
    return {
        "series": [description.cohort] * count,
        "sample": list(samples),
        "title": _filled(description.titles, count),
        "source": _filled(description.source_names, count),
        **{_header(key): [keys.text(key, n) for n in range(count)] for key in keys.characteristics},
    }


def _of_samples(values: Mapping[str, str], samples: Sequence[str]) -> list[str]:
    return [values.get(sample, "") for sample in samples]


def _filled(line: Sequence[str | None], count: int) -> list[str]:
    return [(line[number] if number < len(line) else "") or "" for number in range(count)]


def _shown(keys: SampleKeys) -> list[str]:
    """Return the features with a column of their own where something states them."""
    there = {simple_key(key) for key in keys.characteristics}
    return [f.name for f in recorded_features() if f.use != "batch" and f.name not in there]


def sheet_headers(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the columns of a sheet of several series; keys that differ in case are one column."""
    first = list(FIRST_COLUMNS)
    every = sheet_columns()
    between: dict[str, str] = {}
    for row in rows:
        for name in row:
            if name not in every:
                between.setdefault(simple_key(name), name)
    return [*first, *between.values(), *decided_columns(), *REPORTED]


def sheet_cells(rows: Sequence[Mapping[str, str]], headers: Sequence[str]) -> list[list[str]]:
    """Return the cells of the rows under the headers."""
    by_name = [{simple_key(name): text for name, text in row.items()} for row in rows]
    return [[row.get(simple_key(name), "") for name in headers] for row in by_name]


def _header(key: str) -> str:
    """Return the header of a characteristic, which must not be that of another column."""
    name = " ".join(key.split())
    return f"{name}{AS_IN_FILE}" if simple_key(name) in sheet_columns() else name


def _groups(encoding: FeatureEncoding | None, found: EncodedFeature) -> list[str]:
    """Return the group of each sample in words, or its value of a measured trait."""
    if encoding is None:
        return [""] * len(found.codes)
    codes = (None if code != code else code for code in found.codes.tolist())
    pairs = zip(codes, found.roles, strict=True)
    return [code_word(encoding, code, role) or "" for code, role in pairs]


def _certainties(annotation: ClinicalAnnotation, found: EncodedFeature) -> list[str]:
    """Return how certain the group of each sample is; empty where that was not measured."""
    of_cells = {} if annotation.trait is None else annotation.trait.certainties
    sure = (of_cells.get(cell or "", annotation.certainty) for cell in found.raw)
    return ["" if c is None else f"{min(max(c, 0.01), 0.99):.2f}" for c in sure]


def _reasons(annotation: ClinicalAnnotation, found: EncodedFeature) -> list[str]:
    """Return why each sample is in its group, or in none."""
    encoding = annotation.trait
    if encoding is None:
        return [f"the rules found no groups: {why_no_trait(annotation)}"] * len(found.raw)
    place = place_text(encoding.row, encoding.key, encoding.sample_field)
    relaxed = {simple_key(cell): why for cell, why in encoding.reasons.items()}
    reasons = []
    for raw, code in zip(found.raw, found.codes, strict=True):
        if raw is None:
            reasons.append(f"nothing in {place}")
            continue
        value = value_text(raw, encoding.key)
        why = encoding.reasons.get(raw) or relaxed.get(simple_key(raw))
        if why is None and code != code:
            why = f"{value!r} is neither case nor control"
        reasons.append(f"{why} ({place})" if why else f"{value!r} ({place})")
    return reasons


def annotation_from_sheet(
    sheet: SampleSheet, own: ClinicalAnnotation, description: SeriesDescription
) -> ClinicalAnnotation:
    """Return the annotation of a series exactly as its rows of a sample sheet state it.

    `sheet`: The sheet, checked against the series. `own`: The annotation of the rules: it gives the
    verdict on gene expression, and the keys that trait, age and gender were recorded under. Returns
    encodings by sample, with the source "sample sheet" in their evidence. Samples that are not in
    the sheet, or are excluded by it, are missing.
    """
    source = f"sample sheet {sheet.path.name}"
    rows = sheet.of(description.cohort, description.samples)
    excluded = {n: f"{source}, row {s.row}" for n, s in rows.items() if s.exclude}
    used = {name: row for name, row in rows.items() if not row.exclude}
    codes = {name: row.code for name, row in used.items() if row.code is not None}
    measured = any(row.series in sheet.measured for row in rows.values())
    trait = _encoding("trait", codes, own.trait, source)
    if trait is not None:
        roles: dict[str, Role] = {} if measured else {name: used[name].role for name in codes}
        trait = replace(trait, kind="continuous" if measured else "binary", roles=roles)
    encoded: dict[str, dict[str, float]] = {
        f.encoded: {n: float(r.features[f.name]) for n, r in used.items() if f.name in r.features}
        for f in table_features()
    }
    absent = [name for name in description.samples if name not in rows]
    people: dict[str, Any] = {
        name: _encoding(name, encoded[name], own.features[name], source) for name in FEATURES[1:]
    }
    return ClinicalAnnotation(
        own.gene,
        trait,
        **people,
        notes=_missing_note(absent, source),
        by="hand",
        unavailable={
            name: f"nothing in the {source}"
            for name, values in ({"trait": codes} | encoded).items()
            if not values
        },
        excluded=excluded,
        facts={name: values for name, values in _facts(used, description).items() if values},
    )


def _facts(
    used: Mapping[str, SheetSample], description: SeriesDescription
) -> dict[str, dict[str, str]]:
    """Return pairs and recorded features by sample, without what is as in the file.

    An empty text is that of a cell which the person emptied: the sheet as proposed fills it.
    """
    keys = keys_of_samples(description)
    number = {sample: n for n, sample in enumerate(keys.samples)}
    relations = relations_of(description, keys)
    proposed = {name: relations.values(name) for name in _shown(keys)}
    facts = {"pair": {name: row.pair for name, row in used.items() if row.pair}}
    for feature in recorded_features():
        key = None if feature.use == "batch" else keys.find(feature.name)
        given = {
            name: feature.cell(row.features[feature.name])
            for name, row in used.items()
            if feature.name in row.features
        }
        in_file = {name: "" if key is None else keys.text(key, number[name]) for name in given}
        before = proposed.get(feature.name, in_file)
        facts[feature.name] = {
            name: cell
            for name, cell in given.items()
            if (
                key is None or cell != feature.cell(feature.read_cell(in_file[name]))
                if cell
                else before.get(name, "").casefold() not in MISSING
            )
        }
    return facts


def _encoding(
    feature: Feature, values: Mapping[str, float], own: FeatureEncoding | None, source: str
) -> FeatureEncoding | None:
    if not values:
        return None
    # The key stays, so that the characteristic itself is not taken for something else.
    of_key = own is not None and own.sample_field in ("characteristics_ch1", "sample")
    return FeatureEncoding(
        feature=feature,
        row=None,
        key=own.key if own is not None and of_key else "",
        kind=kind_of(feature),
        values=dict(values),
        evidence=(source,),
        sample_field="sample",
        told_by="hand",
    )


def _missing_note(absent: Sequence[str], source: str) -> tuple[str, ...]:
    if not absent:
        return ()
    one = len(absent) == 1
    return (
        f"{len(absent)} sample{'' if one else 's'} of the series {'is' if one else 'are'} not in "
        f"the {source} and left out: {samples_text(absent)}",
    )
