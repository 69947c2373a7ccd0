"""What row ids and platform show: shapes and ranges of ids, title, columns, first cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from genotex.clinical.assay.stated import (
    AssaySign,
    Kind,
    compile_any,
    is_all_human,
    known_ids,
    load_signs,
    not_expression,
    not_human,
)
from genotex.clinical.description import SeriesDescription

_MAJORITY = 0.5
_NUMBER = re.compile(r"(\d{1,9})(_(?:pm_)?(?:[asxfgri]_)?at)?|ilmn_(\d{7})", re.IGNORECASE)
_SYMBOL = re.compile(r"[a-z][a-z0-9.-]{1,14}", re.IGNORECASE)


def by_row_ids(first_ids: Sequence[str]) -> AssaySign | None:
    """Judge by the shapes and number ranges of row ids; None when they do not decide."""
    ids = known_ids(first_ids)
    kind = _majority(ids)
    shown = f"row ids look like it: {', '.join(ids[:3])}"
    if kind is None:
        return None
    if kind.human:
        return AssaySign("human row ids", True, "human gene expression", shown)
    if kind.species:
        return not_human("row ids", kind.species, shown)
    return not_expression("row ids", f"the rows are {kind.measures}", shown)


def by_symbols(description: SeriesDescription) -> AssaySign | None:
    """Judge by symbols that are written as those of mouse and rat (Xkr4, not XKR4)."""
    ids = known_ids(description.first_ids)
    pattern = load_signs().pattern("row_ids", "symbols_of_rodents", "patterns")
    # Names such as 0610007P14Rik are among them.
    hits = [i for i in ids if pattern.fullmatch(i) or (_kind_of_id(i) or Kind()).species]
    stems = {re.sub(r"\d", "", i) for i in hits}
    if min(len(hits), len(stems)) <= _MAJORITY * len(ids):
        return None
    evidence = f"row ids look like it: {', '.join(hits[:3])}"
    return not_human("writing of symbols", "symbols written as those of mouse or rat", evidence)


def _majority(ids: Sequence[str]) -> Kind | None:
    """Return what most ids are: genes of other species, another assay, or human genes."""
    kinds = [kind for kind in map(_kind_of_id, ids) if kind is not None]
    found = Counter(k for k in kinds if not k.every or kinds.count(k) == len(ids))
    for group in ("species", "measures", "human"):
        alike = [kind for kind, _ in found.most_common() if getattr(kind, group)]
        if sum(found[kind] for kind in alike) > _MAJORITY * len(ids):
            return alike[0]
    return None


@lru_cache(maxsize=4096)
def _kind_of_id(row_id: str) -> Kind | None:
    """Return what one row id is, None when its shape and number do not show it."""
    signs = load_signs()
    for entry, pattern in signs.with_patterns("row_ids", "shapes"):
        if pattern.fullmatch(row_id):
            return Kind.of(entry)
    number = _NUMBER.fullmatch(row_id)
    if number is None:
        return None
    suffix = "ilmn" if number[3] else "at" if number[2] else "none"
    value = int(number[3] or number[1])
    for entry in signs.entries("row_ids", "ranges"):
        within = entry["suffix"] == suffix and entry["within"]
        if within and any(low <= value <= high for low, high in within):
            return Kind.of(entry)
    return None


def same_platform(first_ids: Sequence[str], table_ids: Sequence[str | None]) -> bool | None:
    """Return whether row ids and a platform's first ids are of one form."""
    # A SuperSeries has several platforms, and the table may belong to another one.
    rows = {_form(i) for i in known_ids(first_ids)}
    table = {_form(i) for i in known_ids([i for i in table_ids if i])}
    return bool(rows & table) if rows and table else None


def _form(row_id: str) -> str:
    if "_" not in row_id and _SYMBOL.fullmatch(row_id) and _kind_of_id(row_id) is None:
        return "symbol"
    head = re.match("[a-z]*", row_id.casefold())
    return f"{head[0] if head else ''}{'_at' if row_id.endswith('_at') else ''}"


_SPECIES = "species of the platform"
_MEASURES = "what the platform measures"
_BINOMIAL = re.compile(r"[A-Z][a-z]+ [a-z]+")
_Cells = Sequence[str | None]


def by_platform(description: SeriesDescription) -> AssaySign | None:
    """Judge by the platform's table, then by its title; None when they do not decide."""
    # A table whose ids do not look like the rows' is another platform's of the same SuperSeries,
    # and is ignored.
    preview = _without_controls(description.annotation_preview)
    first = next(iter(preview.values()), ())
    same = same_platform(description.first_ids, preview.get("ID", first))
    if same is not False:
        found = _by_columns(description.annotation_columns) or _by_cells(preview)
        # Whether the table belongs to the rows is not sure where their forms cannot be compared.
        says_human = load_signs().pattern("texts", "says_human").search(description.title)
        sure = same or not (says_human or is_all_human(description))
        found = found or (_by_species(preview) if sure else None)
        if found is not None:
            return found
    return _by_title(description.platform_title)


def _without_controls(preview: Mapping[str, _Cells]) -> dict[str, list[str | None]]:
    """Leave out rows of control probes, which are of bacteria and plants on any array."""
    ids = preview.get("ID", ())
    keep = [i is None or bool(known_ids([i])) for i in ids]
    return {
        name: [cell for n, cell in enumerate(cells) if n >= len(keep) or keep[n]]
        for name, cells in preview.items()
    }


def _by_columns(columns: Sequence[str]) -> AssaySign | None:
    genes = any(map(load_signs().pattern("platform", "gene_columns").fullmatch, columns))
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


def _by_cells(preview: Mapping[str, _Cells]) -> AssaySign | None:
    signs = load_signs()
    kinds = set(signs.value("platform", "cells", "row_id_kinds"))
    words = [
        (entry["measures"], pattern)
        for entry, pattern in signs.with_patterns("platform", "cells", "words")
    ]
    for name, cells in preview.items():
        known = _known(cells)
        if len(known) < 2:
            continue
        found = [_measured(cell, kinds, words) for cell in known]
        what = next((t for t in found if t), None)
        if what and found.count(what) > _MAJORITY * len(known):
            evidence = f"annotation column {name!r}: {known[found.index(what)][:60]}"
            return not_expression(_MEASURES, f"the platform measures {what}", evidence)
    return None


def _measured(
    cell: str, kinds: Iterable[str], words: Iterable[tuple[str, re.Pattern[str]]]
) -> str | None:
    kind = _kind_of_id(cell)
    if kind is not None and kind.measures in kinds:
        return kind.measures
    return next((what for what, pattern in words if pattern.search(cell)), None)


def _by_species(preview: Mapping[str, _Cells]) -> AssaySign | None:
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
        evidence = f"annotation mentions {', '.join(dict.fromkeys(other))}"
        return not_human(_SPECIES, "genes of another species", evidence[:120])
    return None


def _known(cells: _Cells) -> list[str]:
    return [c for c in cells if c and c.strip("- ")]


def _by_title(title: str) -> AssaySign | None:
    signs = load_signs()
    if not title or signs.pattern("platform", "titles", "human_expression").search(title):
        return None
    for entry, pattern in signs.with_patterns("platform", "titles", "kinds"):
        hit = pattern.search(title)
        if hit:
            reason = f"the platform measures {entry['measures']}"
            return not_expression(_MEASURES, reason, f"platform title mentions {hit[0]!r}")
    return None
