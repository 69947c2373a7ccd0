"""How similar the traits of an atlas are: a matrix, and a tree.

The strongest genes of one trait are scored as a signature in the other, and the other way round.
For comparison, `PAIR_METHODS` has what else is usual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr

from genotex.arrays import Floats
from genotex.atlas.overlaps import shared_samples
from genotex.atlas.reader import AtlasReader
from genotex.atlas.signatures import SignatureScores, score_connectivity, score_signature
from genotex.atlas.similar import ANY_CONDITION, chosen_condition, of_condition
from genotex.errors import UsageError

_SIGNATURE = 100
"""Most genes, up and down each, of the signature of a trait."""
_SIGNATURE_SHARE = 0.05
_FEWEST_COMMON = 20
"""Genes that two traits must have in common."""


@dataclass(frozen=True, eq=False)
class TraitTree:
    """The similarity of traits.

    Attributes
    ----------
    names
        Traits (with their condition where there is one), in the order of the tree.
    similarity : ndarray of float64, shape (t, t)
        At most 1, negative where reversed, in that order; NaN where traits have too few genes in
        common.
    newick
        The tree, by average linkage of 1 - similarity, in Newick format.
    links : ndarray of float64, shape (t - 1, 4)
        The same as scipy's linkage matrix of the traits in that order.
    pairs
        Two traits in each row, the most similar first: ``similarity``, ``genes`` in common,
        ``shared_samples`` and ``shared_platforms``.
    """

    names: tuple[str, ...]
    similarity: Floats
    newick: str
    links: Floats
    pairs: pl.DataFrame


def _correlate_scores(scores: Floats) -> Floats:
    """Return the correlation of columns over the genes that two columns have."""
    there = np.isfinite(scores)
    filled, inside = np.where(there, scores, 0.0), there.astype(float)
    count = inside.T @ inside
    with np.errstate(all="ignore"):
        mean = filled.T @ inside / count
        squares = (filled**2).T @ inside / count - mean**2
        found = (filled.T @ filled / count - mean * mean.T) / np.sqrt(squares * squares.T)
    return np.asarray(np.where(count >= _FEWEST_COMMON, found, np.nan))


def correlate_ranks(scores: Floats) -> Floats:
    """Return Spearman's correlation of the signed statistics."""
    return _correlate_scores(ndtr(scores))


def _by_signatures(scores: Floats, method: Callable[..., SignatureScores]) -> Floats:
    """Return how the strongest genes of each column agree with the other, 1 with themselves."""
    ranked = np.isfinite(scores).sum(axis=0).astype(float)
    spread = np.nanmean(scores**2, axis=0)
    found = np.full((scores.shape[1],) * 2, np.nan)
    for j in range(scores.shape[1]):
        order = np.argsort(np.where(np.isfinite(scores[:, j]), scores[:, j], 0.0))
        number = int(min(_SIGNATURE, _SIGNATURE_SHARE * ranked[j]))
        genes = np.concatenate([order[::-1][:number], order[:number]])
        weights = np.repeat([1.0, -1.0], number)
        if not number:
            continue
        found[j] = method(scores[genes], weights, ranked, spread).score
    own = np.diag(found)
    mutual: Floats = (found + found.T) / (own[:, None] + own)
    return mutual


PAIR_METHODS: dict[str, Callable[[Floats], Floats]] = {
    "signatures": partial(_by_signatures, method=score_signature),
    "normal scores": _correlate_scores,
    "spearman": correlate_ranks,
    "connectivity": partial(_by_signatures, method=score_connectivity),
}
"""What compares two traits; the first one is used."""


def compare_traits(
    atlas: AtlasReader, condition: str | None = None, method: str = "signatures"
) -> TraitTree:
    """Compare all traits with each other.

    Raises
    ------
    UsageError
        If there are fewer than two traits that can be compared.
    """
    asked = chosen_condition(condition)
    chosen = np.flatnonzero(of_condition(atlas.groups, asked))
    if len(chosen) < 2:
        msg = f"{len(chosen)} trait in the atlas can be compared given {asked}; two are needed"
        raise UsageError(msg)
    groups = atlas.groups[chosen]
    scores = atlas.ranks("trait")[:, chosen].astype(np.float64)
    similarity = np.clip(PAIR_METHODS[method](scores), -1, 1)
    names = [
        trait if asked != ANY_CONDITION or condition is None else f"{trait} given {condition}"
        for trait, condition in groups.select("trait", "condition").iter_rows()
    ]
    links = _links(similarity)
    order, newick = _tree(links, names)
    pairs = _pairs(atlas, groups, names, similarity, np.isfinite(scores))
    ordered = similarity[np.ix_(order, order)]
    return TraitTree(
        tuple(names[i] for i in order), ordered, newick, _in_order(links, order), pairs
    )


def _links(similarity: Floats) -> Floats:
    """Return the tree as scipy's linkage matrix."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    distance = np.nan_to_num(1 - (similarity + similarity.T) / 2, nan=1.0)
    np.fill_diagonal(distance, 0)
    links: Floats = linkage(squareform(np.clip(distance, 0, 2), checks=False), "average")
    return links


def _in_order(links: Floats, order: list[int]) -> Floats:
    """Return the linkage matrix of the same tree, its leaves numbered in their order."""
    ordered = links.copy()
    leaves = ordered[:, :2] < len(order)
    ordered[:, :2][leaves] = np.argsort(order)[links[:, :2][leaves].astype(int)]
    return ordered


def _tree(links: Floats, names: list[str]) -> tuple[list[int], str]:
    """Return the order of the leaves, and the tree in Newick format."""
    from scipy.cluster.hierarchy import leaves_list, to_tree

    def written(node: object, above: float) -> str:
        length = max(0.0, above - node.dist / 2)  # type: ignore[attr-defined]
        if node.is_leaf():  # type: ignore[attr-defined]
            return f"{_label(names[node.id])}:{length:.4f}"  # type: ignore[attr-defined]
        below = [written(child, node.dist / 2) for child in (node.left, node.right)]  # type: ignore[attr-defined]
        return f"({','.join(below)}):{length:.4f}"

    root = to_tree(links)
    return leaves_list(links).tolist(), written(root, root.dist / 2).rpartition(":")[0] + ";"


def _label(name: str) -> str:
    """Return a name as a label of a tree, in quotation marks where it has marks of the format."""
    label = name.replace(" ", "_")
    return f"'{label}'" if set(label) & set("()[]:;,") else label


def _pairs(
    atlas: AtlasReader,
    groups: pl.DataFrame,
    names: list[str],
    similarity: Floats,
    there: NDArray[np.bool_],
) -> pl.DataFrame:
    samples, platforms = _in_common(atlas, groups)
    genes = there.astype(np.float32).T @ there.astype(np.float32)
    rows = [
        {
            "trait": names[i],
            "other": names[j],
            "similarity": None if np.isnan(similarity[i, j]) else float(similarity[i, j]),
            "genes": int(genes[i, j]),
            "shared_samples": samples.get((i, j), 0),
            "shared_platforms": len(platforms[i] & platforms[j]),
        }
        for i, j in combinations(range(len(names)), 2)
    ]
    return pl.DataFrame(rows).sort("similarity", descending=True, nulls_last=True)


def _in_common(
    atlas: AtlasReader, groups: pl.DataFrame
) -> tuple[dict[tuple[int, int], int], list[set[str]]]:
    """Return shared samples of two groups, by their places, and the platforms of each."""
    place = {result: i for i, ids in enumerate(groups["used"].to_list()) for result in ids}
    used = atlas.results.filter(
        pl.col("result").is_in(pl.Series(list(place), dtype=pl.UInt32).implode())
    )
    platforms: list[set[str]] = [set() for _ in range(groups.height)]
    for result, platform in used.select("result", "platform").iter_rows():
        if platform:
            platforms[place[result]].add(platform)
    counts: dict[tuple[int, int], int] = {}
    for one, other, shared in shared_samples(used).iter_rows():
        pair = (place[one], place[other])
        if pair[0] < pair[1]:
            counts[pair] = counts.get(pair, 0) + shared
    return counts, platforms
