"""A reading on the screen: the decisions first, then what each rests on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.clinical import (
        AnnotationRow,
        AnnotationSummary,
        ClinicalAnnotation,
        FeatureEncoding,
        FeatureSummary,
        KeyValues,
    )

__all__ = ["show_keys", "show_reading"]

SHOWN_VALUES = 12
VALUES_OF_KEY, LONGEST_VALUE = 5, 50
"""How many values of a key are listed where nothing was found, and how much of each."""
FEW_VALUES = 10
"""A key with more values than this is no likely place of cases and controls."""
UNSURE = 0.7
"""Below this certainty, clear words do not mean that they stand in the right row."""

_CONFIDENCE = {
    "explicit": "explicit: its values say it in so many words",
    "inferred": "inferred: its values mean it in this company, or by the series' texts",
    "arguable": "arguable: others may read its values otherwise",
    "by hand": "by hand: chosen or edited by a person",
}
_PLAIN = ["value", "code", "samples"]


def show_reading(told: AnnotationSummary, headline: str) -> None:
    """Print a reading for people.

    Parameters
    ----------
    told : AnnotationSummary
        What is to be said of it.
    headline : str
        What was read for what.
    """
    from genotex.clinical import certainty_meaning

    screen.say(headline)
    screen.table(["", "decision", "certainty", "where or why"], _decisions(told))
    sure = told.features[0].certainty
    meaning = "" if sure is None else f"Certainty: {certainty_meaning(sure)}. "
    screen.say(f"{meaning}A dash: certainty not measured.")
    for feature in told.features:
        if feature.available or feature.values:
            _show_feature(feature)
        if feature.feature == "trait":
            _show_runner_up(feature)
    for note in told.notes:
        screen.say(f"\nnote: {note}")


def _decisions(told: AnnotationSummary) -> list[dict[str, Any]]:
    rows = [_decision("gene data", told.gene, told.gene_certainty, told.gene_why)]
    for feature in told.features:
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
        mark += f", but that it is the right row is less sure ({certainty_text(sure)})"
    screen.say(f"\n{feature.feature}, {mark}")
    for line in feature.evidence:
        screen.say(f"  {line}")
    shown = [_value(row) for row in feature.values]
    columns = ["value", "code", "role", "samples"] if feature.feature == "trait" else _PLAIN
    if any(row.evidence for row in feature.values):
        columns = [*columns, "why"]
    screen.table(columns, shown[:SHOWN_VALUES], fold=("value", "why"))
    if len(shown) > SHOWN_VALUES:
        screen.say(f"... and {len(shown) - SHOWN_VALUES} more values (all with --json)")


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
    """Say what came second, or what was nearest where the trait is not available."""
    if not trait.available and not trait.values:
        screen.say("\ntrait, not available")
    first, *rest = trait.runner_up.split("; ") if trait.runner_up else [""]
    if first:
        screen.say(f"  {first}")
    for part in rest:
        screen.say(f"    {part}")


def show_keys(keys: Sequence[KeyValues], reading: ClinicalAnnotation) -> None:
    """Print what the samples say, where it was not understood, and how to choose the groups.

    Parameters
    ----------
    keys : sequence of KeyValues
        Every key that tells samples apart (`genotex.clinical.groups`).
    reading : ClinicalAnnotation
        What was read: the groups of a trait that was left out are those to choose first, and a
        person who said that the trait is not available is not told otherwise.
    """
    if not keys:
        screen.say("\nNothing that is written about the samples tells them apart.")
        return
    screen.say("\nWhat is written about the samples, by key:")
    rows = [{"place": key.place, "values (samples)": _few(key)} for key in keys]
    screen.table(["place", "values (samples)"], rows, fold=("place", "values (samples)"))
    why, choice = _suggested(keys, reading)
    if not choice:
        screen.say("\nChoose the groups yourself with --case VALUE --control VALUE.")
        return
    screen.say(f"\n{why}. If these are the groups:")
    screen.say(f"  {choice}")


def _suggested(keys: Sequence[KeyValues], reading: ClinicalAnnotation) -> tuple[str, str]:
    """Return what speaks for the likely groups and the options that choose them, if any."""
    if reading.left_out is not None and reading.runner_up is not None:
        return "The reading that was left out has groups", _groups_of(reading.runner_up)
    if reading.trait is not None or "trait" in reading.unavailable:
        return "", ""
    likely = (k for k in keys if k.controls and k.others and len(k.values) <= FEW_VALUES)
    # Where a value is a case already, those who have another disease are none.
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


def _few(key: KeyValues) -> str:
    shown = [f"{_cut(v)!r} ({count})" for v, count in list(key.values.items())[:VALUES_OF_KEY]]
    more = len(key.values) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _cut(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
