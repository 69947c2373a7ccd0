"""Which column of a platform table holds the row ids of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from genotex.genes.identify import sample_evenly

__all__ = ["choose_id_column", "matching_share", "normal_ids"]

_PREVIEW = 50


def normal_ids(column: pl.Series) -> pl.Series:
    """Return ids in the form for comparison: stripped of blanks and quotes, in upper case."""
    return column.str.strip_chars(" \t\"'").str.to_uppercase()


def matching_share(ids: Sequence[str], column: pl.Series) -> float:
    """Return the share of the ids that occur in the column, ignoring case."""
    wanted = normal_ids(pl.Series(ids, dtype=pl.String)).unique()
    if wanted.is_empty():
        return 0.0
    return int(wanted.is_in(normal_ids(column).unique().implode()).sum()) / len(wanted)


def choose_id_column(ids: Sequence[str], frame: pl.DataFrame) -> str:
    """Return the column with most of the ids; ``ID`` (else the first) if there is none."""
    # Another column must contain clearly more of them than ``ID``, and distinct values: numbers of
    # chromosomes or blocks match numeric ids by chance. In a preview, where a few matches mean
    # little, ``ID`` is kept if it has any.
    names = frame.columns
    fallback = next((name for name in names if name.strip().lower() == "id"), names[0])
    some = sample_evenly(ids, 500)
    best, share = fallback, matching_share(some, frame[fallback])
    if share >= 0.95 or (share > 0 and frame.height < _PREVIEW):
        return best
    for name in names:
        found = matching_share(some, frame[name])
        if found > max(1.5 * share, 0.02) and _mostly_different(frame[name]):
            best, share = name, found
    return best


def _mostly_different(column: pl.Series) -> bool:
    filled = column.drop_nulls()
    return filled.n_unique() >= 0.9 * len(filled)
