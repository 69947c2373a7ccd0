"""Sets of human genes by the terms of Gene Ontology, packaged."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from graphlib import TopologicalSorter
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from genotex.genes.table import GeneTable
from genotex.outside import packaged, read_json, read_parquet

_ASPECTS = {"bp": "biological process", "mf": "molecular function", "cc": "cellular component"}


@dataclass(frozen=True)
class GeneOntology:
    """The record of the packaged terms."""

    date: str  # Of the ontology
    annotated: str  # Date of the annotations of genes
    sha256: dict[str, str]  # Of the source files
    fewest: int  # Genes of a term that is kept
    terms: int
    genes: int
    name: str = "Gene Ontology by way of Bioconductor's GO.db and org.Hs.eg.db"
    licence: str = "CC BY 4.0"

    def to_json(self) -> dict[str, Any]:
        """Return the record as it is stored next to the terms."""
        return asdict(self)

    def title(self, aspect: str) -> str:
        """Return what the sets of an aspect (``bp``, ``mf`` or ``cc``) are called."""
        return f"Gene Ontology, {_ASPECTS[aspect]} ({self.date})"


class OntologyTerm(NamedTuple):
    """A term, and its genes as official symbols in NCBI's order."""

    term: str
    name: str
    genes: tuple[str, ...]


@cache
def packaged_ontology() -> GeneOntology:
    """Return the record of the packaged terms: source, dates, licence."""
    return GeneOntology(**read_json(Path(__file__).parent / "data" / "ontology.json"))


def ontology_terms(aspect: str) -> tuple[OntologyTerm, ...]:
    """Return the terms of an aspect (``bp``, ``mf`` or ``cc``) with the genes that belong to them.

    A gene belongs to what it is annotated to, and to all that this is or is a part of.
    """
    terms, genes = _read("ontology_terms"), _read("ontology_genes")
    symbols = dict(GeneTable.load().genes.select("gene_id", "symbol").iter_rows())
    named = [symbols[gene] for gene in genes["gene_id"]]
    wanted = (terms["aspect"] == aspect).arg_true().to_list()
    parents = dict(zip(wanted, terms["parents"].gather(wanted).to_list(), strict=True))
    members: dict[int, set[int]] = {term: set() for term in wanted}
    for gene, steps in enumerate(genes["steps"].to_list()):
        for term in accumulate(steps):
            if term in members:
                members[term].add(gene)
    # A term comes after its parents in this order.
    for term in reversed([*TopologicalSorter(parents).static_order()]):
        for parent in parents[term]:
            members[parent] |= members[term]
    return tuple(
        OntologyTerm(f"GO:{number:07d}", name, tuple(named[gene] for gene in sorted(members[term])))
        for term, (number, name) in zip(
            wanted, terms.select("term", "name")[wanted].iter_rows(), strict=True
        )
    )


def _read(name: str) -> pl.DataFrame:
    return read_parquet(packaged("genotex.genes", f"data/{name}.parquet.xz"), lists=True)
