"""Which of several platforms annotates a matrix, and the gene cell of every row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from genotex.formats.platform import Platform
from genotex.genes.annotation import AnnotationChoice, choose_annotation
from genotex.genes.id_columns import matching_share, normal_ids
from genotex.genes.identify import sample_evenly, without_probe_suffix
from genotex.genes.idkind import IdKind
from genotex.genes.table import GeneTable
from genotex.layout import Procedure

__all__ = [
    "ENOUGH",
    "PlatformMatch",
    "are_specific",
    "best_platform",
    "cells_of_rows",
    "direct_kind",
]

ENOUGH = 0.05
"""An id column that holds a smaller share of the row ids is not theirs."""
_PREFERRED = 0.5
"""From this share of the row ids on, the series' own platform is used regardless of others."""
_NUMBER = re.compile(r"[\d.:_/-]*\d|[a-p]\d{1,2}", re.IGNORECASE)
"""Numbers, positions on a grid, wells of a plate: ids that many platforms share."""
_COUNTED = re.compile(r"([a-z]+[_-]?)\d{1,5}", re.IGNORECASE)
"""A word and a count, such as ``probe_12``: shared as well when the word is always the same."""
_MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class PlatformMatch:
    """A platform that annotates the matrix."""

    platform: Platform  # the platform
    choice: AnnotationChoice  # its columns
    share: float  # share of the row ids found in the id column
    own: bool  # whether it is the series' own platform
    trusted: bool


def best_platform(
    ids: Sequence[str],
    platforms: Sequence[Platform],
    table: GeneTable,
    procedure: Procedure,
    own: str | None = None,
) -> PlatformMatch | None:
    """Return the platform that annotates the matrix: the series' own before any other."""
    own = own if own is not None else next((p.accession for p in platforms), "")
    specific = are_specific(ids)
    matches = [m for p in platforms if (m := _match(ids, p, table, procedure, own, specific))]
    ours = max((m for m in matches if m.own), key=_quality, default=None)
    if ours is not None and (not specific or (ours.share >= _PREFERRED and ours.choice.sure)):
        return ours
    return max(matches, key=lambda m: m.share, default=None)


def _quality(match: PlatformMatch) -> tuple[bool, float]:
    return match.choice.sure, match.share


def _match(
    ids: Sequence[str],
    platform: Platform,
    table: GeneTable,
    procedure: Procedure,
    own: str,
    specific: bool,
) -> PlatformMatch | None:
    if platform.table.is_empty():
        return None
    columns = {name: platform.table[name] for name in platform.table.columns}
    choice = choose_annotation(ids, columns, table, procedure)  # type: ignore[arg-type]
    if choice is None:
        return None
    share = matching_share(ids, platform.table[choice.id_column])
    is_own = platform.accession in ("", own)
    if share < ENOUGH:
        return None
    return PlatformMatch(platform, choice, share, is_own, trusted=is_own or specific)


def are_specific(ids: Sequence[str]) -> bool:
    """Return whether ids are specific to one design, as ``1007_s_at`` is and ``17`` is not."""
    some = [i.strip() for i in sample_evenly(ids, 500)]
    if sum(_NUMBER.fullmatch(i) is not None for i in some) > _MOSTLY * len(some):
        return False
    words = Counter(hit[1].casefold() for i in some if (hit := _COUNTED.fullmatch(i)))
    return not words or words.most_common(1)[0][1] <= _MOSTLY * len(some)


def cells_of_rows(ids: Sequence[str], table: pl.DataFrame, choice: AnnotationChoice) -> pl.Series:
    """Return the gene cell of every row id, null where the table has none."""
    annotation = (
        table.select(
            normal_ids(table[choice.id_column]).alias("key"),
            _filled(table[choice.gene_column]).alias("cell"),
        )
        .drop_nulls()
        .unique("key", keep="first", maintain_order=True)
    )
    keys = pl.DataFrame({"key": normal_ids(pl.Series(ids, dtype=pl.String))})
    return keys.join(annotation, on="key", how="left", maintain_order="left")["cell"]


def _filled(cells: pl.Series) -> pl.Series:
    """Return the cells with place holders such as ``---`` made null."""
    return cells.set(cells.str.strip_chars().is_in(["", "-", "--", "---", "NA", "null"]), None)


def direct_kind(
    ids: Sequence[str], kind: IdKind, table: GeneTable
) -> tuple[IdKind, dict[str, str]]:
    """Return the kind of database id that the row ids are, and the bare id of each."""
    mapped = (IdKind.ENTREZ, IdKind.ENSEMBL, IdKind.REFSEQ, IdKind.GENBANK)
    if kind in mapped:
        return kind, {i: i for i in ids}
    bare = without_probe_suffix(ids)
    if not bare or len(bare) < 0.5 * len(ids):
        return IdKind.UNKNOWN, {}
    some = sample_evenly(sorted(set(bare.values())), 500)
    shares = {k: len(table.lookup(k, some)) / len(some) for k in mapped}
    best = max(shares, key=lambda k: shares[k])
    return (best, bare) if shares[best] >= 0.8 else (IdKind.UNKNOWN, {})
