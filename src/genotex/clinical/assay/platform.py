"""What the platform tells: its title, its columns, and the first cells of its table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from genotex.clinical.assay.row_ids import kind_of_id, known_ids, same_platform
from genotex.clinical.assay.signs import Finding, compile_any, load_signs
from genotex.clinical.assay.stated import is_all_human
from genotex.clinical.assay.verdicts import not_expression, not_human
from genotex.clinical.description import SeriesDescription

__all__ = ["by_platform"]

_SPECIES = "species of the platform"
_MEASURES = "what the platform measures"
_MAJORITY = 0.5
_BINOMIAL = re.compile(r"[A-Z][a-z]+ [a-z]+")
_MOUSE_SYMBOL = re.compile(r"[A-Z][a-z][a-z0-9]*[a-z0-9]\d*")

Cells = Sequence[str | None]


def by_platform(description: SeriesDescription) -> Finding | None:
    """Judge by the platform's table, then by its title; None when they do not tell.

    A table whose ids do not look like the rows' is another platform's of the same SuperSeries, and
    tells nothing.
    """
    preview = _without_controls(description.annotation_preview)
    first = next(iter(preview.values()), ())
    same = same_platform(description.first_ids, preview.get("ID", first))
    if same is not False:
        genes = _names_genes(description.annotation_columns)
        found = _by_columns(description.annotation_columns, genes) or _by_cells(preview)
        # Whether the table belongs to the rows is not sure where their forms cannot be compared.
        says_human = load_signs().pattern("texts", "says_human").search(description.title)
        sure = same or not (says_human or is_all_human(description))
        found = found or (_by_species(preview) if sure else None)
        if found is not None:
            return found
    return _by_title(description.platform_title)


def _without_controls(preview: Mapping[str, Cells]) -> dict[str, list[str | None]]:
    """Leave out rows of control probes, which are of bacteria and plants on any array."""
    ids = preview.get("ID", ())
    keep = [i is None or bool(known_ids([i])) for i in ids]
    return {
        name: [cell for n, cell in enumerate(cells) if n >= len(keep) or keep[n]]
        for name, cells in preview.items()
    }


def _names_genes(columns: Iterable[str]) -> bool:
    pattern = load_signs().pattern("platform", "gene_columns")
    return any(pattern.fullmatch(c) for c in columns)


def _by_columns(columns: Sequence[str], genes: bool) -> Finding | None:
    for entry in load_signs().entries("platform", "columns"):
        names = [*entry.get("decisive", ()), *(() if genes else entry.get("unless_genes", ()))]
        if not names:
            continue
        pattern = compile_any(names)
        hit = next((c for c in columns if pattern.fullmatch(c)), None)
        if hit is not None:
            reason = f"the platform measures {entry['measures']}"
            return not_expression(_MEASURES, reason, f"annotation column {hit!r}")
    return None


def _by_cells(preview: Mapping[str, Cells]) -> Finding | None:
    signs = load_signs()
    kinds = set(signs.value("platform", "cells", "row_id_kinds"))
    words = [
        (e["measures"], compile_any(e["patterns"]))
        for e in signs.value("platform", "cells", "words")
    ]
    for name, cells in preview.items():
        known = _known(cells)
        if len(known) < 2:
            continue
        told = [_measured(cell, kinds, words) for cell in known]
        what = next((t for t in told if t), None)
        if what and told.count(what) > _MAJORITY * len(known):
            evidence = f"annotation column {name!r}: {known[told.index(what)][:60]}"
            return not_expression(_MEASURES, f"the platform measures {what}", evidence)
    return None


def _measured(
    cell: str, kinds: Iterable[str], words: Iterable[tuple[str, re.Pattern[str]]]
) -> str | None:
    kind = kind_of_id(cell)
    if kind is not None and kind.measures in kinds:
        return kind.measures
    return next((what for what, pattern in words if pattern.search(cell)), None)


def _by_species(preview: Mapping[str, Cells]) -> Finding | None:
    signs = load_signs()
    columns = signs.pattern("platform", "species_columns")
    for name, cells in preview.items():
        if columns.fullmatch(name):
            named = [c for c in _known(cells) if _BINOMIAL.fullmatch(c)]
            if named and "Homo sapiens" not in named:
                return not_human(_SPECIES, named[0], f"annotation column {name!r}")
    human, other = signs.pattern("platform", "species", "human"), []
    other_marks, human_marks = signs.pattern("platform", "species", "other"), 0
    for cells in preview.values():
        for cell in _known(cells):
            mark = other_marks.search(cell)
            if mark:
                other.append(mark[0])
            human_marks += bool(human.search(cell))
    if other and len(other) > 2 * human_marks:
        evidence = f"annotation speaks of {', '.join(dict.fromkeys(other))}"
        return not_human(_SPECIES, "genes of another species", evidence[:120])
    if human_marks:
        return None
    return _by_symbols(preview)


def _by_symbols(preview: Mapping[str, Cells]) -> Finding | None:
    pattern = load_signs().pattern("platform", "symbol_columns")
    for name, cells in preview.items():
        known = _known(cells)
        hits = [c for c in known if _MOUSE_SYMBOL.fullmatch(c)]
        if pattern.fullmatch(name) and len(hits) > max(1, _MAJORITY * len(known)):
            evidence = f"annotation column {name!r}: {', '.join(hits)}"
            return not_human(_SPECIES, "symbols written as those of mouse or rat", evidence)
    return None


def _known(cells: Cells) -> list[str]:
    return [c for c in cells if c and c.strip("- ")]


def _by_title(title: str) -> Finding | None:
    signs = load_signs()
    if not title or signs.pattern("platform", "titles", "human_expression").search(title):
        return None
    for entry in signs.entries("platform", "titles", "kinds"):
        hit = compile_any(entry["patterns"]).search(title)
        if hit:
            reason = f"the platform measures {entry['measures']}"
            return not_expression(_MEASURES, reason, f"platform title speaks of {hit[0]!r}")
    return None
