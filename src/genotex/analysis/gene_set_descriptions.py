"""Two descriptions of gene sets: enrichment along a ranking, and over-representation in a list.

Both take genes as independent, which they are not, so that their p-values hold no error rate
(docs: enrichment). The tests whose q-values count are in `gene_set_tests`.
"""

from __future__ import annotations

import inspect
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genotex.errors import UsageError

__all__ = [
    "NOT_THERE",
    "Overlap",
    "RankedScore",
    "can_rank",
    "over_representation",
    "ranked_enrichment",
]

Floats = NDArray[np.float64]
Members = Sequence[Sequence[int]]

AT_ONCE = 200
"""Sets given to gseapy in one call: it keeps the running sum of each, a float for each gene."""

NOT_THERE = (
    "the enrichment of ranked genes needs gseapy 1.3 or newer; "
    "install it with: pip install 'genotex[enrichment]'"
)


class RankedScore(NamedTuple):
    """Enrichment of one set along the ranking; NaN where it is not defined."""

    score: float
    """Enrichment score: largest deviation of the running sum, -1 to 1."""
    normalised: float
    """The score over the mean score of random sets of its size and sign."""
    p: float
    """One-sided, on the side of the score's sign."""
    leading: tuple[int, ...]
    """Places of the genes up to the largest deviation, the outermost first."""


class Overlap(NamedTuple):
    """Over-representation of sets in a list of genes, each of shape (s,)."""

    found: NDArray[np.int64]
    """Genes of the set in the list."""
    expected: Floats
    """Their number by chance."""
    p: Floats
    """Chance of at least that many (hypergeometric)."""


def over_representation(members: Members, listed: NDArray[np.bool_]) -> Overlap:
    """Test whether sets hold more listed genes than a random draw of the list would give them."""
    # gseapy's own function is not used for this: it leaves sets without a listed gene out before it
    # corrects for the number of sets.
    # Shapes: listed (m,).
    from scipy.stats import hypergeom

    sizes = np.array([len(places) for places in members])
    found = np.array([int(listed[list(places)].sum()) for places in members])
    total, drawn = len(listed), int(listed.sum())
    p = hypergeom.sf(found - 1, total, sizes, drawn)
    return Overlap(found, sizes * drawn / total, np.minimum(p, 1.0))


def ranked_enrichment(
    members: Members, statistic: Floats, *, permutations: int, seed: int
) -> list[RankedScore]:
    """Test whether the genes of each set gather at one end of the ranking."""
    # The score is that of Subramanian et al. (2005) with weight 1; it is normalised by the scores
    # of random sets of the same size. Its p-value comes from adaptive multilevel sampling
    # (Korotkevich et al. 2021, in gseapy), which reaches far below one over the number of
    # permutations. One thread; the same seed gives the same answer.
    # Shapes: statistic (m,).
    with _quiet():
        prerank = _load()
        scores: list[RankedScore] = []
        for start in range(0, len(members), AT_ONCE):
            scores += _score(
                prerank, members[start : start + AT_ONCE], statistic, permutations, seed
            )
    return scores


def can_rank() -> bool:
    """Whether `ranked_enrichment` has the gseapy that it needs."""
    try:
        _load()
    except UsageError:
        return False
    return True


def _load() -> Callable[..., Any]:
    try:
        from gseapy import prerank
    except ImportError as error:
        raise UsageError(NOT_THERE) from error
    if "method" not in inspect.signature(prerank).parameters:
        raise UsageError(NOT_THERE)
    return prerank  # type: ignore[no-any-return]  # gseapy has no type hints that count


def _score(
    prerank: Callable[..., Any], members: Members, statistic: Floats, permutations: int, seed: int
) -> list[RankedScore]:
    import pandas as pd

    # Numbered names, since gseapy changes the case of symbols and joins them by semicolons.
    ranking = pd.DataFrame({"gene": [f"G{i}" for i in range(len(statistic))], "value": statistic})
    done = prerank(
        ranking,
        {f"S{j}": [f"G{i}" for i in places] for j, places in enumerate(members)},
        method="multilevel",
        permutation_num=permutations,
        seed=seed,
        threads=1,
        min_size=1,
        max_size=len(statistic),
        ascending=None,
        no_plot=True,
        outdir=None,
    )
    rows = {row["Term"]: row for row in done.res2d.to_dict("records")}
    return [_ranked_score(rows[f"S{j}"]) for j in range(len(members))]


def _ranked_score(row: dict[str, Any]) -> RankedScore:
    leading = tuple(int(name[1:]) for name in row["Lead_genes"].split(";") if name)
    return RankedScore(float(row["ES"]), float(row["NES"]), float(row["NOM p-val"]), leading)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep gseapy's log and the deprecations it meets in pandas off the screen."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
