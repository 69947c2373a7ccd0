"""A reading on the screen: the decisions first, then what each rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.clinical import ClinicalReading, FeatureEncoding, ReadingRow

__all__ = ["show_reading"]

SHOWN_VALUES = 12

_CONFIDENCE = {
    "explicit": "explicit: said in so many words",
    "inferred": "inferred: from the company of words or the series' texts",
    "arguable": "arguable: others may read it otherwise",
}


def show_reading(reading: ClinicalReading, rows: Sequence[ReadingRow], headline: str) -> None:
    """Print a reading for people.

    Parameters
    ----------
    reading : ClinicalReading
        What was read.
    rows : sequence of ReadingRow
        Its values (`genotex.clinical.reading_table`).
    headline : str
        What was read for what.
    """
    from genotex.clinical import MEANING_OF_CERTAINTY

    screen.say(headline)
    screen.table(["", "decision", "certainty", "where or why"], _decisions(reading))
    screen.say(f"Certainty: {MEANING_OF_CERTAINTY}. A dash: not measured.")
    features = {"trait": reading.trait, "age": reading.age, "gender": reading.gender}
    for name, encoding in features.items():
        if encoding is not None:
            _show_feature(name, encoding, [row for row in rows if row.feature == name])
        if name == "trait":
            _show_runner_up(reading)
    told = _about_trait(reading)
    for note in (note for note in reading.notes if note not in told):
        screen.say(f"\nnote: {note}")


def _decisions(reading: ClinicalReading) -> list[dict[str, Any]]:
    from genotex.clinical import tell_place, why_no_trait

    gene = asdict(reading.gene)
    reason = gene["reason"]
    if reading.gene.available and gene["evidence"]:
        reason = "; ".join(gene["evidence"])
    rows = [_decision("gene data", reading.gene.available, gene.get("certainty"), reason)]
    features = {"trait": reading.trait, "age": reading.age, "gender": reading.gender}
    for name, encoding in features.items():
        if encoding is not None:
            where = tell_place(encoding.row, encoding.key, encoding.sample_field)
            certainty = reading.certainty if name == "trait" else encoding.certainty
        elif name == "trait":
            where, certainty = why_no_trait(reading).partition(";")[0], reading.certainty
        else:
            where, certainty = "no sample field tells it, or it does not vary", None
        rows.append(_decision(name, encoding is not None, certainty, where))
    return rows


def _decision(name: str, available: bool, certainty: float | None, where: str) -> dict[str, Any]:
    from genotex.clinical import tell_certainty

    return {
        "": name,
        "decision": "available" if available else "not available",
        "certainty": None if certainty is None else tell_certainty(certainty),
        "where or why": where,
    }


def _show_feature(name: str, encoding: FeatureEncoding, rows: Sequence[ReadingRow]) -> None:
    from genotex.clinical import inferred_from

    mark = inferred_from(encoding.sample_field) or _CONFIDENCE[encoding.confidence]
    screen.say(f"\n{name}, {mark}")
    told = {row.evidence for row in rows} - set(encoding.evidence[:1])
    for line in encoding.evidence:
        if line not in told:
            screen.say(f"  {line}")
    shown = [_value(row, row.evidence if row.evidence in told else "") for row in rows]
    columns = ["value", "code", "role", "samples", "why"] if name == "trait" else _PLAIN
    screen.table(columns, shown[:SHOWN_VALUES], fold=("value", "why"))
    if len(shown) > SHOWN_VALUES:
        screen.say(f"... and {len(shown) - SHOWN_VALUES} more values (all with --json)")


_PLAIN = ["value", "code", "samples"]


def _value(row: ReadingRow, why: str) -> dict[str, Any]:
    key, colon, value = (row.raw or "").partition(":")
    bare = value.strip() if colon and key.strip() == row.key.strip() else row.raw
    code = "missing" if row.code is None else f"{row.code:g}"
    # The role stands in its own column, and need not be said again.
    why = why.partition(": ")[2] if why.startswith((f"{row.role}: ", "control: ")) else why
    return {
        "value": bare or "(empty)",
        "code": code,
        "role": row.role,
        "samples": row.samples,
        "why": why,
    }


def _show_runner_up(reading: ClinicalReading) -> None:
    """Say what came second, or what was nearest where the trait is not available."""
    from genotex.clinical import tell_certainty, tell_groups, tell_place

    second = reading.runner_up
    if reading.trait is None:
        screen.say("\ntrait, not available")
    if second is None:
        other = "else " if reading.trait is not None else ""
        screen.say(f"  runner-up: none, for nothing {other}separates cases from controls")
        return
    name = "runner-up" if reading.trait is not None else "best reading that was left out"
    where = tell_place(second.row, second.key, second.sample_field)
    certainty = (
        "" if second.certainty is None else f", certainty {tell_certainty(second.certainty)}"
    )
    screen.say(f"  {name}: {where}{certainty}")
    screen.say(f"    {tell_groups(second.values, second.roles)}")
    if reading.trait is None:
        screen.say(f"  why it was not chosen: {_why_not(reading, second)}")


def _why_not(reading: ClinicalReading, nearest: FeatureEncoding) -> str:
    from genotex.clinical import tell_certainty

    noted = _about_trait(reading)
    if noted:
        return "; ".join(note.removeprefix("trait: ") for note in noted)
    if nearest.certainty is None or reading.certainty is None:
        return "it is less likely right than that nothing tells the trait"
    return (
        f"it is less likely right ({tell_certainty(nearest.certainty)}) than that nothing here "
        f"tells the trait ({tell_certainty(reading.certainty)})"
    )


def _about_trait(reading: ClinicalReading) -> list[str]:
    """Return the notes that say why the trait is not available."""
    if reading.trait is not None:
        return []
    return [note for note in reading.notes if note.startswith("trait: ")]
