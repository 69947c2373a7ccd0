"""Build the packaged gene sets of Gene Ontology from two databases of Bioconductor.

    python -m benchmarks build_gene_ontology ORG_DB GO_DB [FOLDER]

ORG_DB is ``org.Hs.eg.sqlite`` (in Debian: ``r-bioc-org.hs.eg.db``), with the annotations of human
genes; GO_DB is ``GO.sqlite`` (``r-bioc-go.db``), with the terms. FOLDER is
``src/genotex/genes/data`` unless given; it gets ``ontology_terms.parquet.xz``,
``ontology_genes.parquet.xz`` and ``ontology.json``.

A gene belongs to the terms it is annotated to and to their ancestors by is_a and part_of (true path
rule). Terms with fewer than `FEWEST` genes and the three roots are left out. Stored are, for each
gene, the most specific of the kept terms, and the parents of each term among them: the rest
follows.
"""

from __future__ import annotations

import argparse
import io
import lzma
import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import polars as pl

from genotex.formats import sha256
from genotex.formats.json_files import write_json
from genotex.genes import GeneOntology
from genotex.io import atomic_write

FOLDER = Path(__file__).parents[2] / "src" / "genotex" / "genes" / "data"
ASPECTS = {"bp": "GO:0008150", "mf": "GO:0003674", "cc": "GO:0005575"}
RELATIONS = ("isa", "part of")
FEWEST = 5
NO_DATA = "ND"
"""Evidence code of an annotation that only says that nothing is known."""


@dataclass(frozen=True)
class Aspect:
    """One of the three parts of Gene Ontology."""

    names: dict[str, str]
    parents: dict[str, set[str]]
    genes: dict[str, set[int]]  # Annotated to the term itself, by Entrez id

    def ancestors(self, term: str) -> set[str]:
        """Return all ancestors of a term."""
        found: set[str] = set()
        waiting = [term]
        while waiting:
            new = self.parents[waiting.pop()] - found
            found |= new
            waiting += new
        return found


def read_aspect(org: sqlite3.Connection, go: sqlite3.Connection, aspect: str) -> Aspect:
    """Read terms, parents and annotations of an aspect."""
    terms = {
        key: (term, name) for key, term, name in go.execute("SELECT _id, go_id, term FROM go_term")
    }
    entrez = {key: int(gene) for key, gene in org.execute("SELECT _id, gene_id FROM genes")}
    parents: defaultdict[str, set[str]] = defaultdict(set)
    query = f"SELECT _id, _parent_id, relationship_type FROM go_{aspect}_parents"
    for key, parent, relation in go.execute(query):
        if relation in RELATIONS:
            parents[terms[key][0]].add(terms[parent][0])
    genes: defaultdict[str, set[int]] = defaultdict(set)
    for key, term, evidence in org.execute(f"SELECT _id, go_id, evidence FROM go_{aspect}"):
        if evidence != NO_DATA:
            genes[term].add(entrez[key])
    return Aspect(dict(terms.values()), parents, genes)


def compact(aspect: Aspect, root: str) -> dict[str, tuple[set[str], set[int]]]:
    """Return the kept terms: parents among them, and the genes of no kept term below."""
    members: defaultdict[str, set[int]] = defaultdict(set)
    above = {}
    for term, genes in aspect.genes.items():
        for each in {term, *aspect.ancestors(term)}:
            members[each] |= genes
    kept = {t for t, genes in members.items() if len(genes) >= FEWEST and t in aspect.names}
    kept -= {root, "all"}
    for term in kept:
        above[term] = aspect.ancestors(term) & kept
    parents = {t: found - {a for f in found for a in above[f]} for t, found in above.items()}
    below: defaultdict[str, set[int]] = defaultdict(set)
    for term, found in parents.items():
        for parent in found:
            below[parent] |= members[term]
    return {term: (parents[term], members[term] - below[term]) for term in kept}


def build(org_db: Path, go_db: Path) -> tuple[pl.DataFrame, pl.DataFrame, GeneOntology]:
    """Return the terms, the genes with their terms, and the record."""
    with closing(_open(org_db)) as org, closing(_open(go_db)) as go:
        rows: list[tuple[str, str, str, set[str]]] = []
        terms_of: defaultdict[int, set[str]] = defaultdict(set)
        for name, root in ASPECTS.items():
            aspect = read_aspect(org, go, name)
            found = compact(aspect, root)
            rows += [(name, term, aspect.names[term], found[term][0]) for term in sorted(found)]
            for term, (_, genes) in found.items():
                for gene in genes:
                    terms_of[gene].add(term)
        about = dict(org.execute("SELECT name, value FROM metadata"))
        dated = dict(go.execute("SELECT name, value FROM metadata"))["GOSOURCEDATE"]
    place = {row[1]: i for i, row in enumerate(rows)}
    terms = pl.DataFrame(
        [(a, int(t[3:]), n, sorted(place[p] for p in found)) for a, t, n, found in rows],
        schema={
            "aspect": pl.Categorical,
            "term": pl.UInt32,
            "name": pl.String,
            "parents": pl.List(pl.UInt16),
        },
        orient="row",
    )
    # Differences compress better than places.
    genes = pl.DataFrame(
        [(g, _steps(sorted(place[t] for t in terms_of[g]))) for g in sorted(terms_of)],
        schema={"gene_id": pl.UInt32, "steps": pl.List(pl.UInt16)},
        orient="row",
    )
    annotated = datetime.strptime(about["GOEGSOURCEDATE"], "%Y-%b%d").date().isoformat()
    sources = {path.name: sha256(path) for path in (org_db, go_db)}
    record = GeneOntology(dated, annotated, sources, FEWEST, terms.height, genes.height)
    return terms, genes, record


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def _steps(places: list[int]) -> list[int]:
    return [b - a for a, b in pairwise([0, *places])]


def write_packed(path: Path, table: pl.DataFrame) -> int:
    """Write a table as Parquet inside xz, and return its size."""
    # xz makes the file 15 % smaller than zstd inside Parquet would.
    plain = io.BytesIO()
    table.write_parquet(
        plain, compression="uncompressed", statistics=False, row_group_size=1_000_000
    )
    packed = lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME)
    with atomic_write(path) as part:
        part.write_bytes(packed)
    return len(packed)


def main() -> None:
    """Build the sets from the two databases named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("org_db", type=Path)
    parser.add_argument("go_db", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    arguments = parser.parse_args()
    terms, genes, record = build(arguments.org_db, arguments.go_db)
    size = write_packed(arguments.folder / "ontology_terms.parquet.xz", terms)
    size += write_packed(arguments.folder / "ontology_genes.parquet.xz", genes)
    write_json(arguments.folder / "ontology.json", record.to_json())
    print(f"{record.terms} terms, {record.genes} genes, {record.date}: {size} bytes")
