"""The table of all genes: what was found of each, or why it was not tested."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.results.columns import stored_types


def arrange_genes(
    names: Sequence[str],
    status: NDArray[np.str_],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    q_cut: float,
    min_effect: float,
    test: str = "",
) -> pl.DataFrame:
    """Put the tested genes by p-value, then the others in table order, with all of `stored_types`.

    A gene is significant when its q-value is below `q_cut` and its coefficient at least
    `min_effect`. `test` is the start of the names of the columns that rank: empty, or ``Mixed``. A
    column of `stored_types` that was not found stays null; others (pairs of levels) come last.
    """
    # Shapes: names, p of them; status (p,), ``tested`` or why not; columns (m,), of those tested.
    tested = status == "tested"
    statistic = columns[f"{test}t"] if f"{test}t" in columns else columns["F"]
    order = np.lexsort((-np.abs(statistic), columns[f"{test}p"]))
    rest = np.flatnonzero(~tested)
    place = np.concatenate([np.flatnonzero(tested)[order], rest])
    significant = (columns[f"{test}q"] < q_cut) & (columns["Absolute Coefficient"] >= min_effect)
    known: dict[str, pl.Series] = {
        "Variable": pl.Series([names[i] for i in place], dtype=pl.String),
        "Status": pl.Series(status[place].tolist(), dtype=pl.String),
        "Significant": pl.Series([*significant[order].tolist(), *[False] * len(rest)]),
    }
    for name, column in columns.items():
        full = np.concatenate([column[order], np.full(len(rest), np.nan)])
        known[name] = pl.Series(full).fill_nan(None)
    nothing = pl.Series([None] * len(place))
    kinds = stored_types()
    kinds |= {name: pl.Float64 for name in columns if name not in kinds}
    return pl.DataFrame(
        [known.get(name, nothing).cast(kind).alias(name) for name, kind in kinds.items()]
    )


def describe_selection(genes: pl.DataFrame, related: Collection[str]) -> dict[str, float] | None:
    """Return how the significant genes overlap with the related genes of the trait, in percent.

    Only related genes that are in the table count; None where there are none. A description:
    nothing is chosen by it.
    """
    known = genes["Variable"].is_in(list(related)).to_numpy()
    if not known.any():
        return None
    return score_selection(genes["Significant"].fill_null(False).to_numpy(), known)


def score_selection(selected: NDArray[np.bool_], related: NDArray[np.bool_]) -> dict[str, float]:
    """Score selected genes against the related genes, in percent."""
    # Shapes: selected (p,), related (p,).
    # Returns ``precision``, ``recall``, ``f1``, ``jaccard``; 0 where nothing can be divided.
    hits, chosen, known = int((selected & related).sum()), int(selected.sum()), int(related.sum())
    precision, recall = percent(hits, chosen), percent(hits, known)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "jaccard": percent(hits, chosen + known - hits),
    }


def percent(part: int, whole: int) -> float:
    """Return a share in percent; 0 of nothing."""
    return 100.0 * (part / whole) if whole else 0.0
