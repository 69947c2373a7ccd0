"""The annotation of a series: tables for people, JSON for machines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.cli import screen
from genotex.layout import trait_folder_name

if TYPE_CHECKING:
    from genotex.clinical import (
        AnnotationRow,
        AnnotationSummary,
        ClinicalAnnotation,
        FeatureEncoding,
        FeatureSummary,
        KeyValues,
        SampleRelations,
    )

SHOWN_VALUES = 12
VALUES_OF_KEY, LONGEST_VALUE = 5, 50
"""How many values of a key are listed if nothing was found, and how much of each."""
FEW_VALUES = 10
"""A key with more values than this is unlikely to define cases and controls."""
UNSURE = 0.7
"""Below this certainty, clear words do not mean that they are in the right row."""

_CONFIDENCE = {
    "explicit": "explicit: its values state it",
    "inferred": "inferred: from its values together with the other rows, or from the series' texts",
    "arguable": "arguable: its values may be interpreted otherwise",
    "by hand": "by hand: chosen or edited by a person",
}
_PLAIN = ["value", "code", "samples"]


def show_annotation(summary: AnnotationSummary, headline: str) -> None:
    """Print the annotation of a series under a headline."""
    from genotex.clinical import certainty_meaning

    screen.show(headline)
    screen.table(["", "decision", "certainty", "where or why"], _decisions(summary))
    sure = summary.features[0].certainty
    meaning = "" if sure is None else f"Certainty: {certainty_meaning(sure)}. "
    screen.show(f"{meaning}A dash: certainty not measured.")
    for feature in summary.features:
        if feature.available or feature.values:
            _show_feature(feature)
        if feature.feature == "trait":
            _show_runner_up(feature)
    for note in summary.notes:
        screen.show(f"\nnote: {note}")


def _decisions(summary: AnnotationSummary) -> list[dict[str, Any]]:
    rows = [_decision("gene data", summary.gene, summary.gene_certainty, summary.gene_why)]
    for feature in summary.features:
        where = ": ".join(part for part in (feature.where, feature.amount) if part)
        rows.append(
            _decision(
                feature.feature, feature.available, feature.certainty, feature.why_not or where
            )
        )
    return rows


def _decision(name: str, available: bool, certainty: float | None, where: str) -> dict[str, Any]:
    from genotex.clinical import certainty_text

    return {
        "": name,
        "decision": "available" if available else "not available",
        "certainty": None if certainty is None else certainty_text(certainty),
        "where or why": where,
    }


def _show_feature(feature: FeatureSummary) -> None:
    from genotex.clinical import certainty_text

    mark = _CONFIDENCE.get(feature.mark, feature.mark)
    sure = feature.certainty
    if feature.mark == "explicit" and sure is not None and sure < UNSURE:
        mark += f" values, but it is less certain that it is the right row ({certainty_text(sure)})"
    screen.show(f"\n{feature.feature}, {mark}")
    for line in feature.evidence:
        screen.show(f"  {line}")
    shown = [_value(row) for row in feature.values]
    columns = ["value", "code", "role", "samples"] if feature.feature == "trait" else _PLAIN
    if any(row.evidence for row in feature.values):
        columns = [*columns, "why"]
    screen.table(columns, shown[:SHOWN_VALUES], fold=("value", "why"))
    if len(shown) > SHOWN_VALUES:
        screen.show(f"... and {len(shown) - SHOWN_VALUES} more values (all with --json)")


def _value(row: AnnotationRow) -> dict[str, Any]:
    from genotex.clinical import role_text, value_text

    return {
        "value": value_text(row.raw, row.key),
        "code": "missing" if row.code is None else f"{row.code:g}",
        "role": role_text(row.role, row.code),
        "samples": row.samples,
        "why": row.evidence,
    }


def _show_runner_up(trait: FeatureSummary) -> None:
    """Print what came second, or what was nearest if the trait is not available."""
    if not trait.available and not trait.values:
        screen.show("\ntrait, not available")
    first, *rest = trait.runner_up.split("; ") if trait.runner_up else [""]
    if first:
        screen.show(f"  {first}")
    for part in rest:
        screen.show(f"    {part}")


def show_keys(keys: Sequence[KeyValues], reading: ClinicalAnnotation) -> None:
    """Print the annotation of the samples if no trait was found, and how to choose the groups.

    The groups of a trait that was left out are the first choice. Where a person recorded that the
    trait is not available, no groups are suggested.
    """
    if not keys:
        screen.show("\nNo annotation distinguishes the samples.")
        return
    screen.show("\nAnnotation of the samples, by key:")
    rows = [{"place": key.place, "values (samples)": _few(key)} for key in keys]
    screen.table(["place", "values (samples)"], rows, fold=("place", "values (samples)"))
    why, choice = _suggested(keys, reading)
    if not choice:
        screen.show("\nChoose the groups yourself with --case VALUE --control VALUE.")
        return
    screen.show(f"\n{why}. If these are the groups:")
    screen.show(f"  {choice}")


def _suggested(keys: Sequence[KeyValues], reading: ClinicalAnnotation) -> tuple[str, str]:
    """Return the reason for the likely groups and the options that choose them, if any."""
    if reading.left_out is not None and reading.runner_up is not None:
        return "The annotation that was left out has groups", _groups_of(reading.runner_up)
    if reading.trait is not None or reading.by == "hand":
        return "", ""
    likely = (k for k in keys if k.controls and k.others and len(k.values) <= FEW_VALUES)
    # If a value is a case already, samples with another disease are not cases.
    best = next((key for key in likely if not key.cases), None)
    if best is None:
        return "", ""
    why = f"Controls are named in {best.place}, cases are not"
    return why, _options(best.others[:1], best.controls[:1])


def _groups_of(encoding: FeatureEncoding) -> str:
    from genotex.clinical import value_text

    cases, controls = (
        [value_text(cell, encoding.key) for cell, code in encoding.values.items() if code == side]
        for side in (1.0, 0.0)
    )
    few = encoding.kind == "binary" and len(encoding.values) <= FEW_VALUES
    return _options(cases, controls) if few and cases and controls else ""


def _options(cases: Sequence[str], controls: Sequence[str]) -> str:
    sides = (("--case", cases), ("--control", controls))
    return " ".join(f"{option} {shlex.quote(v)}" for option, values in sides for v in values)


def show_relations(relations: SampleRelations) -> None:
    """Print what the texts state on the relations of the samples, where they state something."""
    if relations.stated:
        screen.show("\nRelations between the samples (names for --exclude, --covariates, --pair):")
    for line in relations.lines():
        screen.show(f"  {line}")


def show_override(
    reading: ClinicalAnnotation, keys: Sequence[KeyValues], matrix: Path, trait: str, cohort: str
) -> None:
    """Print what would change the decision, and the commands that decide otherwise."""
    screen.show("\nWhat would change this:")
    for line in _what_would_change(reading):
        screen.show(f"  {line}")
    # The folder of a file in GEO/<Trait>/<GSE>/.
    above = matrix.resolve().parents
    inside = (
        len(above) > 3
        and above[2].name == "GEO"
        and above[1].name.casefold() == trait_folder_name(trait).casefold()
    )
    source = str(matrix.parent.parent.parent.parent) if inside else "INPUT"
    solve = ["genotex", "solve", source, "OUTPUT", "--trait", trait]
    groups = _keyed_groups(reading.trait or reading.runner_up) or _keyed_suggestion(keys)
    if groups:
        screen.show("\nTo choose the groups yourself, edit and run:")
        screen.show(f"  {shlex.join([*solve, '--cohort', cohort, *groups])}")
    screen.show("\nTo decide sample by sample, edit the sheet in a spreadsheet and use it:")
    sheet = ["genotex", "clinical", "sheet", str(matrix), "--trait", trait, "-o", "samples.csv"]
    screen.show(f"  {shlex.join(sheet)}")
    screen.show(f"  {shlex.join([*solve, '--samples', 'samples.csv'])}")


def _what_would_change(reading: ClinicalAnnotation) -> list[str]:
    from genotex.clinical import certainty_text, place_text

    trait, second = reading.trait, reading.runner_up
    if trait is not None and trait.told_by == "hand":
        return ["a person decided the groups: other options, or another sheet"]
    lines = []
    if second is not None:
        place = place_text(second.row, second.key, second.sample_field)
        groups = _keyed_groups(second)
        how = f": {shlex.join(groups)}" if groups else ": the sample sheet"
        lines.append(f"{'the runner-up' if trait else 'the closest candidate'}, {place}{how}")
    if reading.left_out is not None:
        lines.append(f"a --least-certainty below {reading.left_out:g}")
    elif trait is not None and reading.certainty is not None:
        lines.append(
            f"a --least-certainty above {certainty_text(reading.certainty)} makes the trait not "
            "available"
        )
    return [*lines, "words that the rules lack: genotex clinical words, then --vocabulary"]


def _keyed_groups(encoding: FeatureEncoding | None) -> list[str]:
    """Return the options that choose the groups of an encoding, if they are few."""
    from genotex.clinical import value_text

    names = {"title": "title", "source_name_ch1": "source", "description": "description"}
    if encoding is None or encoding.kind != "binary" or len(encoding.values) > FEW_VALUES:
        return []
    key = encoding.key or names.get(encoding.sample_field, "")
    options = [
        (option, f"{key}={value_text(cell, encoding.key)}" if key else cell)
        for option, side in (("--case", 1.0), ("--control", 0.0))
        for cell, code in encoding.values.items()
        if code == side
    ]
    both = {option for option, _ in options} == {"--case", "--control"}
    if encoding.sample_field == "sample" or not both:
        return []
    return [part for option in dict.fromkeys(options) for part in option]


def _keyed_suggestion(keys: Sequence[KeyValues]) -> list[str]:
    """Return options for the first key with a few values, as an example."""
    # Keys of ages, sexes and ids never name groups: their values are not judged.
    judged = [k for k in keys if k.key and (k.controls or k.others or k.cases)]
    few = [k for k in judged if 2 <= len(k.values) <= FEW_VALUES]
    best = next((k for k in few if k.controls), few[0] if few else None)
    if best is None:
        return []
    controls = list(best.controls[:1]) or list(best.values)[1:2]
    cases = [value for value in best.values if value not in best.controls and value not in controls]
    if not cases:
        return []
    return ["--case", f"{best.key}={cases[0]}", "--control", f"{best.key}={controls[0]}"]


def _few(key: KeyValues) -> str:
    shown = [f"{_cut(v)!r} ({count})" for v, count in list(key.values.items())[:VALUES_OF_KEY]]
    more = len(key.values) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _cut(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"


def annotation_json(
    reading: ClinicalAnnotation, summary: AnnotationSummary, keys: Sequence[KeyValues]
) -> dict[str, Any]:
    """Return all that is known of the annotation of a series."""
    from genotex.clinical import annotation_notes, annotation_to_json, inferred_from, why_no_trait

    data = annotation_to_json(reading)
    encodings = {"trait": reading.trait, "age": reading.age, "gender": reading.gender}
    features = {}
    for feature in summary.features:
        encoding = encodings[feature.feature]
        features[feature.feature] = _feature_json(feature) | {
            "encoding": data[feature.feature],
            "inferred_from": (encoding and inferred_from(encoding.sample_field)) or None,
        }
    features["trait"] |= {"left_out": reading.left_out, "runner_up": data["runner_up"]}
    if reading.trait is None:
        why = why_no_trait(reading)
        features["trait"] |= {"certainty": data["certainty"], "why_not": why}
    return {
        "gene": data["gene"],
        **features,
        "values": [asdict(row) for feature in summary.features for row in feature.values],
        "keys": [asdict(key) for key in keys],
        "notes": list(annotation_notes(reading)),
    }


def _feature_json(feature: FeatureSummary) -> dict[str, Any]:
    return {
        "available": feature.available,
        "place": feature.where or None,
        "samples": feature.amount or None,
        "certainty": feature.certainty,
        "confidence": feature.confidence or None,
        "why_not": feature.why_not or None,
        "evidence": list(feature.evidence),
    }
