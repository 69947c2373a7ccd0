"""Related genes of traits (GenoTEX paper, appendix E.2), and how many of them two traits share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from genotex.genes import GeneTable
from genotex.id_kinds import IdKind
from genotex.problems.associations import Associations


@dataclass(frozen=True)
class RelatedGenes:
    """Related genes of traits, and what could not be found."""

    # trait -> official symbols, those with the highest score first
    genes: Mapping[str, tuple[str, ...]]
    associations: int  # associations of the traits' diseases that were read
    # Ensembl ids among them that the gene table does not know or knows for several genes, sorted
    unmapped: tuple[str, ...]
    without_id: tuple[str, ...]  # traits without a disease id; they have no related genes
    # disease ids without any association in the files, in the order of the traits
    absent: tuple[str, ...]


def find_related_genes(
    diseases: Mapping[str, tuple[str, ...]], associations: Associations, table: GeneTable
) -> RelatedGenes:
    """Find the genes related to each trait."""
    targets = associations.table["targetId"].unique().to_list()
    symbols = {ensembl: s for ensembl, s in table.lookup(IdKind.ENSEMBL, targets).items() if s}
    mapped = associations.table.with_columns(
        pl.col("targetId").replace_strict(symbols, default=None, return_dtype=pl.String)
    ).drop_nulls()
    by_disease: dict[str, list[tuple[str, float]]] = {}
    for symbol, disease, score in mapped.iter_rows():
        by_disease.setdefault(disease, []).append((symbol, score))
    ids = dict.fromkeys(disease for listed in diseases.values() for disease in listed)
    return RelatedGenes(
        {trait: _ranked(listed, by_disease) for trait, listed in diseases.items()},
        associations.table.height,
        tuple(sorted(set(targets) - set(symbols))),
        tuple(trait for trait, listed in diseases.items() if not listed),
        tuple(disease for disease in ids if disease not in associations.found),
    )


def _ranked(
    diseases: tuple[str, ...], by_disease: Mapping[str, list[tuple[str, float]]]
) -> tuple[str, ...]:
    best: dict[str, float] = {}
    for disease in diseases:
        for symbol, score in by_disease.get(disease, ()):
            best[symbol] = max(score, best.get(symbol, score))
    return tuple(sorted(best, key=lambda symbol: (-best[symbol], symbol)))


class GeneOverlap:
    """The related genes of traits, set against each other.

    Parameters
    ----------
    genes
        Trait -> its related genes; a trait that is not there has none.
    """

    def __init__(self, genes: Mapping[str, Collection[str]]) -> None:
        self._genes = {trait: frozenset(listed) for trait, listed in genes.items()}
        self._known: dict[tuple[str, str], float] = {}

    def shared(self, a: str, b: str) -> frozenset[str]:
        """Return the genes related to both traits."""
        none: frozenset[str] = frozenset()
        return self._genes.get(a, none) & self._genes.get(b, none)

    def jaccard(self, a: str, b: str) -> float:
        """Return the genes related to both over those related to either; 0 where there are none.

        The same for both orders of the traits.
        """
        key = (a, b) if a <= b else (b, a)
        if key not in self._known:
            shared = len(self.shared(a, b))
            either = sum(len(self._genes.get(trait, ())) for trait in key) - shared
            self._known[key] = shared / either if either else 0.0
        return self._known[key]
