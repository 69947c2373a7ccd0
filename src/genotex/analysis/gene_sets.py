"""Gene sets met with the genes of a result: which sets can be tested, and which ids they carry."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from genotex.analysis.gmt import GeneSet
from genotex.errors import AnalysisError

__all__ = ["MatchedSets", "match_gene_sets"]

ENOUGH_KNOWN = 0.5
"""Share of known genes from which the ids are surely of the right kind."""


@dataclass(frozen=True)
class MatchedSets:
    """The sets that can be tested.

    Attributes
    ----------
    sets : tuple of GeneSet
        As they stand in the file.
    members : tuple of tuple of int
        For each of them, the places of its genes among the genes of the result, ascending.
    record : dict
        Counts of sets and genes, plain JSON values.
    """

    sets: tuple[GeneSet, ...]
    members: tuple[tuple[int, ...], ...]
    record: dict[str, Any]

    def matrix(self, places: NDArray[np.intp]) -> csr_array:
        """Return 1 where a gene (column) is in a set (row), with the genes in another order.

        Parameters
        ----------
        places : ndarray of int, shape (p,)
            Column of each gene of the result.
        """
        columns = np.concatenate([places[list(members)] for members in self.members])
        starts = np.cumsum([0, *(len(members) for members in self.members)])
        shape = (len(self.members), len(places))
        return csr_array((np.ones(len(columns)), columns, starts), shape=shape)


def match_gene_sets(
    sets: Sequence[GeneSet], genes: Sequence[str], min_size: int, max_size: int
) -> MatchedSets:
    """Find the genes of each set in a result and keep the sets of a fitting size.

    Parameters
    ----------
    sets : sequence of GeneSet
        From a GMT file.
    genes : sequence of str
        Tested genes of the result, each once.
    min_size, max_size : int
        Fewest and most genes of a set among `genes`; a set of all genes is too large in any case.

    Raises
    ------
    AnalysisError
        If no gene of the sets is in the result, or no set is left; the message tells which ids the
        sets seem to carry, or which sizes there are.
    """
    place = {gene: i for i, gene in enumerate(genes)}
    named = {gene for gene_set in sets for gene in gene_set.genes}
    known = named & place.keys()
    _check_ids(named, known, genes)
    found = [sorted(place[g] for g in s.genes if g in place) for s in sets]
    most = min(max_size, len(genes) - 1)
    fits = [min_size <= len(members) <= most for members in found]
    if not any(fits):
        sizes = [len(members) for members in found]
        msg = (
            f"none of the {len(sets):,} gene sets has {min_size:,} to {most:,} of the "
            f"{len(genes):,} tested genes (they have {min(sizes):,} to {max(sizes):,}); "
            "change the minimal or maximal size, or take another file of sets"
        )
        raise AnalysisError(msg)
    return MatchedSets(
        tuple(s for s, fit in zip(sets, fits, strict=True) if fit),
        tuple(tuple(m) for m, fit in zip(found, fits, strict=True) if fit),
        {
            "sets": len(sets),
            "tested": sum(fits),
            "too_small": sum(len(members) < min_size for members in found),
            "too_large": sum(len(members) > most for members in found),
            "genes": len(named),
            "genes_tested": len(known),
        },
    )


def _check_ids(named: Collection[str], known: Collection[str], genes: Sequence[str]) -> None:
    """Refuse sets whose genes bear another kind of name than those of the result."""
    if not named:
        msg = "the gene sets name no gene; take another file of sets"
        raise AnalysisError(msg)
    if len(known) >= ENOUGH_KNOWN * len(named):
        return
    share = f"{len(known):,} of the {len(named):,} genes in the file of sets are in the result"
    if kind := _other_ids(named, genes):
        msg = f"{share}: {kind}"
        raise AnalysisError(msg)
    if not known:
        ours, theirs = ", ".join(sorted(genes)[:3]), ", ".join(sorted(named)[:3])
        msg = f"{share}: it names {theirs}, the result {ours}; take a file of official symbols"
        raise AnalysisError(msg)


def _other_ids(named: Collection[str], genes: Sequence[str]) -> str:
    """Return which other ids most of the names are, and what to do; empty for symbols."""
    half = len(named) / 2
    hint = "take the file with official symbols (MSigDB: ...symbols.gmt)"
    if sum(name.isdecimal() for name in named) > half:
        return f"the file names genes by numbers, as Entrez ids are; {hint}"
    if sum(name.upper().startswith("ENS") and name[-1:].isdecimal() for name in named) > half:
        return f"the file names genes by Ensembl ids; {hint}"
    if len({name.upper() for name in named} & set(genes)) > half:
        return "the file writes them in lower case, as genes of the mouse are; take the human sets"
    return ""
