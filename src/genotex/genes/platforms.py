"""Which of several platforms annotates a matrix, and the gene cell of every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from genotex.formats.platform import Platform
from genotex.genes.annotation import (
    AnnotationChoice,
    choose_annotation,
    matching_share,
    normal_ids,
)
from genotex.genes.identify import sample_evenly, without_probe_suffix
from genotex.genes.idkind import IdKind
from genotex.genes.table import GeneTable
from genotex.layout import Procedure

__all__ = ["PlatformMatch", "best_platform", "cells_of_rows", "direct_kind"]

_ENOUGH = 0.05


@dataclass(frozen=True, eq=False)
class PlatformMatch:
    """A platform that annotates the matrix.

    Attributes
    ----------
    platform : Platform
        The platform.
    choice : AnnotationChoice
        Its columns.
    share : float
        Share of the row ids that stand in the id column.
    """

    platform: Platform
    choice: AnnotationChoice
    share: float


def best_platform(
    ids: Sequence[str], platforms: Sequence[Platform], table: GeneTable, procedure: Procedure
) -> PlatformMatch | None:
    """Return the platform whose ids match the matrix best and whose table tells genes.

    Parameters
    ----------
    ids : sequence of str
        Row ids of the matrix.
    platforms : sequence of Platform
        Candidates.
    table : GeneTable
        The genes.
    procedure : {"sound", "benchmark"}
        Passed to `choose_annotation`.

    Returns
    -------
    PlatformMatch or None
        None when no platform both holds at least 5 % of the ids and tells genes. Of two platforms
        that match equally well the first is taken.
    """
    some = sample_evenly(ids, 4000)
    best: PlatformMatch | None = None
    for platform in platforms:
        if platform.table.is_empty():
            continue
        columns = {name: platform.table[name] for name in platform.table.columns}
        choice = choose_annotation(ids, columns, table, procedure)  # type: ignore[arg-type]
        if choice is None:
            continue
        share = matching_share(some, platform.table[choice.id_column])
        if share >= _ENOUGH and (best is None or share > best.share):
            best = PlatformMatch(platform, choice, share)
    return best


def cells_of_rows(ids: Sequence[str], table: pl.DataFrame, choice: AnnotationChoice) -> pl.Series:
    """Return the gene cell of every row id, null where the table has none.

    Ids are compared without regard to case; where an id stands in the table more than once, its
    first filled cell counts.
    """
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
    """Return the kind of database id that the row ids are, and the bare id of each.

    Parameters
    ----------
    ids : sequence of str
        Row ids, as they are or with the ``_at`` of a re-annotated array.
    kind : IdKind
        What `identify_ids` said.
    table : GeneTable
        The genes.

    Returns
    -------
    kind : IdKind
        UNKNOWN when the ids are of no database that the table covers.
    bare : dict
        Row id -> id to look up.
    """
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
