"""What the row ids of an expression table tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from genotex.clinical.assay.signs import Finding, Kind, compile_any, kind_of, load_signs
from genotex.clinical.assay.verdicts import not_expression, not_human
from genotex.id_kinds import ID_KINDS

__all__ = ["by_row_ids", "by_symbols", "kind_of_id", "known_ids", "same_platform"]

_MAJORITY = 0.5
_NUMBER = re.compile(r"(\d{1,9})(_(?:pm_)?(?:[asxfgri]_)?at)?|ilmn_(\d{7})", re.IGNORECASE)
_SYMBOL = re.compile(r"[a-z][a-z0-9.-]{1,14}", re.IGNORECASE)


@dataclass(frozen=True)
class _Match:
    kind: Kind
    every: bool = False


def by_row_ids(first_ids: Sequence[str]) -> Finding | None:
    """Judge by the shapes and number ranges of row ids; None when they do not tell.

    Parameters
    ----------
    first_ids : sequence of str
        First row ids of the table, control probes among them.
    """
    ids = known_ids(first_ids)
    kind = _majority(ids)
    shown = f"row ids look like it: {', '.join(ids[:3])}"
    if kind is None:
        if _are_other_gene_ids(ids):
            what = "NCBI Gene ids that no human gene has"
            return not_human("row ids", what, f"row ids are {what}: {', '.join(ids[:3])}")
        return None
    if kind.human:
        return Finding("human row ids", True, "human gene expression", shown)
    if kind.species:
        return not_human("row ids", kind.species, shown)
    return not_expression("row ids", f"the rows are {kind.measures}", shown)


def by_symbols(first_ids: Sequence[str]) -> Finding | None:
    """Judge by symbols that are written as those of mouse and rat (Xkr4, not XKR4)."""
    ids = known_ids(first_ids)
    pattern = load_signs().pattern("row_ids", "symbols_of_rodents", "patterns")
    # Names such as 0610007P14Rik stand among them.
    hits = [i for i in ids if pattern.fullmatch(i) or _is_species(kind_of_id(i) or Kind())]
    stems = {re.sub(r"\d", "", i) for i in hits}
    if min(len(hits), len(stems)) <= _MAJORITY * len(ids):
        return None
    evidence = f"row ids look like it: {', '.join(hits[:3])}"
    return not_human("writing of symbols", "symbols written as those of mouse or rat", evidence)


def known_ids(first_ids: Sequence[str]) -> list[str]:
    """Return the row ids without control probes and empty ones."""
    controls = load_signs().pattern("row_ids", "controls")
    return [i for i in first_ids if i and not controls.fullmatch(i)]


def _majority(ids: Sequence[str]) -> Kind | None:
    """Return what most ids stand for: genes of other species, another assay, or human genes."""
    matches = [m for m in map(_match, ids) if m is not None]
    found = Counter(m.kind for m in matches if not m.every or matches.count(m) == len(ids))
    for group in (_is_species, _is_assay, _is_human):
        kinds = [kind for kind, _ in found.most_common() if group(kind)]
        if sum(found[kind] for kind in kinds) > _MAJORITY * len(ids):
            return kinds[0]
    return None


def _is_species(kind: Kind) -> bool:
    return bool(kind.species)


def _is_assay(kind: Kind) -> bool:
    return bool(kind.measures)


def _is_human(kind: Kind) -> bool:
    return kind.human


def kind_of_id(row_id: str) -> Kind | None:
    """Return what one row id stands for, None when its shape does not tell."""
    match = _match(row_id)
    return None if match is None else match.kind


def _match(row_id: str) -> _Match | None:
    for pattern, match in _shapes():
        if pattern.fullmatch(row_id):
            return match
    number = _NUMBER.fullmatch(row_id)
    if number is None:
        return None
    suffix = "ilmn" if number[3] else "at" if number[2] else "none"
    value = int(number[3] or number[1])
    for entry in load_signs().entries("row_ids", "ranges"):
        if entry["suffix"] == suffix and _holds(entry, value):
            return _Match(kind_of(entry), every=bool(entry.get("every")))
    return None


@lru_cache(maxsize=1)
def _shapes() -> list[tuple[re.Pattern[str], _Match]]:
    shapes = [
        (compile_any(entry["patterns"]), _Match(kind_of(entry)))
        for entry in load_signs().entries("row_ids", "shapes")
    ]
    human = [ids.only_human for ids in ID_KINDS.values() if ids.only_human is not None]
    return [*shapes, (compile_any(human), _Match(Kind()))]


def _holds(entry: Mapping[str, Any], value: int) -> bool:
    return any(low <= value <= high for low, high in entry["within"])


def _are_other_gene_ids(ids: Sequence[str]) -> bool:
    """Tell whether too many NCBI Gene ids (custom tables: ``100012_at``) are no human gene's."""
    numbers = [int(i[:-3]) for i in ids if re.fullmatch(r"\d{1,9}_at", i)]
    if not numbers or len(numbers) < len(ids):
        return False
    stretches = load_signs().value("row_ids", "not_human_gene_ids")
    outside = sum(_holds(stretches, n) for n in numbers)
    return bool(outside >= stretches["share"] * len(numbers))


def same_platform(first_ids: Sequence[str], table_ids: Sequence[str | None]) -> bool | None:
    """Tell whether row ids and a platform's first ids are of one form.

    A SuperSeries has several platforms, and the table at hand may be another one's.

    Returns
    -------
    bool or None
        None when one of them has nothing to compare.
    """
    rows = {_form(i) for i in known_ids(first_ids)}
    table = {_form(i) for i in known_ids([i for i in table_ids if i])}
    return bool(rows & table) if rows and table else None


def _form(row_id: str) -> str:
    if "_" not in row_id and _SYMBOL.fullmatch(row_id) and kind_of_id(row_id) is None:
        return "symbol"
    head = re.match("[a-z]*", row_id.casefold())
    return f"{head[0] if head else ''}{'_at' if row_id.endswith('_at') else ''}"
