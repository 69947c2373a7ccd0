"""Who was compared: the marks of samples in figures, and groups on the page and in the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from genotex.figures import COLOURS, SampleMarks, level_key
from genotex.formats import Evidence, LinkedTable
from genotex.reports.genes.findings import Findings
from genotex.reports.problem.design_words import DesignWords
from genotex.reports.problem.records import Pairs
from genotex.words import counted, listed, readable, sentence

ROLE_KEYS = {
    "case": "case",
    "healthy control": "control",
    "other disease": "other",
    "unknown": "unknown",
}
"""Role of a sample -> style of its mark."""


@dataclass(frozen=True)
class Group:
    """A group of samples: how many are in the linked table, and how many in the contrast.

    `key` is the style of its mark: ``case``, ``control``, ``other``, ``unknown`` or ``level``;
    `raw` are its first raw values, `note` is what else there is to say of it, and `colour` that of
    its mark where the style has none.
    """

    key: str
    label: str
    samples: int
    compared: int
    raw: tuple[str, ...]
    note: str = ""
    colour: str = ""

    @property
    def tested(self) -> bool:
        """Whether the group takes part in the contrast."""
        return self.compared > 0

    def members(self, count: int) -> str:
        """Return so many of its samples, as "3 cases" or "1 sample of another disease"."""
        if self.key == "other":
            return f"{counted(count, 'sample')} of another disease"
        if self.label == "Unknown":
            return f"{counted(count, 'sample')} of unknown group"
        if self.key == "level":
            return counted(count, "other sample")
        return counted(count, self.label.lower())


def mark_samples(evidence: Evidence, table: LinkedTable, findings: Findings) -> SampleMarks:
    """Return group or level of each sample of the linked table."""
    if findings.design is not None:
        return _design_marks(evidence, table, findings.design, findings.record("contrast"))
    if findings.trait_kind != "binary":
        return SampleMarks(
            table.samples,
            ("unknown",) * len(table.samples),
            {},
            table.trait_values,
            readable(table.trait),
        )
    keys = _group_keys(evidence, table)
    tested = set(findings.tested)
    labels = {}
    for key, label in _labels(evidence, keys).items():
        members = [s for s, k in zip(table.samples, keys, strict=True) if k == key]
        labels[key] = label if tested.intersection(members) else f"{label}, not compared"
    return SampleMarks(table.samples, tuple(keys), labels)


def _group_keys(evidence: Evidence, table: LinkedTable) -> list[str]:
    """Return each sample's group: cases by code, kinds of controls by role."""
    highest = np.nanmax(table.trait_values, initial=-np.inf)
    roles = [evidence.roles.get(sample) for sample in table.samples]
    # Where no control is known as healthy, those of unknown role are simply the controls.
    rest = "unknown" if "healthy control" in roles else "control"
    known = {"healthy control": "control", "other disease": "other"}
    keys = []
    for role, value in zip(roles, table.trait_values, strict=True):
        if not np.isfinite(value):
            keys.append("unknown")
        elif value == highest:
            keys.append("case")
        else:
            keys.append(known.get(str(role), rest))
    return keys


def _labels(evidence: Evidence, keys: Sequence[str]) -> dict[str, str]:
    healthy = "healthy control" in evidence.roles.values()
    names = {
        "case": "Case",
        "control": "Healthy control" if healthy else "Control",
        "other": "Other disease",
        "unknown": "Other control" if healthy else "Unknown",
    }
    return {key: name for key, name in names.items() if key in keys}


def groups_of_samples(
    evidence: Evidence, marks: SampleMarks, findings: Findings
) -> tuple[Group, ...]:
    """Return the groups with their numbers of samples; one for all levels of a measured trait."""
    if marks.levels is not None:
        known = int(np.isfinite(marks.levels).sum())
        label = f"Samples with a level of {marks.level_name}"
        return (Group("level", label, known, len(findings.tested), ()),)
    tested = set(findings.tested)
    if findings.design is not None:
        return _groups_of_design(marks, tested, findings.design)
    rows = evidence.encoded.get("trait") or evidence.encoded.get(evidence.trait) or []
    names = _labels(evidence, marks.keys)
    groups = []
    for key in marks.labels:
        members = [marks.names[i] for i in marks.members(key)]
        raw = tuple(str(r.get("raw")) for r in rows if ROLE_KEYS.get(str(r.get("role"))) == key)
        compared = len(tested.intersection(members))
        groups.append(Group(key, names[key], len(members), compared, raw[:4]))
    return tuple(groups)


def _groups_of_design(
    marks: SampleMarks, tested: set[str], design: DesignWords
) -> tuple[Group, ...]:
    groups = []
    for key, label in marks.labels.items():
        members = [marks.names[i] for i in marks.members(key)]
        compared = len(tested.intersection(members))
        beyond = design.difference is not None and label not in design.difference and compared > 0
        note = "in the design, not in the contrast" if beyond else ""
        colour = COLOURS[key] if key not in ROLE_KEYS.values() else ""
        groups.append(Group(key, label, len(members), compared, (), note, colour))
    return tuple(groups)


def _blocked(pairs: Pairs) -> str:
    by = f"by \N{LEFT SINGLE QUOTATION MARK}{pairs.key}\N{RIGHT SINGLE QUOTATION MARK}"
    if pairs.detected:
        by = "detected by correlation"
    if pairs.averaged:
        return f"means of repeated samples {by}"
    if pairs.correlation is not None:
        return f"samples of {counted(pairs.blocks, 'person', 'people')} {by}, correlated"
    return f"{counted(pairs.blocks, pairs.noun)} {by}"


def contrast_sentence(findings: Findings, groups: Sequence[Group]) -> str:
    """Return which groups were compared, and what was adjusted for."""
    tested = [group for group in groups if group.tested]
    if findings.design is not None:
        text = findings.design.compared_text()
        text = text[0].upper() + text[1:] if findings.pairs is None else text
    elif findings.trait_kind == "binary" and tested:
        cases = [g for g in tested if g.key == "case"]
        controls = [g for g in tested if g.key != "case"]
        left = listed([g.members(g.compared) for g in cases]) or "no case"
        right = listed([g.members(g.compared) for g in controls]) or "no control"
        text = f"{left} against {right}"
    elif findings.trait_kind == "factor":
        levels = findings.record("levels").get("samples")
        several = f", {len(findings.record('formula').get('tested', ()))} coefficients together"
        text = counted(len(findings.tested), "sample")
        text += f" in {len(levels)} levels" if levels else several
    else:
        text = f"{counted(len(findings.tested), 'sample')} along the measured level"
    if findings.pairs is not None:
        text = f"{sentence(_blocked(findings.pairs)).rstrip('.')}: {text}"
    if findings.covariates:
        text += f", adjusted for {listed(findings.covariate_names)}"
    return f"{text}."


def compared_methods(findings: Findings, groups: Sequence[Group]) -> str:
    """Return which groups were compared, and which samples were left out."""
    if findings.design is not None:
        return findings.design.method_sentence()
    averaged = findings.pairs is not None and findings.pairs.averaged
    if findings.trait_kind == "binary" and groups:
        cases = listed([g.members(g.compared) for g in groups if _is_case(g)])
        controls = [g for g in groups if g.compared and not _is_case(g)]
        against = listed([g.members(g.compared) for g in controls])
        text = f"{cases or 'No cases'} were compared with {against or 'no controls'}"
    else:
        many, trait = counted(len(findings.tested), "sample"), readable(findings.result.trait)
        text = f"{many} were compared along their level of {trait}"
        levels = findings.record("levels").get("samples")
        if findings.trait_kind == "factor" and levels:
            text = f"{many} in {len(levels)} levels of {trait} were compared"
        elif findings.trait_kind == "factor":
            number = len(findings.record("formula").get("tested", ()))
            text = f"{number} coefficients were tested together in {many}"
    if averaged:
        return f"After averaging, {text}."
    rest = [(g, g.samples - g.compared) for g in groups if g.samples > g.compared]
    if not rest:
        return f"{text}."
    were = "was" if sum(count for _, count in rest) == 1 else "were"
    return f"{text}; {listed([g.members(count) for g, count in rest])} {were} left out."


def _is_case(group: Group) -> bool:
    return group.key == "case"


_NOT_IN_DESIGN = "unknown"


def values_of(evidence: Evidence, variable: str) -> dict[str, Any]:
    """Return the values of a column of the sample table, by sample; empty without the column."""
    asked = evidence.design
    if not asked or variable not in asked["table"]:
        return {}
    return dict(zip(asked["samples"], asked["table"][variable], strict=True))


def _design_marks(
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
    evidence: Evidence, samples: Sequence[str], design: DesignWords, contrast: Mapping[str, Any]
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
