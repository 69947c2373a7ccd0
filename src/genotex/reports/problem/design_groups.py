"""The samples of a design of the user's own: their marks in figures, and their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from genotex.figures import SampleMarks, level_key
from genotex.formats import Evidence, LinkedTable
from genotex.reports.problem.design_words import DesignWords
from genotex.words import listed, sentence

OWN_TABLES = "own tables"
"""Source of a cohort that was read from them (`Evidence.source`)."""

_NOT_IN_DESIGN = "unknown"


def values_of(evidence: Evidence, variable: str) -> dict[str, Any]:
    """Return the values of a column of the sample table, by sample; empty without the column."""
    asked = evidence.design
    if not asked or variable not in asked["table"]:
        return {}
    return dict(zip(asked["samples"], asked["table"][variable], strict=True))


def design_marks(
    evidence: Evidence, table: LinkedTable, design: DesignWords, contrast: Mapping[str, Any]
) -> SampleMarks:
    """Return the level of the compared factor of each sample, or the measured value."""
    if design.measured is not None:
        known = values_of(evidence, design.measured)
        values = [known.get(sample) for sample in table.samples]
        return SampleMarks(
            table.samples,
            (_NOT_IN_DESIGN,) * len(table.samples),
            {},
            np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64),
            design.measured,
        )
    cells = _cells(evidence, table.samples, design, contrast)
    inside = set(design.samples)
    cells = [cell if s in inside else None for s, cell in zip(table.samples, cells, strict=True)]
    order = _order(design, cells)
    keys = _keys(design, order)
    labels = {keys[cell]: cell for cell in order}
    if None in cells:
        labels[_NOT_IN_DESIGN] = "Not in the design"
    ordered = [*labels]
    if design.difference is not None:
        # The reference to the left.
        ordered = ["control", "case", *(key for key in labels if key not in ("control", "case"))]
    return SampleMarks(
        table.samples,
        tuple(_NOT_IN_DESIGN if cell is None else keys[cell] for cell in cells),
        labels,
        order=tuple(ordered),
    )


def _cells(
    evidence: Evidence,
    samples: Sequence[str],
    design: DesignWords,
    contrast: Mapping[str, Any],
) -> list[str | None]:
    """Return the level of each sample; of several factors their levels together."""
    factors = [name for name in design.variables if name in design.factors]
    columns = [values_of(evidence, name) for name in factors]
    found: list[str | None] = []
    for sample in samples:
        values = [_as_text(column.get(sample)) for column in columns]
        found.append(None if None in values else ", ".join(map(str, values)) or "Samples")
    if design.difference is None:
        return found
    compared = contrast.get("samples", {})
    sides = dict(zip(("case", "control"), design.difference, strict=True))
    of_sample = {s: level for key, level in sides.items() for s in compared.get(key, ())}
    return [of_sample.get(s, cell) for s, cell in zip(samples, found, strict=True)]


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _order(design: DesignWords, cells: Sequence[str | None]) -> list[str]:
    """Return the groups in the order of the design's levels, those compared first."""
    there = {cell for cell in cells if cell is not None}
    if design.factor is None:
        return sorted(there)
    first = [] if design.difference is None else list(design.difference)
    levels = [level for level in design.factors[design.factor] if level not in first]
    every = dict.fromkeys([*first, *levels, *sorted(there)])
    return [level for level in every if level in there]


def _keys(design: DesignWords, order: Sequence[str]) -> dict[str, str]:
    keys = {level: level_key(i) for i, level in enumerate(order)}
    if design.difference is not None:
        up, down = design.difference
        keys |= {up: "case", down: "control"}
    return keys


def own_tables_methods(evidence: Evidence) -> str:
    """Return what was read and how, for the methods paragraph."""
    names = listed([str(file["name"]) for file in evidence.files if file.get("name")])
    files = f" ({names})" if names else ""
    notes = [note for note in evidence.notes if note.startswith(("scale:", "row ids:"))]
    return (
        f"Expression and sample tables of the cohort {evidence.cohort}{files} were read with "
        f"genotex {evidence.genotex_version}. {' '.join(sentence(note) for note in notes)}"
    ).strip()
